/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session.h - a filter with its results: from a log or live
 */
#ifndef APPS_SLAMD_SESSION_H
#define APPS_SLAMD_SESSION_H

#include "apps/slamd/cluster.h"
#include "apps/slamd/known_search.h"
#include "apps/slamd/mapper.h"
#include "apps/slamd/slamd.h"
#include "apps/slamd/stats.h"
#include "slam/graph/loop_closer.h"
#include "slam/output/checkpoint.h"
#include "slam/output/scan_trajectory.h"

enum { SESSION_STATE = 100 };	/* bytes of session_state() */

/**
 * struct session - all zero, except @o, @log, @waiting, and @known if the map of
 *	--localise was read
 * @log:	name of the input, for messages
 * @waiting:	of cluster_pool(); NULL: none. @waiting_arg: for it
 * @loops:	NULL: loops are not closed
 * @search:	in a known map, or in that of a checkpoint until the robot is
 *		found in it
 * @last:	result of the last update
 * @final:	history of all updates, with the last loops closed; NULL: not yet
 * @updates:	updates whose readings are in @scan_trajectory
 * @start:	start of readings, CLOCK_MONOTONIC, ns; for progress
 * @fresh:	this session created the checkpoint
 * @told_map:	logged: the last map was not published
 * @told_lost:	logged: the robot is lost
 * @told_predictor: logged: by what its motion is predicted
 * @told_rejected: logged: closures are not used
 * @told_wide:	logged: the map is too wide to find the robot in it
 * @told_joined: parts of the map that were logged as found
 * @held_logged: logged: scans are kept out of the map
 */
struct session {
	const struct slamd_options	*o;
	const char			*log;
	void				(*waiting)(void *arg);
	void				*waiting_arg;
	struct cluster			*cluster;
	struct filter			*filter;
	struct loop_closer		*loops;
	struct known_search		search;
	struct checkpoint		*checkpoint;
	struct scan_trajectory		scan_trajectory;
	struct stats			stats;
	struct filter_result		last;
	struct pose			*final;
	uint32_t			updates;
	uint64_t			start, synced;
	bool				fresh, told_map, told_lost, held_logged;
	bool				told_rejected, told_wide;
	uint32_t			told_joined;
	enum predictor			told_predictor;
};

/**
 * session_open() - open workers, the filter and its checkpoint
 * @interrupted: whether to stop waiting for workers
 *
 * Checks whether output files can be written.
 *
 * Return: 0; 1: this process was only a worker and has finished; a negative
 * errno after one line on stderr.
 */
int session_open(struct session *r, bool (*interrupted)(void *arg));
/* Removes a new checkpoint without readings */
void session_close(struct session *r);

/**
 * session_recall() - the next reading of the checkpoint
 * @reading: gets it, see checkpoint_next()
 *
 * Return: 1; 0: no more, or no checkpoint; -EINTR; another
 * negative errno after one line on stderr.
 */
int session_recall(struct session *r, struct reading *reading,
		   struct filter_result *result);

/**
 * session_recalled() - after the last reading of the checkpoint
 *
 * With --continue the robot is searched in its map from now on.
 *
 * Return: 0; a negative errno after one line on stderr.
 */
int session_recalled(struct session *r);

/**
 * session_read() - process a reading
 *
 * In a known map there is no result before the robot is found: @r->search.placed.
 *
 * Return: 0; -EINTR; another negative errno after one line on stderr.
 */
int session_read(struct session *r, const struct reading *reading,
		 struct filter_result *result);

/* About where the robot is in the known map */
void session_hint(struct session *r, const struct place_hint *hint);

/* Whether the scan of a reading belongs to the map that is made */
bool session_maps(const struct session *r, const struct filter_result *result);

/* Nothing was received, or the robot was not found: one line on stderr.
 * Return: -ENODATA
 */
int session_nothing(const struct session *r);

/* "30 particles  12.1 effective  0 jumps" */
void session_state(const struct session *r, char text[SESSION_STATE]);

/**
 * session_progress() - a line on stderr, unless disabled
 * @end: it is the last one; on a terminal each line replaces the previous one
 */
void session_progress(const struct slamd_options *o, bool end,
		      const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * session_summary() - the last line of a run, where progress is shown
 * @t: the trajectory
 */
void session_summary(struct session *r, const struct trajectory *t);

/* Rate of @readings since the start, per second */
double session_rate(const struct session *r, uint64_t readings);

/**
 * session_history() - filter_history() of the updates in @scan_trajectory
 *
 * A signal may interrupt between an update and its entry in @scan_trajectory.
 *
 * Return: 0; -ENOMEM.
 */
int session_history(const struct session *r, struct pose **poses,
		    uint32_t *count);

/**
 * session_edges() - the pose graph; none without --loops
 * @history:	of session_history(), @count poses
 * @edge:	gets @edges of them, see loop_closer_edges()
 *
 * Return: 0; -ENOMEM.
 */
int session_edges(const struct session *r, const struct pose *history,
		  uint32_t count, struct graph_edge **edge, uint32_t *edges);

/**
 * session_finish() - no more readings: close the last loops, and adjust all
 * poses
 *
 * @interrupted: true: what is left of this is not done, after a warning if it was
 *	false before
 *
 * session_history() has the result from now on. Without memory for either, a
 * warning is printed, and the history is that before it.
 *
 * Return: 0; -ENOMEM, after one line on stderr.
 */
int session_finish(struct session *r, bool (*interrupted)(void *arg));

/**
 * session_map() - publish the map of all scans, and the trajectory
 *
 * Problems are logged once until they are resolved.
 *
 * Return: as mapper_map().
 */
int session_map(struct session *r, struct mapper *m);

/* Poses of all readings. Return: 0, -ENODATA: there was no scan; -ENOMEM.
 * After an error, with one line on stderr
 */
int session_trajectory(const struct session *r, struct trajectory *t);

/* --trajectory and --stats; @t NULL: there is no trajectory. Return: 0 or a negative errno, after a line for
 * each file that was not written
 */
int session_write(struct session *r, const struct trajectory *t,
		  const struct readings_count *log);

#endif
