/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rules: options of the user for topics of a name or pattern. They are in the
 * classifier's map `topics` (bpf/ros_tag.h), and so live as long as it.
 */
#ifndef TOPICS_RULES_H
#define TOPICS_RULES_H

#include <optsample/sampler.h>
#include "base/queue_profile.h"
#include "bpf/ros_tag.h"
#include "topics/topics.h"

/* struct ros_rule.policy: that of the qdisc */
#define RULE_POLICY_QDISC	OPTSAMPLE_POLICY_MAX

enum {
	RULE_COMMANDS		= 63,	/* profile of commands without a rule */
	RULE_COMMANDS_AGE_MS	= 250,
	RULE_COMMANDS_PRIORITY	= 7,
	RULE_PROFILES		= RULE_COMMANDS - 1, /* for the user's rules */
};

struct rule {
	char		pattern[ROS_PATTERN];
	struct ros_rule	r;
};

/* Sorted by order, owned */
struct rule_list {
	struct rule	*v;
	size_t		n;
};

/* What commands follow without a rule of the user */
extern const struct rule rules_commands;

/* @map: the map `topics`. The old contents of @l are freed. */
void rules_load(int map, struct rule_list *l);
void rules_free(struct rule_list *l);
/* Return: the rule for @t, or NULL */
const struct rule *rules_match(const struct rule_list *l,
			       const struct topic *t);
/* Does it keep the last message only? */
bool rules_is_newest(const struct ros_rule *r);
/*
 * How is @t treated? @t->why_not and @t->newest are set. Return: the rule that
 * its writer follows, NULL: the options of the qdisc, or @t->why_not is set
 */
const struct rule *rules_apply(const struct rule_list *l,
			       const struct topic_rules *defaults,
			       struct topic *t);
/* The qdisc's part of a rule; @r->profile is not 0 */
struct queue_profile rules_profile(const struct ros_rule *r);
const char *rules_by_name(uint32_t by);

#endif
