// SPDX-License-Identifier: GPL-2.0-only
/* IPv4 and IPv6 addresses: text, equality, prefixes */
#include <errno.h>
#include <sys/socket.h>
#include "base/ip_addr.h"
#include "tap.h"

static struct ip_addr addr(const char *text)
{
	struct ip_addr a;

	ok_eq(ip_addr_parse(text, &a), 0, "%s is an address", text);
	return a;
}

static void test_text(void)
{
	static const char *const bad[] = {
		"", "robot", "10.0.0", "10.0.0.256", "10.0.0.1/24", ":", "::x",
		"1:2:3", "10.0.0.1 ",
	};
	struct ip_addr a = addr("10.0.0.7");
	char text[IP_ADDR_TEXT];

	ok_eq(a.family, AF_INET, "of IPv4");
	ok_eq(ip_addr_len(a.family), 4, "with four bytes");
	ok_mem(a.addr, "\x0a\0\0\x07\0\0\0\0\0\0\0\0\0\0\0\0", 16,
	       "the others are 0");
	ok_str(ip_addr_text(&a, text), "10.0.0.7", "as text");
	a = addr("fd00::7");
	ok_eq(a.family, AF_INET6, "of IPv6");
	ok_eq(ip_addr_len(a.family), 16, "with 16 bytes");
	ok_str(ip_addr_text(&a, text), "fd00::7", "as text");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		ok_eq(ip_addr_parse(bad[i], &a), -EINVAL, "\"%s\" is none",
		      bad[i]);
		ok_eq(a.family, 0, "and has no family");
	}
	ok_str(ip_addr_text(&a, text), "", "no address has no text");
}

static void test_same(void)
{
	struct ip_addr a = addr("10.0.0.7"), b = addr("10.0.0.7");

	ok(ip_addr_same(&a, &b), "the same address");
	b = addr("10.0.0.8");
	ok(!ip_addr_same(&a, &b), "another one");
	b = addr("a00:7::");
	ok(!ip_addr_same(&a, &b), "the same bytes of another family");
}

static bool prefix(const char *a, const char *b, int bits)
{
	struct ip_addr x = addr(a), y = addr(b);

	return ip_addr_same_prefix(&x, &y, bits);
}

static void test_prefix(void)
{
	ok(prefix("10.0.0.1", "10.0.0.2", 24), "a prefix of whole bytes");
	ok(!prefix("10.0.0.1", "10.0.1.1", 24), "that differs");
	ok(prefix("10.0.0.1", "10.0.1.1", 23), "one of 23 bits");
	ok(!prefix("10.0.0.1", "10.0.2.1", 23), "that differs in the last");
	ok(prefix("10.0.0.1", "192.0.2.1", 0), "none at all");
	ok(prefix("127.0.0.1", "1.0.0.1", 1), "one bit");
	ok(!prefix("128.0.0.1", "1.0.0.1", 1), "that differs");
	ok(prefix("fd00::1", "fd00::1", 128), "a whole address");
	ok(!prefix("fd00::1", "fd00::2", 128), "that differs");
	ok(prefix("fd00::2", "fd00::3", 127), "all but the last bit");
	ok(prefix("10.0.0.1", "10.0.0.1", 32), "a whole one of IPv4");
}

int main(void)
{
	test_text();
	test_same();
	test_prefix();
	return tap_done();
}
