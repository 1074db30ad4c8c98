/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * motion.h - where a robot may be after it moved: the motion model
 *
 * Odometry is wrong by a little that is always there, and by a part of what
 * was moved and turned (Eliazar and Parr, Learning probabilistic motion models
 * for mobile robots, ICML 2004; Probabilistic Robotics, section 5.4).
 */
#ifndef SLAM_FILTER_MOTION_H
#define SLAM_FILTER_MOTION_H

#include "base/pose.h"
#include "slam/filter/params.h"
#include "slam/filter/random.h"

/**
 * struct motion - between two readings
 * @move:	in the frame of the robot at the first one
 * @slip, @turn: standard deviations of place (m) and yaw (rad)
 * @drift:	what GMapping's model adds: a square root of the covariance of
 *		@move, its lower half: xx, yx, yy, tx, ty, tt
 * @other:	@move, if what was doubtful in the odometry was an error of it
 * @other_slip, @other_turn: likewise
 * @reach:	how far the robot can have gone in that time, m; 0: not known
 * @split:	nobody knows: particles of odd numbers move by @other
 */
struct motion {
	struct pose	move;
	double		slip, turn;
	double		drift[6];
	struct pose	other;
	double		other_slip, other_turn;
	double		reach;
	uint32_t	split, pad;
};

/**
 * struct prior - where a scan may be matched: all is as likely up to a wall
 * @at:		where the odometry leads
 * @place, @turn: half of its width, m and rad; INFINITY: there is none
 * @from:	where the robot was
 * @reach:	it can have gone so far from there, m; 0: not known
 */
struct prior {
	struct pose	at;
	double		place, turn;
	struct pose	from;
	double		reach;
};

/* What the fit of a scan, 0..1, has to be better by one width behind the wall;
 * it grows with the square of that. A little is for loops that close, what is
 * further away is for nobody
 */
#define PRIOR_WALL	0.3

/* What a pose costs that is so many widths behind the wall */
static inline double prior_behind(double behind)
{
	return behind > 0 ? PRIOR_WALL / 2 * (behind + behind * behind) : 0;
}

/* What is further than the robot can have gone is soon for nobody: widths of
 * this wall are so small a part of that
 */
#define PRIOR_FAST	0.02

/* What a pose costs for which the robot was too fast */
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

/* A move, the way that errors are to be expected of, and what is uncertain
 * besides, m and rad
 */
struct way_gone {
	struct pose	move;
	double		path, turned;
	double		slip, turn;
};

/**
 * struct odometer - motions out of the poses that the odometry gives
 * @gone:	since odometer_restart()
 * @way, @around: m and rad that it went and turned since then
 * @time:	since then, s
 * @other:	likewise, but in the place of doubtful steps, or of the largest
 *		one, the robot went on as before
 * @doubted:	there were doubtful steps: much longer than all before
 * @absurd:	of those, some that the robot is too slow for
 * @impossible:	of those, some that no scan can make believe
 * @step:	a mean of the last ones that were not doubtful
 * @longest, @sharpest: of such steps, m and rad; they fade
 * @apart:	a mean of the times between readings, s, without pauses
 * @largest:	the step that was left out of @other, m + rad
 * @params:	what says when to doubt; NULL: never
 * @model:	of GMapping's drift
 * @scan:	@move at the last scan
 * @spread:	the covariance of @move by that: xx, xy, xt, yy, yt, tt
 */
struct odometer {
	struct pose	last;
	int64_t		stamp;
	struct way_gone	gone, other;
	double		way, around, time;
	bool		known, doubted, absurd, impossible;
	struct pose	step;
	double		longest, sharpest, largest, apart;
	const struct slam_params *params, *model;
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

/* What particle @number makes of it */
struct motion motion_of(const struct motion *m, uint32_t number);

/* As if the doubtful steps were errors of the odometry */
struct motion motion_without(const struct motion *m);

/* Where a robot is after @motion, drawn from the model */
struct pose motion_draw(const struct motion *m, const struct pose *from,
			struct random *random);

#endif
