/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * match_wide.h - find the pose of a scan without a known robot pose
 */
#ifndef SLAM_FILTER_MATCH_WIDE_H
#define SLAM_FILTER_MATCH_WIDE_H

#include "base/thread_pool.h"
#include "slam/filter/match.h"

/**
 * match_wide() - the best pose in an area
 * @m:		a matcher for each thread of @threads; none has a prior
 * @place:	the area; not searched beyond WIDE_REACH
 * @pose:	gets the best one; unchanged if the scan fits nowhere
 *
 * Evaluates all poses of a grid, with a step of the width of the field, and
 * starts a hill climb from the best pose of each heading. Of two equal fits the
 * one nearer to the middle wins. The result does not depend on the number of
 * threads.
 *
 * Return: by how much it fits better than any pose elsewhere.
 */
double match_wide(struct matcher *m, struct thread_pool *threads,
		  const struct scan *scan, const struct likelihood_field *map,
		  const struct prior *place, struct pose *pose);

/* m */
#define WIDE_REACH	8.0

/**
 * match_against() - the evidence against a pose
 *
 * An unexplored place has no walls that a scan could fit; a robot at a wrong
 * pose sees through some walls.
 *
 * Return: the share of beams that pass through a wall and end in the open,
 * 0..1.
 */
double match_against(struct matcher *m, const struct scan *scan,
		     const struct likelihood_field *map,
		     const struct pose *pose);

#endif
