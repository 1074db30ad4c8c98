// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample topic DEV [PATTERN...] - how to treat some topics
 *
 * A rule goes into the classifier's map, the qdisc's part of it into a profile
 * of the qdisc, and the daemon is told to look at its topics again. Topics of
 * one command share a profile, and so one sampler with --sync.
 */
#include <argp.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/pkt_sch_optsample.h>
#include <optsample/sampler.h>
#include <optsample/units.h>
#include "rules.h"
#include "state.h"

enum {
	OPT_NEVER = 256, OPT_FORGET, OPT_LIMIT, OPT_POLICY, OPT_PRIORITY,
	OPT_BY, OPT_SYNC,
};

static const struct argp_option topic_options[] = {
	{ "never", OPT_NEVER, NULL, 0, "do not sample", 1 },
	{ "forget", OPT_FORGET, NULL, 0, "remove the rule of this pattern", 1 },
	{ "limit", OPT_LIMIT, "N", 0,
	  "messages kept per flow; with --sync: sets", 2 },
	{ "policy", OPT_POLICY, "NAME", 0,
	  "as for up (default: that of the qdisc; gap with --by)", 2 },
	{ "priority", OPT_PRIORITY, "N", 0,
	  "0..7: larger leaves first after an outage (0)", 2 },
	{ "by", OPT_BY, "WHAT", 0,
	  "spread samples evenly over number, source (DDS time stamp), header "
	  "(stamp) or distance (number)", 2 },
	{ "sync", OPT_SYNC, "TIME", 0,
	  "keep the same stamps in these topics; TIME: maximum difference, "
	  "with unit", 2 },
	{ 0 }
};

struct cmd_topic {
	const char	*dev;
	char		own[IFNAMSIZ];
	char		**patterns;
	int		n;
	bool		never;
	bool		forget;
	bool		has_policy;
	bool		has_by;
	bool		any;
	struct ros_rule	r;
	struct state	st;
	int		map;
	struct rule_list rules;
};

static int topic_parse_by(const char *arg, struct ros_rule *r)
{
	for (uint32_t i = 0; i < ROS_BY_MAX; i++)
		if (!strcmp(arg, rules_by_name(i))) {
			r->by = i;
			return 0;
		}
	return cli_error(-EINVAL, "by must be number, source, header or distance");
}

static int topic_parse_sync(const char *arg, struct ros_rule *r)
{
	double ms;

	if (arg[strspn(arg, "0123456789.")] == '\0' && strcmp(arg, "0"))
		return cli_error(-EINVAL, "sync needs a unit, as 5ms");
	if (parse_scaled(arg, time_units, &ms) || ms > 60000)
		return cli_error(-EINVAL, "sync must be 0..60s");
	r->sync = 1;
	r->slop_ns = (uint64_t)(ms * 1000 + 0.5) * 1000;
	return 0;
}

static int topic_parse_value(int key, const char *arg, struct cmd_topic *t)
{
	switch (key) {
	case OPT_LIMIT:
		return parse_u32(arg, 1, 65535, &t->r.limit) ?
		       cli_error(-EINVAL, "limit must be 1..65535") : 0;
	case OPT_POLICY:
		t->has_policy = true;
		return parse_policy(arg, &t->r.policy) ?
		       cli_error(-EINVAL, "unknown policy \"%s\"", arg) : 0;
	case OPT_PRIORITY:
		return parse_u32(arg, 0, 7, &t->r.priority) ?
		       cli_error(-EINVAL, "priority must be 0..7") : 0;
	case OPT_BY:
		t->has_by = true;
		return topic_parse_by(arg, &t->r);
	default:
		return topic_parse_sync(arg, &t->r);
	}
}

static int topic_parse_arg(char *arg, struct cmd_topic *t)
{
	if (!t->dev) {
		t->dev = arg;
		return 0;
	}
	if (!*arg || strlen(arg) >= ROS_PATTERN)
		return cli_error(-EINVAL, "a pattern has 1..%d characters",
				 ROS_PATTERN - 1);
	t->patterns = realloc(t->patterns, (t->n + 1) * sizeof(*t->patterns));
	if (!t->patterns)
		abort();
	t->patterns[t->n++] = arg;
	return 0;
}

/* Refuse options that conflict */
static int topic_check(struct cmd_topic *t)
{
	struct ros_rule *r = &t->r;

	if (!t->dev)
		return cli_usage("topic", "missing argument DEV");
	if (!t->n && (t->any || t->never || t->forget))
		return cli_usage("topic", "missing argument TOPIC");
	if (t->never + t->forget + t->any > 1)
		return cli_error(-EINVAL, "never, forget and options of a sample exclude each other");
	if (t->never || t->forget)
		return 0;
	if (r->sync && !t->has_by)
		r->by = ROS_BY_HEADER;
	if (r->sync && r->by != ROS_BY_HEADER && r->by != ROS_BY_SOURCE)
		return cli_error(-EINVAL, "sync needs stamps: by header or source");
	/* The other policies ignore positions. */
	if (!t->has_policy)
		r->policy = r->by != ROS_BY_NUMBER && !r->sync ?
			    OPTSAMPLE_POLICY_GAP : RULE_POLICY_QDISC;
	else if (r->by != ROS_BY_NUMBER && !r->sync &&
		 r->policy != OPTSAMPLE_POLICY_GAP)
		return cli_error(-EINVAL, "policy %s counts messages: by %s needs gap",
				 optsample_policy_name(r->policy),
				 rules_by_name(r->by));
	return 0;
}

static error_t topic_parse(int key, char *arg, struct argp_state *state)
{
	struct cmd_topic *t = state->input;

	switch (key) {
	case OPT_NEVER:
		t->never = true;
		return 0;
	case OPT_FORGET:
		t->forget = true;
		return 0;
	case ARGP_KEY_ARG:
		return topic_parse_arg(arg, t);
	case ARGP_KEY_END:
		return topic_check(t);
	case OPT_LIMIT:
	case OPT_POLICY:
	case OPT_PRIORITY:
	case OPT_BY:
	case OPT_SYNC:
		t->any = true;
		return topic_parse_value(key, arg, t);
	}
	return ARGP_ERR_UNKNOWN;
}

static void topic_list_rules(const struct rule_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct ros_rule *r = &l->v[i].r;

		printf("%s", l->v[i].pattern);
		if (r->never) {
			printf(" never\n");
			continue;
		}
		if (r->policy != RULE_POLICY_QDISC)
			printf(" policy %s", optsample_policy_name(r->policy));
		if (r->limit)
			printf(" limit %u", r->limit);
		if (r->priority)
			printf(" priority %u", r->priority);
		if (r->by != ROS_BY_NUMBER)
			printf(" by %s", rules_by_name(r->by));
		if (r->sync)
			printf(" sync %gms", r->slop_ns / 1e6);
		printf(" (profile %u)\n", r->profile);
	}
}

/* One bit for each profile that a rule uses */
static uint64_t topic_profiles(const struct rule_list *l)
{
	uint64_t used = 0;

	for (size_t i = 0; i < l->n; i++)
		if (!l->v[i].r.never)
			used |= 1ULL << l->v[i].r.profile;
	return used;
}

static struct ros_rule *topic_rule(const struct rule_list *l,
				   const char *pattern)
{
	for (size_t i = 0; i < l->n; i++)
		if (!strcmp(l->v[i].pattern, pattern))
			return &l->v[i].r;
	return NULL;
}

static bool topic_is_given(const struct cmd_topic *t, const char *pattern)
{
	for (int i = 0; i < t->n; i++)
		if (!strcmp(t->patterns[i], pattern))
			return true;
	return false;
}

/*
 * The profile of the first pattern, if no other topic uses it and the new
 * options include all of the old ones: then existing flows change at once and
 * keep their messages.
 * Return: 0 if there is no such profile
 */
static uint32_t topic_old_profile(const struct cmd_topic *t)
{
	const struct ros_rule *old = topic_rule(&t->rules, t->patterns[0]);

	if (!old || old->never ||
	    rules_profile(old).fields & ~rules_profile(&t->r).fields)
		return 0;
	for (size_t i = 0; i < t->rules.n; i++)
		if (t->rules.v[i].r.profile == old->profile &&
		    !topic_is_given(t, t->rules.v[i].pattern))
			return 0;
	return old->profile;
}

/*
 * A number that was not used recently: packets with an old one may still be
 * queued. Return: 0 if all are used
 */
static uint8_t topic_new_profile(const struct rule_list *l, uint64_t used)
{
	uint32_t id = l->n ? l->v[l->n - 1].r.profile : 0;

	for (int i = 1; i < TC_OPTSAMPLE_PROFILES; i++) {
		id = id % (TC_OPTSAMPLE_PROFILES - 1) + 1;
		if (!(used >> id & 1))
			return id;
	}
	return 0;
}

/* The qdisc first: a flow must not meet an unknown profile. */
static int topic_set_profile(struct cmd_topic *t, uint64_t used)
{
	uint32_t old = topic_old_profile(t);
	struct stack_profile p;

	t->r.profile = old ?: topic_new_profile(&t->rules, used);
	if (!t->r.profile)
		return cli_error(-ENOSPC, "too many rules: %d profiles are in use",
				 TC_OPTSAMPLE_PROFILES - 1);
	p = rules_profile(&t->r);
	/* Remove options of an earlier user of this number. */
	if (!old)
		p.fields |= 1U << TCA_OPTSAMPLE_PROFILE_NONE;
	return stack_profile(t->st.stack.queue, &p);
}

/* A pattern as a key of the map */
static void topic_key(char *key, const char *pattern)
{
	memset(key, 0, ROS_PATTERN);
	strcpy(key, pattern);
}

static int topic_set(struct cmd_topic *t, uint64_t used)
{
	char key[ROS_PATTERN];
	size_t n = t->rules.n;
	int err;

	for (int i = 0; i < t->n; i++)
		n += !topic_rule(&t->rules, t->patterns[i]);
	if (n > ROS_RULES_MAX)
		return cli_error(-ENOSPC, "too many rules: at most %d",
				 ROS_RULES_MAX);
	t->r.never = t->never;
	t->r.order = t->rules.n ? t->rules.v[t->rules.n - 1].r.order + 1 : 1;
	if (!t->never) {
		err = topic_set_profile(t, used);
		if (err)
			return err;
	}
	for (int i = 0; i < t->n; i++) {
		topic_key(key, t->patterns[i]);
		if (bpf_map_update_elem(t->map, key, &t->r, BPF_ANY))
			return cli_error(-errno, "cannot write the rule for %s: %s",
					 key, strerror(errno));
	}
	return 0;
}

static int topic_forget(struct cmd_topic *t)
{
	char key[ROS_PATTERN];

	for (int i = 0; i < t->n; i++)
		if (!topic_rule(&t->rules, t->patterns[i]))
			return cli_error(-ENOENT, "no rule for %s",
					 t->patterns[i]);
	for (int i = 0; i < t->n; i++) {
		topic_key(key, t->patterns[i]);
		bpf_map_delete_elem(t->map, key);
	}
	return 0;
}

static int topic_change(struct cmd_topic *t)
{
	struct stack_profile none = {
		.fields = 1U << TCA_OPTSAMPLE_PROFILE_NONE,
	};
	uint64_t before = topic_profiles(&t->rules), left;
	int err, pid;

	err = t->forget ? topic_forget(t) : topic_set(t, before);
	rules_load(t->map, &t->rules);
	pid = state_pid_of(t->dev);
	if (pid > 0)
		kill(pid, SIGHUP);
	left = before & ~topic_profiles(&t->rules);
	for (; left && !err; left &= left - 1) {
		none.id = __builtin_ctzll(left);
		err = stack_profile(t->st.stack.queue, &none);
	}
	if (!err && pid <= 0)
		cli_warn("discovery is not running: writers are updated when "
			 "it runs");
	if (!err && t->r.by == ROS_BY_DISTANCE && !t->st.odometry)
		cli_warn("no odometry: give 'up' --odometry, or feed the map odometer");
	return err;
}

static int topic_run(struct cmd_topic *t)
{
	char pins[CTL_PATH];
	int lock, err = 0;

	if (geteuid())
		return cli_error(-EPERM, "must be run as root");
	lock = state_lock(true);
	if (lock < 0)
		return -EBUSY;
	t->dev = state_name(t->dev, t->own);
	if (state_load(t->dev, &t->st))
		snprintf(t->st.stack.queue, IFNAMSIZ, "%.15s", t->dev);
	classifier_pins(t->dev, pins);
	t->map = classifier_map(pins, "topics");
	if (t->map < 0)
		return cli_error(t->map, "%s is not up", t->dev);
	rules_load(t->map, &t->rules);
	if (t->n)
		err = topic_change(t);
	else
		topic_list_rules(&t->rules);
	close(t->map);
	close(lock);
	return err;
}

int cmd_topic(int argc, char **argv)
{
	static const struct argp argp = {
		topic_options, topic_parse, "DEV [PATTERN...]",
		"Set how topics that match PATTERN are sampled, whatever their "
		"type. Without PATTERN, list the rules. The last rule that "
		"matches applies.", NULL, NULL, NULL
	};
	struct cmd_topic t = { 0 };
	int err;

	if (cli_parse(&argp, argc, argv, &t))
		return -EINVAL;
	err = topic_run(&t);
	rules_free(&t.rules);
	state_free(&t.st);
	free(t.patterns);
	return err;
}
