/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input.h - input: submaps to keyframes, transforms to the pose graph
 *
 * Submaps of one frame that arrive within KEYFRAMES_WINDOW are one keyframe: one
 * transaction. Invalid input is rejected: one log line, one counter, no state
 * change.
 *
 * Only for the thread that stores, holding the site's turn where noted.
 * map_input_image(), map_input_damaged(), map_input_unknown() and
 * map_input_status() are for any thread.
 */
#ifndef MAP_ROS_INPUT_H
#define MAP_ROS_INPUT_H

#include <cjson/cJSON.h>
#include "base/loop.h"
#include "map/ros/map_config.h"
#include "map/site/site.h"
#include "ros/msg/message.h"

struct map_input;

/**
 * map_input_open() - start
 * @stored:	called when the store has new data
 * @refused:	called with one line about a refused message
 */
int map_input_open(struct map_input **in, struct site *site, struct loop *loop,
		   const struct map_config *config, void (*stored)(void *arg),
		   void (*refused)(void *arg, const char *line), void *arg);
/* Stores waiting submaps */
void map_input_close(struct map_input *in);

/**
 * map_input_map() - take a submap, or a whole map
 * @topic:	for errors
 * @from:	its line of configuration
 * @name:	of the layer
 *
 * Return: 0: accepted; errors are reported by @refused, too.
 */
int map_input_map(struct map_input *in, const char *topic,
		  const struct map_config_layer *from, const char *name,
		  enum message_kind kind, const union message *msg);

/* tf2_msgs/TFMessage: all of its transforms or none */
int map_input_transforms(struct map_input *in, const char *topic,
			 const struct message_transforms *m);

/* Rooms and repeaters: see tables 2 and 3 of D4.1. Holding the turn to store */
int map_input_room(struct map_input *in, const char *topic,
		   const struct message_room *m);
int map_input_rooms(struct map_input *in, const char *topic,
		    unsigned int rooms);
int map_input_repeaters(struct map_input *in, const char *topic,
			const struct message_polygon *m);

/* All edges of a pose graph. Return: 0; a negative errno, already logged: nothing
 * is stored. Holding the turn to store
 */
int map_input_graph(struct map_input *in, const char *topic,
		    const struct message_pose_graph *m);

/* Only checks it. Return: 0; -EBADMSG, -EINVAL, already logged */
int map_input_image(struct map_input *in, const char *topic,
		    const struct message_image *m);

/* A message that is not valid for its type */
void map_input_damaged(struct map_input *in, const char *topic);

/* A topic that cannot be used; @why: one line */
void map_input_unknown(struct map_input *in, const char *topic,
		       const char *why);

/*
 * "messages", "submaps_stored", "transforms_stored", "edges_stored", "refused", "last_error", ...; with
 * "stamps_ahead", s, if clocks differ: see stamps.h
 */
void map_input_status(struct map_input *in, cJSON *out);

#endif
