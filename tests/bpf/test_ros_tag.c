// SPDX-License-Identifier: GPL-2.0-only
/*
 * The classifier, packet by packet: built packets of every layout, broken
 * ones, and captures of real traffic. Runs in the kernel by
 * BPF_PROG_TEST_RUN, attaches to nothing. Needs root. Here: RTPS; the rest is
 * in the other files.
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
	WANT(!memcmp(flow.name.writer.prefix, packet_prefix, 12));
	WANT(flow.name.writer.entity == __builtin_bswap32(PACKET_WRITER));
	WANT(flow.name.dport == __builtin_bswap16(7411));
	WANT(flow.name.daddr == __builtin_bswap32(0x0a000002));
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
	done("IP fragments: of no flow; id used again by another datagram");
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
	WANT(flags(&p, &t) == (CONTROL | LATEST) && t.flow == m.flow);
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
	WANT(flags(&p, &t) == (CONTROL | LATEST) && t.flow == u.flow);
	packet_rtps(&p, 3, 7411, FASTDDS);
	packet_heartbeat(&p, 0x07, PACKET_WRITER, 3);
	packet_end(&p, 0);
	WANT(flags(&p, &t) == (CONTROL | LATEST) && t.flow == m.flow);
	done("a copy for each reader: control goes with its copy");
}

/* Entities that no other test has */
static uint32_t writer_of(uint32_t i)
{
	return PACKET_WRITER + 0x1000 * i;
}

/* Heartbeats of writers @first and the @n - 1 next ones, in one packet */
static void heartbeats(struct packet *p, uint32_t first, uint32_t n)
{
	packet_rtps(p, 2, 7411, CYCLONE);
	packet_info_dst(p);
	for (uint32_t i = 0; i < n; i++)
		packet_heartbeat(p, 0x07, writer_of(first + i), 1);
	packet_end(p, 0);
}

/* Control of several writers names the flows of all of them */
static void test_control_others(void)
{
	struct optsample_tag d[5], t;
	struct packet p;

	fresh();
	for (uint32_t i = 0; i < 5; i++) {
		opt_in(packet_prefix, writer_of(i), i + 1);
		packet_rtps(&p, 2, 7411, CYCLONE);
		packet_data(&p, 0, writer_of(i), 1, 100);
		packet_end(&p, 0);
		WANT(flags(&p, &d[i]) == (FIRST | LAST));
	}
	heartbeats(&p, 0, 1);
	WANT(flags(&p, &t) == (CONTROL | LATEST) && t.flow == d[0].flow &&
	     t.message && !t.pos_lo && !t.pos_hi);
	heartbeats(&p, 1, 2);
	WANT(flags(&p, &t) == CONTROL && t.flow == d[1].flow &&
	     t.message == d[2].flow && !t.pos_lo && !t.pos_hi);
	heartbeats(&p, 0, 5);
	WANT(flags(&p, &t) == CONTROL && t.flow == d[0].flow &&
	     t.message == d[1].flow && t.pos_lo == d[2].flow &&
	     t.pos_hi == d[3].flow);
	done("control of several writers: the flows of four");

	packet_rtps(&p, 2, 7411, CYCLONE);
	for (uint32_t i = 0; i < 3; i++) {
		packet_heartbeat(&p, 0x07, PACKET_BUILTIN, 1);
		packet_heartbeat(&p, 0x07, writer_of(1), 1);
		packet_heartbeat(&p, 0x07, writer_of(2), 1);
	}
	packet_end(&p, 0);
	WANT(flags(&p, &t) == CONTROL && t.flow == d[1].flow &&
	     t.message == d[2].flow && !t.pos_lo && !t.pos_hi);
	done("control of several writers: each once, of sampled ones");

	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_data(&p, 0, writer_of(3), 2, 100);
	packet_data(&p, 0, writer_of(4), 2, 100);
	packet_heartbeat(&p, 0x07, writer_of(1), 1);
	packet_end(&p, 0);
	WANT(flags(&p, &t) == CONTROL && t.flow == d[3].flow &&
	     t.message == d[4].flow && t.pos_lo == d[1].flow && !t.pos_hi);
	done("data of several writers: their flows, too");

	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_info_dst(&p);
	packet_data(&p, PACKET_READER, writer_of(3), 1, 100);
	packet_heartbeat(&p, 0x07, writer_of(3), 1);
	packet_heartbeat(&p, 0x07, writer_of(1), 1);
	packet_end(&p, 0);
	WANT(flags(&p, &t) == CONTROL && t.flow == d[3].flow &&
	     t.message == d[1].flow && !t.pos_lo && !t.pos_hi);
	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_info_dst(&p);
	packet_data(&p, PACKET_READER, writer_of(3), 1, 100);
	packet_heartbeat(&p, 0x07, writer_of(3), 1);
	packet_end(&p, 0);
	WANT(flags(&p, &t) == REPAIR && t.flow == d[3].flow);
	done("a repair with control of another writer: both flows");

	for (int64_t sn = 2; sn < 5; sn++) {
		packet_rtps(&p, 99, 7401, CYCLONE);
		packet_data(&p, 0, writer_of(2), sn, 100);
		packet_end(&p, 0);
		WANT(flags(&p, &d[2]) == (FIRST | LAST));
	}
	heartbeats(&p, 1, 2);
	WANT(flags(&p, &t) == CONTROL && t.flow == d[1].flow &&
	     t.message == d[2].flow);
	done("control of several writers: where the data went");
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
	struct packet first, p;

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

	WANT(lasts);
	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_data(&p, 0, PACKET_BUILTIN, 1, 100);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == NONE && lasts);
	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_heartbeat(&p, 0x07, PACKET_OTHER, 1);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == NONE && lasts);
	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_data(&p, 0, PACKET_BUILTIN, 1, 100);
	packet_data(&p, 0, PACKET_OTHER, 1, 100);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == NONE && !lasts);
	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_data(&p, 0, PACKET_OTHER, 1, 100);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == NONE && !lasts);
	packet_udp(&p, 2, 7411);
	packet_zero(&p, 100);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == NONE && !lasts);
	done("discovery and control of DDS last, data of a user does not");

	packet_rtps(&first, 2, 7411, CYCLONE);
	packet_data(&first, 0, PACKET_BUILTIN, 1, 1400);
	packet_end(&first, 2000);
	packet_ip(&first, 90, 0x2000);
	WANT(flags(&first, NULL) == NONE && lasts);
	packet_ip_frag(&p, &first, 1480, true, 1480);
	WANT(flags(&p, NULL) == NONE && lasts);
	packet_ip_frag(&p, &first, 2960, false, 200);
	WANT(flags(&p, NULL) == NONE && lasts);
	packet_rtps(&first, 2, 7411, CYCLONE);
	packet_data(&first, 0, PACKET_OTHER, 1, 1400);
	packet_end(&first, 2000);
	packet_ip(&first, 90, 0x2000);
	WANT(flags(&first, NULL) == NONE && !lasts);
	packet_ip_frag(&p, &first, 1480, false, 1480);
	WANT(flags(&p, NULL) == NONE && !lasts);
	done("and so do all IP fragments of discovery");

	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_sub(&p, 0x33, 0);
	packet_zero(&p, 16);
	packet_sub_end(&p);
	packet_data(&p, 0, PACKET_WRITER, 1, 100);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == NONE);
	done("SRTPS: untagged");
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
}

static void pads(struct packet *p, int n)
{
	for (int i = 0; i < n; i++) {
		packet_sub(p, 0x01, 0);
		packet_sub_end(p);
	}
}

/* The part that was skipped may be another writer's sample. */
static void test_not_looked_at(void)
{
	struct packet p;

	fresh();
	packet_rtps(&p, 2, 7411, CYCLONE);
	pads(&p, 31);
	packet_data(&p, 0, PACKET_WRITER, 1, 100);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == (FIRST | LAST));
	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_data(&p, 0, PACKET_WRITER, 2, 100);
	pads(&p, 31);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == (FIRST | LAST));
	done("32 submessages are looked at");

	packet_rtps(&p, 2, 7411, CYCLONE);
	packet_data(&p, 0, PACKET_WRITER, 3, 100);
	pads(&p, 31);
	packet_data(&p, 0, PACKET_OTHER, 1, 100);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == CONTROL);
	packet_rtps(&p, 2, 7411, CYCLONE);
	pads(&p, 32);
	packet_data(&p, 0, PACKET_WRITER, 4, 100);
	packet_end(&p, 0);
	WANT(flags(&p, NULL) == NONE);
	done("more of them: not sampled");

	for (int id = 0x31; id >= 0x0c; id -= 0x31 - 0x0c) {
		packet_rtps(&p, 2, 7411, CYCLONE);
		packet_data(&p, 0, PACKET_WRITER, 5, 100);
		packet_sub(&p, id, 0);
		packet_zero(&p, 20);
		packet_sub_end(&p);
		packet_data(&p, 0, PACKET_OTHER, 1, 100);
		packet_end(&p, 0);
		WANT(flags(&p, NULL) == CONTROL);
	}
	done("data, and something encrypted or relayed: not sampled");
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

int main(int argc, char **argv)
{
	bool benching = argc > 1 && !strcmp(argv[1], "--bench");
	const char *object = argc > 1 + benching ? argv[1 + benching] :
			     program_object();

	if (program_open(object)) {
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
	test_control();
	test_control_follows();
	test_control_others();
	test_latest();
	test_repair();
	test_mixed();
	test_untagged();
	test_layouts();
	test_not_looked_at();
	test_two_writers();
	test_recent();
	test_restart();
	test_concurrent();
	test_frames();
	test_segments();
	test_udpros();
	test_gso();
	test_positions();
	test_broken();
	test_captures();
	test_stack(object);
	printf("1..%d\n", tap.n);
	return !!tap.failed;
}
