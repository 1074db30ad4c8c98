// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hold, probe, grow.
 *
 * A probe is 9 % above the capacity for one report. If the capacity did not
 * change, this queues at most 45 ms, which the next report at HOLD drains.
 * If the link was better before, a probe is a little larger, as more may be
 * gained. Growth begins with a small step, so that an overlooked queue costs
 * little.
 */
#include <assert.h>
#include <math.h>
#include <string.h>
#include "rate_control.h"

#define SECOND		1000000000ULL
#define SLOT		(10 * SECOND)

static const double HOLD = 0.93, EAGER_HOLD = 0.86, BACK = 0.9;
static const double PROBE = 1.09, EAGER_PROBE = 1.12;
static const double HORIZON = 0.6;	/* s in which a queue must drain */
static const double LEAST = 0.15;	/* least rate while draining, of HOLD */
static const double BETTER = 1.35;	/* factor worth returning to */
static const double NOISY = 0.012;	/* s; makes a probe uncertain */
static const double CLEARLY = 1.05;	/* factor above the capacity */
static const double FADE = 0.95;	/* of @passed, per sample */
static const double OTHER = 0.6;	/* of @passed: below it, another link */

static const uint64_t EAGER = 4 * SECOND / 10, CALM = 13 * SECOND / 10;
static const uint64_t ANSWER = 7 * SECOND / 10, DIP_MOST = 5 * SECOND;
static const uint64_t PATIENCE = 2 * SECOND, PATIENCE_MOST = 32 * SECOND;

static const double steps[] = { 1.12, 1.25, 1.5, 2 };

enum { DOUBTS = 3 };		/* inconclusive probes allowed */
enum { STEP_LAST = sizeof(steps) / sizeof(*steps) - 1 };

static void rate_control_set(struct rate_control *s, double rate)
{
	const struct rate_control_limits *l = &s->limits;

	if (s->demand > 0)
		rate = fmin(rate, fmax(1.2 * s->demand, l->start));
	s->rate = fmax(fmin(rate, l->most), l->floor);
	assert(s->rate >= l->floor);
}

void rate_control_init(struct rate_control *s,
		       const struct rate_control_limits *limits)
{
	memset(s, 0, sizeof(*s));
	s->limits = *limits;
	s->step = STEP_LAST;
	s->patience = PATIENCE;
	rate_control_set(s, limits->start);
}

void rate_control_limit(struct rate_control *s,
			const struct rate_control_limits *limits)
{
	s->limits = *limits;
	rate_control_set(s, s->rate);
}

double rate_control_best(const struct rate_control *s, unsigned int slots)
{
	double best = 0;

	for (unsigned int i = 0;
	     i < slots && i < RATE_CONTROL_BEST && i <= s->slot; i++)
		best = fmax(best, s->best[(s->slot - i) % RATE_CONTROL_BEST]);
	return best;
}

static void rate_control_remember(struct rate_control *s, uint64_t now,
				  double rate)
{
	uint64_t slot = now / SLOT, n;

	if (slot < s->slot)
		return;
	n = slot - s->slot < RATE_CONTROL_BEST ? slot - s->slot :
						 RATE_CONTROL_BEST;
	while (n)
		s->best[(slot - --n) % RATE_CONTROL_BEST] = 0;
	s->slot = slot;
	slot %= RATE_CONTROL_BEST;
	s->best[slot] = fmax(s->best[slot], rate);
}

void rate_control_forget(struct rate_control *s, double above)
{
	for (unsigned int i = 0; i < RATE_CONTROL_BEST; i++)
		s->best[i] = fmin(s->best[i], above);
}

void rate_control_pause(struct rate_control *s, uint64_t now, uint64_t since)
{
	uint64_t slots = now / SLOT - since / SLOT;
	double kept[RATE_CONTROL_BEST];

	assert(since <= now);
	memcpy(kept, s->best, sizeof(kept));
	for (unsigned int i = 0; i < RATE_CONTROL_BEST; i++)
		s->best[(i + slots) % RATE_CONTROL_BEST] = kept[i];
	s->slot += slots;
}

static bool rate_control_was_better(const struct rate_control *s)
{
	return rate_control_best(s, RATE_CONTROL_BEST) > BETTER * s->capacity;
}

static void rate_control_hold(struct rate_control *s, uint64_t now,
			      double backlog)
{
	double rate =
		(rate_control_was_better(s) ? EAGER_HOLD : HOLD) * s->capacity;

	rate_control_set(s, fmax(rate - backlog / HORIZON, LEAST * rate));
	if (s->phase == RATE_CONTROL_HOLD)
		return;
	s->phase = RATE_CONTROL_HOLD;
	s->settled = true;
	s->jumped = false;
	s->try_at = now + (rate_control_was_better(s) ? EAGER : CALM);
}

/*
 * Is the bottleneck busy? Only then the rate that passed is its capacity: more
 * is sent than arrives. Otherwise a falsely detected queue would lower the rate
 * again and again.
 */
static bool rate_control_is_busy(const struct rate_control *s,
				 const struct rate_control_sample *x)
{
	double unlike = fabs(x->sent / x->through - 1);

	return !s->capacity || x->through > s->capacity ||
	       unlike > 0.03 + 2 * x->noise / x->span;
}

/*
 * Track the highest rate that recently passed a queue. A sample during which
 * the queue began shows less than the capacity; one during which the link
 * changed is a mixture. A far lower rate means another link.
 */
static void rate_control_passed(struct rate_control *s, double through)
{
	if (through < OTHER * s->passed)
		s->passed = through;
	else
		s->passed = fmax(through, FADE * s->passed);
}

static void rate_control_failed(struct rate_control *s, uint64_t now)
{
	if (s->jumped)
		rate_control_forget(s, 1.2 * s->capacity);
	s->idle_until = now + s->patience;
	if (s->patience < PATIENCE_MOST)
		s->patience *= 2;
}

static void rate_control_congested(struct rate_control *s, uint64_t now,
				   const struct rate_control_sample *x)
{
	bool grew = s->phase == RATE_CONTROL_GROW, near;

	if (rate_control_is_busy(s, x)) {
		rate_control_passed(s, x->through);
		near = fabs(x->through - s->capacity) < 0.2 * s->capacity;
		s->capacity = near ? (s->capacity + x->through) / 2 :
				     x->through;
	}
	if (grew)
		rate_control_failed(s, now);
	rate_control_remember(s, now, s->capacity);
	/* the next probe waits until the queue has drained */
	s->phase = RATE_CONTROL_PROBE;
	s->step = 0;
	rate_control_hold(s, now, x->backlog);
}

/*
 * Not enough data to send. A topic may need more rate than now to start at all:
 * raise the rate, but not again soon after that failed.
 */
static void rate_control_idle(struct rate_control *s, uint64_t now,
			      const struct rate_control_sample *x)
{
	if (s->phase == RATE_CONTROL_PROBE)
		rate_control_hold(s, now, x->backlog);
	/* no congestion: the probe has its answer */
	else if (s->phase == RATE_CONTROL_GROW)
		s->changed = now;
	if (now < s->idle_until || !x->observed)
		return;
	if (s->demand > s->rate) {
		s->phase = RATE_CONTROL_GROW;
		s->capacity = fmax(s->capacity, x->sent);
		s->changed = now;
		rate_control_set(s, s->rate * 1.5);
	}
}

/* Return to the best rate of the last minute */
static bool rate_control_jump(struct rate_control *s,
			      const struct rate_control_sample *x)
{
	double best = BACK * rate_control_best(s, RATE_CONTROL_BEST);

	/* not if the capacity was merely underestimated */
	if (!s->capacity || !x->clear ||
	    x->sent < CLEARLY * fmax(s->capacity, s->passed) ||
	    best < s->rate * steps[1])
		return false;
	rate_control_set(s, best);
	s->jumped = true;
	return true;
}

static void rate_control_grow(struct rate_control *s, uint64_t now,
			      const struct rate_control_sample *x)
{
	if (!x->observed)
		return;
	if (s->jumped) {
		s->capacity = s->rate / BACK;
		s->step = 0;
		rate_control_hold(s, now, x->backlog);
		return;
	}
	/* if the link was better before, accept an unclear result */
	if (s->phase == RATE_CONTROL_PROBE && !x->clear &&
	    rate_control_was_better(s) && s->doubts++ < DOUBTS) {
		s->capacity = fmax(s->capacity, fmin(x->sent, x->through));
		rate_control_hold(s, now, x->backlog);
		return;
	}
	s->doubts = 0;
	/* noise may hide a queue or look like one: wait for the next report */
	if (!s->again && (x->doubtful || (s->phase == RATE_CONTROL_PROBE &&
					  x->noise > NOISY))) {
		s->again = true;
		s->changed = now;
		return;
	}
	if (s->phase == RATE_CONTROL_GROW)
		s->patience = PATIENCE;
	s->again = false;
	if (!rate_control_jump(s, x)) {
		assert(s->step <= STEP_LAST);
		rate_control_set(s, s->rate * steps[s->step]);
		if (s->step < STEP_LAST)
			s->step++;
	}
	/* the capacity is at least the rate sent */
	if (s->capacity)
		s->capacity = fmax(s->capacity, x->sent);
	s->phase = RATE_CONTROL_GROW;
	s->changed = now;
}

static void rate_control_probe(struct rate_control *s, uint64_t now,
			       const struct rate_control_sample *x)
{
	if (now < s->try_at || x->backlog > 0.03 * s->capacity) {
		rate_control_hold(s, now, x->backlog);
		return;
	}
	s->phase = RATE_CONTROL_PROBE;
	s->again = false;
	s->changed = now;
	rate_control_set(s, (rate_control_was_better(s) ? EAGER_PROBE : PROBE) *
		     s->capacity);
}

void rate_control_sample(struct rate_control *s, uint64_t now,
			 const struct rate_control_sample *x)
{
	if (x->congested && x->through > 0) {
		rate_control_congested(s, now, x);
		return;
	}
	/* even a low rate is known to pass */
	rate_control_remember(s, now, fmin(x->sent, x->through));
	/* a probe below its target rate may still be valid */
	if (x->limited && (s->phase == RATE_CONTROL_HOLD || !s->capacity ||
			   x->sent < CLEARLY * s->capacity)) {
		rate_control_idle(s, now, x);
		return;
	}
	if (s->phase == RATE_CONTROL_HOLD) {
		/* late answer to a probe that was aborted */
		if (x->observed && x->through > CLEARLY * s->capacity)
			s->capacity = fmax(fmin(x->sent, x->through),
					   s->capacity);
		rate_control_probe(s, now, x);
	} else {
		rate_control_grow(s, now, x);
	}
}

void rate_control_local(struct rate_control *s, uint64_t now, double passed,
			double backlog)
{
	bool grew = s->phase == RATE_CONTROL_GROW;

	if (!s->capacity)
		s->capacity = fmax(passed, s->limits.floor);
	/* while the queue is held, its rate tells nothing */
	else if (passed > 0.05 * s->capacity && passed < s->capacity)
		s->capacity = passed < 0.8 * s->capacity ? passed :
			      (s->capacity + passed) / 2;
	if (grew)
		rate_control_failed(s, now);
	s->phase = RATE_CONTROL_PROBE;
	s->step = 0;
	s->changed = now;
	rate_control_hold(s, now, backlog);
}

void rate_control_tick(struct rate_control *s, uint64_t now)
{
	uint64_t answer = s->phase == RATE_CONTROL_DIP ? DIP_MOST : ANSWER;

	if (s->phase == RATE_CONTROL_HOLD || !s->capacity ||
	    now - s->changed < answer + s->way)
		return;
	rate_control_hold(s, now, 0);
	s->try_at = now;
}

void rate_control_dip(struct rate_control *s, uint64_t now, double rate)
{
	s->phase = RATE_CONTROL_DIP;
	s->changed = now;
	rate_control_set(s, rate);
}

void rate_control_resume(struct rate_control *s, uint64_t now, double capacity)
{
	s->capacity = capacity;
	s->phase = RATE_CONTROL_PROBE;
	rate_control_hold(s, now, 0);
	s->changed = now;
}
