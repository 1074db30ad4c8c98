/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pace.h - how fast the datagrams of a frame follow each other
 *
 * The slower, the older is the frame when it is whole; the faster, the more of
 * it queues on the way. The receiver reports how much longer the last datagram
 * of a frame was on its way than the first: nothing as long as the link is
 * faster. So the pace grows while nothing queues and no more is lost, and
 * what queues tells the rate of the bottleneck (packet train dispersion), of
 * which seven tenths are used. Where losses come in bursts, frames are spread
 * over the time that there is: a burst then takes less of each.
 *
 * Rates are bytes a second on the wire, times are ns of one clock, spans are s.
 * A value type; all zero to begin with.
 */
#ifndef LINK_PACE_H
#define LINK_PACE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct pace - state
 * @rate:	within a frame; 0: not known yet
 * @burst:	mean length of losses, datagrams; 0: too few to tell
 * @spread:	losses come in bursts
 */
struct pace {
	double		rate;
	double		burst;
	bool		spread;
	/* private */
	double		capacity, loss, before;
	double		lost, runs, expected;
	bool		raised;
	uint64_t	next, wait;
};

/**
 * struct pace_sample - what a report says of the frames since the one before
 * @frames:	of several datagrams
 * @bytes, @span: of such frames, mean
 * @growth:	how much longer the last datagram was on its way, mean, s
 * @expected, @lost: datagrams of all frames
 * @runs:	runs of lost ones, one behind the other
 * @capacity:	of the link, struct estimate
 */
struct pace_sample {
	double		frames, bytes, span, growth;
	double		expected, lost, runs;
	double		capacity;
};

void pace_report(struct pace *p, uint64_t now, const struct pace_sample *s);

/**
 * pace_span() - how long a frame may take to leave
 * @bytes:	of it, with headers
 * @most:	that there is, s
 */
double pace_span(const struct pace *p, double bytes, double most);

#endif
