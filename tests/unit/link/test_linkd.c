// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_linkd - the link supervisor on simulated links: what it promises, over
 * many seeds
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../../../tools/sim/link_model.h"
#include "tap.h"

enum { SEEDS = 12, MANY = 100 };

#define HALF	500000000ULL	/* s, from report to report */

static const double MBIT = 1e6 / 8;

typedef double (*value_fn)(const struct link_sim_row *row);

static double v_sent(const struct link_sim_row *r) { return r->sent; }
static double v_received(const struct link_sim_row *r) { return r->received; }
static double v_dropped(const struct link_sim_row *r) { return r->dropped; }
static double v_rate(const struct link_sim_row *r) { return r->e.rate; }
static double v_loss(const struct link_sim_row *r) { return r->e.loss_high; }
static double v_capacity(const struct link_sim_row *r) { return r->capacity; }
static double v_lidar(const struct link_sim_row *r) { return r->topic_rate[1]; }

static double mean(const struct link_sim_result *r, double from, double to,
		   value_fn value)
{
	double sum = 0;
	unsigned int n = 0;

	for (unsigned int i = 0; i < r->count; i++)
		if (r->rows[i].time > from && r->rows[i].time <= to + 1e-9) {
			sum += value(&r->rows[i]);
			n++;
		}
	return n ? sum / n : 0;
}

/* Of means over half a second: shorter is how frames are cut */
static double deviation(const struct link_sim_result *r, double from, double to,
			value_fn value)
{
	double m = mean(r, from, to, value), sum = 0;
	unsigned int n = 0;

	for (double t = from; t + 0.5 <= to; t += 0.5, n++)
		sum += pow(mean(r, t, t + 0.5, value) - m, 2);
	return n ? sqrt(sum / n) : 0;
}

static bool near(double a, double b, double part)
{
	return fabs(a - b) <= part * b;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Of the delay of what came, s */
static double percentile(const struct link_sim_result *r, double from,
			 double to, double part)
{
	double *v = malloc((r->count + 1) * sizeof(*v)), result = 0;
	unsigned int n = 0;

	if (!v)
		return NAN;
	for (unsigned int i = 0; i < r->count; i++)
		if (r->rows[i].time > from && r->rows[i].time <= to + 1e-9 &&
		    r->rows[i].delay > 0)
			v[n++] = r->rows[i].delay;
	if (n) {
		qsort(v, n, sizeof(*v), compare);
		result = v[(unsigned int)(part * (n - 1))];
	}
	free(v);
	return result;
}

static bool sane(const struct link_sim_config *c,
		 const struct link_sim_result *r)
{
	for (unsigned int i = 0; i < r->count; i++) {
		const struct estimate *e = &r->rows[i].e;

		if (!isfinite(e->rate) || e->rate < c->limits.floor ||
		    e->rate > c->limits.most || !(e->capacity >= 0) ||
		    !isfinite(e->capacity) || !(e->loss >= 0 && e->loss <= 1) ||
		    !(e->loss_high >= 0 && e->loss_high <= 1) ||
		    !(e->queue >= 0) || !isfinite(e->round_trip))
			return false;
	}
	return true;
}

/**
 * struct scene - runs over many seeds, and the worst of what is measured
 */
struct scene {
	struct link_sim_config	c;
	struct link_sim_change	changes[4];
	const char		*name;
	bool			sane;
};

static struct scene scene(const char *name, double duration)
{
	struct scene s = { .c = link_sim_usual, .name = name, .sane = true };

	s.c.duration = duration;
	return s;
}

static void change(struct scene *s, double time, double mbit, double loss)
{
	s->changes[s->c.nchanges++] = (struct link_sim_change){
		time, mbit * MBIT, loss, 0.02,
	};
}

static void run(struct scene *s, unsigned int seed, struct link_sim_result *r)
{
	s->c.changes = s->changes;
	s->c.seed = seed + 1;
	if (link_sim_run(&s->c, r)) {
		printf("Bail out! no memory\n");
		exit(1);
	}
	s->sane &= sane(&s->c, r);
}

/* The one that @part of the @n are no larger than; sorts them */
static double quantile(double *v, unsigned int n, double part)
{
	qsort(v, n, sizeof(*v), compare);
	return v[(unsigned int)(part * (n - 1))];
}

static void worst(double *w, double v, bool least)
{
	if (isnan(*w) || (least ? v < *w : v > *w))
		*w = v;
}

/* ---- the start ---- */

/* When @part of @rate came for the first time, over half a second, s */
static double reached(const struct link_sim_result *r, double rate, double part)
{
	for (double t = 0.5; t < 20; t += 0.1)
		if (mean(r, t - 0.5, t, v_received) > part * rate)
			return t;
	return INFINITY;
}

/*
 * @least: s until four fifths of what it wants are there; @most: share of what
 * was sent in the first 4 s that the link dropped
 */
static void start(double mbit, double jitter, double least, double most)
{
	struct scene s = scene("start", 6);
	double late = NAN, over = NAN;
	struct link_sim_result r;

	s.c.limits.start = 65536;
	s.c.jitter = jitter;
	change(&s, 0, mbit, 0);
	for (unsigned int i = 0; i < 2 * SEEDS; i++) {
		run(&s, i, &r);
		worst(&late, reached(&r, fmin(mbit, 8) * MBIT, 0.8), false);
		worst(&over, mean(&r, 0, 4, v_dropped) /
			     mean(&r, 0, 4, v_sent), false);
		link_sim_free(&r);
	}
	ok(late <= least, "start at %g Mbit/s, answers come by up to %g ms "
	   "later: there in %.1f s", mbit, jitter * 4e3, late);
	ok(over <= most, "start at %g Mbit/s: drops %.2f", mbit, over);
	ok(s.sane, "start: sane");
}

static void test_start(void)
{
	start(1, 0.002, 2, 0.15);
	start(2, 0.002, 2.5, 0.15);
	start(8, 0.002, 3.3, 0.2);
	/* where processors are busy */
	start(8, 0.006, 3.5, 0.2);
	start(20, 0.006, 3.5, 0.05);
}

/* ---- a link that stays as it is ---- */

/* @slack: 1, more where a link of few datagrams or reports is told less */
static void steady(struct scene *s, double mbit, double slack)
{
	double use = NAN, swing = NAN, late = NAN;
	struct link_sim_result r;

	for (unsigned int i = 0; i < SEEDS; i++) {
		double sent;

		run(s, i, &r);
		sent = mean(&r, 10, 40, v_sent);
		worst(&use, sent / (mbit * MBIT), true);
		worst(&swing, deviation(&r, 10, 40, v_sent) / sent, false);
		worst(&late, percentile(&r, 10, 40, 0.95) - 0.02, false);
		link_sim_free(&r);
	}
	ok(use >= (slack > 2 ? 0.7 : 0.85), "%s: uses %.2f of the capacity",
	   s->name, use);
	ok(swing < 0.1 * slack, "%s: swings by %.3f", s->name, swing);
	ok(late <= (slack > 1 ? 0.2 : 0.1),
	   "%s: 95 %% wait no longer than %.0f ms", s->name, late * 1e3);
	ok(s->sane, "%s: all values are sane", s->name);
}

static void test_steady(void)
{
	static const double rates[] = { 0.5, 2, 8, 40 };
	struct scene s;
	char name[64];

	for (unsigned int i = 0; i < 4; i++) {
		snprintf(name, sizeof(name), "steady %g Mbit/s", rates[i]);
		s = scene(name, 40);
		change(&s, 0, rates[i], 0);
		if (i == 3)
			s.c.limits.most = 36 * MBIT;
		steady(&s, i == 3 ? 27 : rates[i], i == 0 ? 1.5 :
		       i == 1 ? 1.1 : 1);
	}
	s = scene("own device", 40);
	change(&s, 0, 4, 0);
	s.c.local = true;
	steady(&s, 4, 1);
	s = scene("clock ahead and 100 ppm fast, counters that wrap", 40);
	change(&s, 0, 4, 0);
	s.c.offset = UINT32_MAX - 2000000;
	s.c.drift = 1e-4;
	steady(&s, 4, 1);
	s = scene("clock 100 ppm slow, jitter of 15 ms", 40);
	change(&s, 0, 4, 0);
	s.c.drift = -1e-4;
	s.c.jitter = 0.015;
	steady(&s, 4, 1.7);
	s = scene("queue of 30 ms", 40);
	change(&s, 0, 4, 0);
	s.c.queue = 0.03;
	steady(&s, 4, 1);
	s = scene("half of the reports are lost", 40);
	change(&s, 0, 4, 0);
	s.c.report_loss = 0.5;
	steady(&s, 4, 5);
}

/* ---- loss at random ---- */

static void test_loss(void)
{
	static const double losses[] = { 0.1, 0.5, 0.9 };
	struct link_sim_result r;

	for (unsigned int n = 0; n < 3; n++) {
		double use = NAN, low = NAN, high = NAN, late = NAN, sum = 0;
		struct scene s = scene("loss", 40);

		change(&s, 0, 4, 0);
		change(&s, 12, 4, losses[n]);
		for (unsigned int i = 0; i < SEEDS; i++) {
			double sent;

			run(&s, i, &r);
			sent = mean(&r, 14, 40, v_sent) / (4 * MBIT);
			sum += sent / SEEDS;
			worst(&use, sent, true);
			worst(&low, mean(&r, 16, 40, v_loss), true);
			worst(&high, mean(&r, 16, 40, v_loss), false);
			worst(&late, percentile(&r, 16, 40, 0.9), false);
			link_sim_free(&r);
		}
		/* it asks whether the loss is its own, and that costs some */
		ok(sum > (losses[n] > 0.8 ? 0.84 : 0.88) && use > 0.78,
		   "loss of %g %%: still sends %.2f of the capacity, %.2f at least",
		   losses[n] * 100, sum, use);
		ok(low > losses[n] - 0.03 && high < losses[n] + 0.13,
		   "loss of %g %%: protects for %.2f .. %.2f",
		   losses[n] * 100, low, high);
		ok(late < 0.25, "loss of %g %%: 90 %% come in %.0f ms",
		   losses[n] * 100, late * 1e3);
		ok(s.sane, "loss of %g %%: sane", losses[n] * 100);
	}
}

/*
 * A queue of a few datagrams drops what is too much before any delay shows it:
 * that is no loss at random. With two datagrams of room much is lost whatever
 * is sent. @most: of the capacity, mean of the seeds
 */
static void shallow(double mbit, double queue, double loss, double most)
{
	double sum = 0, over = NAN, high = NAN, low = NAN;
	struct scene s = scene("short queue", 40);
	struct link_sim_result r;

	s.c.queue = queue;
	change(&s, 0, mbit, 0);
	change(&s, 10, mbit, loss);
	for (unsigned int i = 0; i < 2 * SEEDS; i++) {
		double sent;

		run(&s, i, &r);
		sent = mean(&r, 14, 40, v_sent) / (mbit * MBIT);
		sum += sent / (2 * SEEDS);
		worst(&over, sent, false);
		worst(&low, sent, true);
		worst(&high, mean(&r, 14, 40, v_loss), false);
		link_sim_free(&r);
	}
	ok(sum <= most && over <= 1.5 * most,
	   "%g Mbit/s, queue of %g ms, loss of %g %%: sends %.2f of it, %.2f at most",
	   mbit, queue * 1e3, loss * 100, sum, over);
	ok(low > 0.7, "and no less than %.2f", low);
	ok(high < loss + 0.37, "protects for %.2f at most", high);
	ok(s.sane, "short queue: sane");
}

static void test_shallow(void)
{
	shallow(2, 0.01, 0, 1.1);
	shallow(2, 0.01, 0.1, 1.2);
	shallow(2, 0.02, 0.3, 1.1);
	shallow(2, 0.01, 0.5, 1.3);
	shallow(1, 0.02, 0.2, 1.3);
	shallow(4, 0.01, 0.1, 1.05);
	shallow(8, 0.005, 0.2, 1.05);
}

static double v_blind(const struct link_sim_row *r)
{
	return r->e.state == ESTIMATE_BLIND;
}

/* Of the reports a fifth is lost with all copies, some behind each other */
static void test_false_outage(void)
{
	struct scene s = scene("nine of ten are lost", 40);
	double blind = NAN, low = NAN;
	struct link_sim_result r;

	change(&s, 0, 8, 0);
	change(&s, 8, 8, 0.9);
	for (unsigned int i = 0; i < SEEDS; i++) {
		run(&s, i, &r);
		worst(&blind, mean(&r, 12, 40, v_blind), false);
		worst(&low, deviation(&r, 12, 40, v_sent) /
			    mean(&r, 12, 40, v_sent), false);
		link_sim_free(&r);
	}
	ok(blind < 0.02, "%s: %.3f of the time are taken for an outage",
	   s.name, blind);
	ok(low < 0.5, "%s: what is sent swings by %.2f", s.name, low);
	ok(s.sane, "%s: sane", s.name);
}

/* A supervisor that sends, and what it was told last */
struct told {
	struct estimator	*e;
	struct control_report	r;
	uint64_t		now;
};

/* 100 ms: 35 datagrams go out, and come if @come */
static void pass(struct told *t, bool come)
{
	for (unsigned int i = 0; i < 5; i++) {
		t->now += 20000000;
		estimate_sent(t->e, t->now, 7, 7 * 1450);
	}
	if (come) {
		t->r.echo = t->now / 1000;
		t->r.datagrams += 3;
		t->r.bytes += 3 * 1450;
	}
	estimate_tick(t->e, t->now);
}

/* Without reports nothing is known, be it for as long as usual */
static void test_silence(void)
{
	struct told t = { estimator_create(NULL), { 0 }, 5000000000 };
	const struct estimate *n = estimate_of(t.e);
	unsigned int blind = 0, late = 0;

	for (unsigned int i = 0; i < 600; i++) {
		pass(&t, true);
		if (i % 5 == 4)
			t.r.number++;
		/* three of four reports are lost */
		if (i % 20 == 19)
			estimate_report(t.e, t.now, &t.r);
		blind += i > 200 && n->state == ESTIMATE_BLIND;
	}
	ok(!blind, "a report every 2 s, as ever: no outage, %u of 400 ticks",
	   blind);
	while (n->state != ESTIMATE_BLIND && late < 100) {
		pass(&t, false);
		late++;
	}
	ok(late > 30 && late <= 41, "none at all: an outage, told in %.1f s",
	   late / 10.);
	estimator_destroy(t.e);
}

/* A report that waited while a frame was encoded and sent is no slower */
static void test_came(void)
{
	struct estimator *e = estimator_create(NULL);
	struct control_report r = { .number = 1, .held = 1000 };
	const uint64_t ms = 1000000, now = 5000 * ms;

	estimate_sent(e, now, 1, 1000);
	r.echo = now / 1000;
	r.datagrams = 1;
	r.bytes = 1000;
	estimate_sent(e, now + 60 * ms, 30, 30000);
	estimate_report(e, now + 11 * ms, &r);
	ok(near(estimate_of(e)->round_trip, 0.01, 1e-6),
	   "round trip: %.0f ms, not what it waited",
	   estimate_of(e)->round_trip * 1e3);
	/* a copy of a later time is a copy */
	r.echo = (now + 5 * ms) / 1000;
	ok(estimate_report(e, now + 30 * ms, &r) == -EALREADY &&
	   near(estimate_of(e)->round_trip, 0.01, 1e-6), "once each");
	/* clocks of kernel and program, in us */
	r.number++;
	r.echo = (now + 60 * ms) / 1000;
	r.held = 3;
	ok(!estimate_report(e, now + 60 * ms, &r) &&
	   estimate_of(e)->round_trip <= 1e-6, "and never less than nothing");
	estimator_destroy(e);
}

/* Reports come, and say that nothing else does */
static void test_one_way(void)
{
	struct scene s = scene("only the way there is gone", 20);
	struct link_sim_result r;
	double late = NAN;

	change(&s, 0, 4, 0.02);
	change(&s, 10, 4, 1);
	change(&s, 15, 4, 0.02);
	s.c.report_loss = 0;
	for (unsigned int i = 0; i < SEEDS; i++) {
		s.changes[1].time = 10 + 0.05 * i;
		run(&s, i, &r);
		for (unsigned int k = 0; k < r.count; k++)
			if (r.rows[k].e.state == ESTIMATE_BLIND) {
				worst(&late, r.rows[k].time -
					     s.changes[1].time, false);
				break;
			}
		ok(mean(&r, 14, 15, v_blind) == 1 &&
		   mean(&r, 17, 20, v_blind) == 0, "%s: told, and its end",
		   s.name);
		link_sim_free(&r);
	}
	ok(late < 2.2, "%s: told in %.1f s", s.name, late);
}

/* ---- less, and more again ---- */

/*
 * @part: of the runs that keep to it: two reports that are lost at the wrong
 * time cost more; @low: Mbit/s; @settle: s until less must be sent, which makes
 * up for what was too much at first where that waits in a queue; @most: of the
 * capacity
 */
static void degrade(struct scene *s, double part, double low, double settle,
		    double most)
{
	double over[MANY], back[MANY], few, much, held;
	/* a report that is lost at the wrong time costs one more */
	double late = s->c.report_loss > 0 ? 3 : 2;
	struct link_sim_result r;

	change(s, 0, 8, 0);
	change(s, 12, low, 0);
	change(s, 22, 8, 0);
	for (unsigned int i = 0; i < MANY; i++) {
		s->changes[1].time = 12 + fmod(0.07 * i, 1);
		s->changes[2].time = 22 + fmod(0.05 * i, 1);
		run(s, i, &r);
		over[i] = mean(&r, s->changes[1].time + settle,
			       s->changes[2].time, v_sent) / (low * MBIT);
		back[i] = mean(&r, s->changes[2].time + late,
			       s->changes[2].time + late + 2, v_received) /
			  (8 * MBIT);
		link_sim_free(&r);
	}
	much = quantile(over, MANY, part);
	held = quantile(over, MANY, 1 - part);
	few = quantile(back, MANY, 1 - part);
	ok(much <= most, "%s: 8 to %g Mbit/s: %g of %d send %.2f of it",
	   s->name, low, part * MANY, MANY, much);
	ok(over[MANY - 1] <= most + 0.3, "%s: and none more than %.2f",
	   s->name, over[MANY - 1]);
	ok(held >= 0.7, "%s: and no less than %.2f", s->name, held);
	ok(few >= 0.8, "%s: back at 8: %g of %d have %.2f of it in %g s",
	   s->name, part * MANY, MANY, few, late);
	ok(s->sane, "%s: sane", s->name);
}

static void test_degradation(void)
{
	struct scene s = scene("degradation", 28);

	degrade(&s, 0.97, 1, 0.6, 1.03);
	s = scene("degradation, reports are lost", 28);
	s.c.report_loss = 0.1;
	degrade(&s, 0.9, 1, 1.1, 1.1);
	s = scene("degradation of the own device", 28);
	s.c.local = true;
	degrade(&s, 0.9, 1, 0.6, 1.05);
	s = scene("degradation, queue of 30 ms", 28);
	s.c.queue = 0.03;
	degrade(&s, 0.97, 2, 1.1, 1.2);
	s = scene("degradation, queue of 2 s", 28);
	s.c.queue = 2;
	degrade(&s, 0.97, 1, 0.6, 1.05);
}

/* What passed without a queue is known of the link, too, if it was not asked */
static void test_spare(void)
{
	static const struct rate_control_limits limits = { 64e3, 1e3, 1e9 };
	struct rate_control_sample x = {
		.sent = 700e3, .through = 700e3, .span = .5, .clear = true,
		.limited = true, .observed = true,
	};
	uint64_t now = 0;
	struct rate_control s;

	rate_control_init(&s, &limits);
	for (unsigned int i = 0; i < 8; i++)
		rate_control_sample(&s, now += HALF, &x);
	x = (struct rate_control_sample){
		.sent = 300e3, .through = 125e3, .span = .5, .backlog = 2e4,
		.congested = true, .observed = true,
	};
	rate_control_sample(&s, now += HALF, &x);
	ok(s.rate < 125e3, "a link that was not filled becomes bad");
	x.congested = false;
	x.clear = true;
	x.backlog = 0;
	for (unsigned int i = 0; i < 6; i++) {
		x.sent = x.through = s.rate;
		rate_control_sample(&s, now += HALF, &x);
	}
	ok(s.rate > 600e3, "and good: at once %.0f of 700 kB/s", s.rate / 1e3);
}

/* ---- outages ---- */

static double first_live(const struct link_sim_result *r, double from)
{
	for (unsigned int i = 0; i < r->count; i++)
		if (r->rows[i].time > from && r->rows[i].received > 0 &&
		    r->rows[i].received - r->rows[i].kept >
			    0.05 * r->rows[i].capacity)
			return r->rows[i].time - from;
	return INFINITY;
}

static void outage(struct scene *s)
{
	double back = NAN, late = NAN, drained = NAN, blind = NAN, live = NAN;
	unsigned int epochs = 0, least = -1;
	struct link_sim_result r;

	change(s, 0, 8, 0.02);
	change(s, 12, 0, 0.02);
	change(s, 22, 8, 0.02);
	for (unsigned int i = 0; i < SEEDS; i++) {
		double on = 22 + 0.05 * i;

		s->changes[2].time = on;
		run(s, i, &r);
		worst(&back, mean(&r, on + 2, on + 4, v_received) /
		      (8 * MBIT), true);
		worst(&blind, mean(&r, 15, on, v_rate) / (8 * MBIT), false);
		worst(&late, percentile(&r, on + 1, on + 4, 0.95), false);
		worst(&live, first_live(&r, on), false);
		if (s->c.keep)
			worst(&drained, (r.drained - on) /
			      (r.kept_bytes / (8 * MBIT) + 0.5), false);
		epochs = r.epochs > epochs ? r.epochs : epochs;
		least = r.epochs < least ? r.epochs : least;
		link_sim_free(&r);
	}
	/* who does not see the queue learns a report later that it is empty */
	ok(back >= (s->c.keep && !s->c.local ? 0.7 : 0.8),
	   "%s: 2 s behind it %.2f of the capacity", s->name, back);
	ok(blind < 0.3, "%s: sends %.2f of what it was", s->name, blind);
	ok(live < 1.2, "%s: live datagrams come in %.1f s", s->name, live);
	ok(late < 0.17, "%s: and are %.0f ms old", s->name, late * 1e3);
	if (s->c.keep)
		ok(drained < 2.5, "%s: kept ones leave in %.1f of their time",
		   s->name, drained);
	ok(epochs == 1 && least == 1, "%s: is one epoch: %u", s->name,
	   epochs);
	ok(s->sane, "%s: sane", s->name);
}

static void test_outage(void)
{
	struct scene s = scene("outage", 30);

	outage(&s);
	s = scene("outage, a sample is kept", 30);
	s.c.keep = 30;
	outage(&s);
	s = scene("outage of the own device, a sample is kept", 30);
	s.c.keep = 60;
	s.c.local = s.c.sampling = true;
	outage(&s);
}

/* Of the rate before, in the outage: the least and the most of many runs */
static void dying(struct scene *s, double from, double to, double *least,
		  double *most)
{
	struct link_sim_result r;

	*least = *most = NAN;
	s->c.report_loss = -1;
	for (unsigned int i = 0; i < SEEDS; i++) {
		double rate;

		run(s, i, &r);
		rate = mean(&r, from, to, v_rate) / mean(&r, 9, 12, v_rate);
		worst(least, rate, true);
		worst(most, rate, false);
		link_sim_free(&r);
	}
}

/*
 * Until it misses the access point the radio tries again and again, and ever
 * less leaves the own queue. That is no smaller link: in the outage as much is
 * sampled as without it.
 */
static void test_dying(void)
{
	static const double losses[] = { 0.999, 0.7, 0.5 };
	double least, most;

	for (unsigned int i = 0; i < 3; i++) {
		struct scene s = scene("outage after a dying radio", 24);

		s.c.keep = 60;
		s.c.local = s.c.sampling = true;
		change(&s, 0, 2, 0.02);
		change(&s, 12, 1, losses[i]);
		change(&s, 12.6, 0.2, losses[i]);
		change(&s, 14, 0, 1);
		dying(&s, 15, 24, &least, &most);
		ok(least > 0.2 && most < 0.35,
		   "%s, loss %.3f: sends %.2f to %.2f of what it was", s.name,
		   losses[i], least, most);
		ok(s.sane, "%s: sane", s.name);
	}
}

/* What a plain queue is given in an outage leaves before what is live. */
static void test_dying_unsampled(void)
{
	double least, most;

	for (unsigned int local = 0; local < 2; local++) {
		struct scene s = scene(local ? "the same, a plain queue" :
				       "the same, an unknown queue", 20);

		s.c.queue = 2;
		s.c.local = local;
		change(&s, 0, 2, 0);
		change(&s, 12, 0.45, 0);
		change(&s, 13.7, 0.1, 0.999);
		change(&s, 18, 0.1, 0);
		dying(&s, 15.5, 18, &least, &most);
		/* no more than the link did when it was last heard of */
		ok(most < 0.23, "%s: sends %.2f to %.2f of what it was",
		   s.name, least, most);
		ok(s.sane, "%s: sane", s.name);
	}
}

/* ---- odd ends ---- */

static void test_restart(void)
{
	struct scene s = scene("receiver begins anew", 30);
	double use = NAN;
	struct link_sim_result r;

	change(&s, 0, 4, 0);
	s.c.restart = 15;
	s.c.offset = 100000;
	for (unsigned int i = 0; i < SEEDS; i++) {
		run(&s, i, &r);
		worst(&use, mean(&r, 16, 30, v_sent) / (4 * MBIT), true);
		link_sim_free(&r);
	}
	ok(use > 0.8, "%s: sends %.2f of the capacity", s.name, use);
	ok(s.sane, "%s: sane", s.name);
}

static void test_garbage(void)
{
	struct scene s = scene("reports that are noise", 30);
	double use = NAN;
	struct link_sim_result r;

	change(&s, 0, 4, 0.1);
	s.c.garbage = 20;
	for (unsigned int i = 0; i < SEEDS; i++) {
		run(&s, i, &r);
		worst(&use, mean(&r, 10, 30, v_sent), false);
		link_sim_free(&r);
	}
	ok(use < 20 * 4 * MBIT, "%s: sends at most %.1f Mbit/s", s.name,
	   use / MBIT);
	ok(s.sane, "%s: sane", s.name);
}

static void test_demand(void)
{
	struct scene s = scene("little to send", 30);
	struct link_sim_topic odometry = link_sim_robot[2];
	double high = NAN;
	struct link_sim_result r;

	change(&s, 0, 100, 0);
	s.c.topics = &odometry;
	s.c.ntopics = 1;
	for (unsigned int i = 0; i < SEEDS; i++) {
		run(&s, i, &r);
		worst(&high, mean(&r, 10, 30, v_rate), false);
		link_sim_free(&r);
	}
	ok(high < 64e3, "%s: the rate stays at %.0f kB/s", s.name,
	   high / 1e3);
}

/* What comes in steps and takes all of a rate: the link has more */
static void test_steps(void)
{
	struct scene s = scene("large clouds", 30);
	struct link_sim_topic cloud = {
		"cloud", { .kind = PLAN_SCAN, .hz = 10, .bytes = 85000 }, 3,
		false,
	};
	unsigned int thin = 0, rows = 0;
	struct link_sim_result r;

	change(&s, 0, 40, 0);
	s.c.topics = &cloud;
	s.c.ntopics = 1;
	for (unsigned int i = 0; i < SEEDS; i++) {
		run(&s, i, &r);
		for (unsigned int k = r.count / 2; k < r.count; k++, rows++)
			thin += r.rows[k].plan[0].every != 1;
		link_sim_free(&r);
	}
	ok(!thin, "%s: all of them, but for %u of %u times", s.name, thin,
	   rows);
}

/* Another access point, a relay: a longer way is not a queue */
static void test_way(void)
{
	struct scene s = scene("a way that becomes longer", 30);
	struct link_sim_result r;
	double use = NAN;

	change(&s, 0, 4, 0);
	change(&s, 14, 4, 0);
	s.changes[1].delay = 0.1;
	for (unsigned int i = 0; i < SEEDS; i++) {
		run(&s, i, &r);
		worst(&use, mean(&r, 18, 30, v_sent) / (4 * MBIT), true);
		link_sim_free(&r);
	}
	ok(use > 0.8, "%s: still sends %.2f of the capacity", s.name, use);
	ok(s.sane, "%s: sane", s.name);
}

static void test_ceiling(void)
{
	struct scene s = scene("a small camera", 20);
	struct link_sim_topic camera = link_sim_robot[0];
	double floor, demand;
	struct link_sim_result r;

	change(&s, 0, 100, 0);
	camera.source.bytes = 12000;
	s.c.topics = &camera;
	s.c.ntopics = 1;
	plan_needs(&camera.source, 0, &floor, &demand);
	run(&s, 0, &r);
	ok(near(mean(&r, 10, 20, v_sent), demand, 0.03),
	   "%s: is sent as it is", s.name);
	ok(mean(&r, 10, 20, v_rate) < 1.25 * demand,
	   "%s: the rate grows no further", s.name);
	link_sim_free(&r);
	s.c.limits.most = 50e3;
	run(&s, 0, &r);
	ok(mean(&r, 10, 20, v_sent) <= 50e3 &&
	   mean(&r, 10, 20, v_sent) > 45e3, "the operator's limit is kept");
	link_sim_free(&r);
}

static void test_focus(void)
{
	struct scene s = scene("focus", 26);
	struct link_sim_result r;
	double before, behind;

	change(&s, 0, 1.5, 0);
	s.c.focus_at = 16;
	run(&s, 0, &r);
	before = mean(&r, 10, 16, v_lidar);
	behind = mean(&r, 16.3, 20, v_lidar);
	ok(behind > 1.5 * before, "focus: from %.0f to %.0f kB/s at once",
	   before / 1e3, behind / 1e3);
	ok(mean(&r, 10, 26, v_capacity) > 0 && s.sane, "focus: sane");
	link_sim_free(&r);
}

/* Random calls of everything: nothing but sane values comes out */
static void test_hostile(void)
{
	struct estimator *e = estimator_create(NULL);
	const struct estimate *n = estimate_of(e);
	uint64_t rng = 7, now = 1;
	bool good = true;

	for (int i = 0; i < 200000; i++) {
		struct control_report r = {
			rnd64(&rng), rnd64(&rng), rnd64(&rng), rnd64(&rng),
			rnd(&rng, 3), rnd64(&rng), rnd64(&rng), rnd64(&rng),
			rnd64(&rng), rnd64(&rng), rnd64(&rng),
			0, 1, { { 0 } },
		};
		struct link_stats l = {
			rnd(&rng, 4), rnd(&rng, 4), rnd(&rng, 2),
			rnd(&rng, 2), rnd64(&rng) >> rnd(&rng, 64),
			rnd64(&rng), rnd64(&rng) >> rnd(&rng, 64),
		};

		now += rnd64(&rng) % (rnd(&rng, 100) ? 30000000 : 1ULL << 42);
		if (rnd(&rng, 2))
			r.echo = now / 1000 - rnd(&rng, 1000000);
		if (rnd(&rng, 2))
			r.held = rnd(&rng, 20000);
		if (rnd(&rng, 2))
			r.number = i;
		estimate_sent(e, now, rnd(&rng, 50), rnd(&rng, 70000));
		if (!rnd(&rng, 3))
			estimate_report(e, now, &r);
		if (!rnd(&rng, 5))
			estimate_link(e, now, &l);
		estimate_tick(e, now - rnd(&rng, 2));
		good &= isfinite(n->rate) && n->rate >= 1e3 &&
			n->rate <= 1e9 && isfinite(n->capacity) &&
			n->capacity >= 0 && n->loss >= 0 && n->loss <= 1 &&
			n->loss_high >= 0 && n->loss_high <= 1 &&
			isfinite(n->queue);
	}
	ok(good, "whatever is called, rates stay within the limits");
	estimator_destroy(e);
}

int main(void)
{
	test_start();
	test_steady();
	test_loss();
	test_shallow();
	test_false_outage();
	test_silence();
	test_came();
	test_one_way();
	test_degradation();
	test_spare();
	test_outage();
	test_dying();
	test_dying_unsampled();
	test_restart();
	test_garbage();
	test_demand();
	test_steps();
	test_way();
	test_ceiling();
	test_focus();
	test_hostile();
	return tap_done();
}
