// SPDX-License-Identifier: GPL-2.0-only
/*
 * scan_blind.c - the direction that the walls of a scan tell least about
 *
 * A wall tells how far away it is, and not where along it the robot is. Each
 * endpoint has a normal, from the next endpoint on the same wall that is far
 * enough away for the noise of the laser not to matter. The sum of the
 * products of normals is what walls tell of the robot's place, by direction
 * (Censi, An accurate closed-form estimate of ICP's covariance, 2007).
 */
#include <math.h>
#include "slam/filter/scan.h"

/* A normal is taken from two endpoints at least so far apart, m */
#define BASE		0.3
/* Endpoints of one wall are at most so many beams apart: one beam may be lost */
#define BEAMS		2
/* A scan is blind to no direction if this share of its endpoints tells of each:
 * where walls have niches it fits where it belongs, and odometry does harm
 */
#define PLENTY		0.03
/* The noise of the laser tilts normals: of a plain wall it makes this share of
 * the endpoints tell of the direction along it
 */
#define NOISE		0.01
/* Of more endpoints only every second one is used, or every third and so on:
 * what is done grows with the square of their number where walls are near
 */
#define MOST		1080

/* Sums over normals n: n_x n_x, n_x n_y, n_y n_y */
struct told {
	double	xx, xy, yy;
	double	count;
};

static void add_normal(struct told *t, double dx, double dy)
{
	const double square = dx * dx + dy * dy;

	t->xx += dy * dy / square;
	t->xy -= dx * dy / square;
	t->yy += dx * dx / square;
	t->count++;
}

/* The normal at endpoint @i. @step: each so many endpoints are used */
static void add_from(struct told *t, const struct scan *s,
		     const uint32_t *beam, unsigned int i, unsigned int step,
		     double base)
{
	for (unsigned int k = i + step; k < s->hits; k += step) {
		const unsigned int l = k - step;
		const double dx = (double)s->x[k] - (double)s->x[i];
		const double dy = (double)s->y[k] - (double)s->y[i];
		const double gx = (double)s->x[k] - (double)s->x[l];
		const double gy = (double)s->y[k] - (double)s->y[l];

		/* here this wall ends and another one begins */
		if (beam[k] - beam[l] > BEAMS * step &&
		    gx * gx + gy * gy > base * base)
			return;
		if (dx * dx + dy * dy < base * base)
			continue;
		add_normal(t, dx, dy);
		return;
	}
}

void scan_find_blind(struct scan *s, const uint32_t *beam, double units)
{
	const unsigned int step = s->hits / (MOST + 1) + 1;
	struct told t = { .count = 0 };
	double half, root, least, length;

	for (unsigned int i = 0; i < s->hits; i += step)
		add_from(&t, s, beam, i, step, BASE * units);
	half = (t.xx - t.yy) / 2;
	root = sqrt(half * half + t.xy * t.xy);
	least = (t.xx + t.yy) / 2 - root;
	/* of the eigenvector of the smaller one: the other one turned by 90 */
	if (half >= 0) {
		s->blind_x = -t.xy;
		s->blind_y = half + root;
	} else {
		s->blind_x = root - half;
		s->blind_y = -t.xy;
	}
	length = sqrt(s->blind_x * s->blind_x + s->blind_y * s->blind_y);
	s->blind_x = length > 0 ? s->blind_x / length : 1;
	s->blind_y = length > 0 ? s->blind_y / length : 0;
	/* without any wall nothing is known, and odometry does not count */
	s->told = least < PLENTY * t.count ?
		step * fmax(least - NOISE * t.count, 0) /
		(1 - least / (PLENTY * t.count)) : INFINITY;
}
