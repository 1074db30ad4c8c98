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

	ok(!parse("GET /a?b=c HTTP/1.1\r\nHOST:  x \r\n\r\n", &r), "a request");
	ok_str(r.path, "/a", "a request");
	ok_str(r.query, "b=c", "a request");
	ok(r.keep, "a request");
	ok_str(http_header(&r, "Host"), "x", "a request");
	ok(!parse("GET http://h:1/a HTTP/1.0\n\n", &r) && !r.keep &&
	   !strcmp(r.path, "/a"), "as to a proxy, and an old one");
	ok_eq(parse("POST / HTTP/1.1\r\nContent-Length: 1\r\n"
	      "Content-Length: 2\r\n\r\n", &r), 400,
	      "what two readers could take for different things");
	ok_eq(parse("POST / HTTP/1.1\r\nContent-Length: 1\r\n"
	      "Transfer-Encoding: chunked\r\n\r\n", &r), 400,
	      "what two readers could take for different things");
	ok_eq(parse("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", &r), 400,
	      "what two readers could take for different things");
	ok_eq(parse("GET / HTTP/1.1\r\nHost : a\r\n\r\n", &r), 400,
	      "what two readers could take for different things");
	ok_eq(parse("GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", &r), 400,
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

/* Status of a request of that head */
static void has_status(const char *text, int status, const char *what)
{
	struct http_request r;

	ok_eq(parse(text, &r), status, "%s", what);
}

static void test_status(void)
{
	char text[1000] = "GET / HTTP/1.1\r\n";
	struct http_request r;
	char copy[8] = "GET\0/ x";

	has_status("", 400, "nothing");
	has_status("GET / HTTP/1.1\r\n", 400, "no empty line");
	has_status("GET / HTTP/1.1", 400, "no line");
	has_status("GET /\r\n\r\n", 400, "no version");
	has_status("/ HTTP/1.1\r\n\r\n", 400, "no method");
	has_status("G(T / HTTP/1.1\r\n\r\n", 400, "no token");
	has_status("GET / HTTQ/1.1\r\n\r\n", 400, "another protocol");
	has_status("GET / HTTP/1.2\r\n\r\n", 505, "another version");
	has_status("GET a HTTP/1.1\r\n\r\n", 400, "no path");
	has_status("GET http://a HTTP/1.1\r\n\r\n", 400, "nor after a host");
	has_status("GET / HTTP/1.1\r\nA\r\n\r\n", 400, "no colon");
	has_status("GET / HTTP/1.1\r\n: b\r\n\r\n", 400, "no name");
	has_status("GET / HTTP/1.1\r\nA: b\x01\r\n\r\n", 400, "a control");
	has_status("GET / HTTP/1.1\r\nA: b\x7f\r\n\r\n", 400, "another one");
	has_status("GET / HTTP/1.1\r\nA: \tb c\r\n\r\n", 0, "a tab");
	has_status("GET / HTTP/1.1\r\nA: 1\r\nA: 2\r\n\r\n", 0, "one twice");
	has_status("GET / HTTP/1.1\r\nAuthorization: 1\r\n"
		   "authorization: 2\r\n\r\n", 400, "but not who asks");
	has_status("GET / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", 501,
		   "another coding");
	has_status("GET / HTTP/1.1\r\nContent-Length: \r\n\r\n", 400,
		   "no length");
	has_status("GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400,
		   "less than 0");
	has_status("GET / HTTP/1.1\r\nContent-Length: 999999999999999999"
		   "\r\n\r\n", 0, "18 digits");
	has_status("GET / HTTP/1.1\r\nContent-Length: 1000000000000000000"
		   "\r\n\r\n", 413, "19 digits");
	ok_eq(http_parse_request(&r, copy, 7), 400, "a 0");
	for (int i = 0; i < HTTP_HEADERS; i++)
		strcat(text, "A: b\r\n");
	strcat(text, "\r\n");
	has_status(text, 0, "as many headers as there may be");
	strcpy(text + strlen(text) - 2, "A: b\r\n\r\n");
	has_status(text, 431, "one more");
	parse("GET / HTTP/1.1\r\nConnection: Close\r\nA:b \t\r\n\r\n", &r);
	ok_eq(r.keep, false, "the client may close it");
	ok_str(http_header(&r, "a"), "b", "spaces are no part of a value");
	ok_eq(http_header(&r, "b") == NULL, true, "there is no other");
	ok_eq(r.query == NULL, true, "nor a query");
	ok_eq(r.length, 0, "nor a body");
	ok_str(http_status(404), "Not Found", "a status");
	ok_str(http_status(599), "Error", "another one");
}

static int take_pieces(const char *text, size_t max, struct bytes *got)
{
	struct http_pieces p = { 0 };
	size_t used;

	got->len = 0;
	return http_pieces_take(&p, (const uint8_t *)text, strlen(text), &used,
				got, max);
}

static void test_pieces(void)
{
	static char line[5000];
	struct bytes got = { 0 };

	ok_eq(take_pieces("3\r\nabc\r\n0\r\n\r\n", 3, &got), 1, "a piece");
	ok_eq(got.len, 3, "as large as it may be");
	ok_eq(take_pieces("3\r\nabc\r\n0\r\n\r\n", 2, &got), 413, "too large");
	ok_eq(take_pieces("aF\n", 999, &got), 0, "in any case, with LF");
	ok_eq(take_pieces("g\r\n", 9, &got), 400, "no number");
	ok_eq(take_pieces("\r\n", 9, &got), 400, "none");
	ok_eq(take_pieces("1x\r\n", 9, &got), 400, "text after it");
	ok_eq(take_pieces("1 ;x\r\na\r\n0\r\n\r\n", 9, &got), 1,
	      "an extension");
	ok_eq(take_pieces("1\r\nab\r\n", 9, &got), 400, "more than it says");
	ok_eq(take_pieces("0\r\nA: b\r\nC: d\r\n\r\n", 9, &got), 1,
	      "lines at the end");
	ok_eq(take_pieces("fffffffffffffffff\r\n", 9, &got), 400,
	      "beyond 64 bits");
	memset(line, 'x', sizeof(line) - 1);
	line[0] = '1';
	line[1] = ';';
	line[4096] = 0;
	ok_eq(take_pieces(line, 9, &got), 0, "a long line");
	line[4096] = 'x';
	line[4097] = 0;
	ok_eq(take_pieces(line, 9, &got), 400, "longer than it may be");
	bytes_free(&got);
}

int main(void)
{
	test_http();
	test_status();
	test_pieces();
	return tap_done();
}
