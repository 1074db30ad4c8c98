// SPDX-License-Identifier: GPL-2.0-only
/*
 * tiles_send - choose tiles of a map, and distribute them to datagrams
 *
 * Per frame: find the tiles that changed; encode these, then old ones, up to
 * the budget; distribute them in turn to as few datagrams as possible, so that
 * a lost datagram's tiles are spread over the map.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "codec/grid/tiles.h"
#include "codec/grid/tiles_wire.h"

/**
 * struct sent - a tile, and what receivers have of it
 * @x, @y:	in tiles of the grid
 * @hash:	of its cells
 * @owned:	the slot is in use
 * @changed:	it changed since it was sent
 * @known:	receivers may have an older version
 * @begin, @n:	its blocks in the store, in this frame
 * @part, @todo: for a tile in blocks: the next one, and how many are left
 */
struct sent {
	int32_t		x, y;
	uint64_t	hash;
	bool		owned, changed, known;
	uint8_t		part, todo, n;
	uint32_t	begin;
};

struct tiles_encoder {
	unsigned int		max_width, max_height, nx, ny;
	struct sent		*sent;
	struct tilecode		*code;
	uint64_t		unknown;	/* hash of an unknown tile */

	struct map		origin;		/* of the grid */
	struct tiles_header	head;
	struct tiles_range	range;
	unsigned int		pending;
	unsigned int		from[2];	/* tile: to refresh, changed */
	unsigned int		done[2];	/* tiles after that one */

	/* of this frame */
	unsigned int		room, datagrams, most;
	uint32_t		stored, demand;
	uint32_t		last[TILES_DATAGRAMS];	/* its last tile */
	uint8_t			store[2 * (TILES_DATAGRAMS + 2) * TILES_BYTES];
};

static uint64_t hash_of(const int8_t cells[TILES_CELLS])
{
	uint64_t hash = 1;

	for (int i = 0; i < TILES_CELLS; i += 8) {
		hash = (hash ^ get_le64(cells + i)) * 0x9e3779b97f4a7c15;
		hash ^= hash >> 32;
	}
	return hash;
}

struct tiles_encoder *tiles_encoder_create(unsigned int max_width,
					   unsigned int max_height)
{
	struct tiles_encoder *e;
	int8_t cells[TILES_CELLS];

	if (!max_width || max_width > MAP_SIDE_MAX || !max_height ||
	    max_height > MAP_SIDE_MAX)
		return NULL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	e->max_width = max_width;
	e->max_height = max_height;
	e->nx = tiles_across(max_width);
	e->ny = tiles_across(max_height);
	e->sent = calloc((size_t)e->nx * e->ny, sizeof(*e->sent));
	e->code = tilecode_create();
	if (!e->sent || !e->code) {
		tiles_encoder_destroy(e);
		return NULL;
	}
	memset(cells, MAP_UNKNOWN, sizeof(cells));
	e->unknown = hash_of(cells);
	return e;
}

void tiles_encoder_destroy(struct tiles_encoder *e)
{
	if (!e)
		return;
	tilecode_destroy(e->code);
	free(e->sent);
	free(e);
}

unsigned int tiles_pending(const struct tiles_encoder *e)
{
	return e->pending;
}

/* Position of the map on the grid. Return: whether it fits the grid */
static bool place_on_grid(struct tiles_encoder *e, const struct map *m)
{
	double c = cos(e->origin.yaw), s = sin(e->origin.yaw);
	double dx = m->x - e->origin.x, dy = m->y - e->origin.y;
	double left = (c * dx + s * dy) / e->origin.resolution;
	double bottom = (c * dy - s * dx) / e->origin.resolution;

	if (m->resolution != e->origin.resolution || m->yaw != e->origin.yaw ||
	    fabs(left) > TILES_CORNER_MAX / 2 ||
	    fabs(bottom) > TILES_CORNER_MAX / 2 ||
	    fabs(left - rint(left)) > 0.01 ||
	    fabs(bottom - rint(bottom)) > 0.01)
		return false;
	e->head.left = rint(left);
	e->head.bottom = rint(bottom);
	return true;
}

static void tiles_send_settle(struct tiles_encoder *e, const struct map *m)
{
	if (!place_on_grid(e, m)) {
		e->head.grid++;
		e->head.left = e->head.bottom = 0;
		e->origin = *m;
		memset(e->sent, 0, (size_t)e->nx * e->ny * sizeof(*e->sent));
	}
	e->head.map = *m;
	e->range = tiles_range(&e->head);
}

/* The cells of a tile, unknown outside the map */
static void cut_tile(const struct tiles_encoder *e, int32_t tx, int32_t ty,
		     int8_t cells[TILES_CELLS])
{
	const struct map *m = &e->head.map;
	int x = tx * TILECODE_SIDE - e->head.left;
	int y = ty * TILECODE_SIDE - e->head.bottom;
	int from = x < 0 ? -x : 0, to = TILECODE_SIDE;

	if (x + to > (int)m->width)
		to = m->width - x;
	memset(cells, MAP_UNKNOWN, TILES_CELLS);
	for (int i = 0; i < TILECODE_SIDE; i++)
		if (y + i >= 0 && y + i < (int)m->height)
			memcpy(cells + i * TILECODE_SIDE + from, m->cells +
			       (size_t)(y + i) * m->width + x + from,
			       to - from);
}

static struct sent *tile_at(struct tiles_encoder *e, unsigned int i,
			    int32_t *x, int32_t *y)
{
	*x = e->range.x + (int32_t)(i % e->range.nx);
	*y = e->range.y + (int32_t)(i / e->range.nx);
	return &e->sent[tiles_slot(*x, *y, e->nx, e->ny)];
}

static void tiles_send_find_changes(struct tiles_encoder *e)
{
	int8_t cells[TILES_CELLS];
	int32_t x, y;

	e->pending = e->head.known = 0;
	for (unsigned int i = 0; i < e->range.nx * e->range.ny; i++) {
		struct sent *s = tile_at(e, i, &x, &y);
		uint64_t hash;

		if (!s->owned || s->x != x || s->y != y)
			/* receivers may have the slot's old tile */
			*s = (struct sent){ .x = x, .y = y, .owned = true,
					    .hash = e->unknown,
					    .known = s->owned };
		cut_tile(e, x, y, cells);
		hash = hash_of(cells);
		if (hash != s->hash) {
			s->hash = hash;
			s->changed = s->known = true;
			s->todo = 0;
		}
		s->n = 0;
		e->pending += s->changed;
		e->head.known += s->known;
	}
}

/*
 * Encode a block of a tile to the store: 2 bytes of length, whether it is part
 * of the tile, and the payload after the tile's number. Return: whether it fits
 * in a datagram.
 */
static bool store_block(struct tiles_encoder *e, const int8_t *cells,
			unsigned int level, unsigned int number)
{
	unsigned int side = TILECODE_SIDE >> level, plain = side * side;
	uint8_t *start = e->store + e->stored, *p = start + 3;
	uint8_t code[TILES_CELLS];
	int len;

	cells += (number >> level) * side * TILECODE_SIDE +
		 (number & ((1 << level) - 1)) * side;
	len = tilecode_encode(e->code, cells, TILECODE_SIDE, side, code,
			      level ? plain - 1 : e->room);
	if (len < 0 && !level)
		return false;
	if (level)
		*p++ = level << 6 | number;
	p = tiles_put(p, len < 0 ? 0 : len + 1);
	if (len < 0) {
		for (unsigned int y = 0; y < side; y++, p += side)
			memcpy(p, cells + y * TILECODE_SIDE, side);
	} else {
		memcpy(p, code, len);
		p += len;
	}
	put_le16(start, p - start - 3);
	start[2] = level > 0;
	e->stored = p - e->store;
	/* its number usually takes a byte */
	e->demand += p - start - 2;
	return true;
}

static void store_tile(struct tiles_encoder *e, struct sent *s,
		       uint32_t budget)
{
	unsigned int level = 1, blocks;
	int8_t cells[TILES_CELLS];

	cut_tile(e, s->x, s->y, cells);
	s->begin = e->stored;
	if (store_block(e, cells, 0, 0)) {
		s->n = s->todo = 1;
		return;
	}
	while ((unsigned int)TILES_CELLS >> 2 * level >= e->room)
		level++;
	blocks = 1 << 2 * level;
	if (!s->todo || s->todo > blocks)
		s->todo = blocks;
	for (; s->n < s->todo && e->demand < budget; s->n++)
		store_block(e, cells, level, (s->part + s->n) % blocks);
}

static void store_tiles(struct tiles_encoder *e, bool changed, uint32_t budget)
{
	unsigned int n = e->range.nx * e->range.ny, i;
	int32_t x, y;

	e->from[changed] = (e->from[changed] + e->done[changed]) % n;
	for (i = 0; i < n && e->demand < budget; i++) {
		struct sent *s = tile_at(e, (e->from[changed] + i) % n, &x,
					 &y);

		if (!s->n && s->known && s->changed == changed)
			store_tile(e, s, budget);
	}
	e->done[changed] = i;
}

static void open_datagram(struct tiles_encoder *e, struct payloads *out)
{
	uint8_t *p = payload_at(out, e->datagrams);

	assert(e->datagrams < out->max);
	out->len[e->datagrams] = tiles_put_header(p, &e->head) - p;
	e->last[e->datagrams++] = 0;
}

/* A block from the store to datagram @i. Return: whether it fits */
static bool tiles_send_append(struct tiles_encoder *e, struct payloads *out,
			      unsigned int i, uint32_t tile,
			      const uint8_t *block, unsigned int size)
{
	unsigned int len = get_le16(block);
	uint8_t number[5];
	unsigned int all = e->range.nx * e->range.ny;
	uint32_t step = (tile + all - e->last[i]) % all;
	unsigned int n = tiles_put(number, step << 1 | block[2]) - number;
	uint8_t *p = payload_at(out, i) + out->len[i];

	if (out->len[i] + n + len > size)
		return false;
	memcpy(p, number, n);
	memcpy(p + n, block + 3, len);
	out->len[i] += n + len;
	e->last[i] = tile;
	return true;
}

static bool deal(struct tiles_encoder *e, struct payloads *out, uint32_t tile,
		 const uint8_t *block, unsigned int turn, unsigned int size)
{
	unsigned int n = e->datagrams;

	for (unsigned int i = 0; i < n; i++)
		if (tiles_send_append(e, out, (turn + i) % n, tile, block,
				      size))
			return true;
	if (n == e->most)
		return false;
	open_datagram(e, out);
	return tiles_send_append(e, out, n, tile, block, size);
}

/* Return: whether all of a tile's blocks of this frame fit */
static bool deal_tile(struct tiles_encoder *e, struct payloads *out,
		      struct sent *s, uint32_t tile, unsigned int *turn,
		      unsigned int size)
{
	const uint8_t *block = e->store + s->begin;

	for (; s->n; s->n--, block += 3 + get_le16(block)) {
		if (!deal(e, out, tile, block, (*turn)++, size))
			return false;
		s->part = (s->part + 1) & 63;
		assert(s->todo);
		s->todo--;
	}
	if (!s->todo) {
		assert(e->pending >= s->changed);
		e->pending -= s->changed;
		s->changed = false;
	}
	return true;
}

/*
 * Distribute the store to datagrams of @size bytes, with @use for tiles. The
 * next frame continues with the first tile that did not fit.
 */
static void deal_all(struct tiles_encoder *e, struct payloads *out,
		     unsigned int size, unsigned int use)
{
	unsigned int n = e->range.nx * e->range.ny, turn = 0;
	bool full = false;
	int32_t x, y;

	do
		open_datagram(e, out);
	while (e->datagrams < e->most && e->datagrams * use < e->demand);
	for (int changed = 1; changed >= 0; changed--) {
		unsigned int from = e->from[changed], done = 0;

		for (; done < e->done[changed] && !full; done++) {
			unsigned int i = (from + done) % n;
			struct sent *s = tile_at(e, i, &x, &y);

			full = s->n && s->changed == changed &&
			       !deal_tile(e, out, s, i, &turn, size);
		}
		e->done[changed] = done - (done && full);
	}
}

static void add_parity(const struct tiles_encoder *e, struct payloads *out,
		       unsigned int group, unsigned int groups)
{
	uint8_t *p = payload_at(out, out->count);
	unsigned int members = 0, most = 0, sum = 0;

	assert(out->count < out->max);
	memset(p, 0, TILES_PARITY_HEADER);
	for (unsigned int i = group; i < e->datagrams; i += groups) {
		const uint8_t *q = payload_at(out, i);

		if (out->len[i] > most) {
			memset(p + TILES_PARITY_HEADER + most, 0,
			       out->len[i] - most);
			most = out->len[i];
		}
		for (unsigned int k = 0; k < out->len[i]; k++)
			p[TILES_PARITY_HEADER + k] ^= q[k];
		sum ^= out->len[i];
		members++;
	}
	assert(members && members <= TILES_GROUP);
	p[0] = TILES_VERSION << 4 | TILES_PARITY;
	p[1] = group;
	p[2] = members;
	p[3] = e->head.grid;
	put_le16(p + 4, sum);
	out->len[out->count++] = TILES_PARITY_HEADER + most;
}

static void number_all(struct tiles_encoder *e, struct payloads *out,
		       bool parity)
{
	unsigned int groups = parity ?
		(e->datagrams + TILES_GROUP - 1) / TILES_GROUP : TILES_GROUPS;

	out->count = e->datagrams;
	for (unsigned int i = 0; i < e->datagrams; i++) {
		payload_at(out, i)[1] = i % groups;
		payload_at(out, i)[2] = i / groups;
	}
	for (unsigned int i = 0; parity && i < groups; i++)
		add_parity(e, out, i, groups);
}

int tiles_encode(struct tiles_encoder *e, const struct map *map,
		 unsigned int max_datagrams, bool parity,
		 struct payloads *out)
{
	unsigned int size = out->size, most = max_datagrams, use;
	uint8_t head[TILES_HEADER_MAX];

	if (!tiles_map_valid(map, MAP_SIDE_MAX, MAP_SIDE_MAX) || !most ||
	    !out->max || size < TILES_SIZE_MIN)
		return -EINVAL;
	if (map->width > e->max_width || map->height > e->max_height)
		return -E2BIG;
	if (most > out->max)
		most = out->max;
	if (most > TILES_DATAGRAMS)
		most = TILES_DATAGRAMS;
	if (size > TILES_BYTES)
		size = TILES_BYTES;
	parity &= most > 2;
	if (parity) {
		most -= (most + TILES_GROUP) / (TILES_GROUP + 1);
		size -= TILES_PARITY_HEADER;
	}
	tiles_send_settle(e, map);
	tiles_send_find_changes(e);
	e->room = size - TILES_HEADER_MAX - 7;
	e->most = most;
	e->stored = e->demand = e->datagrams = 0;
	use = size - (tiles_put_header(head, &e->head) - head);
	store_tiles(e, true, most * use);
	store_tiles(e, false, most * use);
	deal_all(e, out, size, use);
	number_all(e, out, parity && e->datagrams > 1);
	return 0;
}
