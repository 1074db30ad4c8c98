// SPDX-License-Identifier: GPL-2.0-only
/*
 * cells - original cells of a submap
 *
 * One block of memory each: the struct, the cells, the runs of known cells and
 * the map of blocks near known cells.
 */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/error.h"
#include "map/fusion/cells.h"

enum { PADDING = 64 };		/* vectors read beyond the last cell */

static const double RESOLUTION_MIN = 1e-4, RESOLUTION_MAX = 1e3;	/* m */

int cells_check(unsigned int width, unsigned int height, unsigned int bits,
		double resolution, const struct pose *origin,
		struct error *why)
{
	if (!width || !height)
		return error_set(why, -EINVAL, "empty map: %u x %u cells",
				 width, height);
	if (width > CELLS_SIDE_MAX || height > CELLS_SIDE_MAX ||
	    (uint64_t)width * height > CELLS_MAX)
		return error_set(why, -E2BIG, "map of %u x %u cells: at most %d "
				 "cells and %d per side are supported", width,
				 height, CELLS_MAX, CELLS_SIDE_MAX);
	if (!(resolution >= RESOLUTION_MIN && resolution <= RESOLUTION_MAX))
		return error_set(why, -EINVAL, "invalid cell size: %g m",
				 resolution);
	if (!pose_valid(origin))
		return error_set(why, -EINVAL, "invalid origin: %g, %g m, %g rad",
				 origin->x, origin->y, origin->yaw);
	if (bits != 8 && bits != 16)
		return error_set(why, -EINVAL, "invalid cell depth: %u bits",
				 bits);
	return 0;
}

/* Invalid values become unknown. Return: number of known cells */
static unsigned int clean_8(int8_t *to, const int8_t *from, size_t n)
{
	unsigned int known = 0;

	for (size_t i = 0; i < n; i++) {
		to[i] = (uint8_t)from[i] <= CELLS_FULL_8 ? from[i] :
							   CELLS_UNKNOWN;
		known += to[i] >= 0;
	}
	return known;
}

static unsigned int clean_16(int16_t *to, const int16_t *from, size_t n)
{
	unsigned int known = 0;

	for (size_t i = 0; i < n; i++) {
		to[i] = (uint16_t)from[i] <= CELLS_FULL_16 ? from[i] :
							     CELLS_UNKNOWN;
		known += to[i] >= 0;
	}
	return known;
}

/* Mark the known cells of a row */
static void known_row(const struct cells *c, unsigned int y, uint8_t *known)
{
	const size_t at = (size_t)y * c->width;

	if (c->bits == 8) {
		const int8_t *row = (const int8_t *)c->data + at;

		for (unsigned int x = 0; x < c->width; x++)
			known[x] = (uint8_t)row[x] <= CELLS_FULL_8;
	} else {
		const int16_t *row = (const int16_t *)c->data + at;

		for (unsigned int x = 0; x < c->width; x++)
			known[x] = (uint16_t)row[x] <= CELLS_FULL_16;
	}
}

/*
 * The next known (or unknown) cell from @x on, eight at a time. Return: @width
 * if there is none
 */
static unsigned int next_cell(const uint8_t *known, unsigned int width,
			      unsigned int x, bool is)
{
	const uint64_t none = is ? 0 : 0x0101010101010101ULL;
	uint64_t eight;

	for (; x + 8 <= width; x += 8) {
		memcpy(&eight, known + x, 8);
		/* the first one is in the lowest byte */
		eight = le64toh(eight) ^ none;
		if (eight)
			return x + __builtin_ctzll(eight) / 8;
	}
	while (x < width && known[x] != is)
		x++;
	return x;
}

/* Return: number of runs; written if @run is not NULL */
static unsigned int cells_find_runs(const uint8_t *known, unsigned int width,
				    unsigned int y, struct cells_run *run)
{
	unsigned int runs = 0, begin, end;

	begin = next_cell(known, width, 0, true);
	while (begin < width) {
		unsigned int next = begin;

		do {
			end = next_cell(known, width, next, false);
			next = next_cell(known, width, end, true);
		} while (next < width && next - end < CELLS_GAP);
		if (run)
			run[runs] = (struct cells_run){ y, begin, end - begin };
		runs++;
		begin = next;
	}
	return runs;
}

static void mark_blocks(struct cells *c, uint8_t *near)
{
	for (unsigned int i = 0; i < c->runs; i++) {
		const struct cells_run *r = &c->run[i];
		uint8_t *row = near + (r->row / CELLS_BLOCK + CELLS_MARGIN) *
				      c->near_width + CELLS_MARGIN;
		unsigned int first = r->column / CELLS_BLOCK;
		unsigned int last = (r->column + r->count - 1) / CELLS_BLOCK;

		memset(row + first, 1, last - first + 1);
	}
}

/* Dilate the marks by @reach blocks, in one direction */
static void cells_spread(uint8_t *to, const uint8_t *from, size_t n,
			 size_t step, int reach)
{
	memset(to, 0, n);
	for (int d = -reach; d <= reach; d++) {
		const size_t shift = (size_t)abs(d) * step;

		for (size_t i = shift; i < n; i++)
			if (d < 0)
				to[i - shift] |= from[i];
			else
				to[i] |= from[i - shift];
	}
}

/* @scratch: twice @n bytes */
static void spread_near(struct cells *c, size_t n, uint8_t *scratch)
{
	enum { NEAR = CELLS_NEAR / CELLS_BLOCK,
	       NEARER = CELLS_NEARER / CELLS_BLOCK };
	uint8_t *near = (void *)c->near, *nearer = scratch + n;

	cells_spread(scratch, near, n, 1, NEARER);
	cells_spread(nearer, scratch, n, c->near_width, NEARER);
	cells_spread(scratch, near, n, 1, NEAR);
	cells_spread(near, scratch, n, c->near_width, NEAR);
	for (size_t i = 0; i < n; i++)
		near[i] = near[i] * CELLS_IS_NEAR | nearer[i] * CELLS_IS_NEARER;
}

struct layout {
	unsigned int	near_width, near_height, runs;
	size_t		data, run, near, scratch, bytes;
};

static size_t aligned(size_t n)
{
	return (n + 63) & ~(size_t)63;
}

static unsigned int near_side(unsigned int cells)
{
	return (cells + CELLS_BLOCK - 1) / CELLS_BLOCK + 2 * CELLS_MARGIN;
}

static struct layout layout_of(unsigned int width, unsigned int height,
			       unsigned int bits, unsigned int runs)
{
	struct layout l = { near_side(width), near_side(height), runs, 0, 0, 0,
			    0, 0 };

	l.data = aligned(sizeof(struct cells));
	l.run = l.data + aligned((size_t)width * height * (bits / 8) + PADDING);
	l.near = l.run + aligned(runs * sizeof(struct cells_run));
	l.scratch = (size_t)l.near_width * l.near_height;
	l.bytes = l.near + aligned(l.scratch + PADDING);
	return l;
}

static unsigned int count_runs(const struct cells *c, uint8_t *known)
{
	unsigned int runs = 0;

	for (unsigned int y = 0; y < c->height; y++) {
		known_row(c, y, known);
		runs += cells_find_runs(known, c->width, y, NULL);
	}
	return runs;
}

static void index_runs(struct cells *c, struct cells_run *run, uint8_t *known)
{
	unsigned int n = 0;

	for (unsigned int y = 0; y < c->height; y++) {
		known_row(c, y, known);
		n += cells_find_runs(known, c->width, y, run + n);
	}
	c->run = run;
	c->runs = n;
}

struct cells *cells_create(unsigned int width, unsigned int height,
			   unsigned int bits, double resolution,
			   const struct pose *origin, const void *data)
{
	uint8_t known[CELLS_SIDE_MAX], *scratch;
	struct cells view = { .width = width, .height = height, .bits = bits,
			      .data = data };
	const size_t n = (size_t)width * height;
	struct layout l;
	struct cells *c;
	struct error why;

	if (cells_check(width, height, bits, resolution, origin, &why))
		return NULL;
	l = layout_of(width, height, bits, count_runs(&view, known));
	c = aligned_alloc(64, l.bytes);
	scratch = malloc(2 * l.scratch);
	if (!c || !scratch) {
		free(c);
		free(scratch);
		return NULL;
	}
	*c = view;
	c->resolution = resolution;
	c->origin = *origin;
	c->data = (char *)c + l.data;
	c->known = bits == 8 ? clean_8((void *)c->data, data, n) :
			       clean_16((void *)c->data, data, n);
	memset((char *)c->data + n * (bits / 8), 0xff, PADDING);
	index_runs(c, (void *)((char *)c + l.run), known);
	c->near = (uint8_t *)c + l.near;
	c->near_width = l.near_width;
	memset((void *)c->near, 0, l.scratch);
	mark_blocks(c, (void *)c->near);
	spread_near(c, l.scratch, scratch);
	free(scratch);
	c->bytes = l.bytes;
	c->references = 1;
	return c;
}

struct cells *cells_from_floats(unsigned int width, unsigned int height,
				double resolution, const struct pose *origin,
				const float *data)
{
	const size_t n = (size_t)width * height;
	struct cells *c;
	int16_t *v;
	struct error why;

	if (cells_check(width, height, 16, resolution, origin, &why))
		return NULL;
	v = malloc(n * sizeof(*v));
	if (!v)
		return NULL;
	/* a float that should be 1 may be slightly larger */
	for (size_t i = 0; i < n; i++) {
		const float value = data[i] * CELLS_FULL_16;

		v[i] = value > -0.5f && value < CELLS_FULL_16 + 0.5f ?
		       lrintf(value) : CELLS_UNKNOWN;
	}
	c = cells_create(width, height, 16, resolution, origin, v);
	free(v);
	return c;
}

struct cells *cells_get(struct cells *c)
{
	__atomic_add_fetch(&c->references, 1, __ATOMIC_RELAXED);
	return c;
}

void cells_put(struct cells *c)
{
	if (c && !__atomic_sub_fetch(&c->references, 1, __ATOMIC_ACQ_REL))
		free(c);
}

/* Sum over one large cell */
struct area {
	double	value, known;
};

/* Cells @from.. of @n that overlap large cell @i; part of the first one */
static double overlap(unsigned int cell, unsigned int large, double ratio)
{
	const double begin = fmax(cell, large * ratio);
	const double end = fmin(cell + 1, (large + 1) * ratio);

	return fmax(end - begin, 0);
}

static struct area cells_area_of(const struct cells *c, unsigned int x,
				 unsigned int y, double ratio)
{
	struct area sum = { 0, 0 };
	unsigned int x1 = fmin(ceil((x + 1) * ratio), c->width);
	unsigned int y1 = fmin(ceil((y + 1) * ratio), c->height);

	for (unsigned int v = y * ratio; v < y1; v++)
		for (unsigned int u = x * ratio; u < x1; u++) {
			const double part = overlap(u, x, ratio) *
					    overlap(v, y, ratio);
			const int value = cells_at(c, u, v);

			if (value < 0)
				continue;
			sum.value += part * value;
			sum.known += part;
		}
	return sum;
}

struct cells *cells_coarser(const struct cells *c, double resolution)
{
	const double ratio = resolution / c->resolution;
	const unsigned int width = ceil(c->width / ratio - 1e-9);
	const unsigned int height = ceil(c->height / ratio - 1e-9);
	int8_t *v8;
	int16_t *v16 = malloc((size_t)width * height * sizeof(*v16));
	struct cells *coarse;

	if (!v16)
		return NULL;
	v8 = (int8_t *)v16;
	for (unsigned int y = 0; y < height; y++)
		for (unsigned int x = 0; x < width; x++) {
			const struct area a = cells_area_of(c, x, y, ratio);
			const size_t i = (size_t)y * width + x;
			const int v = a.known > 0 ?
				      (int)floor(a.value / a.known + 0.5) :
				      CELLS_UNKNOWN;

			if (c->bits == 8)
				v8[i] = v;
			else
				v16[i] = v;
		}
	coarse = cells_create(width, height, c->bits, resolution, &c->origin,
			      v16);
	free(v16);
	return coarse;
}
