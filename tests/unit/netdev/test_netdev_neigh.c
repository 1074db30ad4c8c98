// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_netdev_neigh - neighbour entries in an outage, in the kernel's own table
 */
#include <bpf/bpf.h>
#include "base/clock.h"
#include "bpf/ros_tag.h"
#include "netdev/classifier.h"
#include "netdev/link_thread.h"
#include "netdev/neigh.h"
#include "netdev/neigh_file.h"
#include "netdev/netlink.h"
#include "netdev/state.h"
#include "netns.h"

enum { KEEP = 0, TURNS = 60 };

static struct error error;
static struct neigh_table *table;
static uint64_t now = 1000;
static int keep;

/* State of an entry: "lladdr 02:00:00:00:00:07 PERMANENT" */
static const char *entry(const char *dev, const char *addr)
{
	return out("ip neigh show %s dev %s | sed 's/^[^ ]* //; s/ router//; s/ *$//'",
		   addr, dev);
}

/* Handle events until the entry is @want, as long as there are events */
static bool becomes(const char *addr, const char *want)
{
	for (int i = 0; i < TURNS; i++) {
		now += 100;
		neigh_turn(table, keep, now);
		if (strstr(entry("v0", addr), want))
			return true;
		if (!netns_event(neigh_fd(table)))
			break;
	}
	printf("# %s is \"%s\", not \"%s\"\n", addr, entry("v0", addr), want);
	return false;
}

static void note(const struct ip_addr *a, bool peer, int ifindex, void *arg)
{
	char text[IP_ADDR_TEXT];

	(void)ifindex;
	sprintf((char *)arg + strlen(arg), "%s%s ", peer ? "peer " : "",
		ip_addr_text(a, text));
}

static const char *file(void)
{
	static char all[4096];

	*all = '\0';
	neigh_file_read("v0", note, all);
	return all;
}

static void set_reachable(const char *addr, const char *lladdr)
{
	need("ip neigh replace %s lladdr %s dev v0 nud reachable", addr,
	     lladdr);
}

/*
 * Peers
 */

static void test_parse(void)
{
	ok_eq(neigh_peer("v0", "robot", &error), -EINVAL, "no address");
	ok_str(error.text, "peer robot is not an IP address", "is no peer");
	ok_eq(neigh_peer("v0", "10.1.0.7", &error), 0, "a peer");
	ok_eq(neigh_peer("v0", "192.0.2.5", &error), 0, "one by the gateway");
	ok_eq(neigh_peer("v0", "10.1.0.7", &error), 0, "the same twice");
}

static void test_permanent(void)
{
	table = neigh_open("v0", "v0", -1, -1, &netns_logs);
	ok(table, "watch the neighbours");
	neigh_turn(table, KEEP, now);
	ok_str(file(), "peer 10.1.0.7 peer 192.0.2.5 ", "peers are kept once");
	ok(!strstr(entry("v0", "10.1.0.7"), "PERMANENT"),
	   "nothing is permanent before it is confirmed");
	set_reachable("10.1.0.7", "02:00:00:00:00:07");
	ok(becomes("10.1.0.7", "02:00:00:00:00:07 PERMANENT"),
	   "what the kernel has confirmed is permanent");
	ok(strstr(file(), "10.1.0.7 "), "and in the file: %s", file());
	ok(strstr(file(), "peer"), "and in the file: %s", file());
	set_reachable("10.1.0.9", "02:00:00:00:00:09");
	ok(becomes("10.1.0.9", "02:00:00:00:00:09 PERMANENT"),
	   "so is the gateway to a peer");
	set_reachable("10.1.0.8", "02:00:00:00:00:08");
	ok(becomes("10.1.0.8", "REACHABLE"), "others stay as they are");
	ok(!neigh_is_full(table), "there is room for more");
}

static void test_outage(void)
{
	need("ip link set v1 down");
	ok(becomes("10.1.0.7", "PERMANENT"), "in an outage it stays");
	need("ip neigh del 10.1.0.7 dev v0");
	ok(becomes("10.1.0.7", "02:00:00:00:00:07 PERMANENT"),
	   "even if a manager removes it");
	need("ip link set v1 up");
	ok(becomes("10.1.0.7", "02:00:00:00:00:07 PROBE"),
	   "after it the kernel verifies it");
	set_reachable("10.1.0.7", "02:00:00:00:00:77");
	ok(becomes("10.1.0.7", "02:00:00:00:00:77 PERMANENT"),
	   "and finds another link address");
}

static void test_new_address(void)
{
	need("ip addr add 10.1.0.2/24 dev v0");
	ok(becomes("10.1.0.7", "PROBE"), "a new address may mean another network");
	set_reachable("10.1.0.7", "02:00:00:00:00:07");
	ok(becomes("10.1.0.7", "PERMANENT"), "it is confirmed");
	need("ip addr add 2001:db8:1::1/64 dev v0 nodad");
	ok(becomes("10.1.0.7", "PROBE"), "so may one of IPv6");
	set_reachable("10.1.0.7", "02:00:00:00:00:07");
	ok(becomes("10.1.0.7", "PERMANENT"), "it is confirmed again");
	/* a router refreshes its address: no new network */
	need("ip addr change 2001:db8:1::1/64 dev v0 nodad valid_lft 1000 preferred_lft 1000");
	need("ip link set v1 alias event");
	netns_event(neigh_fd(table));
	neigh_turn(table, KEEP, now += 100);
	ok(strstr(entry("v0", "10.1.0.7"), "PERMANENT"),
	   "a longer lifetime does not");
	/* nor does one that is deprecated, nor its end */
	need("ip addr add 2001:db8:2::1/64 dev v0 nodad preferred_lft 0; ip addr del 2001:db8:2::1/64 dev v0");
	netns_event(neigh_fd(table));
	neigh_turn(table, KEEP, now += 100);
	need("ip addr change 2001:db8:1::1/64 dev v0 nodad valid_lft 900 preferred_lft 900");
	netns_event(neigh_fd(table));
	neigh_turn(table, KEEP, now += 100);
	ok(strstr(entry("v0", "10.1.0.7"), "PERMANENT"),
	   "nor the end of one that was deprecated");
	need("ip addr del 2001:db8:1::1/64 dev v0");
}

static void test_others(void)
{
	need("ip neigh replace 10.1.0.9 lladdr 02:00:00:00:00:99 dev v0 nud stale");
	ok(becomes("10.1.0.9", "02:00:00:00:00:99 PROBE"),
	   "what is stale is verified");
	need("ip neigh replace 10.1.0.9 lladdr 02:00:00:00:00:0a dev v0 nud permanent");
	ok(becomes("10.1.0.9", "02:00:00:00:00:0a PERMANENT"),
	   "a permanent entry of the user");
	need("ip link set v1 down");
	ok(becomes("10.1.0.9", "02:00:00:00:00:0a PERMANENT"),
	   "is the user's in an outage");
	need("ip link set v1 up");
	ok(becomes("10.1.0.7", "PROBE"), "after it");
	ok(strstr(entry("v0", "10.1.0.9"), "02:00:00:00:00:0a PERMANENT"),
	   "and then");
}

static void link_set(const char *state)
{
	need("ip link set v1 %s", state);
	netns_event(neigh_fd(table));
	neigh_turn(table, KEEP, now += 100);
}

/* An event of the link that is up all the time is no outage */
static void test_link_event(void)
{
	set_reachable("10.1.0.7", "02:00:00:00:00:07");
	ok(becomes("10.1.0.7", "PERMANENT"), "an entry");
	need("ip link set v0 mtu 1400");
	netns_event(neigh_fd(table));
	neigh_turn(table, KEEP, now += 100);
	ok(strstr(entry("v0", "10.1.0.7"), "PERMANENT"),
	   "is not verified because of another MTU");
	need("ip neigh del 10.1.0.7 dev v0");
	ok(becomes("10.1.0.7", "02:00:00:00:00:07 PROBE"),
	   "one that is deleted is verified, as the link is up");
	set_reachable("10.1.0.7", "02:00:00:00:00:07");
	ok(becomes("10.1.0.7", "PERMANENT"), "then it is permanent");
	need("ip -4 addr flush dev v0");
	ok(becomes("10.1.0.7", "02:00:00:00:00:07 PROBE"),
	   "so is one that is flushed with the address");
	need("ip addr add 10.1.0.1/24 dev v0; ip addr add 10.1.0.2/24 dev v0; ip route add 192.0.2.0/24 via 10.1.0.9");
	netns_event(neigh_fd(table));
	neigh_turn(table, KEEP, now += 100);
	set_reachable("10.1.0.7", "02:00:00:00:00:07");
	ok(becomes("10.1.0.7", "PERMANENT"), "then it is permanent");
}

/* More events than the socket holds: all is read again */
static void test_lost_events(void)
{
	int small = 4096;

	setsockopt(neigh_fd(table), SOL_SOCKET, SO_RCVBUF, &small,
		   sizeof(small));
	need("for i in $(seq 60); do echo link set v1 alias x$i; done | ip -batch -; ip neigh del 10.1.0.7 dev v0");
	neigh_turn(table, KEEP, now += 100);
	ok(strstr(entry("v0", "10.1.0.7"), "02:00:00:00:00:07 PROBE"),
	   "an entry is missed although its event was lost");
	set_reachable("10.1.0.7", "02:00:00:00:00:07");
	ok(becomes("10.1.0.7", "PERMANENT"), "it is confirmed");
	need("for i in $(seq 60); do echo link set v1 alias x$i; done | ip -batch -");
	neigh_turn(table, KEEP, now += 100);
	ok(strstr(entry("v0", "10.1.0.7"), "PERMANENT"),
	   "if nothing has changed nothing is verified");
	need("for i in $(seq 60); do echo link set v1 alias x$i; done | ip -batch -; ip addr add 2001:db8:7::1/64 dev v0 nodad");
	neigh_turn(table, KEEP, now += 100);
	ok(strstr(entry("v0", "10.1.0.7"), "PROBE"),
	   "but for a new address whose event was lost");
	set_reachable("10.1.0.7", "02:00:00:00:00:07");
	ok(becomes("10.1.0.7", "PERMANENT"), "it is confirmed again");
	need("for i in $(seq 60); do echo link set v1 alias x$i; done | ip -batch -; ip link set v1 down");
	neigh_turn(table, KEEP, now += 100);
	need("ip link set v1 up");
	ok(becomes("10.1.0.7", "PROBE"),
	   "after a link that went down when events were lost");
	set_reachable("10.1.0.7", "02:00:00:00:00:07");
	ok(becomes("10.1.0.7", "PERMANENT"), "once more");
	small = 1 << 20;
	setsockopt(neigh_fd(table), SOL_SOCKET, SO_RCVBUF, &small,
		   sizeof(small));
}

/* While the kernel verifies our entry the user makes it permanent */
static void test_taken_over(void)
{
	ok(strstr(entry("v0", "10.1.0.7"), "PROBE"), "an entry is verified");
	need("ip neigh replace 10.1.0.7 lladdr 02:00:00:00:00:17 dev v0 nud permanent");
	ok(becomes("10.1.0.7", "02:00:00:00:00:17 PERMANENT"),
	   "the user makes it permanent");
	link_set("down");
	link_set("up");
	ok_str(entry("v0", "10.1.0.7"), "lladdr 02:00:00:00:00:17 PERMANENT",
	       "it is not verified after an outage");
	set_reachable("10.1.0.7", "02:00:00:00:00:07");
	ok(becomes("10.1.0.7", "PERMANENT"), "until the user gives it back");
}

/* keep-DEV gets copies, which are permanent */
static void test_copies(void)
{
	need("ip link add keep-v0 type veth peer name k1; ip link set keep-v0 up");
	keep = netlink_ifindex("keep-v0");
	set_reachable("10.1.0.7", "02:00:00:00:00:07");
	ok(becomes("10.1.0.7", "PERMANENT"), "an entry");
	set_reachable("10.1.0.7", "02:00:00:00:00:17");
	ok(becomes("10.1.0.7", "02:00:00:00:00:17 PERMANENT"),
	   "that has another link address");
	ok_str(entry("keep-v0", "10.1.0.7"), "lladdr 02:00:00:00:00:17 PERMANENT",
	       "is copied");
	need("ip neigh del 10.1.0.7 dev keep-v0");
	for (int i = 0; i < TURNS && !*entry("keep-v0", "10.1.0.7"); i++) {
		netns_event(neigh_fd(table));
		neigh_turn(table, keep, now += 100);
	}
	ok_str(entry("keep-v0", "10.1.0.7"), "lladdr 02:00:00:00:00:17 PERMANENT",
	       "and copied again when it is lost");
	need("ip link del keep-v0");
	keep = 0;
}

/* The next daemon knows what this one made permanent */
static void test_inherit(void)
{
	neigh_close(table);
	ok(strstr(entry("v0", "10.1.0.7"), "PERMANENT"),
	   "without a daemon it stays");
	table = neigh_open("v0", "v0", -1, -1, &netns_logs);
	ok(becomes("10.1.0.7", "PROBE"),
	   "the next one has the kernel verify it");
	set_reachable("10.1.0.7", "02:00:00:00:00:07");
	ok(becomes("10.1.0.7", "PERMANENT"), "and keeps it");
}

static void test_release(void)
{
	need("ip neigh replace 10.1.0.9 lladdr 02:00:00:00:00:09 dev v0 nud reachable");
	ok(becomes("10.1.0.9", "PERMANENT"), "two entries");
	neigh_close(table);
	need("ip neigh replace 10.1.0.9 lladdr 02:00:00:00:00:09 dev v0 nud reachable");
	neigh_release("v0");
	ok(strstr(entry("v0", "10.1.0.7"), "STALE"), "are ordinary after down");
	ok(strstr(entry("v0", "10.1.0.9"), "REACHABLE"),
	   "but those that others have changed");
	ok_str(file(), "", "and forgotten");
	neigh_release("v0");
}

/* One that the kernel removes with the link, and never confirmed */
static void test_unconfirmed(void)
{
	neigh_peer("v0", "10.1.0.41", &error);
	table = neigh_open("v0", "v0", -1, -1, &netns_logs);
	neigh_turn(table, 0, now += 100);
	need("ip neigh replace 10.1.0.41 lladdr 02:00:00:00:00:41 dev v0 nud stale");
	ok(becomes("10.1.0.41", "PROBE"), "an entry that was never confirmed");
	need("ip link set v1 down");
	ok(becomes("10.1.0.41", "02:00:00:00:00:41 PERMANENT"),
	   "is kept in an outage, too");
	need("ip link set v1 up");
	ok(becomes("10.1.0.41", "02:00:00:00:00:41 PROBE"), "and verified after it");
	neigh_close(table);
	neigh_release("v0");
}

/*
 * Another device of the same name
 */

static void test_replaced(void)
{
	neigh_peer("v0", "10.1.0.7", &error);
	table = neigh_open("v0", "v0", -1, -1, &netns_logs);
	neigh_turn(table, 0, now += 100);
	set_reachable("10.1.0.7", "02:00:00:00:00:07");
	ok(becomes("10.1.0.7", "PERMANENT"), "an entry of a radio");
	need("ip link set v0 down; ip link set v0 name v9; ip link set v9 up");
	netns_cable("v0", "v2");
	need("ip addr add 10.1.0.1/24 dev v0; ip route add 10.1.0.7 dev v0");
	neigh_turn(table, 0, now += 100);
	set_reachable("10.1.0.7", "02:00:00:00:00:27");
	ok(becomes("10.1.0.7", "02:00:00:00:00:27 PERMANENT"),
	   "the next radio has its own");
	ok(!strstr(entry("v9", "10.1.0.7"), "PERMANENT"),
	   "and that of the former one is ordinary");
	neigh_close(table);
	need("ip link del v9");
}

/*
 * Destinations of flows, with the maps of the classifier
 */

static void put_flow(int map, uint32_t id, const char *to)
{
	struct ros_flow f = { .name = { .kind = ROS_RTPS }, .newest = 1 };
	struct ip_addr a;

	ip_addr_parse(to, &a);
	if (a.family == AF_INET6) {
		f.name.kind = ROS_RTPS6;
		memcpy(f.daddr6, a.addr, 16);
	}
	memcpy(&f.name.daddr, a.addr, 4);
	if (bpf_map_update_elem(map, &id, &f, BPF_ANY))
		abort();
}

/* Next hops that do not answer make room for those that do */
static void test_dead(int flows, int recent)
{
	char to[32];

	for (uint32_t id = 1; id < 500; id++)
		bpf_map_delete_elem(flows, &id);
	neigh_release("v0");
	need("ip neigh flush dev v0; ip neigh flush dev v0 nud permanent");
	table = neigh_open("v0", "v0", flows, recent, &netns_logs);
	for (int i = 0; i < NEIGH_MAX; i++) {
		snprintf(to, sizeof(to), "10.1.0.%d", 100 + i);
		put_flow(flows, 100 + i, to);
	}
	for (int i = 0; i < 3; i++)
		neigh_turn(table, 0, now += 2000);
	put_flow(flows, 500, "10.1.0.230");
	for (int i = 0; i < TURNS; i++) {
		set_reachable("10.1.0.230", "02:00:00:00:02:30");
		neigh_turn(table, 0, now += 2000);
		if (strstr(entry("v0", "10.1.0.230"), "PERMANENT"))
			break;
	}
	ok_str(entry("v0", "10.1.0.230"), "lladdr 02:00:00:00:02:30 PERMANENT",
	       "one that answers takes the place of one that does not");
	put_flow(flows, 501, "10.1.0.231");
	neigh_turn(table, 0, now += 2000);
	ok(!neigh_is_full(table), "one that does not answer does not count");
	neigh_close(table);
}

static void test_flows(void)
{
	int prog = classifier_load("v0", &error), flows, recent;
	char pins[CLASSIFIER_PATH], to[32];

	if (prog < 0)
		return;	/* no BPF for an ordinary user */
	close(prog);
	classifier_pins("v0", pins);
	flows = classifier_map(pins, "flows");
	recent = classifier_map(pins, "recent");
	table = neigh_open("v0", "v0", flows, recent, &netns_logs);
	neigh_turn(table, 0, now += 100);
	put_flow(flows, 1, "10.1.0.21");
	put_flow(flows, 2, "fe80::21");
	put_flow(flows, 3, "203.0.113.9");
	neigh_turn(table, 0, now += 100);
	set_reachable("10.1.0.21", "02:00:00:00:00:21");
	ok(becomes("10.1.0.21", "PERMANENT"), "the destination of a flow");
	set_reachable("fe80::21", "02:00:00:00:01:21");
	ok(becomes("fe80::21", "PERMANENT"), "one of the link alone");
	ok_str(entry("v0", "203.0.113.9"), "", "what has no route has no entry");
	need("for i in $(seq 100 163); do echo neigh replace 10.1.0.$i lladdr 02:00:00:00:02:01 dev v0 nud reachable; done | ip -batch -");
	for (int i = 0; i < NEIGH_MAX; i++) {
		snprintf(to, sizeof(to), "10.1.0.%d", 100 + i);
		put_flow(flows, 100 + i, to);
	}
	for (int i = 0; i < 4; i++)
		neigh_turn(table, 0, now += 2000);
	ok(neigh_is_full(table), "more than there is room for");
	ok_str(netns_logged(), "v0: more than 64 next hops: the entries of the others are not kept",
	       "are logged once");
	for (uint32_t id = 100; id < 100 + NEIGH_MAX; id++)
		bpf_map_delete_elem(flows, &id);
	neigh_turn(table, 0, now += 100);
	ok(!neigh_is_full(table), "until there are fewer");
	need("ip link add keep-v0 type veth peer name k1; ip link set keep-v0 up");
	keep = netlink_ifindex("keep-v0");
	need("for i in $(seq 100 163); do echo neigh add 10.1.0.$i lladdr 02:00:00:00:02:01 dev keep-v0 nud permanent; done | ip -batch -");
	set_reachable("10.1.0.222", "02:00:00:00:02:22");
	put_flow(flows, 400, "10.1.0.222");
	neigh_turn(table, keep, now += 2000);
	ok(becomes("10.1.0.222", "02:00:00:00:02:22 PERMANENT"),
	   "one that is used takes the place of one that is not");
	ok_eq(atoi(out("ip neigh show dev keep-v0 | grep -c 02:00:00:00:02:01")),
	      NEIGH_MAX - 1, "whose copy is gone");
	need("ip link del keep-v0");
	keep = 0;
	neigh_close(table);
	test_dead(flows, recent);
	classifier_unload("v0");
	close(flows);
	close(recent);
}

/*
 * The thread
 */

static void test_thread(void)
{
	struct link_report r = { 0 };
	struct link_thread *t;
	struct nl_sock *sk;

	state_remove("v0");
	neigh_peer("v0", "10.1.0.31", &error);
	sk = netlink_listen(RTNLGRP_NEIGH);
	t = link_thread_start("v0", "v0", -1, -1, &netns_logs);
	ok(t, "a thread of its own");
	ok(netns_event(nl_socket_get_fd(sk)), "resolves its peer");
	for (int i = 0; i < TURNS; i++) {
		set_reachable("10.1.0.31", "02:00:00:00:00:31");
		if (strstr(entry("v0", "10.1.0.31"), "PERMANENT"))
			break;
		netns_event(nl_socket_get_fd(sk));
		netlink_receive(sk, NULL, NULL);
	}
	ok(strstr(entry("v0", "10.1.0.31"), "PERMANENT"), "and keeps its entry");
	ok(!link_thread_report(t, &r), "there is no news");
	ok(!r.crowded, "not too many next hops");
	ok_str(r.kept, "", "and no address is lost");
	link_thread_stop(t);
	nl_socket_free(sk);
}

int main(void)
{
	netns_enter();
	need("mkdir /run/optsample");
	/* or an address of IPv6 would be new some time later */
	need("echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad");
	netns_cable("v0", "v1");
	/* IPv6 gets no address of its own, which would come at any time */
	need("ip link set v0 addrgenmode none; ip -6 addr flush dev v0");
	/* what is verified stays so for long, however slow this machine is */
	for (int v = 4; v <= 6; v += 2)
		need("cd /proc/sys/net/ipv%d/neigh; echo 1000 >v0/ucast_solicit; echo 1000 >v0/mcast_solicit; echo 600000 >v0/base_reachable_time_ms", v);
	need("ip addr add 10.1.0.1/24 dev v0; ip route add 192.0.2.0/24 via 10.1.0.9");
	test_parse();
	test_permanent();
	test_outage();
	test_new_address();
	test_link_event();
	test_lost_events();
	test_others();
	test_taken_over();
	test_copies();
	test_inherit();
	test_release();
	test_unconfirmed();
	test_replaced();
	test_flows();
	test_thread();
	return tap_done();
}
