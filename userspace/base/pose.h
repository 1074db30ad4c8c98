/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pose.h - SE(2): where a frame is in another one
 *
 * A pose is also the transform that takes points of its frame into the other
 * one: first turned, then moved.
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

/* Robots do not go further than this from where their map begins, m */
#define POSE_MAX	1e6

static inline bool pose_valid(const struct pose *p)
{
	return fabs(p->x) <= POSE_MAX && fabs(p->y) <= POSE_MAX &&
	       isfinite(p->yaw);
}

/* @b, which is in the frame of @a, in the frame that @a is in */
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

/* @b, which is in the same frame as @a, in the frame of @a */
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

/* How far a point moves at most that is within @radius of the frame, m */
static inline double pose_distance(const struct pose *a, const struct pose *b,
				   double radius)
{
	return hypot(b->x - a->x, b->y - a->y) +
	       2 * radius * fabs(sin(remainder(b->yaw - a->yaw, 2 * M_PI) / 2));
}

#endif
