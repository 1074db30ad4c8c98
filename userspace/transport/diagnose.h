/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * diagnose.h - how each topic arrives, as /diagnostics
 */
#ifndef TRANSPORT_DIAGNOSE_H
#define TRANSPORT_DIAGNOSE_H

#include "transport/publish.h"
#include "transport/recv_topic.h"

/* A diagnostic_msgs/DiagnosticArray that is being made; one at a time */
struct diagnose {
	struct publish	*publish;
	union message	msg;
};

/* @now: ns since the epoch */
void diagnose_begin(struct diagnose *d, struct publish *publish, int64_t now);

/**
 * diagnose_topic() - add the status of a topic; publish a message that is full
 * @name:	that it is published as
 * @sender:	name of its robot
 * @delay:	of the link, s
 *
 * A topic is in ERROR when it is silent, in WARN when less than half of it can
 * be shown.
 */
void diagnose_topic(struct diagnose *d, const char *name, const char *sender,
		    double delay, const struct recv_topic *t);

/* Publish what was added */
void diagnose_end(struct diagnose *d);

#endif
