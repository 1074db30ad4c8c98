// SPDX-License-Identifier: GPL-2.0-only
/*
 * A rule as text, see rule_text.h.
 */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <optsample/units.h>
#include "base/cli.h"
#include "base/error.h"
#include "base/settings.h"
#include "bpf/ros_tag.h"
#include "topics/rule_text.h"

enum { RULE_AGE_MAX_MS = 86400000, RULE_SYNC_MAX_MS = 60000 };

static int rule_set_never(struct rule_text *t, const char *value,
			  struct error *error)
{
	bool on;

	if (settings_flag(&on, value))
		return error_set(error, -EINVAL, "never must be yes or no");
	t->r.never = on;
	t->any = t->any && on;
	return 0;
}

static int rule_set_newest(struct rule_text *t, const char *value,
			   struct error *error)
{
	return settings_flag(&t->newest, value) ?
	       error_set(error, -EINVAL, "newest must be yes or no") : 0;
}

static int rule_set_limit(struct rule_text *t, const char *value,
			  struct error *error)
{
	t->has_limit = true;
	return parse_u32(value, 1, 65535, &t->r.limit) ?
	       error_set(error, -EINVAL, "limit must be 1..65535") : 0;
}

static int rule_set_policy(struct rule_text *t, const char *value,
			   struct error *error)
{
	t->has_policy = true;
	return parse_policy(value, &t->r.policy) ?
	       error_set(error, -EINVAL, "unknown policy \"%s\"", value) : 0;
}

static int rule_set_priority(struct rule_text *t, const char *value,
			     struct error *error)
{
	return parse_u32(value, 0, 7, &t->r.priority) ?
	       error_set(error, -EINVAL, "priority must be 0..7") : 0;
}

static int rule_set_by(struct rule_text *t, const char *value,
		       struct error *error)
{
	t->has_by = true;
	for (uint32_t i = 0; i < ROS_BY_MAX; i++)
		if (!strcmp(value, rules_by_name(i))) {
			t->r.by = i;
			return 0;
		}
	return error_set(error, -EINVAL, "by must be number, source, header or distance");
}

static bool rule_lacks_unit(const char *value)
{
	return value[strspn(value, "0123456789.")] == '\0' &&
	       strcmp(value, "0");
}

static int rule_set_sync(struct rule_text *t, const char *value,
			 struct error *error)
{
	double ms;

	if (rule_lacks_unit(value))
		return error_set(error, -EINVAL, "sync needs a unit, as 5ms");
	if (parse_scaled(value, time_units, &ms) || ms > RULE_SYNC_MAX_MS)
		return error_set(error, -EINVAL, "sync must be 0..60s");
	t->r.sync = 1;
	t->r.slop_ns = (uint64_t)(ms * 1000 + 0.5) * 1000;
	return 0;
}

static int rule_set_age(struct rule_text *t, const char *value,
			struct error *error)
{
	if (rule_lacks_unit(value))
		return error_set(error, -EINVAL, "age needs a unit, as 250ms");
	return parse_time_ms(value, 0, RULE_AGE_MAX_MS, &t->r.age_ms) ?
	       error_set(error, -EINVAL, "age must be 0..24h in whole milliseconds") : 0;
}

static const struct {
	const char	*key;
	int		(*set)(struct rule_text *t, const char *value,
			       struct error *error);
	bool		alone;	/* it may have no value */
} rule_keys[] = {
	{ "never", rule_set_never, true },
	{ "newest", rule_set_newest, true },
	{ "limit", rule_set_limit, false },
	{ "policy", rule_set_policy, false },
	{ "priority", rule_set_priority, false },
	{ "by", rule_set_by, false },
	{ "sync", rule_set_sync, false },
	{ "age", rule_set_age, false },
};

int rule_text_set(struct rule_text *t, const char *key, const char *value,
		  struct error *error)
{
	for (size_t i = 0; i < sizeof(rule_keys) / sizeof(*rule_keys); i++) {
		if (strcmp(key, rule_keys[i].key))
			continue;
		if (!value && !rule_keys[i].alone)
			return error_set(error, -EINVAL, "%s needs a value", key);
		if (strcmp(key, "never"))
			t->any = true;
		return rule_keys[i].set(t, value, error);
	}
	return error_set(error, -ENOENT, "no key \"%s\"", key);
}

/* --newest is a sample of one, the last */
static int rule_check_newest(struct rule_text *t, struct error *error)
{
	if (t->has_limit || t->has_policy || t->has_by || t->r.sync)
		return error_set(error, -EINVAL, "newest excludes limit, policy, by and sync");
	t->r.limit = 1;
	t->r.policy = OPTSAMPLE_POLICY_DROP_OLDEST;
	return 0;
}

int rule_text_end(struct rule_text *t, struct error *error)
{
	struct ros_rule *r = &t->r;

	if (r->never) {
		if (t->any)
			return error_set(error, -EINVAL, "never and options of a sample exclude each other");
		*r = (struct ros_rule){ .never = 1 };
		return 0;
	}
	assert(r->by < ROS_BY_MAX && r->priority <= 7);
	if (t->newest)
		return rule_check_newest(t, error);
	if (r->sync && !t->has_by)
		r->by = ROS_BY_HEADER;
	if (r->sync && r->by != ROS_BY_HEADER && r->by != ROS_BY_SOURCE)
		return error_set(error, -EINVAL, "sync needs stamps: by header or source");
	if (r->sync && r->age_ms)
		return error_set(error, -EINVAL, "sync and age exclude each other");
	/* The other policies ignore positions. */
	if (!t->has_policy)
		r->policy = r->by != ROS_BY_NUMBER && !r->sync ?
			    OPTSAMPLE_POLICY_GAP : RULE_POLICY_QDISC;
	else if (r->by != ROS_BY_NUMBER && !r->sync &&
		 r->policy != OPTSAMPLE_POLICY_GAP)
		return error_set(error, -EINVAL, "policy %s counts messages: by %s needs gap",
				optsample_policy_name(r->policy),
				rules_by_name(r->by));
	return 0;
}

/* @format has two %s */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

__attribute__((format(printf, 4, 5)))
static void rule_print(FILE *f, const char *format, const char *key,
		       const char *value, ...)
{
	char text[64];
	va_list args;

	va_start(args, value);
	vsnprintf(text, sizeof(text), value, args);
	va_end(args);
	fprintf(f, format, key, text);
}

void rule_text_print(FILE *f, const struct ros_rule *r, const char *format)
{
	if (rules_is_newest(r)) {
		rule_print(f, format, "newest", "yes");
	} else {
		if (r->policy != RULE_POLICY_QDISC)
			rule_print(f, format, "policy", "%s",
				   optsample_policy_name(r->policy));
		if (r->limit)
			rule_print(f, format, "limit", "%u", r->limit);
	}
	if (r->priority)
		rule_print(f, format, "priority", "%u", r->priority);
	if (r->by != ROS_BY_NUMBER)
		rule_print(f, format, "by", "%s", rules_by_name(r->by));
	if (r->sync)
		rule_print(f, format, "sync", "%.9gms", r->slop_ns / 1e6);
	if (r->age_ms)
		rule_print(f, format, "age", "%ums", r->age_ms);
}
