// SPDX-License-Identifier: GPL-2.0-only
/*
 * decode_layers - layers into grid maps
 */
#include <math.h>
#include <stdlib.h>
#include "codec/grid/layers.h"
#include "ros/msg/convert.h"
#include "transport/decode_kinds.h"

/* Bytes of a cell of a layer: steps, values, and twice in a message */
enum { LAYERS_CELL = 16 };

struct decode_layers {
	struct layers_decoder	*decoder;
	struct layers_grid	grid;		/* with the names of the message */
	float			*layer;		/* one, as grid_map has it */
	uint8_t			*data;		/* of the message */
	size_t			room;		/* cells of all layers */
};

void decode_layers_free(void *state)
{
	struct decode_layers *s = state;

	layers_decoder_destroy(s->decoder);
	free(s->layer);
	free(s->data);
	free(s);
}

static int decode_layers_add_layers(void *d, const void *payload, size_t len)
{
	return layers_add(d, payload, len);
}

static int decode_layers_prepare(struct decode_layers *s, size_t cells)
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

/* From the near corner to the far one, see encode_layers.c */
static void decode_layers_turn(const float *from, unsigned int width,
			       unsigned int height, float *to)
{
	for (unsigned int y = 0; y < height; y++)
		for (unsigned int x = 0; x < width; x++)
			to[(size_t)(width - 1 - x) * height + height - 1 - y] =
				from[(size_t)y * width + x];
}

static void decode_layers_set_geometry(const struct layers_grid *g,
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

int decode_layers(void **state, const struct decode_limits *limits,
		  const struct decode_call *c)
{
	struct decode_result r = { "", MESSAGE_GRID_MAP, NULL, 0, false };
	union message msg = { .grid = { .header = decode_header(c) } };
	struct message_grid_map *m = &msg.grid;
	struct decode_layers *s = *state;
	struct layers_grid *grid;
	size_t cells;
	int ret;

	if (!s)
		s = *state = calloc(1, sizeof(*s));
	if (s && !s->decoder)
		s->decoder = layers_decoder_create(limits->cells,
						   limits->cells);
	if (!s || !s->decoder)
		return -ENOMEM;
	layers_begin(s->decoder, c->frame->number);
	if (!decode_add(c, s->decoder, decode_layers_add_layers))
		return -EPROTO;
	if (decode_reserve(c, layers_cells(s->decoder) * LAYERS_CELL))
		return -EFBIG;
	grid = &s->grid;
	ret = layers_finish(s->decoder, grid);
	if (ret)
		return ret;
	cells = (size_t)grid->width * grid->height;
	ret = decode_layers_prepare(s, cells * grid->layers);
	if (ret)
		return ret;
	decode_layers_set_geometry(grid, m);
	m->layers = m->arrays = grid->layers;
	for (unsigned int l = 0; l < grid->layers; l++) {
		m->layer[l] = message_string(grid->layer[l].name);
		if (grid->layer[l].basic)
			m->basic_layer[m->basic_layers++] = m->layer[l];
		decode_layers_turn(grid->layer[l].cells, grid->width,
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
