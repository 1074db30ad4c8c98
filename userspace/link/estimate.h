/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * estimate.h - link capacity, loss and delay, estimated from what was sent,
 * the receiver's reports, and the queue of the local device
 *
 * Random loss is not congestion: it decides how images are protected, not the
 * rate. Congestion is a queue that grows, on the path or in the local device,
 * or loss that comes with it. If no report arrives any more, the link is out.
 * Then a quarter of the former rate is sent; if the local queue does not
 * sample, at most the current rate. After an outage the sender begins a new
 * epoch (optsample/segment.h).
 *
 * Rates are bytes per second on the wire, with the headers of UDP and IP. Times
 * are ns of the clock whose us are in segments. Reports that contradict what
 * was sent are rejected.
 */
#ifndef LINK_ESTIMATE_H
#define LINK_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>
#include "link/link.h"
#include "link/rate_control.h"
#include "link/report.h"

enum {
	ESTIMATE_OVERHEAD	= 28,	/* bytes of UDP and IPv4 headers */
};

enum estimate_state {
	ESTIMATE_START,			/* no report from the receiver yet */
	ESTIMATE_LIVE,
	ESTIMATE_BLIND,			/* an outage */
	ESTIMATE_DRAIN,			/* kept messages leave, too */
};

/**
 * struct estimate - estimated state of the link
 * @state:	of the link
 * @epoch:	number of outages so far, for segments sent now
 * @rate:	allowed rate of all topics together, bytes/s
 * @capacity:	of the link; 0: not known yet
 * @loss:	current fraction of datagrams lost, 0 .. 1
 * @loss_high:	expected loss rate, upper bound, 0 .. 1
 * @round_trip:	s; 0: not known
 * @queue:	queueing delay on the path, s
 * @fresh:	updated within the last second
 */
struct estimate {
	enum estimate_state	state;
	uint16_t		epoch;
	double			rate, capacity;
	double			loss, loss_high;
	double			round_trip, queue;
	bool			fresh;
};

struct estimator;

/**
 * estimator_create() - create an estimator without measurements
 * @limits: NULL: 32 kB/s to begin with, at least 1 kB/s, at most 1 GB/s
 *
 * Return: to be freed with estimator_destroy(), NULL: no memory.
 */
struct estimator *estimator_create(const struct rate_control_limits *limits);
void estimator_destroy(struct estimator *e);

/* Change the limits */
void estimate_limits(struct estimator *e,
		     const struct rate_control_limits *limits);

/**
 * estimate_demand() - set the largest rate that all topics can use, bytes/s
 *
 * The rate grows to at most 1.2 times this.
 */
void estimate_demand(struct estimator *e, double demand);

/**
 * estimate_sent() - account sent datagrams, including announcements and copies
 * @now: the sending time written into them, ns
 * @bytes: UDP payload bytes
 */
void estimate_sent(struct estimator *e, uint64_t now, unsigned int datagrams,
		   uint64_t bytes);

/**
 * estimate_report() - process a report; duplicates and old ones are allowed
 * @came: arrival time, ns, even if more was sent since
 *
 * Return: 0, -EALREADY: old, -EINVAL: invalid.
 */
int estimate_report(struct estimator *e, uint64_t came,
		    const struct control_report *r);

/**
 * estimate_link() - update the state of the local device, about every 100 ms
 */
void estimate_link(struct estimator *e, uint64_t now,
		   const struct link_stats *l);

/**
 * estimate_tick() - update timeouts; call about every 100 ms
 */
void estimate_tick(struct estimator *e, uint64_t now);

/* Valid until @e is destroyed; updated by the calls above */
const struct estimate *estimate_of(const struct estimator *e);

/* Why its rate is what it is, for the log */
const char *estimate_why(const struct estimator *e);

#endif
