// SPDX-License-Identifier: GPL-2.0-only
/*
 * priority - protection of the parts of an embedded stream
 *
 * With k datagrams the stream is decodable up to R_k. Minimise the expected
 * error sum q_k D(R_k) under sum w_k R_k <= size, w_k = 1 / (k (k + 1)) and
 * w_N = 1 / N, with R_k not decreasing: D is made convex; at a given price of a
 * byte each run of k has its own best R, runs that would decrease are pooled;
 * the price is found by bisection.
 */
#include <assert.h>
#include <math.h>
#include <string.h>
#include "codec/image/priority.h"

#define MOST	.98			/* limit of the loss */

enum { ROUNDS = 60 };

/*
 * Losses for a fixed profile. Each is weighted by the error that an ideal code
 * would leave, and rare ones less.
 */
static const struct {
	double	loss, weight;
} losses[] = {
	{ 0, 1 }, { .01, 1 }, { .02, 1 }, { .05, 1 }, { .1, 1 }, { .15, 1 },
	{ .2, .5 }, { .3, .1 }, { .4, .1 }, { .5, .2 }, { .6, .15 },
	{ .7, .15 }, { .8, .1 }, { .9, .25 },
};

/**
 * struct hull - convex curve
 * @slope: error that a byte removes, from point i to i + 1; decreasing
 */
struct hull {
	unsigned int	points;
	double		bytes[ZEROBLOCK_POINTS];
	double		error[ZEROBLOCK_POINTS];
	double		slope[ZEROBLOCK_POINTS];
};

/* datagrams from @first up to the next run's that get the same prefix */
struct run {
	unsigned int	first;
	double		q, w, prefix;
};

static void find_hull(struct hull *h, const struct zeroblock_curve *c)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < c->points; i++) {
		if (n && (c->error[i] >= h->error[n - 1] ||
			  c->bytes[i] <= h->bytes[n - 1]))
			continue;
		while (n > 1 && (h->error[n - 1] - c->error[i]) /
				(c->bytes[i] - h->bytes[n - 1]) >=
				h->slope[n - 2])
			n--;
		h->bytes[n] = c->bytes[i];
		h->error[n] = c->error[i];
		if (n)
			h->slope[n - 1] = (h->error[n - 1] - h->error[n]) /
					  (h->bytes[n] - h->bytes[n - 1]);
		n++;
	}
	h->points = n;
}

/* Last point within @bytes */
static unsigned int point_at(const struct hull *h, double bytes)
{
	unsigned int lo = 0, hi = h->points;

	while (hi - lo > 1) {
		unsigned int mid = (lo + hi) / 2;

		if (h->bytes[mid] <= bytes)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* Error that the byte after @bytes removes */
static double slope_at(const struct hull *h, double bytes)
{
	unsigned int i = point_at(h, bytes);

	return i + 1 < h->points ? h->slope[i] : 0;
}

/* Error after @bytes */
static double error_at(const struct hull *h, double bytes)
{
	unsigned int i = point_at(h, bytes);

	if (bytes < h->bytes[i] || i + 1 == h->points)
		return h->error[i];
	return h->error[i] - (bytes - h->bytes[i]) * h->slope[i];
}

/* Bytes up to which each removes more error than @price */
static double bytes_at(const struct hull *h, double price)
{
	unsigned int lo = 0, hi = h->points - 1;

	while (lo < hi) {
		unsigned int mid = (lo + hi) / 2;

		if (h->slope[mid] > price)
			lo = mid + 1;
		else
			hi = mid;
	}
	return h->bytes[lo];
}

/* lgamma() stores the sign in a global: not thread-safe */
static double log_factorial(unsigned int n)
{
	int sign;

	return lgamma_r(n + 1., &sign);
}

static void binomial(double *chance, unsigned int n, double loss, double weight)
{
	if (loss <= 0) {
		chance[n] += weight;
		return;
	}
	for (unsigned int k = 1; k <= n; k++)
		chance[k] += weight *
			     exp(log_factorial(n) - log_factorial(k) -
				 log_factorial(n - k) + k * log1p(-loss) +
				 (n - k) * log(loss)) / (1 - pow(loss, n));
}

/* Weight each number by the error that an ideal code would leave */
static void by_ideal(struct priority_chances *c,
		     const struct zeroblock_curve *curve,
		     unsigned int datagrams, unsigned int size)
{
	struct hull h;

	find_hull(&h, curve);
	for (unsigned int k = 1; k <= datagrams; k++)
		c->chance[k] /= error_at(&h, (double)k * size) +
				h.error[0] * 1e-9 + 1e-9;
}

void priority_fixed(struct priority_chances *c,
		    const struct zeroblock_curve *curve,
		    unsigned int datagrams, unsigned int size)
{
	struct hull h;

	memset(c, 0, sizeof(*c));
	find_hull(&h, curve);
	for (unsigned int i = 0; i < sizeof(losses) / sizeof(*losses); i++) {
		double loss = losses[i].loss;
		double e = error_at(&h, (1 - loss) * datagrams * size);

		/* errors below about one level are invisible */
		e += h.error[0] * 1e-9 + 1e-9;
		binomial(c->chance, datagrams, loss, losses[i].weight / e);
	}
}

/*
 * Probability that k of @n arrive over a channel of two states, good or bad:
 * summed over all sequences of states
 */
static void gilbert(double *chance, unsigned int n, double loss, double burst,
		    double weight)
{
	double leave = 1 / burst, enter = loss / (1 - loss) / burst;
	/* [k]: k arrived so far, and the state is good, or bad */
	double good[PRIORITY_DATAGRAMS + 1] = { 0 };
	double bad[PRIORITY_DATAGRAMS + 1] = { 0 };

	assert(n <= PRIORITY_DATAGRAMS && loss > 0 && loss < 1);
	good[1] = 1 - loss;
	bad[0] = loss;
	for (unsigned int i = 1; i < n; i++)
		for (unsigned int k = i + 1; k + 1 > 0; k--) {
			double g = k ? good[k - 1] * (1 - enter) +
				       bad[k - 1] * leave : 0;

			bad[k] = good[k] * enter + bad[k] * (1 - leave);
			good[k] = g;
			if (!k)
				break;
		}
	for (unsigned int k = 1; k <= n; k++)
		chance[k] += weight * (good[k] + bad[k]) / (1 - bad[0]);
}

/* Rare bursts that no report announces: covering them costs 0.1 dB */
static const struct {
	double	datagrams, chance;
} bursts[] = {
	{ 9, .002 }, { 17, .0006 },
};

void priority_loss(struct priority_chances *c,
		   const struct zeroblock_curve *curve,
		   unsigned int datagrams, unsigned int size, double loss,
		   double burst)
{
	static const double around[] = { 0, -1, 1 };
	static const double weight[] = { 1, .3, .4 };
	double spread;

	memset(c, 0, sizeof(*c));
	loss = loss < 0 ? 0 : loss > MOST ? MOST : loss;
	/* the estimate has an error; a higher loss is worse */
	spread = .005 + .4 * sqrt(loss * (1 - loss) / datagrams);
	for (unsigned int i = 0; i < sizeof(around) / sizeof(*around); i++) {
		double p = loss + around[i] * spread;

		if (p < 0 || p >= 1)
			continue;
		if (p > 0 && burst * (1 - p) > 1)
			gilbert(c->chance, datagrams, p, burst, weight[i]);
		else
			binomial(c->chance, datagrams, p, weight[i]);
	}
	for (unsigned int i = 0; i < sizeof(bursts) / sizeof(*bursts); i++) {
		double p = loss + bursts[i].datagrams / datagrams;

		if (p < MOST)
			binomial(c->chance, datagrams, p, bursts[i].chance);
	}
	if (burst * (1 - loss) > 1)
		by_ideal(c, curve, datagrams, size);
}

/* The best prefix of each run at a price. Return: their cost */
static double spend(struct run *r, unsigned int runs, const struct hull *h,
		    double price, double base)
{
	double cost = 0;

	for (unsigned int i = 0; i < runs; i++) {
		double b = bytes_at(h, price * r[i].w / r[i].q);

		r[i].prefix = b > base ? b : base;
		cost += r[i].w * r[i].prefix;
	}
	return cost;
}

static double priority_settle(struct run *r, unsigned int runs,
			      const struct hull *h, double base, double size)
{
	double lo = -60, hi = 120;

	for (unsigned int i = 0; i < ROUNDS; i++) {
		double mid = (lo + hi) / 2;

		if (spend(r, runs, h, exp(mid), base) > size)
			lo = mid;
		else
			hi = mid;
	}
	spend(r, runs, h, exp(hi), base);
	return exp(hi);
}

static void pool(struct run *a, const struct run *b)
{
	assert(a->w > 0 && b->w > 0);
	a->q += b->q;
	a->w += b->w;
}

/* @n: datagrams beyond which nothing more can be gained */
static unsigned int priority_find_runs(struct run *r,
				       const struct priority_chances *c,
				       unsigned int first, unsigned int n)
{
	unsigned int runs = 0;

	for (unsigned int k = first; k <= n; k++) {
		/* a chance of zero would make a run of its own */
		r[runs++] = (struct run){
			.first = k,
			.q = c->chance[k] + 1e-30,
			.w = 1. / (k * (k + 1.)),
		};
		while (runs > 1 && r[runs - 1].w * r[runs - 2].q >=
				   r[runs - 2].w * r[runs - 1].q) {
			pool(&r[runs - 2], &r[runs - 1]);
			runs--;
		}
	}
	assert(runs <= n - first + 1);
	return runs;
}

/* Cost of giving both runs the same prefix */
static double merged(const struct run *a, const struct run *b,
		     const struct hull *h, double price, double base)
{
	struct run m = *a;
	double apart;

	apart = a->q * error_at(h, a->prefix) + price * a->w * a->prefix +
		b->q * error_at(h, b->prefix) + price * b->w * b->prefix;
	pool(&m, b);
	spend(&m, 1, h, price, base);
	return m.q * error_at(h, m.prefix) + price * m.w * m.prefix - apart;
}

static void priority_merge(struct run *r, unsigned int *runs, unsigned int i)
{
	assert(i + 1 < *runs);
	pool(&r[i], &r[i + 1]);
	--*runs;
	for (i++; i < *runs; i++)
		r[i] = r[i + 1];
}

/* Reduce runs to the limit of levels */
static void priority_thin(struct run *r, unsigned int *runs,
			  const struct hull *h, double base, double size,
			  unsigned int levels)
{
	double price = priority_settle(r, *runs, h, base, size);

	for (unsigned int i = 0; i + 1 < *runs; )
		if (r[i].prefix >= r[i + 1].prefix)
			priority_merge(r, runs, i);
		else
			i++;
	while (*runs > levels) {
		unsigned int best = 0;
		double least = INFINITY;

		for (unsigned int i = 0; i + 1 < *runs; i++) {
			double cost = merged(&r[i], &r[i + 1], h, price, base);

			if (cost < least) {
				least = cost;
				best = i;
			}
		}
		priority_merge(r, runs, best);
		spend(r, *runs, h, price, base);
	}
	priority_settle(r, *runs, h, base, size);
}

/* Give remaining columns to the levels where they remove the most error */
static void use_rest(struct priority *p, const struct priority_chances *c,
		     unsigned int datagrams, const struct hull *h,
		     unsigned int rest)
{
	while (rest--) {
		double slope = 0, most = 0;
		unsigned int best = 0, k = datagrams;

		for (unsigned int i = p->levels; i--; ) {
			double s = slope_at(h, priority_prefix(p, k));

			for (; k >= p->level[i].need; k--)
				slope += c->chance[k] * s;
			if (slope * p->level[i].need > most) {
				most = slope * p->level[i].need;
				best = i;
			}
		}
		if (!most)
			break;
		p->level[best].columns++;
	}
}

static double add_level(struct priority *p, unsigned int need, double more,
			unsigned int left)
{
	unsigned int columns = more > 0 ? more / need : 0;

	columns = columns < left ? columns : left;
	if (!columns)
		return 0;
	assert(need && columns <= left);
	p->level[p->levels].need = need;
	p->level[p->levels++].columns = columns;
	return (double)columns * need;
}

void priority_solve(struct priority *p, const struct zeroblock_curve *curve,
		    const struct priority_chances *c, unsigned int datagrams,
		    unsigned int size, unsigned int base, unsigned int first,
		    unsigned int levels, unsigned int whole)
{
	unsigned int n = whole ? whole - 1 : datagrams, runs;
	struct run r[PRIORITY_DATAGRAMS];
	double all = curve->bytes[curve->points - 1], prefix = 0, for_all = 0;
	struct hull h;

	find_hull(&h, curve);
	if (whole)
		for_all = ceil(all / whole);
	base = base < first * (size - for_all) ? base :
						 first * (size - for_all);
	runs = priority_find_runs(r, c, first, n);
	/* beyond the last run's datagrams there is no gain: w_N = 1 / N */
	if (!whole && runs)
		r[runs - 1].w += 1. / (n + 1.);
	if (runs)
		priority_thin(r, &runs, &h, base, size - for_all, levels - 1);
	p->levels = 0;
	for (unsigned int i = 0; i < runs; i++)
		prefix += add_level(p, r[i].first, r[i].prefix - prefix,
				    size - priority_bytes(p));
	if (whole && prefix < all)
		add_level(p, whole, all - prefix + whole - 1,
			  size - priority_bytes(p));
	if (!p->levels) {
		p->levels = 1;
		p->level[0].need = 1;
		p->level[0].columns = 0;
	}
	use_rest(p, c, datagrams, &h, size - priority_bytes(p));
}

size_t priority_prefix(const struct priority *p, unsigned int received)
{
	size_t bytes = 0;

	for (unsigned int i = 0; i < p->levels; i++)
		if (p->level[i].need <= received)
			bytes += (size_t)p->level[i].need * p->level[i].columns;
	return bytes;
}

size_t priority_bytes(const struct priority *p)
{
	size_t bytes = 0;

	for (unsigned int i = 0; i < p->levels; i++)
		bytes += p->level[i].columns;
	return bytes;
}
