// SPDX-License-Identifier: GPL-2.0-only
/*
 * UDP GSO: several datagrams in one packet, equal except for the last.
 */
#include <optsample/segment.h>
#include <stdlib.h>
#include <string.h>
#include "harness.h"

enum { SIZE = 300 };	/* bytes of a datagram's payload */

/* End the datagram, which began @from bytes after the UDP header */
static void fill(struct packet *p, int n)
{
	packet_zero(p, p->udp + 8 + (n + 1) * SIZE - p->len);
	packet_sub_end(p);
}

/* @count datagrams of message @sn, of @of in all, from the @start-th on */
static void fragments(struct packet *p, int64_t sn, int start, int count,
		      int of)
{
	for (int i = 0; i < count; i++) {
		struct frag f = { start + i, 1, 200, 200 * of };

		if (i)
			packet_rtps_header(p, CYCLONE);
		else
			packet_rtps(p, 2, 7411, CYCLONE);
		packet_data_frag(p, 0, PACKET_WRITER, sn, &f, 0);
		fill(p, i);
	}
	p->gso = SIZE;
	packet_end(p, 0);
}

static void one_message(void)
{
	struct optsample_tag t;
	struct packet p;

	fresh();
	fragments(&p, 5, 1, 8, 8);
	WANT(flags(&p, &t) == (FIRST | LAST) && t.message == 5);
	fragments(&p, 6, 1, 8, 20);
	WANT(flags(&p, &t) == FIRST);
	fragments(&p, 6, 9, 8, 20);
	WANT(flags(&p, &t) == 0);
	fragments(&p, 6, 17, 4, 20);
	WANT(flags(&p, &t) == LAST && t.message == 6);
	fragments(&p, 7, 1, 8, 8);
	p.len -= 60;		/* the last one is shorter */
	p.data[p.sub + 2] = p.data[p.sub + 3] = 0;
	packet_end(&p, 0);
	packet_ipv6(&p, 0);
	packet_vlan(&p, 1);
	WANT(flags(&p, &t) == (FIRST | LAST) && t.message == 7);
	done("GSO: datagrams of one message");
}

static void pads(struct packet *p, int n)
{
	for (int i = 0; i < n; i++) {
		packet_sub(p, 0x01, 0);
		packet_sub_end(p);
	}
}

/* One message, and as many submessages of as many datagrams as can be */
static void many_steps(struct packet *p, int64_t sn, int datagrams)
{
	packet_rtps(p, 2, 7411, CYCLONE);
	packet_data(p, 0, PACKET_WRITER, sn, 0);
	pads(p, 6);
	p->gso = p->len - p->udp - 8;
	for (int i = 1; i < datagrams; i++) {
		packet_rtps_header(p, CYCLONE);
		pads(p, 12);
	}
	packet_end(p, 0);
}

static void mixtures(void)
{
	/* one object looks at fewer submessages */
	int many = bpf.few_steps ? CONTROL : FIRST | LAST;
	struct optsample_tag t;
	struct packet p;
	uint32_t at;

	fresh();
	fragments(&p, 8, 1, 4, 4);
	p.data[p.sub + 20]++;
	WANT(flags(&p, &t) == CONTROL);
	fragments(&p, 9, 1, 4, 4);
	p.data[p.sub + 14] = 2;		/* PACKET_OTHER */
	WANT(flags(&p, &t) == CONTROL);
	fragments(&p, 10, 1, 4, 4);
	p.data[p.sub - 1]++;		/* prefix of another participant */
	WANT(flags(&p, &t) == CONTROL);
	fragments(&p, 11, 1, 4, 4);
	at = p.sub - 20;		/* not RTPS */
	p.data[at]++;
	WANT(flags(&p, &t) == CONTROL);
	p.data[p.udp + 8]++;		/* nor the first one */
	WANT(flags(&p, &t) == NONE);
	fragments(&p, 12, 1, 4, 4);
	p.data[at + 4]++;		/* bad version */
	WANT(flags(&p, &t) == NONE);
	done("GSO: several messages, writers, formats: not sampled");

	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_data(&p, 0, PACKET_WRITER, 13, 0);
	p.gso = p.len - p.udp - 8;
	for (int i = 0; i < 60; i++) {
		packet_rtps_header(&p, CYCLONE);
		packet_data(&p, 0, PACKET_WRITER, 13, 0);
	}
	packet_end(&p, 0);
	WANT(flags(&p, &t) == many);
	p.gso = 4;
	WANT(flags(&p, &t) == NONE);
	many_steps(&p, 14, 35);
	WANT(flags(&p, &t) == many);
	many_steps(&p, 15, 47);
	WANT(flags(&p, &t) == CONTROL);
	packet_udp(&p, 2, 9999);
	packet_zero(&p, 3000);
	p.gso = 1000;
	packet_end(&p, 0);
	WANT(flags(&p, &t) == NONE);
	done("GSO: 61 datagrams; of 4 bytes; too many to look at; of no flow");
}

static void segments(void)
{
	struct optsample_segment s = PACKET_SEGMENT(
		.frame = 9,
		.count = 5,
		.position = 77
	);
	struct optsample_tag t;
	struct packet p;

	fresh();
	packet_udp(&p, 2, 4711);
	for (s.index = 0; s.index < 5; s.index++)
		packet_segment(&p, &s, s.index == 4 ? 10 : 200);
	p.gso = 200 + sizeof(s);
	packet_end(&p, 0);
	WANT(flags(&p, &t) == (SELF | FIRST | LAST) && t.message == 9);
	WANT(t.pos_lo == 77);
	s.index = 0;
	s.frame++;
	packet_segment(&p, &s, 0);
	packet_end(&p, 0);
	p.gso = 10 + sizeof(s);
	WANT(flags(&p, &t) == (SELF | CONTROL));
	packet_udp(&p, 2, 34283);
	opt_in_udpros(&p, &(struct ros_writer){ .flow = 9 });
	packet_udpros(&p, 0, 1, 2);
	packet_udpros(&p, 1, 1, 1);
	p.gso = 8;
	packet_end(&p, 0);
	WANT(flags(&p, &t) == CONTROL);
	done("GSO: segments; UDPROS is not sampled");
}

void test_gso(void)
{
	one_message();
	mixtures();
	segments();
}
