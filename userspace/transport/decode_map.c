// SPDX-License-Identifier: GPL-2.0-only
/*
 * decode_map - tiles and pyramids into occupancy grids
 */
#include <stdlib.h>
#include "codec/grid/mappyramid.h"
#include "codec/grid/tiles.h"
#include "ros/msg/convert.h"
#include "transport/decode_kinds.h"

/* Bytes of a cell: of the map, of its tiles, and in a message */
enum { MAP_CELL = 4 };

/* The decoder of the codec; that of tiles remembers all of the map */
struct decode_map {
	struct tiles_decoder	*tiles;
	struct mappyramid_decoder *pyramid;
};

void decode_map_free(void *state)
{
	struct decode_map *s = state;

	tiles_decoder_destroy(s->tiles);
	mappyramid_decoder_destroy(s->pyramid);
	free(s);
}

static struct decode_map *decode_map_create(const struct decode_limits *limits,
					    enum codec_id codec)
{
	struct decode_map *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	if (codec == CODEC_TILES)
		s->tiles = tiles_decoder_create(limits->cells, limits->cells);
	else
		s->pyramid = mappyramid_decoder_create();
	if (s->tiles || s->pyramid)
		return s;
	free(s);
	return NULL;
}

static int decode_map_add_tiles(void *d, const void *payload, size_t len)
{
	return tiles_add(d, payload, len);
}

static int decode_map_add_pyramid(void *d, const void *payload, size_t len)
{
	return mappyramid_add(d, payload, len);
}

static int decode_map_reconstruct(struct decode_map *s,
				  const struct decode_call *c, struct map *map,
				  struct decode_result *r)
{
	struct tiles_share share;
	unsigned int taken;

	if (c->codec == CODEC_PYRAMID) {
		mappyramid_begin(s->pyramid);
		taken = decode_add(c, s->pyramid, decode_map_add_pyramid);
		r->share = (double)taken / c->frame->count;
		return mappyramid_finish(s->pyramid, map);
	}
	tiles_begin(s->tiles, c->frame->number);
	decode_add(c, s->tiles, decode_map_add_tiles);
	if (decode_reserve(c, tiles_cells(s->tiles) * MAP_CELL))
		return -EFBIG;
	share = tiles_share(s->tiles);
	r->share = share.known ? (double)share.received / share.known : 1;
	r->exact = share.received == share.known;
	return tiles_finish(s->tiles, map);
}

int decode_map(void **state, const struct decode_limits *limits,
	       const struct decode_call *c)
{
	struct decode_result r = { "", MESSAGE_OCCUPANCY_GRID, NULL, 0, false };
	union message msg = { .map = {
		.header = decode_header(c),
		.map_load_time = c->frame->stamp,
	} };
	struct map map;
	int ret;

	if (!*state)
		*state = decode_map_create(limits, c->codec);
	if (!*state)
		return -ENOMEM;
	ret = decode_map_reconstruct(*state, c, &map, &r);
	if (ret)
		return ret == -EFBIG ? ret : -EPROTO;
	message_map_write(&map, &msg.map);
	r.msg = &msg;
	c->out(c->arg, &r);
	return 0;
}
