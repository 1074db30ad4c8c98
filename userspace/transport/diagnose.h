/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * diagnose.h - reception quality of each topic, and contact with each robot, as
 * /diagnostics
 */
#ifndef TRANSPORT_DIAGNOSE_H
#define TRANSPORT_DIAGNOSE_H

#include "transport/contact.h"
#include "transport/publish.h"
#include "transport/recv_topic.h"

/* A diagnostic_msgs/DiagnosticArray under construction; one at a time */
struct diagnose {
	struct publish	*publish;
	union message	msg;
};

/* @now: ns since the epoch */
void diagnose_begin(struct diagnose *d, struct publish *publish, int64_t now);

/**
 * diagnose_topic() - add the status of a topic; publish a full message
 * @name:	under which it is published
 * @sender:	name of its robot
 * @delay:	of the link, s
 *
 * The level is ERROR when the topic is silent, WARN when less than half of its
 * data can be shown.
 */
void diagnose_topic(struct diagnose *d, const char *name, const char *sender,
		    double delay, const struct recv_topic *t);

/**
 * diagnose_robot() - add the status of a robot; publish a full message
 * @label:	its name
 * @run:	number of its stream: another one is another run
 * @c:		in the clock of @now
 */
void diagnose_robot(struct diagnose *d, const char *label, uint64_t run,
		    const struct contact *c, int64_t now);

/* Publish the remaining statuses */
void diagnose_end(struct diagnose *d);

/**
 * struct diagnose_reader - what a receiver said, read again
 * @topic:	it publishes the topic @name of a robot
 * @robot:	as in diagnose_robot(), @c in the clock of @now
 */
struct diagnose_reader {
	void	(*topic)(void *arg, const char *name, const char *label);
	void	(*robot)(void *arg, const char *label, uint64_t run,
			 const struct contact *c, int64_t now);
	void	*arg;
};

/**
 * diagnose_read() - read a message of /diagnostics
 * @r:		NULL: only ask
 * @now:	when it was published, ns
 *
 * Return: whether it is of a receiver.
 */
bool diagnose_read(const struct diagnose_reader *r,
		   const struct message_diagnostics *m, int64_t now);

#endif
