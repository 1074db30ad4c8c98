// SPDX-License-Identifier: GPL-2.0-only
/*
 * storey - is a node on the storey of the map?
 */
#include "map/site/storey.h"

/* Rotate @v by the inverse of a quaternion; one that is all 0 has that @yaw */
static void storey_turn_back(const float turn[4], double yaw, double v[3])
{
	const double none = !turn[0] && !turn[1] && !turn[2] && !turn[3];
	const double w = none ? cos(yaw / 2) : turn[3];
	const double q[3] = { none ? 0 : -turn[0], none ? 0 : -turn[1],
			      none ? -sin(yaw / 2) : -turn[2] };
	const double t[3] = { 2 * (q[1] * v[2] - q[2] * v[1]),
			      2 * (q[2] * v[0] - q[0] * v[2]),
			      2 * (q[0] * v[1] - q[1] * v[0]) };

	v[0] += w * t[0] + q[1] * t[2] - q[2] * t[1];
	v[1] += w * t[1] + q[2] * t[0] - q[0] * t[2];
	v[2] += w * t[2] + q[0] * t[1] - q[1] * t[0];
}

struct storey storey_follow(const struct storey *from, const struct pose *pose,
			    const struct storey_link *link)
{
	double up[3] = { from->up[0], from->up[1], from->up[2] + 1. };
	struct storey s = {
		.height = from->height + up[0] * pose->x + up[1] * pose->y +
			  up[2] * link->height,
	};

	storey_turn_back(link->turn, pose->yaw, up);
	s.up[0] = up[0];
	s.up[1] = up[1];
	s.up[2] = up[2] - 1;
	return s;
}

double storey_lean(const struct storey *s)
{
	return atan2(hypot(s->up[0], s->up[1]), s->up[2] + 1.) * 180 / M_PI;
}

bool storey_is_apart(const struct storey *s, double ground, double limit)
{
	return storey_lean(s) > STOREY_LEAN ||
	       (limit > 0 && fabs(s->height - ground) > limit);
}
