/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rate_control.h - from what is measured of a link to the rate it is asked for
 *
 * Holds the rate just below the capacity, tries a little more from time to
 * time, and grows by ever larger steps while nothing queues. Where the link
 * did more within the last minute, one good try is enough to go back there.
 *
 * Rates are bytes a second, times are ns of one clock that never runs
 * backwards. A value type; steer_init() begins.
 */
#ifndef LINK_RATE_CONTROL_H
#define LINK_RATE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

enum {
	STEER_BEST	= 6,		/* slots of memory, 10 s each */
};

enum steer_phase { STEER_GROW, STEER_HOLD, STEER_PROBE, STEER_DIP };

/**
 * struct steer_limits - what the operator wants
 * @start:	to begin with
 * @floor:	never less
 * @most:	never more
 */
struct steer_limits {
	double	start, floor, most;
};

/**
 * struct steer_sample - what a report says of a span of time
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
struct steer_sample {
	double	span;
	double	sent, through;
	double	noise;
	double	backlog;
	bool	congested, doubtful, clear, limited, observed;
};

/**
 * struct steer - state
 * @rate:	to be sent
 * @capacity:	of the link; 0: not known yet
 * @demand:	most that is of use; 0: not known
 * @way:	there and back
 * @changed:	since when @rate is as it is, but for holding
 * @settled:	it was held, once: what is behind is no longer the start
 */
struct steer {
	double			rate, capacity, demand;
	uint64_t		changed, way;
	bool			settled;
	/* private */
	struct steer_limits	limits;
	enum steer_phase	phase;
	unsigned int		step, doubts;
	bool			jumped, again;
	uint64_t		try_at, idle_until, patience;
	double			passed;
	double			best[STEER_BEST];
	uint64_t		slot;
};

void steer_init(struct steer *s, const struct steer_limits *limits);

/* Other limits from now on */
void steer_limit(struct steer *s, const struct steer_limits *limits);

void steer_sample(struct steer *s, uint64_t now, const struct steer_sample *x);

/**
 * steer_local() - the queue of the own device is too long
 * @passed: rate at which it was served; as much as nothing: it is held
 * @backlog: bytes in it
 */
void steer_local(struct steer *s, uint64_t now, double passed, double backlog);

/**
 * steer_tick() - time went by: nobody answers a try for ever
 */
void steer_tick(struct steer *s, uint64_t now);

/**
 * steer_resume() - go on with a link of that capacity
 */
void steer_resume(struct steer *s, uint64_t now, double capacity);

/**
 * steer_best() - the best that the link did
 * @slots: of 10 s, the one that runs included, STEER_BEST at most
 */
double steer_best(const struct steer *s, unsigned int slots);

/* The link did no better than that */
void steer_forget(struct steer *s, double above);

/* Less for a while, to see what becomes of it; steer_resume() ends that */
void steer_dip(struct steer *s, uint64_t now, double rate);

/* What was before an outage is not older for it */
void steer_pause(struct steer *s, uint64_t now, uint64_t since);

#endif
