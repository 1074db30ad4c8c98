/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reading.h - the input of SLAM from a robot: a laser scan and the pose by
 * odometry when it was taken
 */
#ifndef LASER_READING_H
#define LASER_READING_H

#include <stdint.h>
#include "base/pose.h"

enum { READING_BEAMS_MAX = 16384 };

/* Largest distance of a laser from its robot's origin, m */
#define READING_LASER_MAX	100.0

/* Largest heading, which need not be within a turn, rad */
#define READING_YAW_MAX		1e6

/* Largest range of a laser, m */
#define READING_RANGE_MAX	1e5f

/**
 * struct reading - one scan with odometry, or odometry alone
 * @stamp:	ns since the log's own epoch, not negative
 * @odometry:	of the robot, in a frame that drifts
 * @laser:	of the laser, in the frame of the robot
 * @beams:	0: odometry alone
 * @angle_min, @angle_increment: rad, in the frame of the laser,
 *		counterclockwise; the increment may be negative
 * @range_max:	m: a range that is not below it, not above 0 or not a number
 *		means no hit
 * @time_increment: s from one beam to the next; only until @sweep is known
 * @sweep:	motion of the robot from the first beam to the last one, in its
 *		frame at the first; all 0: no motion
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

/* Longest duration of a scan, s */
#define READING_SWEEP_MAX	2.0

/* Whether the robot moved during the scan */
static inline bool reading_sweeps(const struct reading *r)
{
	return r->beams > 1 && (r->sweep.x != 0 || r->sweep.y != 0 ||
				r->sweep.yaw != 0);
}

/* The duration of the scan, s; 0 if unknown or invalid */
static inline double reading_duration(const struct reading *r)
{
	const double s = (double)r->time_increment *
			 (r->beams ? r->beams - 1 : 0);

	return s > 0 && s <= READING_SWEEP_MAX ? s : 0;
}

/* The pose of the robot at beam @i, in its frame at the first one */
static inline struct pose reading_swept(const struct reading *r, unsigned int i)
{
	const double share = (double)i / (r->beams - 1);

	return (struct pose){ r->sweep.x * share, r->sweep.y * share,
			      r->sweep.yaw * share };
}

static inline bool reading_pose_valid(const struct pose *p)
{
	return pose_valid(p) && fabs(p->yaw) <= READING_YAW_MAX;
}

/* Whether the numbers are valid; ranges are not checked: any value is */
static inline bool reading_valid(const struct reading *r)
{
	if (r->stamp < 0 || !reading_pose_valid(&r->odometry))
		return false;
	if (!r->beams)
		return true;
	return r->beams <= READING_BEAMS_MAX && reading_pose_valid(&r->laser) &&
	       hypot(r->laser.x, r->laser.y) <= READING_LASER_MAX &&
	       reading_pose_valid(&r->sweep) &&
	       hypot(r->sweep.x, r->sweep.y) <= READING_LASER_MAX &&
	       fabsf(r->angle_min) <= (float)(4 * M_PI) &&
	       fabsf(r->angle_increment) <= (float)(2 * M_PI) &&
	       (r->angle_increment != 0 || r->beams == 1) &&
	       r->range_max > 0 && r->range_max <= READING_RANGE_MAX;
}

#endif
