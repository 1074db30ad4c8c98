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

#include "transport/sender.h"

enum { SENDER_STATUS_TOPICS = 4 };

/* Messages of a whole status, at least one */
unsigned int sender_status_parts(const struct sender *s);

/**
 * sender_status() - one of the messages
 * @part: below sender_status_parts(): which topics
 * @link: begin with the link
 * @now: stamp of the message, ns since the epoch
 *
 * Return: valid until the next call, in static memory.
 */
const union message *sender_status(const struct sender *s, unsigned int part,
				   bool link, int64_t now);

/* start, live, outage or drain */
const char *sender_status_state(enum estimate_state state);

#endif
