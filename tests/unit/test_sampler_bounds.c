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
		{ 10, 0.938, 0.943, 0.012 },
		{ 20, 0.960, 0.968, 0.0083 },
		{ 32, 0.966, 0.975, 0.0071 },
		{ 100, 0.970, 0.978, 0.0055 },
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
		ok(g.worst >= rows[i].gap && g.worst > p.worst,
		   "gap, L %u: worst profit %.4f", limit, g.worst);
		ok(g.regret <= rows[i].regret && g.regret < p.regret,
		   "gap, L %u: mean regret %.4f, optsample %.4f", limit,
		   g.regret, p.regret);
		ok(g.longest <= 1.601, "gap, L %u: longest gap %.2f", limit,
		   g.longest);
	}
}

static double overload(int policy, uint32_t limit, uint32_t tenths)
{
	uint32_t t, credit = 0, count = 3000;
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

static void test_overload(void)
{
	static const uint32_t limits[] = { 10, 20, 32, 100 };
	double oldest, gap, pub, worst = 2, worst_pub = 2;
	uint32_t r;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		for (r = 11; r <= 60; r++) {
			gap = overload(OPTSAMPLE_POLICY_GAP, limits[i], r);
			oldest = overload(OPTSAMPLE_POLICY_DROP_OLDEST,
					  limits[i], r);
			pub = overload(OPTSAMPLE_POLICY_OPTSAMPLE, limits[i],
				       r);
			if (gap / oldest < worst)
				worst = gap / oldest;
			if (gap / pub < worst_pub)
				worst_pub = gap / pub;
		}
	}
	ok(worst >= 0.995, "gap, overload 1.1 to 6: %.4f of drop-oldest or more",
	   worst);
	ok(worst_pub >= 0.985, "gap, overload: %.4f of optsample or more",
	   worst_pub);
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
		ok(!bad && g.worst > 0.9 && g.worst <= 1,
		   "%s has lemma 1 and 2, gap keeps %.4f", e->formula, g.worst);
	}
}

int main(void)
{
	test_fig4();
	test_evals();
	test_bounds();
	test_overload();
	return tap_done();
}
