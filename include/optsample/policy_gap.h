/* SPDX-License-Identifier: GPL-2.0 */
/*
 * policy_gap.h - our policy: keep an arrival that is far enough from the last
 * message kept; drop the message that leaves the smallest hole.
 * Documentation/sampler.md derives the numbers.
 */
#ifndef OPTSAMPLE_POLICY_GAP_H
#define OPTSAMPLE_POLICY_GAP_H

#ifdef __KERNEL__
#include <linux/math64.h>
#endif
#include <optsample/sampler_core.h>

/*
 * A full queue takes a message that is this many times the mean gap away from
 * the last one kept: 1.194, as measured in Documentation/sampler.md.
 */
#define OPTSAMPLE_GAP_NUM	43U
#define OPTSAMPLE_GAP_DEN	36U
#define OPTSAMPLE_GAP_FULL	128U	/* fixed point 1 of the relaxation */
#define OPTSAMPLE_GAP_WINDOW	4U	/* half window, limits of departures */

/**
 * struct optsample_gap - state of the policy
 * @root: heap of all messages but the tail, smallest hole on top
 * @span: distance from @left to the tail when the queue was last full; 0 when
 *	not sampling
 * @mark: @last when the count @done of departures began
 * @half: @last half a window ago
 * @went: distance from @mark to @last at the latest departure
 * @gaps: messages queued when the queue was last full
 */
struct optsample_gap {
	struct optsample_node *root;
	u64 span;
	u64 mark;
	u64 half;
	u64 went;
	u32 gaps;
} __attribute__((__may_alias__));

static_assert(sizeof(struct optsample_gap) <=
	      sizeof(((struct optsample_sampler *)0)->priv), "does not fit");

static inline struct optsample_gap *
__optsample_gap(const struct optsample_sampler *s)
{
	return (struct optsample_gap *)s->priv;
}

/* --- the heap of holes --- */

/* The hole that remains between the neighbours of @n if @n is dropped */
static inline u64 __optsample_gap_hole(const struct optsample_sampler *s,
				       const struct optsample_node *n,
				       u64 right)
{
	return right - (n->prev ? n->prev->pos : s->left);
}

static inline void __optsample_gap_hole_add(struct optsample_sampler *s,
					    struct optsample_node *n)
{
	n->key = __optsample_gap_hole(s, n, n->next->pos);
	optsample_heap_add(&__optsample_gap(s)->root, n);
}

/* A neighbour of @n was removed or added: update the hole of @n. */
static inline void __optsample_gap_hole_changed(struct optsample_sampler *s,
						struct optsample_node *n)
{
	if (n->key == __optsample_gap_hole(s, n, n->next->pos))
		return;
	optsample_heap_del(&__optsample_gap(s)->root, n);
	__optsample_gap_hole_add(s, n);
}

static inline void __optsample_gap_reset(struct optsample_sampler *s)
{
	struct optsample_node *n;

	for (n = s->head; n != s->tail; n = n->next)
		__optsample_gap_hole_add(s, n);
}

static inline void __optsample_gap_add(struct optsample_sampler *s,
				       struct optsample_node *n)
{
	struct optsample_node *next = n->next;

	if (n->prev)
		__optsample_gap_hole_add(s, n->prev);
	if (!next)
		return;
	__optsample_gap_hole_add(s, n);
	if (next->next)
		__optsample_gap_hole_changed(s, next);
}

static inline void __optsample_gap_remove(struct optsample_sampler *s,
					  struct optsample_node *n)
{
	struct optsample_node *prev = n->prev, *next = n->next;
	struct optsample_gap *g = __optsample_gap(s);

	if (next)
		optsample_heap_del(&g->root, n);
	__optsample_del(s, n);
	if (!s->len)
		s->done = 0;
	if (prev && next)
		__optsample_gap_hole_changed(s, prev);
	else if (prev)
		optsample_heap_del(&g->root, prev);
	if (next && next->next)
		__optsample_gap_hole_changed(s, next);
}

/* --- fill level, and the pace of the link --- */

/* R/3: sampling already relaxes above it, see __optsample_gap_tension() */
static inline bool __optsample_gap_low(const struct optsample_sampler *s)
{
	return __optsample_low_at(s, 3);
}

/* Remember the mean gap of a full queue. */
static inline void __optsample_gap_measure(struct optsample_sampler *s)
{
	struct optsample_gap *g = __optsample_gap(s);

	g->span = s->tail->pos - s->left;
	g->gaps = s->len;
}

/*
 * Count a departure. The mean distance between departures is @went / @done over
 * the last half window or more. It is never divided, so the unit of positions
 * does not matter.
 */
static inline void __optsample_gap_count(struct optsample_sampler *s)
{
	struct optsample_gap *g = __optsample_gap(s);

	if (!s->done++)
		g->mark = s->last;
	if (s->done == 2 * OPTSAMPLE_GAP_WINDOW * s->limit) {
		g->mark = g->half;
		s->done /= 2;
	}
	if (s->done == OPTSAMPLE_GAP_WINDOW * s->limit)
		g->half = s->last;
	g->went = s->last - g->mark;
}

static inline void __optsample_gap_depart(struct optsample_sampler *s,
					  struct optsample_node *n)
{
	__optsample_gap_count(s);
	__optsample_gap_remove(s, n);
}

/* --- which arrivals are kept --- */

/* a * x >= b * y, to 34 bits; x and y must be below 2^30. */
static inline bool __optsample_gap_ge(u64 a, u32 x, u64 b, u32 y)
{
	while ((a | b) >> 34) {
		a >>= 1;
		b >>= 1;
	}
	return a * x >= b * y;
}

/*
 * The fraction of the sampling distance that applies to a queue below full, in
 * 1/OPTSAMPLE_GAP_FULL: 0 at R/3, 1 when full, more than half at half way.
 * Under overload the fill level thus settles just below full, where kept
 * arrivals and departures balance, with even gaps. After a stall the queue
 * regains room before the next one.
 */
static inline u32 __optsample_gap_tension(const struct optsample_sampler *s)
{
	u32 low = s->refill * s->cap;
	u32 fill = (s->len * 300 - low) * OPTSAMPLE_GAP_FULL /
		   (s->cap * 300 - low);

	return fill * (2 * OPTSAMPLE_GAP_FULL - fill) / OPTSAMPLE_GAP_FULL;
}

/*
 * Is the arrival too near to the last message kept? A third of its distance to
 * the previous arrival is added: the next arrival may be too far by more than
 * this one is too near. So distances are in thirds. The mean is taken over 5/4
 * gaps fewer than there are, as measured, so gaps are in quarters.
 */
static inline bool __optsample_gap_near(struct optsample_sampler *s)
{
	struct optsample_gap *g = __optsample_gap(s);
	bool full = s->len >= s->cap;
	u64 dist, hole, thirds;
	u32 quarters, tension;

	if (full)
		__optsample_gap_measure(s);
	else if (__optsample_gap_low(s))
		g->span = 0;
	if (!g->span)
		return false;
	dist = s->last - s->tail->pos;
	hole = g->root ? g->root->key : ~0ULL;
	/* One outlier (the clock was set) must not spoil the mean. */
	if (__optsample_gap_ge(dist, 2, hole, 3))
		return false;
	thirds = 3 * dist + s->last - s->before;
	quarters = g->gaps > 2 ? 4 * g->gaps - 5 : 4;
	if (full) {
		/* Overload: a hole that the link leaves anyway is free. */
		if (s->done && __optsample_gap_ge(dist, 2, hole, 1) &&
		    __optsample_gap_ge(g->went, 17, hole, 16 * s->done))
			return false;
		return !__optsample_gap_ge(thirds,
					   quarters * OPTSAMPLE_GAP_DEN,
					   g->span, 12 * OPTSAMPLE_GAP_NUM);
	}
	/* Room: 2/3 of the mean gap or the link's mean gap, the smaller one. */
	tension = __optsample_gap_tension(s);
	if (s->done &&
	    __optsample_gap_ge(thirds, s->done * OPTSAMPLE_GAP_FULL,
			       g->went, 3 * tension))
		return false;
	return !__optsample_gap_ge(thirds, quarters * OPTSAMPLE_GAP_FULL,
				   g->span, 8 * tension);
}

/* --- which messages are given up --- */

/* The message with the smallest hole; right of the tail is the arrival */
static inline struct optsample_node *
__optsample_gap_least(const struct optsample_sampler *s)
{
	struct optsample_node *root = __optsample_gap(s)->root;
	struct optsample_node *tail = s->tail;

	if (!root || __optsample_gap_hole(s, tail, s->last) < root->key)
		return tail;
	return root;
}

static inline bool __optsample_gap_arrive(struct optsample_sampler *s,
					  struct optsample_node **evicted)
{
	if (__optsample_gap_near(s))
		return false;
	if (s->len >= s->cap) {
		*evicted = __optsample_gap_least(s);
		__optsample_gap_remove(s, *evicted);
	}
	return true;
}

static inline struct optsample_node *
__optsample_gap_evict(struct optsample_sampler *s)
{
	struct optsample_gap *g = __optsample_gap(s);
	struct optsample_node *n = g->root ? g->root : s->tail;

	__optsample_gap_measure(s);
	__optsample_gap_remove(s, n);
	return n;
}

/* Mean distance between queued messages in positions, saturated */
static inline u32 __optsample_gap_distance(const struct optsample_sampler *s)
{
	u64 span, gaps;

	if (!s->sampled || s->len < 2)
		return 1;
	gaps = s->len - 1;
	span = s->tail->pos - s->head->pos;
	span += gaps / 2;
	if (span >= gaps << 32)
		return ~0U;
#ifdef __KERNEL__
	span = div64_u64(span, gaps);
#else
	span /= gaps;
#endif
	return span ? (u32)span : 1;
}

static const struct optsample_policy_ops optsample_policy_gap = {
	.arrive = __optsample_gap_arrive,
	.evict = __optsample_gap_evict,
	.low = __optsample_gap_low,
	.remove = __optsample_gap_remove,
	.depart = __optsample_gap_depart,
	.reset = __optsample_gap_reset,
	.add = __optsample_gap_add,
	.distance = __optsample_gap_distance,
};

#endif
