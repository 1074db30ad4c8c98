/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * visibility.h - whether scans from two poses can both be true
 *
 * There is no wall where another scan saw through. Places that the other scan
 * did not see say nothing: unlike the fit to a map, this does not punish a
 * robot that explores.
 */
#ifndef SLAM_FILTER_VISIBILITY_H
#define SLAM_FILTER_VISIBILITY_H

#include "laser/reading.h"

/**
 * struct visibility - endpoints of one scan, as another one sees them
 * @agree:	at a wall of the other scan
 * @against:	where the other scan saw through
 */
struct visibility {
	uint32_t	agree, against;
};

/**
 * enum visibility_sight
 * @SEEN_LEFT_OUT: at the end of a beam that was left out (moving.h)
 */
enum visibility_sight { SEEN_THROUGH = -1, SEEN_NOT, SEEN_WALL, SEEN_LEFT_OUT };

/* Tolerance of an endpoint at this distance, m */
#define VISIBILITY_NEAR(distance) (0.2 + 0.02 * (distance))

/**
 * visibility_seen() - what a scan says about an endpoint of another one
 * @r:	the scan; beams that end at something that moves are negative
 * @x, @y: in the frame of its laser, m
 */
enum visibility_sight visibility_seen(const struct reading *r, double x, double y);

/* The laser of @b in the frame of that of @a; as visibility_count() */
struct pose visibility_laser(const struct reading *a, const struct pose *at,
			     const struct reading *b, const struct pose *from);

/**
 * visibility_count() - compare two scans, both ways
 * @v:	the counts are added to it
 * @at, @from: poses of the robot at @a and @b, in the same frame
 */
void visibility_count(struct visibility *v, const struct reading *a,
		      const struct pose *at, const struct reading *b,
		      const struct pose *from);

/* The share of endpoints against it, 0..1; NAN: too few are known to both */
static inline double visibility_against(const struct visibility *v)
{
	enum { LEAST = 60 };
	const uint32_t all = v->agree + v->against;

	return all < LEAST ? NAN : (double)v->against / all;
}

#endif
