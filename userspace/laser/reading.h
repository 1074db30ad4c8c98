/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reading.h - what a robot sends for SLAM: a laser scan and where the wheels
 * say that it was taken
 */
#ifndef LASER_READING_H
#define LASER_READING_H

#include <stdint.h>
#include "base/pose.h"

enum { READING_BEAMS_MAX = 16384 };

/* A laser is not further than this from the robot it is on, m */
#define READING_LASER_MAX	100.0

/* No laser reaches further, m */
#define READING_RANGE_MAX	1e5f

/**
 * struct reading - one scan with odometry, or odometry alone
 * @stamp:	ns since an epoch of the log's own, not negative
 * @odometry:	of the robot, in a frame that drifts
 * @laser:	of the laser, in the frame of the robot
 * @beams:	0: odometry alone
 * @angle_min, @angle_increment: rad, in the frame of the laser,
 *		counterclockwise; the increment may be negative
 * @range_max:	m: what is not below it, not above 0 or not a number hit
 *		nothing
 * @time_increment: s from one beam to the next; only until @sweep is known
 * @sweep:	by how much the robot moved from the first beam to the last one,
 *		in its frame at the first; all 0: they are of one moment
 * @range:	m, @beams of them
 */
struct reading {
	int64_t		stamp;
	struct pose	odometry, laser;
	unsigned int	beams;
	float		angle_min, angle_increment;
	float		range_max;
	float		time_increment;
	struct pose	sweep;
	const float	*range;
};

/* A scan takes no longer, s */
#define READING_SWEEP_MAX	2.0

/* Whether the robot moved during the scan */
static inline bool reading_sweeps(const struct reading *r)
{
	return r->beams > 1 && (r->sweep.x != 0 || r->sweep.y != 0 ||
				r->sweep.yaw != 0);
}

/* How long the scan took, s; 0 if it does not say, or what cannot be */
static inline double reading_duration(const struct reading *r)
{
	const double s = (double)r->time_increment *
			 (r->beams ? r->beams - 1 : 0);

	return s > 0 && s <= READING_SWEEP_MAX ? s : 0;
}

/* Where the robot was at beam @i, in its frame at the first one */
static inline struct pose reading_swept(const struct reading *r, unsigned int i)
{
	const double share = (double)i / (r->beams - 1);

	return (struct pose){ r->sweep.x * share, r->sweep.y * share,
			      r->sweep.yaw * share };
}

/* Whether the numbers can be; the ranges are not looked at: any may be */
static inline bool reading_valid(const struct reading *r)
{
	if (r->stamp < 0 || !pose_valid(&r->odometry))
		return false;
	if (!r->beams)
		return true;
	return r->beams <= READING_BEAMS_MAX && pose_valid(&r->laser) &&
	       hypot(r->laser.x, r->laser.y) <= READING_LASER_MAX &&
	       pose_valid(&r->sweep) &&
	       hypot(r->sweep.x, r->sweep.y) <= READING_LASER_MAX &&
	       fabsf(r->angle_min) <= (float)(4 * M_PI) &&
	       fabsf(r->angle_increment) <= (float)(2 * M_PI) &&
	       (r->angle_increment != 0 || r->beams == 1) &&
	       r->range_max > 0 && r->range_max <= READING_RANGE_MAX;
}

#endif
