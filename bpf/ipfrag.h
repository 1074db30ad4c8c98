/* SPDX-License-Identifier: GPL-2.0 */
/*
 * IP fragments: only the first of a datagram has the headers above IP. Its tag
 * is stored for the others. Linux sends the first one first.
 */
#ifndef OPTSAMPLE_IPFRAG_H
#define OPTSAMPLE_IPFRAG_H

#include <optsample/tag.h>
#include "parse.h"
#include "ros_tag.h"

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, ROS_FRAGS_MAX);
	__type(key, struct ros_frag_key);
	__type(value, struct ros_frag);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} frags SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, ROS_FRAGS_MAX);
	__type(key, struct ros_frag6_key);
	__type(value, struct ros_frag);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} frags6 SEC(".maps");

/* Return: 0, or negative */
static __always_inline int ipfrag_key(struct __sk_buff *skb,
				      const struct parse_ip *ip,
				      struct ros_frag_key *key)
{
	__u32 addrs[2];

	if (parse_addrs4(skb, ip, addrs, &key->id))
		return -1;
	key->saddr = addrs[0];
	key->daddr = addrs[1];
	key->proto = IPPROTO_UDP;
	return 0;
}

static __always_inline int ipfrag_key6(struct __sk_buff *skb,
				       const struct parse_ip *ip,
				       struct ros_frag6_key *key)
{
	key->id = ip->id;
	return parse_addrs6(skb, ip, key);
}

/* Store @tag of the first fragment; LAST moves to the last fragment. */
static __always_inline void ipfrag_note(struct __sk_buff *skb,
					const struct parse_ip *ip,
					struct optsample_tag *tag)
{
	struct ros_frag6_key key6;
	struct ros_frag_key key;
	struct ros_frag frag = {
		.mark = tag->mark & ~OPTSAMPLE_TAG_FIRST,
		.flow = tag->flow,
		.message = tag->message,
		.pos_lo = tag->pos_lo,
		.pos_hi = tag->pos_hi,
	};

	if (ip->v6) {
		if (!ipfrag_key6(skb, ip, &key6))
			bpf_map_update_elem(&frags6, &key6, &frag, BPF_ANY);
	} else {
		if (!ipfrag_key(skb, ip, &key))
			bpf_map_update_elem(&frags, &key, &frag, BPF_ANY);
	}
	tag->mark &= ~OPTSAMPLE_TAG_LAST;
}

/* The first fragment has no tag: delete an old one stored under its id. */
static __always_inline void ipfrag_forget(struct __sk_buff *skb,
					  const struct parse_ip *ip)
{
	struct ros_frag6_key key6;
	struct ros_frag_key key;

	if (ip->v6) {
		if (!ipfrag_key6(skb, ip, &key6))
			bpf_map_delete_elem(&frags6, &key6);
	} else {
		if (!ipfrag_key(skb, ip, &key))
			bpf_map_delete_elem(&frags, &key);
	}
}

/* Return: 1 and the tag of a later fragment, 0 if it has none */
static __always_inline int ipfrag_find(struct __sk_buff *skb,
				       const struct parse_ip *ip,
				       struct optsample_tag *tag)
{
	struct ros_frag6_key key6;
	struct ros_frag_key key;
	struct ros_frag *frag = NULL;

	if (ip->v6) {
		if (!ipfrag_key6(skb, ip, &key6))
			frag = bpf_map_lookup_elem(&frags6, &key6);
	} else {
		if (!ipfrag_key(skb, ip, &key))
			frag = bpf_map_lookup_elem(&frags, &key);
	}
	if (!frag)
		return 0;
	tag->mark = frag->mark;
	if (ip->frag_off & IPV4_MF)
		tag->mark &= ~OPTSAMPLE_TAG_LAST;
	tag->flow = frag->flow;
	tag->message = frag->message;
	tag->pos_lo = frag->pos_lo;
	tag->pos_hi = frag->pos_hi;
	return 1;
}

#endif
