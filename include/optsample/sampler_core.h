/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sampler_core.h - one queue of messages, with helpers for all policies.
 *
 * This is for the policies; users of a sampler include sampler.h.
 */
#ifndef OPTSAMPLE_SAMPLER_CORE_H
#define OPTSAMPLE_SAMPLER_CORE_H

#include <optsample/sampler_heap.h>

#define OPTSAMPLE_PRIV_WORDS	8U

/**
 * struct optsample_sampler - one queue
 * @head: oldest message, the next to depart
 * @tail: newest message
 * @len: messages queued
 * @limit: messages allowed
 * @cap: messages allowed now (memory pressure makes it smaller than @limit)
 * @policy: enum optsample_policy
 * @refill: fill level R (percent of @cap) at which sampling relaxes
 * @seeded: @left and @last are valid
 * @guessed: the second message will set @left, see __optsample_place()
 * @sampled: a message was discarded or evicted since the queue was low
 * @done: departures since the measured pace of the link was reset; a policy
 *	that needs the pace counts them, sampler.h resets them
 * @seq: arrivals kept so far
 * @shift: added to the caller's positions after a step back
 * @last: position of the newest arrival, kept or not
 * @before: position of the arrival before that one
 * @left: left end of the first hole: the last departed message
 * @priv: state of the policy, all zero before its reset hook
 */
struct optsample_sampler {
	struct optsample_node *head;
	struct optsample_node *tail;
	u32 len;
	u32 limit;
	u32 cap;
	u8 policy;
	u8 refill;
	bool seeded;
	bool guessed;
	bool sampled;
	u32 done;
	u64 seq;
	u64 shift;
	u64 last;
	u64 before;
	u64 left;
	u64 priv[OPTSAMPLE_PRIV_WORDS];
};

/**
 * struct optsample_policy_ops - a policy
 * @arrive: a message arrives at position @last; true: keep it. Sets @evicted,
 *	NULL before, to the messages dropped for it: removed, oldest first,
 *	chained through @next
 * @evict: memory is short: remove one message and return it; @len is not 0
 * @low: is the queue empty enough to relax sampling?
 * @remove: take @n out: __optsample_del() and the policy's own part
 * @depart: the head @n leaves: __optsample_pop() and the policy's own part
 * @reset: initialise @priv for a queue that may hold messages; NULL: nothing
 *	to do
 * @add: @n was linked as the tail or, after a return, as the head; NULL:
 *	nothing to do
 * @distance: see optsample_distance(); NULL: always 1
 *
 * The structs are constant and sampler.h calls the hooks by name: the compiler
 * inlines them, there are no indirect calls.
 */
struct optsample_policy_ops {
	bool (*arrive)(struct optsample_sampler *s,
		       struct optsample_node **evicted);
	struct optsample_node *(*evict)(struct optsample_sampler *s);
	bool (*low)(const struct optsample_sampler *s);
	void (*remove)(struct optsample_sampler *s, struct optsample_node *n);
	void (*depart)(struct optsample_sampler *s, struct optsample_node *n);
	void (*reset)(struct optsample_sampler *s);
	void (*add)(struct optsample_sampler *s, struct optsample_node *n);
	u32 (*distance)(const struct optsample_sampler *s);
};

/* The queue is empty: memory pressure and sampling are over. */
static inline void __optsample_emptied(struct optsample_sampler *s)
{
	s->cap = s->limit;
	s->sampled = false;
}

/* Take @n out of the list. */
static inline void __optsample_del(struct optsample_sampler *s,
				   struct optsample_node *n)
{
	struct optsample_node *prev = n->prev, *next = n->next;

	if (prev)
		prev->next = next;
	else
		s->head = next;
	if (next)
		next->prev = prev;
	else
		s->tail = prev;
	s->len--;
	if (!s->len)
		__optsample_emptied(s);
	n->prev = NULL;
	n->next = NULL;
}

/* The same for the head: the fast path. */
static inline void __optsample_pop(struct optsample_sampler *s,
				   struct optsample_node *n)
{
	struct optsample_node *next = n->next;

	s->head = next;
	s->len--;
	if (next) {
		next->prev = NULL;
	} else {
		s->tail = NULL;
		__optsample_emptied(s);
	}
	n->next = NULL;
}

/* Is the fill level at or below R / @part? */
static inline bool __optsample_low_at(const struct optsample_sampler *s,
				      u32 part)
{
	return s->len * 100 * part <= s->refill * s->cap;
}

static inline bool __optsample_low(const struct optsample_sampler *s)
{
	return __optsample_low_at(s, 1);
}

#endif
