/* SPDX-License-Identifier: GPL-2.0 */
/*
 * policy_2sample.h - drop every second message at once when full. The simple
 * predecessor of policy_optsample.h.
 */
#ifndef OPTSAMPLE_POLICY_2SAMPLE_H
#define OPTSAMPLE_POLICY_2SAMPLE_H

#include <optsample/sampler_sweep.h>

/* R/2, because a queue that was just thinned is half full */
static inline bool __optsample_2sample_low(const struct optsample_sampler *s)
{
	return __optsample_low_at(s, 2);
}

/*
 * Do the whole sweep at once. If the tail is dropped, the distance to the last
 * message kept grows by the distance of the tail to its neighbour.
 */
static inline struct optsample_node *
__optsample_2sample_thin(struct optsample_sampler *s)
{
	struct optsample_sweep *w = __optsample_sweep(s);
	struct optsample_node *first = NULL, *last = NULL, *n;
	u32 dis;

	if (!__optsample_sweep_next(s))
		__optsample_sweep_double(s);
	dis = w->dis;
	while ((n = __optsample_sweep_next(s))) {
		if (n == s->tail)
			w->cur += dis;
		__optsample_sweep_step(s, n);
		if (last)
			last->next = n;
		else
			first = n;
		last = n;
	}
	__optsample_sweep_double(s);
	return first;
}

static inline bool
__optsample_2sample_arrive(struct optsample_sampler *s,
			   struct optsample_node **evicted)
{
	struct optsample_sweep *w = __optsample_sweep(s);

	if (w->dis > 1 && __optsample_2sample_low(s))
		__optsample_sweep_halve(s);
	w->cur++;
	if (s->len >= s->cap)
		*evicted = __optsample_2sample_thin(s);
	if (w->cur < w->dis)
		return false;
	w->cur = 0;
	return true;
}

static const struct optsample_policy_ops optsample_policy_2sample = {
	.arrive = __optsample_2sample_arrive,
	.evict = __optsample_sweep_evict,
	.low = __optsample_2sample_low,
	.remove = __optsample_sweep_remove,
	.depart = __optsample_sweep_depart,
	.reset = __optsample_sweep_reset,
	.add = __optsample_sweep_add,
	.distance = __optsample_sweep_distance,
};

#endif
