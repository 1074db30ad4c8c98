// SPDX-License-Identifier: GPL-2.0-only
/*
 * map_code.c - encode and decode tiles
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "slam/filter/map_code.h"

enum { HEAD = 12 };

/* Room to decode a tile */
union tile_room {
	struct tile_head	head;
	uint8_t			bytes[TILE_BYTES_MAX];
} __attribute__((aligned(64)));

static int append_tile(struct bytes *out, const struct tiles *pool,
		       const struct tile_head *t, struct map_place place)
{
	uint8_t code[HEAD + TILE_CODE_MAX];

	memcpy(code, &place, 4);
	memcpy(code + 4, &t->version, 8);
	return bytes_append(out, code, HEAD +
			    tiles_kind(pool)->encode(t, code + HEAD));
}

/* Return: its bytes; 0: incomplete */
static size_t decode_tile(const struct tiles *pool, union tile_room *t,
			  struct map_place *place, const uint8_t *data,
			  size_t len)
{
	size_t size;

	if (len < HEAD)
		return 0;
	memset(t, 0, tiles_kind(pool)->bytes);
	memcpy(place, data, 4);
	memcpy(&t->head.version, data + 4, 8);
	size = tiles_kind(pool)->decode(&t->head, data + HEAD, len - HEAD);
	return size ? HEAD + size : 0;
}

int map_encode(const struct likelihood_field *f, struct tiles *pool,
	       uint64_t since, struct bytes *out)
{
	const uint8_t *base = tiles_base(pool);
	int count = 0, err = 0, x, y;

	for (size_t i = field_next(f, 0, &x, &y); i != SIZE_MAX && !err;
	     i = field_next(f, i + 1, &x, &y)) {
		const struct tile_head *t =
			tile_head_at(base, field_tile(f, x, y));

		if (t->version < since)
			continue;
		err = append_tile(out, pool, t, (struct map_place){
					  (int16_t)x, (int16_t)y });
		count++;
	}
	return err ? err : count;
}

int map_encode_places(const struct likelihood_field *f, struct tiles *pool,
		      const struct map_place *place, uint32_t count,
		      struct bytes *out)
{
	const uint8_t *base = tiles_base(pool);
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++)
		err = append_tile(out, pool, tile_head_at(base,
			field_tile(f, place[i].x, place[i].y)), place[i]);
	return err ? err : (int)count;
}

static int put_tile(struct likelihood_field *f, struct tiles *pool,
		    const union tile_room *room, struct map_place place)
{
	const int x = place.x, y = place.y;
	struct tile_head *t;
	tile_id *id;
	int err = field_slot(f, pool, x, y, &id);

	if (err)
		return err;
	tiles_release(pool, *id);
	*id = 0;
	/* never written */
	if (!room->head.version)
		return 0;
	err = tiles_own(pool, id);
	if (err)
		return err;
	t = tile_head_at(tiles_base(pool), *id);
	t->version = room->head.version;
	memcpy(t + 1, room->bytes + sizeof(*t),
	       tiles_kind(pool)->bytes - sizeof(*t));
	return 0;
}

int map_decode(struct likelihood_field *f, struct tiles *pool,
	       const struct field_kernel *k, const void *data, size_t len)
{
	const uint8_t *code = data;
	struct map_place place;
	union tile_room room;
	size_t at, size;
	int err = 0;

	for (at = 0; at < len && !err; at += size) {
		size = decode_tile(pool, &room, &place, code + at, len - at);
		if (!size)
			return -EBADMSG;
		err = put_tile(f, pool, &room, place);
	}
	/* all cells first: the field of a tile depends on its neighbours */
	for (at = 0; at < len && !err; at += size) {
		size = decode_tile(pool, &room, &place, code + at, len - at);
		if (field_tile(f, place.x, place.y))
			tiles_kind(pool)->draw(f, pool, k, place.x, place.y);
	}
	return err;
}

/* @mark: [index of field_next()] whether the tile is in the message */
static int mark_coming(const struct likelihood_field *f,
		       const struct tiles *pool, const uint8_t *data,
		       size_t len, uint8_t *mark)
{
	struct map_place place;
	union tile_room room;
	size_t size;

	for (size_t at = 0; at < len; at += size) {
		size_t number;

		size = decode_tile(pool, &room, &place, data + at, len - at);
		if (!size)
			return -EBADMSG;
		number = field_number(f, place.x, place.y);
		if (number != SIZE_MAX)
			mark[number] = 1;
	}
	return 0;
}

int map_stale(const struct likelihood_field *f, struct tiles *pool,
	      uint64_t since, const void *data, size_t len,
	      struct map_place **place)
{
	const uint8_t *base = tiles_base(pool);
	const size_t all = field_places(f);
	uint8_t *mark = calloc(all + 1, 1);
	int count = 0, err, x, y;

	*place = malloc((all + 1) * sizeof(**place));
	err = mark && *place ? mark_coming(f, pool, data, len, mark) : -ENOMEM;
	for (size_t i = err ? SIZE_MAX : field_next(f, 0, &x, &y);
	     i != SIZE_MAX; i = field_next(f, i + 1, &x, &y)) {
		if (!mark[i] && tile_head_at(base, field_tile(f, x, y))->
		    version >= since)
			(*place)[count++] = (struct map_place){
				(int16_t)x, (int16_t)y };
	}
	assert((size_t)count <= all);
	free(mark);
	if (err) {
		free(*place);
		*place = NULL;
	}
	return err ? err : count;
}
