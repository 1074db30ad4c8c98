// SPDX-License-Identifier: GPL-2.0-only
/*
 * motion.c - motions from odometry, and samples of the motion model
 */
#include <string.h>
#include "slam/filter/det_math.h"
#include "slam/filter/motion.h"

/* Cholesky factor of a matrix that may be singular */
static void root_of(const double v[6], double l[6])
{
	l[0] = sqrt(fmax(v[0], 0));
	l[1] = l[0] > 0 ? v[1] / l[0] : 0;
	l[3] = l[0] > 0 ? v[2] / l[0] : 0;
	l[2] = sqrt(fmax(v[3] - l[1] * l[1], 0));
	l[4] = l[2] > 0 ? (v[4] - l[3] * l[1]) / l[2] : 0;
	l[5] = sqrt(fmax(v[5] - l[3] * l[3] - l[4] * l[4], 0));
}

/* Decay of the longest step with each further step */
#define FADE		0.99
/* A step this many times longer than those is doubtful */
#define DOUBTFUL	2.5
/* A step at this many times the robot's speed is impossible */
#define IMPOSSIBLE	2
/* Loggers give late stamps to readings that waited: a step that is too fast for
 * a robot even with this much more time, s, did not happen
 */
#define LATE		0.2
/* A step over a pause is not doubtful: the robot moved on meanwhile. A pause is
 * longer than this, s, and this many times longer than the reading interval
 */
#define PAUSE		1.0
#define PAUSE_TIMES	4
/* It consisted of many steps, whose errors add up as random ones. This is the
 * assumed length of such a step, m or rad, for the position and for the turn
 */
#define PAUSE_STEP	0.3
#define PAUSE_TURN	0.003
/* Limit of what an error adds to the longest steps, m and rad */
#define LONGER		0.05

/* Distance plus turn: the largest step is doubted first */
static double motion_size_of(const struct pose *move)
{
	return motion_length(move) + fabs(move->yaw);
}

/* Error of a step that is assumed to repeat the last one, as a share of it */
#define UNKNOWN		0.25

static void add_step(struct way_gone *w, const struct pose *move)
{
	w->move = det_compose(&w->move, move);
	w->path += motion_length(move);
	w->turned += fabs(move->yaw);
}

/* The error of a path if it is the sum of the errors of many steps */
static double at_random(double way, double step)
{
	return fmin(way, sqrt(way * step));
}

/* Readings in between were lost, for example with a link outage */
static void add_unseen(struct way_gone *w, const struct pose *move,
		       const struct slam_params *p)
{
	const double path = motion_length(move), turned = fabs(move->yaw);
	const struct way_gone part = {
		.path = at_random(path, PAUSE_TURN),
		.turned = at_random(turned, PAUSE_TURN),
	};

	w->move = det_compose(&w->move, move);
	w->path += part.path;
	w->turned += part.turned;
	w->slip += p->slip_per_m * (at_random(path, PAUSE_STEP) - part.path) +
		   p->slip_per_rad * (at_random(turned, PAUSE_STEP) -
				      part.turned);
}

/* @dt: s. Time without a pause updates the reading interval */
static bool is_pause(struct odometer *o, double dt)
{
	const bool pause = o->apart > 0 && dt > PAUSE &&
			   dt > PAUSE_TIMES * o->apart;

	if (!o->apart)
		o->apart = dt;
	else if (!pause)
		o->apart += (dt - o->apart) / 8;
	return pause;
}

static bool is_longer(const struct odometer *o, const struct pose *move)
{
	const struct slam_params *p = o->params;

	return motion_length(move) > DOUBTFUL * o->longest + p->wall * p->slip ||
	       fabs(move->yaw) > DOUBTFUL * o->sharpest +
	       p->wall * p->slip_turn;
}

static bool is_faster(const struct odometer *o, const struct pose *move,
		      double dt, double times)
{
	const double most = times * o->params->speed * fmax(dt, LATE);

	return motion_length(move) > most || fabs(move->yaw) > 2 * most;
}

static struct pose part_of(const struct pose *move, double part)
{
	return (struct pose){ move->x * part, move->y * part,
			      move->yaw * part };
}

/* The robot moved on about as before */
static void motion_go_on(struct odometer *o)
{
	add_step(&o->other, &o->step);
	o->other.slip += UNKNOWN * motion_length(&o->step);
	o->other.turn += UNKNOWN * fabs(o->step.yaw);
}

/* @before: the path without this step. A doubtful step, or otherwise the
 * largest one, is left out: the last steps are repeated in its place
 */
static void add_other(struct odometer *o, const struct way_gone *before,
		      const struct pose *move, double dt)
{
	const bool doubt = is_faster(o, move, dt, 1) || is_longer(o, move);

	/* after many doubtful steps the robot is assumed to stop */
	if (doubt)
		o->step = part_of(&o->step, 0.5);
	if (doubt && o->doubted) {
		motion_go_on(o);
	} else if (doubt ||
		   (!o->doubted && motion_size_of(move) > o->largest)) {
		o->largest = motion_size_of(move);
		o->other = *before;
		motion_go_on(o);
	} else {
		add_step(&o->other, move);
	}
	o->longest *= FADE;
	o->sharpest *= FADE;
	if (doubt) {
		o->doubted = true;
		o->impossible |= is_faster(o, move, dt, IMPOSSIBLE);
		/* a step that similar steps soon follow is not doubtful */
		o->longest = fmax(o->longest, fmin(motion_length(move), LONGER +
						   2 * o->longest));
		o->sharpest = fmax(o->sharpest, fmin(fabs(move->yaw), LONGER +
						     2 * o->sharpest));
		return;
	}
	o->step.x += (move->x - o->step.x) / 2;
	o->step.y += (move->y - o->step.y) / 2;
	o->step.yaw += (move->yaw - o->step.yaw) / 2;
	o->longest = fmax(o->longest, motion_length(move));
	o->sharpest = fmax(o->sharpest, fabs(move->yaw));
}

bool odometer_move(struct odometer *o, const struct pose *odometry,
		   int64_t stamp)
{
	const struct pose move = det_between(&o->last, odometry);
	const double path = motion_length(&move);
	const double dt = (double)(stamp - o->stamp) * 1e-9;
	const double reach = dt * MOTION_SPEED;
	const bool first = !o->known;
	const struct way_gone before = o->gone;

	o->last = *odometry;
	o->stamp = stamp;
	o->known = true;
	if (!first)
		o->time += fmax(dt, 0);
	if (first || (path > MOTION_JUMP && path > reach))
		return first;
	o->way += path;
	o->around += fabs(move.yaw);
	if (!o->params) {
		add_step(&o->gone, &move);
	} else if (is_pause(o, dt) && !is_faster(o, &move, dt, 1)) {
		add_unseen(&o->gone, &move, o->params);
		add_unseen(&o->other, &move, o->params);
	} else {
		add_step(&o->gone, &move);
		add_other(o, &before, &move, dt);
	}
	return true;
}

/*
 * GMapping samples at each scan, with standard deviations by the motion since
 * the last one: these are the covariances of the sum of these samples, to first
 * order
 */
void odometer_scan(struct odometer *o)
{
	const struct slam_params *p = o->model;
	const struct pose d = det_between(&o->scan, &o->gone.move);
	const double x = fabs(d.x), y = fabs(d.y), t = fabs(d.yaw);
	const double across = 0.3 * p->srr;
	const double nx = p->srr * x + p->str * t + across * y;
	const double ny = p->srr * y + p->str * t + across * x;
	const double nt = p->stt * t + p->srt * sqrt(x * x + y * y);
	double *v = o->spread, s, c, jx, jy;

	det_sincos(o->scan.yaw, &s, &c);
	o->scan = o->gone.move;
	/* an error of yaw moves the position sideways */
	jx = -(s * d.x + c * d.y);
	jy = c * d.x - s * d.y;
	v[0] += 2 * jx * v[2] + jx * jx * v[5];
	v[1] += jx * v[4] + jy * v[2] + jx * jy * v[5];
	v[3] += 2 * jy * v[4] + jy * jy * v[5];
	v[2] += jx * v[5];
	v[4] += jy * v[5];
	v[0] += c * c * nx * nx + s * s * ny * ny;
	v[1] += c * s * (nx * nx - ny * ny);
	v[3] += s * s * nx * nx + c * c * ny * ny;
	v[5] += nt * nt;
}

static double slip_of(const struct slam_params *p, double path, double turned)
{
	return p->slip + p->slip_per_m * path + p->slip_per_rad * turned;
}

static double turn_of(const struct slam_params *p, double path, double turned)
{
	return p->slip_turn + p->turn_per_m * path + p->turn_per_rad * turned;
}

struct motion odometer_motion(const struct odometer *o,
			      const struct slam_params *p)
{
	const struct way_gone *gone = &o->gone, *other = &o->other;
	struct motion m = {
		.move = gone->move,
		.slip = slip_of(p, gone->path, gone->turned) + gone->slip,
		.turn = turn_of(p, gone->path, gone->turned),
		.other = other->move,
		.other_slip = slip_of(p, other->path, other->turned) +
			      other->slip,
		.other_turn = turn_of(p, other->path, other->turned) +
			      other->turn,
	};

	if (o->params)
		m.reach = p->speed * fmax(o->time, LATE);
	root_of(o->spread, m.drift);
	return m;
}

void odometer_restart(struct odometer *o)
{
	o->scan = (struct pose){ 0, 0, 0 };
	o->gone = o->other = (struct way_gone){ .path = 0 };
	o->way = o->around = o->time = 0;
	o->doubted = o->impossible = false;
	o->largest = 0;
	memset(o->spread, 0, sizeof(o->spread));
}

struct motion motion_without(const struct motion *m)
{
	struct motion to = *m;

	to.move = m->other;
	to.slip = m->other_slip;
	to.turn = m->other_turn;
	to.split = 0;
	return to;
}

uint32_t motion_hypothesis(const struct motion *m, uint32_t number)
{
	if (!m->split)
		return HYPOTHESIS_NONE;
	return number & 1 ? HYPOTHESIS_OTHER : HYPOTHESIS_SAID;
}

struct motion motion_of(const struct motion *m, uint32_t number)
{
	return motion_hypothesis(m, number) == HYPOTHESIS_OTHER ?
		motion_without(m) : *m;
}

struct prior motion_prior(const struct motion *m, const struct pose *from,
			  double sigmas)
{
	const bool wall = sigmas > 0 && !m->loose;

	return (struct prior){
		.at = det_compose(from, &m->move),
		.place = wall ? sigmas * m->slip : INFINITY,
		.turn = wall ? sigmas * m->turn : INFINITY,
		.slip = sigmas > 0 ? m->slip : 0,
		.from = *from,
		/* an accepted motion is always within reach */
		.reach = sigmas > 0 && m->reach > 0 ?
			 fmax(m->reach, motion_length(&m->move)) : 0,
	};
}

struct pose motion_draw(const struct motion *m, const struct pose *from,
			struct random *random)
{
	const double x = random_normal(random), y = random_normal(random),
		     t = random_normal(random), *d = m->drift;
	struct pose move = m->move;

	move.x += (m->slip + d[0]) * x;
	move.y += (m->slip + d[2]) * y + d[1] * x;
	move.yaw += (m->turn + d[5]) * t + d[3] * x + d[4] * y;
	return det_compose(from, &move);
}
