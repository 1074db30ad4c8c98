// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_netdev_own - addresses of the robot's own, and where they conflict
 */
#include "netdev/own.h"
#include "netns.h"
#include "fake_module.h"

static struct error error;

static int parse(const char *text)
{
	struct own_addrs a = { 0 };

	*error.text = '\0';
	return own_parse(text, &a, &error);
}

static void test_parse(void)
{
	static const char *const good[] = {
		"10.77.0.2/24", "192.168.1.1/31", "10.0.0.0/31", "1.0.0.1/1",
		"223.255.255.254/8", "fd00::2/64", "2001:db8::1/127",
		"10.77.0.254/24", "fd00::ffff/112",
	};
	struct own_addrs a = { 0 };
	char text[OWN_TEXT];

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		ok_eq(parse(good[i]), 0, "%s: %s", good[i], error.text);
	own_parse("fd00::2/64", &a, &error);
	ok_eq(a.n, 1, "it is added");
	ok_eq(a.v[0].plen, 64, "with its prefix");
	own_addr_text(&a.v[0], text);
	ok_str(text, "fd00::2/64", "and can be written");
}

/* What is wrong with each, as the user reads it */
static void test_faults(void)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "robot", "address robot is not an IP address with a prefix, as 10.77.0.2/24" },
		{ "10.77.0.300/24", "address 10.77.0.300/24 is not an IP address with a prefix, as 10.77.0.2/24" },
		{ "", "address  is not an IP address with a prefix, as 10.77.0.2/24" },
		{ "10.77.0.2", "address 10.77.0.2 needs a prefix, as 10.77.0.2/24" },
		{ "fd00::2", "address fd00::2 needs a prefix, as fd00::2/64" },
		{ "10.77.0.2/0", "the prefix of address 10.77.0.2/0 must be 1..31" },
		{ "10.77.0.2/32", "the prefix of address 10.77.0.2/32 must be 1..31" },
		{ "fd00::2/128", "the prefix of address fd00::2/128 must be 1..127" },
		{ "10.77.0.2/x", "the prefix of address 10.77.0.2/x must be 1..31" },
		{ "127.0.0.2/8", "address 127.0.0.2/8 must be that of a host, not loopback, link-local or multicast" },
		{ "0.0.0.1/8", "address 0.0.0.1/8 must be that of a host, not loopback, link-local or multicast" },
		{ "224.0.0.1/8", "address 224.0.0.1/8 must be that of a host, not loopback, link-local or multicast" },
		{ "::1/64", "address ::1/64 must be that of a host, not loopback, link-local or multicast" },
		{ "::/64", "address ::/64 must be that of a host, not loopback, link-local or multicast" },
		{ "fe80::1/64", "address fe80::1/64 must be that of a host, not loopback, link-local or multicast" },
		{ "ff02::1/64", "address ff02::1/64 must be that of a host, not loopback, link-local or multicast" },
		{ "::ffff:10.0.0.1/96", "address ::ffff:10.0.0.1/96 must be that of a host, not loopback, link-local or multicast" },
		{ "10.77.0.0/24", "address 10.77.0.0/24 is that of a subnet, not of a host" },
		{ "10.77.0.255/24", "address 10.77.0.255/24 is that of a subnet, not of a host" },
		{ "fd00::/64", "address fd00::/64 is that of a subnet, not of a host" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		ok_eq(parse(bad[i].text), -EINVAL, "\"%s\"", bad[i].text);
		ok_str(error.text, bad[i].why, "says what is wrong");
	}
	ok_eq(parse("1111111111111111111111111111111111111111111111111111111111111111111111/24"),
	      -EINVAL, "a text that is too long");
}

static void test_list(void)
{
	struct own_addrs a = { 0 }, b = { 0 };
	char text[OWN_LIST];

	own_text(&a, text);
	ok_str(text, "", "none");
	ok(own_same(&a, &b), "two empty lists");
	own_parse("10.0.0.1/24", &a, &error);
	ok(!own_same(&a, &b), "one has more");
	ok(!own_same(&b, &a), "or less");
	own_parse("10.0.0.1/16", &b, &error);
	ok(own_same(&a, &b), "prefixes do not count");
	ok_eq(own_parse("10.0.0.1/8", &a, &error), -EINVAL, "one twice");
	ok_str(error.text, "address 10.0.0.1/8 is given twice", "is refused");
	own_parse("fd00::1/64", &a, &error);
	own_text(&a, text);
	ok_str(text, "10.0.0.1/24,fd00::1/64", "two");
	own_parse("10.0.0.2/24", &b, &error);
	ok(!own_same(&a, &b), "of the same number, but others");
	own_parse("10.0.0.3/24", &a, &error);
	ok_eq(own_parse("10.0.0.4/24", &a, &error), 0, "four");
	ok_eq(own_parse("10.0.0.5/24", &a, &error), -E2BIG, "five");
	ok_str(error.text, "at most 4 addresses", "are too many");
	ok_eq(a.n, 4, "and the fifth is not added");
}

/*
 * Conflicts
 */

static int check(const char *text)
{
	struct own_addrs a = { 0 };

	*error.text = '\0';
	own_parse(text, &a, &error);
	return own_check("own-v0", "v0", &a, &error);
}

static void test_check(void)
{
	need("ip addr add 10.5.0.1/24 dev v1; ip addr add 10.6.0.1/32 dev v1");
	need("ip addr add 10.8.0.1 peer 10.8.1.1/30 dev v1");
	ok_eq(check("10.7.0.2/24"), 0, "a free subnet");
	ok_eq(check("10.5.0.1/24"), -EADDRINUSE, "an address in use");
	ok_str(error.text, "address 10.5.0.1/24: v1 has it already", "who has it");
	ok_eq(check("10.5.0.2/24"), -EADDRINUSE, "a subnet in use");
	ok_str(error.text, "address 10.5.0.2/24: its subnet overlaps 10.5.0.1/24 of v1: choose another one",
	       "by which address");
	ok_eq(check("10.5.1.2/16"), -EADDRINUSE, "one that contains it");
	ok_eq(check("10.5.0.130/26"), -EADDRINUSE, "one that is part of it");
	ok_eq(check("10.5.1.2/24"), 0, "the next one is free");
	ok_eq(check("10.6.0.2/24"), 0, "a single address takes no subnet");
	ok_eq(check("10.6.0.1/24"), -EADDRINUSE, "but itself");
	ok_eq(check("10.8.1.2/30"), -EADDRINUSE, "the subnet of a remote end");
	ok_eq(check("fd00::2/64"), 0, "another family is free");
	ok_eq(own_check("own-v0", "lo", &(struct own_addrs){ 0 }, &error),
	      -EINVAL, "no Ethernet");
	ok(!strncmp(error.text, "lo is no Ethernet or Wi-Fi device", 33), "%s",
	   error.text);
	need("ip link add br0 type bridge; ip link set v1 master br0");
	ok_eq(own_check("own-v1", "v1", &(struct own_addrs){ 0 }, &error),
	      -EBUSY, "part of a bridge");
	ok(!strncmp(error.text, "v1 is part of a bridge, bond or VRF", 35), "%s",
	   error.text);
	need("ip link del br0");
	fake.dump_type = RTM_GETADDR;
	fake.dump_error = -EPERM;
	ok_eq(check("10.7.0.2/24"), -EPERM, "addresses that cannot be read");
	ok(!strncmp(error.text, "cannot read addresses: ", 23), "%s", error.text);
	fake.dump_error = 0;
}

/*
 * The device
 */

static void test_add(void)
{
	struct own_addrs a = { 0 };
	int own;

	own_parse("10.7.0.2/24", &a, &error);
	ok_eq(own_add("own-v0", "v0", &a, &error), 0, "the device is made");
	own = netlink_ifindex("own-v0");
	ok(own, "it is there");
	ok(netlink_is_up("own-v0"), "and up");
	ok(own_has(own, &a), "and has its address");
	ok(own_is_on("own-v0", "v0"), "it is on its lower device");
	ok(!own_is_on("own-v0", "v1"), "and not on another");
	ok(!own_is_on("v0", "no-such-device"), "nor on none");
	ok(!own_is_ipvlan(netlink_ifindex("v0")), "v0 is no ipvlan");
	ok_str(out("cat /proc/sys/net/ipv6/conf/own-v0/accept_ra"), "0",
	       "no router configures it");
	ok_str(out("cat /proc/sys/net/ipv6/conf/own-v0/addr_gen_mode"), "1",
	       "without IPv6 it has no link-local address");
	ok_eq(own_check("own-v0", "v0", &a, &error), 0,
	      "its own address does not conflict");
	own_parse("10.7.0.3/24", &a, &error);
	ok(!own_has(own, &a), "one that it lacks");
	ok_eq(own_add("own-v0", "v0", &a, &error), -EEXIST, "one of that name");
	ok(!strncmp(error.text, "cannot make ipvlan device own-v0: ", 34), "%s",
	   error.text);
	need("ip link del own-v0");
	ok(!own_has(own, &a), "a device that is gone has none");
}

static void test_add_ipv6(void)
{
	struct own_addrs a = { 0 };

	own_parse("fd00::2/64", &a, &error);
	ok_eq(own_add("own-v0", "v0", &a, &error), 0, "with IPv6");
	ok_str(out("cat /proc/sys/net/ipv6/conf/own-v0/addr_gen_mode"), "0",
	       "it has a link-local address");
	ok(!sh("ip -6 addr show dev own-v0 | grep -q 'fd00::2/64.*nodad'"),
	   "its address is usable at once");
	need("ip link del own-v0");
	own_parse("10.7.0.2/24", &a, &error);
	a.v[1].plen = 77;	/* the kernel refuses it */
	ok(own_add("own-v0", "v0", &a, &error) < 0, "an address that fails");
	ok(!strncmp(error.text, "cannot give own-v0 the address 10.7.0.2/77: ", 44),
	   "%s", error.text);
	ok(netlink_ifindex("own-v0"), "nothing is undone");
	need("ip link del own-v0");
}

int main(void)
{
	netns_enter();
	netns_cable("v0", "v1");
	test_parse();
	test_faults();
	test_list();
	test_check();
	test_add();
	test_add_ipv6();
	return tap_done();
}
