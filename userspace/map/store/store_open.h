/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * store_open.h - connections to files that may be stores
 */
#ifndef MAP_STORE_STORE_OPEN_H
#define MAP_STORE_STORE_OPEN_H

#include "map/store/store_db.h"

/* @s->db for reading, or for writing with @s->lock. Return: as store_open() */
int store_open_to_read(struct store *s);
int store_open_to_write(struct store *s, bool create);

/* Statements, connection, lock */
void store_disconnect(struct store *s);

#endif
