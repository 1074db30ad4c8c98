/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scan.h - endpoints of a reading, in the frame of the robot
 */
#ifndef SLAM_SCAN_H
#define SLAM_SCAN_H

#include "readings/reading.h"
#include "slam/params.h"
#include "slam/score.h"

/**
 * struct scan
 * @match:	what is matched: not closer to each other than the spacing
 * @hits:	all endpoints, for the map
 * @x, @y:	of them, 1/256 cell
 */
struct scan {
	struct endpoints	match;
	unsigned int		hits;
	float			*x, *y;
	/* private */
	float			*memory;
	unsigned int		room;
};

/**
 * scan_make() - endpoints of a reading
 * @s: all zero, or from before; freed with scan_free()
 *
 * Beams that hit nothing are left out.
 *
 * Return: 0; -ENOMEM; -EINVAL: more than READING_BEAMS_MAX.
 */
int scan_make(struct scan *s, const struct reading *reading,
	      const struct slam_params *params);

void scan_free(struct scan *s);

#endif
