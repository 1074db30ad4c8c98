/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scan.h - endpoints of a reading, in the frame of the robot
 */
#ifndef SLAM_FILTER_SCAN_H
#define SLAM_FILTER_SCAN_H

#include "laser/reading.h"
#include "slam/filter/params.h"
#include "slam/filter/score.h"

/* Bounds of the robot and all matched endpoints, 1/256 cell */
struct scan_box {
	float	left, low, right, high;
};

/**
 * struct scan
 * @match:	points to match: at least the spacing apart
 * @box:	around these
 * @behind:	for each of these, the offset to a place on the same beam a
 *		little before it; only with GMapping's maps
 * @hits:	all endpoints, for the map
 * @cuts:	after these, the ends of beams that were cut; likewise
 * @x, @y:	of them, 1/256 cell
 * @laser_x, @laser_y: origins of the beams, likewise
 * @blind_x, @blind_y: unit vector of the direction in which the walls constrain
 *		the robot's position least
 * @evidence:	number of endpoints that constrain it, counted as if each were
 *		on
 *		a perpendicular wall; 0: almost none, as in a plain corridor;
 *		INFINITY: as many as in other directions, or there is no wall
 */
struct scan {
	struct endpoints	match, behind;
	struct scan_box		box;
	unsigned int		hits, cuts;
	float			*x, *y;
	double			laser_x, laser_y;
	double			blind_x, blind_y, evidence;
	/* private */
	float			*memory;
	unsigned int		room;
};

/* @beam: of each of the hits; @units: in a metre */
void scan_find_blind(struct scan *s, const uint32_t *beam, double units);

/* Longer beams are not used, m */
double scan_reach(const struct slam_params *params);

/**
 * scan_make() - compute the endpoints of a reading
 * @s: all zero, or reused; freed with scan_free()
 *
 * Beams without a hit are left out.
 *
 * Return: 0; -ENOMEM; -EINVAL: more than READING_BEAMS_MAX.
 */
int scan_make(struct scan *s, const struct reading *reading,
	      const struct slam_params *params);

void scan_free(struct scan *s);

#endif
