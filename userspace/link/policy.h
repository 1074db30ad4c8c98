/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * policy.h - from a link estimate to the plan of each topic
 *
 * allocation.h divides the rate, plan.h chooses settings. The mode of a cloud
 * or a message rate is a step; the rate it does not use goes to topics that can
 * use any rate: images and maps. So the sent rate follows the allowed rate,
 * which is needed to learn whether the link can carry more.
 */
#ifndef LINK_POLICY_H
#define LINK_POLICY_H

#include "link/allocation.h"
#include "link/estimate.h"
#include "link/plan.h"

/**
 * struct policy_topic - a topic; the caller sets the noted fields, others are 0
 * @source:	set by the caller, from measurements
 * @share:	@priority and @focus set by the caller
 * @plan:	result
 */
struct policy_topic {
	struct plan_source	source;
	struct allocation_topic	share;
	struct plan		plan;
};

/**
 * policy_apply() - set the plans of all topics
 * @count: number of topics; those beyond ALLOCATION_TOPICS are switched off
 * @rate: bytes/s for all of them, struct estimate
 * @limit: bytes/s that may be encoded, struct load: images shrink first and
 *	are sent less often only when they are small
 * @loss: expected loss rate, 0..1
 *
 * Return: bytes/s that the topics could use, for estimate_demand().
 */
double policy_apply(struct policy_topic *topics, unsigned int count,
		    double rate, double limit, double loss);

/**
 * policy_demand() - bytes/s that the topics could use without any limit
 * @loss: expected loss rate, 0..1
 */
double policy_demand(const struct policy_topic *topics, unsigned int count,
		     double loss);

#endif
