// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_link_supervisor - the link supervisor on simulated links: what it
 * promises, over many seeds. Links that fail: test_link_outage
 */
#include <errno.h>
#include "link_fixture.h"

#define HALF	500000000ULL	/* ns, from report to report */

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

/* @slack: 1, more for a link with few datagrams or reports */
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
		ok(sum > (losses[n] > 0.8 ? 0.84 : 0.88),
		   "loss of %g %%: still sends %.2f of the capacity, %.2f at least",
		   losses[n] * 100, sum, use);
		ok(use > 0.78,
		   "loss of %g %%: still sends %.2f of the capacity, %.2f at least",
		   losses[n] * 100, sum, use);
		ok(low > losses[n] - 0.03,
		   "loss of %g %%: protects for %.2f .. %.2f", losses[n] * 100,
		   low, high);
		ok(high < losses[n] + 0.13,
		   "loss of %g %%: protects for %.2f .. %.2f", losses[n] * 100,
		   low, high);
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
	ok(sum <= most,
	   "%g Mbit/s, queue of %g ms, loss of %g %%: sends %.2f of it, %.2f at most",
	   mbit, queue * 1e3, loss * 100, sum, over);
	ok(over <= 1.5 * most,
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
	/* few of those that lose reports would say little */
	const unsigned int many = s->c.report_loss > 0 ? MANY :
				  tap_rounds(30, MANY);
	double over[MANY], back[MANY], few, much, held;
	/* a report that is lost at the wrong time costs one more */
	double late = s->c.report_loss > 0 ? 3 : 2;
	struct link_sim_result r;

	change(s, 0, 8, 0);
	change(s, 12, low, 0);
	change(s, 22, 8, 0);
	for (unsigned int i = 0; i < many; i++) {
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
	much = quantile(over, many, part);
	held = quantile(over, many, 1 - part);
	few = quantile(back, many, 1 - part);
	ok(much <= most, "%s: 8 to %g Mbit/s: %g of %u send %.2f of it",
	   s->name, low, part * many, many, much);
	ok(over[many - 1] <= most + 0.3, "%s: and none more than %.2f",
	   s->name, over[many - 1]);
	ok(held >= 0.7, "%s: and no less than %.2f", s->name, held);
	ok(few >= 0.8, "%s: back at 8: %g of %u have %.2f of it in %g s",
	   s->name, part * many, many, few, late);
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

/* ---- odd ends ---- */

static void test_restart(void)
{
	struct scene s = scene("receiver starts again", 30);
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
	ok(mean(&r, 10, 20, v_sent) <= 50e3, "the operator's limit is kept");
	ok(mean(&r, 10, 20, v_sent) > 45e3, "the operator's limit is kept");
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
	ok(mean(&r, 10, 26, v_capacity) > 0, "focus: sane");
	ok(s.sane, "focus: sane");
	link_sim_free(&r);
}

/* Random calls of everything: nothing but sane values comes out */
/* A report counts once, and not before something was sent */
static void test_reports(void)
{
	struct estimator *e = estimator_create(NULL);
	struct control_report r = { .number = 1, .datagrams = 1, .bytes = 100 };
	const uint64_t now = 100000000000;

	r.echo = now / 1000;
	ok_eq(estimate_report(e, now + 1000000, &r), -EINVAL,
	      "a report about nothing");
	estimate_sent(e, now, 1, 100);
	r.echo = now / 1000 + 5000000;
	ok_eq(estimate_report(e, now + 1000000, &r), -EINVAL,
	      "one of the future");
	r.echo = now / 1000;
	ok_eq(estimate_report(e, now + 20000000, &r), 0, "one that is right");
	ok_eq(estimate_report(e, now + 20000000, &r), -EALREADY, "a copy");
	r.number = 0;
	ok_eq(estimate_report(e, now + 20000000, &r), -EALREADY, "an old one");
	estimator_destroy(e);
}

static void test_hostile(void)
{
	struct estimator *e = estimator_create(NULL);
	const struct estimate *n = estimate_of(e);
	uint64_t rng = 7, now = 1;
	bool good = true;

	for (unsigned int i = 0; i < tap_rounds(20000, 200000); i++) {
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
	test_degradation();
	test_spare();
	test_restart();
	test_garbage();
	test_demand();
	test_steps();
	test_way();
	test_ceiling();
	test_focus();
	test_reports();
	test_hostile();
	return tap_done();
}
