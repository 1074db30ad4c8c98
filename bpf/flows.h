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
 * Processors share all this without a lock. A slot that changes hands has no
 * id meanwhile, and whoever uses it looks at the id before and afterwards.
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

static __always_inline struct ros_recent *recent_slot(const struct ros_flow *f)
{
	__u32 slot = ros_recent_slot(f);

	return bpf_map_lookup_elem(&recent, &slot);
}

/* What @r has seen of the flow since @flow was looked up */
static __always_inline void recent_save(const struct ros_recent *r,
					struct ros_flow *flow)
{
	if (r && r->id && same_flow(&r->flow, flow) &&
	    r->flow.newest > flow->newest)
		flow->newest = r->flow.newest;
}

/* The slot of @flow is its own from now on. */
static __always_inline void recent_set(const struct ros_flow *flow, __u32 id)
{
	struct ros_recent *r = recent_slot(flow);
	struct ros_flow *other;

	if (!r)
		return;
	if (r->id && !same_flow(&r->flow, flow)) {
		other = bpf_map_lookup_elem(&flows, &r->id);
		if (other)
			recent_save(r, other);
	}
	__sync_lock_test_and_set(&r->id, 0);
	r->flow = *flow;
	__sync_lock_test_and_set(&r->id, id);
}

/*
 * The next packet of @r, of the same message or the next: nothing to look
 * up, and nothing to write down but that. A gap in the numbers is no such
 * packet: what is missing may have gone elsewhere.
 * Return: flow id of the tag, or 0
 */
static __always_inline __u32 recent_next(struct ros_recent *r,
					 const struct ros_flow *key, __u64 sn)
{
	const volatile __u32 *now = &r->id;
	__u32 id = *now;

	if (!id || !same_flow(&r->flow, key))
		return 0;
	if (sn != r->flow.newest &&
	    (!(sn % ROS_RECENT_FOR) ||
	     __sync_val_compare_and_swap(&r->flow.newest, sn - 1, sn) != sn - 1))
		return 0;
	return *now == id ? id : 0;
}

#endif
