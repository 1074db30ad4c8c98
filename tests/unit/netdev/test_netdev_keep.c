// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_netdev_keep - addresses and routes that an interface loses, kept on
 * another one of the kernel
 */
#include "base/clock.h"
#include "netdev/keep.h"
#include "netdev/device.h"
#include "netdev/link_thread.h"
#include "netdev/network.h"
#include "netdev/state.h"
#include "netns.h"
#include "fake_module.h"

enum { SECOND = 1000, TURNS = 60 };

/* Is v0 a radio, and of which network? */
static bool wireless;
static struct network wifi;

bool __real_device_is_wireless(const char *dev);
bool __wrap_device_is_wireless(const char *dev);
bool __wrap_network_read(const char *dev, struct network *n);

bool __wrap_device_is_wireless(const char *dev)
{
	return wireless || __real_device_is_wireless(dev);
}

bool __wrap_network_read(const char *dev, struct network *n)
{
	*n = wifi;
	return !strcmp(dev, "v0") && n->ssid_len;
}

static struct error error;
static struct keep *keep;
static uint64_t now = 100 * SECOND;

/* Look at once, as after an event */
static void turn(uint64_t ms)
{
	now += ms;
	keep_turn(keep, now);
}

/* Change something, and handle its events */
#define change(...) do {						\
	need(__VA_ARGS__);						\
	netns_event(keep_fd(keep));					\
	turn(10);							\
} while (0)

/* Handle events until @condition, at the same time */
#define until(condition) ({						\
	for (int turns = 0; turns < TURNS && !(condition); turns++) {	\
		turn(0);						\
		if (!(condition) && !netns_event(keep_fd(keep)))	\
			break;						\
	}								\
	!!(condition);							\
})

/* The other end of the cable is set up or down */
static void carrier(bool up)
{
	struct nl_sock *sk = netlink_listen(RTNLGRP_LINK);

	need("ip link set v1 %s", up ? "up" : "down");
	while (netns_is_up("v0") != up &&
	       netns_event(nl_socket_get_fd(sk)))
		netlink_receive(sk, NULL, NULL);
	nl_socket_free(sk);
	if (keep)
		turn(0);
}

static bool is_local(const char *addr)
{
	return !sh("ip route show table local dev keep-v0 | grep -qw %s", addr);
}

static bool has_route(const char *route)
{
	return !sh("ip route show dev keep-v0 | grep -q '^%s'", route);
}

static const char *text(void)
{
	static char all[KEEP_TEXT];

	keep_text(keep, all);
	return all;
}

static void start(void)
{
	struct state st = {
		.stack = { .dev = "v0", .queue = "opt-v0", .egress = true },
	};

	if (state_save(&st, &error))
		abort();
	keep = keep_open("v0", &netns_logs);
	turn(0);
}

static void restart(void)
{
	keep_close(keep);
	keep = NULL;
	need("ip link del keep-v0; ip addr flush dev v0");
	carrier(false);
	carrier(true);
	need("ip link add keep-v0 type ifb; ip link set keep-v0 up");
	need("ip addr add 10.1.0.1/24 dev v0; ip route add default via 10.1.0.9");
	netns_logged();
	start();
	netns_logged();
}

/*
 * Keep
 */

static void test_keep(void)
{
	start();
	ok_eq(keep_ifindex(keep), netlink_ifindex("keep-v0"), "it has a device");
	ok_eq(fake.link, keep_ifindex(keep), "which sends");
	ok_eq(fake.lower, netlink_ifindex("v0"), "by the interface");
	ok_str(out("cat /sys/class/net/v0/address | tr -d :"),
	       out("printf %02x%02x%02x%02x%02x%02x", fake.source[0],
		   fake.source[1], fake.source[2], fake.source[3],
		   fake.source[4], fake.source[5]), "with its link address");
	ok(is_local("10.1.0.1"), "its address is local there, too");
	ok(has_route("default via 10.1.0.9"), "the default route");
	ok(has_route("10.1.0.0/24"), "and that of its subnet");
	ok(!sh("ip route show dev keep-v0 | grep default | grep -q 'src 10.1.0.1'"),
	   "leave with its address");
	ok(!sh("ip addr show dev keep-v0 | grep -q '192.0.0.8/32.*host'"),
	   "with a marker");
	ok_str(out("cat /sys/class/net/keep-v0/mtu"),
	       out("cat /sys/class/net/v0/mtu"), "and the same MTU");
	ok_str(text(), "", "nothing is lost");
	ok_str(netns_logged(), "", "or logged");
	for (int i = 0; i < KEEP_ROUTES; i++)
		turn(2 * SECOND);
	ok_str(netns_logged(), "", "and so it stays");
}

static void test_lost(void)
{
	change("ip addr del 10.1.0.1/24 dev v0");
	ok_str(netns_logged(), "v0 has lost 10.1.0.1: kept on keep-v0",
	       "the address is lost");
	ok_str(text(), "10.1.0.1: lost by v0, kept on keep-v0", "it is kept");
	ok(is_local("10.1.0.1"), "it is local all the time");
	ok(has_route("default via 10.1.0.9"), "and has a route");
	turn(5 * SECOND);
	ok(is_local("10.1.0.1"), "for longer");
	change("ip addr add 10.1.0.1/24 dev v0");
	ok_str(text(), "", "until it is back");
	ok_str(netns_logged(), "", "without a line");
	ok(is_local("10.1.0.1"), "and it is still kept");
}

static void test_superseded(void)
{
	fake.qdisc = netlink_ifindex("opt-v0");
	fake.messages = 3;
	change("ip addr del 10.1.0.1/24 dev v0");
	netns_logged();
	fake.opts_len = 0;
	change("ip addr add 10.4.0.1/24 dev v0");
	ok_str(netns_logged(), "v0 has the address 10.4.0.1 now, 10.1.0.1 is given up\n"
	       "v0: 3 messages were held for the former network: dropped",
	       "another address takes its place");
	ok(fake_opt(TCA_OPTSAMPLE_FLUSH), "the queue is flushed");
	ok(!is_local("10.1.0.1"), "the former one is not kept");
	ok(!has_route("default via 10.1.0.9"), "nor its routes");
	ok(is_local("10.4.0.1"), "but the new one");
	fake.messages = 0;
	change("ip addr add 10.5.0.1/24 dev v0");
	ok_str(netns_logged(), "", "a second address is no other network");
	ok(is_local("10.4.0.1"), "the first one stays");
	restart();
}

static void test_lease(void)
{
	change("ip addr change 10.1.0.1/24 dev v0 valid_lft 100 preferred_lft 100");
	change("ip addr del 10.1.0.1/24 dev v0");
	netns_logged();
	turn(50 * SECOND);
	ok(is_local("10.1.0.1"), "within its lease an address is kept");
	fake.opts_len = 0;
	turn(50 * SECOND - 10);	/* to its very end */
	ok_str(netns_logged(), "v0: 10.1.0.1 is given up: its lease is over",
	       "then no longer");
	ok(!is_local("10.1.0.1"), "it is gone");
	ok(fake_opt(TCA_OPTSAMPLE_FLUSH), "and its messages");
	restart();
}

static void test_unwanted(void)
{
	turn(61 * SECOND);
	change("ip addr del 10.1.0.1/24 dev v0");
	netns_logged();
	turn(60 * SECOND);
	ok_str(netns_logged(), "", "for a minute it may come back");
	turn(2 * SECOND);
	ok_str(netns_logged(), "v0: 10.1.0.1 is given up: it was taken away for good",
	       "if the link is up");
	restart();
	turn(61 * SECOND);
	carrier(false);
	change("ip addr del 10.1.0.1/24 dev v0");
	turn(120 * SECOND);
	ok(is_local("10.1.0.1"), "in an outage it is kept for longer");
	carrier(true);
	restart();
}

/* One that is missing while DEV has another of the family */
static void test_settled(void)
{
	change("ip addr add 10.5.0.1/24 dev v0");
	turn(11 * SECOND);
	change("ip addr del 10.5.0.1/24 dev v0");
	ok(is_local("10.5.0.1"), "at first it is kept");
	netns_logged();
	turn(8 * SECOND);
	turn(2 * SECOND);
	ok(is_local("10.5.0.1"), "as managers remove them one by one");
	turn(2 * SECOND);
	ok(!is_local("10.5.0.1"), "then it was meant");
	ok_str(netns_logged(), "v0: 10.5.0.1 is given up: it was taken away for good",
	       "and is logged");
	change("ip route add 203.0.113.0/24 via 10.1.0.9");
	ok(has_route("203.0.113.0/24 via 10.1.0.9"), "a new route");
	change("ip route replace 203.0.113.0/24 via 10.1.0.8");
	ok(has_route("203.0.113.0/24 via 10.1.0.8"), "by another gateway");
	change("ip route del 203.0.113.0/24");
	ok(has_route("203.0.113.0/24"), "one that is lost");
	turn(9 * SECOND);
	turn(2 * SECOND);
	ok(!has_route("203.0.113.0/24"), "is not kept for longer");
	change("ip route add 203.0.113.7/32 via 10.1.0.9");
	ok(!has_route("203.0.113.7"), "that of a tunnel's end is not at all");
	restart();
}

/*
 * Another network?
 */

static void test_cable(void)
{
	fake.qdisc = netlink_ifindex("opt-v0");
	change("ip addr change 10.1.0.1/24 dev v0 valid_lft 1000 preferred_lft 1000");
	carrier(false);
	change("ip addr del 10.1.0.1/24 dev v0");
	netns_logged();
	fake.opts_len = 0;
	carrier(true);
	ok_eq(fake_u32(TCA_OPTSAMPLE_PAUSE), 3000,
	      "after an outage flows wait for a lease to be confirmed");
	fake.opts_len = 0;
	change("ip addr add 10.1.0.1/24 dev v0 valid_lft 1000 preferred_lft 1000");
	ok_eq(fake_u32(TCA_OPTSAMPLE_PAUSE), 0, "then they leave");
	ok_str(netns_logged(), "", "without a line");
	carrier(false);
	change("ip addr del 10.1.0.1/24 dev v0");
	netns_logged();
	carrier(true);
	turn(28 * SECOND - 1);
	turn(2 * SECOND);
	ok_eq(fake_u32(TCA_OPTSAMPLE_PAUSE), 3000, "for half a minute");
	turn(2 * SECOND);
	ok_eq(fake_u32(TCA_OPTSAMPLE_PAUSE), 0, "and no longer");
	ok_str(netns_logged(), "v0: no address confirmed in the new network: sending held messages",
	       "which is logged");
	restart();
	carrier(false);
	change("ip addr del 10.1.0.1/24 dev v0");
	fake.opts_len = 0;
	carrier(true);
	ok(!fake_opt(TCA_OPTSAMPLE_PAUSE),
	   "an address without a lease is valid anywhere");
	fake.qdisc = 0;
	restart();
}

static void join(const char *ssid)
{
	wifi.ssid_len = strlen(ssid);
	memcpy(wifi.ssid, ssid, wifi.ssid_len);
}

static void roam(const char *ssid)
{
	carrier(false);
	join(ssid);
	fake.opts_len = 0;
	carrier(true);
}

/* A radio knows its network by its name */
static void test_wifi(void)
{
	struct state st = {
		.stack = { .dev = "v0", .queue = "opt-v0", .egress = true },
		.settles = true,
	};

	fake.qdisc = netlink_ifindex("opt-v0");
	wireless = true;
	restart();
	roam("home");
	ok(!fake_opt(TCA_OPTSAMPLE_PAUSE), "the first network is as good as any");
	change("ip addr change 10.1.0.1/24 dev v0 valid_lft 1000 preferred_lft 1000");
	roam("home");
	ok_eq(fake_u32(TCA_OPTSAMPLE_PAUSE), 0,
	      "back in the same one nothing is held any longer");
	ok_str(netns_logged(), "", "without a line");
	roam("work");
	ok_str(netns_logged(), "v0 is in another Wi-Fi network: holding messages until it has an address",
	       "another network");
	ok_eq(fake_u32(TCA_OPTSAMPLE_PAUSE), 3000, "flows wait for an address");
	fake.opts_len = 0;
	/* time stands still, or the kernel's lease would seem to be renewed */
	change("ip link set v0 alias one");
	ok_eq(fake_u32(TCA_OPTSAMPLE_PAUSE), 3000, "and wait");
	fake.opts_len = 0;
	change("ip addr change 10.1.0.1/24 dev v0 valid_lft 2000 preferred_lft 2000");
	ok_eq(fake_u32(TCA_OPTSAMPLE_PAUSE), 0, "until its lease is renewed");
	fake.opts_len = 0;
	turn(5 * SECOND);
	ok(!fake_opt(TCA_OPTSAMPLE_PAUSE), "and no longer");
	/* the name may be known later */
	roam("");
	ok(!fake_opt(TCA_OPTSAMPLE_PAUSE), "a network without a name yet");
	change("ip link set v0 alias two");
	ok_str(netns_logged(), "", "is awaited");
	join("home");
	change("ip link set v0 alias three");
	ok_str(netns_logged(), "v0 is in another Wi-Fi network: holding messages until it has an address",
	       "then it is another one");
	ok_eq(fake_u32(TCA_OPTSAMPLE_PAUSE), 3000, "and flows wait");
	netns_logged();
	fake.opts_len = 0;
	change("ip addr add 10.7.0.1/24 dev v0");
	ok_eq(fake_u32(TCA_OPTSAMPLE_PAUSE), 0, "for a new address");
	ok(!is_local("10.1.0.1"), "that of the former network is given up");
	/* what has no lease is valid anywhere */
	change("ip addr flush dev v0; ip addr add 10.1.0.1/24 dev v0");
	roam("work");
	ok_eq(fake_u32(TCA_OPTSAMPLE_PAUSE), 0,
	      "an address without a lease needs no renewal");
	keep_close(keep);
	if (state_save(&st, &error))
		abort();
	keep = keep_open("v0", &netns_logs);
	turn(0);
	roam("work");
	roam("work");
	ok(!fake_opt(TCA_OPTSAMPLE_PAUSE),
	   "for how long a link settles may be the user's choice");
	wireless = false;
	fake.qdisc = 0;
	restart();
}

static void test_no_queue(void)
{
	int before;

	change("ip addr change 10.1.0.1/24 dev v0 valid_lft 1000 preferred_lft 1000");
	carrier(false);
	change("ip addr del 10.1.0.1/24 dev v0");
	netns_logged();
	before = netns_errors;
	carrier(true);
	ok(netns_errors > before, "a queue that is lost is an error");
	ok_str(netns_logged(), "opt-v0 has no optsample qdisc", "with its line");
	restart();
}

/*
 * IPv6
 */

static bool has6(const char *dev, const char *addr)
{
	return !sh("ip -6 addr show dev %s | grep -q '%s/'", dev, addr);
}

static void test_ipv6(void)
{
	change("ip addr add 2001:db8:1::1/64 dev v0 nodad");
	ok(until(has6("keep-v0", "2001:db8:1::1")), "an address of IPv6 is set there");
	ok(!sh("ip -6 addr show dev keep-v0 | grep 2001:db8:1::1 | grep -q deprecated"),
	   "and never preferred");
	ok(until(!sh("ip -6 route show dev keep-v0 | grep -q '2001:db8:1::/64.*expires'")),
	   "its route has a lifetime");
	ok(sh("ip -6 route show dev keep-v0 | grep -q ^fe80.*metric.42949"),
	   "that of the link is not copied");
	change("ip addr del 2001:db8:1::1/64 dev v0");
	ok(has6("keep-v0", "2001:db8:1::1"), "it is kept");
	change("ip addr add 2001:db8:2::1/64 dev v0 nodad");
	ok(until(!has6("keep-v0", "2001:db8:1::1")), "until there is another one");
	change("ip addr add 169.254.3.4/16 dev v0");
	ok(!is_local("169.254.3.4"), "what a client takes without a server");
	restart();
}

/* The kernel does not let us set IFA_F_TEMPORARY; this is how it is restored */
static void test_temporary(void)
{
	change("ip addr add 2001:db8:1::1/64 dev v0 nodad");
	change("ip addr add 2001:db8:1::77/64 dev v0 nodad noprefixroute preferred_lft 0 valid_lft 1000");
	ok(until(has6("keep-v0", "2001:db8:1::77")), "a temporary address is kept");
	change("ip addr del 2001:db8:1::77/64 dev v0; ip addr del 2001:db8:1::1/64 dev v0");
	ok(until(!has6("v0", "2001:db8:1::77")), "it is removed with its base");
	ok(has6("keep-v0", "2001:db8:1::77"), "and kept");
	change("ip addr add 2001:db8:1::1/64 dev v0 nodad");
	ok(until(has6("v0", "2001:db8:1::77")), "with its base it is restored");
	change("ip addr del 2001:db8:1::77/64 dev v0");
	turn(3 * SECOND);
	ok(!has6("v0", "2001:db8:1::77"), "if it ends alone it is not");
	restart();
}

/* A route that had a temporary address as its source gets another one */
static void test_temporary_source(void)
{
	const char *six = "nodad noprefixroute preferred_lft 0";

	change("ip addr add 2001:db8:1::1/64 dev v0 nodad");
	change("ip addr add 2001:db8:1::77/64 dev v0 %s valid_lft 20", six);
	ok(until(has6("keep-v0", "2001:db8:1::77")), "a temporary address");
	change("ip addr del 2001:db8:1::77/64 dev v0");
	netns_logged();
	fake.opts_len = 0;
	turn(21 * SECOND);
	ok(!has6("keep-v0", "2001:db8:1::77"), "is given up at its end");
	ok_str(netns_logged(), "v0: 2001:db8:1::77 is given up: its lease is over",
	       "which is logged");
	ok(has6("keep-v0", "2001:db8:1::1"), "its base is not");
	ok(!sh("ip -6 route show dev keep-v0 | grep -q '2001:db8:1::/64'"),
	   "nor its route");
	ok(!fake_opt(TCA_OPTSAMPLE_FLUSH), "and nothing is flushed");
	for (int i = 0; i < KEEP_TEMPORARY + 2; i++)
		need("ip addr add 2001:db8:1::1%d/64 dev v0 %s valid_lft 1000",
		     i, six);
	netns_lines = 0;
	until(netns_lines);
	ok_str(netns_logged(), "v0 has more than 8 temporary addresses: the others are not kept",
	       "more of them than may be kept");
	ok_eq(atoi(out("ip -6 addr show dev keep-v0 | grep -c 2001:db8:1::1./")),
	      KEEP_TEMPORARY, "so many are");
	restart();
}

static void test_routes(void)
{
	need("for i in $(seq 0 39); do echo route add 10.9.$i.0/24 via 10.1.0.9; done | ip -batch -");
	until(has_route("10.9.39.0/24"));
	netns_lines = 0;
	need("for i in $(seq 0 39); do echo route del 10.9.$i.0/24; done | ip -batch -");
	need("for i in $(seq 40 79); do echo route add 10.9.$i.0/24 via 10.1.0.9; done | ip -batch -");
	until(netns_lines);
	ok_str(netns_logged(), "v0 has more than 64 routes: the others are not kept",
	       "more routes than there is room for");
	ok_eq(atoi(out("ip route show dev keep-v0 | wc -l")), KEEP_ROUTES,
	      "so many are kept");
	change("ip route flush dev v0; ip addr del 10.1.0.1/24 dev v0");
	ok_eq(atoi(out("ip route show dev keep-v0 | wc -l")), KEEP_ROUTES,
	      "as long as they are lost");
	netns_logged();
	turn(3 * SECOND);
	ok_str(netns_logged(), "", "it is logged once");
	restart();
}

/* What a device does not take is tried again, and logged once */
static void test_refused(void)
{
	need("ip link set keep-v0 down");
	netns_lines = 0;
	change("ip route add 203.0.113.0/24 via 10.1.0.9");
	ok(strstr(netns_logged(), "keep-v0 does not take "), "a device that is down");
	turn(3 * SECOND);
	ok_str(netns_logged(), "", "is logged once");
	need("ip link set keep-v0 up");
	turn(11 * SECOND);
	ok(has_route("203.0.113.0/24"), "it is tried again");
	restart();
}

static void test_full(void)
{
	need("for i in $(seq 20); do echo addr add 10.2.$i.1/32 dev v0; done | ip -batch -");
	netns_event(keep_fd(keep));
	turn(10);
	need("ip addr flush dev v0");
	netns_event(keep_fd(keep));
	turn(10);
	netns_lines = 0;
	need("for i in $(seq 20); do echo addr add 2001:db8:1::$i/128 dev v0 nodad; done | ip -batch -");
	until(netns_lines);
	ok_str(netns_logged(), "v0 has more than 32 addresses: the others are not kept",
	       "more addresses than there is room for");
	turn(3 * SECOND);
	ok_str(netns_logged(), "", "are logged once");
	restart();
}

/*
 * Other ends
 */

static void test_inherit(void)
{
	change("ip addr del 10.1.0.1/24 dev v0");
	keep_close(keep);
	netns_logged();
	start();
	ok_str(text(), "10.1.0.1: lost by v0, kept on keep-v0",
	       "the next daemon adopts what is kept");
	ok(is_local("10.1.0.1"), "and keeps it");
	change("ip addr add 10.1.0.1/24 dev v0");
	ok_str(text(), "", "until it is back");
	restart();
}

static void test_removed(void)
{
	need("ip link del v0");
	netns_event(keep_fd(keep));
	turn(10);
	ok(is_local("10.1.0.1"), "a radio that is removed keeps its address");
	ok_str(text(), "10.1.0.1: lost by v0, kept on keep-v0", "on keep-v0");
	netns_cable("v0", "v1");
	fake.lower = 0;
	change("ip addr add 10.1.0.1/24 dev v0");
	ok_eq(fake.lower, netlink_ifindex("v0"), "which sends by the next one");
	ok_str(text(), "", "that has the address again");
	restart();
	keep_close(keep);
	need("ip link del keep-v0");
	start();
	ok_eq(keep_ifindex(keep), 0, "without its device");
	turn(3 * SECOND);
	ok_str(text(), "", "nothing is kept");
	keep_close(keep);
	keep = NULL;
	keep_close(keep);
}

static void test_thread(void)
{
	struct link_report r = { 0 };
	struct link_thread *t;
	struct nl_sock *sk;
	uint64_t end;

	need("ip link add keep-v0 type ifb; ip link set keep-v0 up");
	sk = netlink_listen(RTNLGRP_IPV4_ROUTE);
	t = link_thread_start("v0", "v0", -1, -1, &netns_logs);
	ok(netns_event(nl_socket_get_fd(sk)), "the thread keeps the address");
	while (!is_local("10.1.0.1") && netns_event(nl_socket_get_fd(sk)))
		netlink_receive(sk, NULL, NULL);
	need("ip addr del 10.1.0.1/24 dev v0");
	end = monotonic_ms() + NETNS_EVENT_MS;
	while (!link_thread_report(t, &r) && monotonic_ms() < end)
		sched_yield();
	ok_str(r.kept, "10.1.0.1: lost by v0, kept on keep-v0",
	       "and reports that it is lost");
	ok(!link_thread_report(t, &r), "once");
	link_thread_stop(t);
	nl_socket_free(sk);
}

int main(void)
{
	netns_enter();
	netns_cable("v0", "v1");
	need("ip link add keep-v0 type ifb; ip link set keep-v0 up; ip link add opt-v0 type ifb");
	need("ip addr add 10.1.0.1/24 dev v0; ip route add default via 10.1.0.9");
	test_keep();
	test_lost();
	test_superseded();
	test_lease();
	test_unwanted();
	test_settled();
	test_cable();
	test_wifi();
	test_no_queue();
	test_ipv6();
	test_temporary();
	test_temporary_source();
	test_routes();
	test_refused();
	test_full();
	test_inherit();
	test_removed();
	test_thread();
	return tap_done();
}
