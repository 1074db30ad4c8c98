// SPDX-License-Identifier: GPL-2.0-only
/*
 * scan_blind.c - the direction that the walls of a scan constrain least
 *
 * A wall constrains the distance to it, not the position along it. Each
 * endpoint has a normal, from the next endpoint on the same wall that is far
 * enough away for the noise of the laser not to matter. The sum of the
 * products of normals is the information on the robot's position, by direction
 * (Censi, An accurate closed-form estimate of ICP's covariance, 2007).
 */
#include <math.h>
#include "slam/filter/scan.h"

/* Least distance of the two endpoints of a normal, m */
#define BASE		0.3
/* Most beams between endpoints of one wall: one beam may be lost */
#define BEAMS		2
/* No direction is blind if this share of the endpoints constrains each: walls
 * with niches fix the position, and odometry would do harm
 */
#define PLENTY		0.03
/* The noise of the laser tilts normals: on a plain wall this share of the
 * endpoints seems to constrain the direction along it
 */
#define NOISE		0.01
/* With more endpoints only every second or third one and so on is used: the
 * cost grows with the square of their number where walls are near
 */
#define MOST		1080

/* Sums over normals n: n_x n_x, n_x n_y, n_y n_y */
struct evidence {
	double	xx, xy, yy;
	double	count;
};

static void add_normal(struct evidence *t, double dx, double dy)
{
	const double square = dx * dx + dy * dy;

	t->xx += dy * dy / square;
	t->xy -= dx * dy / square;
	t->yy += dx * dx / square;
	t->count++;
}

/* The normal at endpoint @i. @step: every so many endpoints are used */
static void add_from(struct evidence *t, const struct scan *s,
		     const uint32_t *beam, unsigned int i, unsigned int step,
		     double base)
{
	for (unsigned int k = i + step; k < s->hits; k += step) {
		const unsigned int l = k - step;
		const double dx = (double)s->x[k] - (double)s->x[i];
		const double dy = (double)s->y[k] - (double)s->y[i];
		const double gx = (double)s->x[k] - (double)s->x[l];
		const double gy = (double)s->y[k] - (double)s->y[l];

		/* this wall ends here and another one begins */
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
	struct evidence t = { .count = 0 };
	double half, root, least, length;

	for (unsigned int i = 0; i < s->hits; i += step)
		add_from(&t, s, beam, i, step, BASE * units);
	half = (t.xx - t.yy) / 2;
	root = sqrt(half * half + t.xy * t.xy);
	least = (t.xx + t.yy) / 2 - root;
	/*
	 * the eigenvector of the smaller eigenvalue: the other one turned by 90
	 */
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
	/* nothing is known without a wall, and odometry does not count */
	s->evidence = least < PLENTY * t.count ?
		step * fmax(least - NOISE * t.count, 0) /
		(1 - least / (PLENTY * t.count)) : INFINITY;
}
