// SPDX-License-Identifier: GPL-2.0-only
/*
 * motion.c - motions out of odometry, and draws from the motion model
 */
#include <string.h>
#include "slam/exact.h"
#include "slam/motion.h"

/* Cholesky's, of what may be singular */
static void root_of(const double v[6], double l[6])
{
	l[0] = sqrt(fmax(v[0], 0));
	l[1] = l[0] > 0 ? v[1] / l[0] : 0;
	l[3] = l[0] > 0 ? v[2] / l[0] : 0;
	l[2] = sqrt(fmax(v[3] - l[1] * l[1], 0));
	l[4] = l[2] > 0 ? (v[4] - l[3] * l[1]) / l[2] : 0;
	l[5] = sqrt(fmax(v[5] - l[3] * l[3] - l[4] * l[4], 0));
}

bool odometer_move(struct odometer *o, const struct pose *odometry,
		   int64_t stamp)
{
	const struct pose move = exact_between(&o->last, odometry);
	const double path = sqrt(move.x * move.x + move.y * move.y);
	const double reach = (double)(stamp - o->stamp) * 1e-9 * MOTION_SPEED;
	const bool first = !o->known;

	o->last = *odometry;
	o->stamp = stamp;
	o->known = true;
	if (first || (path > MOTION_JUMP && path > reach))
		return first;
	o->move = exact_compose(&o->move, &move);
	o->path += path;
	o->turned += fabs(move.yaw);
	return true;
}

/*
 * GMapping draws anew at each scan, with standard deviations by what was moved
 * since the last one: here are the covariances that these draws add up to, to
 * first order
 */
void odometer_scan(struct odometer *o)
{
	const struct slam_params *p = o->model;
	const struct pose d = exact_between(&o->scan, &o->move);
	const double x = fabs(d.x), y = fabs(d.y), t = fabs(d.yaw);
	const double across = 0.3 * p->srr;
	const double nx = p->srr * x + p->str * t + across * y;
	const double ny = p->srr * y + p->str * t + across * x;
	const double nt = p->stt * t + p->srt * sqrt(x * x + y * y);
	double *v = o->spread, s, c, jx, jy;

	exact_sincos(o->scan.yaw, &s, &c);
	o->scan = o->move;
	/* a wrong yaw leads astray */
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

struct motion odometer_motion(const struct odometer *o,
			      const struct slam_params *p)
{
	struct motion m = {
		.move = o->move,
		.slip = p->slip + p->slip_per_m * o->path +
			p->slip_per_rad * o->turned,
		.turn = p->slip_turn + p->turn_per_m * o->path +
			p->turn_per_rad * o->turned,
	};

	root_of(o->spread, m.drift);
	return m;
}

void odometer_restart(struct odometer *o)
{
	o->move = o->scan = (struct pose){ 0, 0, 0 };
	o->path = o->turned = 0;
	memset(o->spread, 0, sizeof(o->spread));
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
	return exact_compose(from, &move);
}
