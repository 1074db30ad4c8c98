/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * robot_status.h - what a robot says of its link and its topics
 *
 * optsample-send sends it as diagnostic_msgs/DiagnosticArray on
 * /optsample/link: a status "link" and one status "topic NAME" for each topic,
 * in one or several messages.
 */
#ifndef VIEW_ROBOT_STATUS_H
#define VIEW_ROBOT_STATUS_H

#include "ros/msg/message.h"

#define ROBOT_STATUS_TOPIC	"/optsample/link"

enum {
	ROBOT_TOPICS	= 48,
	ROBOT_NAME	= 256,
	ROBOT_STATE	= 16,
};

/**
 * struct robot_topic
 * @priority:	0..7
 * @focus:	the operator looks at it
 * @on:		it is sent
 * @hz:		messages per second that are sent
 * @share:	allocated rate, bit/s
 */
struct robot_topic {
	char	name[ROBOT_NAME];
	int	priority;
	bool	focus, on;
	double	hz, share;
};

/**
 * struct robot_status - zero-initialised: nothing is known
 * @t:		when it was measured, ns; 0: never
 * @state:	start, live, outage, drain
 * @rate, @capacity: bit/s; capacity 0: unknown
 * @loss:	0..1
 * @round_trip, @queue: s
 * @changes:	of anything, for those that show it
 */
struct robot_status {
	int64_t			t;
	char			state[ROBOT_STATE];
	double			rate, capacity, loss, round_trip, queue;
	double			outages;
	struct robot_topic	topic[ROBOT_TOPICS];
	unsigned int		topics;
	uint64_t		changes;
};

/* Take one of its messages. Return: whether it was one */
bool robot_status_read(struct robot_status *s,
		       const struct message_diagnostics *m, int64_t t);

/* By name, or NULL */
const struct robot_topic *robot_status_topic(const struct robot_status *s,
					     const char *name);

#endif
