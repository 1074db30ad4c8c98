// SPDX-License-Identifier: GPL-2.0-only
/*
 * map_topic - layers that arrived as one grid map are published as one
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "map/ros/map_topic.h"
#include "map/site/level.h"

/*
 * Which layers
 */

void map_topic_name(const struct map_config *c, const struct layer *l,
		    char name[LAYER_NAME], char grid[LAYER_NAME])
{
	char base[LAYER_NAME];
	size_t n;

	strcpy(name, l->name);
	strcpy(grid, "value");
	if (l->bits != 16 || map_config_name(c, l->input, base))
		return;
	n = strlen(base);
	if (strncmp(l->name, base, n) || l->name[n] != '_' || !l->name[n + 1])
		return;
	strcpy(name, base);
	strcpy(grid, l->name + n + 1);
}

int map_topic_add(struct map_topic *t, unsigned int layer,
		  const char grid[LAYER_NAME])
{
	if (t->layers == MESSAGE_LAYERS)
		return -ENOSPC;
	t->layer[t->layers] = layer;
	strcpy(t->grid[t->layers++], grid);
	return 0;
}

void map_topic_drop(struct map_topic *t, unsigned int layer)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < t->layers; i++) {
		if (t->layer[i] == layer)
			continue;
		t->layer[n] = t->layer[i];
		memmove(t->grid[n++], t->grid[i], LAYER_NAME);
	}
	t->layers = n;
}

/* Add it to the topic of that name and kind, or to a new topic */
static unsigned int add(struct map_topic *t, unsigned int topics,
			unsigned int layer, const struct layer *l,
			const char *name, const char *grid)
{
	const enum message_kind kind = map_message_kind(l->bits);

	for (unsigned int i = 0; i < topics; i++)
		if (!strcmp(t[i].name, name) && t[i].kind == kind &&
		    !map_topic_add(&t[i], layer, grid))
			return topics;
	t[topics] = (struct map_topic){ .kind = kind };
	strcpy(t[topics].name, name);
	map_topic_add(&t[topics], layer, grid);
	return topics + 1;
}

int map_topic_all(const struct map_config *c, struct site *s,
		  struct map_topic **t)
{
	const unsigned int layers = site_layers(s);
	unsigned int topics = 0;

	*t = malloc((layers + 1) * sizeof(**t));
	if (!*t)
		return -ENOMEM;
	for (unsigned int i = 0; i < layers; i++) {
		char name[LAYER_NAME], grid[LAYER_NAME];
		struct layer l;

		if (site_layer_removed(s, i))
			continue;
		site_layer(s, i, &l);
		map_topic_name(c, &l, name, grid);
		topics = add(*t, topics, i, &l, name, grid);
	}
	return topics;
}

/*
 * Cells
 */

int map_topic_shape(const struct map_topic *t, struct site *s,
		    struct map_shape *shape)
{
	*shape = (struct map_shape){ .resolution = INFINITY };
	for (unsigned int i = 0; i < t->layers; i++) {
		const struct rect r = site_bounds(s, t->layer[i]);
		const double cell = site_resolution(s, t->layer[i]);

		if (!rect_is_empty(&r) && cell > 0)
			shape->resolution = fmin(shape->resolution, cell);
	}
	for (unsigned int i = 0; i < t->layers; i++) {
		const struct rect r = site_bounds(s, t->layer[i]);
		const double cell = site_resolution(s, t->layer[i]);
		struct rect same;

		if (rect_is_empty(&r) || cell <= 0)
			continue;
		same = level_rect(&r, shape->resolution / cell);
		shape->rect = rect_union(&shape->rect, &same);
	}
	if (rect_is_empty(&shape->rect))
		return -ENODATA;
	shape->whole = shape->rect;
	shape->factor = level_factor(&shape->whole, t->layers,
				     MAP_MESSAGE_CELLS);
	shape->rect = level_rect(&shape->whole, shape->factor);
	shape->resolution *= shape->factor;
	return 0;
}

/* A layer of larger cells: sample it at the centre of each cell of the map */
static int read_larger(struct site *s, unsigned int layer, double cell,
		       unsigned int factor, struct raster *r)
{
	const double ratio = r->resolution / cell;
	struct raster from = { .rect = level_rect(&r->rect, 1 / ratio) };
	const size_t n = (size_t)from.rect.width * from.rect.height;
	int err;

	from.cells = malloc((n + 1) * sizeof(*from.cells));
	if (!from.cells)
		return -ENOMEM;
	err = level_read_layer(s, layer, factor, &from);
	r->bits = from.bits;
	for (unsigned int y = 0; y < r->rect.height && !err; y++) {
		const int row = (int)floor((r->rect.y + (int)y + 0.5) * ratio) -
				from.rect.y;

		for (unsigned int x = 0; x < r->rect.width; x++) {
			const int column = (int)floor((r->rect.x + (int)x +
						       0.5) * ratio) -
					   from.rect.x;

			r->cells[(size_t)y * r->rect.width + x] =
				from.cells[(size_t)row * from.rect.width +
					   column];
		}
	}
	free(from.cells);
	return err;
}

/* An empty layer is unknown everywhere. Return: as site_read() */
static int read_layer(struct site *s, unsigned int layer,
		      const struct map_shape *shape, struct raster *r)
{
	const double cell = site_resolution(s, layer);
	unsigned int factor = 1;
	int err = -ENODATA;

	r->rect = shape->rect;
	r->resolution = shape->resolution;
	while (cell > 0 && cell * factor * 2 <= shape->resolution)
		factor *= 2;
	if (cell <= 0)
		err = -ENODATA;
	else if (cell * factor != shape->resolution)
		err = read_larger(s, layer, cell * factor, factor, r);
	else if (factor == 1)
		err = site_read(s, layer, r);
	else
		err = level_read_layer(s, layer, factor, r);
	if (err != -ENODATA)
		return err;
	memset(r->cells, 0xff, (size_t)r->rect.width * r->rect.height *
			       sizeof(*r->cells));
	return 0;
}

int map_topic_message(const struct map_topic *t, struct site *s,
		      const struct map_shape *shape, struct map_room *room,
		      int64_t stamp, const char *frame, union message *m)
{
	const size_t n = (size_t)shape->rect.width * shape->rect.height;
	const bool grid = t->kind == MESSAGE_GRID_MAP;
	int err = map_room_reserve_layers(room, n, t->layers);

	for (unsigned int i = 0; i < t->layers && !err; i++) {
		struct raster r = { .bits = grid ? 16 : 8,
				    .cells = room->cells };

		err = read_layer(s, t->layer[i], shape, &r);
		/* not yet fused with its new depth */
		if (!err && map_message_kind(r.bits) != t->kind)
			err = -EAGAIN;
		if (!err && grid && i)
			map_message_more(room, &r, t->grid[i], m);
		else if (!err)
			map_message_named(room, &r, t->grid[i], stamp, frame,
					  m);
	}
	return err;
}
