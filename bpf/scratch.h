/* SPDX-License-Identifier: GPL-2.0 */
/*
 * State of one run that does not fit on the stack, which has only 512 bytes for
 * all calls together.
 *
 * Each processor has a few slots, and a run takes one. Usually one is enough:
 * the stack calls the program with softirqs off, and runs do not nest, as the
 * program of a tunnel returns before the tunnel passes its packet to the device
 * below. But a PREEMPT_RT kernel may preempt a run, and BPF_PROG_TEST_RUN of
 * older kernels leaves softirqs on: hence several slots, with a count of the
 * runs that want each.
 */
#ifndef OPTSAMPLE_SCRATCH_H
#define OPTSAMPLE_SCRATCH_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <optsample/tag.h>
#include "found.h"

enum { SCRATCH_SLOTS = 4 };

/**
 * struct walk - state of the walk; offsets are in the packet
 * @guid:	participant of the datagram; until one is known, the name of a
 *		UDPROS connection
 * @time:	from the last INFO_TS, ns since the epoch
 * @off:	offset of the next part, a datagram if it equals @next
 * @here:	offset of the end of the datagram's bytes in this packet, which
 *		may be a first IP fragment
 * @end:	offset of the end of the datagram
 * @next:	offset of the next datagram
 * @stop:	offset of the end of the last datagram
 * @gso:	bytes of a datagram, 0: there is only one
 * @kind:	enum ros_kind of the first datagram
 * @v6:		the packet is IPv6
 * @cyclone:	sent by Cyclone DDS
 * @fastdds:	sent by Fast DDS
 * @directed:	there was an INFO_DST
 * @dst:	participant in that INFO_DST, 0: any
 */
struct walk {
	struct ros_guid	guid;
	__u64		time;
	__u32		off;
	__u32		here;
	__u32		end;
	__u32		next;
	__u32		stop;
	__u32		gso;
	__u8		kind;
	__u8		v6;
	__u8		cyclone;
	__u8		fastdds;
	__u8		directed;
	__u8		pad[3];
	__u32		dst[3];
	__u32		pad2;
};

/**
 * struct scratch - state of one run of the program
 * @found:	what was found in its packet
 * @walk:	state of the walk over the packet
 * @tag:	tag of the packet
 * @slot:	its own number
 * @runs:	how many runs use it, or are looking whether another one does
 */
struct scratch {
	struct found		found;
	struct walk		walk;
	struct optsample_tag	tag;
	__u32			slot;
	__u32			runs;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SCRATCH_SLOTS);
	__type(key, __u32);
	__type(value, struct scratch);
} scratch SEC(".maps");

static __always_inline struct scratch *scratch_slot(__u32 key)
{
	return bpf_map_lookup_elem(&scratch, &key);
}

static __always_inline void scratch_give(struct scratch *s)
{
	__sync_fetch_and_add(&s->runs, -1);
}

/*
 * Count this run, then look: 5.10 can add atomically, but not tell the sum. Two
 * runs never both see 1; at worst each sees the other and takes the next slot.
 * Return: NULL if this processor has none left
 */
static __always_inline struct scratch *scratch_take(void)
{
	struct scratch *s;

	for (__u32 i = 0; i < SCRATCH_SLOTS; i++) {
		s = scratch_slot(i);
		if (!s)
			continue;
		__sync_fetch_and_add(&s->runs, 1);
		if (*(volatile __u32 *)&s->runs == 1) {
			s->slot = i;
			return s;
		}
		scratch_give(s);
	}
	return NULL;
}

#endif
