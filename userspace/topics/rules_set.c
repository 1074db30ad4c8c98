// SPDX-License-Identifier: GPL-2.0-only
/*
 * Set rules, see rules_set.h. A profile is set before the rule that names it: a
 * flow must not meet an unknown one. It is removed after its last rule.
 */
#include <assert.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <linux/pkt_sch_optsample.h>
#include "base/error.h"
#include "base/queue_profile.h"
#include "bpf/ros_tag.h"
#include "topics/rules_set.h"

/* One bit for each profile that a rule uses */
static uint64_t rules_profiles(const struct rule_list *l)
{
	uint64_t used = 0;

	for (size_t i = 0; i < l->n; i++)
		if (!l->v[i].r.never)
			used |= 1ULL << l->v[i].r.profile;
	return used;
}

static struct ros_rule *rules_find(const struct rule_list *l,
				   const char *pattern)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].pattern, pattern))
			return &l->v[i].r;
	return NULL;
}

static bool rules_is_given(char **patterns, int n, const char *pattern)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(patterns[i], pattern))
			return true;
	return false;
}

/*
 * The profile of the first pattern, if no other topic uses it and the new
 * options include all of the old ones: then existing flows change at once and
 * keep their messages.
 * Return: 0 if there is no such profile
 */
static uint32_t rules_old_profile(const struct rule_list *l, char **patterns,
				  int n, const struct ros_rule *r)
{
	const struct ros_rule *old = rules_find(l, patterns[0]);

	if (!old || old->never ||
	    rules_profile(old).fields & ~rules_profile(r).fields)
		return 0;
	for (size_t i = 0; i < l->n; i++)
		if (l->v[i].r.profile == old->profile &&
		    !rules_is_given(patterns, n, l->v[i].pattern))
			return 0;
	return old->profile;
}

/*
 * A number that was not used recently: packets with an old one may still be
 * queued. Return: 0 if all are used
 */
static uint8_t rules_new_profile(const struct rule_list *l)
{
	uint32_t id = l->n ? l->v[l->n - 1].r.profile : 0;
	uint64_t used = rules_profiles(l);

	for (int i = 1; i <= RULE_PROFILES; i++) {
		id = id % RULE_PROFILES + 1;
		if (!(used >> id & 1))
			return id;
	}
	return 0;
}

static int rules_set_profile(struct rules_set *s, char **patterns, int n,
			     struct ros_rule *r, struct error *error)
{
	uint32_t old = rules_old_profile(&s->rules, patterns, n, r);
	struct queue_profile p;

	r->profile = old ?: rules_new_profile(&s->rules);
	assert(r->profile <= RULE_PROFILES);
	if (!r->profile)
		return error_set(error, -ENOSPC, "too many rules: %d profiles are in use",
				 RULE_PROFILES);
	p = rules_profile(r);
	/* Remove options of an earlier user of this number. */
	if (!old)
		p.fields |= 1U << TCA_OPTSAMPLE_PROFILE_NONE;
	return s->set_profile(s->arg, &p, error);
}

/* A pattern as a key of the map */
static void rules_set_key(char *key, const char *pattern)
{
	assert(strlen(pattern) < ROS_PATTERN);
	memset(key, 0, ROS_PATTERN);
	strcpy(key, pattern);
}

static int rules_put_all(struct rules_set *s, char **patterns, int n,
			 struct ros_rule *r, struct error *error)
{
	char key[ROS_PATTERN];
	size_t all = s->rules.n;
	int err;

	assert(n > 0);
	for (int i = 0; i < n; i++)
		all += !rules_find(&s->rules, patterns[i]);
	if (all > ROS_RULES_MAX)
		return error_set(error, -ENOSPC, "too many rules: at most %d",
				 ROS_RULES_MAX);
	r->order = s->rules.n ? s->rules.v[s->rules.n - 1].r.order + 1 : 1;
	if (!r->never) {
		err = rules_set_profile(s, patterns, n, r, error);
		if (err)
			return err;
	}
	for (int i = 0; i < n; i++) {
		rules_set_key(key, patterns[i]);
		if (bpf_map_update_elem(s->map, key, r, BPF_ANY))
			return error_set(error, -errno, "cannot write the rule for %s: %s",
					 key, strerror(errno));
	}
	return 0;
}

/* Read the rules again; remove profiles of @before that none uses now */
static int rules_reload(struct rules_set *s, uint64_t before,
			struct error *error)
{
	struct queue_profile none = {
		.fields = 1U << TCA_OPTSAMPLE_PROFILE_NONE,
	};
	uint64_t left;
	int err = 0;

	rules_load(s->map, &s->rules);
	left = before & ~rules_profiles(&s->rules);
	for (; left && !err; left &= left - 1) {
		none.id = __builtin_ctzll(left);
		err = s->set_profile(s->arg, &none, error);
	}
	return err;
}

int rules_set_put(struct rules_set *s, char **patterns, int n,
		  const struct ros_rule *rule, struct error *error)
{
	uint64_t before = rules_profiles(&s->rules);
	struct ros_rule r = *rule;
	int err = rules_put_all(s, patterns, n, &r, error);

	return rules_reload(s, err ? 0 : before, error) ?: err;
}

int rules_set_forget(struct rules_set *s, char **patterns, int n,
		     struct error *error)
{
	uint64_t before = rules_profiles(&s->rules);
	char key[ROS_PATTERN];

	for (int i = 0; i < n; i++)
		if (!rules_find(&s->rules, patterns[i]))
			return error_set(error, -ENOENT, "no rule for %s",
					 patterns[i]);
	for (int i = 0; i < n; i++) {
		rules_set_key(key, patterns[i]);
		bpf_map_delete_elem(s->map, key);
	}
	return rules_reload(s, before, error);
}
