// SPDX-License-Identifier: GPL-2.0-only
/*
 * motion.c - motions out of odometry, and draws from the motion model
 */
#include "slam/exact.h"
#include "slam/motion.h"

bool odometer_move(struct odometer *o, const struct pose *odometry)
{
	const struct pose move = exact_between(&o->last, odometry);
	const double path = sqrt(move.x * move.x + move.y * move.y);
	const bool first = !o->known;

	o->last = *odometry;
	o->known = true;
	if (first || path > MOTION_JUMP)
		return first;
	o->move = exact_compose(&o->move, &move);
	o->path += path;
	o->turned += fabs(move.yaw);
	return true;
}

struct motion odometer_motion(const struct odometer *o,
			      const struct slam_params *p)
{
	return (struct motion){
		.move = o->move,
		.slip = p->slip + p->slip_per_m * o->path +
			p->slip_per_rad * o->turned,
		.turn = p->slip_turn + p->turn_per_m * o->path +
			p->turn_per_rad * o->turned,
	};
}

void odometer_restart(struct odometer *o)
{
	o->move = (struct pose){ 0, 0, 0 };
	o->path = o->turned = 0;
}

struct pose motion_draw(const struct motion *m, const struct pose *from,
			struct random *random)
{
	struct pose move = m->move;

	move.x += m->slip * random_normal(random);
	move.y += m->slip * random_normal(random);
	move.yaw += m->turn * random_normal(random);
	return exact_compose(from, &move);
}
