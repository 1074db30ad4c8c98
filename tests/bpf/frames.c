// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is around UDP: VLAN tags, IPv6 with its extension headers, no link
 * header. The same packet gets the same tag.
 */
#include <string.h>
#include "harness.h"

/* @p, however framed, is message @sn of one flow; @flow: its id, 0: any */
static void want_data(const struct packet *p, uint32_t sn, uint32_t *flow)
{
	struct optsample_tag t;

	WANT(flags(p, &t) == (FIRST | LAST) && t.message == sn);
	WANT(!*flow || t.flow == *flow);
	*flow = t.flow;
}

static void vlan(void)
{
	struct packet p;
	uint32_t flow = 0;

	fresh();
	for (int tags = 0; tags < 3; tags++) {
		data(&p, tags + 1);
		packet_vlan(&p, tags);
		want_data(&p, tags + 1, &flow);
	}
	data(&p, 4);
	packet_vlan(&p, 3);
	WANT(flags(&p, NULL) == NONE);
	data(&p, 4);
	packet_ipv6(&p, 0);
	packet_vlan(&p, 2);
	flow = 0;
	want_data(&p, 4, &flow);
	packet_tcp(&p);
	packet_vlan(&p, 1);
	WANT(flags(&p, NULL) == NONE);
	done("VLAN: one tag, two, over IPv6; three are too many");
}

static void named6(uint32_t id)
{
	static const uint8_t to[16] = { 0xfd, [12] = 10, 0, 0, 2 };
	struct ros_flow flow;
	uint32_t a[4];

	memcpy(a, to, sizeof(a));
	WANT(!bpf_map_lookup_elem(bpf.flows, &id, &flow));
	WANT(flow.name.kind == ROS_RTPS6);
	WANT(flow.name.daddr == ros_addr6(a));
	WANT(!memcmp(flow.daddr6, to, sizeof(to)));
}

static void ipv6(void)
{
	uint32_t flow = 0, flow4 = 0;
	struct packet p;
	int sn = 0;

	fresh();
	for (int exts = 0; exts < 8; exts++) {
		data(&p, ++sn);
		packet_ipv6(&p, exts);
		want_data(&p, sn, &flow);
	}
	for (; sn < 3 * ROS_RECENT_FOR; sn++) {
		data(&p, sn + 1);
		packet_ipv6(&p, 0);
		want_data(&p, sn + 1, &flow);
	}
	named6(flow);
	data(&p, 1);
	want_data(&p, 1, &flow4);
	WANT(flow4 != flow);
	done("IPv6: extension headers; name of the flow");

	data(&p, ++sn);
	packet_ipv6(&p, 0);
	p.data[20] = 51;	/* authentication: not supported */
	WANT(flags(&p, NULL) == NONE);
	p.data[20] = 17;
	p.data[18] = p.data[19] = 0;
	WANT(flags(&p, NULL) == NONE);
	data(&p, sn);
	packet_ipv6(&p, 7);
	p.data[14 + 40 + 1] = 255;	/* an extension beyond the packet */
	WANT(flags(&p, NULL) == NONE);
	packet_tcp(&p);
	packet_ipv6(&p, 0);
	WANT(flags(&p, NULL) == NONE);
	done("IPv6: other headers, jumbogram, TCP: untagged");

	packet_rtps(&p, 99, 7401, CYCLONE);
	p.data[30] = 239;
	packet_data(&p, 0, PACKET_WRITER, sn, 100);
	packet_end(&p, 0);
	packet_ipv6(&p, 0);
	flow = 0;
	want_data(&p, sn, &flow);
	done("IPv6: multicast");
}

/* Three fragments of a datagram, the whole message, with other traffic */
static void fragments6(void)
{
	struct frag f = { 1, 3, 1344, 4032 };
	struct packet first, part[2], p;
	struct optsample_tag t, head;

	fresh();
	packet_rtps(&first, 2, 7411, CYCLONE);
	packet_data_frag(&first, 0, PACKET_WRITER, 1, &f, 1416);
	packet_end(&first, 2616);
	packet_ip(&first, 77, 0x2000);
	packet_ip_frag(&part[0], &first, 1480, true, 1480);
	packet_ip_frag(&part[1], &first, 2960, false, 1136);
	for (int exts = 0; exts < 16; exts += 5) {
		p = first;
		packet_ipv6(&p, exts);
		WANT(flags(&p, &head) == FIRST && head.message == 1);
		p = part[0];
		packet_ipv6(&p, exts);
		WANT(flags(&p, &t) == 0 && t.flow == head.flow);
		p = part[1];
		packet_ipv6(&p, exts);
		WANT(flags(&p, &t) == LAST && t.flow == head.flow);
	}
	p.data[14 + 23] ^= 1;	/* from another sender */
	WANT(flags(&p, NULL) == NONE);
	packet_udp(&first, 2, 9999);
	packet_zero(&first, 1472);
	packet_end(&first, 1000);
	packet_ip(&first, 77, 0x2000);
	packet_ipv6(&first, 0);
	WANT(flags(&first, NULL) == NONE);
	p = part[1];
	packet_ipv6(&p, 0);
	WANT(flags(&p, NULL) == NONE);
	done("IPv6: fragments; of no flow; id used again");
}

/* Two addresses that ros_addr6() does not tell apart */
static void addresses6(void)
{
	struct optsample_tag t;
	uint32_t flow[2] = { 0, 0 };
	struct packet p, q;

	fresh();
	data(&p, 1);
	packet_ipv6(&p, 0);
	q = p;
	packet_ipv6_twin(&q);
	for (int i = 1; i < 9; i++) {
		p.data[p.sub + 20] = i;
		q.data[p.sub + 20] = i;
		WANT(flags(&p, &t) == (FIRST | LAST));
		WANT(i == 1 || t.flow == flow[0]);
		flow[0] = t.flow;
		WANT(flags(&q, &t) == (FIRST | LAST));
		WANT(i == 1 || t.flow == flow[1]);
		flow[1] = t.flow;
	}
	WANT(flow[0] != flow[1]);
	done("IPv6: addresses with one hash are two flows");
}

static void no_link(void)
{
	struct frag f = { 1, 1, 1388, 1388 };
	struct packet first, rest, p;

	for (int v6 = 0; v6 < 2; v6++) {
		fresh();
		data(&p, 1);
		if (v6)
			packet_ipv6(&p, 0);
		packet_no_link(&p);
		WANT(flags(&p, NULL) == (FIRST | LAST));
		packet_rtps(&first, 2, 7411, CYCLONE);
		packet_data_frag(&first, 0, PACKET_WRITER, 2, &f, 1380);
		packet_end(&first, 16);
		packet_ip(&first, 77, 0x2000);
		packet_ip_frag(&rest, &first, 1448, false, 16);
		if (v6) {
			packet_ipv6(&first, PACKET_DST);
			packet_ipv6(&rest, PACKET_DST);
		}
		packet_no_link(&first);
		packet_no_link(&rest);
		WANT(flags(&first, NULL) == FIRST);
		WANT(flags(&rest, NULL) == LAST);
	}
	done("no link header: DATA, fragments, IPv4 and IPv6");

	fresh();
	data(&p, 1);
	p.data[0] = 0x45;	/* a MAC address like an IP header */
	p.data[2] = p.len >> 8;
	p.data[3] = p.len;
	WANT(flags(&p, NULL) == (FIRST | LAST));
	data(&p, 2);
	packet_ipv6(&p, 0);
	p.data[0] = 0x60;
	p.data[4] = (p.len - 40) >> 8;
	p.data[5] = p.len - 40;
	WANT(flags(&p, NULL) == (FIRST | LAST));
	done("Ethernet address that looks like an IP header");
}

void test_frames(void)
{
	vlan();
	ipv6();
	fragments6();
	addresses6();
	no_link();
}
