// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_link_load - the rate that a processor allows, with programs that take
 * some time for a frame and some for a byte
 */
#include <math.h>
#include "link/load.h"
#include "tap.h"

#define SECOND	1000000000ULL

/**
 * struct program - a program that sends
 * @fixed:	of a core, whatever it sends
 * @byte:	s for a byte
 * @demand:	bytes/s, most that it sends
 */
struct program {
	double		fixed, byte, demand;
	struct load	load;
	uint64_t	now, cpu, bytes;
};

static double rate_of(const struct program *p)
{
	return fmin(p->load.rate, p->demand);
}

static void run(struct program *p, unsigned int seconds)
{
	for (unsigned int i = 0; i < 10 * seconds; i++) {
		double rate = rate_of(p);

		p->now += SECOND / 10;
		p->cpu += fmin(p->fixed + p->byte * rate, 1) * SECOND / 10;
		p->bytes += rate / 10;
		load_update(&p->load, p->now, p->cpu, p->bytes);
	}
}

static void begin(struct program *p, double limit)
{
	load_init(&p->load, limit);
	p->now = 77 * SECOND;
	load_update(&p->load, p->now, p->cpu, p->bytes);
}

/* Where the limit lets it be */
static double best(const struct program *p)
{
	return (p->load.limit - p->fixed) / p->byte;
}

static void test_limit(void)
{
	struct program p = { .fixed = .05, .byte = 1e-7, .demand = 8e6 };
	double most = 0, least = HUGE_VAL, settled;

	begin(&p, .2);
	ok(isinf(p.load.rate), "nothing is limited before it is known");
	run(&p, 6);
	ok(p.load.used <= .21,
	   "within seconds it keeps to its limit, and not to much less");
	ok(rate_of(&p) > .8 * best(&p),
	   "within seconds it keeps to its limit, and not to much less");
	ok(rate_of(&p) < 1.05 * best(&p),
	   "within seconds it keeps to its limit, and not to much less");
	settled = p.load.rate;
	for (unsigned int i = 0; i < 30; i++) {
		run(&p, 1);
		most = fmax(most, p.load.rate);
		least = fmin(least, p.load.rate);
	}
	ok(most <= 1.1 * settled, "and stays: it does not swing");
	ok(least >= .9 * settled, "and stays: it does not swing");
	p.byte /= 3;
	run(&p, 12);
	ok(p.load.used <= .21, "cheaper bytes: more of them");
	ok(rate_of(&p) > .8 * best(&p), "cheaper bytes: more of them");
	p.demand = 1e5;
	run(&p, 20);
	ok(isfinite(p.load.rate), "little to send says nothing of the limit");
	ok(p.load.rate > 1e6, "little to send says nothing of the limit");
}

/* What a frame takes whatever its bytes: there is only to send fewer of them */
static void test_kept(void)
{
	struct program p = { .byte = 1e-6, .demand = 8e6 };

	begin(&p, .2);
	run(&p, 20);
	ok(p.load.used <= .21, "dear frames: the limit is kept, %.3f",
	   p.load.used);
	ok(p.load.used > .17, "dear frames: the limit is kept, %.3f",
	   p.load.used);
	p.byte = 1e-5;
	run(&p, 20);
	ok(p.load.used <= .21, "and when they become ten times as dear, %.3f",
	   p.load.used);
	ok(p.load.used > .17, "and when they become ten times as dear, %.3f",
	   p.load.used);
	p.byte = 1e-6;
	run(&p, 30);
	ok(rate_of(&p) > .8 * best(&p), "and they come again");
}

static void test_none(void)
{
	struct program p = { .fixed = .5, .byte = 1e-7, .demand = 4e6 };

	begin(&p, 1);
	run(&p, 10);
	ok(isinf(p.load.rate), "no limit: only looked at");
	ok(fabs(p.load.used - .9) < .01, "no limit: only looked at");
	begin(&p, 0);
	run(&p, 10);
	ok(isinf(p.load.rate), "0 is none, too");
}

int main(void)
{
	test_limit();
	test_kept();
	test_none();
	return tap_done();
}
