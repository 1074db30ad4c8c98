/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * publish.h - messages to all sinks, by name
 */
#ifndef TRANSPORT_PUBLISH_H
#define TRANSPORT_PUBLISH_H

#include "ros/io/sink.h"

enum {
	PUBLISH_TOPICS	= 1024,		/* names at a time */
	PUBLISH_IDLE	= 60,		/* s without a message: may be replaced,
					 * a map that did not change as well */
};

struct publish;

/* Return: to be freed with publish_destroy(), which closes the sinks; NULL */
struct publish *publish_create(void);
void publish_destroy(struct publish *p);

/**
 * publish_add() - one more sink
 * @spec: see ends/sink.h; the time of day goes where strftime(3) would put it
 *
 * Return: 0 or a negative errno, and @error says why in one line.
 */
int publish_add(struct publish *p, struct loop *l, const char *spec,
		const char *node, char error[256]);

/**
 * publish_listen() - a sink in this program: @heard is called for each message
 * @msg: good during the call
 */
void publish_listen(struct publish *p,
		    void (*heard)(void *arg, const char *name,
				  enum message_kind kind, int64_t received,
				  const union message *msg), void *arg);

/**
 * publish_message() - to all sinks
 * @name: of the topic; it is offered with its first message
 * @received: ns since the epoch
 *
 * A name that has another kind already is told of once. Recordings and files
 * are written by a thread each: what fails there is in publish_refused() later.
 *
 * Return: 0, or a negative errno if a sink did not take it; -ENOSPC: there
 * are PUBLISH_TOPICS, all of them in use.
 */
int publish_message(struct publish *p, const char *name,
		    enum message_kind kind, int64_t received,
		    const union message *msg);

/* Messages that a sink did not take, or could not write later; by all sinks */
uint64_t publish_refused(const struct publish *p);

#endif
