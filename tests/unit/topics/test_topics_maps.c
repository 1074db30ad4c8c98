// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_topics_maps - rules and writers in the classifier's maps, and profiles
 * of the qdisc
 */
#include <linux/pkt_sch_optsample.h>
#include <stdio.h>
#include <stdlib.h>
#include "tap.h"
#include "topics/rules_set.h"
#include "topics/writers.h"
#include "fake_maps.h"

enum { RULES, WRITERS, RECENT };

static struct error error;

/* Profiles of the qdisc, as "set 3", "replace 3" or "delete 3" */
static char profiles[512];
static int profile_answer;

static int set_profile(void *arg, const struct queue_profile *p,
		       struct error *text)
{
	const uint32_t none = 1U << TCA_OPTSAMPLE_PROFILE_NONE;

	ok_str(arg, "opt-v0", "the queue gets it");
	if (profile_answer)
		return error_set(text, profile_answer, "no profile %u", p->id);
	sprintf(profiles + strlen(profiles), "%s %u ",
		p->fields == none ? "delete" : p->fields & none ? "replace" :
		"set", p->id);
	return 0;
}

static struct rules_set set = {
	.map = RULES, .set_profile = set_profile, .arg = "opt-v0",
};

static const struct ros_rule limit = {
	.policy = RULE_POLICY_QDISC, .limit = 60,
}, priority = {
	.policy = RULE_POLICY_QDISC, .priority = 3,
}, never = { .never = 1 };

static int put(const char *a, const char *b, const struct ros_rule *r)
{
	char *patterns[] = { (char *)a, (char *)b };

	*profiles = '\0';
	return rules_set_put(&set, patterns, b ? 2 : 1, r, &error);
}

static int forget(const char *a, const char *b)
{
	char *patterns[] = { (char *)a, (char *)b };

	*profiles = '\0';
	return rules_set_forget(&set, patterns, b ? 2 : 1, &error);
}

/* All rules, as "/a:1 " with their profiles */
static const char *rules(void)
{
	static char text[1024];
	char *at = text;

	*text = '\0';
	for (size_t i = 0; i < set.rules.n; i++)
		at += sprintf(at, "%s:%d ", set.rules.v[i].pattern,
			      set.rules.v[i].r.profile);
	return text;
}

static void new_rules(void)
{
	fake_map_new(RULES, ROS_PATTERN, sizeof(struct ros_rule),
		     ROS_RULES_MAX, false);
	rules_load(RULES, &set.rules);
}

/*
 * Rules
 */

static void test_put(void)
{
	new_rules();
	ok_str(rules(), "", "no rules");
	ok_eq(put("/a", "/b", &limit), 0, "a rule for two topics");
	ok_str(rules(), "/a:1 /b:1 ", "is one profile");
	ok_str(profiles, "replace 1 ", "which replaces an older one");
	ok_eq(put("/c", NULL, &priority), 0, "another rule");
	ok_str(rules(), "/a:1 /b:1 /c:2 ", "has a profile of its own");
	ok_eq(put("/c", NULL, &limit), 0, "with other options");
	ok_str(rules(), "/a:1 /b:1 /c:2 ", "it keeps its profile");
	ok_str(profiles, "set 2 ", "whose messages stay");
	ok_eq(put("/c", NULL, &priority), 0, "with fewer options");
	ok_str(rules(), "/a:1 /b:1 /c:3 ", "it gets a new one");
	ok_str(profiles, "replace 3 delete 2 ", "and the old one is removed");
	ok_eq(put("/a", NULL, &limit), 0, "one of two topics");
	ok_str(rules(), "/b:1 /c:3 /a:4 ", "leaves the other's profile");
	ok_eq(put("/a", "/c", &limit), 0, "two of different profiles");
	ok_str(rules(), "/b:1 /a:4 /c:4 ", "share that of the first");
	ok_str(profiles, "set 4 delete 3 ", "and the other one is removed");
	ok_eq(put("/b", NULL, &never), 0, "never");
	ok_str(rules(), "/a:4 /c:4 /b:0 ", "has no profile");
	ok_str(profiles, "delete 1 ", "and removes that it had");
	ok_eq(put("/b", NULL, &limit), 0, "and then again");
	ok_str(rules(), "/a:4 /c:4 /b:1 ", "has a new one");
}

static void test_order(void)
{
	new_rules();
	put("/a", NULL, &limit);
	put("/b", NULL, &limit);
	ok_eq(set.rules.v[0].r.order, 1, "the first rule");
	ok_eq(set.rules.v[1].r.order, 2, "and the next");
	put("/a", NULL, &priority);
	ok_str(set.rules.v[1].pattern, "/a", "a rule that is given again");
	ok_eq(set.rules.v[1].r.order, 3, "is the last");
}

static void test_forget(void)
{
	new_rules();
	put("/a", "/b", &limit);
	put("/c", NULL, &limit);
	ok_eq(forget("/a", "/x"), -ENOENT, "one that has no rule");
	ok_str(error.text, "no rule for /x", "is named");
	ok_str(rules(), "/a:1 /b:1 /c:2 ", "and nothing is removed");
	ok_eq(forget("/a", NULL), 0, "one of two");
	ok_str(rules(), "/b:1 /c:2 ", "leaves the other");
	ok_str(profiles, "", "with its profile");
	ok_eq(forget("/b", "/c"), 0, "the others");
	ok_str(rules(), "", "no rules are left");
	ok_str(profiles, "delete 1 delete 2 ", "nor profiles");
}

static void test_many(void)
{
	char name[16];

	new_rules();
	for (int i = 1; i <= RULE_PROFILES; i++) {
		snprintf(name, sizeof(name), "/%d", i);
		if (put(name, NULL, &limit))
			break;
	}
	ok_eq(set.rules.n, RULE_PROFILES, "as many rules as profiles");
	ok_eq(set.rules.v[RULE_PROFILES - 1].r.profile, RULE_PROFILES,
	      "but not that of commands");
	ok_eq(put("/more", NULL, &limit), -ENOSPC, "one more");
	ok_str(error.text, "too many rules: 62 profiles are in use", "is refused");
	ok_eq(put("/never", NULL, &never), 0, "never needs none");
	forget("/7", NULL);
	ok_eq(put("/more", NULL, &limit), 0, "when one is free");
	ok_eq(set.rules.v[set.rules.n - 1].r.profile, 7, "it is taken");
	put("/never", NULL, &never);
	forget("/62", NULL);
	ok_eq(put("/last", NULL, &limit), 0, "also if that is the last one");
	ok_eq(set.rules.v[set.rules.n - 1].r.profile, 62, "of all");
}

static void test_full(void)
{
	new_rules();
	for (int i = 0; i < ROS_RULES_MAX; i++) {
		struct ros_rule r = { .order = i + 1, .never = 1 };
		char key[ROS_PATTERN] = "";

		snprintf(key, sizeof(key), "/%d", i);
		bpf_map_update_elem(RULES, key, &r, BPF_ANY);
	}
	rules_load(RULES, &set.rules);
	ok_eq(set.rules.n, ROS_RULES_MAX, "as many rules as the map holds");
	ok_eq(put("/more", NULL, &limit), -ENOSPC, "one more");
	ok_str(error.text, "too many rules: at most 1024", "is refused");
	ok_eq(put("/7", NULL, &limit), 0, "a change is not");
	ok_str(set.rules.v[1023].pattern, "/7", "and is the last");
}

static void test_errors(void)
{
	new_rules();
	profile_answer = -EINVAL;
	ok_eq(put("/a", NULL, &limit), -EINVAL, "a qdisc that refuses");
	ok_str(error.text, "no profile 1", "says why");
	ok_str(rules(), "", "and there is no rule");
	profile_answer = 0;
	fake_maps[RULES].fail = ENOMEM;
	ok_eq(put("/a", NULL, &limit), -ENOMEM, "a map that refuses");
	ok_str(error.text, "cannot write the rule for /a: Cannot allocate memory",
	       "says why");
	fake_maps[RULES].fail = 0;
	put("/a", NULL, &limit);
	profile_answer = -EIO;
	ok_eq(forget("/a", NULL), -EIO, "a profile that cannot be removed");
	ok_str(error.text, "no profile 1", "is an error");
	ok_str(rules(), "", "but the rule is gone");
	profile_answer = 0;
	rules_free(&set.rules);
	ok_eq(set.rules.n, 0, "freed");
}

/*
 * Writers
 */

static struct writers writers;

static struct topic writer(unsigned int i)
{
	struct topic t = { .name = "rt/a" };

	memcpy(t.guid, &i, sizeof(i));
	return t;
}

static const struct ros_writer *in_map(unsigned int i)
{
	const struct topic t = writer(i);
	int at = fake_map_find(&fake_maps[WRITERS], t.guid);

	return at < 0 ? NULL : (void *)fake_maps[WRITERS].values[at];
}

static void new_writers(uint32_t max)
{
	fake_map_new(WRITERS, TOPIC_GUID, sizeof(struct ros_writer), max,
		     false);
	fake_map_new(RECENT, 4, sizeof(struct ros_recent), ROS_RECENT_MAX,
		     true);
	writers = (struct writers){ .map = WRITERS, .recent = RECENT };
}

static void test_writers(void)
{
	const struct rule by_header = {
		.r = { .by = ROS_BY_HEADER, .profile = 5 },
	};
	struct topic a = writer(1), b = writer(2);

	new_writers(3);
	ok_eq(writers_add(&writers, &a, NULL, &error), 0, "a writer");
	ok_eq(in_map(1)->flow, 1, "gets a number");
	ok_eq(a.flow, 1, "which it keeps");
	ok_eq(in_map(1)->profile, 0, "as the qdisc");
	ok_eq(in_map(1)->by, ROS_BY_NUMBER, "by number");
	ok(!writers.changed, "one that is new changes no other");
	ok_eq(writers_add(&writers, &b, &by_header, &error), 0, "another");
	ok_eq(in_map(2)->flow, 2, "gets the next one");
	ok_eq(in_map(2)->profile, 5, "and follows its rule");
	ok_eq(in_map(2)->by, ROS_BY_HEADER, "by the header");
	ok_eq(writers_add(&writers, &b, &by_header, &error), 0, "once more");
	ok(!writers.changed, "changes nothing");
	ok_eq(writers_add(&writers, &a, &by_header, &error), 0, "another rule");
	ok(writers.changed, "is a change");
	ok_eq(in_map(1)->flow, 1, "with the same number");
	ok_eq(in_map(1)->profile, 5, "and its rule");
	writers_remove(&writers, a.guid);
	ok(!in_map(1), "a writer that is removed");
	writers_add(&writers, &a, NULL, &error);
	ok_eq(in_map(1)->flow, 1, "gets its number again");
}

static void test_writers_full(void)
{
	struct topic t[3] = { writer(1), writer(2), writer(3) };

	new_writers(2);
	writers_add(&writers, &t[0], NULL, &error);
	writers_add(&writers, &t[1], NULL, &error);
	ok_eq(writers_add(&writers, &t[2], NULL, &error), -ENOSPC,
	      "more than there is room for");
	ok_str(error.text, "cannot sample a writer: the map of writers is full",
	       "says so");
	fake_maps[WRITERS].fail = EPERM;
	ok_eq(writers_add(&writers, &t[0], NULL, &error), -EPERM,
	      "another error");
	ok_str(error.text, "cannot sample a writer: Operation not permitted",
	       "says so, too");
	writers.changed = false;
	writers_remove(&writers, t[2].guid);
	ok(!writers.changed, "removing none is no change");
	writers_remove(&writers, t[1].guid);
	ok(writers.changed, "removing one is");
}

static void put_recent(uint32_t slot, unsigned int writer_no, uint8_t profile,
		       uint8_t kind)
{
	const struct topic t = writer(writer_no);
	struct ros_recent r = {
		.mark = profile << 8, .check = 7, .newest = 99,
	};

	memcpy(&r.name.writer, t.guid, TOPIC_GUID);
	r.name.kind = kind;
	bpf_map_update_elem(RECENT, &slot, &r, BPF_ANY);
}

static uint32_t check_of(uint32_t slot)
{
	return ((struct ros_recent *)(void *)fake_maps[RECENT].values[slot])->check;
}

/* Slots of the program that no longer say what the map says */
static void test_apply(void)
{
	const struct rule by_header = {
		.r = { .by = ROS_BY_HEADER, .profile = 5 },
	}, profile = { .r = { .profile = 5 } };
	struct topic a = writer(1), b = writer(2), c = writer(3);

	new_writers(5);
	writers_add(&writers, &a, NULL, &error);
	writers_add(&writers, &b, &profile, &error);
	writers_add(&writers, &c, &by_header, &error);
	put_recent(0, 1, 0, ROS_RTPS);
	put_recent(1, 1, 5, ROS_RTPS);
	put_recent(2, 2, 5, ROS_RTPS6);
	put_recent(3, 3, 5, ROS_RTPS);
	put_recent(4, 4, 0, ROS_UDPROS);
	put_recent(5, 4, 0, ROS_SEGMENT);
	put_recent(ROS_RECENT_MAX - 1, 4, 0, ROS_RTPS);
	writers_apply(&writers);
	ok_eq(check_of(1), 7, "without a change nothing is looked at");
	writers.changed = true;
	writers_apply(&writers);
	ok(!writers.changed, "with one all are");
	ok_eq(check_of(0), 7, "a slot that agrees stays");
	ok_eq(check_of(1), 0, "one of another profile is freed");
	ok_eq(check_of(2), 7, "a profile that agrees stays");
	ok_eq(check_of(3), 0, "a writer by its header is looked up each time");
	ok_eq(check_of(4), 0, "a writer that is gone is freed");
	ok_eq(check_of(5), 7, "segments have no writer");
	ok_eq(check_of(ROS_RECENT_MAX - 1), 0, "up to the last slot");
}

/* Of an earlier run of the daemon */
static void test_inherit(void)
{
	struct topic_list topics = { 0 };
	struct topic t[3] = { writer(1), writer(2), writer(3) }, next = writer(4);

	new_writers(8);
	for (int i = 0; i < 3; i++) {
		t[i].flow = 10 + i;
		writers_add(&writers, &t[i], NULL, &error);
	}
	writers.flow = 0;
	writers_inherit(&writers);
	ok_eq(writers.flow, 12, "the largest number in use");
	writers_add(&writers, &next, NULL, &error);
	ok_eq(next.flow, 13, "a new writer gets the next one");
	*topic_get(&topics, t[0].guid) = t[0];
	t[1].why_not = "no";
	*topic_get(&topics, t[1].guid) = t[1];
	writers_sweep(&writers, &topics);
	ok(in_map(1), "a writer that is still there");
	ok(!in_map(2), "one that is not sampled any more is removed");
	ok(!in_map(3), "and so is one that was not announced again");
	ok(!in_map(4), "each of them");
	topic_free(&topics);
}

int main(void)
{
	test_put();
	test_order();
	test_forget();
	test_many();
	test_full();
	test_errors();
	test_writers();
	test_writers_full();
	test_apply();
	test_inherit();
	return tap_done();
}
