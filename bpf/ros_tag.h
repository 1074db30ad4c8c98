/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The maps of ros_tag.bpf.c: what user space writes into the classifier and
 * reads from it. Shared by the program, `optsample` and the tests.
 *
 *   writers   hash, struct ros_guid -> struct ros_writer: sampled writers.
 *             User space adds them (opt in); the program only updates @last.
 *   topics    hash, char[ROS_PATTERN] -> struct ros_rule: the user's options
 *             for topics of that name or pattern (`optsample topic`). The
 *             program does not use it: `optsample discover` turns it into
 *             writers, and into profiles of the qdisc.
 *   odometer  array of one __u64: millimetres travelled, for writers that are
 *             sampled by distance; filled by user space
 *   flows     LRU hash, flow id of the tag -> struct ros_flow: the names of
 *             the qdisc's classes
 *   recent    array of struct ros_recent, used by the program only: flows whose
 *             next packet needs no look-up in writers and flows
 *   frags     LRU hash, struct ros_frag_key -> struct ros_frag: the tag for the
 *             later IP fragments of a datagram
 *   frags6    the same for IPv6
 *   counters  per-CPU array of ROS_COUNTERS __u64
 *
 * All are pinned by name. Debian's tc puts them into
 * /sys/fs/bpf/tc/globals, `optsample up DEV` into /sys/fs/bpf/optsample/DEV.
 */
#ifndef OPTSAMPLE_ROS_TAG_H
#define OPTSAMPLE_ROS_TAG_H

#include <linux/bpf.h>
#include <linux/types.h>
#include <optsample/tag.h>

enum {
	ROS_WRITERS_MAX	= 4096,
	ROS_FLOWS_MAX	= 4096,
	ROS_FRAGS_MAX	= 4096,	/* datagrams that are partly sent */
	ROS_RULES_MAX	= 1024,
	ROS_PATTERN	= 128,	/* bytes of a topic's name, with its zero */
	ROS_RECENT_BITS	= 10,
	ROS_RECENT_MAX	= 1 << ROS_RECENT_BITS,
	/*
	 * Messages until a flow in `recent` is looked up again. User space that
	 * removes a writer or changes its profile also clears the checks of its
	 * slots, or it would take that long to notice.
	 */
	ROS_RECENT_FOR	= 64,
	/* Messages that make a run, see flow_restarts() */
	ROS_RUN_UNSENT	= 16,
	ROS_RUN_SENT	= 257,
};

/**
 * enum ros_kind - format of a flow, and of its name
 * @ROS_RTPS:	a DDS writer, over IPv4
 * @ROS_RTPS6:	a DDS writer, over IPv6
 * @ROS_UDPROS:	a UDPROS connection, over IPv4
 * @ROS_SEGMENT: a stream of optsample-send, over IPv4
 * @ROS_SEGMENT6: the same, over IPv6
 */
enum ros_kind {
	ROS_RTPS,
	ROS_RTPS6,
	ROS_UDPROS,
	ROS_SEGMENT,
	ROS_SEGMENT6,
	ROS_KINDS
};

/* The position of a message: samples are spread evenly over it */
enum ros_by {
	ROS_BY_NUMBER,		/* sequence number */
	ROS_BY_SOURCE,		/* when it was written: INFO_TS, ns */
	ROS_BY_HEADER,		/* std_msgs/Header at its start, ns */
	ROS_BY_DISTANCE,	/* value of `odometer` at that time, mm */
	ROS_BY_MAX
};

/**
 * struct ros_guid - RTPS GUID as on the wire
 * @prefix:	of the participant
 * @entity:	entity id of the writer, its four bytes as they are
 *
 * A UDPROS connection has none. Its name in `writers` is the addresses
 * (source, destination) and ports (the same) in @prefix, as on the wire, and
 * ROS_ENTITY_UDPROS, which no DDS writer of a user can have.
 */
struct ros_guid {
	__u8	prefix[12];
	__u32	entity;
};

/* The same in either byte order, and none of a user's writer */
#define ROS_ENTITY_UDPROS	0xffffffffU
#define ROS_ENTITY_SEGMENT	0xfefefefeU

/**
 * struct ros_writer - a writer that is sampled
 * @flow:	any number that no other writer has; set by user space
 * @by:		enum ros_by
 * @profile:	of the qdisc: see struct optsample_tag
 * @pad:	0
 * @last:	flow id in the tag of its newest data
 * @pad2:	0
 *
 * User space sets @flow, @by and @profile, and the rest to 0.
 */
struct ros_writer {
	__u32 flow;
	__u8  by;
	__u8  profile;
	__u16 pad;
	__u32 last;
	__u32 pad2;
};

/**
 * struct ros_rule - the user's options for some topics
 * @order:	of rules that match, the one with the largest @order applies
 * @profile:	profile of the qdisc with these options, 1..63; rules that were
 *		given together share one, and so one sampler if @sync
 * @never:	do not sample; all other fields are 0
 * @by:		enum ros_by
 * @sync:	topics of this profile keep messages with the same stamps
 * @policy:	enum optsample_policy, OPTSAMPLE_POLICY_MAX: that of the qdisc
 * @limit:	messages, 0: that of the qdisc
 * @priority:	0..7, larger goes first
 * @age_ms:	older messages do not begin to leave, ms; 0: any
 * @slop_ns:	stamps that differ by at most so much are the same, ns
 */
struct ros_rule {
	__u32 order;
	__u8  profile;
	__u8  never;
	__u8  by;
	__u8  sync;
	__u32 policy;
	__u32 limit;
	__u32 priority;
	__u32 age_ms;
	__u64 slop_ns;
};

/**
 * struct ros_name - a writer and one of its destinations
 * @writer:	its GUID; UDPROS: as in `writers`; segments: stream and topic,
 *		as on the wire, and ROS_ENTITY_SEGMENT
 * @daddr:	IPv4 address, network byte order; IPv6: ros_addr6() of it
 * @dport:	UDP port, network byte order
 * @kind:	enum ros_kind
 * @pad:	0
 */
struct ros_name {
	struct ros_guid	writer;
	__u32		daddr;
	__u16		dport;
	__u8		kind;
	__u8		pad;
} __attribute__((aligned(8)));

/**
 * struct ros_flow - a flow, and how far it has come
 * @name:	its name
 * @daddr6:	the full destination address if it is IPv6, else 0
 * @newest:	number of the newest message sent there; `recent` may have a
 *		newer one
 * @position:	position of that message, if it is not its number
 * @state:	used by the program only: flow_run(), udpros_state()
 * @gap:	used by the program only: numbers after @gap and before @gap_end
 *		were not sent when @gap_end was
 * @gap_end:	see @gap; 0: there is no gap
 */
struct ros_flow {
	struct ros_name	name;
	__u8		daddr6[16];
	__u64		newest;
	__u64		position;
	__u64		state;
	__u64		gap;
	__u64		gap_end;
};

/**
 * struct ros_recent - a flow that has sent lately, in the slot of its name
 * @name:	its name
 * @daddr6:	the full destination address if it is IPv6
 * @newest:	its newest number, as recent_number()
 * @id:		flow id of the tag
 * @mark:	mark of the tag, without flags
 * @check:	@id ^ @mark ^ ~ros_recent_hash(@name); any other value: the slot
 *		is free, or it is being changed
 * @lock:	of those who change the slot, and of the count of a UDPROS flow
 */
struct ros_recent {
	struct ros_name	name;
	__u8		daddr6[16];
	__u64		newest;
	__u32		id;
	__u32		mark;
	__u32		check;
	struct bpf_spin_lock lock;
};

/**
 * struct ros_frag_key - what the fragments of one datagram share
 * @saddr:	source address, network byte order
 * @daddr:	destination address, network byte order
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
 * struct ros_frag6_key - the same for IPv6, the key that reassembly uses
 * @saddr:	source address, network byte order
 * @daddr:	destination address, network byte order
 * @id:		identification in the fragment header, network byte order
 */
struct ros_frag6_key {
	__u32 saddr[4];
	__u32 daddr[4];
	__u32 id;
};

/**
 * struct ros_frag - the tag of the later fragments of a datagram
 *
 * As struct optsample_tag; the LAST bit is that of the datagram and goes to its
 * last fragment only.
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
	ROS_UNTAGGED,	/* RTPS or segment of a writer that is not sampled */
	ROS_MALFORMED,	/* the same, but broken: not tagged */
	ROS_COLLISION,	/* two flows with one id: not tagged */
	ROS_BUSY,	/* no scratch memory left: not tagged */
	ROS_COUNTERS
};

/**
 * ros_flow_id - flow id of the tag for a writer and a destination
 * @flow:	struct ros_writer.flow
 * @daddr:	destination address, network byte order
 * @dport:	destination port, network byte order
 * @segment:	it is a stream of segments, which any program may send: it must
 *		not take the id of a writer
 *
 * 31 bits of Murmur3's finalizer, a bijection of @flow for a given destination.
 *
 * Return: never 0
 */
static inline __u32 ros_flow_id(__u32 flow, __u32 daddr, __u16 dport,
				int segment)
{
	__u32 h = flow;

	h ^= (daddr * 0x9e3779b1U) ^ ((__u32)dport * 0x85ebca77U);
	h ^= h >> 16;
	h *= 0x85ebca6bU;
	h ^= h >> 13;
	h *= 0xc2b2ae35U;
	h ^= h >> 16;
	h = segment ? h | 1U << 31 : h & ~(1U << 31);
	return h ? h : 1;
}

/* Add one word to the hash @h. */
static inline __u32 ros_hash(__u32 h, __u32 word)
{
	return (h ^ h >> 15) * 0x2c1b3c6dU + word;
}

/* A hash of an IPv6 address; @a: as on the wire */
static inline __u32 ros_addr6(const __u32 a[4])
{
	__u32 h = a[0];

	for (int i = 1; i < 4; i++)
		h = ros_hash(h, a[i]);
	return h;
}

/* Segments are not in `writers`: what they have for struct ros_writer.flow */
static inline __u32 ros_segment_flow(const struct ros_guid *guid)
{
	__u32 a[4] = { 0 };

	__builtin_memcpy(a, guid->prefix, sizeof(guid->prefix));
	return ros_addr6(a);
}

/* Hash of a flow's name, for `recent`; 0 for no name */
static inline __u32 ros_recent_hash(const struct ros_name *name)
{
	const __u32 *prefix = (const __u32 *)name->writer.prefix;

	return __builtin_bswap32(name->writer.entity) >> 8 ^ prefix[1] ^
	       prefix[2] ^ name->daddr ^ name->dport;
}

/* Slot of a hash: consecutive entity ids get different slots */
static inline __u32 ros_recent_slot(__u32 hash)
{
	hash ^= hash >> ROS_RECENT_BITS ^ hash >> 2 * ROS_RECENT_BITS;
	return hash % ROS_RECENT_MAX;
}

#endif
