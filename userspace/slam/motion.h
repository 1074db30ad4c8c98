/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * motion.h - where a robot may be after it moved: the motion model
 *
 * Odometry is wrong by a little that is always there, and by a part of what
 * was moved and turned (Eliazar and Parr, Learning probabilistic motion models
 * for mobile robots, ICML 2004; Probabilistic Robotics, section 5.4).
 */
#ifndef SLAM_MOTION_H
#define SLAM_MOTION_H

#include "common/pose.h"
#include "slam/params.h"
#include "slam/random.h"

/**
 * struct motion - between two readings
 * @move:	in the frame of the robot at the first one
 * @slip, @turn: standard deviations of place (m) and yaw (rad)
 * @drift:	what GMapping's model adds: a square root of the covariance of
 *		@move, its lower half: xx, yx, yy, tx, ty, tt
 */
struct motion {
	struct pose	move;
	double		slip, turn;
	double		drift[6];
};

/**
 * struct odometer - motions out of the poses that the odometry gives
 * @move:	since odometer_restart()
 * @path, @turned: likewise, m and rad
 * @model:	of GMapping's drift
 * @scan:	@move at the last scan
 * @spread:	the covariance of @move by that: xx, xy, xt, yy, yt, tt
 */
struct odometer {
	struct pose	last, move;
	int64_t		stamp;
	double		path, turned;
	bool		known;
	const struct slam_params *model;
	struct pose	scan;
	double		spread[6];
};

/* A robot that is further away than this at the next reading, m, and was
 * faster than that, m/s, was carried, or its odometry began anew
 */
#define MOTION_JUMP	5.0
#define MOTION_SPEED	5.0

/**
 * odometer_move() - the odometry at another reading
 * @stamp: ns, of which logs are not always sure
 *
 * Return: whether it could be: after a jump the robot is taken to be where it
 * was.
 */
bool odometer_move(struct odometer *o, const struct pose *odometry,
		   int64_t stamp);

/* At readings with a scan, for GMapping's drift; @model is not NULL */
void odometer_scan(struct odometer *o);

/* The motion since odometer_restart() */
struct motion odometer_motion(const struct odometer *o,
			      const struct slam_params *params);
void odometer_restart(struct odometer *o);

/* Where a robot is after @motion, drawn from the model */
struct pose motion_draw(const struct motion *m, const struct pose *from,
			struct random *random);

#endif
