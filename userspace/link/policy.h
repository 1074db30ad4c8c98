/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * policy.h - from an estimate to how every topic travels
 *
 * allocation.h divides, plan.h makes settings of it. A mode of a cloud or a rate of
 * messages is a step: what it leaves goes to what takes any amount, images
 * and maps. So what is sent follows the rate, without which nobody would learn
 * whether the link does more.
 */
#ifndef LINK_POLICY_H
#define LINK_POLICY_H

#include "link/allocation.h"
#include "link/estimate.h"
#include "link/plan.h"

/**
 * struct policy_topic - a topic; all zero but for what the caller sets
 * @source:	set by the caller, from what it measures
 * @share:	@priority and @focus set by the caller
 * @plan:	what to do
 */
struct policy_topic {
	struct plan_source	source;
	struct allocation_topic	share;
	struct plan		plan;
};

/**
 * policy_apply() - set the plans of all topics
 * @count: ALLOCATION_TOPICS at most; more are off
 * @rate: bytes/s for all of them, struct estimate
 * @limit: bytes/s that may be coded, struct load: images want less, and come
 *	less often only when they are small already
 * @loss: expected loss rate, 0..1
 *
 * Return: bytes/s that they could use, for estimate_demand().
 */
double policy_apply(struct policy_topic *topics, unsigned int count,
		    double rate, double limit, double loss);

/**
 * policy_demand() - bytes/s that they could use if nothing limited them
 * @loss: expected loss rate, 0..1
 */
double policy_demand(const struct policy_topic *topics, unsigned int count,
		     double loss);

#endif
