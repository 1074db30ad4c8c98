// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_base_text - numbers with and without units, text, buffers, addresses
 */
#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <optsample/units.h>
#include "base/address.h"
#include "base/bytes.h"
#include "base/cli.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "base/utf8.h"
#include "tap.h"

static struct error error;

/*
 * Numbers of options
 */

static double scaled(const char *text, const struct unit *units)
{
	double v;

	return parse_scaled(text, units, &v) ? -1 : v;
}

static void test_scaled(void)
{
	ok_near(scaled("7", time_units), 7e-3, 1e-12,
		"a time without a unit is in us");
	ok_near(scaled("7us", time_units), 7e-3, 1e-12, "us");
	ok_near(scaled("7usec", time_units), 7e-3, 1e-12, "usec");
	ok_near(scaled("7usecs", time_units), 7e-3, 1e-12, "usecs");
	ok_near(scaled("7ms", time_units), 7, 0, "ms");
	ok_near(scaled("7msec", time_units), 7, 0, "msec");
	ok_near(scaled("7msecs", time_units), 7, 0, "msecs");
	ok_near(scaled("7s", time_units), 7000, 0, "s");
	ok_near(scaled("7sec", time_units), 7000, 0, "sec");
	ok_near(scaled("0.5secs", time_units), 500, 0, "parts of secs");
	ok_near(scaled("2S", time_units), 2000, 0, "in capitals");
	ok_near(scaled("3", size_units), 3, 0, "bytes");
	ok_near(scaled("3b", size_units), 3, 0, "b are bytes");
	ok_near(scaled("3k", size_units), 3072, 0, "k are 1024");
	ok_near(scaled("3kb", size_units), 3072, 0, "kb, too");
	ok_near(scaled("3kbit", size_units), 384, 0, "kbit an eighth");
	ok_near(scaled("3m", size_units), 3 << 20, 0, "m");
	ok_near(scaled("3mb", size_units), 3 << 20, 0, "mb");
	ok_near(scaled("3mbit", size_units), 3 << 17, 0, "mbit");
	ok_near(scaled("3g", size_units), 3.0 * (1 << 30), 0, "g");
	ok_near(scaled("3gb", size_units), 3.0 * (1 << 30), 0, "gb");
	ok_near(scaled("3gbit", size_units), 3.0 * (1 << 27), 0, "gbit");
	ok_near(scaled("1.2.3mbit", rate_units), -1, 0, "two points");
	ok_near(scaled(".", rate_units), -1, 0, "a point alone");
	ok_near(scaled(".5kbit", rate_units), 500, 0, "half of one");
	ok_near(scaled("", rate_units), -1, 0, "nothing");
	ok_near(scaled("mbit", rate_units), -1, 0, "a unit alone");
	ok_near(scaled("-1", rate_units), -1, 0, "less than 0");
	ok_near(scaled("+1", rate_units), -1, 0, "a sign");
	ok_near(scaled("inf", rate_units), -1, 0, "infinity");
	ok_near(scaled("0x10", rate_units), -1, 0, "hexadecimal");
	ok_near(scaled("1e3", rate_units), -1, 0, "an exponent");
	ok_near(scaled("1 mbit", rate_units), -1, 0, "a space");
	ok_near(scaled("1parsec", rate_units), -1, 0, "no unit of rates");
	ok_near(scaled("000000000000000000000000000000000000000000000000000000"
		       "000000001", rate_units), 1, 0, "63 digits");
	ok_near(scaled("0000000000000000000000000000000000000000000000000000000"
		       "000000001", rate_units), -1, 0, "64 are too many");
}

static void test_rate_units(void)
{
	static const struct {
		const char	*unit;
		double		scale;
	} want[] = {
		{ "", 1 }, { "bit", 1 }, { "kbit", 1e3 }, { "mbit", 1e6 },
		{ "gbit", 1e9 }, { "tbit", 1e12 }, { "kibit", 1024 },
		{ "mibit", 1048576 }, { "gibit", 1073741824 },
		{ "tibit", 1099511627776 }, { "bps", 8 }, { "kbps", 8e3 },
		{ "mbps", 8e6 }, { "gbps", 8e9 }, { "tbps", 8e12 },
		{ "kibps", 8192 }, { "mibps", 8388608 },
		{ "gibps", 8589934592 }, { "tibps", 8796093022208 },
	};
	char text[32];

	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		snprintf(text, sizeof(text), "1%s", want[i].unit);
		ok_near(scaled(text, rate_units), want[i].scale, 0, "%s", text);
	}
}

static void test_rate(void)
{
	uint64_t rate = 7;

	ok_eq(parse_rate("unlimited", &rate), 0, "no limit");
	ok_eq(rate, 0, "is 0");
	ok_eq(parse_rate("Unlimited", &rate), 0, "in capitals, too");
	ok_eq(parse_rate("8mbit", &rate), 0, "a rate");
	ok_eq(rate, 1000000, "in bytes");
	ok_eq(parse_rate("15", &rate), 0, "bits");
	ok_eq(rate, 1, "are rounded down");
	ok_eq(parse_rate("7", &rate), -EINVAL, "but not to no limit");
	ok_eq(parse_rate("8", &rate), 0, "one byte is one");
	ok_eq(parse_rate("0", &rate), 0, "0 is no limit");
	ok_eq(parse_rate("-8", &rate), -EINVAL, "less than 0");
	ok_eq(parse_rate("9223373tbps", &rate), -EINVAL, "too much");
}

static void test_whole(void)
{
	uint64_t n = 7;

	ok_eq(parse_whole("4294967295", size_units, &n), 0, "32 bits");
	ok_eq(n, UINT32_MAX, "of ones");
	ok_eq(parse_whole("4294967296", size_units, &n), -EINVAL, "one more");
	ok_eq(parse_whole("1.5k", size_units, &n), 0, "a whole result");
	ok_eq(n, 1536, "of a part");
	ok_eq(parse_whole("1.5", size_units, &n), -EINVAL, "half a byte");
	ok_eq(parse_whole("1500us", time_units, &n), -EINVAL, "half a ms");
	ok_eq(parse_whole("2000us", time_units, &n), 0, "2 ms");
	ok_eq(n, 2, "are 2");
}

static void test_policy(void)
{
	uint32_t policy = 99;

	ok_eq(parse_policy(optsample_policy_name(0), &policy), 0, "a policy");
	ok_eq(policy, 0, "is the first one");
	ok_eq(parse_policy("none", &policy), -EINVAL, "there is none");
}

static void test_numbers(void)
{
	uint32_t u = 7;
	double d = 7;

	ok_eq(parse_u32("3", 3, 5, &u), 0, "the least");
	ok_eq(u, 3, "as it is");
	ok_eq(parse_u32("5", 3, 5, &u), 0, "the most");
	ok_eq(parse_u32("2", 3, 5, &u), -EINVAL, "less");
	ok_eq(parse_u32("6", 3, 5, &u), -EINVAL, "more");
	ok_eq(u, 5, "changes nothing");
	ok_eq(parse_u32("", 0, 5, &u), -EINVAL, "nothing");
	ok_eq(parse_u32("-1", 0, -1, &u), -EINVAL, "a sign");
	ok_eq(parse_u32(" 1", 0, 5, &u), -EINVAL, "a space");
	ok_eq(parse_u32("1x", 0, 5, &u), -EINVAL, "more text");
	ok_eq(parse_u32("99999999999999999999999", 0, -1, &u), -EINVAL,
	      "beyond 64 bits");
	ok_eq(parse_u32("4294967296", 0, -1, &u), -EINVAL, "beyond 32 bits");
	ok_eq(parse_size("2k", 0, 4096, &u), 0, "a size");
	ok_eq(u, 2048, "in bytes");
	ok_eq(parse_size("8k", 0, 4096, &u), -EINVAL, "too large");
	ok_eq(parse_size("1", 2, 4096, &u), -EINVAL, "too small");
	ok_eq(parse_size("4096", 0, 4096, &u), 0, "the most");
	ok_eq(parse_time_ms("2s", 0, 2000, &u), 0, "a time");
	ok_eq(u, 2000, "in ms");
	ok_eq(parse_time_ms("3s", 0, 2000, &u), -EINVAL, "too long");
	ok_eq(parse_time_ms("x", 0, 2000, &u), -EINVAL, "none");
	ok_eq(parse_double("-1.5", -2, 2, &d), 0, "a number");
	ok_near(d, -1.5, 0, "as it is");
	ok_eq(parse_double(".5", 0.5, 2, &d), 0, "the least");
	ok_eq(parse_double("2", 0.5, 2, &d), 0, "the most");
	ok_eq(parse_double("2.1", 0.5, 2, &d), -EINVAL, "more");
	ok_eq(parse_double("0.4", 0.5, 2, &d), -EINVAL, "less");
	ok_eq(parse_double("nan", 0, 2, &d), -EINVAL, "no number");
	ok_eq(parse_double("-nan", 0, 2, &d), -EINVAL, "nor with a sign");
	ok_eq(parse_double("1x", 0, 2, &d), -EINVAL, "more text");
	ok_eq(parse_double("", 0, 2, &d), -EINVAL, "nothing");
	ok_eq(parse_double("-", -1, 2, &d), -EINVAL, "a sign alone");
	ok_near(d, 2, 0, "errors change nothing");
}

/*
 * Numbers of files
 */

/* The number at the start of @text, and what is left of it */
static double read_number(const char *text, const char *rest)
{
	const char *at = text;
	double v = -77;

	if (!number_read(&at, &v))
		at = rest = "none";
	ok_str(at, rest, "'%s' leaves '%s'", text, rest);
	return v;
}

static void test_read_number(void)
{
	ok_near(read_number("1.5", ""), 1.5, 0, "a number");
	ok_near(read_number("  -2,3", "3"), -2, 0, "up to a comma");
	ok_near(read_number("+2\t3", "3"), 2, 0, "up to a tab");
	ok_near(read_number("2 ,3", "3"), 2, 0, "a space before a comma");
	ok_near(read_number("1e3", ""), 1000, 0, "an exponent");
	ok_near(read_number("1.25E-2", ""), 0.0125, 1e-18, "below 0");
	ok_near(read_number("1e+2", ""), 100, 0, "with a sign");
	ok_near(read_number(".5", ""), 0.5, 0, "without a digit before");
	ok_near(read_number("5.", ""), 5, 0, "nor after it");
	ok_near(read_number("12345678901234567890123", ""),
		12345678901234567890123.0, 2e6, "more digits than fit");
	ok_near(read_number("0.000000000000000000000123", ""), 1.23e-22, 1e-37,
		"zeros do not count");
	ok_near(read_number("1e-40", ""), 1e-40, 1e-55, "a small one");
	ok_near(read_number("1e99999999999", ""), INFINITY, 0, "beyond all");
	ok_near(read_number("0e99999999999", ""), 0, 0, "0 stays 0");
	ok_near(read_number("inf", ""), INFINITY, 0, "infinity");
	ok_near(read_number("-Infinity,", ""), -INFINITY, 0, "its other name");
	ok(isnan(read_number("NaN 1", "1")), "no number");
	ok_near(read_number("1x", "1x"), -77, 0, "text after it");
	ok_near(read_number("x", "x"), -77, 0, "text");
	ok_near(read_number("", ""), -77, 0, "nothing");
	ok_near(read_number(".", "."), -77, 0, "a point");
	ok_near(read_number("1e", "1e"), -77, 0, "half an exponent");
	ok_near(read_number("1.2.3", "1.2.3"), -77, 0, "two points");
	ok_near(read_number("-", "-"), -77, 0, "a sign");
}

static void test_number_kinds(void)
{
	const char *at = "5";
	unsigned int n = 7;
	int64_t ns = -1;
	double v;

	ok_eq(number_within(&at, 5, &v), true, "within");
	at = "-5.1";
	ok_eq(number_within(&at, 5, &v), false, "not within");
	ok_str(at, "-5.1", "stays");
	at = "nan";
	ok_eq(number_within(&at, 5, &v), false, "nor is no number");
	at = "3 4";
	ok_eq(number_count(&at, 3, &n), true, "an integer");
	ok_eq(n, 3, "as it is");
	ok_eq(number_count(&at, 3, &n), false, "a larger one");
	at = "1.5";
	ok_eq(number_count(&at, 3, &n), false, "a part");
	at = "-1";
	ok_eq(number_count(&at, 3, &n), false, "less than 0");
	at = "1700000000.123456789";
	ok_eq(number_stamp(&at, 9, &ns), true, "a stamp in s");
	ok_eq(ns, 1700000000123456789, "to the ns");
	at = "1700000000123456.7899";
	ok_eq(number_stamp(&at, 3, &ns), true, "in us");
	ok_eq(ns, 1700000000123456789, "cut off below");
	at = "4611686018427387904";
	ok_eq(number_stamp(&at, 0, &ns), true, "the last one");
	ok_eq(ns, NUMBER_STAMP_MAX, "is it");
	at = "4611686018427387905";
	ok_eq(number_stamp(&at, 0, &ns), false, "one more is none");
	at = "5e9";
	ok_eq(number_stamp(&at, 9, &ns), false, "nor is one beyond in s");
	at = "1e30";
	ok_eq(number_stamp(&at, 9, &ns), false, "nor far beyond");
	at = "-1";
	ok_eq(number_stamp(&at, 9, &ns), false, "nor one before 1970");
	at = "-0";
	ok_eq(number_stamp(&at, 9, &ns), true, "-0 is 0");
	at = "inf";
	ok_eq(number_stamp(&at, 9, &ns), false, "nor infinity");
}

/*
 * Text and buffers
 */

static const char *cleaned(const char *text, size_t size)
{
	static char to[64];

	utf8_clean(text, 60, to, size);
	return to;
}

static void test_utf8(void)
{
	ok_str(cleaned("Küche €𝄞", 64), "Küche €𝄞", "UTF-8 stays");
	ok_str(cleaned("a\nb\x7f", 64), "a b ", "control characters are spaces");
	ok_str(cleaned("a\xe4z", 64), "a?z", "Latin 1 is not UTF-8");
	ok_str(cleaned("\xc0\x80", 64), "??", "nor is a long 0");
	ok_str(cleaned("\xe0\x9f\xbf", 64), "???", "nor a long one of three");
	ok_str(cleaned("\xf0\x8f\xbf\xbf", 64), "????", "nor of four");
	ok_str(cleaned("\xed\xa0\x80", 64), "???", "nor half a pair");
	ok_str(cleaned("\xf4\x90\x80\x80", 64), "????", "nor beyond Unicode");
	ok_str(cleaned("\xf5\x80\x80\x80", 64), "????", "nor far beyond");
	ok_str(cleaned("\xed\x9f\xbf\xee\x80\x80", 64),
	       "\xed\x9f\xbf\xee\x80\x80", "around the pairs it is");
	ok_str(cleaned("\xe2\x82", 64), "??", "a character that ends early");
	ok_str(cleaned("abc", 3), "ab", "as much as there is room");
	ok_str(cleaned("aé", 3), "a", "of whole characters");
	ok_str(cleaned("aé", 4), "aé", "if they fit");
	ok_str(cleaned("abc", 1), "", "or none");
}

static void test_bytes(void)
{
	struct bytes b = { 0 };
	char text[300];

	memset(text, 'x', sizeof(text));
	ok_eq(bytes_append(&b, "abc", 3), 0, "bytes");
	ok_eq(bytes_printf(&b, "%d-%s", 42, "x"), 0, "and text");
	ok_eq(b.len, 7, "one after the other");
	ok_mem(b.data, "abc42-x", 7, "as they are");
	bytes_consume(&b, 3);
	ok_eq(b.len, 4, "the first ones go");
	ok_mem(b.data, "42-x", 4, "the rest stays");
	ok_eq(bytes_reserve(&b, 1000), 0, "room");
	ok_range(b.cap, 1000, 1e6, "is there");
	ok_mem(b.data, "42-x", 4, "with what was");
	bytes_consume(&b, 4);
	ok_eq(b.len, 0, "all goes");
	bytes_free(&b);
	ok_eq(b.cap, 0, "with its room");
	ok_eq(bytes_printf(&b, "%.300s", text), 0, "a long text");
	ok_eq(b.len, 300, "fits");
	ok_mem(b.data, text, 300, "as it is");
#ifndef __SANITIZE_ADDRESS__
	ok_eq(bytes_reserve(&b, SIZE_MAX / 2), -ENOMEM, "no such room");
#endif
	ok_mem(b.data, text, 300, "leaves all as it is");
	bytes_free(&b);
}

static void test_text(void)
{
	ok_eq(text_ends("a.mcap", ".mcap"), true, "an end");
	ok_eq(text_ends(".mcap", ".mcap"), false, "not all of it");
	ok_eq(text_ends("a.mcap2", ".mcap"), false, "no end");
	ok_eq(error_set(&error, -EIO, "%s %d", "a", 1), -EIO, "an error");
	ok_str(error.text, "a 1", "has a line");
	cpu_portable = true;
	ok_eq(cpu_avx2() || cpu_avx512() || cpu_neon(), false,
	      "a portable program uses no vectors");
	cpu_portable = false;
	cpu_no_avx512 = true;
	ok_eq(cpu_avx512(), false, "nor those that are switched off");
	cpu_no_avx512 = false;
}

/*
 * Addresses
 */

static const char *address(const char *text, int passive)
{
	static char line[ADDRESS_TEXT];
	struct address a;

	if (address_parse(text, passive, "9000", &a, &error))
		return "none";
	return address_text(&a.storage, line);
}

static void test_address(void)
{
	struct sockaddr_storage s = { .ss_family = AF_INET6 };
	char line[ADDRESS_TEXT], text[400];

	ok_str(address("127.0.0.1", 0), "127.0.0.1:9000", "the default port");
	ok_str(address("127.0.0.1:80", 0), "127.0.0.1:80", "a port");
	ok_str(address("[::1]:80", 0), "[::1]:80", "IPv6");
	ok_str(address("[::1]", 0), "[::1]:9000", "without a port");
	ok_str(address("::1", 0), "[::1]:9000", "nor brackets");
	ok_str(address(":80", 1), "[::]:80", "all addresses");
	ok_str(address("80", 1), "[::]:80", "a port alone, to listen on");
	ok_str(address(":80", 0), "none", "not to send to");
	ok(strstr(error.text, "':80' is not HOST:PORT") != NULL, "%s", error.text);
	ok_str(address("127.0.0.1:0", 0), "none", "port 0");
	ok_str(address("127.0.0.1:65535", 0), "127.0.0.1:65535", "the last one");
	ok_str(address("127.0.0.1:65536", 0), "none", "one more");
	ok_str(address("127.0.0.1:x", 0), "none", "no port");
	ok_str(address("[::1", 0), "none", "an open bracket");
	ok_str(address("[::1]80", 0), "none", "text after one");
	ok_str(address("256.1.1.1.:80", 0), "none", "no address");
	memset(text, 'x', sizeof(text));
	strcpy(text + 256, ":80");
	ok_str(address(text, 0), "none", "a long one");
	inet_pton(AF_INET6, "::ffff:1.2.3.4",
		  &((struct sockaddr_in6 *)&s)->sin6_addr);
	((struct sockaddr_in6 *)&s)->sin6_port = htons(5);
	ok_str(address_text(&s, line), "1.2.3.4:5", "IPv4 within IPv6");
}

int main(void)
{
	test_scaled();
	test_rate_units();
	test_rate();
	test_whole();
	test_policy();
	test_numbers();
	test_read_number();
	test_number_kinds();
	test_utf8();
	test_bytes();
	test_text();
	test_address();
	return tap_done();
}
