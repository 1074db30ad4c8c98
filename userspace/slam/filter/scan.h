/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scan.h - endpoints of a reading, in the frame of the robot
 */
#ifndef SLAM_FILTER_SCAN_H
#define SLAM_FILTER_SCAN_H

#include "laser/reading.h"
#include "slam/filter/params.h"
#include "slam/filter/score.h"

/* Around the robot and all endpoints that are matched, 1/256 cell */
struct scan_box {
	float	left, low, right, high;
};

/**
 * struct scan
 * @match:	what is matched: not closer to each other than the spacing
 * @box:	around these
 * @behind:	of each of these, from there to a place on the same beam a
 *		little before it; only with GMapping's maps
 * @hits:	all endpoints, for the map
 * @cuts:	after these, where beams that are too long were cut; likewise
 * @x, @y:	of them, 1/256 cell
 * @laser_x, @laser_y: where beams begin, likewise
 * @blind_x, @blind_y: of length 1: the walls tell least of where the robot is
 *		along that direction
 * @told:	endpoints that tell of it, as many as if each were on a wall
 *		across; 0: next to none, as in a plain corridor; INFINITY: as
 *		many as tell of anything, or there is no wall
 */
struct scan {
	struct endpoints	match, behind;
	struct scan_box		box;
	unsigned int		hits, cuts;
	float			*x, *y;
	double			laser_x, laser_y;
	double			blind_x, blind_y, told;
	/* private */
	float			*memory;
	unsigned int		room;
};

/* @beam: of each of the hits; @units: in a metre */
void scan_find_blind(struct scan *s, const uint32_t *beam, double units);

/* Beams that are longer than this are not used, m */
double scan_reach(const struct slam_params *params);

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
