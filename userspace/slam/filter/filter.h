/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * filter.h - a Rao-Blackwellized particle filter for SLAM
 *
 * In: readings. Out: the pose of the robot after each of them, and the history
 * of the best particle, which may change at any update (Grisetti, Stachniss
 * and Burgard, Improved techniques for grid mapping with Rao-Blackwellized
 * particle filters, 2007). The maps are in the pool: see particle_pool.h.
 */
#ifndef SLAM_FILTER_FILTER_H
#define SLAM_FILTER_FILTER_H

#include "slam/filter/particle_pool.h"
#include "slam/filter/prediction.h"
#include "slam/filter/walls.h"

struct filter;

/**
 * struct filter_result - the state after a reading
 * @pose:	of the robot, by the best particle
 * @since:	the same in the frame of that particle's pose at the last update
 * @updated:	the particles changed; otherwise the scan was tracked in the map
 *		of the best one, or there was only odometry
 * @unmatched:	the scan was not matched: GMapping does not track, or the robot
 *		is lost
 * @resampled:	the particles were resampled
 * @jumped:	the odometry was rejected
 * @held:	the scan contradicts the map and the last scans at every pose that
 *		was searched: it is not in the map, and this is no update
 * @lost:	likewise, and so did those before it
 * @found:	it contradicted the map at the pose of odometry; a search found
 *		the robot elsewhere
 * @carried:	the robot is at another place, which is not in the map: its scans are
 *		drawn far from the rest of the map from this one on
 * @outrun:	the scan was matched where the robot is at its speed, not by its
 *		odometry
 * @moving:	endpoints of the scan that were left out, as they end at something
 *		that moves
 * @predictor:	what the motion is predicted by: enum predictor
 * @covariance:	of @pose, in the map: xx, xy, xt, yy, yt, tt (m, rad), from the
 *		weights of the particles and the error of odometry
 * @corrected:	the map is that of filter_correct() from now on
 * @replaced:	particles that workers did not match in time, and that became
 *		copies of relatives
 * @rewritten:	the best particle has another history than the best one before
 * @update:	number of the last update
 * @best:	number of the best particle
 * @particles:	count
 * @effective:	effective number of particles before resampling
 * @evaluations: of poses for this reading
 * @fit:	of the best particle's scan, 0..1; with GMapping's maps its
 *		log-likelihood
 */
struct filter_result {
	struct pose	pose, since;
	bool		updated, unmatched, resampled, jumped, rewritten;
	bool		lost, held, found, corrected, outrun, carried;
	uint32_t	moving;
	enum predictor	predictor;
	double		covariance[6];
	uint64_t	update;
	uint32_t	best, particles, replaced;
	double		effective;
	uint64_t	evaluations;
	double		fit;
};

/**
 * filter_create() - a filter without readings
 * @params:	copied
 * @pool:	of the same parameters; the filter takes ownership, also if
 *		this fails
 *
 * Return: to be freed with filter_destroy(), NULL: no memory.
 */
struct filter *filter_create(const struct slam_params *params,
			     struct particle_pool *pool);
void filter_destroy(struct filter *f);

/**
 * filter_read() - a reading
 *
 * Return: 0; a negative errno of the pool: after that only the history of the
 * filter can be used.
 */
int filter_read(struct filter *f, const struct reading *reading,
		struct filter_result *result);

/**
 * filter_reading() - the last reading with a scan, as it was matched
 *
 * Without what moves (moving.h): these ranges are negative. Valid until the next
 * one.
 */
const struct reading *filter_reading(const struct filter *f);

/**
 * filter_recall() - replay a reading of a filter with the same parameters
 * @out:	its filter_outcomes(), @count of them
 *
 * Nothing is matched again, but the state is the same as after filter_read().
 * Only before the first filter_read(). A reading that was only tracked needs
 * no ranges.
 *
 * Return: as filter_read(); -EBADMSG: the outcomes do not fit.
 */
int filter_recall(struct filter *f, const struct reading *reading,
		  const struct outcome *out, uint32_t count,
		  struct filter_result *result);

/**
 * filter_outcomes() - what matching the last reading found
 *
 * Return: one for each particle, if it was an update; a single one, if the
 * reading was tracked; or none. Valid until the next reading.
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

/**
 * filter_correct() - go on in the map of a corrected history
 * @history:	of the first @count updates, from malloc(); @f takes it
 * @joins:	it is known now where the part of the map belongs that
 *		filter_result.carried began
 * @reading:	gives the scan of an update, except of the one that is read;
 *		valid until filter_destroy()
 *
 * The map is drawn during the next updates; the last of these says
 * filter_result.corrected. Until then the filter goes on as before. All
 * particles then have this history.
 */
void filter_correct(struct filter *f, struct pose *history, uint32_t count,
		    bool joins,
		    const struct reading *(*reading)(void *arg,
						     uint64_t update),
		    void *arg);

/**
 * filter_know() - begin in a known map, before the first reading
 * @pose: where the robot is
 * @before: a filter of the last readings, which knows how the robot moves; or
 *	NULL
 *
 * With slam_params.fixed: scans are matched, but the map stays as it is.
 *
 * Return: 0; -ENOMEM; -ERANGE: the map is too large; -ENOTSUP: workers do not
 * have this.
 */
int filter_know(struct filter *f, const struct walls *w,
		const struct pose *pose, const struct filter *before);

/**
 * filter_place() - the robot is elsewhere in its map, known or not
 * @before: as for filter_know()
 *
 * Return: 0; a negative errno of the pool; -ENOTSUP: workers do not have this.
 */
int filter_place(struct filter *f, const struct pose *pose,
		 const struct filter *before);

struct particle_pool *filter_pool(const struct filter *f);

/* What it predicts motions by; valid until the next reading */
const struct prediction *filter_prediction(const struct filter *f);

#endif
