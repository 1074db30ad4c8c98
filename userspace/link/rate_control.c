// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hold, probe, grow.
 *
 * A probe is nine percent above the capacity, for one report: 45 ms of queue at
 * most when nothing changed, which the next report at HOLD takes away again.
 * Where the link was better before, a probe is a little more, as much may hang
 * on it. Growth begins with a small step, so that a queue that was overlooked
 * costs little.
 */
#include <math.h>
#include <string.h>
#include "rate_control.h"

#define SECOND		1000000000ULL
#define SLOT		(10 * SECOND)

static const double HOLD = 0.93, EAGER_HOLD = 0.86, BACK = 0.9;
static const double PROBE = 1.09, EAGER_PROBE = 1.12;
static const double HORIZON = 0.6;	/* s in which a queue shall be gone */
static const double LEAST = 0.15;	/* of HOLD, while one is drained */
static const double BETTER = 1.35;	/* worth going back to */
static const double NOISY = 0.012;	/* s */
static const double CLEARLY = 1.05;	/* above the capacity */
static const double FADE = 0.95;	/* of what passed, a sample */
static const double OTHER = 0.6;	/* of it: another link, or a mixture */

static const uint64_t EAGER = 4 * SECOND / 10, CALM = 13 * SECOND / 10;
static const uint64_t ANSWER = 7 * SECOND / 10, DIP_MOST = 5 * SECOND;
static const uint64_t PATIENCE = 2 * SECOND, PATIENCE_MOST = 32 * SECOND;

static const double steps[] = { 1.12, 1.25, 1.5, 2 };

enum { DOUBTS = 3 };		/* probes that tell nothing */
enum { STEP_LAST = sizeof(steps) / sizeof(*steps) - 1 };

static void steer_set(struct steer *s, double rate)
{
	const struct steer_limits *l = &s->limits;

	if (s->demand > 0)
		rate = fmin(rate, fmax(1.2 * s->demand, l->start));
	s->rate = fmax(fmin(rate, l->most), l->floor);
}

void steer_init(struct steer *s, const struct steer_limits *limits)
{
	memset(s, 0, sizeof(*s));
	s->limits = *limits;
	s->step = STEP_LAST;
	s->patience = PATIENCE;
	steer_set(s, limits->start);
}

void steer_limit(struct steer *s, const struct steer_limits *limits)
{
	s->limits = *limits;
	steer_set(s, s->rate);
}

double steer_best(const struct steer *s, unsigned int slots)
{
	double best = 0;

	for (unsigned int i = 0; i < slots && i < STEER_BEST && i <= s->slot;
	     i++)
		best = fmax(best, s->best[(s->slot - i) % STEER_BEST]);
	return best;
}

static void steer_remember(struct steer *s, uint64_t now, double rate)
{
	uint64_t slot = now / SLOT, n;

	if (slot < s->slot)
		return;
	n = slot - s->slot < STEER_BEST ? slot - s->slot : STEER_BEST;
	while (n)
		s->best[(slot - --n) % STEER_BEST] = 0;
	s->slot = slot;
	slot %= STEER_BEST;
	s->best[slot] = fmax(s->best[slot], rate);
}

void steer_forget(struct steer *s, double above)
{
	for (unsigned int i = 0; i < STEER_BEST; i++)
		s->best[i] = fmin(s->best[i], above);
}

void steer_pause(struct steer *s, uint64_t now, uint64_t since)
{
	uint64_t slots = now / SLOT - since / SLOT;
	double kept[STEER_BEST];

	memcpy(kept, s->best, sizeof(kept));
	for (unsigned int i = 0; i < STEER_BEST; i++)
		s->best[(i + slots) % STEER_BEST] = kept[i];
	s->slot += slots;
}

static bool steer_was_better(const struct steer *s)
{
	return steer_best(s, STEER_BEST) > BETTER * s->capacity;
}

static void steer_hold(struct steer *s, uint64_t now, double backlog)
{
	double rate = (steer_was_better(s) ? EAGER_HOLD : HOLD) * s->capacity;

	steer_set(s, fmax(rate - backlog / HORIZON, LEAST * rate));
	if (s->phase == STEER_HOLD)
		return;
	s->phase = STEER_HOLD;
	s->settled = true;
	s->jumped = false;
	s->try_at = now + (steer_was_better(s) ? EAGER : CALM);
}

/*
 * What passed is what the bottleneck can only while it is busy: then what
 * comes out is not what went in. Otherwise a mistaken queue would make the
 * rate follow itself downwards.
 */
static bool steer_is_busy(const struct steer *s,
			  const struct steer_sample *x)
{
	double unlike = fabs(x->sent / x->through - 1);

	return !s->capacity || x->through > s->capacity ||
	       unlike > 0.03 + 2 * x->noise / x->span;
}

/*
 * About the most that passed a queue lately. A sample during which the queue
 * began shows less than the link does, and one during which the link changed is
 * a mixture; what is far less is another link.
 */
static void steer_passed(struct steer *s, double through)
{
	if (through < OTHER * s->passed)
		s->passed = through;
	else
		s->passed = fmax(through, FADE * s->passed);
}

static void steer_failed(struct steer *s, uint64_t now)
{
	if (s->jumped)
		steer_forget(s, 1.2 * s->capacity);
	s->idle_until = now + s->patience;
	if (s->patience < PATIENCE_MOST)
		s->patience *= 2;
}

static void steer_congested(struct steer *s, uint64_t now,
			    const struct steer_sample *x)
{
	bool grew = s->phase == STEER_GROW, near;

	if (steer_is_busy(s, x)) {
		steer_passed(s, x->through);
		near = fabs(x->through - s->capacity) < 0.2 * s->capacity;
		s->capacity = near ? (s->capacity + x->through) / 2 :
				     x->through;
	}
	if (grew)
		steer_failed(s, now);
	steer_remember(s, now, s->capacity);
	/* the next try waits until the queue is gone */
	s->phase = STEER_PROBE;
	s->step = 0;
	steer_hold(s, now, x->backlog);
}

/*
 * Not enough to send: a topic may want more than there is now to be of any
 * use. Give it that, but not again soon after it proved too much.
 */
static void steer_idle(struct steer *s, uint64_t now,
		       const struct steer_sample *x)
{
	if (s->phase == STEER_PROBE)
		steer_hold(s, now, x->backlog);
	/* an answer: nothing speaks against it */
	else if (s->phase == STEER_GROW)
		s->changed = now;
	if (now < s->idle_until || !x->observed)
		return;
	if (s->demand > s->rate) {
		s->phase = STEER_GROW;
		s->capacity = fmax(s->capacity, x->sent);
		s->changed = now;
		steer_set(s, s->rate * 1.5);
	}
}

/* Back to what the link did within the last minute */
static bool steer_jump(struct steer *s, const struct steer_sample *x)
{
	double best = BACK * steer_best(s, STEER_BEST);

	/* and not because the capacity was taken for too small */
	if (!s->capacity || !x->clear ||
	    x->sent < CLEARLY * fmax(s->capacity, s->passed) ||
	    best < s->rate * steps[1])
		return false;
	steer_set(s, best);
	s->jumped = true;
	return true;
}

static void steer_grow(struct steer *s, uint64_t now,
		       const struct steer_sample *x)
{
	if (!x->observed)
		return;
	if (s->jumped) {
		s->capacity = s->rate / BACK;
		s->step = 0;
		steer_hold(s, now, x->backlog);
		return;
	}
	/* a link that became better shows it */
	if (s->phase == STEER_PROBE && !x->clear && steer_was_better(s) &&
	    s->doubts++ < DOUBTS) {
		s->capacity = fmax(s->capacity, fmin(x->sent, x->through));
		steer_hold(s, now, x->backlog);
		return;
	}
	s->doubts = 0;
	/* a queue may hide in the noise, or be noise: the next will tell */
	if (!s->again && (x->doubtful || (s->phase == STEER_PROBE &&
					  x->noise > NOISY))) {
		s->again = true;
		s->changed = now;
		return;
	}
	if (s->phase == STEER_GROW)
		s->patience = PATIENCE;
	s->again = false;
	if (!steer_jump(s, x)) {
		steer_set(s, s->rate * steps[s->step]);
		if (s->step < STEP_LAST)
			s->step++;
	}
	/* a lower bound, and all that is known above the old one */
	if (s->capacity)
		s->capacity = fmax(s->capacity, x->sent);
	s->phase = STEER_GROW;
	s->changed = now;
}

static void steer_probe(struct steer *s, uint64_t now,
			const struct steer_sample *x)
{
	if (now < s->try_at || x->backlog > 0.03 * s->capacity) {
		steer_hold(s, now, x->backlog);
		return;
	}
	s->phase = STEER_PROBE;
	s->again = false;
	s->changed = now;
	steer_set(s, (steer_was_better(s) ? EAGER_PROBE : PROBE) *
		     s->capacity);
}

void steer_sample(struct steer *s, uint64_t now, const struct steer_sample *x)
{
	if (x->congested && x->through > 0) {
		steer_congested(s, now, x);
		return;
	}
	/* however little there was to send: it passed */
	steer_remember(s, now, fmin(x->sent, x->through));
	/* a try that did not reach its rate may still tell */
	if (x->limited && (s->phase == STEER_HOLD || !s->capacity ||
			   x->sent < CLEARLY * s->capacity)) {
		steer_idle(s, now, x);
		return;
	}
	if (s->phase == STEER_HOLD) {
		/* the answer to a try that was given up */
		if (x->observed && x->through > CLEARLY * s->capacity)
			s->capacity = fmax(fmin(x->sent, x->through),
					   s->capacity);
		steer_probe(s, now, x);
	} else {
		steer_grow(s, now, x);
	}
}

void steer_local(struct steer *s, uint64_t now, double passed, double backlog)
{
	bool grew = s->phase == STEER_GROW;

	if (!s->capacity)
		s->capacity = fmax(passed, s->limits.floor);
	/* a queue that is held tells nothing of the link */
	else if (passed > 0.05 * s->capacity && passed < s->capacity)
		s->capacity = passed < 0.8 * s->capacity ? passed :
			      (s->capacity + passed) / 2;
	if (grew)
		steer_failed(s, now);
	s->phase = STEER_PROBE;
	s->step = 0;
	s->changed = now;
	steer_hold(s, now, backlog);
}

void steer_tick(struct steer *s, uint64_t now)
{
	uint64_t answer = s->phase == STEER_DIP ? DIP_MOST : ANSWER;

	if (s->phase == STEER_HOLD || !s->capacity ||
	    now - s->changed < answer + s->way)
		return;
	steer_hold(s, now, 0);
	s->try_at = now;
}

void steer_dip(struct steer *s, uint64_t now, double rate)
{
	s->phase = STEER_DIP;
	s->changed = now;
	steer_set(s, rate);
}

void steer_resume(struct steer *s, uint64_t now, double capacity)
{
	s->capacity = capacity;
	s->phase = STEER_PROBE;
	steer_hold(s, now, 0);
	s->changed = now;
}
