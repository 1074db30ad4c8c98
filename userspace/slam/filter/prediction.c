// SPDX-License-Identifier: GPL-2.0-only
/*
 * prediction.c - learns the noise of the odometry, and when to replace it
 */
#include "slam/filter/det_math.h"
#include "slam/filter/prediction.h"

/* Weight of an update in the errors */
#define FRESH		0.3
/* Error of a predictor that is replaced, if another one has at most half of
 * it; error of odometry that is used again
 */
#define BAD		0.5
#define GOOD		0.25

/* The noise is such that one of 19 updates is beyond the wall: factors after
 * an update beyond it and within it; limit. Motions farther beyond are errors
 * of another kind
 */
#define WIDER		1.2
#define NARROWER	0.99
#define WIDEST		4.0
#define FAR_BEYOND	3.0

/* Noise of constant speed, per m or rad, and per s. It is small, as particles
 * are drawn from it: the wall of such a prior is far away instead
 */
#define PER_M		0.15
#define PER_S		0.05
/* Weight of the last motion in the speed */
#define FRESH_SPEED	0.5
/* Stamps closer than this tell no speed, s */
#define SAME_TIME	1e-3

static struct pose predict(const struct prediction *p, enum predictor use,
			   const struct pose *said, double dt)
{
	const double ahead = dt - p->since;
	const struct pose speed = {
		p->speed.x * ahead, p->speed.y * ahead, p->speed.yaw * ahead,
	};

	switch (use) {
	case PREDICT_BACKWARDS:
		return (struct pose){ -said->x, -said->y, said->yaw };
	case PREDICT_SPEED:
		return det_compose(&p->at, &speed);
	default:
		return *said;
	}
}

void prediction_make(const struct prediction *p, struct motion *m, double dt)
{
	const double slip = fmax(p->slip, 1), turn = fmax(p->turn, 1);

	m->slip *= slip;
	m->turn *= turn;
	m->other_slip *= slip;
	m->other_turn *= turn;
	if (p->use == PREDICT_ODOMETRY)
		return;
	m->move = predict(p, p->use, &m->move, dt);
	m->loose = 1;
	if (p->use != PREDICT_SPEED)
		return;
	m->slip += PER_S * dt + PER_M * motion_length(&m->move);
	m->turn += PER_S * dt + PER_M * fabs(m->move.yaw);
}

void prediction_track(struct prediction *p, const struct pose *at, double dt)
{
	const struct pose moved = det_between(&p->at, at);
	const double time = dt - p->since;

	if (!(time > SAME_TIME))
		return;
	p->speed.x += FRESH_SPEED * (moved.x / time - p->speed.x);
	p->speed.y += FRESH_SPEED * (moved.y / time - p->speed.y);
	p->speed.yaw += FRESH_SPEED * (moved.yaw / time - p->speed.yaw);
	p->at = *at;
	p->since = dt;
}

/* @off: in standard deviations */
static void learn_noise(double *factor, double off, double wall)
{
	*factor = fmax(*factor, 1);
	if (off > FAR_BEYOND * wall * *factor)
		return;
	*factor *= off > wall * *factor ? WIDER : NARROWER;
	*factor = fmin(fmax(*factor, 1), WIDEST);
}

/* By how many times the wall; 1: at it */
static double beyond_wall(const struct slam_params *params,
			  const struct motion *said, const struct pose *off)
{
	return fmax(motion_length(off) / said->slip, fabs(off->yaw) / said->turn) /
	       params->wall;
}

bool prediction_is_off(const struct slam_params *params,
		       const struct motion *said, const struct pose *done)
{
	const struct pose off = det_between(&said->move, done);

	return beyond_wall(params, said, &off) > 1;
}

static void learn_error(struct prediction *p, enum predictor use, double wall,
			const struct motion *said, const struct pose *done,
			double dt, bool noise)
{
	const struct pose to = predict(p, use, &said->move, dt);
	const struct pose off = det_between(&to, done);
	const double place = motion_length(&off) / said->slip;
	const double turn = fabs(off.yaw) / said->turn;
	const double beyond = fmin(fmax(place, turn) / wall, 1);

	p->error[use] += FRESH * (beyond * beyond - p->error[use]);
	if (!noise || use != PREDICT_ODOMETRY || p->use != use)
		return;
	learn_noise(&p->slip, place, wall);
	learn_noise(&p->turn, turn, wall);
}

static void choose(struct prediction *p)
{
	enum predictor best = p->use;

	for (unsigned int i = 0; i < PREDICTORS; i++)
		if (p->error[i] < p->error[best])
			best = i;
	if (best == PREDICT_ODOMETRY || p->error[PREDICT_ODOMETRY] < GOOD)
		p->use = PREDICT_ODOMETRY;
	else if (p->error[p->use] > BAD && p->error[best] < p->error[p->use] / 2)
		p->use = best;
}

/* A robot that stands still does not tell which of them is right */
static bool is_still(const struct pose *p, double place, double turn)
{
	return motion_length(p) < place && fabs(p->yaw) < turn;
}

void prediction_learn(struct prediction *p, const struct slam_params *params,
		      const struct motion *said, const struct pose *done,
		      double dt, bool noise)
{
	const double wall = params->wall;
	const double place = wall * params->slip;
	const double turn = wall * params->slip_turn;

	if (is_still(done, place, turn) && is_still(&said->move, place, turn))
		return;
	for (unsigned int i = 0; i < PREDICTORS; i++)
		learn_error(p, i, wall, said, done, dt, noise);
	choose(p);
}

void prediction_restart(struct prediction *p, const struct pose *done,
			double dt)
{
	prediction_track(p, done, dt);
	p->at = (struct pose){ 0, 0, 0 };
	p->since = 0;
}
