// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_topics_rules - rules as text, in topics.conf, and which topic follows
 * which
 */
#include <errno.h>
#include <linux/pkt_sch_optsample.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tap.h"
#include "topics/rules_file.h"

static struct error error;
static char path[64];

/*
 * Text
 */

/* A rule of "key=value key ..." Return: 0, or of what failed */
static int rule(const char *words, struct rule_text *t)
{
	char copy[256], *save, *word, *value;
	int err = 0;

	*t = (struct rule_text){ 0 };
	*error.text = '\0';
	snprintf(copy, sizeof(copy), "%s", words);
	for (word = strtok_r(copy, " ", &save); word && !err;
	     word = strtok_r(NULL, " ", &save)) {
		value = strchr(word, '=');
		if (value)
			*value++ = '\0';
		err = rule_text_set(t, word, value, &error);
	}
	return err ?: rule_text_end(t, &error);
}

static void test_keys(void)
{
	struct rule_text t;

	ok_eq(rule("limit=60", &t), 0, "a limit");
	ok_eq(t.r.limit, 60, "is taken");
	ok_eq(t.r.policy, RULE_POLICY_QDISC, "the policy is that of the qdisc");
	ok_eq(rule("policy=drop-oldest", &t), 0, "a policy");
	ok_eq(t.r.policy, OPTSAMPLE_POLICY_DROP_OLDEST, "is taken");
	ok_eq(rule("priority=7", &t), 0, "a priority");
	ok_eq(t.r.priority, 7, "is taken");
	ok_eq(rule("age=250ms", &t), 0, "an age");
	ok_eq(t.r.age_ms, 250, "in ms");
	ok_eq(rule("age=86400s", &t), 0, "the longest one");
	ok_eq(t.r.age_ms, 86400000, "of a day");
	ok_eq(rule("by=header", &t), 0, "by the header");
	ok_eq(t.r.by, ROS_BY_HEADER, "is taken");
	ok_eq(t.r.policy, OPTSAMPLE_POLICY_GAP, "with the policy gap");
	ok_eq(rule("by=number", &t), 0, "by number");
	ok_eq(t.r.policy, RULE_POLICY_QDISC, "as the qdisc");
	ok_eq(rule("by=distance policy=gap", &t), 0, "by distance");
	ok_eq(rule("sync=5ms", &t), 0, "in step");
	ok_eq(t.r.sync, 1, "with others");
	ok_eq(t.r.slop_ns, 5000000, "up to 5 ms");
	ok_eq(t.r.by, ROS_BY_HEADER, "by the header");
	ok_eq(t.r.policy, RULE_POLICY_QDISC, "the policy is that of the qdisc");
	ok_eq(rule("sync=0 by=source", &t), 0, "by the source");
	ok_eq(t.r.by, ROS_BY_SOURCE, "if so given");
	ok_eq(t.r.slop_ns, 0, "exactly");
	ok_eq(rule("sync=60s", &t), 0, "the longest one");
	ok_eq(t.r.slop_ns, 60000000000ULL, "of a minute");
}

static void test_never(void)
{
	struct rule_text t;

	ok_eq(rule("never", &t), 0, "never");
	ok_eq(t.r.never, 1, "is taken");
	ok_eq(rule("never=no limit=3", &t), 0, "not never");
	ok_eq(t.r.never, 0, "is an ordinary rule");
	ok_eq(rule("limit=3 never=no", &t), 0, "in any order");
	ok_eq(t.r.limit, 3, "with its limit");
	ok_eq(rule("newest", &t), 0, "the newest");
	ok_eq(t.r.limit, 1, "is a sample of one");
	ok_eq(t.r.policy, OPTSAMPLE_POLICY_DROP_OLDEST, "the last");
	ok(rules_is_newest(&t.r), "and is known as such");
	ok_eq(rule("newest priority=3 age=1s", &t), 0, "with a priority");
	ok_eq(t.r.priority, 3, "that is taken");
	ok_eq(rule("newest=no limit=4", &t), 0, "not the newest");
	ok_eq(t.r.limit, 4, "is an ordinary rule");
}

static void test_faults(void)
{
	static const struct {
		const char *words, *why;
		int err;
	} bad[] = {
		{ "limit=0", "limit must be 1..65535", -EINVAL },
		{ "limit=65536", "limit must be 1..65535", -EINVAL },
		{ "limit", "limit needs a value", -EINVAL },
		{ "policy=best", "unknown policy \"best\"", -EINVAL },
		{ "priority=8", "priority must be 0..7", -EINVAL },
		{ "by=colour", "by must be number, source, header or distance",
		  -EINVAL },
		{ "sync=5", "sync needs a unit, as 5ms", -EINVAL },
		{ "sync=61s", "sync must be 0..60s", -EINVAL },
		{ "sync=x", "sync must be 0..60s", -EINVAL },
		{ "age=250", "age needs a unit, as 250ms", -EINVAL },
		{ "age=86401s", "age must be 0..24h in whole milliseconds", -EINVAL },
		{ "never=7", "never must be yes or no", -EINVAL },
		{ "newest=7", "newest must be yes or no", -EINVAL },
		{ "colour=red", "no key \"colour\"", -ENOENT },
		{ "never limit=3", "never and options of a sample exclude each other",
		  -EINVAL },
		{ "newest limit=3", "newest excludes limit, policy, by and sync",
		  -EINVAL },
		{ "newest policy=gap", "newest excludes limit, policy, by and sync",
		  -EINVAL },
		{ "newest by=number", "newest excludes limit, policy, by and sync",
		  -EINVAL },
		{ "newest sync=5ms", "newest excludes limit, policy, by and sync",
		  -EINVAL },
		{ "sync=5ms by=number", "sync needs stamps: by header or source",
		  -EINVAL },
		{ "sync=5ms by=distance", "sync needs stamps: by header or source",
		  -EINVAL },
		{ "sync=5ms age=1s", "sync and age exclude each other", -EINVAL },
		{ "by=header policy=drop-oldest",
		  "policy drop-oldest counts messages: by header needs gap",
		  -EINVAL },
	};
	struct rule_text t;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		ok_eq(rule(bad[i].words, &t), bad[i].err, "%s", bad[i].words);
		ok_str(error.text, bad[i].why, "says why");
	}
}

/* What is printed is read as the same rule */
static void test_print(void)
{
	static const struct {
		const char *words, *text;
	} rules[] = {
		{ "limit=60 priority=3", "limit=60 priority=3 " },
		{ "newest age=250ms", "newest=yes age=250ms " },
		{ "by=distance", "policy=gap by=distance " },
		{ "sync=5ms", "by=header sync=5ms " },
		{ "sync=2500us by=source limit=4",
		  "limit=4 by=source sync=2.5ms " },
		{ "policy=drop-oldest limit=2", "policy=drop-oldest limit=2 " },
	};
	struct rule_text t, again;
	char *text = NULL;
	size_t size;
	FILE *f;

	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		ok_eq(rule(rules[i].words, &t), 0, "%s", rules[i].words);
		f = open_memstream(&text, &size);
		rule_text_print(f, &t.r, "%s=%s ");
		fclose(f);
		ok_str(text, rules[i].text, "is printed");
		ok_eq(rule(text, &again), 0, "and read");
		ok_mem(&again.r, &t.r, sizeof(t.r), "as the same rule");
		free(text);
	}
}

/*
 * The file
 */

static char seen[2048];

static int take(void *arg, const struct rules_section *s)
{
	char *at = seen + strlen(seen);

	for (int i = 0; i < s->n; i++)
		at += sprintf(at, "%s ", s->patterns[i]);
	sprintf(at, "limit %u%s\n", s->rule.limit, s->rule.never ? " never" : "");
	return *(int *)arg;
}

static void bad(void *arg, const char *why)
{
	(void)arg;
	sprintf(seen + strlen(seen), "%s\n", why);
}

static int read_file(const char *text, int answer)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
	*seen = '\0';
	return rules_file_read(path, take, &answer, bad);
}

static void test_file(void)
{
	ok_eq(read_file("# comment\n; another\n\n[topic /a /b*]\nlimit = 60\n"
			"  [topic /c[0-9]]  \n never\nlimit=\n", 0), 0, "a file");
	ok_str(seen, "/a /b* limit 60\n8: limit must be 1..65535\n",
	       "a section is a rule, a wrong one is left out");
	ok_eq(read_file("[topic /c[0-9]]\r\nnever = yes\r\n", 0), 0,
	      "of another system");
	ok_str(seen, "/c[0-9] limit 0 never\n", "with brackets in a pattern");
	ok_eq(read_file("[topic /last]\nlimit = 7", 0), 0, "without a newline");
	ok_str(seen, "/last limit 7\n", "at its end");
	ok_eq(read_file("", 0), 0, "an empty file");
	ok_str(seen, "", "has no rule");
	ok_eq(read_file("[topic /a]\n[topic /b]\nlimit=2\n", -EIO), -EIO,
	      "an error of the rule");
	ok_str(seen, "/a limit 0\n", "ends it");
	ok_eq(read_file("[topic /a]\nlimit = 3\n", -EIO), -EIO,
	      "also at the last one");
}

static void test_file_faults(void)
{
	static const struct {
		const char *text, *why;
	} files[] = {
		{ "limit = 3\n", "1: there is no [topic NAME...] before\n" },
		{ "[topic]\n", "1: a heading is [topic NAME...]\n" },
		{ "[]\n", "1: a heading is [topic NAME...]\n" },
		{ "[topics /a]\n", "1: a heading is [topic NAME...]\n" },
		{ "[topic /a\nlimit=3\n", "1: a heading ends with ]\n" },
		{ "[topic /a] x\n", "1: a heading ends with ]\n" },
		{ "[topic /a]\ncolour = red\nlimit = x\n",
		  "2: no key \"colour\"\n" },
		{ "[topic /a]\nnever\nlimit = 3\n\n",
		  "1: never and options of a sample exclude each other\n" },
		{ "[topic /a]\n\n[topic /b]\nsync = 5\n[topic /c]\nlimit = 2\n",
		  "/a limit 0\n4: sync needs a unit, as 5ms\n/c limit 2\n" },
	};
	char text[512], name[ROS_PATTERN + 1];

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		ok_eq(read_file(files[i].text, 0), 0, "file %zu", i);
		ok_str(seen, files[i].why, "says what is wrong, and where");
	}
	memset(name, 'x', sizeof(name));
	name[ROS_PATTERN] = '\0';
	snprintf(text, sizeof(text), "[topic /a %s]\n", name);
	read_file(text, 0);
	ok_str(seen, "1: a pattern has at most 127 characters\n", "too long");
	name[ROS_PATTERN - 1] = '\0';
	snprintf(text, sizeof(text), "[topic %s]\n", name);
	read_file(text, 0);
	ok(!strncmp(seen, name, ROS_PATTERN - 1), "the longest one is taken");
	unlink(path);
	ok_eq(rules_file_read(path, take, NULL, bad), -ENOENT,
	      "a file that is missing");
}

static struct rule rule_of(const char *pattern, const char *words, int profile)
{
	struct rule r = { 0 };
	struct rule_text t;

	if (rule(words, &t))
		abort();
	r.r = t.r;
	r.r.profile = profile;
	snprintf(r.pattern, sizeof(r.pattern), "%s", pattern);
	return r;
}

static void test_write(const char *dir)
{
	struct rule v[] = {
		rule_of("/a", "limit=60", 1), rule_of("/n", "never", 0),
		rule_of("/b*", "limit=60", 1), rule_of("/m", "never", 0),
		rule_of("/c", "sync=5ms", 2),
	};
	const struct rule_list l = { v, 5 };
	char text[1024] = "", deep[128];
	FILE *f;

	snprintf(deep, sizeof(deep), "%s/etc/topics.conf", dir);
	ok_eq(rules_file_write(deep, &l, &error), 0, "write a file");
	f = fopen(deep, "r");
	ok(f, "its folder is made");
	ok(fread(text, 1, sizeof(text) - 1, f), "its folder is made");
	fclose(f);
	ok_str(strstr(text, "\n\n") + 1,
	       "\n[topic /a /b*]\nlimit = 60\n"
	       "\n[topic /n]\nnever = yes\n"
	       "\n[topic /m]\nnever = yes\n"
	       "\n[topic /c]\nby = header\nsync = 5ms\n",
	       "rules of one profile are one section");
	*seen = '\0';
	ok_eq(rules_file_read(deep, take, &(int){ 0 }, bad), 0, "read it");
	ok_str(seen, "/a /b* limit 60\n/n limit 0 never\n/m limit 0 never\n/c limit 0\n",
	       "it is the same");
	unlink(deep);
	*strrchr(deep, '/') = '\0';
	rmdir(deep);
	snprintf(deep, sizeof(deep), "%s/no/such/file", dir);
	ok(rules_file_write(deep, &l, &error) < 0, "a folder in no folder");
	ok(strstr(error.text, deep), "%s", error.text);
}

/*
 * Which topic follows which rule
 */

static struct topic topic(const char *name, const char *type)
{
	struct topic t = { .depth = 1 };

	snprintf(t.name, sizeof(t.name), "%s", name);
	snprintf(t.type, sizeof(t.type), "%s", type);
	return t;
}

static void test_match(void)
{
	struct rule v[] = {
		rule_of("/cam/*", "limit=60", 1), rule_of("/cam/a", "never", 0),
		rule_of("rt/dds", "limit=2", 2), rule_of("/cam/b", "limit=3", 3),
	};
	const struct rule_list l = { v, 4 }, none = { 0 };
	struct topic a = topic("rt/cam/a", "x"), b = topic("rt/cam/b", "x");
	struct topic dds = topic("rt/dds", "x"), other = topic("rt/o", "x");

	ok(rules_match(&l, &a) == &v[1], "the last rule that matches");
	ok(rules_match(&l, &b) == &v[3], "applies");
	ok(rules_match(&l, &dds) == &v[2], "also by the name of DDS");
	ok(!rules_match(&l, &other), "or none");
	ok(!rules_match(&none, &a), "without rules there is none");
}

#define IMAGE "sensor_msgs::msg::dds_::Image_"
#define TWIST "geometry_msgs::msg::dds_::Twist_"

static const struct topic_rules by_type;

static void test_apply(void)
{
	struct rule v[] = {
		rule_of("/s", "limit=60", 1), rule_of("/n", "never", 0),
		rule_of("/new", "newest", 2), rule_of("/tf_static", "limit=3", 3),
	};
	const struct rule_list l = { v, 4 };
	struct topic t = topic("rt/s", "std_msgs::msg::dds_::String_");

	ok(rules_apply(&l, &by_type, &t) == &v[0], "a rule for any type");
	ok_str(t.why_not, NULL, "has it sampled");
	ok(!t.newest, "not only the newest");
	t = topic("rt/n", IMAGE);
	ok(!rules_apply(&l, &by_type, &t), "a rule that says never");
	ok_str(t.why_not, "never, as 'optsample topic' said", "says so");
	t = topic("rt/new", "std_msgs::msg::dds_::String_");
	ok(rules_apply(&l, &by_type, &t) == &v[2], "a rule for the newest");
	ok(t.newest, "is known");
	t = topic("rt/tf_static", IMAGE);
	ok(!rules_apply(&l, &by_type, &t), "what must not be sampled");
	ok_str(t.why_not, "ROS needs every message", "is not, by any rule");
	t = topic("rt/i", IMAGE);
	ok(!rules_apply(&l, &by_type, &t), "without a rule the qdisc's options");
	ok_str(t.why_not, NULL, "apply to an image");
	t = topic("rt/o", "std_msgs::msg::dds_::String_");
	ok(!rules_apply(&l, &by_type, &t), "and nothing");
	ok_str(t.why_not, "type is not in the list", "to another topic");
}

static void test_commands(void)
{
	static const struct topic_rules named = { .topics = "/v" };
	struct rule v[] = {
		rule_of("/newest", "newest", 1), rule_of("/old", "newest age=1s", 2),
		rule_of("/all", "limit=9", 3), rule_of("/n", "never", 0),
	};
	const struct rule_list l = { v, 4 };
	struct topic t = topic("rt/v", TWIST);

	ok(rules_apply(&l, &by_type, &t) == &rules_commands,
	   "of commands the newest is kept");
	ok(t.newest, "only that");
	ok_str(t.why_not, NULL, "and sampled");
	ok(!rules_apply(&l, &named, &t), "unless the user named the topic");
	ok_str(t.why_not, NULL, "which is sampled");
	t = topic("rt/newest", TWIST);
	ok(rules_apply(&l, &by_type, &t) == &rules_commands,
	   "a rule for the newest is too old without an age");
	t = topic("rt/old", TWIST);
	ok(rules_apply(&l, &by_type, &t) == &v[1], "with one it applies");
	t = topic("rt/all", TWIST);
	ok(rules_apply(&l, &by_type, &t) == &v[2], "so does any other");
	t = topic("rt/n", TWIST);
	ok(!rules_apply(&l, &by_type, &t), "and never");
	ok(t.why_not, "which is not sampled");
	t = topic("rt/v", TWIST);
	t.durable = true;
	ok(!rules_apply(&l, &by_type, &t), "a latched command");
	ok(t.why_not, "is not sampled");
}

static void test_profile(void)
{
	const struct rule sync = rule_of("/a", "sync=5ms", 4);
	struct queue_profile p = rules_profile(&rules_commands.r);

	ok_eq(p.id, RULE_COMMANDS, "the profile of commands");
	ok_eq(p.limit, 1, "keeps one");
	ok_eq(p.priority, 7, "goes first");
	ok_eq(p.age_ms, 250, "for a quarter of a second");
	ok_eq(p.policy, OPTSAMPLE_POLICY_DROP_OLDEST, "the newest");
	ok_eq(p.fields, 1U << TCA_OPTSAMPLE_PROFILE_PRIORITY |
	      1U << TCA_OPTSAMPLE_PROFILE_POLICY |
	      1U << TCA_OPTSAMPLE_PROFILE_LIMIT |
	      1U << TCA_OPTSAMPLE_PROFILE_AGE, "and sets these");
	p = rules_profile(&sync.r);
	ok_eq(p.slop_us, 5000, "stamps within 5 ms");
	ok_eq(p.fields, 1U << TCA_OPTSAMPLE_PROFILE_PRIORITY |
	      1U << TCA_OPTSAMPLE_PROFILE_SYNC, "and nothing else");
	ok_str(rules_by_name(ROS_BY_NUMBER), "number", "names");
	ok_str(rules_by_name(ROS_BY_DISTANCE), "distance", "of positions");
	ok_str(rules_by_name(ROS_BY_MAX), NULL, "no others");
}

int main(void)
{
	char dir[] = "/tmp/test_topics_rules.XXXXXX";

	if (!mkdtemp(dir))
		return 1;
	snprintf(path, sizeof(path), "%s/topics.conf", dir);
	test_keys();
	test_never();
	test_faults();
	test_print();
	test_file();
	test_file_faults();
	test_write(dir);
	test_match();
	test_apply();
	test_commands();
	test_profile();
	rmdir(dir);
	return tap_done();
}
