/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * room_message.h - a room, and what the maps say of it, as gdim_msgs has it
 */
#ifndef APPS_GDIMD_ROOM_MESSAGE_H
#define APPS_GDIMD_ROOM_MESSAGE_H

#include "base/error.h"
#include "map/site/room_values.h"
#include "ros/msg/message.h"

enum { ROOM_MESSAGE_GASES = MESSAGE_GASES };

/* What a message points to */
struct room_message {
	struct message_point32	corner[ROOM_CORNERS];
	float			gas[ROOM_MESSAGE_GASES];
	char			name[ROOM_MESSAGE_GASES][LAYER_NAME];
};

/**
 * room_message() - fill in a message: what the maps know, and where they know
 * nothing, what the room's sender said
 * @room:	must stay, as @frame and @keep, while @m is used
 */
void room_message(struct site *site, const struct room *room,
		  const struct room_values *v, const char *frame,
		  struct room_message *keep, struct message_room *m);

/* Whether a point can be in a map; its height counts, too */
bool room_message_point(const struct message_point32 *p);

/**
 * room_message_read() - a room, as somebody tells of it
 * @r: its frame is taken for that of the map
 * @error: gets one line
 *
 * Return: 0; -EINVAL, -E2BIG.
 */
int room_message_read(const struct message_room *m, struct room *r,
		      char error[ERROR_TEXT]);

#endif
