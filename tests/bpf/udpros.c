// SPDX-License-Identifier: GPL-2.0-only
/*
 * UDPROS: connections by addresses and ports, messages by their 8-bit id.
 */
#include <string.h>
#include "harness.h"

enum { PORT = 34283, BLOCKS = 3 };

static void block(struct packet *p, uint16_t port, uint8_t op, uint8_t id,
		  uint16_t n)
{
	packet_udp(p, 2, port);
	packet_udpros(p, op, id, n);
	packet_zero(p, 1400);
	packet_end(p, 0);
}

/* Return: flags of the tag */
static int send_block(uint8_t op, uint8_t id, uint16_t n,
		      struct optsample_tag *t)
{
	struct packet p;

	block(&p, PORT, op, id, n);
	return flags(&p, t);
}

static void opt_in_port(uint16_t port)
{
	struct packet p;

	block(&p, port, 0, 1, 1);
	opt_in_udpros(&p, &(struct ros_writer){ .flow = 9, .profile = 3 });
}

static void messages(void)
{
	struct optsample_tag t, head;
	struct ros_flow flow;
	struct packet p;
	uint32_t n = 0;

	fresh();
	WANT(send_block(0, 1, BLOCKS, NULL) == NONE);
	opt_in_port(PORT);
	for (int id = 250; n < 400; id = id % 255 + 1) {
		WANT(send_block(0, id, BLOCKS, &head) == FIRST);
		WANT(head.message == ++n && head.pos_lo == n);
		WANT((head.mark & 0xff00) == OPTSAMPLE_TAG_PROFILE(3));
		WANT(send_block(1, id, 1, &t) == 0 && t.flow == head.flow);
		WANT(send_block(1, id, 2, &t) == LAST && t.message == n);
	}
	WANT(send_block(0, 7, 1, &t) == (FIRST | LAST) && t.message == n + 1);
	WANT(!bpf_map_lookup_elem(bpf.flows, &t.flow, &flow));
	WANT(flow.name.kind == ROS_UDPROS && flow.newest == n + 1);
	block(&p, PORT, 0, 1, 1);
	WANT(!memcmp(flow.name.writer.prefix, p.data + 26, 12));
	WANT(flow.name.writer.entity == ROS_ENTITY_UDPROS);
	done("UDPROS: first, middle, last; the id wraps, the number does not");
}

static void others(void)
{
	struct optsample_tag t, head;
	struct packet p;

	fresh();
	opt_in_port(PORT);
	WANT(send_block(1, 4, 1, &t) == CONTROL);
	WANT(send_block(0, 5, BLOCKS, &head) == FIRST && head.message == 1);
	WANT(t.flow == head.flow);
	WANT(send_block(1, 4, 2, &t) == CONTROL && t.flow == head.flow);
	WANT(send_block(2, 0, 0, &t) == CONTROL && t.flow == head.flow);
	WANT(send_block(3, 0, 0, &t) == CONTROL);
	WANT(send_block(1, 5, 2, &t) == LAST && t.message == 1);
	done("UDPROS: rest of another message, PING, ERR: control");

	WANT(send_block(4, 5, 2, NULL) == NONE);
	WANT(send_block(0, 0, 2, NULL) == NONE);
	WANT(send_block(0, 6, 0, NULL) == NONE);
	WANT(send_block(1, 6, 0, NULL) == NONE);
	block(&p, PORT + 1, 0, 6, 1);
	WANT(flags(&p, NULL) == NONE);
	block(&p, PORT, 0, 6, 1);
	p.data[29]++;		/* from another host */
	WANT(flags(&p, NULL) == NONE);
	block(&p, PORT, 0, 6, 1);
	packet_ipv6(&p, 0);
	WANT(flags(&p, NULL) == NONE);
	done("UDPROS: not by its bytes, or not that connection: untagged");
}

/* 1500 bytes of payload, as roscpp sends by default: two IP packets a block */
static void fragments(void)
{
	struct optsample_tag t;
	struct packet first, rest;

	fresh();
	opt_in_port(PORT);
	for (int n = 0; n < 2; n++) {
		packet_udp(&first, 2, PORT);
		packet_udpros(&first, n, 1, n ? 1 : 2);
		packet_zero(&first, 1464);
		packet_end(&first, 28);
		packet_ip(&first, 100 + n, 0x2000);
		packet_ip_frag(&rest, &first, 1480, false, 28);
		WANT(flags(&first, &t) == (n ? 0 : FIRST));
		WANT(flags(&rest, &t) == (n ? LAST : 0) && t.message == 1);
	}
	done("UDPROS: blocks in two IP fragments");
}

void test_udpros(void)
{
	messages();
	others();
	fragments();
}
