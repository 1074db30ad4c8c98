/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * submap_message.h - convert maps and transforms of ROS for the site
 */
#ifndef MAP_ROS_SUBMAP_MESSAGE_H
#define MAP_ROS_SUBMAP_MESSAGE_H

#include "base/error.h"
#include "map/site/site.h"
#include "ros/msg/message.h"

enum { SUBMAP_LAYERS = MESSAGE_LAYERS };

/**
 * struct submap_layer - a layer of a message
 * @name:	of a grid map's layer; empty: an occupancy grid
 * @height:	in its frame, m
 * @cells:	holds one reference
 */
struct submap_layer {
	char		name[LAYER_NAME];
	double		height;
	struct cells	*cells;
};

/**
 * submap_read() - the cells of a map
 * @kind: MESSAGE_OCCUPANCY_GRID (8 bits) or MESSAGE_GRID_MAP (16 bits)
 * @layer: gets up to SUBMAP_LAYERS; free with submap_free()
 * @error: gets one line
 *
 * Return: number of layers; -EINVAL, -E2BIG, -EBADMSG, -ENOMEM.
 */
int submap_read(enum message_kind kind, const union message *msg,
		struct submap_layer *layer, struct error *error);
void submap_free(struct submap_layer *layer, unsigned int count);

/**
 * submap_transform() - a transform, projected to the ground plane, and its rise
 *
 * Return: 0; -EINVAL: invalid frames or numbers.
 */
int submap_transform(const struct message_transform *m,
		     struct site_transform *t, struct error *error);

/* A frame id as a C string, without the slash of ROS 1. Return: 0, -EINVAL */
int submap_frame(const struct message_string *id, char frame[STORE_FRAME]);

#endif
