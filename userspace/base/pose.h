/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pose.h - SE(2): the pose of a frame in another one
 *
 * A pose is also the transform of points of its frame into the other one: first
 * the rotation, then the translation.
 */
#ifndef BASE_POSE_H
#define BASE_POSE_H

#include <math.h>
#include <stdbool.h>

/**
 * struct pose
 * @x, @y:	m
 * @yaw:	rad, counterclockwise
 */
struct pose {
	double	x, y, yaw;
};

/* Limit of the distance from the origin of the map, m */
#define POSE_MAX	1e6

static inline bool pose_valid(const struct pose *p)
{
	return fabs(p->x) <= POSE_MAX && fabs(p->y) <= POSE_MAX &&
	       isfinite(p->yaw);
}

/* Transform @b from the frame of @a to the frame that @a is in */
static inline struct pose pose_compose(const struct pose *a,
				       const struct pose *b)
{
	const double c = cos(a->yaw), s = sin(a->yaw);

	return (struct pose){
		a->x + c * b->x - s * b->y,
		a->y + s * b->x + c * b->y,
		remainder(a->yaw + b->yaw, 2 * M_PI),
	};
}

/* Transform @b from the frame that @a is in to the frame of @a */
static inline struct pose pose_between(const struct pose *a,
				       const struct pose *b)
{
	const double c = cos(a->yaw), s = sin(a->yaw);
	const double x = b->x - a->x, y = b->y - a->y;

	return (struct pose){
		c * x + s * y, c * y - s * x,
		remainder(b->yaw - a->yaw, 2 * M_PI),
	};
}

/* Largest distance that a point within @radius of the frame moves, m */
static inline double pose_distance(const struct pose *a, const struct pose *b,
				   double radius)
{
	return hypot(b->x - a->x, b->y - a->y) +
	       2 * radius * fabs(sin(remainder(b->yaw - a->yaw, 2 * M_PI) / 2));
}

#endif
