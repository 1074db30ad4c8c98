/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sender.h - all that goes to one receiver: topics, what each may spend, and
 * who we are
 */
#ifndef TRANSPORT_SENDER_H
#define TRANSPORT_SENDER_H

#include "link/link.h"
#include "link/load.h"
#include "transport/send_topic.h"

enum {
	SENDER_TOPICS	= 48,		/* a report has room for */
	SENDER_PATTERNS	= 64,
	SENDER_KEY	= 512,		/* bytes of a path */
};

/**
 * struct sender_options - by the user
 * @name:	of the robot
 * @still:	a topic of odometry or speed that says whether it moves; "": none
 * @rate:	bytes/s on the wire, at most; 0: as the link has it
 * @cpu:	of a core, 0 .. 1, that coding may take: it makes images smaller,
 *		and fewer; 1: all
 * @threads:	messages that are encoded at a time, see workers.h; 0: as many as
 *		there are processors
 * @key:	file that the receiver has as well; "": none
 * @device:	watch the queue of the device that leads to the receiver
 * @topic:	what is to be sent: names and patterns, the first that matches
 *		counts; @topics of them
 * @all:	what no pattern matches is sent, too
 */
struct sender_options {
	char			name[CONTROL_WORD];
	char			still[SEND_NAME];
	char			key[SENDER_KEY];
	double			rate, cpu;
	unsigned int		threads;
	bool			device, all;
	struct send_options	topic[SENDER_PATTERNS];
	unsigned int		topics;
};

struct sender;

/* Return: 0 or a negative errno, and @error says why in one line */
int sender_open(struct sender **s, struct loop *l, const struct address *to,
		const struct sender_options *options, char error[256]);
void sender_close(struct sender *s);

/**
 * sender_wants() - whether a topic is to be sent
 *
 * Return: what the user said of it, or NULL.
 */
const struct send_options *sender_wants(const struct sender *s,
					const char *topic);

/* A message of a source; topics that are not wanted are left out */
void sender_message(struct sender *s, const struct source_message *m);

/* No more messages come: what waits for its turn has it */
void sender_end(struct sender *s);

/* Whether a message of any topic is being encoded, or waits for that */
bool sender_busy(const struct sender *s);

/**
 * sender_add() - want a topic, or a pattern, from now on
 *
 * It comes before what was wanted so far, and instead of what was said of it.
 *
 * Return: 0 or -E2BIG.
 */
int sender_add(struct sender *s, const struct send_options *options);

/* Return: 0, -ENOENT, -E2BIG */
int sender_remove(struct sender *s, const char *topic);

/* Other options for a topic that is sent. Return: 0, -ENOENT, -E2BIG */
int sender_change(struct sender *s, const struct send_options *options);

/* Other limits, see struct sender_options */
void sender_limit(struct sender *s, double rate, double cpu);

/* Topic @i, or NULL: i is beyond the last */
struct send_topic *sender_topic(const struct sender *s, unsigned int i);
struct send_topic *sender_find(const struct sender *s, const char *name);

const struct sender_options *sender_options(const struct sender *s);
const struct estimate *sender_link(const struct sender *s);
/* Of the datagrams of a frame */
const struct pace *sender_pace(const struct sender *s);
/* Of the processor */
const struct load *sender_load(const struct sender *s);
/* Whether it is the processor that makes images small, and not the link */
bool sender_is_slow(const struct sender *s);
const struct link_stats *sender_device(const struct sender *s);
const struct uplink_counts *sender_counts(const struct sender *s);
/* See uplink_error() */
int sender_error(const struct sender *s);

#endif
