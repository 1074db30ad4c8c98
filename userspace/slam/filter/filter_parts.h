/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter_parts.h - shared by the files of the filter
 *
 * filter.c has weights, resampling and the history; filter_match.c finds the
 * robot.
 */
#ifndef SLAM_FILTER_FILTER_PARTS_H
#define SLAM_FILTER_FILTER_PARTS_H

#include "slam/filter/filter.h"

/**
 * struct seen - a pose elsewhere that a scan fits
 * @known:	there is such a pose
 * @first:	the best pose at the first of these scans
 * @pose:	the best pose at the last one
 * @move:	the motion by odometry at that scan
 */
struct seen {
	bool		known;
	struct pose	first, pose, move;
};

/**
 * struct filter
 * @pose:	of each particle, after the last update
 * @recent:	logarithm of its weight, since the last resampling
 * @total:	logarithm of the weight of it and all its ancestors
 * @step:	its last one
 * @out:	outcomes of the last reading, @outs of them
 * @room:	of the arrays of particles
 * @update:	number of the next one
 * @usual:	usual fit of the best particle; 0: not known yet
 * @held:	scans in a row that were left out of the map, as the robot is
 *		lost
 * @round:	how often this update was matched before
 * @seen:	where a lost robot may be; confirmed if later scans fit as well
 * @spread:	covariance of the particles' poses after the last update
 */
struct filter {
	struct slam_params	params;
	struct particle_pool	*pool;
	struct trajectory_tree	*tree;
	struct odometer		odometer;
	uint32_t		count, room;
	struct pose		*pose;
	double			*recent, *total, *weight;
	trajectory_tree_id	*step, *next_step;
	uint32_t		*parent;
	struct outcome		*out;
	uint32_t		outs;
	uint32_t		best;
	trajectory_tree_id	best_step;
	uint64_t		update;
	double			usual;
	uint32_t		held, round;
	struct seen		seen;
	double			spread[6];
};

static inline struct particle_pool_state filter_state(const struct filter *f)
{
	return (struct particle_pool_state){ f->count, f->step, f->tree };
}

/**
 * struct recalled - outcomes of a reading from an earlier run
 * @out:	its filter_outcomes(), @count of them
 */
struct recalled {
	const struct outcome	*out;
	uint32_t		count;
};

/**
 * filter_match() - match a scan for all particles, into f->out
 * @known: instead of matching; NULL: match
 *
 * Return: 0 or a negative errno of the pool; -EBADMSG: @known does not fit.
 */
int filter_match(struct filter *f, const struct reading *reading,
		 const struct recalled *known, struct filter_result *r);

/* The same for the best particle; the maps do not change */
int filter_track(struct filter *f, const struct reading *reading,
		 const struct recalled *known, struct filter_result *r);

#endif
