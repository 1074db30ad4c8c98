// SPDX-License-Identifier: GPL-2.0-only
/*
 * vscan - virtual 2D scans of a revolution of a 3D lidar
 *
 * First strips of columns are followed ring by ring, all columns of a strip at
 * once; then planes are searched ring by ring.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/cpu.h"
#include "codec/scan/vscan_math.h"

enum {
	STRIP	= 64,		/* columns */
	AROUND	= 16,		/* columns of margin at both ends */
	BESIDE	= 2,		/* rings below and above */
};

/**
 * struct vscan - working arrays, [ring][column], 0: nothing
 * @object:	distance of an object, with empty rings around
 * @solid:	of an object, or of points above the ceiling's height
 * @inverse:	1 / solid, with the circle continued in the margins
 * @low:	distance of an obstacle
 * @planar:	distance of a planar object
 * @bin:	of each point, if the sensor is tilted
 * @column_bin:	else of each column
 * @rho, @z:	distance and height in a strip
 */
struct vscan {
	unsigned int	max_rings, max_columns;
	unsigned int	rings, columns, stride;
	float		*object, *solid, *inverse, *low, *planar;
	uint16_t	*bin;
	float		sine[ORGANISED_COLUMNS + STRIP];
	float		cosine[ORGANISED_COLUMNS + STRIP];
	uint16_t	column_bin[ORGANISED_COLUMNS];
	float		rho[ORGANISED_RINGS + 1][STRIP];
	float		z[ORGANISED_RINGS + 1][STRIP];
};

static unsigned int vscan_stride_of(unsigned int columns)
{
	return (columns + STRIP - 1) / STRIP * STRIP + 2 * AROUND;
}

struct vscan *vscan_create(unsigned int max_rings, unsigned int max_columns)
{
	size_t n =
		(size_t)(max_rings + 2 * BESIDE) * vscan_stride_of(max_columns);
	struct vscan *v;

	if (!max_rings || max_rings > ORGANISED_RINGS ||
	    max_columns < VSCAN_COLUMNS_MIN ||
	    max_columns > ORGANISED_COLUMNS)
		return NULL;
	v = calloc(1, sizeof(*v));
	if (!v)
		return NULL;
	v->max_rings = max_rings;
	v->max_columns = max_columns;
	v->object = calloc(5 * n, sizeof(float));
	v->bin = calloc(n, sizeof(*v->bin));
	if (!v->object || !v->bin) {
		vscan_destroy(v);
		return NULL;
	}
	v->solid = v->object + n;
	v->inverse = v->object + 2 * n;
	v->low = v->object + 3 * n;
	v->planar = v->object + 4 * n;
	return v;
}

void vscan_destroy(struct vscan *v)
{
	if (!v)
		return;
	free(v->object);
	free(v->bin);
	free(v);
}

static size_t at(const struct vscan *v, int ring, unsigned int column)
{
	return (size_t)(ring + BESIDE) * v->stride + AROUND + column;
}

/**
 * struct ring - constants of a ring
 */
struct ring {
	float cosine, sine;
};

/* Continue the circle in the margins */
static void close_circle(struct vscan *v)
{
	for (unsigned int r = 0; r < v->rings; r++) {
		float *p = v->inverse + at(v, r, 0);

		for (int i = 0; i < VSCAN_SPAN_FAR; i++)
			p[v->columns + i] = p[i];
		for (int i = 1; i <= VSCAN_SPAN_FAR; i++)
			p[-i] = p[(int)v->columns - i];
	}
}

#define LOAD(p)		(*(const vfloat *)(p))
#define STORE(p, x)	(*(vfloat *)(p) = (x))
#define ABS(x)		((vfloat)((vint)(x) & INT32_MAX))
#define IF(mask, x)	((vfloat)((mask) & (vint)(x)))
#define SELECT(mask, x, y) \
			((vfloat)(((mask) & (vint)(x)) | (~(mask) & (vint)(y))))

#define LANES		4
#define NAME(x)		x##_portable
#include "codec/scan/vscan_body.h"
#undef LANES
#undef NAME

#if CPU_X86
#define LANES		8
#define NAME(x)		x##_avx2
#include "codec/scan/vscan_body.h"
#endif

static void run_portable(struct vscan *v, const struct organised *in,
			 const struct vscan_params *p)
{
	work_portable(v, in, p);
}

#if CPU_X86
CPU_AVX2 static void run_avx2(struct vscan *v, const struct organised *in,
			      const struct vscan_params *p)
{
	work_avx2(v, in, p);
}
#endif

static void find_bins(struct vscan *v, const struct organised *in)
{
	float advance = vscan_advance(in);

	for (unsigned int c = 0; c < in->columns; c++) {
		float a = vscan_azimuth(in, c, advance);

		v->column_bin[c] = vscan_bin(-a);
	}
}

static void find_directions(struct vscan *v, const struct organised *in)
{
	float advance = vscan_advance(in);

	for (unsigned int c = 0; c < in->columns; c++) {
		float a = vscan_azimuth(in, c, advance);

		v->cosine[c] = cosf(a);
		v->sine[c] = sinf(a);
	}
}

/**
 * struct extremes - of each direction, m
 */
struct extremes {
	float most[VSCAN_BINS], least[VSCAN_BINS];
};

static inline void vscan_widen(struct extremes *e, unsigned int bin,
			       float planar, float low)
{
	e->most[bin] = planar > e->most[bin] ? planar : e->most[bin];
	e->least[bin] = low < e->least[bin] ? low : e->least[bin];
}

/* Without tilt all points of a column are in one bin */
static void project_columns(const struct vscan *v, struct extremes *e)
{
	for (unsigned int c = 0; c < v->columns; c += STRIP) {
		float most[STRIP] = { 0 }, least[STRIP];

		for (int i = 0; i < STRIP; i++)
			least[i] = INFINITY;
		for (unsigned int r = 0; r < v->rings; r++) {
			const float *planar = v->planar + at(v, r, c);
			const float *low = v->low + at(v, r, c);

			for (int i = 0; i < STRIP; i++) {
				most[i] = planar[i] > most[i] ? planar[i] :
					  most[i];
				least[i] = low[i] < least[i] ? low[i] :
					   least[i];
			}
		}
		for (unsigned int i = 0; i < STRIP && c + i < v->columns; i++)
			vscan_widen(e, v->column_bin[c + i], most[i], least[i]);
	}
}

static void project_points(const struct vscan *v, struct extremes *e)
{
	for (unsigned int r = 0; r < v->rings; r++)
		for (unsigned int c = 0; c < v->columns; c++) {
			size_t i = at(v, r, c);

			if (v->solid[i] > 0)
				vscan_widen(e, v->bin[i], v->planar[i],
					    v->low[i]);
		}
}

int vscan_make(struct vscan *v, const struct organised *in,
	       const struct vscan_params *params, struct vscan_scans *out)
{
	struct extremes e = { .most = { 0 } };

	memset(out, 0, sizeof(*out));
	if (!in->rings || in->rings > v->max_rings ||
	    in->columns < VSCAN_COLUMNS_MIN || in->columns > v->max_columns)
		return -EINVAL;
	if (v->rings != in->rings || v->columns != in->columns) {
		v->rings = in->rings;
		v->columns = in->columns;
		v->stride = vscan_stride_of(in->columns);
		/* the ring above the highest one is empty */
		memset(v->object + at(v, v->rings, 0) - AROUND, 0,
		       BESIDE * v->stride * sizeof(float));
		memset(v->object, 0, BESIDE * v->stride * sizeof(float));
	}
	find_bins(v, in);
	if (!vscan_is_plain(params))
		find_directions(v, in);
#if CPU_X86
	if (cpu_avx2())
		run_avx2(v, in, params);
	else
#endif
		run_portable(v, in, params);
	for (int i = 0; i < VSCAN_BINS; i++)
		e.least[i] = INFINITY;
	if (params->roll != 0 || params->pitch != 0)
		project_points(v, &e);
	else
		project_columns(v, &e);
	for (int i = 0; i < VSCAN_BINS; i++) {
		out->landmark[i] = e.most[i] > 0 ? vscan_cm(e.most[i]) : 0;
		out->obstacle[i] = e.least[i] < INFINITY ?
				   vscan_cm(e.least[i]) : 0;
	}
	return 0;
}
