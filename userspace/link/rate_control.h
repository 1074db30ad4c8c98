/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rate_control.h - from what is measured of a link to the rate it is asked for
 *
 * Holds the rate just below the capacity, tries a little more from time to
 * time, and grows by ever larger steps while nothing queues. Where the link
 * did more within the last minute, one good try is enough to go back there.
 *
 * Rates are bytes a second, times are ns of one clock that never runs
 * backwards. A value type; rate_control_init() begins.
 */
#ifndef LINK_RATE_CONTROL_H
#define LINK_RATE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

enum {
	RATE_CONTROL_BEST	= 6,	/* slots of memory, 10 s each */
};

enum rate_control_phase {
	RATE_CONTROL_GROW,
	RATE_CONTROL_HOLD,
	RATE_CONTROL_PROBE,
	RATE_CONTROL_DIP
};

/**
 * struct rate_control_limits - what the operator wants
 * @start:	to begin with
 * @floor:	never less
 * @most:	never more
 */
struct rate_control_limits {
	double	start, floor, most;
};

/**
 * struct rate_control_sample - what a report says of a span of time
 * @span:	s
 * @sent:	rate in it
 * @through:	rate that passed the bottleneck, whatever was lost behind it
 * @noise:	of the ends of the span, s
 * @backlog:	bytes that wait at the bottleneck now
 * @congested:	they wait, or are dropped for want of room
 * @doubtful:	perhaps they do, and the next report will tell
 * @clear:	for certain they do not
 * @limited:	there was not enough to send
 * @observed:	the rate that is set now was seen long enough
 */
struct rate_control_sample {
	double	span;
	double	sent, through;
	double	noise;
	double	backlog;
	bool	congested, doubtful, clear, limited, observed;
};

/**
 * struct rate_control - state
 * @rate:	to be sent
 * @capacity:	of the link; 0: not known yet
 * @demand:	most that is of use; 0: not known
 * @way:	there and back
 * @changed:	since when @rate is as it is, but for holding
 * @settled:	it was held, once: what is behind is no longer the start
 */
struct rate_control {
	double			rate, capacity, demand;
	uint64_t		changed, way;
	bool			settled;
	/* private */
	struct rate_control_limits	limits;
	enum rate_control_phase	phase;
	unsigned int		step, doubts;
	bool			jumped, again;
	uint64_t		try_at, idle_until, patience;
	double			passed;
	double			best[RATE_CONTROL_BEST];
	uint64_t		slot;
};

void rate_control_init(struct rate_control *s,
		       const struct rate_control_limits *limits);

/* Other limits from now on */
void rate_control_limit(struct rate_control *s,
			const struct rate_control_limits *limits);

void rate_control_sample(struct rate_control *s, uint64_t now,
			 const struct rate_control_sample *x);

/**
 * rate_control_local() - the queue of the own device is too long
 * @passed: rate at which it was served; as much as nothing: it is held
 * @backlog: bytes in it
 */
void rate_control_local(struct rate_control *s, uint64_t now, double passed,
			double backlog);

/**
 * rate_control_tick() - time went by: nobody answers a try for ever
 */
void rate_control_tick(struct rate_control *s, uint64_t now);

/**
 * rate_control_resume() - go on with a link of that capacity
 */
void rate_control_resume(struct rate_control *s, uint64_t now, double capacity);

/**
 * rate_control_best() - the best that the link did
 * @slots: of 10 s, the one that runs included, RATE_CONTROL_BEST at most
 */
double rate_control_best(const struct rate_control *s, unsigned int slots);

/* The link did no better than that */
void rate_control_forget(struct rate_control *s, double above);

/* Less for a while, to see what becomes of it; rate_control_resume() ends that */
void rate_control_dip(struct rate_control *s, uint64_t now, double rate);

/* What was before an outage is not older for it */
void rate_control_pause(struct rate_control *s, uint64_t now, uint64_t since);

#endif
