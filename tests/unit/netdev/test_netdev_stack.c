// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_netdev_stack - the whole setup of an interface: up, down, and what
 * becomes of it in between
 */
#include "base/ifb.h"
#include "netdev/classifier.h"
#include "netdev/device.h"
#include "netdev/filter.h"
#include "netdev/redirect.h"
#include "netdev/stack.h"
#include "netdev/state.h"
#include "netns.h"
#include "fake_module.h"

static struct error error;

static const struct qdisc_config config = {
	QDISC_UNSET, QDISC_UNSET, QDISC_UNSET, QDISC_UNSET, QDISC_UNSET,
	QDISC_UNSET, QDISC_UNSET, QDISC_UNSET, 0
};

static struct stack plan_of(const char *dev)
{
	struct stack s = { 0 };

	snprintf(s.dev, IFNAMSIZ, "%.15s", dev);
	ifb_name(dev, s.queue);
	keep_name(dev, s.keep);
	return s;
}

static int stack_make(struct stack *s)
{
	return stack_plan(s, &error) ?: stack_own(s, &error) ?:
	       stack_queue(s, &error) ?:
	       stack_up(s, &config, 5, -1, &netns_logs, &error) ?:
	       stack_keep(s, -1, &netns_logs, &error);
}

static void remove_all(void)
{
	sh("ip link del opt-v0 2>/dev/null; ip link del keep-v0 2>/dev/null");
	sh("tc qdisc del dev v0 clsact 2>/dev/null");
	fake.qdisc = fake.filters = 0;
}

/*
 * Plan
 */

static void test_plan(void)
{
	struct stack s = plan_of("v0"), before = s;

	ok_eq(stack_plan(&s, &error), 0, "a plan for a cable");
	ok_eq(s.ifindex, netlink_ifindex("v0"), "with its number");
	ok(s.made_ifb, "the queue will be made");
	ok(s.made_keep, "and what keeps addresses");
	ok(s.made_clsact, "and clsact");
	ok(s.made_qdisc, "and the qdisc");
	ok(!s.made_own, "but no ipvlan");
	ok(!netlink_ifindex("opt-v0"), "nothing is changed yet");
	s = before;
	strcpy(s.dev, "no-such");
	ok_eq(stack_plan(&s, &error), -ENODEV, "a device that is missing");
	ok_str(error.text, "no device no-such", "has a line");
	need("tc qdisc add dev v0 clsact");
	s = before;
	ok_eq(stack_plan(&s, &error), 0, "with clsact of the user");
	ok(!s.made_clsact, "it is not ours");
	need("tc qdisc del dev v0 clsact; tc qdisc add dev v0 ingress");
	s = before;
	ok_eq(stack_plan(&s, &error), -EBUSY, "with ingress");
	ok_str(error.text, "v0 has an ingress qdisc: use clsact instead",
	       "there is no place for it");
	ok(!s.made_ifb, "and nothing is to be undone");
	need("tc qdisc del dev v0 ingress");
}

static void test_names(void)
{
	struct stack before = plan_of("v0"), s = before;

	need("ip link add opt-v0 type ifb");
	ok_eq(stack_plan(&s, &error), -EEXIST, "a device with our name");
	ok_str(error.text, "cannot make device opt-v0: File exists",
	       "is not touched");
	s.made_ifb = true;
	ok_eq(stack_plan(&s, &error), 0, "unless we made it");
	need("ip link del opt-v0; ip link add keep-v0 type ifb");
	s = before;
	ok_eq(stack_plan(&s, &error), -EEXIST, "the same with the other one");
	ok_str(error.text, "cannot make device keep-v0: File exists", "by its name");
	need("ip link del keep-v0");
	s = before;
	fake.filtered = netlink_ifindex("v0");
	fake.filter[0] = FILTER_PREF_PASS;
	fake.filters = 1;
	ok_eq(stack_plan(&s, &error), -EBUSY, "filters that are there already");
	ok_str(error.text, "v0 has egress filters of pref 48999 or 49000, which optsample uses, see 'optsample show'",
	       "are not touched either");
	fake.filters = 0;
}

static void test_plan_root(void)
{
	struct stack s = plan_of("v0");

	strcpy(s.queue, "v0");
	*s.keep = '\0';
	ok_eq(stack_plan(&s, &error), 0, "a qdisc on the device itself");
	ok(!s.made_ifb, "needs no other device");
	ok(!s.made_clsact, "and no clsact");
	ok(s.made_qdisc, "but the qdisc");
	need("tc qdisc add dev v0 root handle 1: tbf rate 1mbit burst 10k latency 10ms");
	ok_eq(stack_plan(&s, &error), -EBUSY, "if the user has none");
	ok_str(error.text, "v0 has a tbf qdisc of its own: remove it first",
	       "which is named");
	need("tc qdisc del dev v0 root");
	s.made_qdisc = true;
	ok_eq(stack_up(&s, &config, 5, -1, &netns_logs, &error), 0, "up");
	ok_eq(fake.qdisc, netlink_ifindex("v0"), "the qdisc is there");
	ok_str(nla_get_string(fake_opt(TCA_OPTSAMPLE_WATCH)), "v0",
	       "it watches its own device");
	ok_eq(stack_down(&s, &error), 0, "down");
	ok_eq(fake.qdisc, 0, "it is gone");
}

/*
 * Up and down
 */

static void test_up(void)
{
	struct stack s = plan_of("v0");
	char why[STACK_WHY] = "";
	bool any, whole;

	ok_eq(stack_make(&s), 0, "set up");
	ok(s.egress, "by the module's link type");
	ok(netlink_is_up("opt-v0"), "the queue is up");
	ok(netlink_is_up("keep-v0"), "what keeps addresses is");
	ok_eq(fake.link, netlink_ifindex("opt-v0"), "the queue sends");
	ok_eq(fake.lower, s.ifindex, "by the cable");
	ok(!sh("tc qdisc show dev v0 | grep -q clsact"), "which has clsact");
	ok_eq(stack_find_redirect(&s, &any, &whole, &error), 0, "look");
	ok(any, "it is redirected");
	ok(whole, "completely");
	ok(stack_is_whole(&s, why), "and all is in place: %s", why);
	ok(stack_redirects_by_bpf(&s), "a program could redirect");
	ok_eq(stack_down(&s, &error), 0, "undo it");
	ok(!netlink_ifindex("opt-v0"), "the queue is gone");
	ok(!netlink_ifindex("keep-v0"), "and the other one");
	ok(sh("tc qdisc show dev v0 | grep -q clsact"), "and clsact");
	ok_eq(stack_down(&s, &error), 0, "once more is no error");
	ok_str(netns_logged(), "", "without warnings");
	remove_all();
}

static void test_older_link(void)
{
	struct stack s = plan_of("v0");

	fake.no_link = true;
	ok_eq(stack_plan(&s, &error), 0, "a module without a link type");
	ok_eq(stack_queue(&s, &error), 0, "has an ifb");
	ok(!s.egress, "which is no link of the module");
	ok(!stack_redirects_by_bpf(&s), "and needs mirred");
	fake.no_link = false;
	remove_all();
	setenv("OPTSAMPLE_LINK_TYPE", "ifb", 1);
	s = plan_of("v0");
	stack_plan(&s, &error);
	ok_eq(stack_queue(&s, &error), 0, "as the environment can ask for");
	ok(!s.egress, "an ifb");
	fake.link = 0;
	ok_eq(stack_up(&s, &config, 5, -1, &netns_logs, &error), 0, "up");
	ok_eq(fake.link, 0, "it is given no device to send by");
	unsetenv("OPTSAMPLE_LINK_TYPE");
	ok_eq(stack_queue(&s, &error), -EEXIST, "a second time");
	ok(!strncmp(error.text, "cannot make device opt-v0: ", 27), "%s", error.text);
	ok_eq(stack_down(&s, &error), 0, "down");
	remove_all();
}

static void test_keep_ifb(void)
{
	struct stack s = plan_of("v0");

	s.egress = false;
	s.made_keep = true;
	ok(stack_keep(&s, -1, &netns_logs, &error) < 0,
	   "an ifb without its program");
	ok(!strncmp(error.text, "cannot add the BPF program to keep-v0: ", 39),
	   "%s", error.text);
	ok(netlink_ifindex("keep-v0"), "is left for down");
	s.made_ifb = false;
	s.made_qdisc = false;
	ok_eq(stack_down(&s, &error), 0, "down");
	ok(!netlink_ifindex("keep-v0"), "removes it");
	s.egress = true;
	need("ip link add keep-v0 type ifb");
	ok_eq(stack_keep(&s, -1, &netns_logs, &error), -EEXIST, "a name in use");
	ok(!strncmp(error.text, "cannot make device keep-v0: ", 28), "%s", error.text);
	remove_all();
}

static void test_errors(void)
{
	struct stack s = plan_of("v0");

	fake.absent = true;
	ok_eq(stack_make(&s), -ENOENT, "without the module");
	ok_str(error.text, "the kernel has no optsample qdisc: load sch_optsample.ko",
	       "is not up");
	fake.absent = false;
	ok_eq(stack_down(&s, &error), 0, "and can be undone");
	ok(!netlink_ifindex("opt-v0"), "which removes the queue");
	s = plan_of("v0");
	fake.answer = 0;
	stack_plan(&s, &error);
	stack_queue(&s, &error);
	fake.answer = -EINVAL;
	ok_eq(stack_redirect(&s, -1, &error), -EINVAL, "a link that refuses");
	ok(!strncmp(error.text, "cannot let opt-v0 send by v0: ", 30), "%s", error.text);
	fake.answer = 0;
	need("tc qdisc add dev v0 clsact");
	ok_eq(stack_redirect(&s, -1, &error), -EEXIST, "clsact that came since");
	ok(!strncmp(error.text, "cannot add clsact to v0: ", 25), "%s", error.text);
	fake.dump_type = RTM_GETTFILTER;
	fake.dump_error = -EPERM;
	ok_eq(stack_down(&s, &error), -EPERM, "down, but nothing can be read");
	ok(netlink_ifindex("opt-v0"),
	   "keeps the queue, or packets would be lost");
	fake.dump_error = 0;
	ok_eq(stack_down(&s, &error), 0, "later it can");
	remove_all();
}

static void test_user_filter(void)
{
	struct stack s = plan_of("v0");
	int prog, redirect;

	ok_eq(stack_make(&s), 0, "up");
	prog = classifier_load("v0", &error);
	if (prog < 0)
		goto out;	/* no BPF for an ordinary user */
	redirect = classifier_load_redirect("v0", "opt-v0", &error);
	ok_eq(filter_add_bpf(s.ifindex, FILTER_INGRESS, 5, "user", redirect),
	      0, "the user has a filter at ingress");
	ok_eq(stack_down(&s, &error), 0, "down");
	ok(!sh("tc qdisc show dev v0 | grep -q clsact"), "leaves clsact");
	ok(!sh("tc filter show dev v0 ingress | grep -q user"), "and the filter");
	close(prog);
	close(redirect);
	classifier_unload("v0");
out:
	stack_down(&s, &error);
	remove_all();
}

/*
 * What is lost in between
 */

static void test_whole(void)
{
	struct stack s = plan_of("v0");
	char why[STACK_WHY];
	bool any, whole;

	stack_make(&s);
	fake.filters = 1;
	ok(!stack_is_whole(&s, why), "without the redirect");
	ok_str(why, "has lost its queue or the redirect to it", "it is lost");
	ok_eq(stack_find_redirect(&s, &any, &whole, &error), 0, "look");
	ok(!whole, "it is not whole");
	fake.filters = 2;
	need("ip link del keep-v0");
	ok(!stack_is_whole(&s, why), "without the other device");
	ok_str(why, "has lost keep-v0, which keeps its addresses", "by name");
	need("ip link add keep-v0 type ifb");
	fake.dump_type = RTM_GETTFILTER;
	fake.dump_error = -EPERM;
	ok(!stack_is_whole(&s, why), "what cannot be read");
	ok_str(why, "cannot read its state", "is not whole");
	ok_eq(stack_find_redirect(&s, &any, &whole, &error), -EPERM, "but");
	ok(any, "it is not taken for removed");
	ok(whole, "nor mended");
	fake.dump_error = 0;
	need("ip link set v0 down; ip link set v0 name v9");
	ok(!stack_is_whole(&s, why), "a new name");
	ok_str(why, "was renamed: run 'optsample down v0', then 'optsample up v9'",
	       "is known");
	need("ip link add v0 type ifb");
	ok(!stack_is_whole(&s, why), "another device of the old name");
	ok_str(why, "was replaced by another device", "is not the same");
	need("ip link del v0; ip link set v9 name v0; ip link set v0 up");
	ok(stack_is_whole(&s, why), "with its name it is whole again");
	s.ifindex = 999;
	strcpy(s.dev, "v77");
	ok(!stack_is_whole(&s, why), "a device that is missing");
	ok_str(why, "is gone", "is gone");
	s.ifindex = netlink_ifindex("v0");
	strcpy(s.dev, "v0");
	stack_down(&s, &error);
	remove_all();
}

static void test_own(void)
{
	struct stack s = plan_of("own-v0");
	char why[STACK_WHY];

	strcpy(s.lower, "v0");
	*s.keep = '\0';
	own_parse("10.7.0.2/24", &s.own, &error);
	ok_str(stack_link(&s), "v0", "the link of an own-DEV is the lower one");
	ok_str(stack_watch(&s), "v0", "whose carrier counts");
	strcpy(s.watch, "v1");
	ok_str(stack_watch(&s), "v1", "unless it is a tunnel");
	*s.watch = '\0';
	ok_eq(stack_plan(&s, &error), 0, "plan it");
	ok(s.made_own, "the ipvlan will be made");
	ok_eq(s.ifindex, 0, "its number is not known");
	ok_eq(stack_own(&s, &error), 0, "make it");
	ok(s.ifindex, "now it is");
	ok_eq(stack_queue(&s, &error), 0, "its queue");
	ok_eq(stack_up(&s, &config, 5, -1, &netns_logs, &error), 0, "up");
	ok_str(nla_get_string(fake_opt(TCA_OPTSAMPLE_WATCH)), "v0",
	       "the qdisc watches the lower device");
	ok(stack_is_whole(&s, why), "it is whole");
	need("ip addr del 10.7.0.2/24 dev own-v0");
	ok(!stack_is_whole(&s, why), "without its address");
	ok_str(why, "has lost an address", "it is not");
	strcpy(s.lower, "v1");
	ok(!stack_is_whole(&s, why), "on another device");
	ok_str(why, "is not on v1 any more", "neither");
	strcpy(s.lower, "v0");
	s.made_own = false;
	ok_eq(stack_plan(&s, &error), -EEXIST, "a name that is taken");
	ok_str(error.text, "cannot make device own-v0: File exists", "is refused");
	need("ip link del own-v0");
	s.made_own = true;
	ok_eq(stack_down(&s, &error), 0, "down without the ipvlan");
	remove_all();
}

/*
 * The redirect after up
 */

static bool save(struct state *st)
{
	return !state_save(st, &error);
}

static struct state up(void)
{
	struct state st = { .stack = plan_of("v0") };

	if (stack_make(&st.stack) || !save(&st))
		abort();
	st.ready = true;
	save(&st);
	return st;
}

static void test_restore(void)
{
	struct state st = up(), saved;
	bool done = true;

	st.ready = false;
	ok_eq(redirect_restore(&st, &done, &error), 0, "not ready");
	ok(!done, "nothing is done");
	st.ready = true;
	ok_eq(redirect_restore(&st, &done, &error), 0, "ready");
	ok(done, "it is redirected again");
	ok(st.ready, "and still ready");
	ok(st.stack.made_clsact, "clsact is still ours");
	ok_eq(fake.filters, 2, "with both filters");
	fake.dump_type = RTM_GETTFILTER;
	fake.dump_error = -EPERM;
	ok_eq(redirect_restore(&st, &done, &error), -EPERM,
	      "what cannot be undone is an error");
	ok(!done, "and nothing is redirected");
	fake.dump_error = 0;
	redirect_restore(&st, &done, &error);
	need("ip link set v0 down; ip link set v0 name v9; ip link add v0 type veth peer name v8");
	fake.lower = 0;
	ok_eq(redirect_restore(&st, &done, &error), 0, "another device");
	ok(done, "of the same name is redirected");
	ok_eq(st.stack.ifindex, netlink_ifindex("v0"), "with its number");
	ok_eq(fake.lower, netlink_ifindex("v0"), "and the queue sends by it");
	ok(sh("tc qdisc show dev v9 | grep -q clsact"), "the old one is free");
	need("ip link del v0; ip link add v0 type veth peer name v8; tc qdisc add dev v0 ingress");
	ok_eq(redirect_restore(&st, &done, &error), -EBUSY, "one with ingress");
	ok(!done, "is not redirected");
	ok(st.ready, "but may be replaced again");
	state_load("v0", &saved);
	ok(saved.ready, "so says the file");
	state_free(&saved);
	need("ip link del v0; ip link set v9 name v0; ip link set v0 up");
	stack_down(&st.stack, &error);
	state_remove("v0");
	remove_all();
}

static void test_guard(void)
{
	struct state st = up();
	char at_once[64];

	ok_eq(redirect_guard(&st, &netns_logs, &error), 0, "all is well");
	ok_str(netns_logged(), "", "nothing is said");
	need("ip link set opt-v0 down");
	ok_eq(redirect_guard(&st, &netns_logs, &error), 0, "the queue is down");
	ok_str(netns_logged(), "opt-v0 is gone or down: v0 sends without a queue",
	       "the redirect is removed");
	ok_eq(fake.filters, 0, "really");
	ok_eq(redirect_guard(&st, &netns_logs, &error), 0, "look again");
	ok_str(netns_logged(), "", "once is enough");
	need("ip link set opt-v0 up");
	ok_eq(redirect_guard(&st, &netns_logs, &error), 0, "the queue is back");
	ok_str(netns_logged(), "v0 had lost the redirect to opt-v0: made again",
	       "and so is the redirect");
	ok_eq(fake.filters, 2, "really");
	need("ip link set opt-v0 down");
	fake.dump_type = RTM_GETTFILTER;
	fake.dump_error = -EPERM;
	ok_eq(redirect_guard(&st, &netns_logs, &error), -EPERM,
	      "what cannot be removed is an error");
	ok_str(netns_logged(), "", "and no success");
	need("ip link set opt-v0 up");
	ok_eq(redirect_guard(&st, &netns_logs, &error), -EPERM,
	      "and so is what cannot be read");
	fake.dump_error = 0;
	st.stack.ifindex++;
	fake.filters = 0;
	ok_eq(redirect_guard(&st, &netns_logs, &error), 0, "another device");
	st.stack.ifindex--;
	st.netns = 1;
	ok_eq(redirect_guard(&st, &netns_logs, &error), 0, "another namespace");
	ok_eq(fake.filters, 0, "are not touched");
	snprintf(at_once, sizeof(at_once), "%s", netns_logged());
	ok_str(at_once, "", "nor logged");
	st.netns = 0;
	stack_down(&st.stack, &error);
	state_remove("v0");
	remove_all();
}

int main(void)
{
	netns_enter();
	netns_cable("v0", "v1");
	test_plan();
	test_names();
	test_plan_root();
	test_up();
	test_older_link();
	test_keep_ifb();
	test_errors();
	test_user_filter();
	test_whole();
	test_own();
	test_restore();
	test_guard();
	return tap_done();
}
