/* SPDX-License-Identifier: GPL-2.0 */
/*
 * policy_optsample.h - the published algorithm (Wang et al., 2019, Fig. 5),
 * Enqueue and Dequeue as printed: one step of the sweep for each arrival.
 */
#ifndef OPTSAMPLE_POLICY_OPTSAMPLE_H
#define OPTSAMPLE_POLICY_OPTSAMPLE_H

#include <optsample/sampler_sweep.h>

static inline bool
__optsample_optsample_arrive(struct optsample_sampler *s,
			     struct optsample_node **evicted)
{
	struct optsample_sweep *w = __optsample_sweep(s);

	if (w->dis > 1 && __optsample_low(s))
		__optsample_sweep_halve(s);
	w->cur++;
	if (w->cur != w->dis)
		return false;
	if (s->len >= s->cap)
		*evicted = __optsample_sweep_evict(s);
	w->cur = 0;
	return true;
}

static const struct optsample_policy_ops optsample_policy_optsample = {
	.arrive = __optsample_optsample_arrive,
	.evict = __optsample_sweep_evict,
	.low = __optsample_low,
	.remove = __optsample_sweep_remove,
	.depart = __optsample_sweep_depart,
	.reset = __optsample_sweep_reset,
	.add = __optsample_sweep_add,
	.distance = __optsample_sweep_distance,
};

#endif
