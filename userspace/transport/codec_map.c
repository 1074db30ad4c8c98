// SPDX-License-Identifier: GPL-2.0-only
/*
 * codec_map - convert between messages and maps, for the codecs of occupancy
 * grids
 */
#include <stdlib.h>
#include "ros/msg/convert.h"
#include "transport/codec_map.h"

static void codec_map_forget(struct codec_map *s)
{
	free(s->map.cells);
	*s = (struct codec_map){ 0 };
}

static void codec_map_free(void *input)
{
	codec_map_forget(input);
	free(input);
}

static unsigned int codec_map_larger(unsigned int side)
{
	unsigned int room = side + side / 4 + 256;

	return room < MAP_SIDE_MAX ? room : MAP_SIDE_MAX;
}

/* Maps grow: allocate a reserve, as another size needs a new encoder */
static int codec_map_prepare(struct codec_map *s,
			     const struct message_occupancy_grid *m)
{
	unsigned int width, height;

	if (m->width <= s->width && m->height <= s->height)
		return 0;
	if (m->width > MAP_SIDE_MAX || m->height > MAP_SIDE_MAX ||
	    (uint64_t)m->width * m->height > m->data.count)
		return -EBADMSG;
	width = codec_map_larger(m->width > s->width ? m->width : s->width);
	height =
		codec_map_larger(m->height > s->height ? m->height : s->height);
	codec_map_forget(s);
	s->map.cells = malloc((size_t)width * height);
	if (!s->map.cells)
		return -ENOMEM;
	s->width = width;
	s->height = height;
	return 0;
}

static int codec_map_read(void **input, const struct encode_call *c)
{
	const struct message_occupancy_grid *m = &c->msg->map;
	struct codec_map *s = *input;
	int ret;

	if (!s)
		s = *input = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	ret = codec_map_prepare(s, m);
	return ret ? ret :
		     message_map_read(m, &s->map, (size_t)s->width * s->height);
}

const struct codec_input codec_map_input = { codec_map_read, codec_map_free };

int codec_map_give(const struct decode_call *c, const struct map *map,
		   struct decode_result *r)
{
	union message msg = { .map = {
				      .header = decode_header(c),
				      .map_load_time = c->frame->stamp,
			      } };

	message_map_write(map, &msg.map);
	r->msg = &msg;
	c->out(c->arg, r);
	return 0;
}
