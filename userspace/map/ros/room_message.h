/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * room_message.h - gdim_msgs of a room with values of the maps
 */
#ifndef MAP_ROS_ROOM_MESSAGE_H
#define MAP_ROS_ROOM_MESSAGE_H

#include "base/error.h"
#include "map/site/room_values.h"
#include "ros/msg/message.h"

enum { ROOM_MESSAGE_GASES = MESSAGE_GASES };

/* Memory that a message points to */
struct room_message {
	struct message_point32	corner[ROOM_CORNERS];
	float			gas[ROOM_MESSAGE_GASES];
	char			name[ROOM_MESSAGE_GASES][LAYER_NAME];
};

/**
 * room_message() - fill in a message: values of the maps, or the sender's where
 * the maps have none
 * @room:	must outlive @m, as must @frame and @keep
 */
void room_message(struct site *site, const struct room *room,
		  const struct room_values *v, const char *frame,
		  struct room_message *keep, struct message_room *m);

/* Whether a point is valid in a map, including its height */
bool room_message_point(const struct message_point32 *p);

/**
 * room_message_read() - a room from a message
 * @r: gets it; its frame is taken to be the map's
 * @error: gets one line
 *
 * Return: 0; -EINVAL, -E2BIG.
 */
int room_message_read(const struct message_room *m, struct room *r,
		      struct error *error);

#endif
