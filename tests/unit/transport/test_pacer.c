// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pacer - the datagrams of a frame leave in order, each with the time that
 * the rest takes
 */
#include <arpa/inet.h>
#include <poll.h>
#include <unistd.h>
#include "base/error.h"
#include "tap.h"
#include "transport/pacer.h"
#include "transport/segment.h"

enum { MOST = 64, PAYLOAD = 100 };

#define MS	1000000ULL

static struct loop *loop;
static struct uplink *uplink;
static struct pacer *pacer;
static unsigned int sent_datagrams;
static int fd;

struct datagram {
	struct optsample_segment segment;
	int64_t			left;
	uint8_t			payload[PAYLOAD];
	size_t			len;
};

static void on_sent(void *arg, uint64_t now, unsigned int datagrams,
		    uint64_t bytes)
{
	(void)arg;
	(void)now;
	(void)bytes;
	sent_datagrams += datagrams;
}

static void on_met(void *arg)
{
	(void)arg;
}

static void on_received(void *arg, uint64_t came, const void *payload,
			size_t len, const struct sockaddr_storage *from)
{
	(void)arg;
	(void)came;
	(void)payload;
	(void)len;
	(void)from;
}

static void begin(void)
{
	const struct uplink_events events = { on_sent, on_met, on_received,
					      NULL };
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct address to = { .len = sizeof(a) };
	socklen_t len = sizeof(a);

	fd = socket(AF_INET, SOCK_DGRAM, 0);
	if (bind(fd, (void *)&a, len) || getsockname(fd, (void *)&a, &len))
		abort();
	memcpy(&to.storage, &a, sizeof(a));
	loop = loop_create();
	sent_datagrams = 0;
	if (uplink_open(&uplink, loop, &to, 4711, NULL, &events))
		abort();
	pacer = pacer_create(loop, uplink, MOST);
}

static void end(void)
{
	pacer_destroy(pacer);
	uplink_close(uplink);
	loop_destroy(loop);
	close(fd);
}

/* The next one, which must be on its way */
static bool take(struct datagram *d)
{
	struct pollfd p = { fd, POLLIN, 0 };
	uint8_t bytes[OPTSAMPLE_SEGMENT_MAX];
	ssize_t n;

	memset(d, 0, sizeof(*d));
	if (poll(&p, 1, 10000) != 1)
		return false;
	n = recv(fd, bytes, sizeof(bytes), 0);
	if (n < 0 || segment_read(&d->segment, bytes, n))
		return false;
	d->left = segment_left(&d->segment, bytes);
	d->len = n - d->segment.header;
	if (d->len <= PAYLOAD)
		memcpy(d->payload, bytes + d->segment.header, d->len);
	return true;
}

/* @count datagrams of different lengths, @mark in each */
static void put_frame(unsigned int count, uint8_t mark, uint64_t span,
		      unsigned int copies)
{
	struct payloads *p = pacer_payloads(pacer);
	struct optsample_segment s;

	for (unsigned int i = 0; i < count; i++) {
		memset(payload_at(p, i), mark + i, PAYLOAD);
		p->len[i] = PAYLOAD - i;
	}
	p->count = count;
	segment_init(&s);
	s.frame = htole32(mark);
	pacer_send(pacer, &s, span, copies);
}

static unsigned int wanted;
static struct loop_timer idle;

static void check_sent(void *arg, uint64_t now)
{
	(void)arg;
	idle.due = now + MS;
	if (sent_datagrams >= wanted)
		loop_stop(loop, 0);
}

/* Run until so many were sent */
static void run_until(unsigned int datagrams)
{
	wanted = datagrams;
	idle = (struct loop_timer){ loop_now(), check_sent, NULL, NULL };
	loop_add_timer(loop, &idle);
	loop_run(loop);
	loop_remove_timer(loop, &idle);
}

static void test_frame(void)
{
	struct datagram d;
	int64_t before = INT64_MAX;

	begin();
	ok_eq(pacer_payloads(pacer)->max, MOST, "room for a frame");
	ok_eq(pacer_payloads(pacer)->size, uplink_payload(uplink),
	      "of datagrams that fit the path");
	put_frame(5, 10, 40 * MS, 1);
	ok_eq(sent_datagrams, 1, "the first leaves at once");
	run_until(5);
	for (unsigned int i = 0; i < 5; i++) {
		ok(take(&d), "datagram %u", i);
		ok_eq(le16toh(d.segment.index), i, "its number");
		ok_eq(le16toh(d.segment.count), 5, "of five");
		ok_eq(le32toh(d.segment.frame), 10, "of the frame");
		ok_eq(d.segment.header, uplink_header(uplink), "its header");
		ok_eq(d.len, PAYLOAD - i, "its length");
		ok_eq(d.payload[PAYLOAD - i - 1], 10 + i, "its end");
		ok(d.left < before, "less is left: %lld us", (long long)d.left);
		if (!i)
			ok_near(d.left, 32000, 1, "four fifths of the time");
		before = d.left;
	}
	ok_eq(d.left, 0, "nothing after the last");
	end();
}

/* Copies leave in rounds */
static void test_copies(void)
{
	static const unsigned int index[] = { 0, 1, 2, 0, 1, 2 };
	struct datagram d;

	begin();
	put_frame(3, 20, MS, 2);
	run_until(6);
	for (unsigned int i = 0; i < 6; i++) {
		take(&d);
		ok_eq(le16toh(d.segment.index), index[i], "copy %u", i);
		ok_eq(d.len, PAYLOAD - index[i], "is as long");
	}
	put_frame(2, 30, 0, 0);
	run_until(8);
	take(&d);
	ok_eq(le32toh(d.segment.frame), 30, "without a time, all at once");
	take(&d);
	ok_eq(le16toh(d.segment.index), 1, "each once");
	end();
}

/* A frame that is late leaves before the next one, without its copies */
static void test_late(void)
{
	struct datagram d;

	begin();
	put_frame(4, 40, 100000 * MS, 3);
	put_frame(2, 50, 100000 * MS, 1);
	ok_eq(sent_datagrams, 5, "all of it, and the first of the next");
	for (unsigned int i = 0; i < 4; i++) {
		take(&d);
		ok_eq(le32toh(d.segment.frame), 40, "of the late one");
		ok_eq(le16toh(d.segment.index), i, "number %u", i);
		ok_eq(d.payload[0], 40 + i, "and its content");
	}
	ok_eq(d.left, 0, "which ends now");
	take(&d);
	ok_eq(le32toh(d.segment.frame), 50, "then the next");
	/* nothing is left of an empty one, nor of one before it */
	put_frame(0, 60, MS, 2);
	ok_eq(sent_datagrams, 6, "the rest");
	end();
}

int main(void)
{
	test_frame();
	test_copies();
	test_late();
	return tap_done();
}
