/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop_closer.h - a pose graph beside a filter: closes loops while it runs
 *
 * A thread compares each new submap with earlier visits of its place, and
 * solves the graph. The filter gets a corrected history a fixed number of
 * updates later, so the results have the same bits however fast the thread is.
 */
#ifndef SLAM_GRAPH_LOOP_CLOSER_H
#define SLAM_GRAPH_LOOP_CLOSER_H

#include "slam/filter/filter.h"
#include "slam/graph/adjust.h"
#include "slam/graph/pose_graph.h"

struct loop_closer;

/**
 * loop_closer_create() - without readings
 * @params: of the filter; copied
 *
 * Return: 0 and @l, to be freed with loop_closer_destroy(); -ENOMEM, -EAGAIN:
 * no thread.
 */
int loop_closer_create(struct loop_closer **l,
		       const struct slam_params *params);
/* Waits for the thread; NULL is allowed */
void loop_closer_destroy(struct loop_closer *l);

/**
 * loop_closer_add() - after each reading of the filter
 * @r: its result. Of an update, filter_reading() is copied
 *
 * May correct the filter: see filter_correct().
 *
 * Return: 0; -ENOMEM, or an error of the filter, which is final.
 */
int loop_closer_add(struct loop_closer *l, struct filter *f,
		    const struct filter_result *r);

/**
 * loop_closer_finish() - close the loops of the last submaps
 * @history: of @f, as filter_history(); corrected in place
 *
 * @interrupted: asked before each submap; true: the rest is not searched. NULL:
 *	all is
 *
 * For the final results: the filter does not change, and may go on.
 *
 * Return: 0; -EINTR: interrupted, and @history is corrected by what was found;
 * -ENOMEM.
 */
int loop_closer_finish(struct loop_closer *l, struct pose *history,
		       uint32_t count, bool (*interrupted)(void *arg));

/**
 * loop_closer_adjust() - make the scans of a history agree
 * @history:	changed in place, see adjust_history()
 *
 * @interrupted: likewise
 *
 * After loop_closer_finish(), for the final results.
 *
 * Return: 0; -ENOMEM, -EINTR: @history is unchanged.
 */
int loop_closer_adjust(struct loop_closer *l, struct pose *history,
		       uint32_t count, bool (*interrupted)(void *arg));

/**
 * struct loop_counts
 * @nodes:	of the graph
 * @tried:	pairs of a submap and a scan of another visit
 * @searched:	of these: not at the expected pose alone
 * @found:	of @tried: the scan fits
 * @alone:	of @found: the scans before and after it do not
 * @contradicted: of @found: it cannot be true
 * @closures:	in the graph; @kept: of these, the ones that agree with it
 * @waiting:	of @closures, those that move the map by much, and wait for another
 *		one that says the same
 * @rejected:	closures that made scans contradict each other; not in the graph
 * @solved:	times that the graph was solved
 * @corrected:	times that the filter's history was corrected
 * @moved:	by the last correction, a pose at most, m
 * @residual:	root of the mean squared error of the kept closures, in
 *		standard deviations
 * @joined:	parts of the map that a carried robot began, and whose place was found
 * @too_wide:	the map before the last part is too wide to be searched
 * @cpu:	ns of processor time of the thread
 * @adjust:	of the last loop_closer_adjust()
 */
struct loop_counts {
	uint32_t	nodes;
	uint64_t	tried, searched, found, alone, contradicted;
	uint32_t	closures, kept, waiting;
	uint64_t	rejected, solved, corrected;
	double		moved, residual;
	uint32_t	joined;
	bool		too_wide;
	uint64_t	cpu;
	struct adjust_counts adjust;
};

/**
 * loop_closer_edges() - the graph as it is known now
 * @history:	as loop_closer_finish(), @count poses
 * @edge:	gets @edges of them, from malloc(): first the steps, then closures.
 *		Nodes are numbers of updates
 *
 * Return: 0; -ENOMEM.
 */
int loop_closer_edges(const struct loop_closer *l, const struct pose *history,
		      uint32_t count, struct graph_edge **edge,
		      uint32_t *edges);

struct loop_counts loop_closer_counts(const struct loop_closer *l);

#endif
