// SPDX-License-Identifier: GPL-2.0-only
/*
 * The classifier, packet by packet: built packets of every layout, broken
 * ones, and captures of real traffic. Runs in the kernel by
 * BPF_PROG_TEST_RUN, attaches to nothing. Needs root.
 *
 *   test_ros_tag [OBJECT]           TAP
 *   test_ros_tag --bench [OBJECT]   cost of a packet next to an empty program
 *
 * OPTSAMPLE_CAPTURES: folder with captures (default ../shared/data/captures)
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "harness.h"

static void test_data(void)
{
	struct optsample_tag t;
	struct ros_flow flow;
	struct packet p;

	fresh();
	data(&p, 0x123456789aLL);
	WANT(flags(&p, &t) == (FIRST | LAST));
	WANT(t.message == 0x3456789a);
	WANT(t.pos_lo == 0x3456789a && t.pos_hi == 0x12);
	WANT(!bpf_map_lookup_elem(bpf.flows, &t.flow, &flow));
	WANT(!memcmp(flow.writer.prefix, packet_prefix, 12));
	WANT(flow.writer.entity == __builtin_bswap32(PACKET_WRITER));
	WANT(flow.dport == __builtin_bswap16(7411));
	WANT(flow.daddr == __builtin_bswap32(0x0a000002));
	done("DATA: flow, message, position, name of the flow");

	fresh();
	packet_rtps(&p, 2, 7411, CYCLONE);
	p.big = true;
	packet_info_ts(&p);
	packet_data(&p, 0, PACKET_WRITER, 0x123456789aLL, 100);
	packet_end(&p, 0);
	WANT(flags(&p, &t) == (FIRST | LAST));
	WANT(t.pos_lo == 0x3456789a && t.pos_hi == 0x12);
	done("DATA: big endian");
}

static void test_data_frag(void)
{
	struct optsample_tag a, b;
	struct packet p;
	struct frag huge = { 65536, 1, 65535, 0xffffffff };
	struct frag key = { 1, 1, 100, 100 };

	fresh();
	datagram(&p, 1, 1);
	WANT(flags(&p, &a) == FIRST);
	datagram(&p, 1, 2);
	WANT(flags(&p, &b) == 0 && b.flow == a.flow);
	datagram(&p, 1, 3);
	WANT(flags(&p, &b) == LAST && b.flow == a.flow && b.message == 1);
	done("DATA_FRAG: first, middle, last");

	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_data_frag(&p, 0, PACKET_WRITER, 2, &huge, 1000);
	p.data[p.sub + 2] = p.data[p.sub + 3] = 0;
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == 0);
	p.data[p.sub + 28]++;		/* two of them: covers the rest */
	WANT(flags(&p, NULL) == LAST);
	p.data[p.sub + 24] += 2;	/* 65538: beyond the sample */
	WANT(flags(&p, NULL) == NONE);
	done("DATA_FRAG: 4 GB sample, 64-bit arithmetic");

	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_data_frag(&p, 0, PACKET_WRITER, 3, &key, 100);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == (FIRST | LAST));
	p.data[p.sub + 1] |= 0x04;
	WANT(flags(&p, NULL) == CONTROL);
	done("DATA_FRAG: a key is control");
}

static void test_fragments_in_one_packet(void)
{
	struct frag a = { 1, 1, 100, 300 }, b = { 2, 2, 100, 300 };
	struct packet p;

	fresh();
	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_data_frag(&p, 0, PACKET_WRITER, 1, &a, 100);
	packet_data_frag(&p, 0, PACKET_WRITER, 1, &b, 200);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == (FIRST | LAST));
	done("DATA_FRAG: several of one sample in a packet");
}

/* Cyclone: 13 KB datagrams in 10 IP fragments, two of them make a message */
static void test_ip_fragments(void)
{
	struct frag f1 = { 1, 10, 1344, 26880 }, f2 = { 11, 10, 1344, 26880 };
	struct optsample_tag t, head;
	struct packet first, p;
	uint64_t middle = counted(ROS_FRAG);

	fresh();
	packet_rtps(&first, 2, 7411, CYCLONE);
	packet_data_frag(&first, 0, PACKET_WRITER, 1, &f1, 1416);
	packet_end(&first, 12024);
	packet_ip(&first, 77, 0x2000);
	WANT(flags(&first, &head) == FIRST);
	packet_ip_frag(&p, &first, 1480, true, 1480);
	WANT(flags(&p, &t) == 0 && t.flow == head.flow && t.message == 1);
	packet_ip_frag(&p, &first, 2960, false, 200);
	WANT(flags(&p, &t) == 0 && t.flow == head.flow);

	packet_rtps(&first, 2, 7411, CYCLONE);
	packet_data_frag(&first, 0, PACKET_WRITER, 1, &f2, 1416);
	packet_end(&first, 12024);
	packet_ip(&first, 78, 0x2000);
	WANT(flags(&first, &t) == 0);
	packet_ip_frag(&p, &first, 1480, true, 1480);
	WANT(flags(&p, &t) == 0);
	packet_ip_frag(&p, &first, 2960, false, 200);
	WANT(flags(&p, &t) == LAST && t.flow == head.flow && t.pos_lo == 1);
	WANT(counted(ROS_FRAG) == middle + 3);
	done("IP fragments: one FIRST and one LAST for two datagrams");

	packet_ip(&p, 79, 185);
	WANT(flags(&p, NULL) == NONE);
	packet_udp(&first, 2, 9999);
	packet_zero(&first, 1472);
	packet_end(&first, 1000);
	packet_ip(&first, 78, 0x2000);
	WANT(flags(&first, NULL) == NONE);
	packet_ip_frag(&p, &first, 1480, false, 1000);
	WANT(flags(&p, NULL) == NONE);
	done("IP fragments: of nobody; id used again by another datagram");
}

/*
 * As on a device without link header. Where the type would be, TEST_RUN
 * wants one: a source address of 8.0.x.x.
 */
static void no_link(struct packet *p)
{
	p->len -= 14;
	memmove(p->data, p->data + 14, p->len);
	p->data[12] = 8;
	p->data[13] = 0;
}

static void test_no_link(void)
{
	struct frag f = { 1, 1, 1388, 1388 };
	struct packet first, p;

	fresh();
	data(&p, 1);
	no_link(&p);
	WANT(flags(&p, NULL) == (FIRST | LAST));
	packet_rtps(&first, 2, 7411, CYCLONE);
	packet_data_frag(&first, 0, PACKET_WRITER, 2, &f, 1380);
	packet_end(&first, 16);
	packet_ip(&first, 77, 0x2000);
	packet_ip_frag(&p, &first, 1448, false, 16);
	no_link(&first);
	no_link(&p);
	WANT(flags(&first, NULL) == FIRST);
	WANT(flags(&p, NULL) == LAST);
	done("no link header: DATA, fragments");
}

static void test_control(void)
{
	static const uint8_t ids[] = { 0x07, 0x08, 0x13 };
	struct optsample_tag d, t;
	struct packet p;

	fresh();
	data(&p, 1);
	flags(&p, &d);
	for (unsigned int i = 0; i < sizeof(ids); i++) {
		packet_rtps(&p, 2, 7411, CYCLONE);
		packet_info_dst(&p);
		packet_heartbeat(&p, 0x06, PACKET_WRITER, 1);	/* ACKNACK */
		packet_heartbeat(&p, ids[i], PACKET_BUILTIN, 1);
		packet_heartbeat(&p, ids[i], PACKET_WRITER, 1);
		packet_end(&p, 0);
		WANT(flags(&p, &t) == CONTROL && t.flow == d.flow);
	}
	done("HEARTBEAT, GAP, HEARTBEAT_FRAG: control of the flow");

	data(&p, 2);
	p.data[p.sub + 1] = 0x09;	/* key, no data: a dispose */
	WANT(flags(&p, &t) == CONTROL && t.flow == d.flow);
	done("dispose: control of the flow");

	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_info_ts(&p);
	packet_data(&p, 0, PACKET_WRITER, 3, 100);
	packet_heartbeat(&p, 0x07, PACKET_WRITER, 3);
	packet_end(&p, 0);
	WANT(flags(&p, &t) == (FIRST | LAST) && t.message == 3);
	done("DATA with its HEARTBEAT: data");
}

/* Data by multicast, its heartbeats and repairs by unicast */
static void test_control_follows(void)
{
	struct optsample_tag m, t, u;
	struct packet p;

	fresh();
	data(&p, 1);
	flags(&p, &u);
	for (int sn = 2; sn < 5; sn++) {
		packet_rtps(&p, 99, 7401, CYCLONE);
		packet_data(&p, 0, PACKET_WRITER, sn, 100);
		packet_end(&p, 0);
		WANT(flags(&p, &m) == (FIRST | LAST));
	}
	WANT(m.flow != u.flow);
	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_heartbeat(&p, 0x07, PACKET_WRITER, 4);
	packet_end(&p, 0);
	WANT(flags(&p, &t) == CONTROL && t.flow == m.flow);
	packet_rtps(&p, 3, 7413, CYCLONE);
	packet_info_dst(&p);
	packet_info_ts(&p);
	packet_data(&p, PACKET_READER, PACKET_WRITER, 2, 100);
	packet_end(&p, 0);
	WANT(flags(&p, &t) == REPAIR && t.flow == m.flow && t.message == 2);
	done("control and repairs by unicast wait behind multicast data");

	fresh();
	for (int sn = 1; sn < 4; sn++)
		for (int host = 2; host < 4; host++) {
			packet_rtps(&p, host, 7411, FASTDDS);
			packet_data(&p, 0, PACKET_WRITER, sn, 100);
			packet_end(&p, 0);
			flags(&p, host == 2 ? &u : &m);
		}
	packet_rtps(&p, 2, 7411, FASTDDS);
	packet_heartbeat(&p, 0x07, PACKET_WRITER, 3);
	packet_end(&p, 0);
	WANT(flags(&p, &t) == CONTROL && t.flow == u.flow);
	packet_rtps(&p, 3, 7411, FASTDDS);
	packet_heartbeat(&p, 0x07, PACKET_WRITER, 3);
	packet_end(&p, 0);
	WANT(flags(&p, &t) == CONTROL && t.flow == m.flow);
	done("a copy for each reader: control goes with its copy");
}

static void directed(struct packet *p, uint16_t vendor, int64_t sn)
{
	packet_rtps(p, 2, 7411, vendor);
	packet_info_dst(p);
	packet_info_ts(p);
	packet_data(p, PACKET_READER, PACKET_WRITER, sn, 100);
	packet_end(p, 0);
}

static void test_repair(void)
{
	struct frag f = { 2, 1, 1300, 3900 };
	struct optsample_tag t;
	struct packet p;

	fresh();
	data(&p, 10);
	flags(&p, NULL);
	directed(&p, CYCLONE, 10);
	WANT(flags(&p, &t) == REPAIR && t.message == 10);
	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_info_dst(&p);
	packet_info_ts(&p);
	packet_data_frag(&p, PACKET_READER, PACKET_WRITER, 9, &f, 1300);
	packet_end(&p, 0);
	WANT(flags(&p, &t) == REPAIR && t.message == 9);
	data(&p, 9);
	WANT(flags(&p, NULL) == REPAIR);
	data(&p, 11);
	WANT(flags(&p, NULL) == (FIRST | LAST));
	done("repair: directed at one reader, or older than the newest");

	directed(&p, FASTDDS, 12);
	WANT(flags(&p, NULL) == (FIRST | LAST));
	directed(&p, FASTDDS, 11);
	WANT(flags(&p, NULL) == REPAIR);
	done("repair: Fast DDS directs everything, age decides");
}

static void test_mixed(void)
{
	struct optsample_tag t;
	struct packet p;

	fresh();
	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_data(&p, 0, PACKET_WRITER, 1, 100);
	packet_data(&p, 0, PACKET_OTHER, 1, 100);
	packet_end(&p, 0);
	WANT(flags(&p, &t) == CONTROL);
	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_data(&p, 0, PACKET_BUILTIN, 1, 100);
	packet_data(&p, 0, PACKET_WRITER, 1, 100);
	packet_end(&p, 0);
	WANT(flags(&p, &t) == CONTROL);
	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_data(&p, 0, PACKET_WRITER, 1, 100);
	packet_data(&p, 0, PACKET_WRITER, 2, 100);
	packet_end(&p, 0);
	WANT(flags(&p, &t) == CONTROL);
	done("data of several writers or messages in a packet: not sampled");
}

static void test_untagged(void)
{
	struct packet p;

	fresh();
	packet_tcp(&p);
	WANT(flags(&p, NULL) == NONE);
	packet_udp(&p, 2, 7411);
	packet_zero(&p, 100);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == NONE);
	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_data(&p, 0, PACKET_OTHER, 1, 100);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == NONE);
	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_data(&p, 0, PACKET_BUILTIN, 1, 100);
	packet_heartbeat(&p, 0x07, PACKET_BUILTIN, 1);
	packet_heartbeat(&p, 0x06, PACKET_WRITER, 1);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == NONE);
	done("TCP, other UDP, other and built-in writers, ACKNACK: untagged");

	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_sub(&p, 0x33, 0);
	packet_zero(&p, 16);
	packet_sub_end(&p);
	packet_data(&p, 0, PACKET_WRITER, 1, 100);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == NONE);
	done("SRTPS: untagged");

	data(&p, 1);
	p.data[12] = 0x86;
	p.data[13] = 0xdd;
	WANT(flags(&p, NULL) == NONE);
	memmove(p.data + 18, p.data + 14, p.len - 14);
	p.len += 4;
	memcpy(p.data + 12, "\x81\x00\x00\x05\x08\x00", 6);
	WANT(flags(&p, NULL) == NONE);
	done("IPv6, VLAN in the packet: untagged");
}

static void test_layouts(void)
{
	struct packet p;

	fresh();
	data(&p, 1);
	memmove(p.data + 38, p.data + 34, p.len - 34);
	memset(p.data + 34, 1, 4);	/* no-operation options */
	p.data[14] = 0x46;
	p.len += 4;
	WANT(flags(&p, NULL) == (FIRST | LAST));
	done("IP options");

	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_data(&p, 0, PACKET_WRITER, 2, 5);
	p.data[p.sub + 2] = p.data[p.sub + 3] = 0;
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == (FIRST | LAST));
	done("length 0: to the end of the packet; short DATA");

	packet_rtps(&p, 2, 7411, CYCLONE);
	for (int i = 0; i < 11; i++) {
		packet_sub(&p, 0x01, 0);
		packet_sub_end(&p);
	}
	packet_data(&p, 0, PACKET_WRITER, 3, 100);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == (FIRST | LAST));
	packet_rtps(&p, 2, 7411, CYCLONE);
	for (int i = 0; i < 12; i++) {
		packet_sub(&p, 0x01, 0);
		packet_sub_end(&p);
	}
	packet_data(&p, 0, PACKET_WRITER, 4, 100);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == NONE);
	done("12 submessages are looked at");
}

static void test_two_writers(void)
{
	struct optsample_tag a, b, c;
	struct packet p;

	fresh();
	opt_in(packet_prefix, PACKET_OTHER, 2);
	data(&p, 1);
	flags(&p, &a);
	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_data(&p, 0, PACKET_OTHER, 1, 100);
	packet_end(&p, 0);
	flags(&p, &b);
	packet_rtps(&p, 2, 7412, CYCLONE);
	packet_data(&p, 0, PACKET_OTHER, 1, 100);
	packet_end(&p, 0);
	flags(&p, &c);
	WANT(a.flow != b.flow && b.flow != c.flow && a.flow != c.flow);
	done("a flow for each writer and destination");
}

/* The packet of @sn to a port of 10.0.0.2 */
static int to_port(uint16_t port, int64_t sn, struct optsample_tag *t)
{
	struct packet p;

	packet_rtps(&p, 2, port, CYCLONE);
	packet_data(&p, 0, PACKET_WRITER, sn, 100);
	packet_end(&p, 0);
	return flags(&p, t);
}

static uint32_t slot_of(const struct optsample_tag *t)
{
	struct ros_flow flow;

	WANT(!bpf_map_lookup_elem(bpf.flows, &t->flow, &flow));
	return ros_recent_slot(ros_recent_hash(&flow));
}

/* What is known of a flow without a look-up is known all the same. */
static void test_recent(void)
{
	struct optsample_tag a, b;
	struct ros_guid guid;
	struct packet p;
	int sn, port = 7412;

	fresh();
	for (sn = 1; sn < ROS_RECENT_FOR; sn++)
		WANT(to_port(7411, sn, &a) == (FIRST | LAST));
	WANT(to_port(7411, 5, &b) == REPAIR && b.flow == a.flow);
	WANT(to_port(7411, sn - 2, &b) == REPAIR && b.flow == a.flow);
	memcpy(guid.prefix, packet_prefix, sizeof(guid.prefix));
	guid.entity = __builtin_bswap32(PACKET_WRITER);
	WANT(!bpf_map_delete_elem(bpf.writers, &guid));
	for (sn = ROS_RECENT_FOR; sn < 2 * ROS_RECENT_FOR; sn++)
		WANT(to_port(7411, sn, NULL) == NONE);
	done("recent: age of a message; a writer that is taken out");

	fresh();
	to_port(7411, 1, &a);
	do {
		WANT(to_port(port++, 1, &b) == (FIRST | LAST));
	} while (slot_of(&b) != slot_of(&a) && port < 65535);
	port--;
	for (sn = 2; sn < 20; sn++) {
		WANT(to_port(7411, sn, NULL) == (FIRST | LAST));
		WANT(to_port(7411, sn, NULL) == (FIRST | LAST));
	}
	WANT(to_port(port, 2, NULL) == (FIRST | LAST));
	WANT(to_port(7411, 18, NULL) == REPAIR);
	WANT(to_port(port, 1, NULL) == REPAIR);
	done("recent: two flows in one slot");

	fresh();
	for (sn = 1; sn < 10; sn++)
		to_port(7411, sn, &a);
	for (; sn < 20; sn++)
		to_port(7412, sn, &b);
	for (; sn < 30; sn++)
		to_port(7411, sn, NULL);
	packet_rtps(&p, 2, 7413, CYCLONE);
	packet_heartbeat(&p, 0x07, PACKET_WRITER, 29);
	packet_end(&p, 0);
	WANT(flags(&p, &b) == CONTROL && b.flow == a.flow);
	done("recent: control goes where the data went back to");

	fresh();
	packet_rtps(&p, 0, 0, CYCLONE);
	packet_data(&p, 0, 0, 1, 100);
	memset(p.data + 30, 0, 4);
	memset(p.data + 50, 0, 12);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == NONE);
	done("recent: no name is no flow");
}

/* An id that another flow has: a second id; both taken: left alone */
static void test_collision(void)
{
	struct ros_flow other = { .dport = 1 };
	struct optsample_tag a, b;
	uint64_t before = counted(ROS_COLLISION);
	struct packet p;

	fresh();
	data(&p, 1);
	flags(&p, &a);
	bpf_map_update_elem(bpf.flows, &a.flow, &other, BPF_ANY);
	data(&p, ROS_RECENT_FOR);
	WANT(flags(&p, &b) == (FIRST | LAST));
	WANT(b.flow && b.flow != a.flow);
	bpf_map_update_elem(bpf.flows, &b.flow, &other, BPF_ANY);
	data(&p, 2 * ROS_RECENT_FOR);
	WANT(flags(&p, NULL) == NONE);
	WANT(counted(ROS_COLLISION) == before + 1);
	done("flow ids that collide");
}

/* Whatever @p is: its tag may only be of the writer it names. */
static void want_honest(const struct packet *p)
{
	struct optsample_tag t;
	struct ros_flow flow;
	int fl = flags(p, &t);

	if (fl == NONE)
		return;
	WANT(!bpf_map_lookup_elem(bpf.flows, &t.flow, &flow));
	WANT(!memcmp(flow.writer.prefix, packet_prefix, 12));
	WANT(flow.writer.entity == __builtin_bswap32(PACKET_WRITER));
	if (fl & (CONTROL | REPAIR))
		return;
	WANT(!memcmp(&flow.daddr, p->data + 30, 4));
	WANT(!memcmp(&flow.dport, p->data + 36, 2));
}

static void test_truncated(void)
{
	struct packet p, cut;

	fresh();
	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_info_ts(&p);
	packet_data(&p, 0, PACKET_WRITER, 1, 40);
	packet_heartbeat(&p, 0x07, PACKET_WRITER, 1);
	packet_end(&p, 0);
	for (uint32_t n = 35; n < p.len; n++) {
		cut = p;
		cut.len = n;
		want_honest(&cut);
		packet_end(&cut, 0);	/* lengths that fit the rest */
		want_honest(&cut);
	}
	done("cut at every byte behind the IP header");
}

static void test_flipped(void)
{
	struct frag f = { 1, 1, 400, 1200 };
	struct packet p, bad;

	for (int kind = 0; kind < 2; kind++) {
		fresh();
		opt_in(packet_prefix, PACKET_OTHER, 2);
		packet_rtps(&p, 2, 7411, CYCLONE);
		packet_info_ts(&p);
		if (kind)
			packet_data(&p, 0, PACKET_WRITER, 5, 8);
		else
			packet_data_frag(&p, 0, PACKET_WRITER, 5, &f, 400);
		packet_heartbeat(&p, 0x07, PACKET_WRITER, 5);
		packet_end(&p, 0);
		for (uint32_t bit = 12 * 8; bit < 130 * 8; bit++) {
			bad = p;
			if (bit / 8 >= bad.len)
				break;
			bad.data[bit / 8] ^= 1 << bit % 8;
			want_honest(&bad);
		}
	}
	done("every bit flipped");

	fresh();
	srand(1);
	for (int i = 0; i < 20000; i++) {
		bad = p;
		for (int k = rand() % 8; k >= 0; k--)
			bad.data[42 + rand() % (bad.len - 42)] = rand();
		want_honest(&bad);
	}
	done("20000 packets with random bytes");
}

/* Behind the datagram, as drivers pad: such a packet is walked over */
static void want_same(const struct packet *p)
{
	struct optsample_tag t = { 0 }, u = { 0 };
	struct packet padded = *p;
	int fl, walked;

	padded.data[padded.len++] = 0;
	fl = flags(p, &t);
	walked = flags(&padded, &u);
	WANT(fl == walked);
	WANT(!memcmp(&t, &u, sizeof(t)));
}

/* @kind: bit 0 DATA_FRAG, 1 INFO_TS, 2 a heartbeat behind, 3 no length */
static void one_sample(struct packet *p, int kind)
{
	static const struct frag f[] = {
		{ 1, 1, 400, 1200 }, { 2, 1, 400, 1200 }, { 3, 1, 400, 1200 },
		{ 1, 1, 400, 400 },
	};

	packet_rtps(p, 2, 7411, CYCLONE);
	if (kind & 2)
		packet_info_ts(p);
	if (kind & 1)
		packet_data_frag(p, 0, PACKET_WRITER, 5, &f[rand() % 4], 400);
	else
		packet_data(p, 0, PACKET_WRITER, 5, rand() % 60);
	if (kind & 8)
		p->data[p->sub + 2] = p->data[p->sub + 3] = 0;
	if (kind & 4)
		packet_heartbeat(p, rand() % 2 ? 0x07 : 0x13, rand() % 2 ?
				 PACKET_WRITER : PACKET_OTHER, 5);
	packet_end(p, 0);
}

static void test_fast(void)
{
	struct packet p, bad;
	int tagged = 0;
	uint32_t span;

	srand(2);
	fresh();
	for (int i = 0; i < 60000; i++) {
		one_sample(&p, i % 16);
		tagged += flags(&p, NULL) != NONE;
		want_same(&p);
		bad = p;
		span = i & 16 ? 40 : bad.len - 62;
		for (int k = rand() % 4; k >= 0; k--) {
			uint8_t *b = &bad.data[62 + rand() % span];

			*b = rand() % 2 ? *b ^ 1 << rand() % 8 : rand();
		}
		want_same(&bad);
		if (!(i & 4))
			continue;
		bad = p;	/* a heartbeat that is too short */
		bad.data[bad.sub + 2] = i / 16 % 12;
		bad.len = bad.sub + 4 + i / 16 % 12;
		packet_end(&bad, 0);
		want_same(&bad);
	}
	WANT(tagged == 60000);
	done("60000 packets, whole and broken: the short way is as the walk");
}

int main(int argc, char **argv)
{
	bool benching = argc > 1 && !strcmp(argv[1], "--bench");
	const char *object = argc > 1 + benching ? argv[1 + benching] :
			     "build/bpf/ros_tag.bpf.o";

	if (harness_open(object)) {
		printf("Bail out! cannot load %s: %s\n", object,
		       strerror(errno));
		return 1;
	}
	if (benching)
		return bench();
	test_data();
	test_data_frag();
	test_fragments_in_one_packet();
	test_ip_fragments();
	test_no_link();
	test_control();
	test_control_follows();
	test_repair();
	test_mixed();
	test_untagged();
	test_layouts();
	test_two_writers();
	test_recent();
	test_concurrent();
	test_collision();
	test_truncated();
	test_flipped();
	test_fast();
	test_captures();
	printf("1..%d\n", tap.n);
	return !!tap.failed;
}
