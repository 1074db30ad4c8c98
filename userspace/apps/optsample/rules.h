/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules: what the user wants for topics of a name or pattern. They are in the
 * map `topics` of the classifier (bpf/ros_tag.h), and so live as long as it.
 */
#ifndef OPTSAMPLE_CTL_RULES_H
#define OPTSAMPLE_CTL_RULES_H

#include <optsample/sampler.h>
#include "classifier.h"
#include "stack.h"
#include "topics.h"

/* struct ros_rule.policy: as the qdisc */
#define RULE_POLICY_QDISC	OPTSAMPLE_POLICY_MAX

struct rule {
	char		pattern[ROS_PATTERN];
	struct ros_rule	r;
};

/* Sorted by order, owned */
struct rule_list {
	struct rule	*v;
	size_t		n;
};

/* @map: the map `topics`. What was in @l is freed. */
void rules_load(int map, struct rule_list *l);
void rules_free(struct rule_list *l);
/* Return: the rule for @t, or NULL */
const struct rule *rules_match(const struct rule_list *l,
			       const struct topic *t);
/* What the qdisc must know of a rule; @r->profile is not 0 */
struct stack_profile rules_profile(const struct ros_rule *r);
const char *rules_by_name(uint32_t by);

#endif
