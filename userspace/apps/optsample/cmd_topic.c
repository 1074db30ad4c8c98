// SPDX-License-Identifier: GPL-2.0-only
/*
 * optsample topic DEV [PATTERN...] - how to treat some topics
 *
 * A rule goes into the classifier's map, the qdisc's part of it into a profile
 * of the qdisc, and the daemon applies it to its topics at SIGHUP. Topics of
 * one command share a profile, and so one sampler with --sync. --save writes
 * all rules to topics.conf, which `up` reads.
 */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "apps/optsample/callbacks.h"
#include "apps/optsample/commands.h"
#include "base/cli.h"
#include "base/error.h"
#include "bpf/ros_tag.h"
#include "netdev/classifier.h"
#include "netdev/state.h"
#include "topics/rule_text.h"
#include "topics/rules_file.h"
#include "topics/rules_set.h"

enum { OPT_FORGET = 256, OPT_SAVE, OPT_RULE };

static const struct argp_option topic_options[] = {
	{ "never", OPT_RULE, NULL, 0, "do not sample", 1 },
	{ "newest", OPT_RULE + 1, NULL, 0,
	  "keep the last message of each writer only", 1 },
	{ "forget", OPT_FORGET, NULL, 0, "remove the rule of this pattern", 1 },
	{ "save", OPT_SAVE, NULL, 0,
	  "write all rules to " RULES_FILE ", for the next 'up'", 1 },
	{ "limit", OPT_RULE + 2, "N", 0,
	  "messages kept per flow; with --sync: sets", 2 },
	{ "policy", OPT_RULE + 3, "NAME", 0,
	  "as for up (default: that of the qdisc; gap with --by)", 2 },
	{ "priority", OPT_RULE + 4, "N", 0,
	  "0..7: larger leaves first after an outage (0)", 2 },
	{ "by", OPT_RULE + 5, "WHAT", 0,
	  "spread samples evenly over number, source (DDS time stamp), header "
	  "(stamp) or distance (number)", 2 },
	{ "sync", OPT_RULE + 6, "TIME", 0,
	  "keep the same stamps in these topics; TIME: maximum difference, "
	  "with unit", 2 },
	{ "age", OPT_RULE + 7, "TIME", 0,
	  "drop messages that have waited for longer, with unit; 0: never (0)",
	  2 },
	{ 0 }
};

struct cmd_topic {
	const char	*dev;
	char		own[IFNAMSIZ];
	char		**patterns;
	int		n;
	bool		forget;
	bool		save;
	struct rule_text text;
	bool		given;		/* an option of a rule */
	struct state	st;
	struct rules_set set;
};

static int topic_parse_arg(char *arg, struct cmd_topic *t)
{
	if (!t->dev) {
		t->dev = arg;
		return 0;
	}
	if (!*arg || strlen(arg) >= ROS_PATTERN)
		return cli_error(-EINVAL, "a pattern has 1..%d characters",
				 ROS_PATTERN - 1);
	if (strpbrk(arg, " \t\r\n"))
		return cli_error(-EINVAL, "no topic matches a pattern with blanks: '%s'",
				 arg);
	t->patterns = realloc(t->patterns, (t->n + 1) * sizeof(*t->patterns));
	if (!t->patterns)
		abort();
	t->patterns[t->n++] = arg;
	return 0;
}

/* Refuse options that conflict */
static int topic_check(struct cmd_topic *t)
{
	struct error error;

	if (!t->dev)
		return cli_usage("topic", "missing argument DEV");
	if (!t->n && (t->given || t->forget))
		return cli_usage("topic", "missing argument TOPIC");
	if (t->forget && t->given)
		return cli_error(-EINVAL, "forget and options of a rule exclude each other");
	if (!t->forget && rule_text_end(&t->text, &error))
		return cli_error(-EINVAL, "%s", error.text);
	return 0;
}

static const char *topic_option_name(int key)
{
	for (const struct argp_option *o = topic_options; o->name; o++)
		if (o->key == key)
			return o->name;
	return NULL;
}

static int topic_parse_rule(int key, const char *arg, struct cmd_topic *t)
{
	const char *name = topic_option_name(key);
	struct error error;

	if (!name)
		return ARGP_ERR_UNKNOWN;
	t->given = true;
	return rule_text_set(&t->text, name, arg, &error) ?
	       cli_error(-EINVAL, "%s", error.text) : 0;
}

static error_t topic_parse(int key, char *arg, struct argp_state *state)
{
	struct cmd_topic *t = state->input;

	switch (key) {
	case OPT_FORGET:
		t->forget = true;
		return 0;
	case OPT_SAVE:
		t->save = true;
		return 0;
	case ARGP_KEY_ARG:
		return topic_parse_arg(arg, t);
	case ARGP_KEY_END:
		return topic_check(t);
	}
	return topic_parse_rule(key, arg, t);
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
		rule_text_print(stdout, r, " %s %s");
		printf(" (profile %u)\n", r->profile);
	}
}

static int topic_change(struct cmd_topic *t)
{
	const struct ros_rule *r = &t->text.r;
	struct error error;
	int pid, err;

	err = t->forget ?
	      rules_set_forget(&t->set, t->patterns, t->n, &error) :
	      rules_set_put(&t->set, t->patterns, t->n, r, &error);
	if (err)
		cli_error(0, "%s", error.text);
	pid = state_pid_of(t->dev);
	if (pid > 0)
		kill(pid, SIGHUP);
	if (!err && pid <= 0)
		cli_warn("discovery is not running: writers are updated when "
			 "it runs");
	if (!err && !t->forget && r->by == ROS_BY_DISTANCE && !t->st.odometry)
		cli_warn("no odometry: give 'up' --odometry, or feed the map odometer");
	return err;
}

static int topic_on_rules(struct cmd_topic *t)
{
	struct error error;
	int err = 0;

	rules_load(t->set.map, &t->set.rules);
	if (t->n)
		err = topic_change(t);
	else if (!t->save)
		topic_list_rules(&t->set.rules);
	if (err || !t->save)
		return err;
	err = rules_file_write(RULES_FILE, &t->set.rules, &error);
	return err ? cli_error(err, "%s", error.text) : 0;
}

static int topic_run(struct cmd_topic *t)
{
	char pins[CLASSIFIER_PATH];
	struct error error;
	int lock, err;

	if (geteuid())
		return cli_error(-EPERM, "must be run as root");
	lock = state_lock(true, &error);
	if (lock < 0)
		return cli_error(-EBUSY, "%s", error.text);
	t->dev = state_name(t->dev, t->own);
	if (state_load(t->dev, &t->st))
		snprintf(t->st.stack.queue, IFNAMSIZ, "%.15s", t->dev);
	classifier_pins(t->dev, pins);
	t->set.set_profile = callback_set_profile;
	t->set.arg = t->st.stack.queue;
	t->set.map = classifier_map(pins, "topics");
	if (t->set.map < 0)
		return cli_error(t->set.map, "%s is not up", t->dev);
	err = topic_on_rules(t);
	close(t->set.map);
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
	rules_free(&t.set.rules);
	state_free(&t.st);
	free(t.patterns);
	return err;
}
