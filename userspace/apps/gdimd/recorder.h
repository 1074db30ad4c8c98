/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recorder.h - logs and snapshots (D4.1, section 4), by a thread of its own: a
 * disk that is full or slow never stops the store
 *
 * Files are FOLDER/log_TIME.mcap and FOLDER/snapshot_TIME_NAME.mcap, each with
 * a text of rooms beside it (.txt). A log goes on in a new file when it is
 * large; the oldest logs go when all files together are larger than the quota,
 * snapshots never. Whether it logs, and how often, is a setting of the store:
 * it goes on when the daemon comes back, which also finishes what a daemon that
 * was killed left without an end.
 */
#ifndef APPS_GDIMD_RECORDER_H
#define APPS_GDIMD_RECORDER_H

#include <cjson/cJSON.h>
#include "apps/gdimd/config.h"
#include "apps/gdimd/record.h"
#include "base/error.h"
#include "base/loop.h"
#include "map/site/site.h"
#include "ros/msg/message.h"

struct recorder;

enum { RECORDER_PATH = 1024 };

/**
 * struct recorder_config
 * @folder:	made if it is not there, once something is written; relative
 *		to where the daemon is now
 * @config:	of the daemon: see record_open(); stays
 * @quota:	bytes of all files
 * @file:	bytes of a log, before another one begins
 * @hz:		of a log from the beginning, if the store has no setting of it;
 *		0: no log
 */
struct recorder_config {
	const char	*folder;
	const struct config *config;
	uint64_t	quota, file;
	double		hz;
};

/**
 * recorder_open() - begin
 * @noted:	called in the loop: a file was finished, @error NULL; or could
 *		not be written, or not all of it
 */
int recorder_open(struct recorder **r, struct site *site, struct loop *loop,
		  const struct recorder_config *config,
		  void (*noted)(void *arg, const char *kind, const char *path,
				const char *error), void *arg);
/* Finishes the log */
void recorder_close(struct recorder *r);

/**
 * recorder_log() - log, so often, and wait for the first entry
 * @hz: 0.001..10; 0: no more
 *
 * In any thread but the loop's. After another error than -ETIMEDOUT it logs as it did before.
 *
 * Return: 0; -EINVAL; -ETIMEDOUT: the disk takes its time, it begins when it
 * can, and is kept; errors of the disk and of the store. With one line in @error.
 */
int recorder_log(struct recorder *r, double hz, char error[ERROR_TEXT]);

/**
 * recorder_snapshot() - write one now, and wait for it; not in the loop
 * @name: letters, digits, - and _; empty: none
 * @path: gets that of the file
 * @left_out: gets the names of layers that it does not have, "a, b"; may be NULL
 *
 * Return: 0; -EINVAL; -EBUSY: too many wait already; -ETIMEDOUT: the disk takes
 * its time: what was begun is finished, else nothing is written; errors of the
 * disk. With one line in @error.
 */
int recorder_snapshot(struct recorder *r, const char *name,
		      char path[RECORDER_PATH], char left_out[RECORD_LEFT],
		      char error[ERROR_TEXT]);

/* The latest thermal image: it is in the next ones */
void recorder_image(struct recorder *r, const union message *m);

/* "logging", "rate", "folder", "written", "failed", "last_error" */
void recorder_status(struct recorder *r, cJSON *out);

#endif
