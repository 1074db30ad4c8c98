// SPDX-License-Identifier: GPL-2.0-only
/*
 * field.c - endpoints occupy cells, and those raise the field around them
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "slam/field.h"

#define CELL_MASK	(TILE_SIDE - 1)

void field_kernel_init(struct field_kernel *k, double sigma, double ratio)
{
	const double top = log1p(ratio);

	memset(k, 0, sizeof(*k));
	for (int i = 0; i < FIELD_PHASES * FIELD_ACROSS * FIELD_ACROSS; i++) {
		const int column = i % FIELD_ACROSS;
		const int row = i / FIELD_ACROSS % FIELD_ACROSS;
		const int phase = i / (FIELD_ACROSS * FIELD_ACROSS);
		const double x = column - FIELD_RADIUS + 0.25 -
			(phase & 1) * 0.5;
		const double y = row - FIELD_RADIUS + 0.25 -
			(phase >> 1) * 0.5;
		const double g = ratio *
			exp(-(x * x + y * y) / (2 * sigma * sigma));

		k->value[phase][row][FIELD_SPARE + column] =
			(uint8_t)lrint(FIELD_MAX * log1p(g) / top);
	}
}

void field_init(struct field *f)
{
	*f = (struct field){ .width = 0 };
}

void field_free(struct field *f, struct tiles *pool)
{
	for (int i = 0; i < f->width * f->height; i++)
		tiles_release(pool, f->tile[i]);
	free(f->tile);
	field_init(f);
}

int field_copy(struct field *to, const struct field *from, struct tiles *pool)
{
	const int count = from->width * from->height;
	tile_id *tile = NULL;

	if (to == from)
		return 0;
	if (count) {
		tile = malloc(count * sizeof(*tile));
		if (!tile)
			return -ENOMEM;
		memcpy(tile, from->tile, count * sizeof(*tile));
	}
	for (int i = 0; i < count; i++)
		tiles_hold(pool, tile[i]);
	field_free(to, pool);
	*to = *from;
	to->tile = tile;
	return 0;
}

static int min_int(int a, int b)
{
	return a < b ? a : b;
}

static int max_int(int a, int b)
{
	return a > b ? a : b;
}

int field_grow(struct field *f, int x0, int y0, int x1, int y1)
{
	const bool empty = !f->width;
	const int left = empty ? x0 : min_int(f->x, x0);
	const int low = empty ? y0 : min_int(f->y, y0);
	const int right = empty ? x1 : max_int(f->x + f->width - 1, x1);
	const int high = empty ? y1 : max_int(f->y + f->height - 1, y1);
	const int width = right - left + 1, height = high - low + 1;
	tile_id *tile;

	if (width == f->width && height == f->height)
		return 0;
	if (width > FIELD_TILES_MAX || height > FIELD_TILES_MAX)
		return -ERANGE;
	tile = calloc((size_t)width * height, sizeof(*tile));
	if (!tile)
		return -ENOMEM;
	for (int y = 0; y < f->height; y++)
		memcpy(tile + (size_t)(f->y - low + y) * width + f->x - left,
		       f->tile + (size_t)y * f->width,
		       f->width * sizeof(*tile));
	free(f->tile);
	*f = (struct field){ left, low, width, height, tile };
	return 0;
}

/* The field of one tile, whose first cell is (0, 0), around cell (@x, @y) */
static void raise_tile(struct tile *t, const struct field_kernel *k,
		       unsigned int phase, int x, int y)
{
	const int first = max_int(y - FIELD_RADIUS, 0);
	const int last = min_int(y + FIELD_RADIUS, TILE_SIDE);

	/* beyond that there is no kernel to read */
	if (x < -FIELD_RADIUS || x > TILE_SIDE + FIELD_RADIUS)
		return;
	for (int row = first; row <= last; row++) {
		uint8_t *to = t->field + row * TILE_STRIDE;
		const uint8_t *from = k->value[phase][row - y + FIELD_RADIUS] +
			FIELD_SPARE + FIELD_RADIUS - x;

		for (int i = 0; i < TILE_SIDE; i++)
			to[i] = to[i] > from[i] ? to[i] : from[i];
		if (to[TILE_SIDE] < from[TILE_SIDE])
			to[TILE_SIDE] = from[TILE_SIDE];
	}
}

static int raise_around(struct field *f, struct tiles *pool,
			const struct field_kernel *k, unsigned int phase,
			int x, int y, uint64_t version)
{
	/* a tile ends with the first cells of the next one */
	const int x0 = (x - FIELD_RADIUS - 1) >> TILE_BITS;
	const int y0 = (y - FIELD_RADIUS - 1) >> TILE_BITS;
	const int x1 = (x + FIELD_RADIUS) >> TILE_BITS;
	const int y1 = (y + FIELD_RADIUS) >> TILE_BITS;
	const uint8_t *base = tiles_base(pool);
	int err = field_grow(f, x0, y0, x1, y1);

	for (int ty = y0; !err && ty <= y1; ty++) {
		for (int tx = x0; !err && tx <= x1; tx++) {
			tile_id *id = f->tile + (size_t)(ty - f->y) *
				f->width + tx - f->x;

			err = tiles_own(pool, id);
			if (err)
				break;
			tile_head_at(base, *id)->version = version;
			raise_tile(tile_at(base, *id), k, phase,
				   x - tx * TILE_SIDE, y - ty * TILE_SIDE);
		}
	}
	return err;
}

int field_hit(struct field *f, struct tiles *pool,
	      const struct field_kernel *k, int x, int y, uint64_t version)
{
	const int cx = x >> FIELD_BITS, cy = y >> FIELD_BITS;
	const int tx = cx >> TILE_BITS, ty = cy >> TILE_BITS;
	const int column = cx & CELL_MASK, row = cy & CELL_MASK;
	const unsigned int phase = (x >> (FIELD_BITS - 1) & 1) |
		(y >> (FIELD_BITS - 1) & 1) << 1;
	tile_id id = field_tile(f, tx, ty);
	struct tile *t = tile_at(tiles_base(pool), id);
	int err;

	/* number 0 has none */
	if (t->occupied[row] >> column & 1)
		return 0;
	err = raise_around(f, pool, k, phase, cx, cy, version);
	if (err)
		return err;
	t = tile_at(tiles_base(pool), field_tile(f, tx, ty));
	t->occupied[row] |= 1U << column;
	t->phase[row] |= phase << 2 * column;
	return 0;
}

/* What the occupied cells of tile @from do to the tile (@dx, @dy) beside it */
static void draw_from(struct tile *to, const struct tile *from,
		      const struct field_kernel *k, int dx, int dy)
{
	for (int row = 0; row < TILE_SIDE; row++) {
		for (unsigned int left = from->occupied[row]; left;
		     left &= left - 1) {
			const int column = __builtin_ctz(left);

			raise_tile(to, k, from->phase[row] >> 2 * column & 3,
				   column - dx * TILE_SIDE,
				   row - dy * TILE_SIDE);
		}
	}
}

void field_draw(struct field *f, struct tiles *pool,
		const struct field_kernel *k, int tx, int ty)
{
	const uint8_t *base = tiles_base(pool);
	struct tile *t = tile_at(base, field_tile(f, tx, ty));

	for (int y = -1; y <= 1; y++) {
		for (int x = -1; x <= 1; x++)
			draw_from(t, tile_at(base, field_tile(f, tx + x,
							      ty + y)),
				  k, -x, -y);
	}
}
