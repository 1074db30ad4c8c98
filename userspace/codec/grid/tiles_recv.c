// SPDX-License-Identifier: GPL-2.0-only
/*
 * tiles_recv - a map from the received tiles
 *
 * Tiles are in slots of a torus, and stay there while the map grows or moves;
 * the viewer's map is copied from them.
 */
#include <stdlib.h>
#include <string.h>
#include "codec/grid/tiles.h"
#include "codec/grid/tiles_wire.h"

/**
 * struct tile - state of a tile
 * @x, @y:	in tiles of the grid
 * @frame:	its frame
 * @here:	it was received
 * @changed:	since the last tiles_finish()
 * @shown:	tiles_finish() has shown that change
 */
struct tile {
	int32_t		x, y;
	uint32_t	frame;
	bool		here, changed, shown;
	int8_t		cells[TILES_CELLS];
};

/**
 * struct group - exclusive or of the payloads received in this frame
 * @seen:	a bit for each member, and for the parity
 * @members:	their number, from the parity
 */
struct group {
	uint16_t	seen;
	uint8_t		members;
	uint16_t	len;
	uint8_t		bytes[TILES_BYTES];
};

struct tiles_decoder {
	unsigned int		max_width, max_height, nx, ny;
	struct tile		*tiles;
	int8_t			*cells;
	struct tilecode		*code;

	bool			any;		/* received something */
	bool			resized;	/* the grid changed */
	uint32_t		frame, newest;
	struct tiles_header	head;		/* of the newest */
	struct tiles_range	range;
	struct tiles_header	shown;		/* of the last tiles_finish() */
	struct group		groups[TILES_GROUPS];
};

enum { SEEN_PARITY = 1 << TILES_GROUP };

struct tiles_decoder *tiles_decoder_create(unsigned int max_width,
					   unsigned int max_height)
{
	struct tiles_decoder *d;

	if (!max_width || max_width > MAP_SIDE_MAX || !max_height ||
	    max_height > MAP_SIDE_MAX)
		return NULL;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	d->max_width = max_width;
	d->max_height = max_height;
	d->nx = tiles_across(max_width);
	d->ny = tiles_across(max_height);
	d->tiles = calloc((size_t)d->nx * d->ny, sizeof(*d->tiles));
	d->cells = malloc((size_t)max_width * max_height);
	d->code = tilecode_create();
	if (!d->tiles || !d->cells || !d->code) {
		tiles_decoder_destroy(d);
		return NULL;
	}
	return d;
}

void tiles_decoder_destroy(struct tiles_decoder *d)
{
	if (!d)
		return;
	tilecode_destroy(d->code);
	free(d->cells);
	free(d->tiles);
	free(d);
}

void tiles_begin(struct tiles_decoder *d, uint32_t frame)
{
	if (d->any && frame == d->frame)
		return;
	d->frame = frame;
	for (int i = 0; i < TILES_GROUPS; i++)
		if (d->groups[i].seen)
			memset(&d->groups[i], 0, sizeof(d->groups[i]));
}

/**
 * struct block - a block of a payload
 * @number: of the tile in the map
 */
struct block {
	uint32_t	number;
	unsigned int	level, part, side;
	bool		plain;
	const uint8_t	*code;
	uint32_t	len;
};

/* Return: the end of the block; NULL: invalid */
static const uint8_t *get_block(const uint8_t *p, const uint8_t *end,
				uint32_t tiles, struct block *b)
{
	uint32_t number;

	p = tiles_get(p, end, &number);
	if (!p || number >> 1 >= tiles)
		return NULL;
	b->number = (b->number + (number >> 1)) % tiles;
	b->level = b->part = 0;
	if (number & 1) {
		if (p == end)
			return NULL;
		b->level = *p >> 6;
		b->part = *p++ & 63;
		if (!b->level || b->part >> 2 * b->level)
			return NULL;
	}
	b->side = TILECODE_SIDE >> b->level;
	p = tiles_get(p, end, &b->len);
	b->plain = p && !b->len;
	b->len = b->plain ? b->side * b->side : b->len - 1;
	b->code = p;
	if (!p || b->len > (size_t)(end - p))
		return NULL;
	return p + b->len;
}

/* The tile of a block; cleared if its slot held another tile */
static struct tile *tiles_recv_tile_of(struct tiles_decoder *d,
				       const struct tiles_range *r,
				       uint32_t number)
{
	int32_t x = r->x + (int32_t)(number % r->nx);
	int32_t y = r->y + (int32_t)(number / r->nx);
	struct tile *t = &d->tiles[tiles_slot(x, y, d->nx, d->ny)];

	/* a late frame must not replace a newer tile in its slot */
	if (t->here && (t->x != x || t->y != y) &&
	    (int32_t)(d->frame - t->frame) < 0)
		return NULL;
	if (!t->here || t->x != x || t->y != y) {
		t->x = x;
		t->y = y;
		t->here = false;
		t->frame = d->frame;
		memset(t->cells, MAP_UNKNOWN, sizeof(t->cells));
	}
	return t;
}

static void take_block(struct tiles_decoder *d, const struct tiles_range *r,
		       const struct block *b)
{
	struct tile *t = tiles_recv_tile_of(d, r, b->number);
	unsigned int mask = (1 << b->level) - 1;
	int8_t cells[TILES_CELLS], *at;

	if (!t || (t->here && (int32_t)(d->frame - t->frame) < 0))
		return;
	if (b->plain)
		memcpy(cells, b->code, b->len);
	else if (tilecode_decode(d->code, cells, b->side, b->side, b->code,
				 b->len))
		return;
	t->frame = d->frame;
	t->here = true;
	at = t->cells + (b->part >> b->level) * b->side * TILECODE_SIDE +
	     (b->part & mask) * b->side;
	for (unsigned int y = 0; y < b->side; y++, at += TILECODE_SIDE) {
		if (!memcmp(at, cells + y * b->side, b->side))
			continue;
		memcpy(at, cells + y * b->side, b->side);
		t->changed = true;
	}
}

/* Return: whether this frame's map has the grid of our tiles, or a newer one */
static bool adopt(struct tiles_decoder *d, const struct tiles_header *h,
		  const struct tiles_range *r)
{
	int32_t ahead = d->frame - d->newest;

	if (d->any && h->grid != d->head.grid) {
		if (ahead <= 0)
			return false;
		for (size_t i = 0; i < (size_t)d->nx * d->ny; i++)
			d->tiles[i].here = false;
		d->resized = true;
	}
	if (!d->any || ahead >= 0) {
		d->head = *h;
		d->range = *r;
		d->newest = d->frame;
		d->any = true;
	}
	return true;
}

static int take_tiles(struct tiles_decoder *d, const uint8_t *payload,
		      size_t len)
{
	const uint8_t *end = payload + len, *start, *p;
	struct tiles_header h;
	struct tiles_range r;
	struct block b = { 0 };

	start = tiles_get_header(payload, len, &h);
	if (!start || !tiles_map_valid(&h.map, MAP_SIDE_MAX, MAP_SIDE_MAX))
		return -EINVAL;
	if (h.map.width > d->max_width || h.map.height > d->max_height)
		return -E2BIG;
	r = tiles_range(&h);
	for (p = start; p && p < end;)
		p = get_block(p, end, r.nx * r.ny, &b);
	if (!p)
		return -EINVAL;
	if (!adopt(d, &h, &r))
		return -EPROTO;
	b.number = 0;
	for (p = start; p < end;) {
		p = get_block(p, end, r.nx * r.ny, &b);
		take_block(d, &r, &b);
	}
	return 0;
}

static void add_to(struct group *g, unsigned int len, const uint8_t *bytes,
		   size_t n)
{
	g->len ^= len;
	for (size_t i = 0; i < n; i++)
		g->bytes[i] ^= bytes[i];
}

/* Restore the only missing payload of a group */
static void recover(struct tiles_decoder *d, unsigned int group)
{
	struct group *g = &d->groups[group];
	unsigned int all = (1U << g->members) - 1, missing;

	missing = all & ~g->seen;
	if (!(g->seen & SEEN_PARITY) || __builtin_popcount(missing) != 1 ||
	    g->len < TILES_COMMON || g->len > TILES_BYTES ||
	    g->bytes[0] >> 4 != TILES_VERSION || g->bytes[0] & TILES_PARITY ||
	    g->bytes[1] != group || 1U << (g->bytes[2] & 31) != missing)
		return;
	if (!take_tiles(d, g->bytes, g->len))
		g->seen |= missing;
}

int tiles_add(struct tiles_decoder *d, const void *payload, size_t len)
{
	const uint8_t *p = payload;
	struct group *g;
	unsigned int bit;
	int err;

	if (len < TILES_PARITY_HEADER || len > TILES_BYTES ||
	    p[0] >> 4 != TILES_VERSION || p[1] >= TILES_GROUPS)
		return -EINVAL;
	g = &d->groups[p[1]];
	if (p[0] & TILES_PARITY) {
		if (!p[2] || p[2] > TILES_GROUP)
			return -EINVAL;
		bit = SEEN_PARITY;
	} else {
		if (p[2] >= TILES_GROUP)
			return -EINVAL;
		bit = 1 << p[2];
	}
	if (g->seen & bit)
		return -EEXIST;
	if (bit == SEEN_PARITY) {
		g->members = p[2];
		add_to(g, get_le16(p + 4), p + TILES_PARITY_HEADER,
		       len - TILES_PARITY_HEADER);
	} else {
		err = take_tiles(d, p, len);
		if (err)
			return err;
		add_to(g, len, p, len);
	}
	g->seen |= bit;
	recover(d, p[1]);
	return 0;
}

/* Tile @i of the newest map, NULL if it was not received */
static struct tile *shown_tile(const struct tiles_decoder *d, unsigned int i)
{
	int32_t x = d->range.x + (int32_t)(i % d->range.nx);
	int32_t y = d->range.y + (int32_t)(i / d->range.nx);
	struct tile *t = &d->tiles[tiles_slot(x, y, d->nx, d->ny)];

	return t->here && t->x == x && t->y == y ? t : NULL;
}

/* The part of tile @i inside the map; (x0, y0): its first cell on the map */
static struct tiles_area tiles_recv_clip(const struct tiles_decoder *d,
					 unsigned int i, unsigned int *x0,
					 unsigned int *y0)
{
	const struct map *m = &d->head.map;
	int x = (d->range.x + (int)(i % d->range.nx)) * TILECODE_SIDE -
		d->head.left;
	int y = (d->range.y + (int)(i / d->range.nx)) * TILECODE_SIDE -
		d->head.bottom;
	int right = x + TILECODE_SIDE, top = y + TILECODE_SIDE;
	struct tiles_area a = { .x = x < 0 ? 0 : x, .y = y < 0 ? 0 : y };

	*x0 = a.x - x;
	*y0 = a.y - y;
	a.width = (right < (int)m->width ? right : (int)m->width) - (int)a.x;
	a.height = (top < (int)m->height ? top : (int)m->height) - (int)a.y;
	return a;
}

static void tiles_recv_paste(struct tiles_decoder *d, unsigned int i,
			     const struct tile *t)
{
	unsigned int x0, y0;
	struct tiles_area a = tiles_recv_clip(d, i, &x0, &y0);

	for (unsigned int y = 0; y < a.height; y++) {
		int8_t *to = d->cells + (size_t)(a.y + y) *
			     d->head.map.width + a.x;

		if (t)
			memcpy(to, t->cells + (y0 + y) * TILECODE_SIDE + x0,
			       a.width);
		else
			memset(to, MAP_UNKNOWN, a.width);
	}
}

size_t tiles_cells(const struct tiles_decoder *d)
{
	return d->any ? (size_t)d->head.map.width * d->head.map.height : 0;
}

int tiles_finish(struct tiles_decoder *d, struct map *map)
{
	bool all = d->resized || d->head.left != d->shown.left ||
		   d->head.bottom != d->shown.bottom ||
		   d->head.map.width != d->shown.map.width ||
		   d->head.map.height != d->shown.map.height;

	if (!d->any)
		return -ENODATA;
	for (unsigned int i = 0; i < d->range.nx * d->range.ny; i++) {
		struct tile *t = shown_tile(d, i);

		if (all || (t && t->changed))
			tiles_recv_paste(d, i, t);
		if (t) {
			t->shown = t->changed;
			t->changed = false;
		}
	}
	d->resized = false;
	d->shown = d->head;
	*map = d->head.map;
	map->cells = d->cells;
	return 0;
}

bool tiles_changed(const struct tiles_decoder *d, unsigned int *cursor,
		   struct tiles_area *area)
{
	unsigned int x0, y0;

	while (*cursor < d->range.nx * d->range.ny) {
		unsigned int i = (*cursor)++;
		const struct tile *t = shown_tile(d, i);

		if (!t || !t->shown)
			continue;
		*area = tiles_recv_clip(d, i, &x0, &y0);
		return true;
	}
	return false;
}

int64_t tiles_age(const struct tiles_decoder *d, unsigned int x,
		  unsigned int y)
{
	int32_t tx = tiles_of(d->head.left + (int)x) - d->range.x;
	int32_t ty = tiles_of(d->head.bottom + (int)y) - d->range.y;
	const struct tile *t;

	if (x >= d->head.map.width || y >= d->head.map.height)
		return -1;
	t = shown_tile(d, ty * d->range.nx + tx);
	return t ? (int64_t)(d->newest - t->frame) : -1;
}

struct tiles_share tiles_share(const struct tiles_decoder *d)
{
	struct tiles_share share = { .known = d->head.known };

	for (unsigned int i = 0; i < d->range.nx * d->range.ny; i++)
		share.received += shown_tile(d, i) != NULL;
	/* a forged header may know of fewer */
	if (share.known < share.received)
		share.known = share.received;
	return share;
}
