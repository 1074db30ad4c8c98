/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * storing.h - the thread that stores what comes in
 *
 * The loop reads DDS, and what it reads waits here: neither a disk nor a
 * command that takes its time keeps the loop from reading on. What waits is
 * bounded in bytes; what does not fit is dropped, counted, and told of once.
 */
#ifndef APPS_GDIMD_STORING_H
#define APPS_GDIMD_STORING_H

#include <cjson/cJSON.h>
#include "base/loop.h"
#include "ros/io/source.h"

struct storing;

/**
 * struct storing_config
 * @site:	of who is asked for a turn around each message
 * @bytes:	of messages that wait, at most
 * @begin:	called in the thread when it begins, with its loop
 * @message:	called in the thread for each message, in the order they came,
 *		while it has the turn to store
 * @end:	called in the thread when it ends, behind all messages
 * @dropped:	called in the loop when a message does not fit: the first of
 *		some, with the topic
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
/* All that waits is stored first */
void storing_close(struct storing *s);

/* A copy of @m waits. In the loop */
void storing_message(struct storing *s, const struct source_message *m);

/**
 * storing_do() - have something else done in the thread, behind what waits
 * @run: gets @text, which is copied, and @value
 *
 * In the loop. Return: 0, -ENOMEM.
 */
int storing_do(struct storing *s,
	       void (*run)(void *arg, const char *text, double value),
	       const char *text, double value);

/* "waiting", "waiting_bytes", "dropped" */
void storing_status(struct storing *s, cJSON *out);

#endif
