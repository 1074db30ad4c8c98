/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * graph.h - the pose graph of a site as transforms
 */
#ifndef MAP_ROS_GRAPH_H
#define MAP_ROS_GRAPH_H

#include "map/site/site.h"
#include "ros/msg/message.h"

/**
 * struct graph - nodes that have a pose or a link, without the map itself
 * @node:	in the order they were stored
 * @link:	to each node: from its predecessor, or from the map
 */
struct graph {
	struct store_node		*node;
	struct message_transform	*link;
	unsigned int			nodes;
	/* private: the names of links point here */
	struct store_node		*all;
};

/**
 * graph_read() - the current graph
 * @frame: of the map; must outlive @g
 *
 * Return: 0, then graph_free(); -ENOMEM.
 */
int graph_read(struct graph *g, struct site *site, const char *frame);
void graph_free(struct graph *g);

#endif
