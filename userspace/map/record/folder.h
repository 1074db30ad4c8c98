/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folder.h - a folder of recordings with a quota
 */
#ifndef MAP_RECORD_FOLDER_H
#define MAP_RECORD_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

/* Make it, with its parents. Return: 0 or a negative errno */
int folder_make(const char *path);

/**
 * folder_lock() - lock a folder for writing
 * @alone: exclusively
 *
 * Does not wait. Return: a descriptor to close; -EWOULDBLOCK: another process
 * has the lock; other negative errnos.
 */
int folder_lock(const char *path, bool alone);

/*
 * Turn the exclusive lock @fd into a shared one. Return: @fd; -EWOULDBLOCK:
 * another process was faster, and @fd is closed; other negative errnos
 */
int folder_lock_share(int fd);

/* Suffix of the original of a damaged recording */
#define FOLDER_DAMAGED	".damaged"

/**
 * folder_finish() - finish recordings after a power loss or a kill
 * @ending:	whether to stop, polled
 * @finished:	called for each file. @err 0: it has an index and summary now;
 *		-EBADMSG: likewise, but it was damaged and the original is kept;
 *		-EPROTO: nothing is readable, only the original is kept;
 *		-ENODATA: it was empty and is removed; other errors: unchanged
 *
 * The readable part of an unfinished log_*.mcap or snapshot_*.mcap is written
 * to a new file, which then replaces the old one. The old one is kept as
 * NAME.mcap.damaged if it lost more than an incomplete last record.
 */
void folder_finish(const char *path, bool (*ending)(void *arg),
		   void (*finished)(void *arg, const char *path, int err),
		   void *arg);

/**
 * folder_trim() - remove the oldest logs
 * @quota: bytes of all recordings together
 * @keep: path of a log to keep, or NULL
 *
 * Logs are log_*.mcap with their .txt, and damaged ones; of other files only
 * the size counts.
 *
 * Return: bytes that remain.
 */
uint64_t folder_trim(const char *path, uint64_t quota, const char *keep);

#endif
