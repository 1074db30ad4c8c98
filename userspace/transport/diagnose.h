/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * diagnose.h - reception quality of each topic, as /diagnostics
 */
#ifndef TRANSPORT_DIAGNOSE_H
#define TRANSPORT_DIAGNOSE_H

#include "transport/publish.h"
#include "transport/recv_topic.h"

#define DIAGNOSE_PREFIX	"optsample: "	/* of the names of statuses */

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

/* Publish the remaining statuses */
void diagnose_end(struct diagnose *d);

#endif
