/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * storing.h - the thread that stores input
 *
 * The loop reads DDS and queues messages here, so that neither a disk nor a
 * slow command keeps it from reading. The queue is bounded in bytes; a message
 * that does not fit is dropped, counted, and logged once.
 */
#ifndef MAP_ROS_STORING_H
#define MAP_ROS_STORING_H

#include <cjson/cJSON.h>
#include "base/loop.h"
#include "ros/io/source.h"

struct storing;

/**
 * struct storing_config
 * @site:	site_turn() of it is held around each message
 * @bytes:	of queued messages, at most
 * @begin:	called in the thread when it starts, with its loop
 * @message:	called in the thread for each message, in the order of arrival,
 *		with the turn to store
 * @end:	called in the thread after the last message
 * @dropped:	called in the loop with the topic of the first message of a
 *		series that does not fit
 */
struct storing_config {
	struct site	*site;
	size_t		bytes;
	int		(*begin)(void *arg, struct loop *loop);
	void		(*message)(void *arg, const struct source_message *m);
	void		(*end)(void *arg);
	void		(*dropped)(void *arg, const char *topic);
	void		*arg;
};

/* Return: 0, or a negative errno */
int storing_open(struct storing **s, const struct storing_config *config);
/* Stores the queue first */
void storing_close(struct storing *s);

/* Queue a copy of @m. In the loop */
void storing_message(struct storing *s, const struct source_message *m);

/**
 * storing_do() - run a function in the thread, after the queued messages
 * @run: called with a copy of @text, and @value
 *
 * In the loop. Return: 0, -ENOMEM.
 */
int storing_do(struct storing *s,
	       void (*run)(void *arg, const char *text, double value),
	       const char *text, double value);

/* "waiting", "waiting_bytes", "dropped" */
void storing_status(struct storing *s, cJSON *out);

#endif
