/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * det_math.h - sine, cosine and poses with the same bits on every machine
 *
 * The libm functions may differ in the last bit between CPUs, and particles on
 * two machines would then diverge. Built with -ffp-contract=off.
 */
#ifndef SLAM_FILTER_DET_MATH_H
#define SLAM_FILTER_DET_MATH_H

#include "base/pose.h"

/* pi / 2, in two parts */
#define DET_HALF_PI_HIGH	0x1.921fb544p0
#define DET_HALF_PI_LOW	0x1.0b4611a626331p-34

/* Taylor series: for up to pi / 4 exact to about the last bit */
static inline double det_sin_series(double x)
{
	const double s = x * x;

	return x + x * s * (-1.0 / 6 + s * (1.0 / 120 + s * (-1.0 / 5040 +
		s * (1.0 / 362880 + s * (-1.0 / 39916800 +
		s * (1.0 / 6227020800.0 -
		s * (1.0 / 1307674368000.0)))))));
}

static inline double det_cos_series(double x)
{
	const double s = x * x;

	return 1 + s * (-0.5 + s * (1.0 / 24 + s * (-1.0 / 720 +
		s * (1.0 / 40320 + s * (-1.0 / 3628800 +
		s * (1.0 / 479001600.0 + s * (-1.0 / 87178291200.0 +
		s * (1.0 / 20922789888000.0))))))));
}

/* @angle: rad, at most some thousand turns */
static inline void det_sincos(double angle, double *sine, double *cosine)
{
	const double turns = rint(angle * M_2_PI);
	const double r = angle - turns * DET_HALF_PI_HIGH -
		turns * DET_HALF_PI_LOW;
	const double s = det_sin_series(r), c = det_cos_series(r);

	switch ((long)turns & 3) {
	case 0: *sine = s; *cosine = c; break;
	case 1: *sine = c; *cosine = -s; break;
	case 2: *sine = -s; *cosine = -c; break;
	default: *sine = -c; *cosine = s; break;
	}
}

/* pose_compose() with these functions */
static inline struct pose det_compose(const struct pose *a,
				      const struct pose *b)
{
	double s, c;

	det_sincos(a->yaw, &s, &c);
	return (struct pose){
		a->x + c * b->x - s * b->y,
		a->y + s * b->x + c * b->y,
		remainder(a->yaw + b->yaw, 2 * M_PI),
	};
}

/* pose_between() with these functions */
static inline struct pose det_between(const struct pose *a,
				      const struct pose *b)
{
	const double x = b->x - a->x, y = b->y - a->y;
	double s, c;

	det_sincos(a->yaw, &s, &c);
	return (struct pose){
		c * x + s * y, c * y - s * x,
		remainder(b->yaw - a->yaw, 2 * M_PI),
	};
}

#endif
