/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter_parts.h - what the files of the filter have in common
 *
 * filter.c has weights, resampling and the history; filter_match.c finds out
 * where the robot is.
 */
#ifndef SLAM_FILTER_FILTER_PARTS_H
#define SLAM_FILTER_FILTER_PARTS_H

#include "slam/filter/filter.h"

/**
 * struct seen - where a scan fits that fits nowhere near
 * @known:	there is such a place
 * @first:	the best particle there, at the first of these scans
 * @pose:	likewise, at the last one
 * @move:	what odometry said then
 */
struct seen {
	bool		known;
	struct pose	first, pose, move;
};

/**
 * struct filter
 * @pose:	of each particle, after the last update
 * @recent:	logarithm of its weight, since the last resampling
 * @total:	likewise, of it and all its ancestors
 * @step:	its last one
 * @out:	of the last reading, @outs of them
 * @room:	of the arrays of particles
 * @update:	the next one's number
 * @usual:	fit of the best particle, as a rule; 0: not known yet
 * @held:	scans in turn that were left out of the map, as the robot is lost
 * @round:	how often this update was matched before
 * @seen:	where a lost robot may be; it is believed if later scans fit, too
 * @spread:	covariance of the particles' poses after the last update
 */
struct filter {
	struct slam_params	params;
	struct particle_pool	*team;
	struct trajectory_tree	*ancestry;
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
	return (struct particle_pool_state){ f->count, f->step, f->ancestry };
}

/**
 * struct recalled - outcomes of a reading that are known from before
 * @out:	filter_outcomes() of then, @count of them
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
