// SPDX-License-Identifier: GPL-2.0-only
/*
 * codec_layers - grid maps, layer by layer, see codec/grid/layers.h
 *
 * grid_map counts rows against its x axis and columns against its y axis, from
 * the far corner; maps count along both axes, from the near one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "codec/grid/layers.h"
#include "codec/grid/map.h"
#include "ros/msg/convert.h"
#include "transport/codec_impl.h"

enum { HEADROOM = 64 };

struct codec_layers {
	unsigned int		width, height; /* of the encoder */
	struct layers_encoder	*encoder;
	float			*cells; /* of all layers */
	size_t			room;
};

static void codec_layers_encode_free(void *state)
{
	struct codec_layers *s = state;

	layers_encoder_destroy(s->encoder);
	free(s->cells);
	free(s);
}

static int codec_layers_prepare(struct codec_layers *s, unsigned int width,
				unsigned int height, unsigned int layers)
{
	size_t room = (size_t)width * height * layers;

	if (width > s->width || height > s->height || !s->encoder) {
		layers_encoder_destroy(s->encoder);
		s->encoder = layers_encoder_create(width + HEADROOM,
						   height + HEADROOM);
		s->width = width + HEADROOM;
		s->height = height + HEADROOM;
	}
	if (room > s->room) {
		free(s->cells);
		s->cells = malloc(room * sizeof(*s->cells));
		s->room = s->cells ? room : 0;
	}
	return s->encoder && s->room >= room ? 0 : -ENOMEM;
}

static int codec_layers_encode(void **state, const struct encode_call *c)
{
	const struct message_grid_map *m = &c->msg->grid;
	struct codec_layers *s = *state;
	unsigned int rows, columns;
	struct layers_grid grid;
	struct pose corner;
	int ret;

	if (!s)
		s = *state = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	ret = message_grid_shape(m, &rows, &columns);
	if (ret || !rows || !columns || rows > MAP_SIDE_MAX - HEADROOM ||
	    columns > MAP_SIDE_MAX - HEADROOM)
		return -EBADMSG;
	ret = codec_layers_prepare(s, rows, columns, m->layers);
	if (ret)
		return ret;
	memset(&grid, 0, sizeof(grid));
	grid.width = rows;
	grid.height = columns;
	grid.layers = m->layers;
	message_grid_corner(m, &corner);
	grid.resolution = m->resolution;
	grid.x = corner.x;
	grid.y = corner.y;
	grid.yaw = corner.yaw;
	for (unsigned int l = 0; l < m->layers; l++) {
		const struct message_string *name = &m->layer[l];

		if (name->len >= LAYERS_NAME)
			return -EMSGSIZE;
		memcpy(grid.layer[l].name, name->text, name->len);
		grid.layer[l].basic = message_grid_is_basic(m, l);
		grid.layer[l].cells = s->cells + (size_t)l * rows * columns;
		message_grid_raster(m, l, grid.layer[l].cells);
	}
	ret = layers_encode(s->encoder, &grid,
			    encode_slots(c->out, c->order->bytes), c->out);
	return ret == -EINVAL ? -EBADMSG : ret;
}

/* Bytes per cell and layer: steps, values, and twice in a message */
enum { LAYERS_CELL = 16 };

struct codec_layers_shown {
	struct layers_decoder	*decoder;
	struct layers_grid	grid; /* with the names of the message */
	float			*layer; /* one layer, in grid_map's order */
	uint8_t			*data; /* of the message */
	size_t			room; /* cells of all layers */
};

static void codec_layers_decode_free(void *state)
{
	struct codec_layers_shown *s = state;

	layers_decoder_destroy(s->decoder);
	free(s->layer);
	free(s->data);
	free(s);
}

static int codec_layers_add(void *d, const void *payload, size_t len)
{
	return layers_add(d, payload, len);
}

static int codec_layers_shown_prepare(struct codec_layers_shown *s,
				      size_t cells)
{
	if (cells <= s->room)
		return 0;
	free(s->layer);
	free(s->data);
	s->layer = malloc(cells * sizeof(*s->layer));
	s->data = malloc(cells * sizeof(*s->layer));
	s->room = s->layer && s->data ? cells : 0;
	return s->room ? 0 : -ENOMEM;
}

/* Reorder from the near corner to the far one */
static void codec_layers_turn_back(const float *from, unsigned int width,
				   unsigned int height, float *to)
{
	for (unsigned int y = 0; y < height; y++)
		for (unsigned int x = 0; x < width; x++)
			to[(size_t)(width - 1 - x) * height + height - 1 - y] =
				from[(size_t)y * width + x];
}

static void codec_layers_set_message(const struct layers_grid *g,
				     struct message_grid_map *m)
{
	double dx = (double)g->width * g->resolution / 2;
	double dy = (double)g->height * g->resolution / 2;

	m->resolution = g->resolution;
	m->length_x = 2 * dx;
	m->length_y = 2 * dy;
	m->pose.position[0] = g->x + cos(g->yaw) * dx - sin(g->yaw) * dy;
	m->pose.position[1] = g->y + sin(g->yaw) * dx + cos(g->yaw) * dy;
	m->pose.orientation[2] = sin(g->yaw / 2);
	m->pose.orientation[3] = cos(g->yaw / 2);
}

static int codec_layers_decode(void **state, const struct decode_limits *limits,
			       const struct decode_call *c)
{
	struct decode_result r = { "", MESSAGE_GRID_MAP, NULL, 0, false };
	union message msg = { .grid = { .header = decode_header(c) } };
	struct message_grid_map *m = &msg.grid;
	struct codec_layers_shown *s = *state;
	struct layers_grid *grid;
	size_t cells;
	int ret;

	if (!s)
		s = *state = calloc(1, sizeof(*s));
	if (s && !s->decoder)
		s->decoder =
			layers_decoder_create(limits->cells, limits->cells);
	if (!s || !s->decoder)
		return -ENOMEM;
	layers_begin(s->decoder, c->frame->number);
	ret = decode_add(c, s->decoder, codec_layers_add);
	if (ret < 0)
		return ret;
	if (decode_reserve(c, layers_cells(s->decoder) * LAYERS_CELL))
		return -EFBIG;
	grid = &s->grid;
	ret = layers_finish(s->decoder, grid);
	if (ret)
		return ret;
	cells = (size_t)grid->width * grid->height;
	ret = codec_layers_shown_prepare(s, cells * grid->layers);
	if (ret)
		return ret;
	codec_layers_set_message(grid, m);
	m->layers = m->arrays = grid->layers;
	for (unsigned int l = 0; l < grid->layers; l++) {
		m->layer[l] = message_string(grid->layer[l].name);
		if (grid->layer[l].basic)
			m->basic_layer[m->basic_layers++] = m->layer[l];
		codec_layers_turn_back(grid->layer[l].cells, grid->width,
				       grid->height, s->layer);
		message_grid_write(m, l, grid->width, grid->height, s->layer,
				   s->data + l * cells * sizeof(float));
	}
	r.share = layers_share(s->decoder);
	r.exact = false;
	r.msg = &msg;
	c->out(c->arg, &r);
	return 0;
}

const struct codec codec_layers = {
	.name = "layers",
	.kinds = CODEC_KIND(GRID_MAP),
	.usual = CODEC_KIND(GRID_MAP),
	.plan = PLAN_MAP,
	.learn = codec_learn_bytes,
	.encode = codec_layers_encode,
	.encode_free = codec_layers_encode_free,
	.decode = codec_layers_decode,
	.decode_free = codec_layers_decode_free,
};
