/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session.h - a filter with all that is kept of it: from a log or live
 */
#ifndef APPS_SLAMD_SESSION_H
#define APPS_SLAMD_SESSION_H

#include "apps/slamd/cluster.h"
#include "apps/slamd/mapper.h"
#include "apps/slamd/slamd.h"
#include "apps/slamd/stats.h"
#include "slam/output/checkpoint.h"
#include "slam/output/scan_trajectory.h"

enum { RUN_STATE = 100 };	/* bytes of run_state() */

/**
 * struct run - all zero, but for @o and @log
 * @log:	for messages: what the readings are of
 * @last:	of the last update
 * @updates:	of readings that are in @journey
 * @start:	of readings, CLOCK_MONOTONIC, ns; for progress
 * @fresh:	the checkpoint was made by this run
 * @told_map:	that the last map was not published
 * @told_lost:	that the robot is lost
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
	uint32_t			updates;
	uint64_t			start, synced;
	bool				fresh, told_map, told_lost;
};

/**
 * run_open() - workers, the filter and its checkpoint
 * @interrupted: whether waiting for workers is to end
 *
 * Files that are to be written in the end are tried now.
 *
 * Return: 0; 1: this process is only a worker, and was one until now; a
 * negative errno after one line on stderr.
 */
int run_open(struct run *r, bool (*interrupted)(void *arg));
/* A checkpoint without any reading goes away with the run that made it */
void run_close(struct run *r);

/**
 * run_recall() - the next reading of the checkpoint, if there is one
 * @reading: gets it, as checkpoint_next() says
 *
 * Return: 1; 0: that was all, or there is no checkpoint; -EINTR; another
 * negative errno after one line on stderr.
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

/* "30 particles  12.1 effective  0 jumps" */
void run_state(const struct run *r, char text[RUN_STATE]);

/**
 * run_progress() - a line on stderr, if there is to be any
 * @end: it is the last one; on a terminal others take its place
 */
void run_progress(const struct run *r, bool end, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Of so many readings, each second */
double run_rate(const struct run *r, uint64_t readings);

/**
 * run_history() - filter_history() of those updates whose reading was kept
 *
 * A signal may come between an update and what is done with it.
 *
 * Return: 0; -ENOMEM.
 */
int run_history(const struct run *r, struct pose **poses, uint32_t *count);

/**
 * run_map() - the map of all scans, and the way, are published
 *
 * What is wrong with it, or missing in it, is told once, until it is not any
 * more.
 *
 * Return: as mapper_map().
 */
int run_map(struct run *r, struct mapper *m);

/* Where it was at all readings. Return: 0, -ENODATA: there was no scan;
 * -ENOMEM; and a line on stderr
 */
int run_trajectory(const struct run *r, struct trajectory *t);

/* --trajectory and --stats. Return: 0 or a negative errno, after a line for
 * each file that is not there
 */
int run_write(struct run *r, const struct trajectory *t,
	      const struct readings_count *log);

#endif
