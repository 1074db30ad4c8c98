/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Set rules: in the classifier's map, and their profiles in the qdisc.
 */
#ifndef TOPICS_RULES_SET_H
#define TOPICS_RULES_SET_H

#include "base/error.h"
#include "topics/rules.h"

/**
 * struct rules_set - where rules are set
 * @map:	the map `topics`
 * @rules:	all rules now, see rules_load()
 * @set_profile: set or delete a profile in the qdisc; returns 0 or a negative
 *		errno
 * @arg:	for @set_profile
 */
struct rules_set {
	int			map;
	struct rule_list	rules;
	int			(*set_profile)(void *arg,
					       const struct queue_profile *p,
					       struct error *error);
	void			*arg;
};

/**
 * rules_set_put() - one rule for some topics
 * @s:		with @rules; they are read again
 * @patterns:	topics and patterns, each shorter than ROS_PATTERN
 * @n:		number of them
 * @rule:	complete, but for its order and profile
 *
 * Topics of one call share a profile, and so one sampler with sync.
 *
 * Return: 0 or a negative errno.
 */
int rules_set_put(struct rules_set *s, char **patterns, int n,
		  const struct ros_rule *rule, struct error *error);

/* Remove the rules of @patterns, likewise; -ENOENT: one has none */
int rules_set_forget(struct rules_set *s, char **patterns, int n,
		     struct error *error);

#endif
