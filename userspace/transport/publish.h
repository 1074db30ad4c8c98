/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * publish.h - publish messages to all sinks, by name
 */
#ifndef TRANSPORT_PUBLISH_H
#define TRANSPORT_PUBLISH_H

#include "base/error.h"
#include "ros/io/sink.h"

enum {
	PUBLISH_TOPICS	= 1024,		/* topics at a time */
	PUBLISH_IDLE	= 60,		/* s without a message: may be replaced,
					 * a map that did not change as well */
};

struct publish;

/* Return: to be freed with publish_destroy(), which closes the sinks; NULL */
struct publish *publish_create(void);
void publish_destroy(struct publish *p);

/**
 * publish_add() - add a sink
 * @spec: see ros/io/sink.h; strftime(3) patterns are replaced by the time
 *
 * Return: 0 or a negative errno, with one line in @error.
 */
int publish_add(struct publish *p, struct loop *l, const char *spec,
		const char *node, struct error *error);

/**
 * publish_listen() - add a callback that is called for each message
 * @msg: valid during the call
 */
void publish_listen(struct publish *p,
		    void (*heard)(void *arg, const char *name,
				  enum message_kind kind, int64_t received,
				  const union message *msg), void *arg);

/**
 * publish_message() - publish a message to all sinks
 * @name: of the topic; offered with its first message
 * @received: ns since the epoch
 *
 * A name that already has another kind is logged once. Recordings and files
 * have a thread each: their failures appear in publish_refused() later.
 *
 * Return: 0, or a negative errno if a sink rejected it; -ENOSPC: all of
 * PUBLISH_TOPICS are in use.
 */
int publish_message(struct publish *p, const char *name,
		    enum message_kind kind, int64_t received,
		    const union message *msg);

/* Messages that a sink rejected or failed to write, sum over all sinks */
uint64_t publish_refused(const struct publish *p);

#endif
