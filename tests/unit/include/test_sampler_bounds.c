// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_sampler_bounds.c - how good the policies are, as assertions.
 *
 * The published Fig. 4, and the tables of Documentation/sampler.md: whoever
 * changes a policy finds here what it was worth.
 */
#include "sampler_queue.h"
#include "tap.h"

static void test_fig4(void)
{
	static const uint32_t points[] = { 42, 43, 86, 87, 174, 175 };
	uint64_t t, longest;
	struct queue q;
	double diff;
	size_t i = 0;

	queue_init(&q, OPTSAMPLE_POLICY_OPTSAMPLE, 10, 175);
	for (t = 1; t <= 175; t++) {
		queue_arrive(&q, t, t);
		if (t != points[i])
			continue;
		diff = queue_score(&q, t, &longest) - eval_oracle(q.e, t, 10);
		ok(fabs(diff) < 1e-9, "Fig. 4: equals the oracle at T = %u",
		   points[i]);
		i++;
	}
	free(q.pool);
}

struct bounds {
	double worst;	/* profit / oracle */
	double regret;	/* mean of 1 - profit / oracle */
	double longest;	/* longest gap / the oracle's */
};

static struct bounds outage(int policy, uint32_t limit,
			    const struct eval *e)
{
	struct bounds b = { .worst = 1 };
	uint32_t count = 40 * limit, t;
	uint64_t longest, ideal;
	struct queue q;
	double ratio;

	queue_init(&q, policy, limit, count);
	q.e = e;
	for (t = 1; t <= count; t++) {
		queue_arrive(&q, t, t);
		ratio = queue_score(&q, t, &longest) / eval_oracle(e, t, limit);
		ideal = t <= limit ? 1 : (t + limit + 1) / (limit + 1);
		if (ratio < b.worst)
			b.worst = ratio;
		if ((double)longest / (double)ideal > b.longest)
			b.longest = (double)longest / (double)ideal;
		b.regret += (1 - ratio) / count;
	}
	free(q.pool);
	return b;
}

static void test_bounds(void)
{
	static const struct {
		uint32_t limit;
		double published, gap, regret;
	} rows[] = {
		{ 10, 0.938, 0.944, 0.0111 },
		{ 20, 0.960, 0.9685, 0.0082 },
		{ 32, 0.966, 0.9765, 0.0069 },
		{ 100, 0.970, 0.9785, 0.0054 },
	};
	struct bounds p, g;
	uint32_t limit;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		limit = rows[i].limit;
		p = outage(OPTSAMPLE_POLICY_OPTSAMPLE, limit, &evals[0]);
		g = outage(OPTSAMPLE_POLICY_GAP, limit, &evals[0]);
		ok(p.worst >= rows[i].published,
		   "optsample, L %u: worst profit %.4f", limit, p.worst);
		ok(p.longest <= 2, "optsample, L %u: longest gap %.2f", limit,
		   p.longest);
		ok(g.worst >= rows[i].gap, "gap, L %u: worst profit %.4f",
		   limit, g.worst);
		ok(g.worst > p.worst, "gap, L %u: worst profit %.4f", limit,
		   g.worst);
		ok(g.regret <= rows[i].regret,
		   "gap, L %u: mean regret %.4f, optsample %.4f", limit,
		   g.regret, p.regret);
		ok(g.regret < p.regret,
		   "gap, L %u: mean regret %.4f, optsample %.4f", limit,
		   g.regret, p.regret);
		ok(g.longest <= 1.601, "gap, L %u: longest gap %.2f", limit,
		   g.longest);
	}
}

static double overload(int policy, uint32_t limit, uint32_t tenths,
		       uint32_t count)
{
	uint32_t t, credit = 0;
	uint64_t longest;
	struct queue q;
	double profit;

	queue_init(&q, policy, limit, count);
	for (t = 1; t <= count; t++) {
		queue_arrive(&q, t, t);
		credit += 10;
		if (credit < tenths)
			continue;
		credit -= tenths;
		queue_depart(&q);
	}
	profit = queue_score(&q, count, &longest);
	free(q.pool);
	return profit;
}

static void test_overload(uint32_t count, double least_oldest,
			  double least_pub)
{
	static const uint32_t limits[] = { 10, 20, 32, 100 };
	double oldest, gap, pub, worst = 2, worst_pub = 2;
	uint32_t r, l;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		for (r = 11, l = limits[i]; r <= 60; r++) {
			gap = overload(OPTSAMPLE_POLICY_GAP, l, r, count);
			oldest = overload(OPTSAMPLE_POLICY_DROP_OLDEST, l, r,
					  count);
			pub = overload(OPTSAMPLE_POLICY_OPTSAMPLE, l, r,
				       count);
			if (gap / oldest < worst)
				worst = gap / oldest;
			if (gap / pub < worst_pub)
				worst_pub = gap / pub;
		}
	}
	ok(worst >= least_oldest,
	   "gap, overload 1.1 to 6, %u messages: %.4f of drop-oldest or more",
	   count, worst);
	ok(worst_pub >= least_pub,
	   "gap, overload, %u messages: %.4f of optsample or more", count,
	   worst_pub);
}

struct stalls {
	uint32_t limit, stall, run, drain;	/* drain: thousandths */
};

/* @run arrivals with @drain departures each, @stall with none, again */
static double stalls(int policy, const struct stalls *c, uint32_t count)
{
	uint32_t t, credit = 0;
	uint64_t longest;
	struct queue q;
	double profit;

	queue_init(&q, policy, c->limit, count);
	for (t = 1; t <= count; t++) {
		queue_arrive(&q, t, t);
		if ((t - 1) % (c->run + c->stall) >= c->run)
			continue;
		for (credit += c->drain; credit >= 1000; credit -= 1000)
			queue_depart(&q);
	}
	profit = queue_score(&q, count, &longest);
	free(q.pool);
	return profit;
}

static double stalls_ratio(const struct stalls *c, uint32_t count)
{
	return stalls(OPTSAMPLE_POLICY_GAP, c, count) /
	       stalls(OPTSAMPLE_POLICY_OPTSAMPLE, c, count);
}

static void test_stalls(void)
{
	static const struct stalls rows[] = {
		{ 20, 100, 100, 2000 }, { 20, 150, 300, 2000 },
		{ 20, 200, 100, 1100 }, { 20, 400, 30, 4000 },
		{ 10, 100, 50, 1500 }, { 20, 60, 30, 1000 },
	};
	static const uint32_t limits[] = { 10, 20, 32, 100 };
	static const uint32_t lengths[] = { 20, 40, 60, 100, 200, 400 };
	static const uint32_t runs[] = { 10, 30, 60, 100, 300 };
	static const uint32_t drains[] = {
		500, 800, 1000, 1100, 1500, 2000, 4000
	};
	double ratio, worst = 2, mean = 0;
	struct stalls c;
	uint32_t i, n = 4 * 6 * 5 * 7, behind = 0;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		ratio = stalls_ratio(&rows[i], 1000);
		ok(ratio >= 1, "gap, stalls %u %u %u %u: %.4f of optsample",
		   rows[i].limit, rows[i].stall, rows[i].run, rows[i].drain,
		   ratio);
	}
	for (i = 0; i < n; i++) {
		c.limit = limits[i % 4];
		c.stall = lengths[i / 4 % 6];
		c.run = runs[i / 24 % 5];
		c.drain = drains[i / 120];
		ratio = stalls_ratio(&c, 2000);
		if (ratio < worst)
			worst = ratio;
		behind += ratio < 0.99;
		mean += ratio / n;
	}
	ok(worst >= 0.98,
	   "gap, %u stalls: mean %.4f of optsample, least %.4f, %u below 0.99",
	   n, mean, worst, behind);
	ok(mean >= 1.01,
	   "gap, %u stalls: mean %.4f of optsample, least %.4f, %u below 0.99",
	   n, mean, worst, behind);
	ok(behind <= 20,
	   "gap, %u stalls: mean %.4f of optsample, least %.4f, %u below 0.99",
	   n, mean, worst, behind);
}

static void test_evals(void)
{
	uint32_t a, b, bad;
	struct bounds g;
	size_t i;

	for (i = 0; i < EVALS; i++) {
		const struct eval *e = &evals[i];

		for (a = 1, bad = 0; a <= 60; a++) {
			for (b = 1; b <= 60; b++) {
				if (e->f(a) + e->f(b) <= e->f(a + b))
					bad++;
				if (a + 1 < b && e->f(a) + e->f(b) >=
				    e->f(a + 1) + e->f(b - 1))
					bad++;
			}
		}
		g = outage(OPTSAMPLE_POLICY_GAP, 20, e);
		ok(!bad, "%s has lemma 1 and 2, gap keeps %.4f", e->formula,
		   g.worst);
		ok(g.worst > 0.9, "%s has lemma 1 and 2, gap keeps %.4f",
		   e->formula, g.worst);
		ok(g.worst <= 1, "%s has lemma 1 and 2, gap keeps %.4f",
		   e->formula, g.worst);
	}
}

int main(void)
{
	test_fig4();
	test_evals();
	test_bounds();
	test_overload(1000, 0.9995, 0.9965);
	test_overload(3000, 0.9998, 0.9985);
	test_stalls();
	return tap_done();
}
