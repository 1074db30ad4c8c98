// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cost of a packet of each format, JITed, next to a program that returns at
 * once. Every round measures every packet; the best of them counts, because
 * a shared machine only ever makes it slower.
 *
 * Goals: no packet of RTPS costs more than GOAL_NS, and untagged TCP no more
 * than GOAL_TCP times the empty program. A datagram in IP fragments counts by
 * the mean of its packets.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <optsample/segment.h>
#include <string.h>
#include "harness.h"

enum { ROUNDS = 9, REPEAT = 100000, GOAL_NS = 150, CASES_MAX = 24 };
static const double GOAL_TCP = 1.2;

enum goal { ANY, RTPS, TCP };

struct bench_case {
	const char *name;
	enum goal goal;
	struct packet p;
	double ns;
};

static struct bench_case cases[CASES_MAX];
static int ncases;

static struct packet *add(const char *name, enum goal goal)
{
	cases[ncases].name = name;
	cases[ncases].goal = goal;
	return &cases[ncases++].p;
}

static double cost(int prog, const struct packet *p)
{
	struct __sk_buff in = {
		.gso_size = p->gso,
		.gso_segs = p->gso ? 2 : 0,
	};
	LIBBPF_OPTS(bpf_test_run_opts, o,
		.data_in = p->data,
		.data_size_in = p->len,
		.ctx_in = &in,
		.ctx_size_in = sizeof(in),
		.repeat = REPEAT,
	);

	return bpf_prog_test_run_opts(prog, &o) ? 1e9 : o.duration;
}

/* MTU-sized datagram in the middle of an image, as each vendor sends it */
static void fragment(struct packet *p, uint16_t vendor, uint32_t writer)
{
	struct frag f = { 10, 1, 1300, 614448 };

	packet_rtps(p, 2, 7411, vendor);
	if (vendor == FASTDDS) {
		packet_info_dst(p);
		packet_info_ts(p);
	}
	packet_data_frag(p, vendor == FASTDDS ? PACKET_READER : 0, writer, 1,
			 &f, 1300);
	if (vendor == FASTDDS) {
		packet_sub(p, 0x80, 0);
		packet_zero(p, 56);
		packet_sub_end(p);
	}
	packet_end(p, 0);
}

static void stamped(struct packet *p, uint32_t writer)
{
	packet_rtps(p, 2, 7411, CYCLONE);
	packet_info_ts_at(p, 1700000000, 0);
	packet_data(p, 0, writer, 1, 100);
	p->data[p->sub + 25] = 1;	/* CDR, little endian */
	p->data[p->sub + 28] = 9;	/* a stamp */
	packet_end(p, 0);
}

static void rtps(void)
{
	struct ros_writer w = { .flow = 2 };
	struct packet *p;

	data(add("DATA", RTPS), 1);
	fragment(add("DATA_FRAG", RTPS), CYCLONE, PACKET_WRITER);
	fragment(add("DATA_FRAG, Fast DDS", RTPS), FASTDDS, PACKET_WRITER);
	p = add("DATA, big endian", RTPS);
	packet_rtps(p, 2, 7411, CYCLONE);
	p->big = true;
	packet_info_ts(p);
	packet_data(p, 0, PACKET_WRITER, 1, 100);
	packet_end(p, 0);
	p = add("DATA, IPv6", RTPS);
	data(p, 1);
	packet_ipv6(p, 0);
	p = add("DATA, VLAN", RTPS);
	data(p, 1);
	packet_vlan(p, 1);
	for (w.by = ROS_BY_SOURCE; w.by < ROS_BY_MAX; w.by++, w.flow++)
		opt_in_as(packet_prefix, w.by << 8 | 0x1003, &w);
	stamped(add("DATA, by source", RTPS), 0x1103);
	stamped(add("DATA, by header", RTPS), 0x1203);
	stamped(add("DATA, by distance", RTPS), 0x1303);
	fragment(add("DATA_FRAG, by source", RTPS), CYCLONE, 0x1103);
	p = add("HEARTBEAT", RTPS);
	packet_rtps(p, 2, 7411, CYCLONE);
	packet_heartbeat(p, 0x07, PACKET_WRITER, 1);
	packet_end(p, 0);
	p = add("DATA, not sampled", RTPS);
	packet_rtps(p, 2, 7411, CYCLONE);
	packet_data(p, 0, PACKET_OTHER, 1, 100);
	packet_end(p, 0);
}

/* Return: index of the first of two cases, a first and a later fragment */
static int ip_fragments(void)
{
	struct packet *p = add("first IP fragment", ANY);
	struct frag f = { 1, 10, 1344, 614448 };

	packet_rtps(p, 2, 7411, CYCLONE);
	packet_data_frag(p, 0, PACKET_WRITER, 1, &f, 1416);
	packet_end(p, 12024);
	packet_ip(p, 77, 0x2000);
	packet_ip_frag(add("later IP fragment", ANY), p, 1480, true, 1480);
	return ncases - 2;
}

static void other_formats(void)
{
	struct optsample_segment s = PACKET_SEGMENT(
		.count = 2
	);
	struct packet first, *p;

	packet_udp(&first, 2, 34283);
	opt_in_udpros(&first, &(struct ros_writer){ .flow = 9 });
	packet_udpros(&first, 0, 1, 100);
	packet_end(&first, 0);
	flags(&first, NULL);
	p = add("UDPROS", ANY);
	packet_udp(p, 2, 34283);
	packet_udpros(p, 1, 1, 5);
	packet_zero(p, 1400);
	packet_end(p, 0);
	p = add("segment", ANY);
	packet_udp(p, 2, 4711);
	packet_segment(p, &s, 1300);
	packet_end(p, 0);
	p = add("GSO, 2 datagrams", ANY);
	fragment(p, CYCLONE, PACKET_WRITER);
	p->gso = p->len - p->udp - 8;
	packet_bytes(p, p->data + p->udp + 8, p->gso);
	packet_end(p, 0);
}

static void others(void)
{
	struct packet *p = add("untagged UDP", ANY);

	packet_udp(p, 2, 9999);
	packet_zero(p, 1000);
	packet_end(p, 0);
	p = add("untagged UDP, short", ANY);
	packet_udp(p, 2, 9999);
	packet_zero(p, 24);
	packet_end(p, 0);
	packet_tcp(add("untagged TCP", TCP));
	p = add("untagged TCP, IPv6", ANY);
	packet_tcp(p);
	packet_ipv6(p, 0);
}

static int empty_program(void)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = TC_ACT_UNSPEC },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "empty", "GPL", insns,
			     2, NULL);
}

static double measure(int prog)
{
	double ns, empty = 1e9;

	for (int round = 0; round < ROUNDS; round++) {
		ns = cost(prog, &cases[0].p);
		if (!round || ns < empty)
			empty = ns;
		for (int i = 0; i < ncases; i++) {
			ns = cost(bpf.prog, &cases[i].p);
			if (!round || ns < cases[i].ns)
				cases[i].ns = ns;
		}
	}
	return empty;
}

static int missed(const struct bench_case *c, double empty)
{
	return (c->goal == RTPS && c->ns > GOAL_NS) ||
	       (c->goal == TCP && c->ns > GOAL_TCP * empty);
}

int bench(void)
{
	int first, prog = empty_program(), bad = 0;
	double empty;

	if (prog < 0)
		return 1;
	fresh();
	rtps();
	first = ip_fragments();
	other_formats();
	others();
	empty = measure(prog);
	/* set after measuring: a mean of other cases */
	cases[ncases].name = "10 IP fragments, each";
	cases[ncases].goal = RTPS;
	cases[ncases++].ns = (cases[first].ns + 9 * cases[first + 1].ns) / 10;

	printf("%-22s %6s %6s\n", "packet", "ns", "ratio");
	printf("%-22s %6.0f %6.2f\n", "empty program", empty, 1.0);
	for (int i = 0; i < ncases; i++) {
		bad += missed(&cases[i], empty);
		printf("%-22s %6.0f %6.2f%s\n", cases[i].name, cases[i].ns,
		       cases[i].ns / empty,
		       missed(&cases[i], empty) ? " goal missed" : "");
	}
	printf("goals: RTPS at most %d ns, untagged TCP %.1f times empty: %d missed\n",
	       GOAL_NS, GOAL_TCP, bad);
	return 0;
}
