// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_replay - a corpus through the program in the kernel (BPF_PROG_TEST_RUN)
 *
 *   fuzz_replay OBJECT CORPUS
 *
 * The verified and compiled program must give the same tag, word by word, as
 * the same source in user space, which the fuzzer has checked. All packets are
 * linear here: TEST_RUN makes no others. Prints TAP. Needs root.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <stdlib.h>
#include <string.h>
#include "input.h"
#include "kernel.h"
#include "program.h"

static void reset(void)
{
	program_clear();
	for (unsigned int i = 0; i < input_nwriters; i++)
		if (bpf_map_update_elem(bpf.writers, &input_writers[i].guid,
					&input_writers[i].writer, BPF_ANY))
			abort();
}

/* Return: 0 with the tag, or negative if TEST_RUN takes no such packet */
static int run(const struct input_packet *p, uint64_t mm,
	       struct optsample_tag *tag)
{
	struct __sk_buff in = {
		.cb = { OPTSAMPLE_TAG_MARK | 3, 0xdeadbeef },
		.gso_size = p->gso,
		.gso_segs = p->gso ? 2 : 0,
	}, out = {};
	LIBBPF_OPTS(bpf_test_run_opts, o,
		.data_in = p->data,
		.data_size_in = p->len,
		.ctx_in = &in,
		.ctx_size_in = sizeof(in),
		.ctx_out = &out,
		.ctx_size_out = sizeof(out),
		.repeat = 1,
	);
	uint32_t key = 0;

	if (bpf_map_update_elem(bpf.odometer, &key, &mm, BPF_ANY))
		abort();
	if (bpf_prog_test_run_opts(bpf.prog, &o))
		return -errno;
	memcpy(tag, out.cb, sizeof(*tag));
	if (!tag->mark)
		memset(tag, 0, sizeof(*tag));
	return 0;
}

/* Return: number of packets with another tag */
static int replay(const uint8_t *b, const uint8_t *end, int *packets,
		  int *tagged)
{
	struct optsample_tag k, u;
	struct input_packet p;
	int bad = 0;

	reset();
	kernel_reset();
	for (int n = 0; n < INPUT_PACKETS && input_next(&b, end, &p); n++) {
		p.linear = p.len;
		if (run(&p, (uint64_t)n * INPUT_MM, &k))
			continue;
		kernel_run(&p, (uint64_t)n * INPUT_MM, &u);
		++*packets;
		*tagged += !!u.mark;
		if (!memcmp(&k, &u, sizeof(k)))
			continue;
		bad++;
		printf("# packet %d: %08x %08x %08x %08x%08x, not %08x %08x %08x %08x%08x\n",
		       n, k.mark, k.flow, k.message, k.pos_hi, k.pos_lo,
		       u.mark, u.flow, u.message, u.pos_hi, u.pos_lo);
	}
	return bad;
}

int main(int argc, char **argv)
{
	int n, inputs = 0, packets = 0, tagged = 0, bad = 0;
	static uint8_t b[INPUT_MAX];
	FILE *f;

	if (argc != 3) {
		fprintf(stderr, "usage: fuzz_replay OBJECT CORPUS\n");
		return 2;
	}
	f = fopen(argv[2], "r");
	if (!f || program_open(argv[1])) {
		printf("Bail out! %s: %s\n", f ? argv[1] : argv[2],
		       strerror(errno));
		return 1;
	}
	while ((n = corpus_next(f, b)) > 0) {
		bad += replay(b, b + n, &packets, &tagged);
		inputs++;
	}
	fclose(f);
	printf("%sok 1 - corpus in the kernel: %d inputs, %d packets, %d tagged, %d differ\n",
	       n || bad || !tagged ? "not " : "", inputs, packets, tagged,
	       bad);
	printf("1..1\n");
	return n || bad || !tagged;
}
