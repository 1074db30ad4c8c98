/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * params.h - parameters of the filter; the same on all workers
 */
#ifndef SLAM_FILTER_PARAMS_H
#define SLAM_FILTER_PARAMS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"
#include "base/pose.h"

enum { SLAM_PARTICLES_MAX = 65536 };

enum slam_matcher { SLAM_HILL, SLAM_GAUSS_NEWTON, SLAM_MATCHERS };

/* Model of maps, matching, weights and motions */
enum slam_compat { SLAM_OWN, SLAM_GMAPPING, SLAM_COMPATS };

/**
 * struct slam_params
 * @particles:	their number; with KLD sampling the one at the start
 * @seed:	of all random numbers
 * @compat:	enum slam_compat
 * @matcher:	enum slam_matcher
 * @refinements, @cutoff: of the hill climb; @cutoff: most evaluations, 0: no
 *		limit
 * @step, @turn: the climb begins with half of these, m and rad
 * @resolution:	of cells, m
 * @range_max:	longer beams are not used, m; 0: all are
 * @spacing:	endpoints closer to the last one than this are not matched, m
 * @sigma:	of endpoints, m; of GMapping's score, as there (m^2)
 * @like_sigma:	of GMapping's likelihood, likewise
 * @ratio:	see field_kernel_init()
 * @slip, @slip_turn: constant error of the odometry, m and rad
 * @slip_per_m, @slip_per_rad: more error, m per m and m per rad
 * @turn_per_m, @turn_per_rad: more error, rad per m and rad per rad (all are
 *		standard deviations)
 * @wall:	limit of the distance between the match and the pose of
 *		odometry,
 *		in its standard deviations; 0: no limit
 * @speed:	limit of the robot, m/s; its turn rate is at most twice that,
 *		rad/s
 * @srr, @srt, @str, @stt: of GMapping's motion model: m per m, rad per m, m
 *		per rad, rad per rad
 * @gain:	difference of the log-likelihoods of a scan that fits everywhere
 *		and of one that fits nowhere; independent of the number of beams
 *		and particles. GMapping: log-likelihoods are divided by it and
 *		by the number of particles
 * @sharpness:	likewise, for the Gaussian that poses are sampled from; 0: the
 *		best pose is used
 * @resample:	resample below this share of effective particles; 1: at every
 *		reading
 * @distance, @angle: motion between two updates, m and rad
 * @loops:	close loops: 0 or 1
 * @fixed:	the map is known and does not change: 0 or 1; see filter_know()
 * @kld_error, @kld_bin, @kld_turn: KLD sampling: its bound, 0: the number of
 *		particles is fixed; sides of its bins, m and rad
 * @particles_min: with KLD sampling
 */
struct slam_params {
	uint32_t	particles, particles_min;
	uint64_t	seed;
	uint32_t	loops, fixed;
	uint32_t	compat, matcher, refinements, cutoff;
	double		step, turn;
	double		resolution, range_max, spacing, sigma, ratio;
	double		like_sigma;
	double		slip, slip_turn, slip_per_m, slip_per_rad;
	double		turn_per_m, turn_per_rad;
	double		wall, speed;
	double		srr, srt, str, stt;
	double		gain, sharpness, resample;
	double		distance, angle;
	double		kld_error, kld_bin, kld_turn;
};

/* For offices, halls and corridors */
extern const struct slam_params slam_defaults;

/* The parameters of GMapping, for comparisons */
extern const struct slam_params slam_gmapping;

/**
 * slam_params_motion() - set the accuracy of the odometry, by a name or six
 * numbers
 * @text: wheels, tracks, gyro; or SLIP,TURN,SLIP_PER_M,SLIP_PER_RAD,
 *	TURN_PER_M,TURN_PER_RAD
 *
 * Return: 0; -EINVAL: neither, @p is unchanged.
 */
int slam_params_motion(struct slam_params *p, const char *text);

/* Return: 0, or -EINVAL and one line */
int slam_params_check(const struct slam_params *p, struct error *error);

/* Cells from the origin to a robot, at most: positions in maps are integers */
#define SLAM_POSE_CELLS	(1 << 20)

/* Limit of a yaw, which need not be within a turn, rad */
#define SLAM_YAW_MAX	1e4

/* Can a map be matched or written at this pose? */
static inline bool slam_pose_valid(const struct slam_params *p,
				   const struct pose *pose)
{
	const double most = SLAM_POSE_CELLS * p->resolution;

	return fabs(pose->x) <= most && fabs(pose->y) <= most &&
	       fabs(pose->yaw) <= SLAM_YAW_MAX && pose_valid(pose);
}

#endif
