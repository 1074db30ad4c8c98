// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_gdimd_request - the target of an HTTP request, also one that is made to
 * mislead
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "apps/gdimd/web_request.h"
#include "tap.h"

static struct web_request r;
static struct error error;

static int parse(const char *path, const char *query)
{
	*error.text = '\0';
	return web_request_parse(&r, path, query, &error);
}

static void refused(const char *path, const char *query, const char *why)
{
	ok_eq(parse(path, query), -EINVAL, "%.40s?%.40s", path,
	      query ? query : "");
	ok_str(error.text, why, "... why");
}

static void test_path(void)
{
	ok_eq(parse("/gdim/layers", NULL), 0, "a path");
	ok_eq(r.parts, 2, "of two parts");
	ok_str(r.part[0], "gdim", "the first");
	ok_str(r.part[1], "layers", "the second");
	ok_eq(r.parameters, 0, "without parameters");
	ok_eq(parse("/", NULL), 0, "the root");
	ok_eq(r.parts, 1, "is one part");
	ok_str(r.part[0], "", "which is empty");
	ok_eq(parse("/a//b/", NULL), 0, "empty parts");
	ok_eq(r.parts, 4, "count");
	ok_str(r.part[3], "", "also at the end");
	ok_eq(parse("/a%2Fb+c/%41%7e", NULL), 0, "encoded");
	ok_eq(r.parts, 2, "an encoded slash does not split");
	ok_str(r.part[0], "a/b+c", "and a plus stays");
	ok_str(r.part[1], "A~", "digits of both cases");
	ok_eq(parse("/1/2/3/4/5/6/7/8", NULL), 0, "eight parts");
	refused("/1/2/3/4/5/6/7/8/9", NULL, "too many path segments");
	refused("gdim", NULL, "the URL has no path");
	refused("", NULL, "the URL has no path");
	refused("/a%4", NULL, "the URL is not printable ASCII");
	refused("/a%4g", NULL, "the URL is not printable ASCII");
	refused("/a%g4", NULL, "the URL is not printable ASCII");
	refused("/a%00", NULL, "the URL is not printable ASCII");
	refused("/a%1f", NULL, "the URL is not printable ASCII");
	refused("/a\x7f", NULL, "the URL is not printable ASCII");
	refused("/a\xc3\xa9", NULL, "the URL is not printable ASCII");
	refused("/a%80", NULL, "the URL is not printable ASCII");
}

static void test_query(void)
{
	ok_eq(parse("/a", "x=1&name=a+b%2B&empty=&flag&&"), 0, "parameters");
	ok_eq(r.parameters, 4, "empty ones do not count");
	ok_str(web_request_value(&r, "x"), "1", "the first");
	ok_str(web_request_value(&r, "name"), "a b+", "a plus is a space");
	ok_str(web_request_value(&r, "empty"), "", "an empty value");
	ok_str(web_request_value(&r, "flag"), "", "without an equals sign");
	ok(!web_request_value(&r, "nam"), "part of a name is none");
	ok_eq(parse("/a", "x=1=2"), 0, "a second equals sign");
	ok_str(web_request_value(&r, "x"), "1=2", "is of the value");
	ok_eq(parse("/a", NULL), 0, "the next request");
	ok(!web_request_value(&r, "x"), "has none of the last one");
	ok_eq(parse("/a", "a&b&c&d&e&f&g&h"), 0, "eight parameters");
	refused("/a", "a&b&c&d&e&f&g&h&i", "too many parameters");
	refused("/a", "x=1&y=2&x=1", "parameter x given twice");
	refused("/a", "x=1&%78=1", "parameter x given twice");
	refused("/a", "x=%", "the URL is not printable ASCII");
	refused("/a", "%0a=1", "the URL is not printable ASCII");
}

/* A target of @n bytes as a whole, decoded */
static int parse_long(unsigned int n)
{
	static char path[WEB_TEXT + 16];

	memset(path, 'a', sizeof(path));
	path[0] = '/';
	path[n + 1] = '\0';
	return parse(path, NULL);
}

static void test_long(void)
{
	ok_eq(parse_long(WEB_TEXT - 2), 0, "what has room");
	ok_eq(strlen(r.part[0]), WEB_TEXT - 2, "is kept whole");
	ok_eq(parse_long(WEB_TEXT - 1), -EINVAL, "a byte more");
	ok_str(error.text, "the URL is too long", "is refused");
	ok_eq(parse_long(WEB_TEXT), -EINVAL, "two more");
}

static void test_values(void)
{
	double v = 7;

	parse("/a", "x=2.5&y=far&z=1e3");
	ok_eq(web_request_number(&r, "x", 0, 10, &v, &error), 0, "a number");
	ok_near(v, 2.5, 1e-12, "its value");
	ok_eq(web_request_number(&r, "x", 0, 2.5, &v, &error), 0,
	      "the largest that is allowed");
	ok_eq(web_request_number(&r, "x", 2.5, 3, &v, &error), 0,
	      "the smallest");
	v = 7;
	ok_eq(web_request_number(&r, "y", 0, 10, &v, &error), -EINVAL,
	      "a word");
	ok_str(error.text, "y must be a number, 0..10", "is refused");
	ok_eq(web_request_number(&r, "z", 0, 10, &v, &error), -EINVAL,
	      "too large");
	ok_eq(web_request_number(&r, "u", -1, 1, &v, &error), -EINVAL,
	      "one that is missing");
	ok_str(error.text, "u is missing: a number, -1..1", "is named");
	ok_near(v, 7, 0, "the value is as before");
	ok_eq(web_request_only(&r, "z y x", &error), 0, "only those known");
	ok_eq(web_request_only(&r, "x yz z", &error), -EINVAL,
	      "a name within another is not known");
	ok_str(error.text, "unknown parameter 'y'; known: x yz z", "is named");
	ok_eq(web_request_only(&r, "", &error), -EINVAL, "none is known");
	ok_str(error.text, "unknown parameter 'x'", "the first is named");
	parse("/a", "");
	ok_eq(web_request_only(&r, "", &error), 0, "none is given");
}

int main(void)
{
	test_path();
	test_query();
	test_long();
	test_values();
	return tap_done();
}
