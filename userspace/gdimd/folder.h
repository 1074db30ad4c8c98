/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folder.h - a folder of recordings that must not grow too large
 */
#ifndef GDIMD_FOLDER_H
#define GDIMD_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

/* Make it, with those above it. Return: 0 or a negative errno */
int folder_make(const char *path);

/**
 * folder_lock() - say that somebody writes here
 * @alone: and that nobody else may
 *
 * Does not wait. Return: a descriptor to be closed; -EWOULDBLOCK: others have
 * it; other negative errnos.
 */
int folder_lock(const char *path, bool alone);

/**
 * folder_finish() - finish what nobody finished: the power failed, or the
 * daemon was killed
 * @ending:	whether to stop, asked now and then
 * @told:	a file has its index and summary now, @err 0; there was nothing
 *		in it and it is gone, -ENODATA; or it stays as it was
 *
 * What is readable of log_*.mcap and snapshot_*.mcap without an end is written
 * into a new file, which then takes the old one's place.
 */
void folder_finish(const char *path, bool (*ending)(void *arg),
		   void (*told)(void *arg, const char *path, int err),
		   void *arg);

/**
 * folder_trim() - remove the oldest logs
 * @quota: bytes that all recordings together may have
 * @keep: path of a log that stays, or NULL
 *
 * Logs are log_*.mcap with their .txt; of what else is there only the size
 * counts.
 *
 * Return: bytes that are there then.
 */
uint64_t folder_trim(const char *path, uint64_t quota, const char *keep);

#endif
