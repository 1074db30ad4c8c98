/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sender.h - all topics sent to one receiver, their rates, and announcements
 */
#ifndef TRANSPORT_SENDER_H
#define TRANSPORT_SENDER_H

#include "base/error.h"
#include "link/link.h"
#include "link/load.h"
#include "transport/command.h"
#include "transport/send_topic.h"

enum {
	SENDER_TOPICS	= 48,		/* as many as a report has room for */
	SENDER_PATTERNS	= 64,
	SENDER_KEY	= 512,		/* bytes of a path */
};

/* A topic of sources with this name is not sent if the sender has a status */
#define SENDER_STATUS_TOPIC	"/optsample/link"

/**
 * struct sender_options - set by the user
 * @name:	of the robot
 * @still:	topic of odometry or velocity that shows whether it moves; "":
 *		none
 * @rate:	bytes/s on the wire, at most; 0: set by the link
 * @cpu:	fraction of a core for coding, 0 .. 1: makes images smaller and
 *		less frequent; 1: no limit
 * @threads:	messages encoded in parallel, see workers.h; 0: one per
 *		processor
 * @key:	key file that the receiver also has; "": none
 * @device:	watch the queue of the device that leads to the receiver
 * @status:	between messages of SENDER_STATUS_TOPIC, ns, see
 *		sender_status.h; 0: none
 * @commands:	obey commands of the receiver: focus and priorities
 * @topic:	names and patterns to send, the first match counts; @topics of
 *		them
 * @all:	also send topics that match no pattern
 */
struct sender_options {
	char			name[CONTROL_WORD];
	char			still[SEND_NAME];
	char			key[SENDER_KEY];
	double			rate, cpu;
	unsigned int		threads;
	uint64_t		status;
	bool			device, all, commands;
	struct send_options	topic[SENDER_PATTERNS];
	unsigned int		topics;
};

struct sender;

/* Return: 0 or a negative errno, and @error says why in one line */
int sender_open(struct sender **s, struct loop *l, const struct address *to,
		const struct sender_options *options, struct error *error);
void sender_close(struct sender *s);

/**
 * sender_wants() - is a topic to be sent?
 *
 * Return: its options, or NULL.
 */
const struct send_options *sender_wants(const struct sender *s,
					const char *topic);

/* Handle a message of a source; topics that are not wanted are ignored */
void sender_message(struct sender *s, const struct source_message *m);

/* End of the source: send what waits for its turn */
void sender_end(struct sender *s);

/* Is a message of any topic being encoded or waiting for the encoder? */
bool sender_busy(const struct sender *s);

/**
 * sender_add() - add a topic or a pattern
 *
 * It precedes the existing ones and replaces one of the same name.
 *
 * Return: 0 or -E2BIG.
 */
int sender_add(struct sender *s, const struct send_options *options);

/* Return: 0; -ENOENT, -E2BIG: nothing changed */
int sender_remove(struct sender *s, const char *topic);

/*
 * Change the options of a topic that is sent. Return: 0; -ENOENT, -E2BIG:
 * nothing changed
 */
int sender_change(struct sender *s, const struct send_options *options);

/**
 * sender_focus() - one topic before all others
 * @topic: NULL: none
 *
 * Return: 1: it changed; 0: it is so already; -ENOENT: no such topic, nothing
 * changed; as sender_change().
 */
int sender_focus(struct sender *s, const char *topic);

/**
 * sender_priority() - change the priority of a topic
 *
 * Return: 1: it changed; 0: it is so already; -ERANGE: above
 * ALLOCATION_PRIORITY; as sender_change().
 */
int sender_priority(struct sender *s, const char *topic, unsigned int priority);

/* Change the limits, see struct sender_options */
void sender_limit(struct sender *s, double rate, double cpu);

/* Topic @i, or NULL: i is beyond the last; not that of the status */
struct send_topic *sender_topic(const struct sender *s, unsigned int i);
struct send_topic *sender_find(const struct sender *s, const char *name);

const struct sender_options *sender_options(const struct sender *s);
const struct estimate *sender_link(const struct sender *s);
/* Pace of the datagrams of a frame */
const struct pace *sender_pace(const struct sender *s);
/* Load of the processor */
const struct load *sender_load(const struct sender *s);
/* Is it the processor that makes images small, not the link? */
bool sender_is_slow(const struct sender *s);
const struct link_stats *sender_device(const struct sender *s);
const struct uplink_counts *sender_counts(const struct sender *s);
const struct command_counts *sender_commands(const struct sender *s);
/* See uplink_error() */
int sender_error(const struct sender *s);

#endif
