/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * folder.h - a folder of recordings that must not grow too large
 */
#ifndef APPS_GDIMD_FOLDER_H
#define APPS_GDIMD_FOLDER_H

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

/*
 * Let others write there, too, with the lock @fd that was alone. Return: @fd;
 * -EWOULDBLOCK: somebody was faster, and @fd is closed; other negative errnos
 */
int folder_lock_share(int fd);

/* Behind the name of a damaged recording as it was found */
#define FOLDER_DAMAGED	".damaged"

/**
 * folder_finish() - finish what nobody finished: the power failed, or the
 * daemon was killed
 * @ending:	whether to stop, asked now and then
 * @told:	a file has its index and summary now, @err 0; likewise, but it
 *		was damaged and the original is beside it, -EBADMSG; nothing of
 *		it is readable and it is only there, -EPROTO; it was empty and
 *		is gone, -ENODATA; or it stays as it was, other errors
 *
 * What is readable of log_*.mcap and snapshot_*.mcap without an end is written
 * into a new file, which then takes the old one's place. The old one stays, as
 * NAME.mcap.damaged, if more of it is missing than a last record that was not
 * written to its end.
 */
void folder_finish(const char *path, bool (*ending)(void *arg),
		   void (*told)(void *arg, const char *path, int err),
		   void *arg);

/**
 * folder_trim() - remove the oldest logs
 * @quota: bytes that all recordings together may have
 * @keep: path of a log that stays, or NULL
 *
 * Logs are log_*.mcap with their .txt, and damaged ones; of what else is there
 * only the size counts.
 *
 * Return: bytes that are there then.
 */
uint64_t folder_trim(const char *path, uint64_t quota, const char *keep);

#endif
