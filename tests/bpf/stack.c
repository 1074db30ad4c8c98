// SPDX-License-Identifier: GPL-2.0-only
/*
 * Use of the 512 bytes of BPF stack by the classifier: the deepest chain of
 * calls, each function as measured and rounded up by the verifier. The rest is
 * for later kernels and compilers, and for a program that calls this one.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "harness.h"

enum { STACK_GOAL = 384, STACK_UNIT = 32, FUNCTIONS = 64, LOG = 1 << 16 };

/**
 * struct functions - the program in parts
 * @start:	first instruction of each; one more: the end of the program
 * @depth:	bytes of stack
 * @n:		their number
 */
struct functions {
	uint32_t	start[FUNCTIONS + 1];
	uint32_t	depth[FUNCTIONS];
	int		n;
};

/* Return: the instruction that @insns[@i] calls, or -1: not a call */
static int callee(const struct bpf_insn *insns, uint32_t i)
{
	const struct bpf_insn *insn = &insns[i];

	return insn->code == (BPF_JMP | BPF_CALL) &&
	       insn->src_reg == BPF_PSEUDO_CALL ?
	       (int)i + 1 + insn->imm : -1;
}

static int ascending(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int function_at(const struct functions *f, uint32_t start)
{
	for (int i = 0; i < f->n; i++)
		if (f->start[i] == start)
			return i;
	return -1;
}

static void find_functions(const struct bpf_insn *insns, uint32_t n,
			   struct functions *f)
{
	f->start[0] = 0;
	f->n = 1;
	for (uint32_t i = 0; i < n && f->n < FUNCTIONS; i++) {
		int to = callee(insns, i);

		if (to >= 0 && function_at(f, to) < 0)
			f->start[f->n++] = to;
	}
	qsort(f->start, f->n, sizeof(*f->start), ascending);
	f->start[f->n] = n;
}

/* "stack depth max 304": newer kernels print the result. */
static bool said_depth(const char *log, uint32_t *depth)
{
	const char *at = strstr(log, "stack depth max ");

	return at && sscanf(at, "stack depth max %u", depth) == 1;
}

/* "stack depth 128+216+16": one number for each function, in order */
static bool read_depths(const char *log, struct functions *f)
{
	const char *at = strstr(log, "stack depth ");
	char *end;

	if (!at)
		return false;
	at += strlen("stack depth ");
	for (int i = 0; i < f->n; i++) {
		f->depth[i] = strtoul(at, &end, 10);
		if (end == at)
			return false;
		at = end + (*end == '+');
	}
	return *at == '\n' || *at == ' ' || !*at;
}

/* Print the end of the verifier's output as a comment */
static void say_log(const char *log)
{
	size_t len = strlen(log);

	for (log += len > 1000 ? len - 1000 : 0; *log; log += *log == '\n') {
		len = strcspn(log, "\n");
		printf("# %.*s\n", (int)len, log);
		log += len;
	}
}

/* BPF has no recursion. */
static uint32_t deepest(const struct bpf_insn *insns,
			const struct functions *f, int k)
{
	uint32_t depth = f->depth[k] ? f->depth[k] : 1, below = 0, d;

	for (uint32_t i = f->start[k]; i < f->start[k + 1]; i++) {
		int to = callee(insns, i);

		if (to < 0)
			continue;
		d = deepest(insns, f, function_at(f, to));
		below = d > below ? d : below;
	}
	return (depth + STACK_UNIT - 1) / STACK_UNIT * STACK_UNIT + below;
}

/* Mark what a processor has for its packets: the first @n are in use. */
static void occupy(uint32_t n)
{
	struct bpf_map_info info = { 0 };
	uint32_t size = sizeof(info), cpus = libbpf_num_possible_cpus();
	uint8_t *v;

	if (bpf_obj_get_info_by_fd(bpf.scratch, &info, &size))
		abort();
	/* values of a per-CPU map come in multiples of 8 bytes */
	v = calloc(cpus, info.value_size + 8);
	for (uint32_t key = 0; v && key < info.max_entries; key++) {
		/* every byte: where the mark is does not matter */
		memset(v, key < n, cpus * (info.value_size + 8));
		if (bpf_map_update_elem(bpf.scratch, &key, v, BPF_ANY))
			abort();
	}
	free(v);
}

/* Runs of the program that come one over the other */
static void occupied(void)
{
	uint64_t busy = counted(ROS_BUSY);
	struct packet p;

	fresh();
	data(&p, 1);
	packet_vlan(&p, 1);
	occupy(3);
	WANT(flags(&p, NULL) == (FIRST | LAST));
	WANT(counted(ROS_BUSY) == busy);
	occupy(4);
	WANT(flags(&p, NULL) == NONE);
	WANT(counted(ROS_BUSY) == busy + 1);
	occupy(0);
	WANT(flags(&p, NULL) == (FIRST | LAST));
	done("stack: what is beside it is of one run");
}

void test_stack(const char *object)
{
	static char log[LOG];
	struct bpf_program *prog;
	struct functions f;
	uint32_t depth = 0;

	prog = program_with_log(object, log, sizeof(log));
	WANT(prog);
	if (prog && !said_depth(log, &depth)) {
		find_functions(bpf_program__insns(prog),
			       bpf_program__insn_cnt(prog), &f);
		if (read_depths(log, &f))
			depth = deepest(bpf_program__insns(prog), &f, 0);
	}
	WANT(depth);
	if (depth)
		printf("# stack: %u bytes over all calls\n", depth);
	else
		say_log(log);
	WANT(depth <= STACK_GOAL);
	done("stack: at most 384 bytes over all calls");
	occupied();
}
