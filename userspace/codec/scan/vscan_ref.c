// SPDX-License-Identifier: GPL-2.0-only
/*
 * vscan_ref - the scans of vscan.c, point by point; for tests
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "codec/scan/vscan_math.h"

enum what { NOTHING, GROUND, OBJECT, CEILING };

struct point {
	enum what	what;
	float		rho, z, ground;
	int		bin;
};

struct scene {
	const struct organised	*in;
	const struct vscan_params *params;
	struct vscan_level	level;
	struct point		*points;
};

static struct point *vscan_ref_at(const struct scene *s, int ring, int column)
{
	int n = s->in->columns;

	if (ring < 0 || ring >= (int)s->in->rings)
		return NULL;
	return s->points + ring * n + (column + n) % n;
}

static void vscan_ref_place(const struct scene *s, int ring, int column)
{
	const struct vscan_params *p = s->params;
	const struct vscan_level *l = &s->level;
	struct point *q = vscan_ref_at(s, ring, column);
	float w = s->in->elevation[ring] * (float)(M_PI / 18000);
	float a = vscan_azimuth(s->in, column, vscan_advance(s->in));
	float x, y, z;
	float range = s->in->range[ring * s->in->columns + column] *
		      s->in->unit;

	q->rho = range * cosf(w);
	z = range * sinf(w);
	q->bin = vscan_bin(-a);
	x = q->rho * cosf(a);
	y = q->rho * -sinf(a);
	if (l->tilted) {
		float lx = l->xx * x + l->xy * y + l->xz * z;
		float ly = l->yy * y + l->yz * z;

		z = l->zx * x + l->zy * y + l->zz * z;
		q->rho = sqrtf(lx * lx + ly * ly);
		q->bin = vscan_bin(vscan_atan2(ly, lx));
	}
	q->z = z + p->height;
	/* in the frame of the sensor, which is fixed to the robot */
	q->what = range < p->gate || q->rho <= 0 ||
		  (p->box[0] != p->box[1] && vscan_in_box(p->box, x, y)) ?
		  NOTHING : OBJECT;
}

static void classify(const struct scene *s, int column)
{
	const struct vscan_params *p = s->params;
	float rg = 0, zg = 0;

	for (int r = 0; r < (int)s->in->rings; r++) {
		struct point *q = vscan_ref_at(s, r, column);
		const struct point *above = vscan_ref_at(s, r + 1, column);
		float far = q->rho - rg, up = fabsf(q->z - zg);
		bool foot = above && above->what != NOTHING &&
			fabsf(above->rho - q->rho) <
			VSCAN_FOOT * (above->z - q->z);

		q->ground = zg;
		if (q->what == NOTHING)
			continue;
		if (far > 0 && up <= p->band + p->band_slope * q->rho &&
		    up <= p->slope * far + p->step && !foot) {
			q->what = GROUND;
			rg = q->rho;
			zg = q->z;
		} else if (q->z > p->ceiling) {
			q->what = CEILING;
		}
	}
}

static bool upright(const struct scene *s, int ring, int column)
{
	const struct vscan_params *p = s->params;
	const struct point *q = vscan_ref_at(s, ring, column), *other;

	for (int i = -2; i <= 2; i++) {
		other = vscan_ref_at(s, ring + i, column);
		if (i && other && other->what == OBJECT &&
		    fabsf(other->rho - q->rho) <=
		    p->upright + p->upright_slope * q->rho)
			return true;
	}
	return false;
}

static bool straight(const struct scene *s, int ring, int column, int k)
{
	const struct point *q = vscan_ref_at(s, ring, column);
	const struct point *left = vscan_ref_at(s, ring, column - k);
	const struct point *right = vscan_ref_at(s, ring, column + k);
	float off;

	if (left->what < OBJECT || right->what < OBJECT)
		return false;
	off = (1 / left->rho + 1 / right->rho) * vscan_spread(s->in, k) -
	      1 / q->rho;
	return q->rho * q->rho * fabsf(off) <= s->params->straight;
}

static void project(const struct scene *s, int ring, int column,
		    struct vscan_scans *out)
{
	const struct vscan_params *p = s->params;
	const struct point *q = vscan_ref_at(s, ring, column);
	uint16_t cm = vscan_cm(q->rho);

	if (q->what < OBJECT)
		return;
	if (cm > out->landmark[q->bin] && upright(s, ring, column) &&
	    (straight(s, ring, column, VSCAN_SPAN) ||
	     straight(s, ring, column, VSCAN_SPAN_FAR)))
		out->landmark[q->bin] = cm;
	if (q->what == OBJECT && q->z > q->ground + p->clearance &&
	    q->z < p->robot &&
	    (!out->obstacle[q->bin] || cm < out->obstacle[q->bin]))
		out->obstacle[q->bin] = cm;
}

int vscan_make_ref(const struct organised *in,
		   const struct vscan_params *params, struct vscan_scans *out)
{
	struct scene s = { .in = in, .params = params,
			   .level = vscan_level(params) };
	int rings = in->rings, columns = in->columns;

	memset(out, 0, sizeof(*out));
	if (columns < VSCAN_COLUMNS_MIN)
		return -EINVAL;
	s.points = calloc((size_t)rings * columns, sizeof(*s.points));
	if (!s.points)
		return -ENOMEM;
	for (int r = 0; r < rings; r++)
		for (int c = 0; c < columns; c++)
			vscan_ref_place(&s, r, c);
	for (int c = 0; c < columns; c++)
		classify(&s, c);
	for (int r = 0; r < rings; r++)
		for (int c = 0; c < columns; c++)
			project(&s, r, c, out);
	free(s.points);
	return 0;
}
