/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * motion.h - the motion model: where a robot may be after a motion
 *
 * The error of odometry has a constant part and parts in proportion to the
 * distance and the turn (Eliazar and Parr, Learning probabilistic motion models
 * for mobile robots, ICML 2004; Probabilistic Robotics, section 5.4).
 */
#ifndef SLAM_FILTER_MOTION_H
#define SLAM_FILTER_MOTION_H

#include "base/pose.h"
#include "slam/filter/params.h"
#include "slam/filter/random.h"

/* What a particle assumes where the motion is in doubt */
enum hypothesis {
	HYPOTHESIS_NONE,
	HYPOTHESIS_SAID,
	HYPOTHESIS_OTHER,
	HYPOTHESIS_CARRIED,	/* to a place that is not in the map */
};

/**
 * struct motion - the motion between two readings
 * @move:	in the frame of the robot at the first one
 * @slip, @turn: standard deviations of place (m) and yaw (rad)
 * @drift:	added by GMapping's model: a square root of the covariance of
 *		@move, its lower half: xx, yx, yy, tx, ty, tt
 * @other:	@move, if the doubtful part of the odometry was an error
 * @other_slip, @other_turn: likewise
 * @reach:	how far the robot can have moved in that time, m; 0: unknown
 * @split:	undecided: particles of odd numbers move by @other
 * @loose:	@move is a guess: matches may be anywhere near
 */
struct motion {
	struct pose	move;
	double		slip, turn;
	double		drift[6];
	struct pose	other;
	double		other_slip, other_turn;
	double		reach;
	uint32_t	split, loose;
};

/**
 * struct prior - the poses where a scan may be matched: flat up to a wall
 * @at:		the pose by odometry
 * @place, @turn: half of its width, m and rad; INFINITY: no limit
 * @slip:	standard deviation of the odometry, m, where it guides a match along
 *		plain walls; 0: it does not
 * @from:	the pose before the motion
 * @reach:	how far the robot can have moved from there, m; 0: unknown
 */
struct prior {
	struct pose	at;
	double		place, turn, slip;
	struct pose	from;
	double		reach;
};

/* The distance that a motion goes, m */
static inline double motion_length(const struct pose *move)
{
	return sqrt(move->x * move->x + move->y * move->y);
}

/* Cost in fit, 0..1, of a pose one width beyond the wall; it grows with the
 * square. A small excess allows loop closure, a large one is prevented
 */
#define PRIOR_WALL	0.3

/* Cost of a pose this many widths beyond the wall */
static inline double prior_behind(double behind)
{
	return behind > 0 ? PRIOR_WALL / 2 * (behind + behind * behind) : 0;
}

/* Poses beyond the reach of the robot become expensive fast: a width of that
 * wall as a share of the reach
 */
#define PRIOR_FAST	0.02

/* Cost of a pose that the robot could only reach too fast */
static inline double prior_too_fast(const struct prior *p,
				    const struct pose *pose)
{
	const double x = pose->x - p->from.x, y = pose->y - p->from.y;

	if (!(p->reach > 0) || x * x + y * y <= p->reach * p->reach)
		return 0;
	return prior_behind((sqrt(x * x + y * y) - p->reach) / (PRIOR_FAST * p->reach));
}

static inline double prior_cost(const struct prior *p, const struct pose *pose)
{
	const double x = pose->x - p->at.x, y = pose->y - p->at.y;
	const double turn = fabs(remainder(pose->yaw - p->at.yaw, 2 * M_PI));

	return prior_behind(sqrt(x * x + y * y) / p->place - 1) +
	       prior_behind(turn / p->turn - 1) + prior_too_fast(p, pose);
}

/* After @motion from @from, of @sigmas standard deviations; 0: no wall */
struct prior motion_prior(const struct motion *m, const struct pose *from,
			  double sigmas);

/* A motion, the path length for its errors, and further uncertainty, m and
 * rad
 */
struct way_gone {
	struct pose	move;
	double		path, turned;
	double		slip, turn;
};

/**
 * struct odometer - motions from the poses of the odometry
 * @gone:	since odometer_restart()
 * @way, @around: distance and turn since then, m and rad
 * @time:	since then, s
 * @other:	likewise, but the robot repeated its last steps in place of the
 *		doubtful ones, or of the largest one
 * @doubted:	there were doubtful steps: much longer than all before
 * @impossible:	some of those are faster than any robot
 * @step:	mean of the last steps that were not doubtful
 * @longest, @sharpest: of such steps, m and rad; they decay
 * @apart:	mean interval of readings, s, without pauses
 * @largest:	the step that was left out of @other, m + rad
 * @params:	thresholds of doubt; NULL: never doubt
 * @model:	of GMapping's drift
 * @scan:	@move at the last scan
 * @spread:	the covariance of @move by that: xx, xy, xt, yy, yt, tt
 */
struct odometer {
	struct pose	last;
	int64_t		stamp;
	struct way_gone	gone, other;
	double		way, around, time;
	bool		known, doubted, impossible;
	struct pose	step;
	double		longest, sharpest, largest, apart;
	const struct slam_params *params, *model;
	struct pose	scan;
	double		spread[6];
};

/* A robot that moved farther than this between two readings, m, and faster than
 * that, m/s, was carried, or its odometry was reset
 */
#define MOTION_JUMP	5.0
#define MOTION_SPEED	5.0

/**
 * odometer_move() - the odometry at another reading
 * @stamp: ns; logs may have wrong ones
 *
 * Return: whether the step is possible: after a jump the robot is assumed not
 * to have moved.
 */
bool odometer_move(struct odometer *o, const struct pose *odometry,
		   int64_t stamp);

/* At readings with a scan, for GMapping's drift; @model is not NULL */
void odometer_scan(struct odometer *o);

/* The motion since odometer_restart() */
struct motion odometer_motion(const struct odometer *o,
			      const struct slam_params *params);
void odometer_restart(struct odometer *o);

/* The motion of particle @number */
struct motion motion_of(const struct motion *m, uint32_t number);

/* What particle @number assumes: enum hypothesis */
uint32_t motion_hypothesis(const struct motion *m, uint32_t number);

/* The motion if the doubtful steps were errors of the odometry */
struct motion motion_without(const struct motion *m);

/* Where a robot is after @motion, sampled from the model */
struct pose motion_draw(const struct motion *m, const struct pose *from,
			struct random *random);

#endif
