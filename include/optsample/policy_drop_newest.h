/* SPDX-License-Identifier: GPL-2.0 */
/*
 * policy_drop_newest.h - discard arrivals when full, as a FIFO does.
 */
#ifndef OPTSAMPLE_POLICY_DROP_NEWEST_H
#define OPTSAMPLE_POLICY_DROP_NEWEST_H

#include <optsample/sampler_core.h>

static inline bool
__optsample_drop_newest_arrive(struct optsample_sampler *s,
			       struct optsample_node **evicted)
{
	(void)evicted;
	return s->len < s->cap;
}

static inline struct optsample_node *
__optsample_drop_newest_evict(struct optsample_sampler *s)
{
	struct optsample_node *n = s->tail;

	__optsample_del(s, n);
	return n;
}

static const struct optsample_policy_ops optsample_policy_drop_newest = {
	.arrive = __optsample_drop_newest_arrive,
	.evict = __optsample_drop_newest_evict,
	.low = __optsample_low,
	.remove = __optsample_del,
	.depart = __optsample_pop,
};

#endif
