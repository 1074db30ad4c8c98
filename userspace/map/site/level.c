// SPDX-License-Identifier: GPL-2.0-only
/*
 * level - reduce the tiles of a map and compose them
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "map/site/level.h"

enum { SIDE = FUSED_MAP_TILE };

struct rect level_rect(const struct rect *r, double ratio)
{
	const double x0 = floor(r->x / ratio), y0 = floor(r->y / ratio);
	const double x1 = ceil((r->x + (double)r->width) / ratio);
	const double y1 = ceil((r->y + (double)r->height) / ratio);

	return (struct rect){ x0, y0, x1 - x0, y1 - y0 };
}

unsigned int level_factor(const struct rect *bounds, unsigned int layers,
			  size_t most)
{
	unsigned int factor = 1;

	for (;; factor *= 2) {
		const struct rect r = level_rect(bounds, factor);

		if ((double)r.width * r.height * layers <= (double)most)
			return factor;
	}
}

/**
 * struct tiles - the tiles of a map that are in @in
 */
struct tiles {
	struct rect	in, *tile;
	unsigned int	count, room;
	int		err;
};

static void add_tile(void *arg, const struct rect *tile)
{
	struct tiles *t = arg;
	const struct rect in = rect_common(tile, &t->in);

	if (rect_is_empty(&in) || t->err)
		return;
	t->err = array_grow(&t->tile, &t->room, t->count, sizeof(*t->tile));
	if (!t->err) {
		assert(t->count < t->room);
		t->tile[t->count++] = *tile;
	}
}

/**
 * struct square - one large cell that covers many tiles
 */
struct square {
	int		most, least;
	uint64_t	sum, tiles;
};

static void add_value(struct square *s, int v)
{
	if (v < 0)
		return;
	if (!s->tiles || v > s->most)
		s->most = v;
	if (!s->tiles || v < s->least)
		s->least = v;
	s->sum += v;
	s->tiles++;
}

static int16_t square_value(const struct square *s, enum reduce_how how)
{
	if (!s->tiles)
		return -1;
	return how == REDUCE_MAX ? s->most : how == REDUCE_MIN ? s->least :
	       (int)((2 * s->sum + s->tiles) / (2 * s->tiles));
}

/* Order of the squares of @factor cells that contain them */
static int by_square(const void *a, const void *b, void *arg)
{
	const struct rect *s = a, *t = b;
	const int shift = *(const int *)arg;
	const int x = s->x >> shift, y = s->y >> shift;

	if (y != t->y >> shift)
		return y < t->y >> shift ? -1 : 1;
	return (x > t->x >> shift) - (x < t->x >> shift);
}

static void level_put(struct raster *r, int x, int y, int16_t v)
{
	const struct rect at = { x, y, 1, 1 };
	const struct rect in = rect_common(&at, &r->rect);

	if (!rect_is_empty(&in))
		r->cells[(size_t)(y - r->rect.y) * r->rect.width +
			 (x - r->rect.x)] = v;
}

static void level_paste(struct raster *to, const struct raster *from)
{
	for (unsigned int y = 0; y < from->rect.height; y++)
		for (unsigned int x = 0; x < from->rect.width; x++)
			level_put(
				to, from->rect.x + (int)x,
				from->rect.y + (int)y,
				from->cells[(size_t)y * from->rect.width + x]);
}

int level_read(const struct level_source *from, unsigned int factor,
	       enum reduce_how how, struct raster *r)
{
	const unsigned int each = factor < SIDE ? factor : SIDE;
	int shift = __builtin_ctz(factor), err;
	int16_t cells[SIDE * SIDE];
	struct square square = { 0 };
	struct raster small = { 0 };
	struct tiles t = { .in = level_rect(&r->rect, 1.0 / factor) };
	size_t room = 0;

	memset(r->cells, 0xff, (size_t)r->rect.width * r->rect.height *
			       sizeof(*r->cells));
	from->tiles(from->arg, add_tile, &t);
	err = t.err;
	if (t.count)
		qsort_r(t.tile, t.count, sizeof(*t.tile), by_square, &shift);
	for (unsigned int i = 0; i < t.count && !err; i++) {
		struct raster tile = { .rect = t.tile[i], .cells = cells };
		const int x = tile.rect.x >> shift, y = tile.rect.y >> shift;

		err = from->read(from->arg, &tile);
		if (!err)
			err = reduce_raster(&tile, each, how, &small, &room);
		if (err)
			break;
		r->bits = tile.bits;
		r->resolution = tile.resolution * factor;
		if (factor <= SIDE) {
			level_paste(r, &small);
			continue;
		}
		if (i && by_square(&t.tile[i - 1], &t.tile[i], &shift))
			square = (struct square){ 0 };
		add_value(&square, *small.cells);
		level_put(r, x, y, square_value(&square, how));
	}
	free(small.cells);
	free(t.tile);
	return err;
}

struct layer_source {
	struct site	*s;
	unsigned int	layer;
};

static int read_site(void *arg, struct raster *r)
{
	enum { TRIES = 8 };
	const struct layer_source *l = arg;
	int err = -EAGAIN;

	/* tiles may be evicted again at once by other users */
	for (int i = 0; i < TRIES && err == -EAGAIN; i++)
		err = site_read(l->s, l->layer, r);
	return err;
}

static void site_tiles(void *arg, void (*each)(void *arg,
					       const struct rect *tile),
		       void *to)
{
	const struct layer_source *l = arg;

	site_changes(l->s, l->layer, 0, each, to);
}

int level_read_layer(struct site *s, unsigned int layer, unsigned int factor,
		     struct raster *r)
{
	struct layer_source from = { s, layer };
	const struct level_source source = { read_site, site_tiles, &from };
	struct layer l;

	site_layer(s, layer, &l);
	return level_read(&source, factor, reduce_how(&l), r);
}
