// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_link_pace - how fast datagrams follow each other, on links that queue,
 * drop, and lose in bursts
 */
#include <math.h>
#include "link/pace.h"
#include "tap.h"

#define SECOND	1000000000ULL

enum { PACKET = 1500 };

static uint64_t rng = 1;

/**
 * struct way - a bottleneck; frames of @bytes go there @hz times a second
 * @rate:	bytes a second; 0: any
 * @queue:	bytes before it
 * @loss:	at random, 0 .. 1
 * @burst:	mean length of losses; 0: by chance
 */
struct way {
	double		rate, queue, loss, burst;
	double		bytes, hz, capacity;
	struct pace	pace;
	uint64_t	now;
	/* of the last second */
	double		span, growth, dropped;
	bool		bad;
};

static double chance(void)
{
	return rnd(&rng, 1000000) / 1e6;
}

/* Whether one is lost: a chain of two states where losses come in bursts */
static bool is_lost(struct way *w)
{
	if (w->burst <= 0)
		return chance() < w->loss;
	w->bad = chance() < (w->bad ? 1 - 1 / w->burst :
			     w->loss / (1 - w->loss) / w->burst);
	return w->bad;
}

/* A frame is spread over a span. Return: what its last datagram waits, s */
static double frame(struct way *w, double span, struct pace_sample *s)
{
	unsigned int n = w->bytes / PACKET;
	double waits = 0, last = 0;
	bool before = false;

	for (unsigned int i = 0; i < n; i++) {
		bool lost = false;

		if (w->rate > 0) {
			waits = fmax(waits + PACKET / w->rate - span / n, 0);
			lost = waits * w->rate > w->queue;
			if (lost)
				waits -= PACKET / w->rate;
		}
		w->dropped += lost;
		lost |= is_lost(w);
		s->expected++;
		s->lost += lost;
		s->runs += lost && !before;
		before = lost;
		if (!lost)
			last = waits;
	}
	return last;
}

static void run(struct way *w, unsigned int seconds)
{
	for (unsigned int half = 0; half < 2 * seconds; half++) {
		unsigned int frames = w->hz / 2;
		struct pace_sample s = {
			.frames = frames, .bytes = w->bytes,
			.capacity = w->capacity,
		};

		w->dropped = 0;
		s.span = pace_span(&w->pace, w->bytes, 0.9 / w->hz);
		for (unsigned int i = 0; i < frames; i++)
			s.growth += frame(w, s.span, &s) / frames;
		w->span = s.span;
		w->growth = s.growth;
		w->now += SECOND / 2;
		pace_report(&w->pace, w->now, &s);
	}
}

static void test_free(void)
{
	struct way w = { .bytes = 60000, .hz = 10, .capacity = 700e3 };

	ok(pace_span(&w.pace, w.bytes, 0.09) == 0.09,
	   "nothing is known: all the time there is");
	run(&w, 6);
	ok(w.span < 0.006, "a link without a limit: in %.1f ms", w.span * 1e3);
}

static void test_bottleneck(void)
{
	struct way w = {
		.rate = 1e6, .queue = 200e3, .bytes = 30000, .hz = 10,
		.capacity = 350e3,
	};
	double most = 0;

	run(&w, 10);
	ok(w.span > 0.027, "of 1 MB/s: 30 kB in %.0f ms, not in 86",
	   w.span * 1e3);
	ok(w.span < 0.06, "of 1 MB/s: 30 kB in %.0f ms, not in 86",
	   w.span * 1e3);
	for (unsigned int i = 0; i < 60; i++) {
		run(&w, 1);
		most = fmax(most, w.growth);
	}
	ok(most < 0.02, "and it tries for more: %.0f ms of queue at most",
	   most * 1e3);
	w.rate = 2e5;
	w.capacity = 2e5;
	run(&w, 2);
	ok(w.span > 0.08, "becomes slow: %.0f ms", w.span * 1e3);
}

/* What does not queue is dropped: that, too, tells */
static void test_short(void)
{
	struct way w = {
		.rate = 1e6, .queue = 3000, .bytes = 30000, .hz = 10,
		.capacity = 350e3, .loss = 0.05,
	};
	double dropped = 0;

	run(&w, 10);
	for (unsigned int i = 0; i < 60; i++) {
		run(&w, 1);
		dropped += w.dropped;
	}
	ok(dropped / (60 * 5 * 20) < 0.02,
	   "a queue of two datagrams: drops %.3f for it",
	   dropped / (60 * 5 * 20));
	ok(w.span < 0.07, "and frames leave in %.0f ms", w.span * 1e3);
}

static void test_bursts(void)
{
	struct way w = {
		.bytes = 60000, .hz = 10, .capacity = 700e3, .loss = 0.2,
	};
	unsigned int spread = 0;

	for (unsigned int i = 0; i < 30; i++) {
		run(&w, 1);
		spread += w.pace.spread;
	}
	ok(!spread,
	   "losses by chance, %.1f datagrams long: no reason to spread",
	   w.pace.burst);
	ok(w.span < 0.03,
	   "losses by chance, %.1f datagrams long: no reason to spread",
	   w.pace.burst);
	w.burst = 8;
	run(&w, 10);
	ok(w.pace.spread, "in bursts of %.1f: frames are spread", w.pace.burst);
	ok(w.span == 0.9 / 10, "in bursts of %.1f: frames are spread",
	   w.pace.burst);
	ok(w.pace.burst > 5, "in bursts of %.1f: frames are spread",
	   w.pace.burst);
	w.burst = 0;
	run(&w, 20);
	ok(!w.pace.spread, "and no longer when they are over");
}

/*
 * Frames as large as arrive within 27 ms: they depend on the pace, and the pace
 * is learnt from them. The rate of all topics is that of the frames: no more is
 * sent, so no more is known to pass
 */
static void test_urgent(void)
{
	struct way w = { .rate = 1e6, .queue = 200e3, .hz = 10,
			 .capacity = 64e3 };
	double late = 0, least = 1e9;

	for (unsigned int half = 0; half < 120; half++) {
		struct pace_sample s = { .frames = 5 };
		double fit = .027 * pace_urgent(w.pace.sure), end;

		s.bytes = w.bytes = fmin(fmax(fit, 4 * 500), 65536);
		s.span = fmin(w.bytes / pace_urgent(fmax(w.pace.rate, 1)),
			      .027);
		s.capacity = fmax(w.capacity, w.bytes * w.hz);
		for (unsigned int i = 0; i < 5; i++)
			s.growth += frame(&w, s.span, &s) / 5;
		end = s.span + s.growth;
		w.now += SECOND / 2;
		pace_report(&w.pace, w.now, &s);
		if (half < 20)
			continue;
		late += end > .03;
		least = fmin(least, w.bytes);
	}
	ok(least > 18000, "urgent frames: of %.1f kB at least", least / 1e3);
	ok(late <= 3, "%.0f of 100 reports on late ones", late);
}

int main(void)
{
	test_free();
	test_bottleneck();
	test_short();
	test_bursts();
	test_urgent();
	return tap_done();
}
