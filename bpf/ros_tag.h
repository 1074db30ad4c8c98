/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The maps of ros_tag.bpf.c: what user space writes into the classifier and
 * reads from it. Shared by the program, `optsample` and the tests.
 *
 *   writers   hash, struct ros_guid -> struct ros_writer: who is sampled.
 *             Filled by user space (opt in); the program only takes notes.
 *   flows     LRU hash, flow id of the tag -> struct ros_flow: what a class
 *             of the qdisc is called
 *   recent    array of struct ros_recent, the program's own: flows whose next
 *             packet needs neither of the two
 *   frags     LRU hash, struct ros_frag_key -> struct ros_frag: what the
 *             later IP fragments of a datagram belong to
 *   counters  per-CPU array of ROS_COUNTERS __u64
 *
 * All are pinned by name. Debian's tc puts them into
 * /sys/fs/bpf/tc/globals, `optsample up DEV` into /sys/fs/bpf/optsample/DEV.
 */
#ifndef OPTSAMPLE_ROS_TAG_H
#define OPTSAMPLE_ROS_TAG_H

#include <linux/types.h>
#include <optsample/tag.h>

enum {
	ROS_WRITERS_MAX	= 4096,
	ROS_FLOWS_MAX	= 4096,
	ROS_FRAGS_MAX	= 4096,	/* datagrams in the middle of leaving */
	ROS_RECENT_BITS	= 10,
	ROS_RECENT_MAX	= 1 << ROS_RECENT_BITS,
	/*
	 * Messages until a flow in `recent` is looked up again: so long it
	 * takes until it is seen that a writer has been taken out.
	 */
	ROS_RECENT_FOR	= 64,
};

/**
 * struct ros_guid - RTPS GUID as on the wire
 * @prefix:	of the participant
 * @entity:	entity id of the writer, its four bytes as they are
 */
struct ros_guid {
	__u8	prefix[12];
	__u32	entity;
};

/**
 * struct ros_writer - a writer that is sampled
 * @flow:	any number that no other writer has; set by user space
 * @flags:	none yet, 0
 * @last:	flow id of the tag its newest data got
 * @pad:	0
 *
 * User space sets all but @flow to 0.
 */
struct ros_writer {
	__u32 flow;
	__u32 flags;
	__u32 last;
	__u32 pad;
};

/**
 * struct ros_flow - a writer and one of its destinations
 * @writer:	who
 * @daddr:	IPv4 address, network byte order
 * @dport:	UDP port, network byte order
 * @pad:	0
 * @newest:	newest sequence number sent there; `recent` may know a newer
 */
struct ros_flow {
	struct ros_guid	writer;
	__u32		daddr;
	__u16		dport;
	__u16		pad;
	__u64		newest;
};

/**
 * struct ros_recent - a flow that has sent lately, in the slot of its name
 * @flow:	its name; and its newest sequence number, as recent_number()
 * @id:		flow id of the tag
 * @check:	@id ^ ~ros_recent_hash(@flow); else the two do not belong
 *		together, or the slot is free
 * @busy:	somebody changes the slot
 * @pad:	0
 */
struct ros_recent {
	struct ros_flow	flow;
	__u32		id;
	__u32		check;
	__u32		busy;
	__u32		pad;
};

/**
 * struct ros_frag_key - what the fragments of one datagram share
 * @saddr:	and
 * @daddr:	addresses, network byte order
 * @id:		IP identification, network byte order
 * @proto:	IP protocol
 */
struct ros_frag_key {
	__u32 saddr;
	__u32 daddr;
	__u32 id;
	__u32 proto;
};

/**
 * struct ros_frag - the tag of the later fragments of a datagram
 *
 * As struct optsample_tag; the LAST bit stands for the datagram and is
 * passed on to its last fragment only.
 */
struct ros_frag {
	__u32 mark;
	__u32 flow;
	__u32 message;
	__u32 pos_lo;
	__u32 pos_hi;
};

/* What happened to a packet. Each is counted once, under the first match. */
enum ros_counter {
	/* tagged: messages and parts of them, by the flags of the tag */
	ROS_MIDDLE,	/* neither first nor last packet */
	ROS_FIRST	= OPTSAMPLE_TAG_FIRST,
	ROS_LAST	= OPTSAMPLE_TAG_LAST,
	ROS_WHOLE	= OPTSAMPLE_TAG_FIRST | OPTSAMPLE_TAG_LAST,
	ROS_FRAG,	/* tagged: IP fragment inside a message */
	ROS_CONTROL,	/* tagged as control */
	ROS_REPAIR,	/* tagged as a retransmit */
	ROS_MIXED,	/* data of several writers or messages: as control */
	ROS_FRAG_OTHER,	/* IP fragment of a datagram that got no tag */
	ROS_UNTAGGED,	/* RTPS, but of nobody who opted in */
	ROS_MALFORMED,	/* RTPS, but broken: left alone */
	ROS_COLLISION,	/* two flows with one id: left alone */
	ROS_COUNTERS
};

/**
 * ros_flow_id - flow id of the tag for a writer and a destination
 * @flow:	struct ros_writer.flow
 * @daddr:	destination address and
 * @dport:	port, network byte order
 *
 * A bijection of @flow for a given destination (Murmur3's finalizer), so
 * that two writers to one place never collide.
 *
 * Return: never 0, except that the one @flow mapped there shares an id.
 */
static inline __u32 ros_flow_id(__u32 flow, __u32 daddr, __u16 dport)
{
	__u32 h = flow;

	h ^= (daddr * 0x9e3779b1U) ^ ((__u32)dport * 0x85ebca77U);
	h ^= h >> 16;
	h *= 0x85ebca6bU;
	h ^= h >> 13;
	h *= 0xc2b2ae35U;
	h ^= h >> 16;
	return h ? h : 1;
}

/* Number of a flow's name, for `recent`; 0 for no name */
static inline __u32 ros_recent_hash(const struct ros_flow *flow)
{
	const __u32 *prefix = (const __u32 *)flow->writer.prefix;

	return __builtin_bswap32(flow->writer.entity) >> 8 ^ prefix[1] ^
	       prefix[2] ^ flow->daddr ^ flow->dport;
}

/* Its slot: entities that count up do not meet */
static inline __u32 ros_recent_slot(__u32 hash)
{
	hash ^= hash >> ROS_RECENT_BITS ^ hash >> 2 * ROS_RECENT_BITS;
	return hash % ROS_RECENT_MAX;
}

#endif
