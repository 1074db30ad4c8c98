/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Set rules: in the classifier's map, and their profiles in the qdisc.
 */
#ifndef TOPICS_RULES_SET_H
#define TOPICS_RULES_SET_H

#include "topics/rules.h"

/**
 * struct rules_set - where rules are set
 * @map:	the map `topics`
 * @queue:	device with the qdisc
 * @rules:	all rules now, see rules_load()
 */
struct rules_set {
	int			map;
	const char		*queue;
	struct rule_list	rules;
};

/**
 * rules_set_put - one rule for some topics
 * @s:		with @rules; they are read again
 * @patterns:	topics and patterns, each shorter than ROS_PATTERN
 * @n:		number of them
 * @rule:	complete, but for its order and profile
 *
 * Topics of one call share a profile, and so one sampler with sync.
 *
 * Return: 0, or negative errno after one line on stderr
 */
int rules_set_put(struct rules_set *s, char **patterns, int n,
		  const struct ros_rule *rule);

/* Remove the rules of @patterns, likewise */
int rules_set_forget(struct rules_set *s, char **patterns, int n);

#endif
