/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * link_fixture.h - a supervisor on a simulated link, over many seeds, and what
 * is measured of it
 */
#ifndef UNIT_LINK_FIXTURE_H
#define UNIT_LINK_FIXTURE_H

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "../../../tools/sim/link_model.h"
#include "tap.h"

enum { SEEDS = 12, MANY = 100 };

static const double MBIT = 1e6 / 8;

typedef double (*value_fn)(const struct link_sim_row *row);

static inline double v_sent(const struct link_sim_row *r)
{
	return r->sent;
}

static inline double v_received(const struct link_sim_row *r)
{
	return r->received;
}

static inline double v_dropped(const struct link_sim_row *r)
{
	return r->dropped;
}

static inline double v_rate(const struct link_sim_row *r)
{
	return r->e.rate;
}

static inline double v_loss(const struct link_sim_row *r)
{
	return r->e.loss_high;
}

static inline double v_capacity(const struct link_sim_row *r)
{
	return r->capacity;
}

static inline double v_lidar(const struct link_sim_row *r)
{
	return r->topic_rate[1];
}

static inline double mean(const struct link_sim_result *r, double from,
			  double to, value_fn value)
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
static inline double deviation(const struct link_sim_result *r, double from,
			       double to, value_fn value)
{
	double m = mean(r, from, to, value), sum = 0;
	unsigned int n = 0;

	for (double t = from; t + 0.5 <= to; t += 0.5, n++)
		sum += pow(mean(r, t, t + 0.5, value) - m, 2);
	return n ? sqrt(sum / n) : 0;
}

static inline bool near(double a, double b, double part)
{
	return fabs(a - b) <= part * b;
}

static inline int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Of the delay of what came, s */
static inline double percentile(const struct link_sim_result *r, double from,
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

static inline bool sane(const struct link_sim_config *c,
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

static inline struct scene scene(const char *name, double duration)
{
	struct scene s = { .c = link_sim_usual, .name = name, .sane = true };

	s.c.duration = duration;
	return s;
}

static inline void change(struct scene *s, double time, double mbit,
			  double loss)
{
	s->changes[s->c.nchanges++] = (struct link_sim_change){
		time, mbit * MBIT, loss, 0.02,
	};
}

static inline void run(struct scene *s, unsigned int seed,
		       struct link_sim_result *r)
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
static inline double quantile(double *v, unsigned int n, double part)
{
	qsort(v, n, sizeof(*v), compare);
	return v[(unsigned int)(part * (n - 1))];
}

static inline void worst(double *w, double v, bool least)
{
	if (isnan(*w) || (least ? v < *w : v > *w))
		*w = v;
}

#endif
