/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * resampling.h - weights of particles, and resampling
 */
#ifndef SLAM_FILTER_RESAMPLING_H
#define SLAM_FILTER_RESAMPLING_H

#include <stdint.h>
#include "base/pose.h"
#include "slam/filter/params.h"

/**
 * weights_normalise() - compute weights from their logarithms
 * @log_weight, @weight: [@count]; the weights add up to 1
 *
 * Return: the effective number of particles, 1..@count (Doucet et al., On
 * sequential Monte Carlo sampling methods, 2000: 1 / sum of w^2).
 */
double weights_normalise(const double *log_weight, double *weight,
			 uint32_t count);

/**
 * weights_resample() - systematic resampling
 * @weight:	[@count], normalised
 * @draws:	number of children
 * @start:	0..1, random
 * @parent:	[@draws] gets the parent of particle i: a parent keeps its
 *		number
 *		if that is below @draws, other children fill the gaps in order
 *
 * Return: 0; -ENOMEM.
 */
int weights_resample(const double *weight, uint32_t count, uint32_t draws,
		     double start, uint32_t *parent);

/**
 * weights_needed() - how many particles represent the robot's pose
 * @pose:	[@count] of particles, as resampled: with duplicates
 *
 * KLD sampling (Fox, Adapting the sample size in particle filters through
 * KLD-sampling, IJRR 2003, eq. 7), bound with probability 0.99.
 *
 * Return: particles_min..SLAM_PARTICLES_MAX, at most @most; @most without
 * memory.
 */
uint32_t weights_needed(const struct pose *pose, uint32_t count, uint32_t most,
			const struct slam_params *params);

#endif
