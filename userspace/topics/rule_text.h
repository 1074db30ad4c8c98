/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A rule as text: the options of `optsample topic`, and the keys of
 * topics.conf, which have the same names.
 */
#ifndef TOPICS_RULE_TEXT_H
#define TOPICS_RULE_TEXT_H

#include <stdio.h>
#include "base/error.h"
#include "topics/rules.h"

/**
 * struct rule_text - a rule while it is read
 * @r:		the rule; RULE_TEXT_EMPTY at first
 * @has_policy:	a policy was given; likewise the others
 */
struct rule_text {
	struct ros_rule	r;
	bool		has_limit;
	bool		has_policy;
	bool		has_by;
	bool		newest;
	bool		any;
};

/**
 * rule_text_set() - take one key
 * @t:		the rule
 * @key:	never, newest, limit, policy, priority, by, sync, age
 * @value:	its value; never and newest: yes, no or NULL, which is yes
 * @error:	gets one line
 *
 * Return: 0; -EINVAL: the value is wrong; -ENOENT: there is no such key
 */
int rule_text_set(struct rule_text *t, const char *key, const char *value,
		  struct error *error);

/* All keys are there: fill in the rest of @t->r. Return: 0, -EINVAL */
int rule_text_end(struct rule_text *t, struct error *error);

/* The rule as keys and values. @format: of a key and its value */
void rule_text_print(FILE *f, const struct ros_rule *r, const char *format);

#endif
