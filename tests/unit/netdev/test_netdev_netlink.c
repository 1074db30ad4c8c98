// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_netdev_netlink - requests, events, devices and routes, of the kernel
 */
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include "netdev/device.h"
#include "netdev/genl.h"
#include "netdev/log.h"
#include "netdev/netlink.h"
#include "netdev/network.h"
#include "netdev/origin.h"
#include "netdev/route.h"
#include "netdev/tunnel.h"
#include "netns.h"

static struct error error;

/*
 * Requests
 */

static void test_index(void)
{
	ok_eq(netlink_ifindex("lo"), 1, "lo is the first device");
	ok_eq(netlink_ifindex(""), 0, "no name, no device");
	ok_eq(netlink_ifindex("no-such-device"), 0, "a device that is missing");
	ok_eq(netlink_ifindex("a-name-of-more-than-15"), 0, "too long a name");
	ok(netlink_is_up("lo"), "lo is up");
	ok(!netlink_is_up("no-such-device"), "what is missing is not");
	need("ip link add i0 type ifb");
	ok(!netlink_is_up("i0"), "nor is a new device");
	ok_eq(device_up("i0", &error), 0, "set up");
	ok(netlink_is_up("i0"), "now it is");
}

static void test_errors(void)
{
	struct ifinfomsg i = { .ifi_index = 999 };
	int err;

	err = netlink_send(netlink_request(RTM_DELLINK, 0, &i, sizeof(i)));
	ok_eq(err, -ENODEV, "a device that is missing cannot be removed");
	ok_str(netlink_why(-EPERM), strerror(EPERM),
	       "without a message of the kernel it is that of the error");
	err = netlink_do(netlink_request(RTM_DELLINK, 0, &i, sizeof(i)), &error,
			 "cannot remove number %d", 999);
	ok_eq(err, -ENODEV, "the error is returned");
	ok_str(error.text, "cannot remove number 999: No such device",
	       "and its line says what and why");
	err = device_add("i0", "ifb");
	ok_eq(err, -EEXIST, "a name that is in use");
	err = device_add("i1", "no-such-kind");
	ok_eq(err, -EOPNOTSUPP, "a kind that the kernel lacks");
	ok_str(netlink_why(err), "Unknown device type", "in the kernel's words");
	netlink_ifindex("no-such-device");
	ok_str(netlink_why(err), "Unknown device type",
	       "which a search for a device does not change");
	strcpy(error.text, "old");
	ok_eq(device_up("lo", &error), 0, "nothing wrong");
	ok_str(error.text, "old", "leaves the line alone");
	err = device_up("no-such-device", &error);
	ok(err < 0, "a device that is missing is not set up");
	ok(!strncmp(error.text, "cannot set up no-such-device: ", 30), "%s", error.text);
}

static void test_delete(void)
{
	struct nl_msg *msg;

	need("ip link add i2 type ifb");
	ok_eq(device_delete("i2", &error), 0, "a device is removed");
	ok_eq(netlink_ifindex("i2"), 0, "it is gone");
	ok_eq(device_delete("i2", &error), 0, "once more is no error");
	ok(device_delete("lo", &error) < 0, "lo cannot be removed");
	ok(!strncmp(error.text, "cannot remove lo: ", 18), "%s", error.text);
	msg = netlink_tc(RTM_DELQDISC, 0, netlink_ifindex("lo"), TC_H_ROOT, 0,
			 0);
	ok_eq(netlink_delete(msg, "qdisc", "lo", &error), 0,
	      "a qdisc that is not there is no error");
	msg = netlink_request(RTM_DELQDISC, 0, "x", 1);
	ok_eq(netlink_delete(msg, "qdisc", "lo", &error), 0,
	      "nor is one of a bad parent");
}

static int count(struct nlmsghdr *h, void *arg)
{
	(void)h;
	return ++*(int *)arg == 2;
}

static void test_dump(void)
{
	struct ifinfomsg i = { 0 };
	struct nl_msg *msg;
	int n = 0;

	need("ip link add d1 type ifb; ip link add d2 type ifb");
	ok_eq(netlink_dump(RTM_GETLINK, &i, sizeof(i), count, &n), 0,
	      "a dump of devices");
	ok_eq(n, 2, "of which no more are given than are asked for");
	n = 0;
	i.ifi_index = 1;
	msg = netlink_request(RTM_GETLINK, 0, &i, sizeof(i));
	ok_eq(netlink_ask(msg, count, &n), 0, "a question");
	ok_eq(n, 1, "has one answer");
	need("ip link del d1; ip link del d2");
}

static int note_index(struct nlmsghdr *h, void *arg)
{
	if (h->nlmsg_type == RTM_NEWLINK)
		*(int *)arg = ((struct ifinfomsg *)nlmsg_data(h))->ifi_index;
	return 0;
}

static void test_events(void)
{
	struct nl_sock *sk = netlink_listen(RTNLGRP_LINK);
	int index = 0;

	ok(sk, "listen to events of links");
	ok_eq(netlink_receive(sk, note_index, &index), 0, "none yet");
	ok_eq(index, 0, "and nothing is made up");
	need("ip link add e0 type ifb");
	ok(netns_event(nl_socket_get_fd(sk)), "a new device is an event");
	ok_eq(netlink_receive(sk, note_index, &index), 0, "it is received");
	ok_eq(index, netlink_ifindex("e0"), "with its number");
	/* more than the socket holds */
	nl_socket_set_buffer_size(sk, 4096, 0);
	for (int i = 0; i < 40; i++)
		need("ip link set e0 %s", i & 1 ? "down" : "up");
	ok_eq(netlink_receive(sk, note_index, &index), -ENOBUFS,
	      "lost events are noticed");
	ok_eq(netlink_receive(sk, note_index, &index), 0, "once");
	nl_socket_free(sk);
	need("ip link del e0");
}

/*
 * Devices
 */

static void test_kinds(void)
{
	char master[IFNAMSIZ] = "";

	netns_cable("v0", "v1");
	ok(device_is_ethernet("v0"), "a cable is Ethernet");
	ok(!device_is_ethernet("lo"), "lo is not");
	ok(!device_is_ethernet("no-such-device"), "nor is what is missing");
	ok(!device_is_wireless("v0"), "it is no Wi-Fi");
	ok(device_is_kind(netlink_ifindex("v0"), "veth"), "it is a veth");
	ok(!device_is_kind(netlink_ifindex("v0"), "ipvlan"), "no ipvlan");
	ok(!device_is_kind(netlink_ifindex("lo"), "veth"), "lo has no kind");
	ok(!device_is_kind(999, "veth"), "a number without a device");
	ok(!device_has_master("v0"), "no bridge has it");
	ok(!device_is_port("v0", master), "so it is no port");
	need("ip link add br0 type bridge; ip link set v0 master br0");
	ok(device_has_master("v0"), "now one has");
	ok(device_is_port("v0", master), "and sends by it");
	ok_str(master, "br0", "it has a name");
	need("ip link del br0");
	ok(!device_has_master("v0"), "without the bridge it is free again");
	if (sh("ip link add vrf0 type vrf table 7 2>/dev/null"))
		return;
	need("ip link set v0 master vrf0");
	ok(device_has_master("v0"), "a VRF is a master");
	ok(!device_is_port("v0", master), "but no bridge");
	need("ip link del vrf0");
}

static void test_dormant(void)
{
	need("ip link add q0 type ifb");
	ok_eq(device_up_dormant("q0", &error), 0, "a device of the queue");
	ok(netlink_is_up("q0"), "is up");
	ok(!sh("ip -o link show q0 | grep -q 'mode DORMANT'"), "but dormant");
	ok_str(out("cat /proc/sys/net/ipv6/conf/q0/addr_gen_mode"), "1",
	       "and has no IPv6 address of its own");
	device_set_ipv6("q0", "accept_ra", "0\n");
	ok_str(out("cat /proc/sys/net/ipv6/conf/q0/accept_ra"), "0",
	       "a setting of IPv6");
	device_set_ipv6("no-such-device", "accept_ra", "0\n");
	ok(device_up_dormant("no-such-device", &error) < 0,
	   "what is missing cannot be set up");
	ok(device_send_by(netlink_ifindex("q0"), 1, NULL) < 0,
	   "an ifb sends by no other device");
}

/*
 * Routes
 */

static struct ip_addr addr(const char *text)
{
	struct ip_addr a;

	if (ip_addr_parse(text, &a))
		abort();
	return a;
}

static int find(const char *to, struct route *r)
{
	struct ip_addr a = addr(to);

	return route_find(&a, 0, r);
}

static void test_routes(void)
{
	char text[IP_ADDR_TEXT];
	struct route r;

	need("ip addr add 10.1.0.1/24 dev v0; ip route add default via 10.1.0.9");
	ok_eq(find("10.1.0.7", &r), 0, "a neighbour");
	ok_eq(r.type, RTN_UNICAST, "is unicast");
	ok_eq(r.ifindex, netlink_ifindex("v0"), "by its device");
	ok_str(ip_addr_text(&r.via, text), "10.1.0.7", "without a gateway");
	ok_eq(find("192.0.2.1", &r), 0, "another host");
	ok_str(ip_addr_text(&r.via, text), "10.1.0.9", "by the gateway");
	ok_eq(find("10.1.0.1", &r), 0, "our own address");
	ok_eq(r.type, RTN_LOCAL, "is local");
	ok_eq(find("::1", &r), 0, "so is that of IPv6");
	ok_eq(r.type, RTN_LOCAL, "local");
	ok(find("2001:db8::1", &r) < 0, "without a route there is none");
	need("ip rule add fwmark 5 table 55; ip route add 198.51.100.0/24 dev v1 table 55");
	need("ip addr add 10.3.0.1/24 dev v1");
	r.ifindex = 0;
	ok_eq(route_find(&(struct ip_addr){ AF_INET, { 198, 51, 100, 1 } }, 5,
			 &r), 0, "marked packets");
	ok_eq(r.ifindex, netlink_ifindex("v1"), "have a route of their own");
	ok_eq(find("198.51.100.1", &r), 0, "others");
	ok_eq(r.ifindex, netlink_ifindex("v0"), "do not take it");
	need("ip rule del fwmark 5; ip addr del 10.3.0.1/24 dev v1");
}

static bool foreign(const char *a, const char *b)
{
	struct ip_addr v[2] = { addr(a), addr(b ? b : a) };

	return origin_is_foreign(v, b ? 2 : 1, netlink_ifindex("v0"));
}

static void test_origin(void)
{
	need("ip link add v2 type veth peer name v3; ip link set v2 up; ip link set v3 up");
	need("ip addr add 10.2.0.1/24 dev v2; echo 0 >/proc/sys/net/ipv4/ip_forward");
	ok(!origin_is_foreign(NULL, 0, 1), "without an address nothing is known");
	ok(!foreign("10.1.0.1", NULL), "an address of this host");
	ok(foreign("10.1.0.7", NULL), "one behind the interface");
	ok(foreign("10.1.0.1", "10.1.0.7"), "of two, the one behind it decides");
	ok(foreign("10.2.0.7", NULL), "one behind another interface");
	need("echo 1 >/proc/sys/net/ipv4/ip_forward");
	ok(!foreign("10.2.0.7", NULL), "unless this host forwards");
	ok(foreign("10.1.0.7", NULL), "which it does not to the same interface");
	need("ip link del v2");
}

/*
 * Tunnels
 */

static void test_tunnels(void)
{
	int v0 = netlink_ifindex("v0"), t;

	ok_eq(tunnel_lower(v0), 0, "a cable is no tunnel");
	ok_eq(tunnel_lower(999), 0, "nor is what is missing");
	need("ip link add x0 type vxlan id 3 remote 10.1.0.7 dstport 4789");
	t = netlink_ifindex("x0");
	ok_eq(tunnel_lower(t), v0, "a tunnel sends by the route to its end");
	need("ip link del x0; ip link add x0 type vxlan id 3 remote 10.1.0.7 dev v1 dstport 4789");
	t = netlink_ifindex("x0");
	ok_eq(tunnel_lower(t), netlink_ifindex("v1"),
	      "or by the device that it is bound to");
	need("ip link set x0 up; ip addr add 10.9.0.1/24 dev x0");
	need("ip link add x1 type vxlan id 4 remote 10.9.0.2 dstport 4790");
	ok_eq(tunnel_lower(netlink_ifindex("x1")), netlink_ifindex("v1"),
	      "a tunnel over a tunnel is followed down");
	need("ip link del x1; ip link del x0");
	need("ip link add x0 type vxlan id 3 dstport 4789");
	ok_eq(tunnel_lower(netlink_ifindex("x0")), -EDESTADDRREQ,
	      "one without an end");
	need("ip link del x0; ip route del default");
	need("ip link add x0 type vxlan id 3 remote 203.0.113.1 dstport 4789");
	ok_eq(tunnel_lower(netlink_ifindex("x0")), -ENETUNREACH,
	      "one without a route to it");
	need("ip link del x0");
	need("ip link add x0 type vxlan id 3 remote 2001:db8::5 dstport 4789");
	need("ip addr add 2001:db8::1/64 dev v0 nodad");
	ok_eq(tunnel_lower(netlink_ifindex("x0")), v0, "one over IPv6");
	need("ip link del x0");
}

/*
 * Generic netlink
 */

static void never(struct nlattr *tb[], void *arg)
{
	(void)tb;
	*(bool *)arg = true;
}

static void test_genl(void)
{
	static const struct genl_family unknown = { "no-such", 1, 1, 1 };
	struct network a = { "net", 3 }, b = { "net", 3 };
	bool called = false;

	ok_eq(genl_ask(&unknown, 1, 1, 0, never, &called), -ENOENT,
	      "a family that the kernel lacks");
	ok(!called, "gives no answer");
	ok(!network_read("v0", &b), "a cable is in no Wi-Fi network");
	ok_eq(b.ssid_len, 0, "which leaves no name");
	ok(!network_read("no-such-device", &b), "nor is what is missing");
	b = a;
	ok(network_same(&a, &b), "the same network");
	b.ssid[2] = 'x';
	ok(!network_same(&a, &b), "another name");
	b = a;
	b.ssid_len = 2;
	ok(!network_same(&a, &b), "a shorter one");
	b = a;
	b.ssid[3] = 'x';
	ok(network_same(&a, &b), "bytes after the name do not count");
}

static void test_log(void)
{
	static const struct netdev_log none;

	netdev_warn(&netns_logs, "%s has %d", "lo", 7);
	ok_str(netns_logged(), "lo has 7", "a warning");
	ok_eq(netns_errors, 0, "is no error");
	netdev_error(&netns_logs, "broken");
	ok_str(netns_logged(), "broken", "an error");
	ok_eq(netns_errors, 1, "is one");
	netdev_warn(&none, "lost");
	netdev_error(&none, "lost");
	ok_str(netns_logged(), "", "without a log nothing is logged");
}

int main(void)
{
	netns_enter();
	test_index();
	test_errors();
	test_delete();
	test_dump();
	test_events();
	test_kinds();
	test_dormant();
	test_routes();
	test_origin();
	test_tunnels();
	test_genl();
	test_log();
	return tap_done();
}
