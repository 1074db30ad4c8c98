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
#include "slam/scan.h"

/* Between two endpoints that a normal is taken from, m */
#define BASE		0.3
/* Beams that two endpoints may be apart to be on one wall: one was lost */
#define BEAMS		2
/* Of all endpoints: if so many tell of it, a scan is not blind at all */
#define PLENTY		0.06
/* What the normals of plain walls make of their noise, of all endpoints */
#define NOISE		0.01

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

static void add_from(struct told *t, const struct scan *s,
		     const uint32_t *beam, unsigned int i, double base)
{
	for (unsigned int k = i + 1; k < s->hits; k++) {
		const double dx = (double)s->x[k] - (double)s->x[i];
		const double dy = (double)s->y[k] - (double)s->y[i];
		const double gx = (double)s->x[k] - (double)s->x[k - 1];
		const double gy = (double)s->y[k] - (double)s->y[k - 1];

		/* beyond the end of this wall is another one */
		if (beam[k] - beam[k - 1] > BEAMS &&
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
	struct told t = { .count = 0 };
	double half, root, least, length;

	for (unsigned int i = 0; i < s->hits; i++)
		add_from(&t, s, beam, i, BASE * units);
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
	/* also without any wall: what is not known does not bind */
	s->told = least < PLENTY * t.count ?
		fmax(least - NOISE * t.count, 0) /
		(1 - least / (PLENTY * t.count)) : INFINITY;
}
