/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_topic.h - the layers of a map topic, and its message
 *
 * Most topics have one layer of the same name. A grid map that arrived with
 * several layers is stored as several layers, NAME_LAYER. These are published
 * together, as one grid map on NAME with the original names of the layers.
 */
#ifndef MAP_ROS_MAP_TOPIC_H
#define MAP_ROS_MAP_TOPIC_H

#include "map/io/map_message.h"
#include "map/ros/map_config.h"
#include "map/site/site.h"

/**
 * struct map_topic
 * @name:	below /gdim/output/
 * @kind:	of its message; only a grid map has more than one layer
 * @layer:	@layers numbers of the site's layers
 * @grid:	name of each in a grid map
 */
struct map_topic {
	char			name[LAYER_NAME];
	enum message_kind	kind;
	unsigned int		layers;
	unsigned int		layer[MESSAGE_LAYERS];
	char			grid[MESSAGE_LAYERS][LAYER_NAME];
};

/**
 * map_topic_name() - the topic of a layer
 * @name:	gets the topic's name
 * @grid:	gets the layer's name in a grid map: "value" if it is alone
 */
void map_topic_name(const struct map_config *c, const struct layer *l,
		    char name[LAYER_NAME], char grid[LAYER_NAME]);

/* Add a layer. Return: 0; -ENOSPC: too many */
int map_topic_add(struct map_topic *t, unsigned int layer,
		  const char grid[LAYER_NAME]);
void map_topic_drop(struct map_topic *t, unsigned int layer);

/**
 * map_topic_all() - the topics of all layers
 * @t: gets them, free() it, also after an error
 *
 * Return: number of topics; -ENOMEM.
 */
int map_topic_all(const struct map_config *c, struct site *s,
		  struct map_topic **t);

/**
 * struct map_shape - the cells of a message, for each layer
 * @factor:	1, 2, 4, ...: the cells' side divided by that of the smallest
 *		cells; above 1 if a message cannot hold the smallest
 * @whole:	the same area in the smallest cells
 */
struct map_shape {
	struct rect	rect, whole;
	double		resolution;
	unsigned int	factor;
};

/**
 * map_topic_shape() - the current shape of a topic's map
 *
 * The known area of all its layers, in the smallest cells of any of them, or
 * the smallest that a message can hold.
 *
 * Return: 0; -ENODATA: nothing is known yet.
 */
int map_topic_shape(const struct map_topic *t, struct site *s,
		    struct map_shape *shape);

/**
 * map_topic_message() - the whole map
 * @room:	gets the cells
 * @m:		points into @room, @t and @frame
 *
 * Return: 0; -E2BIG: more than MAP_MESSAGE_CELLS; -EAGAIN: it is changing;
 * -ENOMEM; as site_read().
 */
int map_topic_message(const struct map_topic *t, struct site *s,
		      const struct map_shape *shape, struct map_room *room,
		      int64_t stamp, const char *frame, union message *m);

#endif
