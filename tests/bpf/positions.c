// SPDX-License-Identifier: GPL-2.0-only
/*
 * Positions that are no sequence number: stamps and distance, of messages in
 * one packet and in several.
 */
#include <stdlib.h>
#include <string.h>
#include "harness.h"

enum { BY_SOURCE = 0x103, BY_HEADER = 0x203, BY_DISTANCE = 0x303 };

static const uint64_t sec = 1700000000;

static void start(void)
{
	struct ros_writer w = { .flow = 1, .profile = 200 };

	fresh();
	for (w.by = ROS_BY_SOURCE; w.by < ROS_BY_MAX; w.by++) {
		opt_in_as(packet_prefix, w.by << 8 | 3, &w);
		w.flow++;
	}
}

/* @position and @fl of the tag of @p */
static void want_at(const struct packet *p, int fl, uint64_t position)
{
	struct optsample_tag t;

	WANT(flags(p, &t) == fl);
	WANT(((uint64_t)t.pos_hi << 32 | t.pos_lo) == position);
	WANT((t.mark & 0xff00) == OPTSAMPLE_TAG_PROFILE(200));
}

static void by_source(void)
{
	struct frag f[] = { { 1, 1, 1300, 2600 }, { 2, 1, 1300, 2600 } };
	struct packet p;

	start();
	for (int big = 0; big < 2; big++) {
		packet_rtps(&p, 2, 7411, CYCLONE);
		p.big = big;
		packet_info_ts_at(&p, sec + big, 0x80000000);
		packet_data(&p, 0, BY_SOURCE, 1 + big, 100);
		packet_end(&p, 0);
		want_at(&p, FIRST | LAST, (sec + big) * 1000000000 + 500000000);
	}
	for (int i = 0; i < 2; i++) {
		packet_rtps(&p, 2, 7411, CYCLONE);
		if (!i)
			packet_info_ts_at(&p, sec + 9, 1);
		packet_data_frag(&p, 0, BY_SOURCE, 3, &f[i], 1300);
		packet_end(&p, 0);
		want_at(&p, i ? LAST : FIRST, (sec + 9) * 1000000000);
	}
	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_info_ts_at(&p, 0xffffffff, 0xffffffff);
	packet_data(&p, 0, BY_SOURCE, 4, 100);
	packet_end(&p, 0);
	want_at(&p, FIRST | LAST, (sec + 9) * 1000000000);
	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_info_ts_at(&p, sec, 0);
	packet_data(&p, 0, BY_SOURCE, 2, 100);	/* an old one, repeated */
	packet_end(&p, 0);
	want_at(&p, REPAIR, (sec + 9) * 1000000000);
	packet_rtps(&p, 3, 7411, CYCLONE);
	packet_data(&p, 0, BY_SOURCE, 1, 100);
	packet_end(&p, 0);
	want_at(&p, FIRST | LAST, 0);
	done("by source: INFO_TS; without: as the message before");
}

/* A message with encapsulation @kind and its stamp @off bytes after that */
static void headed(struct packet *p, int64_t sn, uint16_t kind, int off,
		   uint64_t s, uint32_t nsec)
{
	uint8_t head[2] = { kind >> 8, kind };
	bool big = p->big;
	uint32_t at;

	packet_data(p, 0, BY_HEADER, sn, 60);
	at = p->len;
	p->len = p->sub + 24;
	packet_bytes(p, head, 2);
	p->len += 2 + off;
	p->big = !(kind & 1);
	packet_u32(p, s);
	packet_u32(p, nsec);
	p->big = big;
	p->len = at;
	packet_end(p, 0);
}

static void by_header(void)
{
	static const struct { uint16_t kind; int off; bool read; } c[] = {
		{ 0, 0, true }, { 1, 0, true }, { 6, 0, true }, { 7, 0, true },
		{ 2, 0, false }, { 3, 0, false }, { 8, 4, false },
		{ 9, 4, false }, { 11, 4, false }, { 0x101, 0, false },
	};
	uint64_t at = 0;
	struct packet p;

	start();
	for (uint32_t i = 0; i < sizeof(c) / sizeof(*c); i++) {
		packet_rtps(&p, 2, 7411, CYCLONE);
		p.big = i & 2;
		headed(&p, i + 1, c[i].kind, c[i].off, sec + i, 123456789);
		if (c[i].read)
			at = (sec + i) * 1000000000 + 123456789;
		want_at(&p, FIRST | LAST, at);
	}
	packet_rtps(&p, 2, 7411, CYCLONE);
	headed(&p, 20, 1, 0, sec + 50, 1000000000);
	want_at(&p, FIRST | LAST, at);
	packet_rtps(&p, 2, 7411, CYCLONE);
	headed(&p, 21, 1, 0, -5, 0);
	want_at(&p, FIRST | LAST, at);
	done("by header: encapsulations, both orders; no stamp");
}

/* Put @n parameters of inline QoS and the sentinel before the payload */
static void inline_qos(struct packet *p, int n, uint16_t sentinel)
{
	uint32_t at = p->sub + 24, room = n * 8 + 4, len = p->len;

	memmove(p->data + at + room, p->data + at, len - at);
	memset(p->data + at, 0, room);
	p->len = at;
	for (int i = 0; i < n; i++) {
		packet_u16(p, 0x70);
		packet_u16(p, 4);
		p->len += 4;
	}
	packet_u16(p, sentinel);
	p->len = len + room;
	p->data[p->sub + 1] |= 2;
	packet_sub_end(p);
	packet_end(p, 0);
}

static void around_header(void)
{
	struct packet p;
	uint64_t at = 0;

	start();
	for (int n = 0; n < 17; n++) {
		packet_rtps(&p, 2, 7411, CYCLONE);
		p.big = n & 1;
		headed(&p, n + 1, 1, 0, sec + n, 5);
		inline_qos(&p, n, 1);
		if (n < 16)
			at = (sec + n) * 1000000000 + 5;
		want_at(&p, FIRST | LAST, at);
	}
	packet_rtps(&p, 2, 7411, CYCLONE);
	headed(&p, 30, 1, 0, sec + 30, 5);
	inline_qos(&p, 2, 0x70);	/* without end */
	want_at(&p, FIRST | LAST, at);
	packet_rtps(&p, 2, 7411, CYCLONE);
	headed(&p, 31, 1, 0, sec + 31, 5);
	memmove(p.data + p.sub + 32, p.data + p.sub + 24, 40);
	p.data[p.sub + 6] += 8;		/* octetsToInlineQos */
	want_at(&p, FIRST | LAST, (sec + 31) * 1000000000 + 5);
	packet_rtps(&p, 2, 7411, CYCLONE);
	headed(&p, 32, 1, 0, sec + 32, 5);
	p.data[p.sub + 7] = 0xff;	/* beyond the packet */
	want_at(&p, FIRST | LAST, (sec + 31) * 1000000000 + 5);
	packet_rtps(&p, 2, 7411, CYCLONE);
	headed(&p, 33, 1, 0, sec + 33, 5);
	p.data[p.sub + 2] = 31;		/* ends before the stamp does */
	want_at(&p, FIRST | LAST, (sec + 31) * 1000000000 + 5);
	done("by header: behind inline QoS, and not beyond the submessage");
}

static void parts(void)
{
	struct frag f[] = { { 1, 1, 100, 300 }, { 2, 1, 100, 300 },
			    { 3, 1, 100, 300 } };
	static const uint8_t head[12] = { 0, 1, 0, 0, 7, 0, 0, 0, 9 };
	struct packet p;

	start();
	for (int i = 0; i < 3; i++) {
		packet_rtps(&p, 2, 7411, FASTDDS);
		packet_info_dst(&p);
		packet_info_ts(&p);
		packet_data_frag(&p, PACKET_READER, BY_HEADER, 1, &f[i], 100);
		memcpy(p.data + p.sub + 36, head, sizeof(head));
		p.data[p.sub + 40] += i;
		packet_end(&p, 0);
		want_at(&p, i == 0 ? FIRST : i == 1 ? 0 : LAST, 7000000009);
	}
	done("by header: the first fragment says it for all");
}

static void by_distance(void)
{
	uint64_t mm[] = { 0, 1500, 1500, 1ULL << 40 };
	uint32_t key = 0;
	struct packet p;

	start();
	for (int i = 0; i < 4; i++) {
		if (bpf_map_update_elem(bpf.odometer, &key, &mm[i], BPF_ANY))
			abort();
		packet_rtps(&p, 2, 7411, CYCLONE);
		packet_data(&p, 0, BY_DISTANCE, i + 1, 100);
		packet_end(&p, 0);
		want_at(&p, FIRST | LAST, mm[i]);
	}
	done("by distance: what the odometer says");
}

static void udpros(void)
{
	static const uint8_t body[16] = { 99, 0, 0, 0, 1, 0, 0, 0,
					  5, 0, 0, 0, 6 };
	struct packet p;

	for (int by = ROS_BY_SOURCE; by <= ROS_BY_HEADER; by++) {
		fresh();
		packet_udp(&p, 2, 34283);
		opt_in_udpros(&p, &(struct ros_writer){ .flow = 9, .by = by,
							.profile = 200 });
		packet_udpros(&p, 0, 1, 2);
		packet_bytes(&p, body, sizeof(body));
		packet_end(&p, 0);
		want_at(&p, FIRST, 5000000006);
		packet_udp(&p, 2, 34283);
		packet_udpros(&p, 1, 1, 1);
		packet_end(&p, 0);
		want_at(&p, LAST, 5000000006);
		packet_udp(&p, 2, 34283);
		packet_udpros(&p, 0, 2, 1);
		packet_bytes(&p, body, 12);	/* cut before the stamp ends */
		packet_end(&p, 0);
		want_at(&p, FIRST | LAST, 5000000006);
	}
	done("UDPROS: stamp of the header");
}

void test_positions(void)
{
	by_source();
	by_header();
	around_header();
	parts();
	by_distance();
	udpros();
}
