// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules in the classifier's map, and matching of topics.
 */
#include <bpf/bpf.h>
#include <fnmatch.h>
#include <linux/pkt_sch_optsample.h>
#include <stdlib.h>
#include <string.h>
#include "rules.h"

static int rules_compare(const void *a, const void *b)
{
	const struct rule *x = a, *y = b;

	return x->r.order < y->r.order ? -1 : x->r.order > y->r.order;
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

struct stack_profile rules_profile(const struct ros_rule *r)
{
	struct stack_profile p = {
		.id = r->profile,
		.fields = 1U << TCA_OPTSAMPLE_PROFILE_PRIORITY,
		.policy = r->policy,
		.priority = r->priority,
		.limit = r->limit,
		.slop_us = r->slop_ns / 1000,
	};

	if (r->policy != RULE_POLICY_QDISC)
		p.fields |= 1U << TCA_OPTSAMPLE_PROFILE_POLICY;
	if (r->limit)
		p.fields |= 1U << TCA_OPTSAMPLE_PROFILE_LIMIT;
	if (r->sync)
		p.fields |= 1U << TCA_OPTSAMPLE_PROFILE_SYNC;
	return p;
}

const char *rules_by_name(uint32_t by)
{
	static const char *const names[] = {
		"number", "source", "header", "distance",
	};

	return by < ROS_BY_MAX ? names[by] : NULL;
}
