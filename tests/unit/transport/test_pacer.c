// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_pacer - the datagrams of a frame leave in order, each with the time that
 * the rest takes
 */
#include "fast_clock.h"
#include "transport/pacer.h"
#include "uplink_fixture.h"

enum { MOST = 64 };

static struct pacer *pacer;

static void begin(void)
{
	uplink_begin();
	pacer = pacer_create(loop, uplink, MOST);
}

static void end(void)
{
	pacer_destroy(pacer);
	uplink_end();
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
