/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_topic.h - which layers a topic of maps has, and its message
 *
 * Most have one layer, whose name is the topic's. A grid map that came in with
 * several layers became several layers of the store, NAME_LAYER; these go out
 * together again, as one grid map on NAME whose layers are called as they came.
 */
#ifndef APPS_GDIMD_MAP_TOPIC_H
#define APPS_GDIMD_MAP_TOPIC_H

#include "apps/gdimd/config.h"
#include "map/io/map_message.h"
#include "map/site/site.h"

/**
 * struct map_topic
 * @name:	below /gdim/output/
 * @kind:	of its message; one that is no grid map has one layer
 * @layer:	@layers numbers of the site's
 * @grid:	what each is called in a grid map
 */
struct map_topic {
	char			name[LAYER_NAME];
	enum message_kind	kind;
	unsigned int		layers;
	unsigned int		layer[MESSAGE_LAYERS];
	char			grid[MESSAGE_LAYERS][LAYER_NAME];
};

/**
 * map_topic_name() - where a layer goes out
 * @name:	gets the topic's name
 * @grid:	gets that of the layer in a grid map: "value" if it came alone
 */
void map_topic_name(const struct config *c, const struct layer *l,
		    char name[LAYER_NAME], char grid[LAYER_NAME]);

/* One layer more. Return: 0; -ENOSPC: there are as many as can be */
int map_topic_add(struct map_topic *t, unsigned int layer,
		  const char grid[LAYER_NAME]);
void map_topic_drop(struct map_topic *t, unsigned int layer);

/**
 * map_topic_all() - the topics of all layers that are there
 * @t: gets them, to be freed; also after an error
 *
 * Return: how many; -ENOMEM.
 */
int map_topic_all(const struct config *c, struct site *s,
		  struct map_topic **t);

/**
 * struct map_shape - cells that a message has, of each layer
 * @factor:	1, 2, 4, ...: so many times the side of the smallest cells, as
 *		all of these would be too many for a message
 * @whole:	the same area in the smallest cells
 */
struct map_shape {
	struct rect	rect, whole;
	double		resolution;
	unsigned int	factor;
};

/**
 * map_topic_shape() - what a topic's map has now
 *
 * All that is known of its layers, in cells as small as the smallest of these,
 * or as can be with so many.
 *
 * Return: 0; -ENODATA: there is nothing yet.
 */
int map_topic_shape(const struct map_topic *t, struct site *s,
		    struct map_shape *shape);

/**
 * map_topic_message() - the whole map
 * @room:	gets the cells
 * @m:		points into @room, @t and @frame
 *
 * Return: 0; -E2BIG: more than MAP_MESSAGE_CELLS; -EAGAIN: it changes just now;
 * -ENOMEM; as site_read().
 */
int map_topic_message(const struct map_topic *t, struct site *s,
		      const struct map_shape *shape, struct map_room *room,
		      int64_t stamp, const char *frame, union message *m);

#endif
