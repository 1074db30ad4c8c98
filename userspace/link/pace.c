// SPDX-License-Identifier: GPL-2.0-only
/*
 * pace - rate within a frame
 */
#include <assert.h>
#include <math.h>
#include "link/pace.h"

#define SECOND	1000000000ULL

static const double PART = 0.7;		/* used part of the bottleneck's rate */
static const double URGENT = 0.9;	/* likewise, of urgent frames */
static const double FASTER = 1.5;	/* factor of a step */
static const double SLOWER = 0.5;
static const double MOST = 12.5e6;	/* 100 Mbit/s: a large image in 5 ms */
static const double NOISE = 0.003;	/* s; less growth is noise */
static const double LEAST = 0.15;	/* of the span; less growth is noise */
static const double LOSS = 0.02;	/* loss by which a faster pace fails */
static const double MEAN = 0.2;		/* weight of a sample in the loss */
static const double BURSTY = 1.6;	/* run over random run: bursty */
static const double CALM = 1.3;		/* and no longer bursty below */

static const uint64_t WAIT = 2 * SECOND, WAIT_MOST = 60 * SECOND;

enum { RUNS = 12 };			/* runs required for a mean length */

/* Random losses have a mean run length of 1 / (1 - loss) */
static void learn_bursts(struct pace *p, const struct pace_sample *s)
{
	double loss;

	p->lost += s->lost;
	p->runs += s->runs;
	p->expected += s->expected;
	if (p->runs < RUNS)
		return;
	loss = fmin(p->lost / p->expected, 0.95);
	p->burst = p->lost / p->runs;
	p->spread = p->burst * (1 - loss) > (p->spread ? CALM : BURSTY);
	/* exponential forgetting */
	p->lost /= 2;
	p->runs /= 2;
	p->expected /= 2;
}

static void wait(struct pace *p, uint64_t now)
{
	p->wait = p->wait ? fmin(2 * p->wait, WAIT_MOST) : WAIT;
	p->next = now + p->wait;
}

static void learn_rate(struct pace *p, uint64_t now,
		       const struct pace_sample *s, double loss, double noise)
{
	bool queues = s->growth > fmax(NOISE, LEAST * s->span);
	bool loses = p->raised && loss > p->before + LOSS + 2 * noise;
	bool used = s->bytes > 0.7 * p->rate * s->span;

	p->raised = false;
	if (!queues && !loses)
		p->sure = p->rate;
	if (queues && used) {
		p->rate = fmin(p->rate,
			       PART * s->bytes / (s->span + s->growth));
		p->sure = p->rate;
		wait(p, now);
	} else if (loses) {
		p->rate *= SLOWER;
		wait(p, now);
	} else if (used && now >= p->next && p->rate < MOST) {
		p->before = p->loss;
		p->rate = fmin(p->rate * FASTER, MOST);
		p->raised = true;
	} else if (now >= p->next + WAIT_MOST) {
		p->wait = 0;
	}
}

void pace_report(struct pace *p, uint64_t now, const struct pace_sample *s)
{
	double loss = s->expected > 0 ? s->lost / s->expected : 0;
	double noise = sqrt(loss * (1 - loss) / fmax(s->expected, 1));

	learn_bursts(p, s);
	/* another link, or it became worse: restart */
	if (s->capacity < 0.7 * p->capacity || s->capacity > 3 * p->capacity) {
		p->rate = p->sure = 0;
		p->capacity = s->capacity;
		p->wait = p->next = 0;
	}
	if (s->capacity <= 0)
		return;
	p->capacity = s->capacity;
	if (s->frames > 0 && p->rate > 0)
		learn_rate(p, now, s, loss, noise);
	p->loss += MEAN * (loss - p->loss);
	p->rate = fmax(p->rate, s->capacity);
	p->sure = fmin(fmax(p->sure, s->capacity), p->rate);
	assert(p->sure <= p->rate);
}

double pace_span(const struct pace *p, double bytes, double most)
{
	if (p->rate <= 0 || p->spread)
		return most;
	return fmin(bytes / p->rate, most);
}

double pace_urgent(double rate)
{
	return rate / PART * URGENT;
}
