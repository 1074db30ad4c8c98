// SPDX-License-Identifier: GPL-2.0-only
/*
 * wire_check - are the numbers of a message such as a peer of this program
 * sends them?
 */
#include "slam/workers/wire_check.h"

/* A standard deviation or a width. NAN is none */
static bool wire_is_width(double v)
{
	return v >= 0 && v <= POSE_MAX;
}

bool wire_motion_valid(const struct motion *m, const struct slam_params *p)
{
	for (unsigned int i = 0; i < 6; i++)
		if (!(fabs(m->drift[i]) <= POSE_MAX))
			return false;
	return slam_pose_valid(p, &m->move) && slam_pose_valid(p, &m->other) &&
	       wire_is_width(m->slip) && wire_is_width(m->turn) &&
	       wire_is_width(m->other_slip) && wire_is_width(m->other_turn) &&
	       wire_is_width(m->reach) && m->split <= 1 && m->loose <= 1;
}

bool wire_steps_valid(const struct wire_rebuild *b,
		      const struct slam_params *p)
{
	const struct wire_step *step = (const struct wire_step *)(b + 1);

	for (uint32_t i = 0; i < b->steps; i++)
		if (!slam_pose_valid(p, &step[i].pose))
			return false;
	return true;
}
