/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the program knows of the packet at hand, beside the stack, of which
 * there are only 512 bytes for all calls together.
 *
 * Each processor has a few of these, and a run takes one for itself. A run
 * never sends: the program of a tunnel is done before the tunnel hands its
 * packet to the device below, so runs do not nest that way. And the stack calls
 * it with softirqs off. But a PREEMPT_RT kernel may preempt it even so, and
 * BPF_PROG_TEST_RUN of older kernels leaves softirqs on; for these there is
 * more than one, and a mark on those in use.
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
 * struct scratch - of one run of the program
 * @found:	what was found in its packet
 * @walk:	where the walk over the packet is
 * @tag:	what it gets
 * @busy:	a run has it
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
	/* It is not read any more when another run may take it. */
	asm volatile("" ::: "memory");
	s->busy = 0;
}

#endif
