/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recorder.h - logs and snapshots (D4.1, section 4), in a thread of its own: a
 * full or slow disk never stops the store
 *
 * Files are FOLDER/log_TIME.mcap and FOLDER/snapshot_TIME_NAME.mcap, each with
 * a text of rooms next to it (.txt). A large log continues in a new file. If
 * all files together exceed the quota, the oldest logs are removed, snapshots
 * never. The log rate is a setting of the store, so that logging continues
 * after a restart. At the start, files that a killed daemon left unfinished are
 * finished.
 */
#ifndef MAP_RECORD_RECORDER_H
#define MAP_RECORD_RECORDER_H

#include <cjson/cJSON.h>
#include "base/error.h"
#include "base/loop.h"
#include "map/record/record.h"
#include "map/ros/map_config.h"
#include "map/site/site.h"
#include "ros/msg/message.h"

struct recorder;

enum { RECORDER_PATH = 1024 };

/**
 * struct recorder_config
 * @folder:	created with the first file; relative to the working folder
 * @config:	of the daemon: see record_open(); must outlive the recorder
 * @quota:	bytes of all files
 * @file:	bytes of a log before the next one begins
 * @hz:		initial rate of the log, if the store has none; 0: no log
 */
struct recorder_config {
	const char	*folder;
	const struct map_config *config;
	uint64_t	quota, file;
	double		hz;
};

/**
 * recorder_open() - start
 * @noted:	called in the loop: a file was finished, @error NULL; or failed,
 *		or is incomplete
 */
int recorder_open(struct recorder **r, struct site *site, struct loop *loop,
		  const struct recorder_config *config,
		  void (*noted)(void *arg, const char *kind, const char *path,
				const char *error), void *arg);
/* Finishes the log */
void recorder_close(struct recorder *r);

/**
 * recorder_log() - set the log rate, and wait for the first entry
 * @hz: 0.001..10; 0: stop
 *
 * In any thread but the loop's. After an error other than -ETIMEDOUT the rate
 * is unchanged.
 *
 * Return: 0; -EINVAL; -ETIMEDOUT: the disk is slow, the log starts later and
 * the rate is kept; errors of the disk and of the store. With one line in
 * @error.
 */
int recorder_log(struct recorder *r, double hz, struct error *error);

/**
 * recorder_snapshot() - write a snapshot and wait for it; not in the loop
 * @name: letters, digits, - and _; empty: none
 * @path: gets the file's path
 * @left_out: gets the names of missing layers, "a, b"; may be NULL
 *
 * Return: 0; -EINVAL; -EBUSY: too many wait already; -ETIMEDOUT: the disk is
 * slow: if writing has begun it is finished, else nothing is written; errors of
 * the disk. With one line in @error.
 */
int recorder_snapshot(struct recorder *r, const char *name,
		      char path[RECORDER_PATH], char left_out[RECORD_LEFT],
		      struct error *error);

/* The latest thermal image, for the next files */
void recorder_image(struct recorder *r, const union message *m);

/* "logging", "rate", "folder", "written", "failed", "last_error" */
void recorder_status(struct recorder *r, cJSON *out);

#endif
