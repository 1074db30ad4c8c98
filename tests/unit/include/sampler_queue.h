/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sampler_queue.h - a queue around sampler.h for the unit tests.
 *
 * Messages come from a pool and are scored as in the publication.
 */
#ifndef OPTSAMPLE_SAMPLER_QUEUE_H
#define OPTSAMPLE_SAMPLER_QUEUE_H

#include <stdlib.h>

#include <optsample/sampler.h>

#include "../../../tools/sim/eval.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

struct message {
	struct optsample_node node;	/* first */
	uint64_t id;
};

static uint64_t id_of(const struct optsample_node *n)
{
	return ((const struct message *)(const void *)n)->id;
}

struct queue {
	struct optsample_sampler s;
	struct message *pool;
	uint64_t last;
	double profit;
	const struct eval *e;
};

static void queue_init(struct queue *q, int policy, uint32_t limit,
		       uint32_t messages)
{
	memset(q, 0, sizeof(*q));
	optsample_init(&q->s, policy, limit, OPTSAMPLE_REFILL_DEFAULT);
	q->e = &evals[0];
	q->pool = calloc(messages + 1, sizeof(*q->pool));
	if (!q->pool)
		abort();
}

static bool queue_arrive(struct queue *q, uint64_t id, uint64_t pos)
{
	struct optsample_node *out;

	if (!optsample_arrive(&q->s, pos, &out))
		return false;
	q->pool[id].id = id;
	optsample_append(&q->s, &q->pool[id].node, pos);
	return true;
}

__attribute__((unused))
static void queue_depart(struct queue *q)
{
	struct optsample_node *n = optsample_depart(&q->s);

	if (!n)
		return;
	q->profit += q->e->f((double)(id_of(n) - q->last));
	q->last = id_of(n);
}

/* Profit after message @t, and the longest gap of what is queued. */
__attribute__((unused))
static double queue_score(const struct queue *q, uint64_t t, uint64_t *longest)
{
	const struct optsample_node *n;
	double profit = q->profit;
	uint64_t last = q->last;

	*longest = 0;
	for (n = q->s.head; n; last = id_of(n), n = n->next) {
		profit += q->e->f((double)(id_of(n) - last));
		if (id_of(n) - last > *longest)
			*longest = id_of(n) - last;
	}
	if (t + 1 - last > *longest)
		*longest = t + 1 - last;
	return profit + q->e->f((double)(t + 1 - last));
}

__attribute__((unused))
static uint64_t queue_hash(const struct queue *q)
{
	const struct optsample_node *n;
	uint64_t hash = 0;

	for (n = q->s.head; n; n = n->next)
		hash = (hash ^ id_of(n)) * 0x100000001b3ULL;
	return hash;
}

#endif /* OPTSAMPLE_SAMPLER_QUEUE_H */
