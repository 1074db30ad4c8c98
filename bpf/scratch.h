/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of one run that does not fit on the stack, which has only 512 bytes for
 * all calls together.
 *
 * Each processor has a few slots, and a run takes one. Usually one is enough:
 * the stack calls the program with softirqs off, and runs do not nest, as the
 * program of a tunnel returns before the tunnel passes its packet to the device
 * below. But a PREEMPT_RT kernel may preempt a run, and BPF_PROG_TEST_RUN of
 * older kernels leaves softirqs on: hence several slots, with a flag for those
 * in use.
 */
#ifndef OPTSAMPLE_SCRATCH_H
#define OPTSAMPLE_SCRATCH_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <optsample/tag.h>
#include "found.h"
#include "walk.h"

enum { SCRATCH_SLOTS = 4 };

/**
 * struct scratch - state of one run of the program
 * @found:	what was found in its packet
 * @walk:	state of the walk over the packet
 * @tag:	tag of the packet
 * @busy:	a run uses it
 */
struct scratch {
	struct found		found;
	struct walk		walk;
	struct optsample_tag	tag;
	__u32			busy;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SCRATCH_SLOTS);
	__type(key, __u32);
	__type(value, struct scratch);
} scratch SEC(".maps");

/* Return: NULL if this processor has none left */
static __always_inline struct scratch *scratch_take(void)
{
	struct scratch *s;
	__u32 key;

	for (__u32 i = 0; i < SCRATCH_SLOTS; i++) {
		key = i;
		s = bpf_map_lookup_elem(&scratch, &key);
		if (s && !__sync_lock_test_and_set(&s->busy, 1))
			return s;
	}
	return NULL;
}

static __always_inline void scratch_give(struct scratch *s)
{
	/* Finish all reads before another run may take the slot. */
	asm volatile("" ::: "memory");
	s->busy = 0;
}

#endif
