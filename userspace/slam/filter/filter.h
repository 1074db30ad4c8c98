/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter.h - a Rao-Blackwellized particle filter for SLAM
 *
 * In: readings. Out: where the robot is, after each of them, and the history
 * of the best particle, which may become another one at any update (Grisetti,
 * Stachniss and Burgard, Improved techniques for grid mapping with
 * Rao-Blackwellized particle filters, 2007). Maps are a team's: see particle_pool.h.
 */
#ifndef SLAM_FILTER_FILTER_H
#define SLAM_FILTER_FILTER_H

#include "slam/filter/particle_pool.h"

struct filter;

/**
 * struct filter_result - after a reading
 * @pose:	of the robot, by the best particle
 * @since:	the same in the frame of that particle's pose at the last update
 * @updated:	the particles changed; else the scan was tracked in the map of
 *		the best one, or there was only odometry
 * @unmatched:	the scan was not: GMapping does not track, or the robot is lost
 * @resampled:
 * @jumped:	the odometry was not believed
 * @lost:	the scan contradicts the map, wherever the robot was looked for
 * @held:	so it is not in the map, and this is no update
 * @found:	it contradicted the map where odometry led; the robot was looked
 *		for, and is elsewhere
 * @covariance:	of @pose, in the map: xx, xy, xt, yy, yt, tt (m, rad), by the
 *		weights of the particles and what odometry adds
 * @rewritten:	the best particle has another past than the best one before
 * @update:	number of the last update
 * @best:	particle
 * @particles:	of them
 * @effective:	of them, before resampling
 * @evaluations: of poses for this reading
 * @fit:	of the best particle's scan, 0..1; with GMapping's maps its
 *		log-likelihood
 */
struct filter_result {
	struct pose	pose, since;
	bool		updated, unmatched, resampled, jumped, rewritten;
	bool		lost, held, found;
	double		covariance[6];
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
			     struct particle_pool *team);
void filter_destroy(struct filter *f);

/**
 * filter_read() - a reading
 *
 * Return: 0; a negative errno of the team: then the filter is of no more use
 * than for its history.
 */
int filter_read(struct filter *f, const struct reading *reading,
		struct filter_result *result);

/**
 * filter_recall() - a reading that a filter with the same parameters had
 * @out:	filter_outcomes() of then, @count of them
 *
 * Nothing is matched again, but all is as after filter_read(). Only before
 * the first filter_read(). Of a reading that was only tracked no ranges are
 * needed.
 *
 * Return: as filter_read(); -EBADMSG: this cannot have been.
 */
int filter_recall(struct filter *f, const struct reading *reading,
		  const struct outcome *out, uint32_t count,
		  struct filter_result *result);

/**
 * filter_outcomes() - what came of matching the last reading
 *
 * Return: of all particles of then, if it was an update; one, if it was
 * tracked; none. Good until the next reading.
 */
const struct outcome *filter_outcomes(const struct filter *f, uint32_t *count);

/**
 * filter_history() - the best particle's poses, one for each update
 * @poses: gets an array of @count, to be freed
 *
 * Return: 0; -ENOMEM.
 */
int filter_history(const struct filter *f, struct pose **poses,
		   uint32_t *count);

struct particle_pool *filter_team(const struct filter *f);

#endif
