/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pace.h - rate at which the datagrams of a frame are sent
 *
 * A slow pace makes the frame old when it is complete; a fast pace makes more
 * of it queue on the path. The receiver reports how much longer the last
 * datagram of a frame was on its way than the first. This is 0 as long as the
 * link is faster than the pace. So the pace grows while nothing queues and the
 * loss does not rise. The growth of the queue gives the bottleneck rate (packet
 * train dispersion), of which 0.7 is used. If losses come in bursts, frames are
 * spread over the available time: a burst then hits less of each.
 *
 * Rates are bytes per second on the wire, times are ns of one clock, spans are
 * s. A value type; all zero initially.
 */
#ifndef LINK_PACE_H
#define LINK_PACE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct pace - state
 * @rate:	within a frame, bytes/s; 0: not known yet
 * @sure:	likewise, without a step that no report has confirmed
 * @burst:	mean length of a run of lost datagrams; 0: too few to know
 * @spread:	losses come in bursts
 */
struct pace {
	double		rate, sure;
	double		burst;
	bool		spread;
	/* private */
	double		capacity, loss, before;
	double		lost, runs, expected;
	bool		raised;
	uint64_t	next, wait;
};

/**
 * struct pace_sample - the frames since the last report
 * @frames:	frames of several datagrams
 * @bytes, @span: of such frames, mean
 * @growth:	how much longer the last datagram was on its way, mean, s
 * @expected, @lost: datagrams of all frames
 * @runs:	runs of consecutive lost datagrams
 * @capacity:	of the link, see struct estimate, bytes/s
 */
struct pace_sample {
	double		frames, bytes, span, growth;
	double		expected, lost, runs;
	double		capacity;
};

void pace_report(struct pace *p, uint64_t now, const struct pace_sample *s);

/**
 * pace_span() - time over which a frame is sent
 * @bytes:	its bytes, with headers
 * @most:	available time, s
 */
double pace_span(const struct pace *p, double bytes, double most);

/**
 * pace_urgent() - rate of frames that have to arrive soon, bytes/s
 * @rate:	@rate or @sure of a pace
 *
 * Nearly all of the bottleneck's: little queues, and less time is lost.
 */
double pace_urgent(double rate);

#endif
