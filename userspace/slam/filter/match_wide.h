/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * match_wide.h - where a scan fits if nobody knows where the robot is
 */
#ifndef SLAM_FILTER_MATCH_WIDE_H
#define SLAM_FILTER_MATCH_WIDE_H

#include "base/thread_pool.h"
#include "slam/filter/match.h"

/**
 * match_wide() - the best pose all over a place
 * @m:		a matcher for each thread of @crew; none has a prior
 * @place:	where to look; beyond WIDE_REACH there is nothing to be looked at
 * @pose:	gets it, or stays as it is if the scan fits nowhere
 *
 * All poses of a grid are looked at, whose steps are those that the field is
 * wide; from the best of each heading a hill is climbed. Of two that fit alike
 * the one nearer to the middle is taken. The result does not depend on the
 * number of threads.
 *
 * Return: by how much it fits better than any pose that is elsewhere.
 */
double match_wide(struct matcher *m, struct thread_pool *crew,
		  const struct scan *scan, const struct likelihood_field *map,
		  const struct prior *place, struct pose *pose);

/* m */
#define WIDE_REACH	8.0

/**
 * match_against() - what speaks against a pose
 *
 * A place that nobody has seen before has no walls that a scan could fit; a
 * robot that is not where it is taken to be sees through some.
 *
 * Return: the share of beams that pass through a wall and end in the open,
 * 0..1.
 */
double match_against(struct matcher *m, const struct scan *scan,
		     const struct likelihood_field *map,
		     const struct pose *pose);

#endif
