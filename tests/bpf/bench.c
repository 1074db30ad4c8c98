// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cost of a packet next to an empty program: the best of five runs.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include "harness.h"

static double cost(int prog, const struct packet *p)
{
	double best = 1e9;

	for (int i = 0; i < 5; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, o,
			.data_in = p->data,
			.data_size_in = p->len,
			.repeat = 1000000,
		);

		if (bpf_prog_test_run_opts(prog, &o))
			return -1;
		if (o.duration < best)
			best = o.duration;
	}
	return best;
}

int bench(void)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = TC_ACT_UNSPEC },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct frag f = { 1, 10, 1344, 614448 };
	struct packet p[7];
	static const char *const name[] = {
		"untagged TCP", "DATA", "DATA_FRAG", "first IP fragment",
		"later IP fragment", "HEARTBEAT", "RTPS, not sampled",
	};
	double empty;
	int prog;

	prog = bpf_prog_load(BPF_PROG_TYPE_SCHED_CLS, "empty", "GPL", insns,
			     2, NULL);
	if (prog < 0)
		return 1;
	fresh();
	packet_tcp(&p[0]);
	data(&p[1], 1);
	datagram(&p[2], 1, 2);
	packet_rtps(&p[3], 2, 7411, CYCLONE);
	packet_data_frag(&p[3], 0, PACKET_WRITER, 1, &f, 1416);
	packet_end(&p[3], 12024);
	packet_ip(&p[3], 77, 0x2000);
	packet_ip_frag(&p[4], &p[3], 1480, true, 1480);
	packet_rtps(&p[5], 2, 7411, CYCLONE);
	packet_heartbeat(&p[5], 0x07, PACKET_WRITER, 1);
	packet_end(&p[5], 0);
	packet_rtps(&p[6], 2, 7411, CYCLONE);
	packet_data(&p[6], 0, PACKET_OTHER, 1, 100);
	packet_end(&p[6], 0);

	empty = cost(prog, &p[0]);
	printf("%-20s %6s %6s\n", "packet", "ns", "ratio");
	printf("%-20s %6.0f %6.2f\n", "empty program", empty, 1.0);
	for (int i = 0; i < 7; i++) {
		double ns = cost(bpf.prog, &p[i]);

		printf("%-20s %6.0f %6.2f\n", name[i], ns, ns / empty);
	}
	return 0;
}
