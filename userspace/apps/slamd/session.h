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

enum { SESSION_STATE = 100 };	/* bytes of session_state() */

/**
 * struct session - all zero, but for @o and @log
 * @log:	for messages: what the readings are of
 * @last:	of the last update
 * @updates:	of readings that are in @journey
 * @start:	of readings, CLOCK_MONOTONIC, ns; for progress
 * @fresh:	the checkpoint was made by this run
 * @told_map:	that the last map was not published
 * @told_lost:	that the robot is lost
 */
struct session {
	const struct slamd_options	*o;
	const char			*log;
	struct cluster			*cluster;
	struct filter			*filter;
	struct checkpoint		*checkpoint;
	struct scan_trajectory		journey;
	struct stats			stats;
	struct filter_result		last;
	uint32_t			updates;
	uint64_t			start, synced;
	bool				fresh, told_map, told_lost;
};

/**
 * session_open() - workers, the filter and its checkpoint
 * @interrupted: whether waiting for workers is to end
 *
 * Files that are to be written in the end are tried now.
 *
 * Return: 0; 1: this process is only a worker, and was one until now; a
 * negative errno after one line on stderr.
 */
int session_open(struct session *r, bool (*interrupted)(void *arg));
/* A checkpoint without any reading goes away with the run that made it */
void session_close(struct session *r);

/**
 * session_recall() - the next reading of the checkpoint, if there is one
 * @reading: gets it, as checkpoint_next() says
 *
 * Return: 1; 0: that was all, or there is no checkpoint; -EINTR; another
 * negative errno after one line on stderr.
 */
int session_recall(struct session *r, struct reading *reading,
		   struct filter_result *result);

/**
 * session_read() - a reading
 *
 * Return: 0; -EINTR; another negative errno after one line on stderr.
 */
int session_read(struct session *r, const struct reading *reading,
		 struct filter_result *result);

/* "30 particles  12.1 effective  0 jumps" */
void session_state(const struct session *r, char text[SESSION_STATE]);

/**
 * session_progress() - a line on stderr, if there is to be any
 * @end: it is the last one; on a terminal others take its place
 */
void session_progress(const struct session *r, bool end, const char *format,
		      ...) __attribute__((format(printf, 3, 4)));

/* Of so many readings, each second */
double session_rate(const struct session *r, uint64_t readings);

/**
 * session_history() - filter_history() of those updates whose reading was kept
 *
 * A signal may come between an update and what is done with it.
 *
 * Return: 0; -ENOMEM.
 */
int session_history(const struct session *r, struct pose **poses,
		    uint32_t *count);

/**
 * session_map() - the map of all scans, and the way, are published
 *
 * What is wrong with it, or missing in it, is told once, until it is not any
 * more.
 *
 * Return: as mapper_map().
 */
int session_map(struct session *r, struct mapper *m);

/* Where it was at all readings. Return: 0, -ENODATA: there was no scan;
 * -ENOMEM; and a line on stderr
 */
int session_trajectory(const struct session *r, struct trajectory *t);

/* --trajectory and --stats. Return: 0 or a negative errno, after a line for
 * each file that is not there
 */
int session_write(struct session *r, const struct trajectory *t,
		  const struct readings_count *log);

#endif
