// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_link_plan - what each topic gets, and how it travels with that
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "link/dip.h"
#include "link/history.h"
#include "link/min_delay.h"
#include "link/policy.h"
#include "link/rate_control.h"
#include "tap.h"

static uint64_t rng = 3;

static const struct plan_source camera = {
	.kind = PLAN_IMAGE, .hz = 10, .pixels = 640 * 480,
};
static const struct plan_source lidar = {
	.kind = PLAN_CLOUD, .hz = 10, .organised = true, .vscan = true,
	.points = 5000,
};
static const struct plan_source odometry = {
	.kind = PLAN_PLAIN, .hz = 20, .bytes = 200,
};

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-6 * fmax(fabs(a), 1);
}

/* ---- share ---- */

static void test_share(void)
{
	struct allocation_topic t[3] = {
		{ .priority = 5, .floor = 10, .demand = 1000 },
		{ .priority = 4, .floor = 20, .demand = 1000 },
		{ .priority = 0, .floor = 100, .demand = 120 },
	};

	allocation_divide(t, 3, 1e6);
	ok(near(t[0].rate, 1000), "enough: all have what they can use");
	ok(near(t[1].rate, 1000), "enough: all have what they can use");
	ok(near(t[2].rate, 120), "enough: all have what they can use");
	allocation_divide(t, 3, 330);
	ok(t[2].on, "the rest is divided by weight");
	ok(near(t[0].rate - 10, 2 * (t[1].rate - 20)),
	   "the rest is divided by weight");
	ok(near(t[0].rate + t[1].rate + t[2].rate, 330),
	   "the rest is divided by weight");
	t[0].demand = 50;
	allocation_divide(t, 3, 330);
	ok(near(t[0].rate, 50), "what one cannot use goes to the others");
	ok(t[1].rate > 150, "what one cannot use goes to the others");
	allocation_divide(t, 3, 100);
	ok(t[0].on, "the last has no floor: off");
	ok(t[1].on, "the last has no floor: off");
	ok(!t[2].on, "the last has no floor: off");
	ok(t[2].rate == 0, "the last has no floor: off");
	ok(near(t[0].rate + t[1].rate, 100), "the last has no floor: off");
	allocation_divide(t, 3, 140);
	ok(!t[2].on, "it does not come back at once");
	allocation_divide(t, 3, 165);
	ok(t[2].on, "but with a third more");
	allocation_divide(t, 3, 131);
	ok(t[2].on, "and then stays");
	t[2].focus = true;
	allocation_divide(t, 3, 115);
	ok(t[2].on, "the focus goes before all");
	ok(!t[1].on, "the focus goes before all");
	allocation_divide(t, 3, 5);
	ok(t[2].on, "too little for any: the first has it");
	ok(near(t[2].rate, 5), "too little for any: the first has it");
	ok(!t[0].on, "too little for any: the first has it");
	ok(!t[1].on, "too little for any: the first has it");
	t[0].demand = t[1].demand = t[2].demand = 0;
	allocation_divide(t, 3, 1000);
	ok(!t[0].on, "no topic wants any");
	ok(!t[1].on, "no topic wants any");
	ok(!t[2].on, "no topic wants any");
}

/* 64 topics can have a rate */
static void test_share_many(void)
{
	struct allocation_topic t[ALLOCATION_TOPICS + 2];

	for (unsigned int i = 0; i < ALLOCATION_TOPICS + 2; i++)
		t[i] = (struct allocation_topic){ .floor = 1, .demand = 2,
						  .on = true, .rate = 5 };
	allocation_divide(t, ALLOCATION_TOPICS + 2, 1000);
	ok_near(t[0].rate, 2, 1e-9, "the first has its rate");
	ok_near(t[ALLOCATION_TOPICS - 1].rate, 2, 1e-9, "the last of 64, too");
	ok(!t[ALLOCATION_TOPICS].on, "one more is off");
	ok_near(t[ALLOCATION_TOPICS].rate, 0, 0, "and has none");
	ok(!t[ALLOCATION_TOPICS + 1].on, "so is the one after it");
}

static void test_share_random(void)
{
	struct allocation_topic t[ALLOCATION_TOPICS + 6] = { { 0 } };
	bool good = true;

	for (int i = 0; i < 20000; i++) {
		unsigned int n = rnd(&rng, ALLOCATION_TOPICS + 7);
		double budget = rnd(&rng, 100000), sum = 0, free_ = 0;

		for (unsigned int k = 0; k < n; k++) {
			t[k].priority = rnd(&rng, 10);
			t[k].focus = !rnd(&rng, 8);
			t[k].floor = rnd(&rng, 50) ? rnd(&rng, 5000) : NAN;
			t[k].demand = rnd(&rng, 50) ? rnd(&rng, 20000) :
				      -INFINITY;
		}
		allocation_divide(t, n, budget);
		for (unsigned int k = 0; k < n; k++) {
			sum += t[k].rate;
			free_ += t[k].on ? t[k].demand - t[k].rate : 0;
			good &= t[k].rate >= 0 &&
				(t[k].on || t[k].rate == 0) &&
				(!t[k].on ||
				 t[k].rate <= t[k].demand + 1e-6);
		}
		/* all of it, unless those that are on have all they want */
		good &= sum <= budget * (1 + 1e-12) &&
			(sum > budget - 1e-3 || free_ < 1e-3);
	}
	ok(good, "never more than there is, and never less");
	allocation_divide(t, 5, NAN);
	ok(t[0].rate == 0, "no budget");
}

/* ---- plans ---- */

/* ---- what the link could do in the last minute ---- */

static void test_best(void)
{
	const struct rate_control_limits limits = { 5, 1, 100 };
	const uint64_t slot = 10000000000;
	struct rate_control s;

	rate_control_init(&s, &limits);
	ok_near(s.rate, 5, 0, "it begins with this");
	ok_near(rate_control_best(&s, RATE_CONTROL_BEST), 0, 0,
		"nothing is known");
	/* 60 s ago 6, then 5, ... now 1 */
	s.slot = 7;
	for (unsigned int i = 0; i < RATE_CONTROL_BEST; i++)
		s.best[(s.slot - i) % RATE_CONTROL_BEST] = i + 1;
	ok_near(rate_control_best(&s, 1), 1, 0, "now");
	ok_near(rate_control_best(&s, 4), 4, 0, "the last 40 s");
	ok_near(rate_control_best(&s, 99), 6, 0, "as long as it knows");
	rate_control_pause(&s, 10 * slot + 5, 8 * slot);
	ok_eq(s.slot, 9, "an outage of 20 s");
	ok_near(rate_control_best(&s, 1), 1, 0, "takes nothing away");
	ok_near(rate_control_best(&s, 4), 4, 0, "and ages nothing");
	rate_control_forget(&s, 3);
	ok_near(rate_control_best(&s, 99), 3, 0, "until it cannot carry more");
	ok_near(rate_control_best(&s, 2), 2, 0, "what was less stays");
	rate_control_limit(&s, &(struct rate_control_limits){ 5, 8, 100 });
	ok_near(s.rate, 8, 0, "a limit from below");
	rate_control_limit(&s, &(struct rate_control_limits){ 5, 1, 4 });
	ok_near(s.rate, 4, 0, "and one from above");
}

/* A queue of our own shows what the link can do, unless it is held */
static void test_local(void)
{
	const struct rate_control_limits limits = { 5, 1, 100 };
	struct rate_control s;

	rate_control_init(&s, &limits);
	rate_control_local(&s, 1, 50, 0);
	ok_near(s.capacity, 50, 0, "it was not known");
	ok_near(s.rate, 46.5, 1e-9, "93 %% of it are sent");
	rate_control_local(&s, 2, 30, 6);
	ok_near(s.capacity, 30, 0, "far less is another link");
	ok_near(s.rate, 17.9, 1e-9, "and 6 in the queue leave in 0.6 s");
	rate_control_local(&s, 3, 28, 0);
	ok_near(s.capacity, 29, 1e-9, "a little less is half believed");
	rate_control_local(&s, 4, 40, 0);
	ok_near(s.capacity, 29, 1e-9, "more is not");
	rate_control_local(&s, 5, 1, 0);
	ok_near(s.capacity, 29, 1e-9, "nor what passes a queue that is held");
	rate_control_local(&s, 6, 28.9, 1000);
	ok_near(s.rate, .15 * .93 * 28.95, 1e-6, "a part is always sent");
}

/* Less is sent: does as much arrive, or as much less? */
static void test_dip(void)
{
	struct dip d = { 0 };
	double low;

	dip_held(&d, 1000, 800, 10000);
	low = dip_begin(&d);
	ok_range(low, 500, 950, "less is sent");
	ok_eq(dip_sample(&d, 1, 999, 800, 1, 10000), DIP_UNKNOWN,
	      "if it is no less nothing is known");
	d = (struct dip){ 0 };
	dip_held(&d, 1000, 800, 10000);
	low = dip_begin(&d);
	ok_eq(dip_sample(&d, 1, low, .8 * low, .5, 4), DIP_ON,
	      "a few datagrams tell nothing");
	ok_eq(dip_sample(&d, 2, low, .8 * low, .5, 20000), DIP_TOLD,
	      "many do: as much less arrives");
	ok_near(dip_loss(&d), .2, 1e-9, "a loss of a fifth");
	ok_near(dip_capacity(&d), 1000, 0, "that is not our rate's");
	d = (struct dip){ 0 };
	dip_held(&d, 1000, 800, 10000);
	low = dip_begin(&d);
	ok_eq(dip_sample(&d, 1, low, low, 1, 20000), DIP_TOLD,
	      "nothing is lost of less");
	ok_near(dip_capacity(&d), 800, 1, "what arrived was the capacity");
	dip_forget(&d);
	ok_near(d.count, 0, 0, "another rate starts again");
}

static void test_image(void)
{
	struct plan p = { 0 };

	plan_update(&p, &camera, 46e4, 0.2);
	ok(p.hz == 10, "image: %u bytes in %u datagrams, 10 Hz", p.bytes,
	   p.datagrams);
	ok(near(plan_rate(&p), 46e4), "image: %u bytes in %u datagrams, 10 Hz",
	   p.bytes, p.datagrams);
	ok(p.loss == 0.2, "image: %u bytes in %u datagrams, 10 Hz", p.bytes,
	   p.datagrams);
	plan_update(&p, &camera, 66e3, 0.2);
	ok(p.hz == 10, "image: least quality at full rate");
	ok(p.bytes >= 6144, "image: least quality at full rate");
	plan_update(&p, &camera, 40e3, 0.2);
	ok(p.hz == 5, "image: then half of the frames");
	ok(p.bytes >= 6144, "image: then half of the frames");
	plan_update(&p, &camera, 70e3, 0.2);
	ok(p.hz == 5, "image: that stays for a while");
	plan_update(&p, &camera, 90e3, 0.2);
	ok(p.hz == 10, "image: and ends");
	plan_update(&p, &camera, 4000, 0.1);
	ok(p.hz == 1, "image: 1 Hz, less quality");
	ok_eq(p.datagrams, 3, "image: 1 Hz, less quality");
	plan_update(&p, &camera, 1400, 0.2);
	ok_eq(p.datagrams, 1, "image: one datagram");
	ok(p.hz > 0.9, "image: one datagram");
	ok(p.hz <= 1, "image: one datagram");
	plan_update(&p, &camera, 1e9, 0.2);
	ok(p.datagrams <= PLAN_DATAGRAMS, "image: no more than of use");
	ok(p.bytes <= 640 * 480, "image: no more than of use");
	plan_update(&p, &camera, 0, 0.2);
	ok(!p.on, "image: off");
	ok(plan_rate(&p) == 0, "image: off");
}

/* Where nearly all is lost: something of nearly each image arrives */
static void test_lossy_image(void)
{
	struct plan_source s = camera;
	struct plan p = { 0 };
	double floor, demand;
	bool good = true;

	s.bytes = 46336;
	for (double loss = 0; loss <= 0.95; loss += 0.01) {
		plan_needs(&s, loss, &floor, &demand);
		plan_update(&p, &s, demand, loss);
		good &= p.bytes == s.bytes && p.hz == 10 &&
			pow(loss, p.datagrams) < 0.00501 &&
			near(plan_rate(&p), demand);
		plan_update(&p, &s, 3e5, loss);
		good &= plan_rate(&p) <= 3e5 * (1 + 1e-9) &&
			plan_rate(&p) > 2.99e5 &&
			p.bytes <= p.datagrams * PLAN_PAYLOAD;
	}
	ok(good, "image: something comes of 995 in 1000, whatever the loss");
	plan_update(&p, &s, 1e6, 0.2);
	ok(p.datagrams == 33, "image: full datagrams where they do");
	plan_update(&p, &s, 5e4, 0.9);
	ok(p.bytes / p.datagrams >= 300, "image: and never mostly headers");
}

/* A camera at 20 Hz: an image of 6 kB is off by 30, and halves with the bytes */
static struct plan_source seen(double moved)
{
	return (struct plan_source){
		.kind = PLAN_IMAGE, .hz = 20, .pixels = 640 * 480,
		.bytes = 65536,
		.look = { .error = 30, .bytes = 6000, .slope = 1,
			  .moved = moved, .after = .05, .growth = 1,
			  .contrast = 3000 },
	};
}

static unsigned int every_of(const struct plan_source *s, double rate)
{
	struct plan p = { 0 };

	for (unsigned int i = 0; i < 10; i++)
		plan_update(&p, s, rate, 0);
	return p.every;
}

/* Fewer and better images where the view stands, all of them where it moves */
static void test_look(void)
{
	const struct plan_source hover = seen(1), hand = seen(400);
	struct plan_source unknown = seen(1), next;
	struct plan p = { 0 };
	unsigned int least = 20, changes = 0, before;

	ok(every_of(&hover, 125e3) >= 3,
	   "1 Mbit/s, a view that stands: one of %u", every_of(&hover, 125e3));
	ok(every_of(&hover, 125e3) <= 4,
	   "1 Mbit/s, a view that stands: one of %u", every_of(&hover, 125e3));
	ok(every_of(&hand, 125e3) == 1, "one that moves: all");
	ok_eq(every_of(&hand, 31e3), 1,
	      "as small as a datagram, if it has to be");
	ok(every_of(&hover, 31e3) >= 3,
	   "as small as a datagram, if it has to be");
	for (double rate = 10e3; rate < 4e6; rate *= 1.1)
		least = fmin(least, 20. / every_of(&hover, rate));
	ok(least >= 5, "never below 5 Hz for that");
	ok(every_of(&hover, 4e6) == 1, "all if they are as good as they can be");
	unknown.look = (struct look){ 0 };
	ok(every_of(&unknown, 31e3) == 5,
	   "if nothing is known yet: 6 kB of 640x480 at least");
	unknown.pixels = 0;
	ok(every_of(&unknown, 31e3) == 2,
	   "if it never will be, it may move: two datagrams at least");
	next = hover;
	next.hz = 9;
	ok(every_of(&next, 31e3) == 2,
	   "a thermal camera at 9 Hz that stands: every second image");
	next = hover;
	plan_update(&p, &next, 125e3, 0);
	before = p.every;
	for (unsigned int i = 0; i < 200; i++) {
		next.look.moved = 1 + rnd(&rng, 100) * .004;
		plan_update(&p, &next, 125e3, 0);
		changes += p.every != before;
		before = p.every;
	}
	ok(changes <= 2, "noise does not make it flap: %u changes", changes);
}

/* What arrives late is worth less, where the view moves */
static void test_early(void)
{
	const struct look stands = seen(.01).look, moves = seen(400).look;
	const struct look none = { 0 };
	struct plan_source numbers = seen(400);
	struct look exact = seen(.001).look;

	numbers.look.contrast = 0;
	ok_eq(every_of(&numbers, 31e3), 1,
	      "of numbers that move all are sent, and each as exact as can be");
	ok(look_bytes(&numbers.look, 1e6, 65536) == 65536,
	   "of numbers that move all are sent, and each as exact as can be");
	numbers = seen(1);
	numbers.look.contrast = 0;
	ok(every_of(&numbers, 125e3) >= 3, "of those that stand fewer");
	exact.error = .01;
	ok(look_bytes(&exact, 1e6, 65536) == 65536,
	   "nor less than all that makes it exact");
	ok(look_bytes(&none, 1e6, 65536) == 65536,
	   "a view that stands is sent as good as can be");
	ok(look_bytes(&stands, 1e6, 65536) > 60000,
	   "a view that stands is sent as good as can be");
	ok(look_bytes(&moves, 1e6, 65536) < 65536,
	   "one that moves within %.0f ms, of 1 MB/s",
	   look_bytes(&moves, 1e6, 65536) / 1e3);
	ok(look_bytes(&moves, 1e6, 65536) > 20000,
	   "one that moves within %.0f ms, of 1 MB/s",
	   look_bytes(&moves, 1e6, 65536) / 1e3);
	ok(look_bytes(&moves, 3e5, 65536) < look_bytes(&moves, 1e6, 65536),
	   "one that moves within %.0f ms, of 1 MB/s",
	   look_bytes(&moves, 1e6, 65536) / 1e3);
	ok(look_bytes(&moves, 1e8, 65536) == 65536, "on a fast link, all of it");
}

static void test_split(void)
{
	struct plan_source s = {
		.kind = PLAN_SPLIT, .hz = 10, .images = 256, .image = 1210,
	};
	struct plan p = { 0 };

	plan_update(&p, &s, 1e9, 0);
	ok_eq(p.datagrams, 256, "split: all sub-images");
	ok(p.hz == 10, "split: all sub-images");
	plan_update(&p, &s, 400e3, 0);
	ok(p.hz == 10, "split: %u of them", p.datagrams);
	ok_eq(p.datagrams, 31, "split: %u of them", p.datagrams);
	plan_update(&p, &s, 110e3, 0);
	ok(p.hz == 5, "split: fewer frames");
	ok(p.datagrams >= 16, "split: fewer frames");
}

static void test_cloud(void)
{
	struct plan_source s = lidar;
	struct plan p = { 0 };

	plan_update(&p, &s, 300e3, 0);
	ok_eq(p.mode, PLAN_FINE, "cloud: 2 mm");
	ok(p.hz == 10, "cloud: 2 mm");
	plan_update(&p, &s, 200e3, 0);
	ok_eq(p.mode, PLAN_COARSE, "cloud: 1 cm");
	ok(p.hz == 10, "cloud: 1 cm");
	plan_update(&p, &s, 250e3, 0);
	ok(p.mode == PLAN_COARSE, "cloud: 1 cm for a while");
	plan_update(&p, &s, 100e3, 0);
	ok_eq(p.mode, PLAN_VOXELS, "cloud: %u voxels", p.points);
	ok(p.points > 5000 * 0.9, "cloud: %u voxels", p.points);
	ok(p.hz == 10, "cloud: %u voxels", p.points);
	plan_update(&p, &s, 30e3, 0);
	ok_eq(p.mode, PLAN_VOXELS, "cloud: %u voxels", p.points);
	ok(p.points >= PLAN_POINTS, "cloud: %u voxels", p.points);
	ok(p.points < 2500, "cloud: %u voxels", p.points);
	plan_update(&p, &s, 7e3, 0);
	ok_eq(p.mode, PLAN_VSCAN, "cloud: virtual scans, %g Hz", p.hz);
	ok(p.hz == 5, "cloud: virtual scans, %g Hz", p.hz);
	s.mode[PLAN_FINE] = 40000;
	plan_update(&p, &s, 350e3, 0);
	ok(p.mode == PLAN_COARSE, "cloud: what 2 mm took is dearer");
	s.organised = s.vscan = false;
	plan_update(&p, &s, 5e3, 0);
	ok_eq(p.mode, PLAN_VOXELS, "cloud: voxels less often");
	ok(p.hz < 5, "cloud: voxels less often");
}

static void test_others(void)
{
	struct plan_source s = { .kind = PLAN_MAP, .hz = 1, .bytes = 30000 };
	struct plan p = { 0 };

	plan_update(&p, &s, 9500, 0);
	ok_eq(p.datagrams, 6, "map: 6 datagrams a second");
	ok(p.hz == 1, "map: 6 datagrams a second");
	plan_update(&p, &s, 750, 0);
	ok_eq(p.datagrams, 1, "map: one in 2 s");
	ok(near(p.hz, 0.5), "map: one in 2 s");
	s = (struct plan_source){ .kind = PLAN_SCAN, .hz = 10, .bytes = 600 };
	memset(&p, 0, sizeof(p));
	plan_update(&p, &s, 20e3, 0);
	ok_eq(p.parts, 2, "scan: two parts");
	ok_eq(p.copies, 1, "scan: two parts");
	ok(p.hz == 10, "scan: two parts");
	plan_update(&p, &s, 21e3, 0.5);
	ok_eq(p.copies, 2, "scan: twice at a loss of 50 %%");
	ok_eq(p.datagrams, 4, "scan: twice at a loss of 50 %%");
	plan_update(&p, &s, 3e3, 0.5);
	ok_eq(p.copies, 1, "scan: less often");
	ok(p.hz < 10, "scan: less often");
	memset(&p, 0, sizeof(p));
	plan_update(&p, &odometry, 20e3, 0);
	ok(p.hz == 20, "odometry: no loss, no parity");
	ok(p.parity == 0, "odometry: no loss, no parity");
	plan_update(&p, &odometry, 20e3, 0.2);
	ok(p.hz == 20, "odometry: parity of %g at 20 %%", p.parity);
	ok(p.parity >= 1, "odometry: parity of %g at 20 %%", p.parity);
	ok(p.parity <= 2, "odometry: parity of %g at 20 %%", p.parity);
	plan_update(&p, &odometry, 20e3, 0.19);
	ok(p.parity >= 1, "odometry: which does not flap");
	plan_update(&p, &odometry, 5e3, 0.5);
	ok(p.hz < 20, "odometry: rather less often");
	ok(p.parity >= 1, "odometry: rather less often");
}

/* Whatever comes: never more than the rate, nothing that is no number */
static void test_random(void)
{
	struct policy_topic t[12];
	bool good = true, within = true;

	for (int i = 0; i < 20000; i++) {
		unsigned int n = 1 + rnd(&rng, 12);
		double rate, sum = 0, demand;

		if (i % 50 == 0)
			memset(t, 0, sizeof(t));
		for (unsigned int k = 0; k < n && i % 50 == 0; k++) {
			t[k].source = (struct plan_source){
				.kind = rnd(&rng, 6), .hz = rnd(&rng, 60),
				.pixels = rnd(&rng, 1 << 22),
				.bytes = rnd(&rng, 2) * rnd(&rng, 1400),
				.images = rnd(&rng, 257),
				.image = rnd(&rng, 1425),
				.organised = rnd(&rng, 2),
				.vscan = rnd(&rng, 2),
				.points = rnd(&rng, 2) * rnd(&rng, 100000),
				.point = rnd(&rng, 3) ? rnd(&rng, 12) : NAN,
			};
			t[k].share.priority = rnd(&rng, 8);
			t[k].share.focus = !rnd(&rng, 5);
		}
		rate = exp(rnd(&rng, 1000) / 60.0);
		demand = policy_apply(t, n, rate, HUGE_VAL,
				      rnd(&rng, 100) / 100.0);
		good &= isfinite(demand) && demand >= 0;
		for (unsigned int k = 0; k < n; k++) {
			const struct plan *p = &t[k].plan;

			sum += plan_rate(p);
			good &= isfinite(p->hz) && p->hz >= 0 &&
				(!p->on || (p->datagrams && p->hz > 0)) &&
				isfinite(p->parity) && p->bytes < 1 << 28;
		}
		within &= sum <= rate * 1.001 + 1;
		if (sum > rate * 1.001 + 1) {
			printf("# rate %f sum %f\n", rate, sum);
			for (unsigned int k = 0; k < n; k++)
				if (plan_rate(&t[k].plan) >
				    t[k].share.rate * 1.001)
					printf("# kind %d: %f of %f\n",
					       t[k].source.kind,
					       plan_rate(&t[k].plan),
					       t[k].share.rate);
			break;
		}
	}
	ok(good, "plans of whatever comes are sane");
	ok(within, "and never take more than there is");
}

/* Images of many sizes and priorities, and a processor that is slow */
static void test_limit(void)
{
	struct policy_topic t[3] = {
		{ .source = camera, .share = { .priority = 2 } },
		{ .source = camera, .share = { .priority = 6 } },
		{ .source = lidar, .share = { .priority = 4 } },
	};
	double free, demand, modest;

	t[0].source.pixels = 1920 * 1080;
	t[1].source.pixels = 320 * 240;
	free = policy_apply(t, 3, 1e8, HUGE_VAL, 0);
	ok(policy_demand(t, 3, 0) == free, "what they want without a limit");
	modest = 0;
	for (unsigned int i = 0; i < 3; i++)
		modest += plan_modest(&t[i].source, 0);
	ok(policy_apply(t, 3, 1e8, free, 0) == free, "no limit, no less");
	demand = policy_apply(t, 3, 1e8, modest + 2e5, 0);
	ok(demand < 1.2 * (modest + 2e5),
	   "a limit: %.0f of %.0f kB/s, and each frame", demand / 1e3,
	   free / 1e3);
	ok_eq(t[0].plan.every, 1, "a limit: %.0f of %.0f kB/s, and each frame",
	      demand / 1e3, free / 1e3);
	ok_eq(t[1].plan.every, 1, "a limit: %.0f of %.0f kB/s, and each frame",
	      demand / 1e3, free / 1e3);
	demand = policy_apply(t, 3, 1e8, modest, 0);
	ok(demand < 1.2 * modest,
	   "as little as there may be: each frame still");
	ok_eq(t[0].plan.every, 1,
	      "as little as there may be: each frame still");
	ok_eq(t[1].plan.every, 1,
	      "as little as there may be: each frame still");
	ok_eq(t[2].plan.mode, PLAN_FINE,
	      "as little as there may be: each frame still");
	policy_apply(t, 3, 1e8, modest / 3, 0);
	ok(t[0].plan.every > 1, "and fewer if that is too much");
	policy_apply(t, 3, 1e8, modest, 0);
	ok(t[0].plan.every == 1, "they come back");
}

static void test_policy(void)
{
	struct policy_topic t[3] = {
		{ .source = camera, .share = { .priority = 4 } },
		{ .source = lidar, .share = { .priority = 4 } },
		{ .source = odometry, .share = { .priority = 6 } },
	};
	double before, sum = 0;

	policy_apply(t, 3, 150e3, HUGE_VAL, 0);
	for (int i = 0; i < 3; i++)
		sum += plan_rate(&t[i].plan);
	ok(sum > 0.98 * 150e3,
	   "what a step leaves goes to the camera: %.0f of 150000", sum);
	ok(sum <= 150e3,
	   "what a step leaves goes to the camera: %.0f of 150000", sum);
	policy_apply(t, 3, 60e3, HUGE_VAL, 0);
	before = plan_rate(&t[1].plan);
	t[1].share.focus = true;
	policy_apply(t, 3, 60e3, HUGE_VAL, 0);
	ok(plan_rate(&t[1].plan) > 1.3 * before,
	   "another focus: from %.0f to %.0f at once", before,
	   plan_rate(&t[1].plan));
}

/* ---- history and min_delay ---- */

static void test_history(void)
{
	struct history *h = calloc(1, sizeof(*h));
	struct history_entry sum = { 0 }, got;
	bool good = true;
	uint64_t t;

	ok(!history_at(h, 1, &got), "history: nothing yet");
	for (int i = 1; i <= 50000; i++) {
		sum.time = 1000ULL * i;
		sum.datagrams = i;
		sum.bytes = 100ULL * i;
		history_add(h, &sum);
	}
	for (int i = 50000; i > 50000 - 8000; i--)
		good &= history_at(h, 1000ULL * i, &got) &&
			got.datagrams == (uint64_t)i &&
			history_at(h, 1000ULL * i + 999, &got) &&
			got.datagrams == (uint64_t)i;
	ok(good, "history: exact for 8 s");
	ok(!history_at(h, 1000, &got), "history: what is too long ago");
	for (int i = 0; i < 100; i++) {
		sum.time += 2;
		sum.datagrams++;
		history_add(h, &sum);
	}
	ok(history_at(h, sum.time, &got), "history: bursts are merged");
	ok_eq(got.datagrams, sum.datagrams, "history: bursts are merged");
	ok(history_time(0x300000005ULL, 0xfffffff0, &t),
	   "history: a time that wrapped");
	ok_eq(t, 0x2fffffff0ULL, "history: a time that wrapped");
	ok(!history_time(1000, 1001, &t), "history: a time to come");
	free(h);
}

static void test_min_delay(void)
{
	struct min_delay l = { { 0 }, 0 };

	min_delay_reset(&l);
	ok_eq(min_delay_add(&l, 0, 500), 0, "min_delay: above the least");
	ok_eq(min_delay_add(&l, 1, 700), 200, "min_delay: above the least");
	ok(min_delay_add(&l, 29 * 1000000000ULL, 600) == 100,
	   "min_delay: for half a minute");
	ok(min_delay_add(&l, 31 * 1000000000ULL, 700) == 100,
	   "min_delay: and no longer");
}

/* What was too much is possible again with what the topic asks for */
static void test_comes_back(void)
{
	static const struct plan_source sources[] = {
		{ .kind = PLAN_SCAN, .hz = 10, .bytes = 84000 },
		{ .kind = PLAN_PLAIN, .hz = 50, .bytes = 300 },
		{ .kind = PLAN_CLOUD, .hz = 10, .organised = true,
		  .vscan = true },
	};

	for (unsigned int i = 0; i < 3; i++) {
		struct plan p = { 0 };
		double least, demand;

		plan_needs(&sources[i], 0, &least, &demand);
		plan_update(&p, &sources[i], demand / 4, 0);
		plan_update(&p, &sources[i], demand, 0);
		ok(p.on, "kind %u comes back to all of it", sources[i].kind);
		ok_eq(p.every, 1, "kind %u comes back to all of it",
		      sources[i].kind);
		ok_eq(p.mode, PLAN_FINE, "kind %u comes back to all of it",
		      sources[i].kind);
	}
}

int main(void)
{
	test_share();
	test_share_many();
	test_share_random();
	test_best();
	test_local();
	test_dip();
	test_image();
	test_lossy_image();
	test_look();
	test_early();
	test_split();
	test_cloud();
	test_others();
	test_random();
	test_policy();
	test_limit();
	test_history();
	test_min_delay();
	test_comes_back();
	return tap_done();
}
