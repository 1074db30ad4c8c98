/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * view_message.h - a received message, shared by the history and all clients
 */
#ifndef VIEW_VIEW_MESSAGE_H
#define VIEW_VIEW_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "ros/msg/message.h"

/**
 * struct view_message - immutable
 * @users:	atomic
 * @topic:	number on the board
 * @kept:	held during an outage, arrived late
 * @seq:	of its topic, from 1
 * @t:		when it was measured, in the operator's clock, ns
 * @arrival:	ns
 * @data:	@len bytes, serialized
 */
struct view_message {
	unsigned int		users;
	unsigned int		topic;
	enum message_kind	kind;
	enum message_format	format;
	bool			kept;
	uint64_t		seq;
	int64_t			t, arrival;
	size_t			len;
	uint8_t			data[];
};

/* Return: with one user; NULL: no memory */
struct view_message *view_message_create(size_t len);

/* From any thread. Return: @m */
struct view_message *view_message_get(struct view_message *m);
void view_message_put(struct view_message *m);

#endif
