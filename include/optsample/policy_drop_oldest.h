/* SPDX-License-Identifier: GPL-2.0 */
/*
 * policy_drop_oldest.h - drop the oldest message when full, as ROS does.
 */
#ifndef OPTSAMPLE_POLICY_DROP_OLDEST_H
#define OPTSAMPLE_POLICY_DROP_OLDEST_H

#include <optsample/sampler_core.h>

static inline struct optsample_node *
__optsample_drop_oldest_evict(struct optsample_sampler *s)
{
	struct optsample_node *n = s->head;

	__optsample_del(s, n);
	return n;
}

static inline bool
__optsample_drop_oldest_arrive(struct optsample_sampler *s,
			       struct optsample_node **evicted)
{
	if (s->len >= s->cap)
		*evicted = __optsample_drop_oldest_evict(s);
	return true;
}

static const struct optsample_policy_ops optsample_policy_drop_oldest = {
	.arrive = __optsample_drop_oldest_arrive,
	.evict = __optsample_drop_oldest_evict,
	.low = __optsample_low,
	.remove = __optsample_del,
	.depart = __optsample_pop,
};

#endif
