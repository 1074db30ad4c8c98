/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter.h - a Rao-Blackwellized particle filter for SLAM
 *
 * In: readings. Out: where the robot is, after each of them, and the history
 * of the best particle, which may become another one at any update (Grisetti,
 * Stachniss and Burgard, Improved techniques for grid mapping with
 * Rao-Blackwellized particle filters, 2007). Maps are a team's: see team.h.
 */
#ifndef SLAM_FILTER_H
#define SLAM_FILTER_H

#include "slam/team.h"

struct filter;

/**
 * struct filter_result - after a reading
 * @pose:	of the robot, by the best particle
 * @since:	the same in the frame of that particle's pose at the last update
 * @updated:	the particles changed; else the scan was tracked in the map of
 *		the best one, or there was only odometry
 * @resampled:
 * @jumped:	the odometry was not believed
 * @rewritten:	the best particle has another past than the best one before
 * @update:	number of the last update
 * @best:	particle
 * @particles:	of them
 * @effective:	of them, before resampling
 * @evaluations: of poses for this reading
 * @fit:	of the best particle's scan, 0..1
 */
struct filter_result {
	struct pose	pose, since;
	bool		updated, resampled, jumped, rewritten;
	uint64_t	update;
	uint32_t	best, particles;
	double		effective;
	uint64_t	evaluations;
	double		fit;
};

/**
 * filter_create() - a filter that has not seen anything
 * @params:	copied
 * @team:	of the same parameters; the filter's from now on, also if this
 *		fails
 *
 * Return: to be freed with filter_destroy(), NULL: no memory.
 */
struct filter *filter_create(const struct slam_params *params,
			     struct team *team);
void filter_destroy(struct filter *f);

/**
 * filter_read() - a reading
 *
 * Return: 0; a negative errno of the team: the filter is as it was before the
 * reading, if it is of any use.
 */
int filter_read(struct filter *f, const struct reading *reading,
		struct filter_result *result);

/**
 * filter_history() - the best particle's poses, one for each update
 * @poses: gets an array of @count, to be freed
 *
 * Return: 0; -ENOMEM.
 */
int filter_history(const struct filter *f, struct pose **poses,
		   uint32_t *count);

struct team *filter_team(const struct filter *f);

#endif
