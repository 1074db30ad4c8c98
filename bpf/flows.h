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

static __always_inline int same_flow(const struct ros_flow *flow,
				     const struct ros_flow *key)
{
	const __u64 *a = (const __u64 *)flow, *b = (const __u64 *)key;

	return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
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

	*id = ros_flow_id(seed, key->daddr, key->dport);
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

static __always_inline void recent_newest(const struct ros_recent *r,
					  struct ros_flow *flow)
{
	__u64 sn = recent_number(ros_recent_hash(flow), r->flow.newest);

	if (same_flow(&r->flow, flow) && sn > flow->newest)
		flow->newest = sn;
}

/* What its slot has seen of @flow since it was looked up */
static __always_inline void recent_save(struct ros_flow *flow)
{
	struct ros_recent *r = recent_slot(ros_recent_hash(flow));

	if (!recent_take(r))
		return;
	recent_newest(r, flow);
	recent_give(r);
}

/* The slot of @flow is its own from now on. */
static __always_inline void recent_set(const struct ros_flow *flow, __u32 id)
{
	__u32 hash = ros_recent_hash(flow);
	struct ros_recent *r = recent_slot(hash);
	struct ros_flow *other;

	if (!recent_take(r))
		return;
	if (!same_flow(&r->flow, flow)) {
		other = bpf_map_lookup_elem(&flows, &r->id);
		if (other)
			recent_newest(r, other);
	}
	r->flow = *flow;
	r->flow.newest = recent_number(hash, flow->newest);
	r->id = id;
	r->check = id ^ ~hash;
	recent_give(r);
}

/* Nobody samples @flow any more. */
static __always_inline void recent_drop(struct ros_recent *r,
					const struct ros_flow *flow)
{
	if (!recent_take(r))
		return;
	if (same_flow(&r->flow, flow))
		r->check = 0;
	recent_give(r);
}

/*
 * The next packet of @r, of the same message or the next: nothing to look
 * up, and nothing to write down but that. A gap in the numbers is no such
 * packet: what is missing may have gone elsewhere.
 * Return: flow id of the tag, or 0
 */
static __always_inline __u32 recent_next(struct ros_recent *r, __u32 hash,
					 const struct ros_flow *key, __u64 sn)
{
	__u64 number = recent_number(hash, sn);
	__u64 before = recent_number(hash, sn - 1);
	__u32 id = r->id;

	if ((id ^ r->check) != ~hash || !same_flow(&r->flow, key))
		return 0;
	if (number != r->flow.newest &&
	    (!(sn % ROS_RECENT_FOR) ||
	     __sync_val_compare_and_swap(&r->flow.newest, before, number) !=
	     before))
		return 0;
	return id;
}

#endif
