// SPDX-License-Identifier: GPL-2.0-only
/*
 * match_gauss_newton.c - a scan matcher that uses the gradient
 *
 * The field should be 1 at each endpoint: the residuals are 1 - field, and the
 * steps are those of Levenberg and Marquardt.
 */
#include <math.h>
#include "slam/filter/match.h"

/* Smaller steps count as none, m and rad */
#define STEP_MIN	1e-4
#define TURN_MIN	1e-4

enum {
	STEPS_MAX	= 8,
	COARSE		= 1,	/* halvings of the hill climb before that */
};

/* Solve @a x = @b, symmetric. Return: whether it is positive definite */
static bool solve(const double a[6], const double b[3], double x[3])
{
	const double d0 = a[0];
	const double l10 = a[1] / d0, l20 = a[2] / d0;
	const double d1 = a[3] - l10 * a[1];
	const double l21 = (a[4] - l20 * a[1]) / d1;
	const double d2 = a[5] - l20 * a[2] - l21 * l21 * d1;
	double y1, y2;

	if (!(d0 > 0 && d1 > 0 && d2 > 0))
		return false;
	y1 = b[1] - l10 * b[0];
	y2 = b[2] - l20 * b[0] - l21 * y1;
	x[2] = y2 / d2;
	x[1] = y1 / d1 - l21 * x[2];
	x[0] = b[0] / d0 - l10 * x[1] - l20 * x[2];
	return true;
}

/* One step. Return: whether the scan fits better afterwards */
static bool gauss_newton_step(struct matcher *m, const struct scan *scan,
			      const struct likelihood_field *map,
			      struct pose *pose,
			      const struct score_slope *slope, double damping,
			      double *fit, double moved[3])
{
	double a[6];
	struct pose next;
	double better;

	for (int i = 0; i < 6; i++)
		a[i] = slope->h[i];
	a[0] += damping * (a[0] + 1e-9);
	a[3] += damping * (a[3] + 1e-9);
	a[5] += damping * (a[5] + 1e-9);
	if (!solve(a, slope->g, moved))
		return false;
	next = (struct pose){
		pose->x + moved[0], pose->y + moved[1], pose->yaw + moved[2],
	};
	better = matcher_fit(m, scan, map, &next) - matcher_cost(m, &next);
	if (!(better > *fit))
		return false;
	*fit = better;
	*pose = next;
	return true;
}

double match_gauss_newton(struct matcher *m, const struct scan *scan,
			  const struct likelihood_field *map, struct pose *pose)
{
	double fit = match_climb(m, scan, map, pose, COARSE, 0) -
		     matcher_cost(m, pose);
	double damping = 1e-3;

	for (int i = 0; i < STEPS_MAX; i++) {
		struct score_slope slope;
		double moved[3];

		matcher_slope(m, scan, map, pose, &slope);
		while (!gauss_newton_step(m, scan, map, pose, &slope, damping,
					  &fit, moved)) {
			damping = 8 * damping + 0.1;
			if (damping > 10)
				return fit + matcher_cost(m, pose);
		}
		damping /= 8;
		if (fabs(moved[0]) < STEP_MIN && fabs(moved[1]) < STEP_MIN &&
		    fabs(moved[2]) < TURN_MIN)
			break;
	}
	return fit + matcher_cost(m, pose);
}
