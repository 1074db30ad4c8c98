/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * loop_check.h - whether the scans agree with a solved graph
 *
 * Two corridors that look alike make closures that agree with each other, and
 * with motions that may have drifted. Laid on top of each other, what is around
 * them does not fit: some scans see through the walls of others.
 */
#ifndef SLAM_GRAPH_LOOP_CHECK_H
#define SLAM_GRAPH_LOOP_CHECK_H

#include "slam/graph/loop_search.h"

/**
 * struct loop_check - pairs of scans of two visits that moved to each other
 * @pairs:	that were compared
 * @against:	of these: they contradict each other
 */
struct loop_check {
	uint32_t	pairs, against;
};

/**
 * loop_check() - compare the scans that are together at some poses
 * @node:	[@nodes]
 * @pose:	of each
 * @other:	other poses of them: pairs that do not move are left out
 */
struct loop_check loop_check(const struct loop_node *const *node,
			     uint32_t nodes, const struct pose *pose,
			     const struct pose *other);

/* Whether the scans agree with the solution as well as @before */
bool loop_check_passed(const struct loop_check *now,
		       const struct loop_check *before);

#endif
