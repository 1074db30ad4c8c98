/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * run.h - a filter with all that is kept of it: from a log or live
 */
#ifndef SLAMD_RUN_H
#define SLAMD_RUN_H

#include "slam/checkpoint.h"
#include "slam/journey.h"
#include "slamd/cluster.h"
#include "slamd/slamd.h"
#include "slamd/stats.h"

/**
 * struct run - all zero, but for @o
 * @log:	for messages: what the readings are of
 * @last:	of the last update
 */
struct run {
	const struct slamd_options	*o;
	const char			*log;
	struct cluster			*cluster;
	struct filter			*filter;
	struct checkpoint		*checkpoint;
	struct journey			journey;
	struct stats			stats;
	struct filter_result		last;
	uint64_t			synced;
};

/**
 * run_open() - workers, the filter and its checkpoint
 * @interrupted: whether waiting for workers is to end
 *
 * Return: 0; 1: this process is only a worker, and was one until now; a
 * negative errno after one line on stderr.
 */
int run_open(struct run *r, bool (*interrupted)(void *arg));
void run_close(struct run *r);

/**
 * run_recall() - the next reading of the checkpoint, if there is one
 * @reading: gets it, as checkpoint_next() says
 *
 * Return: 1; 0: that was all, or there is no checkpoint; a negative errno
 * after one line on stderr.
 */
int run_recall(struct run *r, struct reading *reading,
	       struct filter_result *result);

/**
 * run_read() - a reading
 *
 * Return: 0; -EINTR; another negative errno after one line on stderr.
 */
int run_read(struct run *r, const struct reading *reading,
	     struct filter_result *result);

/* "30 particles  12.1 effective  0 jumps", for a line of progress */
void run_progress(const struct run *r, char *text, size_t size);

/* Where it was at all readings. Return: 0, -ENODATA: there was no scan;
 * -ENOMEM; and a line on stderr
 */
int run_trajectory(const struct run *r, struct trajectory *t);

/* --trajectory and --stats. Return: 0 or a negative errno, after a line */
int run_write(struct run *r, const struct trajectory *t,
	      const struct readings_count *log);

#endif
