/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scan_lines.h - the endpoints of a scan, with the wall around each of them
 *
 * Two scans of one place are compared point to line: an endpoint of one has to
 * be on the wall that the other one saw in this direction (Censi, An ICP
 * variant using a point-to-line metric, 2008). That says nothing along a wall,
 * and has no cells that limit it.
 */
#ifndef SLAM_GRAPH_SCAN_LINES_H
#define SLAM_GRAPH_SCAN_LINES_H

#include "laser/reading.h"
#include "slam/graph/pose_solver.h"

/* Beams of a scan; of more only every second one is used, and so on */
enum { SCAN_LINES_MAX = 400 };

/**
 * struct scan_line - an endpoint, in the frame of the robot
 * @x, @y:	m; not a number: the beam has no echo
 * @range:	from the laser, m
 * @at_x, @at_y: a point of its wall: the mean of the endpoints around, m
 * @nx, @ny:	unit vector across the wall, towards the laser
 * @reach:	how far along the wall other endpoints may be, m; 0: no wall
 */
struct scan_line {
	float	x, y, range, at_x, at_y, nx, ny, reach;
};

/**
 * struct scan_lines - a scan
 * @laser:	in the frame of the robot
 * @middle:	heading of the middle of all beams, in the frame of the laser,
 *		rad
 * @step:	from one beam to the next, rad
 * @line:	of each of the @beams
 */
struct scan_lines {
	struct pose		laser;
	double			middle, step;
	uint32_t		beams;
	struct scan_line	line[];
};

/**
 * scan_lines_make() - of a reading
 * @reach:	longer beams are not used, m
 *
 * Return: to be freed with free(); NULL: no memory.
 */
struct scan_lines *scan_lines_make(const struct reading *r, double reach);

/**
 * struct line_match - how to compare
 * @near:	most distance of an endpoint from a wall, m
 * @scale:	distance from a wall at which an endpoint counts half, m
 * @points:	endpoints that are used, about
 */
struct line_match {
	double		near, scale;
	uint32_t	points;
};

/**
 * struct line_fit - how the endpoints of a scan lie on the walls of another
 * @weight:	second derivatives of the sum of their squared distances, by the
 *		motion from one robot to the other; halved
 * @pull:	first derivatives, by x, y and yaw; halved
 * @sum:	of the squared distances, weighted, m^2; @weights: of the
 *		weights
 * @seen:	endpoints in a direction in which the other scan has a beam
 * @hits:	of these: on a wall
 * @through:	of these: the other scan saw a place behind it
 */
struct line_fit {
	struct motion_weight	weight;
	double			pull[POSE_FREEDOMS];
	double			sum, weights;
	uint32_t		seen, hits, through;
};

/**
 * scan_lines_fit() - compare two scans
 * @walls:	of one
 * @scan:	endpoints of the other; @at: its robot, in the frame of that of
 *		@walls
 */
void scan_lines_fit(const struct scan_lines *walls,
		    const struct scan_lines *scan, const struct pose *at,
		    const struct line_match *m, struct line_fit *fit);

#endif
