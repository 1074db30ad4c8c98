// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_link_outage - the link supervisor on simulated links that fail: what is
 * taken for an outage, and what is sent in it and behind it
 */
#include "link_fixture.h"

/* ---- reports that do not come ---- */

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

/* A supervisor that sends, and the last report */
struct arrivals {
	struct estimator	*e;
	struct control_report	r;
	uint64_t		now;
};

/* 100 ms: 35 datagrams go out, and come if @come */
static void pass(struct arrivals *t, bool come)
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
	struct arrivals t = { estimator_create(NULL), { 0 }, 5000000000 };
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
	ok(late > 30, "none at all: an outage, noticed in %.1f s", late / 10.);
	ok(late <= 41, "none at all: an outage, noticed in %.1f s", late / 10.);
	estimator_destroy(t.e);
}

/* Behind an outage it is live again, however often there are reports */
static void test_reports_often(void)
{
	struct arrivals t = { estimator_create(NULL), { 0 }, 5000000000 };
	const struct estimate *n = estimate_of(t.e);
	unsigned int drain = 0;

	for (unsigned int i = 0; i < 100; i++) {
		pass(&t, true);
		t.r.number++;
		estimate_report(t.e, t.now, &t.r);
	}
	ok_eq(n->state, ESTIMATE_LIVE, "a report every 100 ms");
	for (unsigned int i = 0; i < 100; i++)
		pass(&t, false);
	ok_eq(n->state, ESTIMATE_BLIND, "an outage");
	for (unsigned int i = 0; i < 50; i++) {
		t.r.epoch = n->epoch;
		pass(&t, true);
		t.r.number++;
		estimate_report(t.e, t.now, &t.r);
		drain += n->state == ESTIMATE_DRAIN;
	}
	ok_eq(n->state, ESTIMATE_LIVE, "is over");
	ok_range(drain, 1, 10, "what was kept had time to leave, 100 ms each");
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
	ok_eq(estimate_report(e, now + 30 * ms, &r), -EALREADY, "once each");
	ok(near(estimate_of(e)->round_trip, 0.01, 1e-6), "once each");
	/* clocks of kernel and program, in us */
	r.number++;
	r.echo = (now + 60 * ms) / 1000;
	r.held = 3;
	ok(!estimate_report(e, now + 60 * ms, &r),
	   "and never less than nothing");
	ok(estimate_of(e)->round_trip <= 1e-6, "and never less than nothing");
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
		ok(mean(&r, 14, 15, v_blind) == 1, "%s: noticed, and its end",
		   s.name);
		ok(mean(&r, 17, 20, v_blind) == 0, "%s: noticed, and its end",
		   s.name);
		link_sim_free(&r);
	}
	ok(late < 2.25, "%s: noticed in %.2f s", s.name, late);
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
	ok_eq(epochs, 1, "%s: is one epoch: %u", s->name, epochs);
	ok_eq(least, 1, "%s: is one epoch: %u", s->name, epochs);
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
		ok(least > 0.2,
		   "%s, loss %.3f: sends %.2f to %.2f of what it was", s.name,
		   losses[i], least, most);
		ok(most < 0.35,
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

int main(void)
{
	test_false_outage();
	test_silence();
	test_reports_often();
	test_came();
	test_one_way();
	test_outage();
	test_dying();
	test_dying_unsampled();
	return tap_done();
}
