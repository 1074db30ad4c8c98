/* SPDX-License-Identifier: GPL-2.0 */
/*
 * segment.h - the datagrams of optsample-send. Each carries a part of a message
 * that can be decoded alone.
 *
 * Every segment begins with this header. It tells a receiver and the classifier
 * the flow and the message. Little endian; the payload follows after @header
 * bytes, which may be more in later versions. A whole segment fits 1472 bytes,
 * the UDP payload of an Ethernet frame.
 */
#ifndef OPTSAMPLE_SEGMENT_H
#define OPTSAMPLE_SEGMENT_H

#include <linux/types.h>

#define OPTSAMPLE_SEGMENT_MAGIC		0x4753504fU	/* "OPSG" */
#define OPTSAMPLE_SEGMENT_VERSION	1
#define OPTSAMPLE_SEGMENT_MAX		1472

#define OPTSAMPLE_SEGMENT_SAMPLE	0x01	/* may be dropped in a stall */
#define OPTSAMPLE_SEGMENT_STILL	0x02	/* the robot has not moved */
#define OPTSAMPLE_SEGMENT_CODEC		3	/* shift of the codec's id */

/**
 * struct optsample_segment - header of a segment
 * @magic:	OPTSAMPLE_SEGMENT_MAGIC
 * @version:	OPTSAMPLE_SEGMENT_VERSION; other versions cannot be read
 * @flags:	OPTSAMPLE_SEGMENT_*
 * @header:	bytes of the header, at least those of this structure
 * @profile:	profile of the qdisc, see struct optsample_tag
 * @stream:	random number of this run of the sender
 * @topic:	topic of the stream; the upper 16 bits count outages, so that
 *		messages sent after an outage need not wait for kept ones
 * @frame:	number of the message in its topic; wraps
 * @index:	index of the segment in the message, less than @count
 * @count:	segments of the message
 * @sent:	send time, us of the sender's monotonic clock; wraps; different
 *		for each segment of the stream
 * @stamp:	stamp of the message, ns since the epoch
 * @position:	samples are spread evenly over it; never decreasing
 */
struct optsample_segment {
	__le32	magic;
	__u8	version;
	__u8	flags;
	__u8	header;
	__u8	profile;
	__le64	stream;
	__le32	topic;
	__le32	frame;
	__le16	index;
	__le16	count;
	__le32	sent;
	__le64	stamp;
	__le64	position;
};

/**
 * struct optsample_segment_timed - header with the time at which the message
 * ends, so that a receiver knows whether to expect more segments
 * @segment:	its @header is sizeof(struct optsample_segment_timed) or more
 * @left:	time until the last segment of the message leaves, copies
 *		included, us
 */
struct optsample_segment_timed {
	struct optsample_segment segment;
	__le32	left;
} __attribute__((packed));

#define OPTSAMPLE_SEGMENT_MAC		16

/**
 * struct optsample_segment_sealed - header of an authenticated segment
 * @timed:	its @header is sizeof(struct optsample_segment_sealed)
 * @serial:	number of the datagram in this run of the sender, from 1
 * @mac:	keyed BLAKE2b of the whole datagram without these bytes
 */
struct optsample_segment_sealed {
	struct optsample_segment_timed timed;
	__le64	serial;
	__u8	mac[OPTSAMPLE_SEGMENT_MAC];
} __attribute__((packed));

#endif
