// SPDX-License-Identifier: GPL-2.0-only
/*
 * splat - draw runs of a submap's known cells along lines in the map
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/cpu.h"
#include "map/fusion/splat.h"

enum {
	BATCH	= 128,
	LANES	= 16,	/* positions in parallel */
	UNROLL	= 8,	/* cells */
	MARGIN	= SPLAT_GUARD / 2,
};

/**
 * struct steps - offsets from the first cell of a batch, in fixed point
 */
struct steps {
	uint64_t	x[BATCH], y[BATCH];
};

/* Write a cell if it is larger than the existing value */
INLINE void splat_cell(const void *data, void *to, const unsigned int bits,
		       unsigned int i, uint32_t place)
{
	if (bits == 8) {
		const int8_t v = ((const int8_t *)data)[i];
		int8_t *at = (int8_t *)to + place;

		*at = v > *at ? v : *at;
	} else {
		const int16_t v = ((const int16_t *)data)[i];
		int16_t *at = (int16_t *)to + place;

		*at = v > *at ? v : *at;
	}
}

/*
 * Splat a batch of cells from (@x, @y) of the window's memory on. Loops have no
 * remainders, which no CPU predicts: excess cells go into the guard.
 */
INLINE void splat_batch(const void *data, void *to, const unsigned int bits,
			const unsigned int n, uint64_t x, uint64_t y,
			const struct steps *s)
{
	uint32_t place[BATCH + UNROLL];

	for (unsigned int i = 0; i < n; i += LANES)
		for (unsigned int k = i; k < i + LANES; k++)
			place[k] = (uint32_t)((y + s->y[k]) >> TRANSFORM_BITS) *
				   SPLAT_STRIDE +
				   (uint32_t)((x + s->x[k]) >> TRANSFORM_BITS);
	memset(place + n, 0, UNROLL * sizeof(*place));
	for (unsigned int i = 0; i < n; i += UNROLL)
		for (unsigned int k = i; k < i + UNROLL; k++)
			splat_cell(data, to, bits, k, place[k]);
}

/* Clip the steps from @at on to -MARGIN .. @size + MARGIN, fixed point */
INLINE void clip_axis(int64_t at, int64_t step, unsigned int size,
		      double *first, double *end)
{
	const double from = -MARGIN * 0x1p32 - at;
	const double to = (size + MARGIN) * 0x1p32 - at;
	double a, b;

	if (llabs(step) < 1 << 12) {
		if (from > 0 || to < 0)
			*end = *first;
		return;
	}
	a = from / step;
	b = to / step;
	*first = larger(*first, smaller(a, b));
	*end = smaller(*end, larger(a, b));
}

/**
 * struct canvas - a window
 * @left, @low:	of its memory, in cells from way.x0, way.y0
 * @width, @height: without the guard
 */
struct canvas {
	int		left, low;
	unsigned int	width, height;
	bool		inside;		/* the submap is completely inside */
	void		*cells;
	struct steps	steps;
};

INLINE bool splat_clip(const struct canvas *w, const struct transform *way,
		       int64_t x, int64_t y, unsigned int *from,
		       unsigned int *end)
{
	const int64_t guard = (int64_t)SPLAT_GUARD << TRANSFORM_BITS;
	double first = *from, last = *end;

	clip_axis(x - guard, way->dx, w->width, &first, &last);
	clip_axis(y - guard, way->dy, w->height, &first, &last);
	if (first >= last)
		return false;
	*from = ceil(first);
	*end = smaller(ceil(last), *end);
	return *from < *end;
}

INLINE bool is_inside(const struct canvas *w, int64_t x, int64_t y)
{
	return (uint64_t)x >> TRANSFORM_BITS < w->width + 2 * SPLAT_GUARD &&
	       (uint64_t)y >> TRANSFORM_BITS < w->height + 2 * SPLAT_GUARD;
}

INLINE void splat_run(const struct transform *way, const struct canvas *w,
		      const unsigned int bits, const struct cells_run *r)
{
	const int64_t dx = way->dx, dy = way->dy;
	int64_t x = way->x + r->column * dx - r->row * dy -
		    w->left * (1LL << TRANSFORM_BITS);
	int64_t y = way->y + r->column * dy + r->row * dx -
		    w->low * (1LL << TRANSFORM_BITS);
	const char *data = (const char *)way->c->data + (bits / 8) *
			   ((size_t)r->row * way->c->width + r->column);
	unsigned int i = 0, end = r->count;

	if (!w->inside && !(is_inside(w, x, y) &&
	    is_inside(w, x + (end - 1) * dx, y + (end - 1) * dy)) &&
	    !splat_clip(w, way, x, y, &i, &end))
		return;
	x += i * dx;
	y += i * dy;
	for (; i + BATCH <= end; i += BATCH, x += BATCH * dx, y += BATCH * dy)
		splat_batch(data + i * (bits / 8), w->cells, bits, BATCH, x, y,
			    &w->steps);
	splat_batch(data + i * (bits / 8), w->cells, bits, end - i, x, y,
		    &w->steps);
}

CPU_CLONES
static void splat_runs(const struct transform *way, const struct canvas *w)
{
	const struct cells *c = way->c;

	if (c->bits == 8)
		for (unsigned int i = 0; i < c->runs; i++)
			splat_run(way, w, 8, &c->run[i]);
	else
		for (unsigned int i = 0; i < c->runs; i++)
			splat_run(way, w, 16, &c->run[i]);
}

void splat(const struct transform *way, const struct rect *tiles, void *window)
{
	const struct rect cells = { tiles->x * TILE_SIDE, tiles->y * TILE_SIDE,
				    tiles->width * TILE_SIDE,
				    tiles->height * TILE_SIDE };
	const struct rect in = rect_common(&cells, &way->bounds);
	struct canvas w = {
		.left = cells.x - way->x0 - SPLAT_GUARD,
		.low = cells.y - way->y0 - SPLAT_GUARD,
		.width = cells.width, .height = cells.height,
		.inside = in.width == way->bounds.width &&
			  in.height == way->bounds.height,
		.cells = window,
	};

	for (unsigned int i = 0; i < BATCH; i++) {
		w.steps.x[i] = i * way->dx;
		w.steps.y[i] = i * way->dy;
	}
	splat_runs(way, &w);
}
