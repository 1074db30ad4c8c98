// SPDX-License-Identifier: GPL-2.0-only
/*
 * Divide the rate, plan each topic, pass on the rest.
 */
#include <math.h>
#include "policy.h"

/* Can the topic use any rate? */
static bool policy_is_smooth(const struct policy_topic *t)
{
	return t->source.kind == PLAN_IMAGE || t->source.kind == PLAN_MAP;
}

static void policy_plan(struct policy_topic *t, double loss)
{
	plan_update(&t->plan, &t->source, t->share.on ? t->share.rate : 0,
		    loss);
}

/* Sum of weights of the topics that can use more rate */
static double policy_weights(const struct policy_topic *topics,
			     unsigned int count)
{
	double weights = 0;

	for (unsigned int i = 0; i < count; i++) {
		const struct allocation_topic *s = &topics[i].share;

		if (s->on && policy_is_smooth(&topics[i]) &&
		    s->rate < s->demand)
			weights += allocation_weight(s);
	}
	return weights;
}

static void policy_hand_on(struct policy_topic *topics, unsigned int count,
			   double left)
{
	double weights = policy_weights(topics, count);

	for (unsigned int i = 0; i < count && weights > 0; i++) {
		struct allocation_topic *s = &topics[i].share;
		double more = left * allocation_weight(s) / weights;

		if (s->on && policy_is_smooth(&topics[i]) &&
		    s->rate < s->demand)
			s->rate = fmin(s->rate + more, s->demand);
	}
}

double policy_demand(const struct policy_topic *topics, unsigned int count,
		     double loss)
{
	double sum = 0;

	for (unsigned int i = 0; i < count; i++) {
		double floor, demand;

		plan_needs(&topics[i].source, loss, &floor, &demand);
		sum += demand;
	}
	return sum;
}

/* Rate at which all images are small and none is sent less often, bytes/s */
static double policy_modest(const struct policy_topic *topics,
			    unsigned int count, double loss)
{
	double sum = 0;

	for (unsigned int i = 0; i < count; i++)
		sum += plan_modest(&topics[i].source, loss);
	return sum;
}

/*
 * Each image gets its part of the limit, but at least its modest rate. If the
 * limit is below the sum of these, the processor is too slow: reduce them all.
 */
static void policy_limit(struct policy_topic *topics, unsigned int count,
			 double limit, double loss)
{
	double images = 0, others = 0, part, all;

	for (unsigned int i = 0; i < count; i++) {
		if (topics[i].source.kind == PLAN_IMAGE)
			images += topics[i].share.demand;
		else
			others += topics[i].share.demand;
	}
	if (images + others <= limit || images <= 0)
		return;
	part = fmax(limit - others, 0) / images;
	all = policy_modest(topics, count, loss);
	for (unsigned int i = 0; i < count; i++) {
		struct allocation_topic *s = &topics[i].share;
		double modest = plan_modest(&topics[i].source, loss);

		modest *= fmin(limit / all, 1);
		if (topics[i].source.kind == PLAN_IMAGE)
			s->demand = fmin(s->demand,
					 fmax(part * s->demand, modest));
	}
}

double policy_apply(struct policy_topic *topics, unsigned int count,
		    double rate, double limit, double loss)
{
	struct allocation_topic shares[ALLOCATION_TOPICS];
	double demand = 0, left = 0;

	for (; count > ALLOCATION_TOPICS; count--)
		plan_update(&topics[count - 1].plan,
			    &topics[count - 1].source, 0, loss);
	for (unsigned int i = 0; i < count; i++)
		plan_needs(&topics[i].source, loss, &topics[i].share.floor,
			   &topics[i].share.demand);
	policy_limit(topics, count, limit, loss);
	for (unsigned int i = 0; i < count; i++) {
		demand += topics[i].share.demand;
		shares[i] = topics[i].share;
	}
	allocation_divide(shares, count, rate);
	for (unsigned int i = 0; i < count; i++) {
		struct policy_topic *t = &topics[i];

		t->share = shares[i];
		if (policy_is_smooth(t))
			continue;
		policy_plan(t, loss);
		left += fmax(t->share.rate - plan_rate(&t->plan), 0);
	}
	policy_hand_on(topics, count, left);
	for (unsigned int i = 0; i < count; i++)
		if (policy_is_smooth(&topics[i]))
			policy_plan(&topics[i], loss);
	return demand;
}
