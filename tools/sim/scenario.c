// SPDX-License-Identifier: GPL-2.0-only
/*
 * scenario.c - a publisher, a link and a sampler between them.
 *
 * Messages 1, 2, ... arrive one per step; after each arrival the link takes
 * none, some or all, as the scenario says. What was taken and what is still
 * queued counts as received.
 *
 * The oracle knows the schedule. For an outage it is the even split. In
 * general it is a dynamic program over (last message kept, messages queued
 * then): best profit with the queue never above its limit. O(T^2 L).
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "sim.h"

struct player {
	const struct sim_config *cfg;
	struct optsample_sampler s;
	struct optsample_node *nodes;
	uint32_t *taken;	/* departures until after arrival t */
	uint64_t last;		/* last message taken */
	double profit;		/* of what was taken */
	uint32_t maxgap;	/* of what was taken */
	uint64_t credit;
};

/* How many messages the link has room for after arrival @t. */
static uint32_t link_takes(struct player *p, uint32_t t)
{
	const struct sim_config *cfg = p->cfg;
	uint32_t n;

	switch (cfg->scenario) {
	case SCENARIO_OVERLOAD:
		p->credit += 1000;
		if (p->credit < cfg->ratio)
			return 0;
		p->credit -= cfg->ratio;
		return 1;
	case SCENARIO_STALLS:
		/* run first: what came before a stall was received */
		if ((t - 1) % (cfg->run + cfg->stall) >= cfg->run)
			return 0;
		p->credit += cfg->drain;
		n = (uint32_t)(p->credit / 1000);
		p->credit %= 1000;
		return n;
	default:
		return 0;
	}
}

static double gap_profit(const struct player *p, uint64_t from, uint64_t to)
{
	return p->cfg->eval->f((double)(to - from));
}

static void take(struct player *p, uint32_t count)
{
	struct optsample_node *n;

	while (count--) {
		n = optsample_depart(&p->s);
		if (!n)
			break;
		p->profit += gap_profit(p, p->last, n->pos);
		if (n->pos - p->last > p->maxgap)
			p->maxgap = (uint32_t)(n->pos - p->last);
		p->last = n->pos;
	}
}

static void score(const struct player *p, uint32_t t, struct sim_row *row)
{
	const struct optsample_node *n;
	uint64_t last = p->last;

	row->profit = p->profit;
	row->maxgap = p->maxgap;
	for (n = p->s.head; n; n = n->next) {
		row->profit += gap_profit(p, last, n->pos);
		if (n->pos - last > row->maxgap)
			row->maxgap = (uint32_t)(n->pos - last);
		last = n->pos;
	}
	row->profit += gap_profit(p, last, t + 1);
	if (t + 1 - last > row->maxgap)
		row->maxgap = (uint32_t)(t + 1 - last);
}

/*
 * best[i][q]: best profit up to message i, kept, with q queued then. The
 * start is message 0 with nothing queued.
 */
static int oracle(const struct player *p, struct sim_row *rows)
{
	uint32_t count = p->cfg->messages, limit = p->cfg->limit;
	uint32_t i, j, q, left, out;
	size_t width = (size_t)limit + 1;
	double *best, *from, *to, gain;

	best = malloc(((size_t)count + 1) * width * sizeof(*best));
	if (!best)
		return -ENOMEM;
	for (i = 0; i <= count; i++)
		for (q = 0; q <= limit; q++)
			best[i * width + q] = -INFINITY;
	best[0] = 0;
	for (j = 1; j <= count; j++)
		rows[j - 1].oracle = 0;
	for (i = 0; i <= count; i++) {
		from = &best[i * width];
		for (j = i + 1; j <= count + 1; j++) {
			gain = gap_profit(p, i, j);
			out = p->taken[j - 1] - (i ? p->taken[i - 1] : 0);
			to = &best[j * width];
			for (q = 0; q <= limit; q++) {
				if (from[q] == -INFINITY)
					continue;
				if (j > 1 && from[q] + gain > rows[j - 2].oracle)
					rows[j - 2].oracle = from[q] + gain;
				left = q > out ? q - out : 0;
				if (j > count || left + 1 > limit)
					continue;
				if (from[q] + gain > to[left + 1])
					to[left + 1] = from[q] + gain;
			}
		}
	}
	free(best);
	return 0;
}

static void print_row(const struct player *p, uint32_t t,
		      const struct sim_row *row, FILE *csv)
{
	const struct optsample_node *n;

	fprintf(csv, "%u,%.6f,%.6f,%u,", t, row->profit, row->oracle,
		row->maxgap);
	for (n = p->s.head; n; n = n->next)
		fprintf(csv, "%s%llu", n->prev ? " " : "",
			(unsigned long long)n->pos);
	fputc('\n', csv);
}

/* First the schedule alone, for the oracle; then the same one played. */
static int play(struct player *p, struct sim_row *rows, FILE *csv)
{
	const struct sim_config *cfg = p->cfg;
	struct optsample_node *out;
	uint32_t t, sum = 0;
	int err = 0;

	/* taken[t]: departures that precede arrival t+1 */
	p->taken[0] = 0;
	for (t = 1; t <= cfg->messages; t++) {
		sum += link_takes(p, t);
		p->taken[t] = sum;
	}
	p->credit = 0;
	if (cfg->scenario == SCENARIO_OUTAGE)
		for (t = 1; t <= cfg->messages; t++)
			rows[t - 1].oracle = eval_oracle(cfg->eval, t,
							 cfg->limit);
	else
		err = oracle(p, rows);
	if (err)
		return err;
	for (t = 1; t <= cfg->messages; t++) {
		if (optsample_arrive(&p->s, t, &out))
			optsample_append(&p->s, &p->nodes[t], t);
		take(p, link_takes(p, t));
		score(p, t, &rows[t - 1]);
		if (csv)
			print_row(p, t, &rows[t - 1], csv);
	}
	return 0;
}

int sim_run(const struct sim_config *cfg, struct sim_row *rows, FILE *csv)
{
	struct player p = { .cfg = cfg };
	int err = -ENOMEM;

	optsample_init(&p.s, cfg->policy, cfg->limit, cfg->refill);
	p.nodes = calloc((size_t)cfg->messages + 1, sizeof(*p.nodes));
	p.taken = calloc((size_t)cfg->messages + 2, sizeof(*p.taken));
	if (p.nodes && p.taken)
		err = play(&p, rows, csv);
	free(p.taken);
	free(p.nodes);
	return err;
}
