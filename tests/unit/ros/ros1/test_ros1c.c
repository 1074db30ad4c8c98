// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_ros1c - the wire formats of the ROS 1 client, without a network: the
 * connection header, HTTP, XML-RPC, UDPROS. Nodes: tests/e2e/ros1/client.sh
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "ros/ros1/address.h"
#include "ros/ros1/header.h"
#include "ros/ros1/http.h"
#include "ros/ros1/udpros.h"
#include "ros/ros1/xml.h"
#include "tap.h"

enum { DATAGRAM = 108, BLOCK = DATAGRAM - UDPROS_HEADER, MESSAGE = 4000,
       BLOCKS = (MESSAGE + 4 + BLOCK - 1) / BLOCK, CONNECTION = 7 };

/*
 * UDPROS
 */

struct datagram {
	uint8_t	bytes[DATAGRAM];
	size_t	len;
};

/* @size bytes all equal to @id. Return: datagrams */
static unsigned int cut(struct datagram *d, uint8_t id, size_t size)
{
	unsigned int total = (unsigned int)((size + 4 + BLOCK - 1) / BLOCK), i;
	uint8_t message[MESSAGE + 4];
	size_t n;

	put_le32(message, (uint32_t)size);
	memset(message + 4, id, size);
	for (i = 0; i < total; i++) {
		n = size + 4 - i * BLOCK;
		d[i].len = (n < BLOCK ? n : BLOCK) + UDPROS_HEADER;
		udpros_put(d[i].bytes, CONNECTION, id, i, total);
		memcpy(d[i].bytes + UDPROS_HEADER, message + i * BLOCK,
		       d[i].len - UDPROS_HEADER);
	}
	return total;
}

static bool is_message(const struct udpros_in *u, uint8_t id, size_t size)
{
	size_t i;

	if (u->message.len != size + 4)
		return false;
	for (i = 0; i < size; i++)
		if (u->message.data[4 + i] != id)
			return false;
	return true;
}

/* All of message @id but block @without, in order. Return: of the last one */
static int give(struct udpros_in *u, uint8_t id, size_t size,
		unsigned int without, uint64_t now)
{
	struct datagram d[BLOCKS];
	unsigned int n = cut(d, id, size), i;
	int got = 0;

	for (i = 0; i < n; i++)
		if (i != without)
			got = udpros_add(u, d[i].bytes, d[i].len, now);
	return got;
}

static void test_order(void)
{
	static const size_t sizes[] = { 0, 1, BLOCK - 5, BLOCK - 4, BLOCK - 3,
		2 * BLOCK - 4, 1000, MESSAGE };
	struct datagram d[BLOCKS], t;
	unsigned int n, i, j, complete;
	struct udpros_in u;
	uint64_t seed = 1;
	uint8_t id = 255;
	bool good = true;
	size_t k;

	udpros_open(&u, CONNECTION, DATAGRAM, MESSAGE);
	for (k = 0; k < 600; k++) {
		size_t size = sizes[k % 8];

		id = udpros_next(id);
		n = cut(d, id, size);
		for (i = 0; i < n; i++) {
			j = rnd(&seed, n);
			t = d[i];
			d[i] = d[j];
			d[j] = t;
		}
		for (i = complete = 0; i < n; i++) {
			complete += udpros_add(&u, d[i].bytes, d[i].len, k) ==
				    1;
			good &= udpros_add(&u, d[i].bytes, d[i].len, k) ==
				-EEXIST;
		}
		good &= complete == 1 && is_message(&u, id, size);
	}
	ok(good,
	   "any size, order and number of copies, over the end of the ids");
	ok(id, "any size, order and number of copies, over the end of the ids");
	ok(!u.incomplete,
	   "any size, order and number of copies, over the end of the ids");
	ok(!u.refused,
	   "any size, order and number of copies, over the end of the ids");
	ok(!u.missing,
	   "any size, order and number of copies, over the end of the ids");
	udpros_close(&u);
}

static void test_loss(void)
{
	unsigned int i, n = 1000 / BLOCK + 1;
	struct udpros_in u;
	bool good = true;
	uint8_t id = 0;

	udpros_open(&u, CONNECTION, DATAGRAM, MESSAGE);
	for (i = 0; i < n; i++) {
		id = udpros_next(id);
		good &= give(&u, id, 1000, i, i) != 1;
		id = udpros_next(id);
		good &= give(&u, id, 1000, BLOCKS, i) == 1 &&
			is_message(&u, id, 1000);
	}
	ok(good, "whichever block is lost, the next message is complete");
	ok_eq(u.incomplete, n, "and that is counted");
	ok(!u.missing, "and that is counted");
	good = give(&u, udpros_next(udpros_next(id)), 10, BLOCKS, i) == 1;
	ok(good, "messages that did not come are counted");
	ok_eq(u.missing, 1, "messages that did not come are counted");
	ok(give(&u, udpros_next(id), 10, BLOCKS, i) == -EEXIST,
	   "one that comes too late is left out");
	good = give(&u, id, 10, BLOCKS, i + 1000) == 1;
	ok(good, "but after a silence it is a new one: the ids have wrapped");
	good = give(&u, 150, 10, BLOCKS, i + 1000) == 1 &&
	       give(&u, 5, 10, BLOCKS, i + 1001) == 1;
	ok(good, "and so is one that is far ahead");
	udpros_close(&u);
}

static void test_gaps(void)
{
	struct udpros_in u;
	unsigned int k, n = 0;
	uint64_t now = 0;

	udpros_open(&u, CONNECTION, DATAGRAM, MESSAGE);
	for (k = 0; k < 255; k++) {
		give(&u, 1, 200, BLOCKS, now += 1000);
		n += give(&u, (uint8_t)(k + 1), 300, BLOCKS, now += 1000) == 1;
	}
	ok(n == 255, "outages of any number of messages");
	udpros_close(&u);
}

static void test_hostile(void)
{
	struct datagram d[BLOCKS];
	struct udpros_in u;
	uint64_t seed = 2;
	bool good = true;
	uint8_t p[2 * DATAGRAM];
	size_t i, n;

	udpros_open(&u, CONNECTION, DATAGRAM, MESSAGE);
	cut(d, 1, 1000);
	for (i = 0; i < UDPROS_HEADER; i++)
		good &= udpros_add(&u, d[0].bytes, i, 0) == -EPROTO;
	ok(good, "too short");
	put_le32(d[0].bytes, CONNECTION + 1);
	ok(udpros_add(&u, d[0].bytes, d[0].len, 0) == -EPROTO,
	   "another connection");
	cut(d, 1, 10);
	put_le32(d[0].bytes + UDPROS_HEADER, 11);
	ok_eq(udpros_add(&u, d[0].bytes, d[0].len, 0), -EPROTO,
	      "a length that is not that of the message");
	ok_eq(u.refused, 1, "a length that is not that of the message");
	udpros_put(p, CONNECTION, 2, 0, 65535);
	ok(udpros_add(&u, p, DATAGRAM, 0) == -EMSGSIZE,
	   "more blocks than a message may have");
	udpros_put(p, CONNECTION, 3, 65535, 65535);
	ok_eq(udpros_add(&u, p, DATAGRAM, 0), -EMSGSIZE,
	      "a block that is far behind: no memory for it");
	ok(u.message.cap <= 2 * MESSAGE,
	   "a block that is far behind: no memory for it");
	udpros_put(p, CONNECTION, 4, 0, 2);
	ok(udpros_add(&u, p, DATAGRAM + 1, 0) == -EPROTO, "a block too long");
	udpros_put(p, CONNECTION, 5, 0, 0);
	good = udpros_add(&u, p, DATAGRAM, 0) == -EPROTO;
	p[4] = UDPROS_DATAN;
	ok(good, "no blocks, and block 0 as another one");
	ok_eq(udpros_add(&u, p, DATAGRAM, 0), -EPROTO,
	      "no blocks, and block 0 as another one");
	cut(d, 6, 2 * BLOCK);
	put_le32(d[0].bytes + UDPROS_HEADER, BLOCK + 1 - 4);
	for (i = 0, good = true; i < 3; i++)
		good &= udpros_add(&u, d[i].bytes, i == 1 ? UDPROS_HEADER + 1 :
				   DATAGRAM, 0) != 1;
	ok(good, "a block in the middle that is short");
	cut(d, 8, 2 * BLOCK);
	udpros_add(&u, d[2].bytes, DATAGRAM, 0);
	put_le32(d[0].bytes + UDPROS_HEADER, 2 * BLOCK - 4);
	udpros_put(d[0].bytes, CONNECTION, 8, 0, 2);
	ok(udpros_add(&u, d[0].bytes, d[0].len, 0) == -EPROTO,
	   "a block behind the last one is not the one that is missing");
	for (i = 0; i < 100000; i++) {
		for (n = 0; n < DATAGRAM; n++)
			p[n] = (uint8_t)rnd(&seed, n < 8 ? 4 : 256);
		put_le32(p, CONNECTION);
		udpros_add(&u, p, UDPROS_HEADER + rnd(&seed, DATAGRAM), i);
	}
	ok_eq(give(&u, 77, 1000, BLOCKS, i + 1000), 1,
	      "and what follows nonsense is taken");
	ok(is_message(&u, 77, 1000), "and what follows nonsense is taken");
	udpros_close(&u);
}

/*
 * Headers
 */

static void test_header(void)
{
	struct bytes b = { 0 };
	struct header h;
	uint8_t *copy;
	char *value;
	bool good = true;
	size_t i, whole = 0;

	header_append(&b, "callerid", "/a");
	header_append(&b, "message_definition", "int32 x=1\n");
	header_append(&b, "unknown", "");
	ok(!header_parse(b.data, b.len, &h), "header: what was written");
	ok(header_is(&h, HEADER_CALLERID, "/a"), "header: what was written");
	ok(header_is(&h, HEADER_DEFINITION, "int32 x=1\n"),
	   "header: what was written");
	ok(!header_is(&h, HEADER_MD5SUM, ""), "header: what was written");
	value = header_value(&h, HEADER_TYPE);
	ok(!strcmp(value, ""), "header: no value");
	free(value);
	for (i = 0; i < b.len; i++) {
		copy = malloc(i + 1);
		memcpy(copy, b.data, i);
		whole += !header_parse(copy, i, &h);
		free(copy);
	}
	ok(whole == 3, "header: cut short");
	for (i = 0; i < 4; i++) {
		b.data[i] = 0xff;
		good &= header_parse(b.data, b.len, &h) == -EPROTO;
	}
	ok(good, "header: lengths that do not fit");
	ok_eq(header_parse("\4\0\0\0=abc", 8, &h), -EPROTO, "header: no name");
	ok_eq(header_parse("\4\0\0\0abcd", 8, &h), -EPROTO, "header: no name");
	bytes_free(&b);
}

static int http(const char *text, bool ended, struct http *h)
{
	struct bytes b = { (uint8_t *)(uintptr_t)text, strlen(text), 0 };

	return http_parse(&b, ended, h);
}

static void test_http(void)
{
	struct bytes b = { 0 };
	struct http h;
	size_t i, all;
	bool good = true;

	http_request(&b, "host", 11311, "hello", 5);
	all = b.len;
	for (i = 0; i < all; i++) {
		b.len = i;
		good &= http_parse(&b, false, &h) == 0;
	}
	b.len = all;
	ok(good, "HTTP: a request, byte by byte");
	ok_eq(http_parse(&b, false, &h), 1, "HTTP: a request, byte by byte");
	ok_eq(h.body, 5, "HTTP: a request, byte by byte");
	ok_eq(h.head, all - 5, "HTTP: a request, byte by byte");
	ok(h.close, "HTTP: a request, byte by byte");
	b.len = 0;
	http_response(&b, "200 OK", false, "hello", 5);
	ok_eq(http_parse(&b, false, &h), 1, "HTTP: a response");
	ok_eq(h.body, 5, "HTTP: a response");
	ok_eq(h.status, 200, "HTTP: a response");
	ok(!h.close, "HTTP: a response");
	ok_eq(http("HTTP/1.0 200 OK\r\n\r\nabc", false, &h), 0,
	      "HTTP: a response to the end of the connection");
	ok_eq(http("HTTP/1.0 200 OK\n\nabc", true, &h), 1,
	      "HTTP: a response to the end of the connection");
	ok_eq(h.body, 3, "HTTP: a response to the end of the connection");
	ok_eq(http("POST / HTTP/1.1\r\ncontent-length:3\r\nConnection: close\r\n"
	      "\r\nabcPOST", false, &h), 1, "HTTP: what follows is not of it");
	ok_eq(h.body, 3, "HTTP: what follows is not of it");
	ok(h.close, "HTTP: what follows is not of it");
	ok_eq(http("POST / HTTP/1.1\r\n\r\n", false, &h), -EPROTO,
	      "HTTP: what is not understood");
	ok_eq(http("POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", false, &h),
	      -EPROTO, "HTTP: what is not understood");
	ok_eq(http("GET / HTTP/1.1\r\n\r\n", false, &h), -EPROTO,
	      "HTTP: what is not understood");
	ok_eq(http("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", true, &h),
	      -EPROTO, "HTTP: what is not understood");
	ok(http("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n"
		"\r\n", false, &h) == -EMSGSIZE, "HTTP: a body too large");
	b.len = 0;
	for (i = 0; i < HTTP_HEAD_MAX; i++)
		bytes_append(&b, "A", 1);
	ok(http_parse(&b, false, &h) == -EMSGSIZE, "HTTP: a head without end");
	bytes_free(&b);
}

static void test_xml(void)
{
	static const char bomb[] = "<?xml version=\"1.0\"?><!DOCTYPE x ["
		"<!ENTITY a \"aaaa\">]><methodCall><methodName>&a;"
		"</methodName></methodCall>";
	xmlrpc_value *v = NULL;
	struct bytes b = { 0 };
	uint8_t *base64;
	char *method = NULL, *text;
	size_t len = 0;

	ok(!xml_write_call(&b, "m", xml_build("(si(s)6)", "<&>", -5, "x", "\0\1\2", (size_t)3)),
	   "XML-RPC: a call");
	ok(!xml_parse_call(b.data, b.len, &method, &v), "XML-RPC: a call");
	ok_str(method, "m", "XML-RPC: a call");
	text = xml_string(v, 0);
	base64 = xml_base64(v, 3, &len);
	ok_str(text, "<&>", "XML-RPC: its parameters");
	ok_eq(xml_int(v, 1, 0), -5, "XML-RPC: its parameters");
	ok_eq(len, 3, "XML-RPC: its parameters");
	ok_mem(base64, "\0\1\2", 3, "XML-RPC: its parameters");
	ok(!xml_string(v, 1), "XML-RPC: what is not there");
	ok_eq(xml_int(v, 0, 9), 9, "XML-RPC: what is not there");
	ok(!xml_string(v, 4), "XML-RPC: what is not there");
	ok(!xml_size(NULL), "XML-RPC: what is not there");
	free(text);
	free(base64);
	free(method);
	xml_put(v);
	ok(xml_parse_call(bomb, sizeof(bomb) - 1, &method, &v) == -EPROTO,
	   "XML-RPC: no document types");
	b.len = 0;
	ok(!xml_write_fault(&b, 1, "no"), "XML-RPC: a fault");
	ok_eq(xml_parse_answer(b.data, b.len, &v), -EPROTO, "XML-RPC: a fault");
	bytes_free(&b);
}

static void test_uri(void)
{
	static const char *const bad[] = { "", "http://", "http://a",
		"http://a:", "http://:1", "http://a:0", "http://a:65536",
		"http://a:1x", "http://a:-1", "https://a:1/", "rosrpc://a:1",
		"http://a/b:1" };
	struct uri u;
	bool good = true;
	size_t i;

	ok(!uri_parse("http://robot.local:11311/", &u) &&
	   !strcmp(u.host, "robot.local") && u.port == 11311 &&
	   !uri_parse("http://10.0.0.1:1", &u) && u.port == 1, "URIs");
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		good &= uri_parse(bad[i], &u) == -EINVAL;
	ok(good, "what is no URI");
}

int main(void)
{
	test_order();
	test_loss();
	test_gaps();
	test_hostile();
	test_header();
	test_http();
	test_xml();
	test_uri();
	return tap_done();
}
