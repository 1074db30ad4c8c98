/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sampler_sweep.h - drop every second message of a full queue, then keep only
 * every second arrival. Common to optsample and 2sample.
 *
 * One of `dis` arrivals is kept. When the queue is full, a sweep goes through
 * it from the head and drops every second message; at the end of the sweep
 * `dis` doubles. optsample drops one for each arrival, 2sample all at once.
 * Line numbers refer to Fig. 5 of the publication (Wang et al., 2019).
 */
#ifndef OPTSAMPLE_SAMPLER_SWEEP_H
#define OPTSAMPLE_SAMPLER_SWEEP_H

#include <optsample/sampler_core.h>

#define OPTSAMPLE_DISTANCE_MAX	(1U << 31)

/**
 * struct optsample_sweep - state of such a policy
 * @prev: the message before the next one to drop, NULL if that is the head
 * @dis: sampling distance in messages, a power of two
 * @cur: arrivals since the last one kept
 */
struct optsample_sweep {
	struct optsample_node *prev;
	u32 dis;
	u32 cur;
} __attribute__((__may_alias__));

static_assert(sizeof(struct optsample_sweep) <=
	      sizeof(((struct optsample_sampler *)0)->priv), "does not fit");

static inline struct optsample_sweep *
__optsample_sweep(const struct optsample_sampler *s)
{
	return (struct optsample_sweep *)s->priv;
}

static inline void __optsample_sweep_reset(struct optsample_sampler *s)
{
	__optsample_sweep(s)->dis = 1;
}

/* A returned message is not dropped before the next sweep. */
static inline void __optsample_sweep_add(struct optsample_sampler *s,
					 struct optsample_node *n)
{
	struct optsample_sweep *w = __optsample_sweep(s);

	if (n->next && !w->prev)
		w->prev = n;
}

static inline void __optsample_sweep_remove(struct optsample_sampler *s,
					    struct optsample_node *n)
{
	struct optsample_sweep *w = __optsample_sweep(s);

	if (n == w->prev)
		w->prev = n->prev;
	__optsample_del(s, n);
}

static inline void __optsample_sweep_depart(struct optsample_sampler *s,
					    struct optsample_node *n)
{
	struct optsample_sweep *w = __optsample_sweep(s);

	if (n == w->prev)
		w->prev = NULL;
	__optsample_pop(s, n);
}

/* The sweep has reached the end of the queue. */
static inline void __optsample_sweep_double(struct optsample_sampler *s)
{
	struct optsample_sweep *w = __optsample_sweep(s);

	if (w->dis < OPTSAMPLE_DISTANCE_MAX)
		w->dis *= 2;
	w->prev = NULL;
}

/* The next message to drop, NULL at the end of the queue */
static inline struct optsample_node *
__optsample_sweep_next(const struct optsample_sampler *s)
{
	struct optsample_node *prev = __optsample_sweep(s)->prev;

	return prev ? prev->next : s->head;
}

/* RemoveAt() and advance: lines 15 and 16. */
static inline void __optsample_sweep_step(struct optsample_sampler *s,
					  struct optsample_node *n)
{
	struct optsample_node *next = n->next;

	__optsample_del(s, n);
	if (next)
		__optsample_sweep(s)->prev = next;
}

/* One step of the sweep: lines 14..21. */
static inline struct optsample_node *
__optsample_sweep_evict(struct optsample_sampler *s)
{
	struct optsample_node *n = __optsample_sweep_next(s);
	bool through;

	if (!n) {	/* only when @cap shrank to @len */
		__optsample_sweep_double(s);
		n = s->head;
	}
	through = n == s->tail;
	__optsample_sweep_step(s, n);
	if (through)
		__optsample_sweep_double(s);
	return n;
}

/* The queue is low: lines 2..7. */
static inline void __optsample_sweep_halve(struct optsample_sampler *s)
{
	struct optsample_sweep *w = __optsample_sweep(s);

	w->dis /= 2;
	if (w->cur >= w->dis)
		w->cur -= w->dis;
}

static inline u32
__optsample_sweep_distance(const struct optsample_sampler *s)
{
	return __optsample_sweep(s)->dis;
}

#endif
