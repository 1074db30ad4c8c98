// SPDX-License-Identifier: GPL-2.0-only
/*
 * resampled - draw submaps into the map grid, tile by tile
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "map/fusion/resampled.h"
#include "map/fusion/sample.h"
#include "map/fusion/splat.h"

enum { PREFETCH = 1 << 16 };	/* cells that fit into a cache */

/* Below this ratio every map cell contains the centre of a submap cell */
static const double HOLES = 0.7071;
static const double FINER = 0.999;

/**
 * struct resampler - buffers for one submap
 * @blocks:	capacity
 */
struct resampler {
	void			*window;
	struct resampled_tile	*tile;
	unsigned int		tiles, tile_room;
	uint16_t		*at;
	char			*cells;
	unsigned int		blocks, block_room;
};

struct resampler *resampler_create(void)
{
	return calloc(1, sizeof(struct resampler));
}

void resampler_destroy(struct resampler *a)
{
	if (!a)
		return;
	free(a->window);
	free(a->tile);
	free(a->at);
	free(a->cells);
	free(a);
}

/* Make room for one more tile. Return: 0, -1: no memory */
static int resampled_make_room(struct resampler *a)
{
	if (a->tiles == a->tile_room) {
		const unsigned int more = a->tile_room ? 2 * a->tile_room : 64;
		void *p = realloc(a->tile, more * sizeof(*a->tile));

		if (!p)
			return -1;
		a->tile = p;
		a->tile_room = more;
	}
	if (a->blocks + TILE_BLOCKS > a->block_room) {
		const unsigned int more = 2 * a->block_room + TILE_BLOCKS;
		void *at = realloc(a->at, more * sizeof(*a->at));
		void *cells;

		if (!at)
			return -1;
		a->at = at;
		cells = realloc(a->cells, (size_t)more * RULE_STEP * 2);
		if (!cells)
			return -1;
		a->cells = cells;
		a->block_room = more;
	}
	return 0;
}

/* Blocks of a window with known cells, if none need be sampled */
static unsigned int resampled_collect(void *from, size_t size, uint16_t *at,
				      char *cells)
{
	const uint64_t signs = size == 1 ? 0x8080808080808080ULL :
					   0x8000800080008000ULL;
	const size_t bytes = RULE_STEP * size;
	unsigned int n = 0;

	for (unsigned int i = 0; i < TILE_CELLS; i += RULE_STEP) {
		char *p = (char *)from + size *
			((size_t)(i / TILE_SIDE) * SPLAT_STRIDE +
			 i % TILE_SIDE);
		uint64_t all = signs, v;

		for (size_t k = 0; k < bytes; k += sizeof(v)) {
			memcpy(&v, p + k, sizeof(v));
			all &= v;
		}
		if (all == signs)
			continue;
		memcpy(cells + n * bytes, p, bytes);
		memset(p, 0xff, bytes);
		at[n++] = i;
	}
	return n;
}

/* @under: splatted cells of the tile, or NULL */
static int resampled_draw_tile(struct resampler *a, const struct transform *way,
			       int x, int y, void *under)
{
	const size_t size = way->c->bits / 8;
	unsigned int n;
	uint16_t *at;
	char *cells;

	if (resampled_make_room(a))
		return -1;
	at = a->at + a->blocks;
	cells = a->cells + (size_t)a->blocks * RULE_STEP * size;
	if (under && way->ratio <= HOLES)
		n = resampled_collect(under, size, at, cells);
	else
		n = sample_tile(way, x, y, under, SPLAT_STRIDE, at, cells);
	if (!n)
		return 0;
	a->tile[a->tiles++] = (struct resampled_tile){ x, y, a->blocks, n };
	assert(n <= TILE_CELLS / RULE_STEP);
	a->blocks += n;
	return 0;
}

static int draw_tiles(struct resampler *a, const struct transform *way,
		      const struct rect *tiles, bool splatted)
{
	int err = 0;

	/* splatted cells are removed again: the window is always unknown */
	if (splatted && !a->window) {
		a->window = aligned_alloc(64, SPLAT_BYTES);
		if (!a->window)
			return -1;
		memset(a->window, 0xff, SPLAT_BYTES);
	}
	if (splatted)
		splat(way, tiles, a->window);
	for (unsigned int y = 0; y < tiles->height; y++)
		for (unsigned int x = 0; x < tiles->width && !err; x++)
			err = resampled_draw_tile(
				a, way, tiles->x + (int)x, tiles->y + (int)y,
				splatted ? splat_tile(a->window, way->c->bits,
						      x, y) :
					   NULL);
	/* cells in the guard may be within the next window */
	if (splatted && (tiles->width == SPLAT_TILES ||
			 tiles->height == SPLAT_TILES || err))
		memset(a->window, 0xff, SPLAT_BYTES);
	return err;
}

/*
 * Cells are about to be looked up along lines in any direction, which no CPU
 * predicts
 */
static void prefetch(const struct cells *c)
{
	enum { LINE = 64 };
	const unsigned int size = c->bits / 8;

	if (c->known > PREFETCH)
		return;
	for (unsigned int i = 0; i < c->runs; i++) {
		const struct cells_run *r = &c->run[i];
		const char *p = (const char *)c->data + size *
				((size_t)r->row * c->width + r->column);
		const char *end = p + r->count * size;

		for (; p < end; p += LINE)
			__builtin_prefetch(p);
		__builtin_prefetch(end - 1);
	}
}

/* Window by window: most submaps fit into one */
static int resampled_draw(struct resampler *a, const struct transform *way,
			  bool splatted)
{
	const struct rect *b = &way->bounds;
	const int left = tile_of(b->x), low = tile_of(b->y);
	const int right = tile_of(b->x + (int)b->width - 1);
	const int high = tile_of(b->y + (int)b->height - 1);
	int err = 0;

	a->tiles = a->blocks = 0;
	if (!splatted)
		prefetch(way->c);
	for (int y = low; y <= high; y += SPLAT_TILES)
		for (int x = left; x <= right && !err; x += SPLAT_TILES) {
			const struct rect tiles = { x, y,
				right - x < SPLAT_TILES ? right - x + 1 :
							  SPLAT_TILES,
				high - y < SPLAT_TILES ? high - y + 1 :
							 SPLAT_TILES };

			err = draw_tiles(a, way, &tiles, splatted);
		}
	return err;
}

/* Copy into one block of memory of the exact size */
static struct resampled *resampled_keep(const struct resampler *a,
					unsigned int bits, bool weighted)
{
	const size_t cells = (size_t)a->blocks * RULE_STEP;
	const size_t tiles = a->tiles * sizeof(*a->tile);
	const size_t at = (a->blocks * sizeof(*a->at) + 15) & ~(size_t)15;
	const size_t bytes = sizeof(struct resampled) + tiles + at +
			     cells * (bits / 8) + (weighted ? cells : 0);
	struct resampled *d = malloc(bytes);
	char *p = (char *)(d + 1);

	if (!d)
		return NULL;
	*d = (struct resampled){
		.tiles = a->tiles, .blocks = a->blocks, .bits = bits,
		.tile = (void *)p, .at = (void *)(p + tiles),
		.cells = p + tiles + at,
		.weights = weighted ? (void *)(p + tiles + at +
					       cells * (bits / 8)) : NULL,
		.bytes = bytes,
	};
	memcpy(d->tile, a->tile, tiles);
	memcpy(d->at, a->at, a->blocks * sizeof(*a->at));
	memcpy(d->cells, a->cells, cells * (bits / 8));
	return d;
}

static struct cells *resampled_coarse(const struct cells *c, double resolution)
{
	return c->resolution > FINER * resolution ?
	       cells_get((struct cells *)c) : cells_coarser(c, resolution);
}

/* Weights are always sampled: a splatted cell gets those around it */
static int draw_weights(struct resampled *d, const struct cells *weights,
			const struct pose *frame, double resolution)
{
	struct cells *c = resampled_coarse(weights, resolution);
	struct transform way;

	if (!c)
		return -1;
	way = transform_find(c, frame, resolution);
	for (unsigned int i = 0; i < d->tiles; i++) {
		const struct resampled_tile *t = &d->tile[i];

		sample_blocks(&way, t->x, t->y, d->at + t->first, t->count,
			      d->weights + (size_t)t->first * RULE_STEP);
	}
	cells_put(c);
	return 0;
}

bool resampled_fits(const struct cells *c, const struct pose *frame,
		    double resolution)
{
	const double side = hypot(c->width, c->height) * c->resolution /
			    resolution / TILE_SIDE + 2;
	const struct transform way = side < RESAMPLED_TILES ?
			       transform_find(c, frame, resolution) :
			       (struct transform){ 0 };

	return side < RESAMPLED_TILES &&
	       (double)way.bounds.width * way.bounds.height <
	       (double)RESAMPLED_TILES * TILE_CELLS;
}

struct resampled *resampled_make(struct resampler *a, const struct cells *c,
				 const struct cells *weights,
				 const struct pose *frame, double resolution,
				 bool splatted)
{
	struct cells *fit = splatted ? cells_get((struct cells *)c) :
				       resampled_coarse(c, resolution);
	struct resampled *d = NULL;
	struct transform way;

	if (!fit)
		return NULL;
	way = transform_find(fit, frame, resolution);
	if (!resampled_draw(a, &way, splatted))
		d = resampled_keep(a, fit->bits, weights != NULL);
	cells_put(fit);
	if (d && weights && draw_weights(d, weights, frame, resolution)) {
		resampled_free(d);
		return NULL;
	}
	return d;
}

void resampled_free(struct resampled *d)
{
	free(d);
}
