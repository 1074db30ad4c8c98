/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interpolate.h - interpolate poses between two times
 */
#ifndef LASER_INTERPOLATE_H
#define LASER_INTERPOLATE_H

#include <stdint.h>
#include "base/pose.h"

/* @share: 0: @a ... 1: @b; linear, with the shorter turn */
static inline struct pose pose_interpolate(const struct pose *a,
					   const struct pose *b, double share)
{
	const double turn = remainder(b->yaw - a->yaw, 2 * M_PI);

	return (struct pose){
		a->x + share * (b->x - a->x), a->y + share * (b->y - a->y),
		remainder(a->yaw + share * turn, 2 * M_PI),
	};
}

/* The position of @at between @a and @b, ns, as a share; 0 if @a is @b */
static inline double time_share(int64_t a, int64_t b, int64_t at)
{
	return b == a ? 0 : (double)(at - a) / (double)(b - a);
}

#endif
