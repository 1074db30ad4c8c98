// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_netdev_qdisc - what the module is asked for, qdiscs and filters
 */
#include <linux/if_ether.h>
#include "netdev/device.h"
#include "netdev/filter.h"
#include "netdev/qdisc.h"
#include "netdev/queue_stats.h"
#include "netns.h"
#include "fake_module.h"

static struct error error;

static const struct qdisc_config unset = {
	QDISC_UNSET, QDISC_UNSET, QDISC_UNSET, QDISC_UNSET, QDISC_UNSET,
	QDISC_UNSET, QDISC_UNSET, QDISC_UNSET, 0
};

static int add(const struct qdisc_config *cfg)
{
	fake.requests = 0;
	return qdisc_add("q0", "v0", cfg, 5, &netns_logs, &error);
}

/*
 * Set up
 */

static void test_options(void)
{
	const struct qdisc_config cfg = {
		.limit = 21, .policy = 2, .memlimit = 8 << 20,
		.inflight_packets = 33, .inflight_auto = 1, .settle_ms = 501,
		.recall = TC_OPTSAMPLE_RECALL_AUTO, .age_ms = 250,
		.rate = 125000,
	};

	ok_eq(add(&cfg), 0, "the qdisc is made");
	ok_eq(fake.qdisc, netlink_ifindex("q0"), "on its device");
	ok_eq(fake.requests, 1, "at once");
	ok_eq(fake_u32(TCA_OPTSAMPLE_LIMIT), 21, "its limit");
	ok_eq(fake_u32(TCA_OPTSAMPLE_POLICY), 2, "its policy");
	ok_eq(fake_u32(TCA_OPTSAMPLE_MEMLIMIT), 8 << 20, "its memory");
	ok_eq(fake_u32(TCA_OPTSAMPLE_INFLIGHT_PACKETS), 33, "in flight");
	ok_eq(fake_u32(TCA_OPTSAMPLE_INFLIGHT_AUTO), 1, "found by itself");
	ok_eq(fake_u32(TCA_OPTSAMPLE_SETTLE), 501, "its time to settle");
	ok_eq(fake_u32(TCA_OPTSAMPLE_RECALL), TC_OPTSAMPLE_RECALL_AUTO,
	      "recall");
	ok_eq(fake_u32(TCA_OPTSAMPLE_AGE), 250, "age of ordinary traffic");
	ok_eq(fake_u32(TCA_OPTSAMPLE_ORDINARY), 10240, "and its packets");
	ok_eq(fake_u32(TCA_OPTSAMPLE_PROG_FD), 5, "the program");
	ok_eq(nla_get_u64(fake_opt(TCA_OPTSAMPLE_RATE64)), 125000, "the rate");
	ok_str(nla_get_string(fake_opt(TCA_OPTSAMPLE_WATCH)), "v0",
	       "the device that it watches");
	ok_eq(fake.codel[0], 10240, "fq_codel has the same packets");
	ok_eq(fake.codel[1], 2 << 20, "and a quarter of the memory");
	ok_eq(fake.codel[2], 1000000, "its target is a second");
	ok_eq(fake.codel[3], 1000000, "and so is its interval");
	ok_eq(fake.classifier, 0, "the qdisc runs the program itself");
	ok_str(netns_logged(), "", "nothing is missing");
}

static void test_unset(void)
{
	ok_eq(add(&unset), 0, "without options");
	for (int i = TCA_OPTSAMPLE_LIMIT; i <= TCA_OPTSAMPLE_MEMLIMIT; i++)
		ok(!fake_opt(i), "the kernel chooses option %d", i);
	ok(!fake_opt(TCA_OPTSAMPLE_RATE64), "and there is no rate");
	ok_eq(fake.codel[1], 16 << 20, "fq_codel has a quarter of 64 MiB");
}

static void test_older(void)
{
	struct qdisc_config cfg = unset;

	cfg.age_ms = 250;
	cfg.recall = TC_OPTSAMPLE_RECALL_AUTO;
	fake.refused = 1ULL << TCA_OPTSAMPLE_PROG_FD;
	ok_eq(add(&cfg), 0, "a module that does not run programs");
	ok_eq(fake.requests, 2, "is asked again");
	ok(!fake_opt(TCA_OPTSAMPLE_AGE), "without age");
	ok_eq(fake_u32(TCA_OPTSAMPLE_RECALL), TC_OPTSAMPLE_RECALL_AUTO,
	      "but with recall");
	ok_eq(fake.classifier, 1, "and has a filter instead");
	ok_str(netns_logged(), "", "without a warning");
	fake.refused |= 1ULL << TCA_OPTSAMPLE_RECALL;
	ok_eq(add(&cfg), 0, "one that does not know recall");
	ok_eq(fake.requests, 3, "is asked a third time");
	ok(!fake_opt(TCA_OPTSAMPLE_RECALL), "without it");
	ok(!strncmp(netns_logged(), "the kernel module is older than 'recall'",
		    40), "which is logged");
	cfg.recall = TC_OPTSAMPLE_RECALL_OFF;
	ok_eq(add(&cfg), 0, "if it was off anyway");
	ok_str(netns_logged(), "", "it is not");
	cfg.recall = QDISC_UNSET;
	fake.refused |= 1ULL << TCA_OPTSAMPLE_ORDINARY;
	ok_eq(add(&cfg), -EINVAL, "a module that is too old");
	ok_eq(fake.requests, 2, "is not asked a third time for nothing");
	ok_str(error.text, "cannot set the qdisc of q0: Invalid argument",
	       "the line says so");
	fake.refused = 0;
}

static void test_missing(void)
{
	fake.absent = true;
	ok_eq(add(&unset), -ENOENT, "a kernel without the module");
	ok_str(error.text, "the kernel has no optsample qdisc: load sch_optsample.ko",
	       "says what to do");
	fake.absent = false;
	fake.no_codel = true;
	ok_eq(add(&unset), 0, "one without fq_codel is good enough");
	ok(!strncmp(netns_logged(), "the kernel has no fq_codel: ordinary traffic of q0",
		    50), "which is logged");
	fake.no_codel = false;
	fake.answer = -ENOBUFS;
	ok_eq(add(&unset), -ENOBUFS, "any other error");
	ok_str(error.text, "cannot set the qdisc of q0: No buffer space available",
	       "is reported as it is");
	fake.answer = 0;
}

/*
 * Changes
 */

static void test_changes(void)
{
	ok_eq(qdisc_flush("q0", &error), 0, "flush");
	ok(fake_opt(TCA_OPTSAMPLE_FLUSH), "is a flag");
	ok_eq(qdisc_pause("q0", 3000, &error), 0, "pause");
	ok_eq(fake_u32(TCA_OPTSAMPLE_PAUSE), 3000, "has a time");
	ok_eq(qdisc_set_watch("q0", "lo", &error), 0, "another device");
	ok_str(nla_get_string(fake_opt(TCA_OPTSAMPLE_WATCH)), "lo",
	       "has a name");
	fake.answer = -ENODEV;
	ok_eq(qdisc_pause("q0", 0, &error), -ENODEV, "an error of a change");
	ok_str(error.text, "cannot change the qdisc of q0: No such device",
	       "has a line");
	fake.answer = 0;
	fake.requests = 0;
	ok_eq(qdisc_flush("v0", &error), -ENOENT, "a device without the qdisc");
	ok_str(error.text, "v0 has no optsample qdisc", "has a line of its own");
	ok_eq(fake.requests, 0, "and gets no request");
	fake.dump_type = RTM_GETQDISC;
	fake.dump_error = -EPERM;
	ok_eq(qdisc_flush("q0", &error), -EPERM, "qdiscs that cannot be read");
	ok(!strncmp(error.text, "cannot read qdiscs: ", 20), "%s", error.text);
	fake.dump_error = 0;
}

static const struct queue_profile profile = {
	.id = 7, .limit = 11, .policy = 3, .priority = 5, .slop_us = 2000,
	.age_ms = 250,
};

static int set_profile(uint32_t fields)
{
	struct queue_profile p = profile;

	p.fields = fields;
	fake.requests = 0;
	return qdisc_set_profile("q0", &p, &netns_logs, &error);
}

static void test_profile(void)
{
	ok_eq(set_profile(1U << TCA_OPTSAMPLE_PROFILE_LIMIT |
			  1U << TCA_OPTSAMPLE_PROFILE_SYNC), 0, "a profile");
	ok_eq(nla_get_u32(fake_profile(TCA_OPTSAMPLE_PROFILE_ID)), 7,
	      "has a number");
	ok_eq(nla_get_u32(fake_profile(TCA_OPTSAMPLE_PROFILE_LIMIT)), 11,
	      "its limit");
	ok_eq(nla_get_u32(fake_profile(TCA_OPTSAMPLE_PROFILE_SYNC)), 2000,
	      "and sync");
	ok(!fake_profile(TCA_OPTSAMPLE_PROFILE_POLICY),
	   "what is not set stays as it is");
	ok(!fake_profile(TCA_OPTSAMPLE_PROFILE_NONE), "nothing is removed");
	ok_eq(set_profile(1U << TCA_OPTSAMPLE_PROFILE_NONE |
			  1U << TCA_OPTSAMPLE_PROFILE_POLICY |
			  1U << TCA_OPTSAMPLE_PROFILE_PRIORITY), 0, "another");
	ok(fake_profile(TCA_OPTSAMPLE_PROFILE_NONE), "in place of the old one");
	ok_eq(nla_get_u32(fake_profile(TCA_OPTSAMPLE_PROFILE_POLICY)), 3,
	      "its policy");
	ok_eq(nla_get_u32(fake_profile(TCA_OPTSAMPLE_PROFILE_PRIORITY)), 5,
	      "and priority");
}

static void test_older_profile(void)
{
	const uint32_t age = 1U << TCA_OPTSAMPLE_PROFILE_AGE;
	const uint32_t limit = 1U << TCA_OPTSAMPLE_PROFILE_LIMIT;

	fake.refused_profile = age;
	ok_eq(set_profile(age | limit), 0, "a module that does not know age");
	ok_eq(fake.requests, 2, "is asked again");
	ok(fake_profile(TCA_OPTSAMPLE_PROFILE_LIMIT), "for all the rest");
	ok_str(netns_logged(), "the kernel module is older than 'age': messages of profile 7 do not get too old",
	       "which is logged");
	fake.refused_profile = limit;
	ok_eq(set_profile(limit), -EINVAL, "without age");
	ok_eq(fake.requests, 1, "it is not asked again");
	ok_str(error.text, "cannot change the qdisc of q0: Invalid argument",
	       "the error has a line");
	ok_eq(set_profile(age | limit), -EINVAL, "one that refuses both");
	ok_str(netns_logged(), "", "has no warning");
	fake.refused_profile = 0;
	ok_eq(qdisc_set_profile("v0", &profile, &netns_logs, &error), -ENOENT,
	      "a device without the qdisc");
	ok_str(error.text, "v0 has no optsample qdisc", "has no profiles");
}

/*
 * Of the kernel itself
 */

static void test_find(void)
{
	struct qdisc_query q;
	int v0 = netlink_ifindex("v0");

	ok_eq(qdisc_find(v0, TC_H_ROOT, &q, &error), 0, "look for a qdisc");
	ok_eq(q.handle, 0, "a default one has no handle");
	need("tc qdisc add dev v0 root handle 12: tbf rate 1mbit burst 10k latency 10ms");
	ok_eq(qdisc_find(v0, TC_H_ROOT, &q, &error), 0, "with one of the user");
	ok_str(q.kind, "tbf", "its kind");
	ok_eq(q.handle, 0x120000, "and its handle");
	ok_eq(qdisc_find(v0, TC_H_CLSACT, &q, &error), 0, "look for clsact");
	ok_str(q.kind, "", "there is none");
	ok_eq(qdisc_delete(v0, "v0", TC_H_ROOT, 0x130000, &error), 0,
	      "another handle is no error");
	qdisc_find(v0, TC_H_ROOT, &q, &error);
	ok_str(q.kind, "tbf", "and removes nothing");
	ok_eq(qdisc_delete(v0, "v0", TC_H_ROOT, 0x120000, &error), 0, "this one");
	qdisc_find(v0, TC_H_ROOT, &q, &error);
	ok_eq(q.handle, 0, "is removed");
}

static void test_clsact(void)
{
	struct qdisc_query q;
	int v0 = netlink_ifindex("v0");

	ok_eq(qdisc_add_clsact(v0, "v0", &error), 0, "clsact");
	qdisc_find(v0, TC_H_CLSACT, &q, &error);
	ok_str(q.kind, "clsact", "is there");
	ok_eq(qdisc_add_clsact(v0, "v0", &error), -EEXIST, "only once");
	ok(!strncmp(error.text, "cannot add clsact to v0: ", 25), "%s", error.text);
	ok_eq(qdisc_delete(v0, "v0", TC_H_CLSACT, 0, &error), 0, "it goes");
	qdisc_find(v0, TC_H_CLSACT, &q, &error);
	ok_str(q.kind, "", "and is gone");
}

static void test_redirect(void)
{
	int v0 = netlink_ifindex("v0"), q0 = netlink_ifindex("q0");
	struct filter_query f;

	qdisc_add_clsact(v0, "v0", &error);
	ok_eq(filter_find(v0, &f, &error), 0, "look for filters");
	ok(!f.pass, "there is none");
	ok(!f.redirect, "there is none");
	ok(!f.others, "there is none");
	ok(!filters_redirect(&f), "and none redirects");
	ok_eq(filter_add_redirect(v0, "v0", q0, &error), 0, "redirect");
	ok_eq(filter_find(v0, &f, &error), 0, "look again");
	ok(f.pass, "EAPOL passes");
	ok(f.redirect, "the rest is redirected");
	ok(!f.by_bpf, "by mirred");
	ok(!f.others, "and the user has none");
	ok(filters_redirect(&f), "that is complete");
	f.pass = false;
	ok(!filters_redirect(&f), "without the pass of EAPOL it is not");
	f.by_bpf = true;
	ok(filters_redirect(&f), "unless a program redirects");
	need("tc filter add dev v0 egress pref 7 protocol ip u32 match u32 0 0 classid 1:1");
	ok_eq(filter_delete_redirect(v0, "v0", &error), 0, "undo it");
	filter_find(v0, &f, &error);
	ok(!f.redirect, "no redirect");
	ok(f.others, "but the user's filter is left");
	ok_eq(filter_delete_redirect(v0, "v0", &error), 0, "once more");
	fake.no_matchall = true;
	ok_eq(filter_add_redirect(v0, "v0", q0, &error), -ENOENT,
	      "a kernel without a filter that matches all");
	ok(!strncmp(error.text, "cannot add a filter with gact to v0: ", 37), "%s",
	   error.text);
	fake.no_matchall = false;
	fake.dump_type = RTM_GETTFILTER;
	fake.dump_error = -EPERM;
	ok_eq(filter_find(v0, &f, &error), -EPERM, "what cannot be read");
	ok(!strncmp(error.text, "cannot read filters: ", 21), "%s", error.text);
	fake.dump_error = 0;
	qdisc_delete(v0, "v0", TC_H_CLSACT, 0, &error);
}

/*
 * Counters
 */

static void test_stats(void)
{
	struct queue_stats s;

	need("ip link add opt-v0 type ifb");
	ok_eq(queue_stats_find("v0", &s, &error), -ENOENT, "no counters");
	ok_str(error.text, "v0 has no optsample qdisc", "without the qdisc");
	ok_eq(queue_stats_find("no-such", &s, &error), -ENOENT, "nor");
	ok_str(error.text, "no device no-such", "without the device");
	qdisc_add("opt-v0", "v0", &unset, 5, &netns_logs, &error);
	fake.messages = 3;
	fake.classes = 2;
	ok_eq(queue_stats_find("v0", &s, &error), 0, "those of its queue");
	ok_str(s.queue, "opt-v0", "are of that device");
	ok_eq(s.qd.backlog_msgs, 3, "messages that wait");
	ok_eq(s.limit, 20, "its limit");
	ok_eq(s.policy, 1, "its policy");
	ok_eq(s.inflight, 32, "in flight");
	ok(!s.inflight_auto, "which it does not find itself");
	ok(s.gate_open, "the gate is open");
	ok_eq(s.nclasses, 0, "flows are not read yet");
	ok_eq(queue_stats_classes(&s, &error), 0, "read them");
	ok_eq(s.nclasses, 2, "two");
	ok_eq(s.classes[1].classid, QDISC_HANDLE + 2, "with their handles");
	ok_eq(s.classes[1].st.flow, 101, "and counters");
	queue_stats_free(&s);
	ok_eq(s.nclasses, 0, "and free them");
	fake.dump_type = RTM_GETTCLASS;
	fake.dump_error = -EPERM;
	ok_eq(queue_stats_classes(&s, &error), -EPERM, "what cannot be read");
	fake.dump_type = RTM_GETQDISC;
	ok_eq(queue_stats_find("v0", &s, &error), -EPERM, "nor this");
	ok(!strncmp(error.text, "cannot read qdiscs: ", 20), "%s", error.text);
	fake.dump_error = 0;
	fake.qdisc = netlink_ifindex("v0");
	ok_eq(queue_stats_find("v0", &s, &error), 0, "a qdisc on DEV itself");
	ok_str(s.queue, "v0", "is found, too");
}

int main(void)
{
	netns_enter();
	netns_cable("v0", "v1");
	need("ip link add q0 type ifb");
	test_options();
	test_unset();
	test_older();
	test_missing();
	test_changes();
	test_profile();
	test_older_profile();
	test_find();
	test_clsact();
	test_redirect();
	test_stats();
	return tap_done();
}
