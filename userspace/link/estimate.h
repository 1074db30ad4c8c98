/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * estimate.h - what the link carries, from what was sent, what the receiver
 * reports, and what the own device says
 *
 * Loss at random is not congestion: it tells how images are protected, never
 * to slow down. Congestion is a queue that grows, on the way or in the own
 * device, or loss that comes with it. When no report comes any more the link
 * is out. Then a quarter of what it carried is sent if the own queue samples,
 * and no more than before the outage if it does not.
 * Behind an outage the sender begins a new epoch (optsample/segment.h).
 *
 * Rates are bytes a second as they are on the wire, with the headers of UDP and
 * IP. Times are ns of the clock whose us are in segments. Nothing is believed
 * of a report that what was sent cannot bear out.
 */
#ifndef LINK_ESTIMATE_H
#define LINK_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>
#include "link/link.h"
#include "link/rate_control.h"
#include "link/report.h"

enum {
	ESTIMATE_OVERHEAD	= 28,	/* bytes of UDP and IPv4 a datagram */
};

enum estimate_state {
	ESTIMATE_START,			/* the receiver was not heard yet */
	ESTIMATE_LIVE,
	ESTIMATE_BLIND,			/* an outage */
	ESTIMATE_DRAIN,			/* what was kept in it leaves, too */
};

/**
 * struct estimate - what is known
 * @state:	of the link
 * @epoch:	outages so far, for segments that are sent now
 * @rate:	that may be sent, of all topics together
 * @capacity:	of the link; 0: not known yet
 * @loss:	of datagrams, 0 .. 1, now
 * @loss_high:	expected loss rate, 0..1
 * @round_trip:	s; 0: not known
 * @queue:	delay by queues on the way, s
 * @fresh:	these are of the last second
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
 * estimator_create() - nothing is known yet
 * @limits: NULL: 32 kB/s to begin with, at least 1 kB/s, at most 1 GB/s
 *
 * Return: to be freed with estimator_destroy(), NULL: no memory.
 */
struct estimator *estimator_create(const struct rate_control_limits *limits);
void estimator_destroy(struct estimator *e);

/* Other limits from now on */
void estimate_limits(struct estimator *e,
		     const struct rate_control_limits *limits);

/**
 * estimate_demand() - the most that all topics together can use
 *
 * The rate grows to a fifth more than that.
 */
void estimate_demand(struct estimator *e, double demand);

/**
 * estimate_sent() - datagrams were sent, announcements and copies too
 * @now: the time that is in them
 * @bytes: of UDP payload
 */
void estimate_sent(struct estimator *e, uint64_t now, unsigned int datagrams,
		   uint64_t bytes);

/**
 * estimate_report() - a report came; copies and old ones may be passed, too
 * @came: when, even if others were sent since
 *
 * Return: 0, -EALREADY: old, -EINVAL: it cannot be.
 */
int estimate_report(struct estimator *e, uint64_t came,
		    const struct control_report *r);

/**
 * estimate_link() - how the own device is, ten times a second or so
 */
void estimate_link(struct estimator *e, uint64_t now,
		   const struct link_stats *l);

/**
 * estimate_tick() - time went by; ten times a second or so
 */
void estimate_tick(struct estimator *e, uint64_t now);

/* Valid until @e is destroyed, and changed by the calls above */
const struct estimate *estimate_of(const struct estimator *e);

#endif
