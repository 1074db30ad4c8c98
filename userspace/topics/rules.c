// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules in the classifier's map, and matching of topics.
 */
#include <assert.h>
#include <bpf/bpf.h>
#include <fnmatch.h>
#include <linux/pkt_sch_optsample.h>
#include <stdlib.h>
#include <string.h>
#include "base/queue_profile.h"
#include "bpf/ros_tag.h"
#include "topics/rules.h"
#include "topics/topics.h"

static int rules_compare(const void *a, const void *b)
{
	const struct rule *x = a, *y = b;

	if (x->r.order != y->r.order)
		return x->r.order < y->r.order ? -1 : 1;
	/* of one command */
	return strcmp(x->pattern, y->pattern);
}

void rules_load(int map, struct rule_list *l)
{
	char key[ROS_PATTERN];
	void *prev = NULL;
	struct rule *v;

	rules_free(l);
	/* Bounded, as the map may change meanwhile. */
	while (l->n < ROS_RULES_MAX &&
	       !bpf_map_get_next_key(map, prev, key)) {
		v = realloc(l->v, (l->n + 1) * sizeof(*v));
		if (!v)
			abort();
		l->v = v;
		v += l->n;
		memcpy(v->pattern, key, sizeof(key));
		v->pattern[sizeof(key) - 1] = '\0';
		prev = key;
		l->n += !bpf_map_lookup_elem(map, key, &v->r);
	}
	assert(l->n <= ROS_RULES_MAX);
	if (l->n)
		qsort(l->v, l->n, sizeof(*l->v), rules_compare);
}

void rules_free(struct rule_list *l)
{
	free(l->v);
	l->v = NULL;
	l->n = 0;
}

const struct rule *rules_match(const struct rule_list *l,
			       const struct topic *t)
{
	char ros[TOPIC_NAME];

	topic_ros_name(t->name, ros);
	for (size_t i = l->n; i--; )
		if (!fnmatch(l->v[i].pattern, ros, 0) ||
		    !fnmatch(l->v[i].pattern, t->name, 0))
			return &l->v[i];
	return NULL;
}

const struct rule rules_commands = { "", {
	.profile = RULE_COMMANDS,
	.policy = OPTSAMPLE_POLICY_DROP_OLDEST,
	.limit = 1,
	.priority = RULE_COMMANDS_PRIORITY,
	.age_ms = RULE_COMMANDS_AGE_MS,
} };

bool rules_is_newest(const struct ros_rule *r)
{
	return r->policy == OPTSAMPLE_POLICY_DROP_OLDEST && r->limit == 1 &&
	       r->by == ROS_BY_NUMBER && !r->sync;
}

/*
 * Commands are never older than that, unless the user gave a time; they are
 * sampled only if the user named them.
 */
static const struct rule *rules_of_command(const struct rule *rule,
					   const struct topic *t)
{
	if (!rule)
		return t->why_not ? &rules_commands : NULL;
	return rules_is_newest(&rule->r) && !rule->r.age_ms ? &rules_commands :
							      rule;
}

const struct rule *rules_apply(const struct rule_list *l,
			       const struct topic_rules *defaults,
			       struct topic *t)
{
	const struct rule *rule = rules_match(l, t);
	const char *must_not = topic_must_not(t);

	t->why_not = rule ? must_not : topic_why_not(defaults, t);
	if (!t->why_not && rule && rule->r.never)
		t->why_not = "never, as 'optsample topic' said";
	else if (!must_not && topic_is_command(t))
		rule = rules_of_command(rule, t);
	if (rule == &rules_commands)
		t->why_not = NULL;
	if (t->why_not)
		rule = NULL;
	t->newest = rule && rules_is_newest(&rule->r);
	return rule;
}

struct queue_profile rules_profile(const struct ros_rule *r)
{
	struct queue_profile p = {
		.id = r->profile,
		.fields = 1U << TCA_OPTSAMPLE_PROFILE_PRIORITY,
		.policy = r->policy,
		.priority = r->priority,
		.limit = r->limit,
		.slop_us = r->slop_ns / 1000,
		.age_ms = r->age_ms,
	};

	if (r->policy != RULE_POLICY_QDISC)
		p.fields |= 1U << TCA_OPTSAMPLE_PROFILE_POLICY;
	if (r->limit)
		p.fields |= 1U << TCA_OPTSAMPLE_PROFILE_LIMIT;
	if (r->sync)
		p.fields |= 1U << TCA_OPTSAMPLE_PROFILE_SYNC;
	if (r->age_ms)
		p.fields |= 1U << TCA_OPTSAMPLE_PROFILE_AGE;
	return p;
}

const char *rules_by_name(uint32_t by)
{
	static const char *const names[] = {
		"number", "source", "header", "distance",
	};

	return by < ROS_BY_MAX ? names[by] : NULL;
}
