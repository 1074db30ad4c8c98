// SPDX-License-Identifier: GPL-2.0-only
/*
 * encode_map - occupancy grids as lossless tiles, or as D6.3's pyramid
 */
#include <errno.h>
#include <stdlib.h>
#include "codec/grid/mappyramid.h"
#include "codec/grid/tiles.h"
#include "ros/msg/convert.h"
#include "transport/encode_kinds.h"

struct encode_map {
	unsigned int		width, height;	/* of what follows */
	struct map		map;
	struct tiles_encoder	*tiles;
	struct mappyramid_encoder *pyramid;
};

static void encode_map_forget(struct encode_map *s)
{
	free(s->map.cells);
	tiles_encoder_destroy(s->tiles);
	mappyramid_encoder_destroy(s->pyramid);
	*s = (struct encode_map){ 0 };
}

void encode_map_free(void *state)
{
	encode_map_forget(state);
	free(state);
}

static unsigned int encode_map_larger(unsigned int side)
{
	unsigned int room = side + side / 4 + 256;

	return room < MAP_SIDE_MAX ? room : MAP_SIDE_MAX;
}

/* Maps grow: with room for that, as what was sent is forgotten with this */
static int encode_map_prepare(struct encode_map *s,
			      const struct message_occupancy_grid *m)
{
	unsigned int width, height;

	if (m->width <= s->width && m->height <= s->height)
		return 0;
	if (m->width > MAP_SIDE_MAX || m->height > MAP_SIDE_MAX ||
	    (uint64_t)m->width * m->height > m->data.count)
		return -EBADMSG;
	width = encode_map_larger(m->width > s->width ? m->width : s->width);
	height = encode_map_larger(m->height > s->height ? m->height :
							   s->height);
	encode_map_forget(s);
	s->map.cells = malloc((size_t)width * height);
	s->tiles = tiles_encoder_create(width, height);
	s->pyramid = mappyramid_encoder_create(width, height);
	if (!s->map.cells || !s->tiles || !s->pyramid) {
		encode_map_forget(s);
		return -ENOMEM;
	}
	s->width = width;
	s->height = height;
	return 0;
}

int encode_map(void **state, const struct encode_call *c)
{
	const struct message_occupancy_grid *m = &c->msg->map;
	unsigned int slots = encode_slots(c->out, c->order->bytes);
	struct encode_map *s = *state;
	int ret;

	if (!s)
		s = *state = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	ret = encode_map_prepare(s, m);
	if (!ret)
		ret = message_map_read(m, &s->map,
				       (size_t)s->width * s->height);
	if (ret)
		return ret;
	return c->result->codec == CODEC_PYRAMID ?
	       mappyramid_encode(s->pyramid, &s->map, slots, c->out) :
	       tiles_encode(s->tiles, &s->map, slots, true, c->out);
}
