/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * params.h - what the filter is to do; the same for all who take part
 */
#ifndef SLAM_FILTER_PARAMS_H
#define SLAM_FILTER_PARAMS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"

enum { SLAM_PARTICLES_MAX = 65536 };

enum slam_matcher { SLAM_HILL, SLAM_GAUSS_NEWTON, SLAM_MATCHERS };

/* Whose maps, matching, weights and motions */
enum slam_compat { SLAM_OWN, SLAM_GMAPPING, SLAM_COMPATS };

/**
 * struct slam_params
 * @particles:	of them; at the beginning, if their number adapts
 * @seed:	of all random numbers
 * @compat:	enum slam_compat
 * @matcher:	enum slam_matcher
 * @refinements, @cutoff: of the hill climb; @cutoff evaluations at most, 0:
 *		as many as it takes
 * @step, @turn: it begins with half of these, m and rad
 * @resolution:	of cells, m
 * @range_max:	beams that are longer are not used, m; 0: all are
 * @spacing:	endpoints that are closer to the last one than this are not
 *		matched, m
 * @sigma:	of endpoints, m; of GMapping's score, as there (m^2)
 * @like_sigma:	of GMapping's likelihood, likewise
 * @ratio:	see field_kernel_init()
 * @slip, @slip_turn: m and rad that the odometry may be wrong by without any
 *		movement,
 * @slip_per_m, @slip_per_rad: m more per m and per rad,
 * @turn_per_m, @turn_per_rad: rad more per m and per rad (standard deviations)
 * @wall:	the matcher looks no further away from where odometry leads than so
 *		many standard deviations of it; 0: as far as the fit rises
 * @speed:	of the robot at most, m/s; it turns by at most twice that, rad/s
 * @srr, @srt, @str, @stt: of GMapping's motion model: m per m, rad per m, m
 *		per rad, rad per rad
 * @gain:	by how much the log-likelihood of a scan that fits everywhere
 *		is above that of one that fits nowhere; does not depend on the
 *		number of beams or particles. GMapping's: what log-likelihoods
 *		are divided by, together with the number of particles
 * @sharpness:	likewise, for the Gaussian that poses are drawn from; 0: the
 *		best pose is taken
 * @resample:	when fewer than this share of the particles is effective; 1:
 *		at every reading
 * @distance, @angle: of movement between two updates, m and rad
 * @kld_error, @kld_bin, @kld_turn: KLD sampling: its bound, 0: the number
 *		stays; sides of its bins, m and rad
 * @particles_min: with KLD sampling
 */
struct slam_params {
	uint32_t	particles, particles_min;
	uint64_t	seed;
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

/* What does well in offices, halls and corridors */
extern const struct slam_params slam_defaults;

/* What GMapping has, for comparisons with it */
extern const struct slam_params slam_gmapping;

/**
 * slam_params_motion() - how good the odometry is, by a name or six numbers
 * @text: wheels, tracks, gyro; or SLIP,TURN,SLIP_PER_M,SLIP_PER_RAD,
 *	TURN_PER_M,TURN_PER_RAD
 *
 * Return: 0; -EINVAL: neither, @p is as before.
 */
int slam_params_motion(struct slam_params *p, const char *text);

/* Return: 0, or -EINVAL and one line */
int slam_params_check(const struct slam_params *p, char error[ERROR_TEXT]);

#endif
