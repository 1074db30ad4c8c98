/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flows: a flow is a writer's data to one destination. The map stores the flow
 * id for the tag and the number of the newest message.
 *
 * `flows` has all of them. Most packets belong to the newest message of their
 * flow, or begin the next one. For these a slot of `recent` is enough: a
 * look-up in an array costs next to nothing. recent_save() copies the newest
 * number back when a flow loses its slot, or is looked up in `flows`.
 *
 * All processors share these maps. Code that changes a slot locks it. Readers,
 * and the update of the number, take no lock: a checksum detects a name, an id
 * and a mark that do not belong together, and the number is mixed with the name
 * (recent_number()). 5.10 has no atomic instruction that returns a value.
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

/* Return: the RTPS writer if it is sampled, else NULL */
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
 * Find the flow of @key, else a free id for it. If another flow has the first
 * id, a second one is tried.
 * Return: NULL if it is new; then *@id is 0 if there is no free id.
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
 * Number @sn as stored in the slot, and back. It is mixed with the flow's hash,
 * so that flows at the same message differ.
 */
static __always_inline __u64 recent_number(__u32 hash, __u64 sn)
{
	return sn ^ (__u64)~hash << 32;
}

static __always_inline int recent_is(const struct ros_recent *r,
				     const struct ros_flow *flow)
{
	return same_name(&r->name, &flow->name) &&
	       same_addr6(r->daddr6, flow->daddr6);
}

/*
 * If the slot @r, locked, is that of @flow: copy the newest number. Not one of
 * its previous flow, stored just after the slot changed hands: that is off by
 * 2^32 or more, as the hashes of flows of one slot differ.
 */
static __always_inline void recent_newest(const struct ros_recent *r,
					  struct ros_flow *flow)
{
	__u64 sn = recent_number(ros_recent_hash(&flow->name), r->newest);

	if (recent_is(r, flow) && !((sn - flow->newest) >> 32))
		flow->newest = sn;
}

/* Copy the newest number from the slot of @flow to @flow. */
static __always_inline void recent_save(struct ros_flow *flow)
{
	struct ros_recent *r = recent_slot(ros_recent_hash(&flow->name));

	if (!r || !recent_is(r, flow))
		return;
	bpf_spin_lock(&r->lock);
	recent_newest(r, flow);
	bpf_spin_unlock(&r->lock);
}

/* Give @flow the slot of its hash. @mark: see struct ros_recent */
static __always_inline void recent_set(const struct ros_flow *flow, __u32 id,
				       __u32 mark)
{
	__u32 hash = ros_recent_hash(&flow->name);
	struct ros_recent *r = recent_slot(hash);
	struct ros_flow *other;

	if (!r)
		return;
	/* No look-up while it is locked: the slot may change hands between. */
	other = recent_is(r, flow) ? NULL : bpf_map_lookup_elem(&flows, &r->id);
	bpf_spin_lock(&r->lock);
	if (other)
		recent_newest(r, other);
	r->check = 0;	/* invalid for readers while it changes */
	asm volatile("" ::: "memory");
	r->name = flow->name;
	__builtin_memcpy(r->daddr6, flow->daddr6, sizeof(r->daddr6));
	r->newest = recent_number(hash, flow->newest);
	r->id = id;
	r->mark = mark;
	r->check = id ^ mark ^ ~hash;
	bpf_spin_unlock(&r->lock);
}

/*
 * Control and repairs must wait behind the writer's data. They go with the
 * data to the same destination, unless the newest data went to another one:
 * data by multicast, heartbeats to each reader by unicast. (If the writer sends
 * a copy to each reader, one destination is a message ahead for a moment.)
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
 * A run: messages with consecutive numbers that are all older than the newest.
 * struct ros_flow.state holds the last number, the length of the run, and the
 * low bits of the newest number.
 */
static __always_inline __u64 flow_run(const struct ros_flow *flow,
				      __u64 number, __u64 count)
{
	return flow->newest << 48 | (number & 0xffffffff) << 16 | count;
}

/*
 * Has the numbering restarted, or is message @number, older than the newest, a
 * retransmission? A long run means a restart, or that the newest number came
 * from one bad packet. In the gap that such a packet leaves, nothing can be a
 * retransmission, so a short run is enough. Elsewhere the run must be longer
 * than what a reader can request at once (ACKNACK: 256).
 */
static __always_inline int flow_restarts(struct ros_flow *flow, __u64 number)
{
	__u64 run = flow->state, count = run & 0xffff;
	int unsent = number > flow->gap && number < flow->gap_end;

	count = run == flow_run(flow, number - 1, count) ? count + 1 : 1;
	flow->state = flow_run(flow, number, count);
	return count >= (unsent ? ROS_RUN_UNSENT : ROS_RUN_SENT);
}

/* Record the gap before @number, which becomes the newest of @flow. */
static __always_inline void flow_gap(struct ros_flow *flow, __u64 number)
{
	if (flow->newest && number > flow->newest + 1) {
		flow->gap = flow->newest;
		flow->gap_end = number;
	} else if (number < flow->newest) {
		flow->gap_end = 0;
	}
}

/* @flow is not sampled any more, or not by number: free its slot. */
static __always_inline void recent_drop(const struct ros_flow *flow)
{
	struct ros_recent *r = recent_slot(ros_recent_hash(&flow->name));

	if (!r || !recent_is(r, flow))
		return;
	bpf_spin_lock(&r->lock);
	if (recent_is(r, flow))
		r->check = 0;
	bpf_spin_unlock(&r->lock);
}

/*
 * A packet of the newest message of a flow, or of the next one: no look-up in
 * `flows`. Not after a gap in the numbers: the missing messages may have gone
 * to another destination.
 *
 * The number is stored without a lock. If two processors send messages of one
 * flow at once, the slower one may put it back by one or two: the next packets
 * get the same tags, only a retransmission of those messages would pass as new.
 * If the slot has changed hands meanwhile, its flow cannot read the number, and
 * is looked up again.
 * @daddr6:	NULL for IPv4
 * @mark:	out: mark of the tag, without flags
 * Return: flow id of the tag, or 0 if it is another packet
 */
static __always_inline __u32 recent_next(const struct ros_name *name,
					 const __u8 *daddr6, __u64 sn,
					 __u32 *mark)
{
	__u32 id, hash = ros_recent_hash(name);
	struct ros_recent *r = recent_slot(hash);
	__u64 number = recent_number(hash, sn);
	__u64 before = recent_number(hash, sn - 1), newest;

	if (!r)
		return 0;
	id = r->id;
	*mark = r->mark;
	if ((id ^ *mark ^ r->check) != ~hash || !same_name(&r->name, name) ||
	    (daddr6 && !same_addr6(r->daddr6, daddr6)))
		return 0;
	newest = r->newest;
	if (number == newest)
		return id;
	if (before != newest || !(sn % ROS_RECENT_FOR))
		return 0;
	r->newest = number;
	return id;
}

#endif
