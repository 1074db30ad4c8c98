/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flows: which id the tag of a writer's data to a destination has, and how
 * far it has come.
 *
 * `flows` knows them all. Most packets belong to the newest message of their
 * flow, or begin the next one; for these a slot of `recent` holds all that
 * there is to know, and looking up a slot of an array is next to nothing.
 * A flow that loses its slot, or is looked up for anything else, gets back
 * what the slot has seen (recent_save()).
 *
 * Processors share all this. Who changes a slot has it for itself; who finds
 * it taken goes without. Reading takes no turn, nor does counting on: name, id
 * and number that do not belong together are seen to, in whatever order their
 * parts arrive.
 */
#ifndef OPTSAMPLE_FLOWS_H
#define OPTSAMPLE_FLOWS_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "ros_tag.h"
#include "rtps.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ROS_WRITERS_MAX);
	__type(key, struct ros_guid);
	__type(value, struct ros_writer);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} writers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, ROS_FLOWS_MAX);
	__type(key, __u32);
	__type(value, struct ros_flow);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} flows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, ROS_RECENT_MAX);
	__type(key, __u32);
	__type(value, struct ros_recent);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} recent SEC(".maps");

/* Return: the writer of RTPS if it is sampled, else NULL */
static __always_inline struct ros_writer *
find_writer(const struct ros_guid *guid)
{
	if (rtps_entity_special(guid->entity))
		return NULL;
	return bpf_map_lookup_elem(&writers, guid);
}

static __always_inline int same_guid(const struct ros_guid *a,
				     const struct ros_guid *b)
{
	const __u32 *x = (const __u32 *)a, *y = (const __u32 *)b;

	return x[0] == y[0] && x[1] == y[1] && x[2] == y[2] && x[3] == y[3];
}

static __always_inline int same_name(const struct ros_name *name,
				     const struct ros_name *other)
{
	const __u64 *a = (const __u64 *)name, *b = (const __u64 *)other;

	return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static __always_inline int same_addr6(const __u8 *addr, const __u8 *other)
{
	const __u64 *a = (const __u64 *)addr, *b = (const __u64 *)other;

	return a[0] == b[0] && a[1] == b[1];
}

static __always_inline int same_flow(const struct ros_flow *flow,
				     const struct ros_flow *key)
{
	return same_name(&flow->name, &key->name) &&
	       same_addr6(flow->daddr6, key->daddr6);
}

/*
 * Find the flow of @key, else a free id for it. The second try is for an id
 * that another one has, or had some time ago.
 * Return: NULL with *@id = 0 if there is none.
 */
static __always_inline struct ros_flow *find_flow(const struct ros_flow *key,
						  __u32 seed, __u32 *id)
{
	struct ros_flow *flow;

	*id = ros_flow_id(seed, key->name.daddr, key->name.dport,
			  key->name.kind >= ROS_SEGMENT);
	flow = bpf_map_lookup_elem(&flows, id);
	if (!flow || same_flow(flow, key))
		return flow;
	*id = *id == 0x5bd1e995 ? 1 : *id ^ 0x5bd1e995;
	flow = bpf_map_lookup_elem(&flows, id);
	if (!flow || same_flow(flow, key))
		return flow;
	*id = 0;
	return NULL;
}

static __always_inline struct ros_recent *recent_slot(__u32 hash)
{
	__u32 slot = ros_recent_slot(hash);

	return bpf_map_lookup_elem(&recent, &slot);
}

/*
 * Number @sn of a flow as its slot has it, and back: of no other flow, though
 * both may be at the same message.
 */
static __always_inline __u64 recent_number(__u32 hash, __u64 sn)
{
	return sn ^ (__u64)~hash << 32;
}

static __always_inline int recent_take(struct ros_recent *r)
{
	return r && !__sync_lock_test_and_set(&r->busy, 1);
}

static __always_inline void recent_give(struct ros_recent *r)
{
	__sync_lock_test_and_set(&r->busy, 0);
}

static __always_inline int recent_is(const struct ros_recent *r,
				     const struct ros_flow *flow)
{
	return same_name(&r->name, &flow->name) &&
	       same_addr6(r->daddr6, flow->daddr6);
}

static __always_inline void recent_newest(const struct ros_recent *r,
					  struct ros_flow *flow)
{
	__u64 sn = recent_number(ros_recent_hash(&flow->name), r->newest);

	if (recent_is(r, flow) && sn > flow->newest)
		flow->newest = sn;
}

/* What its slot has seen of @flow since it was looked up */
static __always_inline void recent_save(struct ros_flow *flow)
{
	struct ros_recent *r = recent_slot(ros_recent_hash(&flow->name));

	if (!recent_take(r))
		return;
	recent_newest(r, flow);
	recent_give(r);
}

/* The slot of @flow is its own from now on. @mark: see struct ros_recent */
static __always_inline void recent_set(const struct ros_flow *flow, __u32 id,
				       __u32 mark)
{
	__u32 hash = ros_recent_hash(&flow->name);
	struct ros_recent *r = recent_slot(hash);
	struct ros_flow *other;

	if (!recent_take(r))
		return;
	if (!recent_is(r, flow)) {
		other = bpf_map_lookup_elem(&flows, &r->id);
		if (other)
			recent_newest(r, other);
	}
	r->check = 0;	/* nobody reads it half old and half new */
	asm volatile("" ::: "memory");
	r->name = flow->name;
	__builtin_memcpy(r->daddr6, flow->daddr6, sizeof(r->daddr6));
	r->newest = recent_number(hash, flow->newest);
	r->id = id;
	r->mark = mark;
	r->check = id ^ mark ^ ~hash;
	recent_give(r);
}

/*
 * Control and repairs must wait behind the writer's data. They go with the
 * data to the same place, unless the data has moved on to another one:
 * data by multicast, heartbeats to each reader by unicast. (With a copy for
 * each reader, one of them is a message ahead for a moment.)
 * @to:	struct ros_writer.last; 0: segments
 */
static __always_inline __u32 pass_flow(__u32 to, const struct ros_flow *flow,
				       __u32 id)
{
	struct ros_flow *last = NULL;

	if (to && to != id)
		last = bpf_map_lookup_elem(&flows, &to);
	if (!last)
		return id;
	recent_save(last);
	return flow && flow->newest + 1 >= last->newest ? id : to;
}

/*
 * Numbers of a flow that go up by one, message after message, but are older
 * than its newest, which stays: in struct ros_flow.state, the last of them, how
 * many, and something of the newest.
 */
static __always_inline __u64 flow_run(const struct ros_flow *flow,
				      __u64 number, __u64 count)
{
	return flow->newest << 48 | (number & 0xffffffff) << 16 | count;
}

/*
 * Is message @number, older than the newest, a retransmission? Not if it goes
 * on a long run: numbering has restarted, or the newest was one packet with a
 * wrong number. What was never sent cannot be sent again, so a run through the
 * gap that such a packet leaves may be short; else it must be longer than what
 * a reader can ask for at once (ACKNACK: 256).
 */
static __always_inline int flow_restarts(struct ros_flow *flow, __u64 number)
{
	__u64 run = flow->state, count = run & 0xffff;
	int unsent = number > flow->gap && number < flow->gap_end;

	count = run == flow_run(flow, number - 1, count) ? count + 1 : 1;
	flow->state = flow_run(flow, number, count);
	return count >= (unsent ? ROS_RUN_UNSENT : ROS_RUN_SENT);
}

/* Message @number is the newest of @flow from now on. */
static __always_inline void flow_gap(struct ros_flow *flow, __u64 number)
{
	if (flow->newest && number > flow->newest + 1) {
		flow->gap = flow->newest;
		flow->gap_end = number;
	} else if (number < flow->newest) {
		flow->gap_end = 0;
	}
}

/* Nobody samples @flow any more, or not by number. */
static __always_inline void recent_drop(const struct ros_flow *flow)
{
	struct ros_recent *r = recent_slot(ros_recent_hash(&flow->name));

	if (!r || !recent_is(r, flow) || !recent_take(r))
		return;
	if (recent_is(r, flow))
		r->check = 0;
	recent_give(r);
}

/*
 * The next packet of a flow, of the same message or the next: nothing to look
 * up, and nothing to write down but that. A gap in the numbers is no such
 * packet: what is missing may have gone elsewhere.
 * @daddr6:	NULL: of a name of IPv4
 * @mark:	out: of the tag, without flags
 * Return: flow id of the tag, or 0
 */
static __always_inline __u32 recent_next(const struct ros_name *name,
					 const __u8 *daddr6, __u64 sn,
					 __u32 *mark)
{
	__u32 id, hash = ros_recent_hash(name);
	struct ros_recent *r = recent_slot(hash);
	__u64 number = recent_number(hash, sn);
	__u64 before = recent_number(hash, sn - 1);

	if (!r)
		return 0;
	id = r->id;
	*mark = r->mark;
	if ((id ^ *mark ^ r->check) != ~hash || !same_name(&r->name, name) ||
	    (daddr6 && !same_addr6(r->daddr6, daddr6)))
		return 0;
	if (number != r->newest &&
	    (!(sn % ROS_RECENT_FOR) ||
	     __sync_val_compare_and_swap(&r->newest, before, number) !=
	     before))
		return 0;
	return id;
}

#endif
