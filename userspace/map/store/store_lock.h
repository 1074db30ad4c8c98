/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store_lock.h - lock that allows one process to write a store
 */
#ifndef MAP_STORE_STORE_LOCK_H
#define MAP_STORE_STORE_LOCK_H

/**
 * store_lock() - take the lock of a store, until it is closed or we die
 * @path: of the store; the lock is a file of its own, PATH-lock, which stays
 * @owner: out: process that has it, 0 if unknown, for -EBUSY
 *
 * Return: descriptor, to be closed; -EBUSY; others of open(2).
 */
int store_lock(const char *path, int *owner);

#endif
