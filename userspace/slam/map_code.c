// SPDX-License-Identifier: GPL-2.0-only
/*
 * map_code.c - tiles to bytes, and bytes to tiles
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "slam/map_code.h"

enum {
	TILE_HEAD	= 14,
	TILE_CODE_MAX	= TILE_HEAD + 2 * TILE_SIDE +
			  TILE_SIDE * TILE_SIDE / 4,
};

/**
 * struct tile_code - a tile out of bytes
 * @size:	of these, bytes
 */
struct tile_code {
	struct map_place	place;
	uint64_t		version;
	uint16_t		occupied[TILE_SIDE];
	uint32_t		phase[TILE_SIDE];
	size_t			size;
};

static size_t encode_tile(const struct tile *t, struct map_place place,
			  uint8_t out[TILE_CODE_MAX])
{
	uint16_t rows = 0;
	uint8_t *at = out + TILE_HEAD;
	unsigned int cells = 0;

	for (int row = 0; row < TILE_SIDE; row++) {
		if (!t->occupied[row])
			continue;
		rows |= (uint16_t)(1 << row);
		memcpy(at, &t->occupied[row], 2);
		at += 2;
	}
	for (int row = 0; row < TILE_SIDE; row++) {
		for (unsigned int left = t->occupied[row]; left;
		     left &= left - 1, cells++) {
			const unsigned int phase = t->phase[row] >>
				2 * __builtin_ctz(left) & 3;

			if (cells % 4 == 0)
				*at++ = 0;
			at[-1] |= (uint8_t)(phase << 2 * (cells % 4));
		}
	}
	memcpy(out, &place, 4);
	memcpy(out + 4, &t->version, 8);
	memcpy(out + 12, &rows, 2);
	return (size_t)(at - out);
}

static bool decode_tile(struct tile_code *c, const uint8_t *data, size_t len)
{
	unsigned int cells = 0, seen = 0;
	const uint8_t *at;
	uint16_t rows;

	if (len < TILE_HEAD)
		return false;
	memset(c, 0, sizeof(*c));
	memcpy(&c->place, data, 4);
	memcpy(&c->version, data + 4, 8);
	memcpy(&rows, data + 12, 2);
	at = data + TILE_HEAD;
	c->size = TILE_HEAD + 2 * (size_t)__builtin_popcount(rows);
	if (len < c->size)
		return false;
	for (int row = 0; row < TILE_SIDE; row++) {
		if (!(rows >> row & 1))
			continue;
		memcpy(&c->occupied[row], at, 2);
		cells += (unsigned int)__builtin_popcount(c->occupied[row]);
		at += 2;
	}
	c->size += (cells + 3) / 4;
	if (len < c->size)
		return false;
	for (int row = 0; row < TILE_SIDE; row++) {
		for (unsigned int left = c->occupied[row]; left;
		     left &= left - 1, seen++)
			c->phase[row] |= (uint32_t)
				(at[seen / 4] >> 2 * (seen % 4) & 3) <<
				2 * __builtin_ctz(left);
	}
	return true;
}

static struct map_place place_of(const struct field *f, int i)
{
	return (struct map_place){
		(int16_t)(f->x + i % f->width), (int16_t)(f->y + i / f->width),
	};
}

int map_encode(const struct field *f, struct tiles *pool, uint64_t since,
	       struct bytes *out)
{
	const int16_t *base = tiles_base(pool);
	uint8_t code[TILE_CODE_MAX];
	int count = 0, err = 0;

	for (int i = 0; i < f->width * f->height && !err; i++) {
		const struct tile *t = tile_at(base, f->tile[i]);

		if (!f->tile[i] || t->version < since)
			continue;
		err = bytes_append(out, code,
				   encode_tile(t, place_of(f, i), code));
		count++;
	}
	return err ? err : count;
}

int map_encode_places(const struct field *f, struct tiles *pool,
		      const struct map_place *place, uint32_t count,
		      struct bytes *out)
{
	const int16_t *base = tiles_base(pool);
	uint8_t code[TILE_CODE_MAX];
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++)
		err = bytes_append(out, code, encode_tile(
			tile_at(base, field_tile(f, place[i].x, place[i].y)),
			place[i], code));
	return err ? err : (int)count;
}

static int put_tile(struct field *f, struct tiles *pool,
		    const struct tile_code *c)
{
	const int x = c->place.x, y = c->place.y;
	struct tile *t;
	tile_id *id;
	int err = field_grow(f, x, y, x, y);

	if (err)
		return err;
	id = f->tile + (size_t)(y - f->y) * f->width + x - f->x;
	tiles_release(pool, *id);
	*id = 0;
	/* nobody ever wrote there */
	if (!c->version)
		return 0;
	err = tiles_own(pool, id);
	if (err)
		return err;
	t = tile_at(tiles_base(pool), *id);
	memcpy(t->occupied, c->occupied, sizeof(t->occupied));
	memcpy(t->phase, c->phase, sizeof(t->phase));
	t->version = c->version;
	return 0;
}

int map_decode(struct field *f, struct tiles *pool,
	       const struct field_kernel *k, const void *data, size_t len)
{
	struct tile_code c;
	size_t at;
	int err = 0;

	for (at = 0; at < len && !err; at += c.size) {
		if (!decode_tile(&c, (const uint8_t *)data + at, len - at))
			return -EBADMSG;
		err = put_tile(f, pool, &c);
	}
	/* all cells first: a tile's field has what its neighbours do to it */
	for (at = 0; at < len && !err; at += c.size) {
		decode_tile(&c, (const uint8_t *)data + at, len - at);
		if (field_tile(f, c.place.x, c.place.y))
			field_draw(f, pool, k, c.place.x, c.place.y);
	}
	return err;
}

/* @mark: [tile of @f] whether it is among those that come */
static int mark_coming(const struct field *f, const void *data, size_t len,
		       uint8_t *mark)
{
	struct tile_code c;

	for (size_t at = 0; at < len; at += c.size) {
		int x, y;

		if (!decode_tile(&c, (const uint8_t *)data + at, len - at))
			return -EBADMSG;
		x = c.place.x - f->x;
		y = c.place.y - f->y;
		if (x >= 0 && x < f->width && y >= 0 && y < f->height)
			mark[y * f->width + x] = 1;
	}
	return 0;
}

int map_stale(const struct field *f, struct tiles *pool, uint64_t since,
	      const void *data, size_t len, struct map_place **place)
{
	const int16_t *base = tiles_base(pool);
	const int all = f->width * f->height;
	uint8_t *mark = calloc((size_t)all + 1, 1);
	int count = 0, err;

	*place = malloc(((size_t)all + 1) * sizeof(**place));
	err = mark && *place ? mark_coming(f, data, len, mark) : -ENOMEM;
	for (int i = 0; i < all && !err; i++) {
		if (f->tile[i] && !mark[i] &&
		    tile_at(base, f->tile[i])->version >= since)
			(*place)[count++] = place_of(f, i);
	}
	free(mark);
	if (err) {
		free(*place);
		*place = NULL;
	}
	return err ? err : count;
}
