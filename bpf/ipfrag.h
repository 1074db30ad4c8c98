/* SPDX-License-Identifier: GPL-2.0 */
/*
 * IP fragments: only the first of a datagram says what it is. It leaves a
 * note, the others follow it. Linux sends the first one first.
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

static __always_inline void ipfrag_key(const struct parse_ip *ip,
				       struct ros_frag_key *key)
{
	key->saddr = ip->saddr;
	key->daddr = ip->daddr;
	key->id = ip->id;
	key->proto = IPPROTO_UDP;
}

/* The first fragment has @tag; its LAST is kept for the last fragment. */
static __always_inline void ipfrag_note(const struct parse_ip *ip,
					struct optsample_tag *tag)
{
	struct ros_frag_key key;
	struct ros_frag frag = {
		.mark = tag->mark & ~OPTSAMPLE_TAG_FIRST,
		.flow = tag->flow,
		.message = tag->message,
		.pos_lo = tag->pos_lo,
		.pos_hi = tag->pos_hi,
	};

	ipfrag_key(ip, &key);
	bpf_map_update_elem(&frags, &key, &frag, BPF_ANY);
	tag->mark &= ~OPTSAMPLE_TAG_LAST;
}

/* The first fragment has no tag: so must the others, whoever had the id. */
static __always_inline void ipfrag_forget(const struct parse_ip *ip)
{
	struct ros_frag_key key;

	ipfrag_key(ip, &key);
	bpf_map_delete_elem(&frags, &key);
}

/* Return: 1 and the tag of a later fragment, 0 if it has none */
static __always_inline int ipfrag_find(const struct parse_ip *ip,
				       struct optsample_tag *tag)
{
	struct ros_frag_key key;
	struct ros_frag *frag;

	ipfrag_key(ip, &key);
	frag = bpf_map_lookup_elem(&frags, &key);
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
