/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * prediction.h - what the odometry is worth, learnt from the matches
 *
 * Encoders without a sense of direction count forwards where a robot drives
 * backwards; wheels get stuck or slip; a robot that is carried by hand has
 * none. The matches of scans tell after some updates, and the odometry is then
 * replaced until it is right again.
 */
#ifndef SLAM_FILTER_PREDICTION_H
#define SLAM_FILTER_PREDICTION_H

#include "slam/filter/motion.h"

enum predictor {
	PREDICT_ODOMETRY,
	PREDICT_BACKWARDS,	/* odometry with the other sign of its way */
	PREDICT_SPEED,		/* at constant speed */
	PREDICTORS
};

/**
 * struct prediction - all zeros: trust the odometry
 * @use:	the predictor in use
 * @error:	of each predictor, 0..1: running mean of squares; 1: at the
 *		wall of the prior, or beyond it
 * @slip, @turn: factors of the noise of the odometry; 0 counts as 1
 * @speed:	of the robot, in its frame: m/s, rad/s
 * @at, @since:	where it was tracked last, and when: after the last update, s
 */
struct prediction {
	enum predictor	use;
	double		error[PREDICTORS];
	double		slip, turn;
	struct pose	speed, at;
	double		since;
};

/**
 * prediction_make() - predict a motion
 * @m:	in: by the odometry, since the last update; out: the prediction
 * @dt:	s since then
 */
void prediction_make(const struct prediction *p, struct motion *m, double dt);

/* The robot was at @at @dt s after the last update, in its frame then */
void prediction_track(struct prediction *p, const struct pose *at, double dt);

/* Whether a match is beyond the wall of the odometry's noise */
bool prediction_is_off(const struct slam_params *params,
		       const struct motion *said, const struct pose *done);

/* After an update: @done by the match, in @dt s */
void prediction_restart(struct prediction *p, const struct pose *done,
			double dt);

/**
 * prediction_learn() - learn from an update; before prediction_restart()
 * @params: with a wall
 * @said: the motion by the odometry; not from prediction_make()
 * @done: the motion by the match
 * @dt: s between the updates
 * @noise: also learn how noisy the odometry is
 */
void prediction_learn(struct prediction *p, const struct slam_params *params,
		      const struct motion *said, const struct pose *done,
		      double dt, bool noise);

#endif
