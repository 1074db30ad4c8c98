/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input.h - what comes in: submaps to keyframes, transforms to the pose graph
 *
 * Submaps of one frame that come within a moment are one keyframe: one
 * transaction. What cannot be is refused with one line, counted, and changes
 * nothing.
 *
 * One thread stores, with the site's turn where it says so; inbox_image(),
 * inbox_damaged(), inbox_unknown() and inbox_status() are for any.
 */
#ifndef APPS_GDIMD_INPUT_H
#define APPS_GDIMD_INPUT_H

#include <cjson/cJSON.h>
#include "apps/gdimd/config.h"
#include "base/loop.h"
#include "map/site/site.h"
#include "ros/msg/message.h"

struct inbox;

enum { INBOX_ERROR = 256 };

/**
 * inbox_open() - begin
 * @stored:	something is in the store that was not there before
 * @refused:	one line about a message
 */
int inbox_open(struct inbox **in, struct site *site, struct loop *loop,
	       const struct config *config, void (*stored)(void *arg),
	       void (*refused)(void *arg, const char *line), void *arg);
/* Stores what waits */
void inbox_close(struct inbox *in);

/**
 * inbox_map() - a submap, or a whole map
 * @topic:	for errors
 * @from:	the line of configuration that it belongs to
 * @name:	of the layer
 *
 * Return: 0: taken; errors are told by @refused, too.
 */
int inbox_map(struct inbox *in, const char *topic,
	      const struct config_layer *from, const char *name,
	      enum message_kind kind, const union message *msg);

/* tf2_msgs/TFMessage: all of its transforms or none */
int inbox_transforms(struct inbox *in, const char *topic,
		     const struct message_transforms *m);

/* Rooms and repeaters: see tables 2 and 3 of D4.1. With the turn to store */
int inbox_room(struct inbox *in, const char *topic,
	       const struct message_room *m);
int inbox_rooms(struct inbox *in, const char *topic, unsigned int rooms);
int inbox_repeaters(struct inbox *in, const char *topic,
		    const struct message_polygon *m);

/* Only looked at. Return: 0; -EBADMSG, -EINVAL, and it was told */
int inbox_image(struct inbox *in, const char *topic,
		const struct message_image *m);

/* A message that is none of its type */
void inbox_damaged(struct inbox *in, const char *topic);

/* A topic that nothing is to be taken from; @why: one line */
void inbox_unknown(struct inbox *in, const char *topic, const char *why);

/*
 * "messages", "keyframes", "transforms", "refused", "last_error", ...; with
 * "stamps_ahead", s, clocks differ: see stamps.h
 */
void inbox_status(struct inbox *in, cJSON *out);

#endif
