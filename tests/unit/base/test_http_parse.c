// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_http_parse - requests, and bodies in pieces
 */
#include <stdio.h>
#include <string.h>
#include "base/http_parse.h"
#include "tap.h"

static int parse(const char *text, struct http_request *r)
{
	static char copy[1024];

	snprintf(copy, sizeof(copy), "%s", text);
	return http_parse_request(r, copy, strlen(copy));
}

static void test_http(void)
{
	static const char body[] = "3;x=y\r\nabc\r\n00A\r\n0123456789\r\n"
				   "0\r\nX: y\r\n\r\nGET";
	const size_t all = sizeof(body) - 1;
	struct http_request r;
	unsigned int bad = 0;

	ok(!parse("GET /a?b=c HTTP/1.1\r\nHOST:  x \r\n\r\n", &r) &&
	   !strcmp(r.path, "/a") && !strcmp(r.query, "b=c") && r.keep &&
	   !strcmp(http_header(&r, "Host"), "x"), "a request");
	ok(!parse("GET http://h:1/a HTTP/1.0\n\n", &r) && !r.keep &&
	   !strcmp(r.path, "/a"), "as to a proxy, and an old one");
	ok(parse("POST / HTTP/1.1\r\nContent-Length: 1\r\n"
		 "Content-Length: 2\r\n\r\n", &r) == 400 &&
	   parse("POST / HTTP/1.1\r\nContent-Length: 1\r\n"
		 "Transfer-Encoding: chunked\r\n\r\n", &r) == 400 &&
	   parse("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", &r) ==
	   400 && parse("GET / HTTP/1.1\r\nHost : a\r\n\r\n", &r) == 400 &&
	   parse("GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", &r) == 400,
	   "what two readers could take for different things");
	for (size_t cut = 0; cut <= all; cut++) {
		struct http_pieces p = { 0 };
		struct bytes got = { 0 };
		size_t used, more;
		int end = http_pieces_take(&p, (const uint8_t *)body, cut,
					   &used, &got, 100);

		more = used;
		if (!end)
			end = http_pieces_take(&p, (const uint8_t *)body +
					       used, all - used, &more, &got,
					       100), more += used;
		bad += end != 1 || more != all - 3 || got.len != 13 ||
		       memcmp(got.data, "abc0123456789", 13);
		bytes_free(&got);
	}
	ok(!bad, "a body in pieces, cut anywhere");
	for (size_t max = 0; max < 13; max++) {
		struct http_pieces p = { 0 };
		struct bytes got = { 0 };
		size_t used;

		bad += http_pieces_take(&p, (const uint8_t *)body, all, &used,
					&got, max) != 413;
		bytes_free(&got);
	}
	ok(!bad, "and that is too long");
}

int main(void)
{
	test_http();
	return tap_done();
}
