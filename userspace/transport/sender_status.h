/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sender_status.h - the sender's status, as messages to the operator
 *
 * diagnostic_msgs/DiagnosticArray on SENDER_STATUS_TOPIC: a status "link", and
 * one "topic NAME" for each topic. Keys and units are those of `optsample send
 * --json status`; further ones are "topics", their number, and "obeys": commands
 * are on. Flags are "true" or "false". hardware_id is the name of the robot. A
 * message has at most SENDER_STATUS_TOPICS topics, the next one the next
 * topics.
 */
#ifndef TRANSPORT_SENDER_STATUS_H
#define TRANSPORT_SENDER_STATUS_H

#include "link/estimate.h"
#include "link/link.h"
#include "transport/command.h"
#include "transport/send_topic.h"
#include "transport/uplink.h"

enum { SENDER_STATUS_TOPICS = 4 };

/**
 * struct sender_state - what a status tells of the sender
 * @name:	of the robot
 * @limit:	set by the user, bytes/s; 0: none
 * @pace:	of the datagrams of a frame, bytes/s
 * @cpu:	load by coding, fraction of a core
 * @cpu_limits:	it is the processor that makes images small
 * @obeys:	commands are on
 * @topic:	without that of the status; @topics of them
 */
struct sender_state {
	const char			*name;
	const struct estimate		*link;
	const struct uplink_counts	*counts;
	const struct command_counts	*commands;
	const struct link_stats		*device;
	double				limit, pace, cpu;
	bool				cpu_limits, obeys;
	struct send_topic *const	*topic;
	unsigned int			topics;
};

/* Messages of a whole status, at least one */
unsigned int sender_status_parts(unsigned int topics);

/**
 * sender_status() - one of the messages
 * @part: below sender_status_parts(): which topics
 * @link: begin with the link
 * @now: stamp of the message, ns since the epoch
 *
 * Return: valid until the next call, in static memory.
 */
const union message *sender_status(const struct sender_state *s,
				   unsigned int part, bool link, int64_t now);

/* start, live, outage or drain */
const char *sender_status_state(enum estimate_state state);

#endif
