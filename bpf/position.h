/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The position of a message: samples are spread evenly over it. It is read from
 * the first packet of the message, unless it is the message's number.
 */
#ifndef OPTSAMPLE_POSITION_H
#define OPTSAMPLE_POSITION_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "bytes.h"
#include "found.h"
#include "ros_tag.h"
#include "rtps.h"
#include "udpros.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} odometer SEC(".maps");

enum {
	POSITION_QOS	= 16,		/* parameters skipped at most */
	POSITION_END	= 1,		/* PID_SENTINEL */
	/* Encapsulations that begin with the first member, big endian; + 1:
	 * little endian. In others the start depends on the type.
	 */
	POSITION_CDR	= 0x0000,
	POSITION_CDR2	= 0x0006,
};

/* Inline QoS: parameters of id, length, value. Return: where it ends, or 0 */
static __always_inline __u32 position_skip_qos(struct __sk_buff *skb,
					       __u32 off, __u32 limit,
					       int little)
{
	__u8 b[4] __attribute__((aligned(4)));

	for (int i = 0; i < POSITION_QOS; i++) {
		if (off + sizeof(b) > limit ||
		    bpf_skb_load_bytes(skb, off, b, sizeof(b)))
			return 0;
		off += sizeof(b);
		if (bytes_u16(b, little) == POSITION_END)
			return off;
		off += bytes_u16(b + 2, little);
	}
	return 0;
}

/* Return: the stamp at @off in ns, 0 if there is none or it is 0 */
static __always_inline __u64 position_stamp(struct __sk_buff *skb, __u32 off,
					    __u32 limit, int little)
{
	__u8 b[8] __attribute__((aligned(4)));
	__u64 sec, nsec;

	if (off + sizeof(b) > limit ||
	    bpf_skb_load_bytes(skb, off, b, sizeof(b)))
		return 0;
	sec = bytes_u32(b, little);
	nsec = bytes_u32(b + 4, little);
	return sec >> 31 || nsec >= RTPS_NSEC ? 0 : sec * RTPS_NSEC + nsec;
}

/**
 * position_header - stamp of a std_msgs/Header at the start of a message
 * @skb:	the packet
 * @off:	struct found.payload
 * @limit:	see struct found
 * @qos:	see struct found
 * @little:	see struct found
 *
 * External linkage: see walk.h.
 *
 * Return: the stamp in ns, 0 if there is none
 */
GLOBAL __u64 position_header(struct __sk_buff *skb, __u32 off, __u32 limit,
				 __u8 qos, __u8 little)
{
	__u8 b[4] __attribute__((aligned(4)));
	__u32 kind;

	if (off && qos)
		off = position_skip_qos(skb, off, limit, little);
	if (!off || off + sizeof(b) > limit ||
	    bpf_skb_load_bytes(skb, off, b, sizeof(b)))
		return 0;
	kind = bytes_u16(b, 0);
	if ((kind & ~1U) != POSITION_CDR && (kind & ~1U) != POSITION_CDR2)
		return 0;
	return position_stamp(skb, off + sizeof(b), limit, kind & 1);
}

/**
 * position_read - position of a message, from its first packet
 * @skb:	the packet
 * @f:		what was found in it
 * @by:		enum ros_by, but not ROS_BY_NUMBER
 * @old:	position of the previous message
 *
 * Return: the position, ns or mm; @old if the message has none
 */
static __always_inline __u64 position_read(struct __sk_buff *skb,
					   const struct found *f, __u8 by,
					   __u64 old)
{
	__u64 *mm, ns = 0;
	__u32 key = 0;

	if (by == ROS_BY_DISTANCE) {
		mm = bpf_map_lookup_elem(&odometer, &key);
		return mm ? *mm : old;
	}
	/* ROS 1 has no other stamp than the header's. */
	if (f->flow.name.kind == ROS_UDPROS)
		ns = position_stamp(skb, f->payload + UDPROS_STAMP, f->limit,
				    1);
	else if (by == ROS_BY_HEADER)
		ns = position_header(skb, f->payload, f->limit, f->qos,
				     f->little);
	else if (by == ROS_BY_SOURCE)
		ns = f->stamp;
	return ns ? ns : old;
}

#endif
