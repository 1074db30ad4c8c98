/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rate_control.h - sending rate from link measurements
 *
 * Holds the rate just below the capacity, probes a little more from time to
 * time, and grows by increasing steps while nothing queues. If the link was
 * faster within the last minute, one good probe is enough to return there.
 *
 * Rates are bytes per second, times are ns of one monotonic clock. A value
 * type, initialised by rate_control_init().
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
 * struct rate_control_limits - limits set by the operator
 * @start:	initial rate
 * @floor:	lowest rate
 * @most:	highest rate
 */
struct rate_control_limits {
	double	start, floor, most;
};

/**
 * struct rate_control_sample - measurements of a span of time
 * @span:	s
 * @sent:	rate sent
 * @through:	rate that passed the bottleneck, before losses behind it
 * @noise:	of the ends of the span, s
 * @backlog:	bytes queued at the bottleneck now
 * @congested:	datagrams queue, or are dropped by a full queue
 * @doubtful:	congestion is uncertain until the next report
 * @clear:	certainly not congested
 * @limited:	there was not enough data to send
 * @observed:	the current rate has been measured long enough
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
 * @rate:	rate to send
 * @capacity:	of the link; 0: not known yet
 * @demand:	largest useful rate; 0: not known
 * @way:	round trip, ns
 * @changed:	when @rate was set, except by holding
 * @settled:	it has held once: the start phase is over
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

/* Change the limits */
void rate_control_limit(struct rate_control *s,
			const struct rate_control_limits *limits);

void rate_control_sample(struct rate_control *s, uint64_t now,
			 const struct rate_control_sample *x);

/**
 * rate_control_local() - the queue of the local device is too long
 * @passed: rate at which it was served; near 0: it is held
 * @backlog: bytes in it
 */
void rate_control_local(struct rate_control *s, uint64_t now, double passed,
			double backlog);

/**
 * rate_control_tick() - update timeouts: end probes that get no answer
 */
void rate_control_tick(struct rate_control *s, uint64_t now);

/**
 * rate_control_resume() - continue with a given capacity
 */
void rate_control_resume(struct rate_control *s, uint64_t now, double capacity);

/**
 * rate_control_best() - highest recent rate of the link
 * @slots: of 10 s, including the current one, at most RATE_CONTROL_BEST
 */
double rate_control_best(const struct rate_control *s, unsigned int slots);

/* Forget higher rates: the link cannot carry more than @above */
void rate_control_forget(struct rate_control *s, double above);

/* Lower the rate for a dip (dip.h) until rate_control_resume() */
void rate_control_dip(struct rate_control *s, uint64_t now, double rate);

/* Do not count the time of an outage as age of the remembered rates */
void rate_control_pause(struct rate_control *s, uint64_t now, uint64_t since);

#endif
