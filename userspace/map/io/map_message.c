// SPDX-License-Identifier: GPL-2.0-only
/*
 * map_message - convert fused maps to ROS messages
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include "map/fusion/cells.h"
#include "map/io/map_message.h"

int map_room_reserve_layers(struct map_room *m, size_t cells,
			    unsigned int layers)
{
	if (cells > MAP_MESSAGE_CELLS || cells * layers > MAP_MESSAGE_CELLS)
		return -E2BIG;
	if (cells <= m->room && cells * layers <= m->floats)
		return 0;
	map_room_free(m);
	m->cells = malloc(cells * sizeof(*m->cells));
	m->bytes = malloc(cells * layers * sizeof(float));
	if (!m->cells || !m->bytes) {
		map_room_free(m);
		return -ENOMEM;
	}
	m->room = cells;
	m->floats = cells * layers;
	return 0;
}

int map_room_reserve(struct map_room *m, size_t cells)
{
	return map_room_reserve_layers(m, cells, 1);
}

void map_room_free(struct map_room *m)
{
	free(m->cells);
	free(m->bytes);
	*m = (struct map_room){ 0 };
}

static void as_bytes(const struct map_room *m, size_t n)
{
	int8_t *to = m->bytes;

	for (size_t i = 0; i < n; i++)
		to[i] = m->cells[i];
}

static struct message_header map_message_header(int64_t stamp,
						const char *frame)
{
	return (struct message_header){ stamp, 0, message_string(frame) };
}

static void map_message_grid(struct map_room *room, const struct raster *r,
			     int64_t stamp, const char *frame,
			     struct message_occupancy_grid *m)
{
	const size_t n = (size_t)r->rect.width * r->rect.height;

	as_bytes(room, n);
	*m = (struct message_occupancy_grid){
		.header = map_message_header(stamp, frame),
		.map_load_time = stamp,
		.resolution = r->resolution,
		.width = r->rect.width,
		.height = r->rect.height,
		.origin = { { r->rect.x * r->resolution,
			      r->rect.y * r->resolution, 0 },
			    { 0, 0, 0, 1 } },
		.data = { room->bytes, n },
	};
}

/*
 * grid_map's first cell has the largest x and y; then x decreases, column after
 * column with decreasing y
 */
static void as_floats(const struct map_room *room, const struct raster *r,
		      float *to)
{
	const unsigned int w = r->rect.width, h = r->rect.height;

	for (unsigned int c = 0; c < h; c++)
		for (unsigned int i = 0; i < w; i++) {
			const int v = room->cells[(size_t)(h - 1 - c) * w +
						  (w - 1 - i)];

			/* D4.1, table 1: -1 is unknown */
			to[(size_t)c * w + i] = v < 0 ? -1 :
						v * (1.0f / CELLS_FULL_16);
		}
}

void map_message_more(struct map_room *room, const struct raster *r,
		      const char *layer, union message *msg)
{
	struct message_grid_map *m = &msg->grid;
	const unsigned int w = r->rect.width, h = r->rect.height;
	float *to = (float *)room->bytes + (size_t)m->layers * w * h;

	as_floats(room, r, to);
	assert(m->layers == m->arrays);
	m->layer[m->layers++] = message_string(layer);
	m->data[m->arrays++] = (struct message_array){
		.dims = 2,
		.dim = { { message_string("column_index"), h, w * h },
			 { message_string("row_index"), w, w } },
		.data = { (const void *)to, w * h, false },
	};
}

static void map_message_layers(struct map_room *room, const struct raster *r,
			       const char *layer, int64_t stamp,
			       const char *frame, union message *msg)
{
	const unsigned int w = r->rect.width, h = r->rect.height;

	msg->grid = (struct message_grid_map){
		.header = map_message_header(stamp, frame),
		.resolution = r->resolution,
		.length_x = w * r->resolution,
		.length_y = h * r->resolution,
		.pose = { { (r->rect.x + w / 2.0) * r->resolution,
			    (r->rect.y + h / 2.0) * r->resolution, 0 },
			  { 0, 0, 0, 1 } },
	};
	map_message_more(room, r, layer, msg);
}

void map_message_named(struct map_room *room, const struct raster *r,
		       const char *layer, int64_t stamp, const char *frame,
		       union message *m)
{
	if (r->bits == 8)
		map_message_grid(room, r, stamp, frame, &m->map);
	else
		map_message_layers(room, r, layer, stamp, frame, m);
}

void map_message(struct map_room *room, const struct raster *r, int64_t stamp,
		 const char *frame, union message *m)
{
	map_message_named(room, r, "value", stamp, frame, m);
}

void map_message_update(struct map_room *room, const struct raster *r,
			const struct rect *whole, int64_t stamp,
			const char *frame, union message *m)
{
	const size_t n = (size_t)r->rect.width * r->rect.height;

	as_bytes(room, n);
	m->update = (struct message_grid_update){
		.header = map_message_header(stamp, frame),
		.x = r->rect.x - whole->x, .y = r->rect.y - whole->y,
		.width = r->rect.width, .height = r->rect.height,
		.data = { room->bytes, n },
	};
}
