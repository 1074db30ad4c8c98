// SPDX-License-Identifier: GPL-2.0
/*
 * keep - send packets with a kept source address through the original interface
 *
 * Attached to clsact egress of keep-DEV. keep-DEV has the addresses and routes
 * that DEV had before its network manager removed them. Unlike mirred,
 * bpf_redirect() passes packets to an interface that is down. There they pass
 * DEV's filters and are held in its queue.
 *
 * keep-DEV does not resolve neighbours (NOARP): the replies would arrive on
 * DEV. A packet to an unknown neighbour has keep-DEV's own address as its
 * destination and is dropped.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/pkt_cls.h>
#include <stdbool.h>
#include <bpf/bpf_helpers.h>
#include "keep.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct keep_link);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} keep_link SEC(".maps");

static __always_inline bool keep_same(const __u16 *a, const __u16 *b)
{
	return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

SEC("tc")
int keep(struct __sk_buff *skb)
{
	struct ethhdr *eth = (void *)(long)skb->data;
	const struct keep_link *l;
	__u32 key = 0;

	l = bpf_map_lookup_elem(&keep_link, &key);
	if (!l || !l->ifindex || (void *)(eth + 1) > (void *)(long)skb->data_end)
		return TC_ACT_SHOT;
	if (keep_same((const __u16 *)eth->h_dest, l->own))
		return TC_ACT_SHOT;
	__builtin_memcpy(eth->h_source, l->address, ETH_ALEN);
	return bpf_redirect(l->ifindex, 0);
}

char _license[] SEC("license") = "GPL";
