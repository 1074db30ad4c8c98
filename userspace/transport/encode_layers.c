// SPDX-License-Identifier: GPL-2.0-only
/*
 * encode_layers - grid maps, layer by layer
 *
 * grid_map counts rows against its x axis and columns against its y axis, from
 * the far corner; maps count along them, from the near one.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "codec/grid/layers.h"
#include "codec/grid/map.h"
#include "ros/msg/convert.h"
#include "transport/encode_kinds.h"

enum { HEADROOM = 64 };

struct encode_layers {
	unsigned int		width, height;	/* of the encoder */
	struct layers_encoder	*encoder;
	float			*cells;		/* of all layers */
	float			*layer;		/* one, as grid_map has it */
	size_t			room;
};

void encode_layers_free(void *state)
{
	struct encode_layers *s = state;

	layers_encoder_destroy(s->encoder);
	free(s->cells);
	free(s->layer);
	free(s);
}

static int encode_layers_prepare(struct encode_layers *s, unsigned int width,
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
		free(s->layer);
		s->cells = malloc(room * sizeof(*s->cells));
		s->layer = malloc(room * sizeof(*s->layer));
		s->room = s->cells && s->layer ? room : 0;
	}
	return s->encoder && s->room >= room ? 0 : -ENOMEM;
}

static double encode_layers_yaw_of(const struct message_pose *p)
{
	const double *q = p->orientation;

	return atan2(2 * (q[3] * q[2] + q[0] * q[1]),
		     1 - 2 * (q[1] * q[1] + q[2] * q[2]));
}

/* From the far corner to the near one */
static void encode_layers_turn(const float *from, unsigned int rows,
			       unsigned int columns, float *to)
{
	for (unsigned int y = 0; y < columns; y++)
		for (unsigned int x = 0; x < rows; x++)
			to[(size_t)y * rows + x] =
				from[(size_t)(rows - 1 - x) * columns +
				     columns - 1 - y];
}

static bool is_basic(const struct message_grid_map *m, unsigned int layer)
{
	const struct message_string *name = &m->layer[layer];

	for (unsigned int i = 0; i < m->basic_layers; i++)
		if (m->basic_layer[i].len == name->len &&
		    !memcmp(m->basic_layer[i].text, name->text, name->len))
			return true;
	return false;
}

static void encode_layers_set_geometry(const struct message_grid_map *m,
				       struct layers_grid *g)
{
	double yaw = encode_layers_yaw_of(&m->pose);
	double dx = g->width * m->resolution / 2;
	double dy = g->height * m->resolution / 2;

	g->resolution = m->resolution;
	g->yaw = yaw;
	g->x = m->pose.position[0] - cos(yaw) * dx + sin(yaw) * dy;
	g->y = m->pose.position[1] - sin(yaw) * dx - cos(yaw) * dy;
}

int encode_layers(void **state, const struct encode_call *c)
{
	const struct message_grid_map *m = &c->msg->grid;
	struct encode_layers *s = *state;
	unsigned int rows, columns;
	struct layers_grid grid;
	int ret;

	if (!s)
		s = *state = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	ret = message_grid_shape(m, &rows, &columns);
	if (ret || !rows || !columns || rows > MAP_SIDE_MAX - HEADROOM ||
	    columns > MAP_SIDE_MAX - HEADROOM)
		return -EBADMSG;
	ret = encode_layers_prepare(s, rows, columns, m->layers);
	if (ret)
		return ret;
	memset(&grid, 0, sizeof(grid));
	grid.width = rows;
	grid.height = columns;
	grid.layers = m->layers;
	encode_layers_set_geometry(m, &grid);
	for (unsigned int l = 0; l < m->layers; l++) {
		const struct message_string *name = &m->layer[l];

		if (name->len >= LAYERS_NAME)
			return -EMSGSIZE;
		memcpy(grid.layer[l].name, name->text, name->len);
		grid.layer[l].basic = is_basic(m, l);
		grid.layer[l].cells = s->cells + (size_t)l * rows * columns;
		message_grid_read(m, l, s->layer);
		encode_layers_turn(s->layer, rows, columns,
				   grid.layer[l].cells);
	}
	ret = layers_encode(s->encoder, &grid,
			    encode_slots(c->out, c->order->bytes), c->out);
	return ret == -EINVAL ? -EBADMSG : ret;
}
