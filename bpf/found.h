/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Result of parsing a packet of any format: its flow, its message, and which
 * part of the message it has.
 */
#ifndef OPTSAMPLE_FOUND_H
#define OPTSAMPLE_FOUND_H

#include "flows.h"
#include "ros_tag.h"

enum { FOUND_OTHERS = 3 };	/* as many as a tag names */

/* @flow (not 0) and @last of struct ros_writer */
struct found_other {
	__u32	seed;
	__u32	last;
};

/**
 * struct found - what was found in a packet so far
 * @flow:	its name; complete once @writer is set
 * @number:	of the message; UDPROS: its id on the wire
 * @stamp:	RTPS: source timestamp, ns, 0: none; segments: the position
 * @payload:	offset of the serialized message, or of the inline QoS before
 *		it, 0: not in the packet
 * @limit:	offset of the end of that
 * @other:	if @others: more sampled writers, of a packet with control or of
 *		a mixed one. It shares memory with the sample: the stack is
 *		small
 * @beat:	the first heartbeat of @flow's writer: hash of its content and
 *		of its readers; 0: there is none
 * @block:	UDPROS: number of blocks or index of the block
 * @profile:	segments: of the qdisc
 * @writer:	there is a sampled writer
 * @sample:	there is a message of it, or a part; else only control
 * @first:	the message begins in this packet
 * @last:	the message ends in this packet
 * @repair:	a retransmission for one reader
 * @mixed:	there are other messages, or those of other writers
 * @bad:	the packet is broken
 * @known:	the packet has a supported format
 * @qos:	there is inline QoS before the message
 * @little:	the sample's byte order is little endian
 * @others:	@other is valid
 * @more:	it has other parts besides the heartbeat that must arrive
 * @data:	RTPS: there is, or may be, a sample of a user's writer, sampled or
 *		not
 */
struct found {
	struct ros_flow	flow;
	union {
		struct {
			__u64		number;
			__u64		stamp;
			__u32		payload;
			__u32		limit;
		};
		struct found_other	other[FOUND_OTHERS];
	};
	__u32		beat;
	__u16		block;
	__u8		profile;
	__u8		writer;
	__u8		sample;
	__u8		first;
	__u8		last;
	__u8		repair;
	__u8		mixed;
	__u8		bad;
	__u8		known;
	__u8		qos;
	__u8		little;
	__u8		others;
	__u8		more;
	__u8		data;
	__u8		pad[4];
};

static __always_inline int found_is_segment(const struct found *f)
{
	return f->flow.name.kind >= ROS_SEGMENT;
}

/* Is it control that a newer packet of the same kind replaces? */
static __always_inline int found_is_latest(const struct found *f)
{
	return f->beat && !f->more && !f->mixed;
}

/* Is it RTPS without any data: discovery, heartbeats, acknowledgments? */
static __always_inline int found_is_control(const struct found *f)
{
	return f->known && !f->bad && !f->data &&
	       (f->flow.name.kind == ROS_RTPS || f->flow.name.kind == ROS_RTPS6);
}

/* The part of the tag's mark that all packets of the flow share */
static __always_inline __u32 found_mark(const struct found *f, __u8 profile)
{
	return OPTSAMPLE_TAG_MARK | OPTSAMPLE_TAG_PROFILE(profile) |
	       (found_is_segment(f) ? OPTSAMPLE_TAG_SELF : 0);
}

/* FIRST and LAST of the tag */
static __always_inline __u32 found_flags(const struct found *f)
{
	return (f->first ? OPTSAMPLE_TAG_FIRST : 0) |
	       (f->last ? OPTSAMPLE_TAG_LAST : 0);
}

/*
 * Another part of a message of @guid: is it the message found before? If not,
 * the packet has data of several messages and must not be sampled.
 * @sampled:	@guid is sampled; needed while no writer was found
 */
static __always_inline int found_joins(struct found *f,
				       const struct ros_guid *guid,
				       int sampled, __u64 number)
{
	/* The number of the first message is overwritten. */
	if (f->mixed && f->others)
		return 0;
	if (f->writer ? !same_guid(&f->flow.name.writer, guid) : !sampled) {
		f->mixed = 1;
		return 0;
	}
	if (f->sample && f->number != number) {
		f->mixed = 1;
		return 0;
	}
	f->flow.name.writer = *guid;
	f->writer = 1;
	f->sample = 1;
	f->others = 0;
	f->number = number;
	return 1;
}

/*
 * The packet also has control of @w, or it is mixed and has data of @w. Cyclone
 * DDS puts heartbeats of one writer behind repairs of another one.
 */
static __always_inline void found_other(struct found *f,
					const struct ros_writer *w)
{
	if (f->sample && !f->mixed) {
		if (!f->repair)
			return;
		/* never sampled: it can wait for several writers */
		f->mixed = 1;
	}
	if (!f->others)
		__builtin_memset(f->other, 0, sizeof(f->other));
	f->others = 1;
	for (int i = 0; i < FOUND_OTHERS; i++) {
		if (!f->other[i].seed) {
			f->other[i].seed = w->flow;
			f->other[i].last = w->last;
		}
		if (f->other[i].seed == w->flow)
			return;
	}
}

#endif
