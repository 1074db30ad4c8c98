/* SPDX-License-Identifier: GPL-2.0 */
/*
 * segment.h - the datagrams of optsample-send: a piece of a message that is
 * useful alone.
 *
 * What every segment begins with, so that a receiver knows where it belongs
 * and the classifier which message of which flow it is. Little endian; the
 * payload follows after @header bytes, of which later versions may have more.
 * A whole segment fits 1472 bytes, the UDP payload of an Ethernet frame.
 */
#ifndef OPTSAMPLE_SEGMENT_H
#define OPTSAMPLE_SEGMENT_H

#include <linux/types.h>

#define OPTSAMPLE_SEGMENT_MAGIC		0x4753504fU	/* "OPSG" */
#define OPTSAMPLE_SEGMENT_VERSION	1
#define OPTSAMPLE_SEGMENT_MAX		1472

#define OPTSAMPLE_SEGMENT_SAMPLE	0x01	/* may be left out in a stall */
#define OPTSAMPLE_SEGMENT_STILL	0x02	/* the robot has not moved */
#define OPTSAMPLE_SEGMENT_CODEC		3	/* shift of how it is encoded */

/**
 * struct optsample_segment - header of a segment
 * @magic:	OPTSAMPLE_SEGMENT_MAGIC
 * @version:	OPTSAMPLE_SEGMENT_VERSION; another one is another format
 * @flags:	OPTSAMPLE_SEGMENT_*
 * @header:	bytes of the header, at least those of this structure
 * @profile:	of the qdisc, see struct optsample_tag
 * @stream:	random number of this run of the sender
 * @topic:	of the stream; the upper 16 bits count outages, so that what is
 *		sent after one need not wait behind what was kept in it
 * @frame:	number of the message of that topic; wraps
 * @index:	of the segment, less than
 * @count:	segments of the message
 * @sent:	when it was sent, us of the sender's monotonic clock; wraps, and
 *		is another one for each segment of the stream
 * @stamp:	of the message, ns since the epoch
 * @position:	what samples are evenly spread over; never decreasing
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
 * struct optsample_segment_timed - header of a segment that tells when the
 * message ends: a receiver need not guess what is still on its way
 * @segment:	its @header is sizeof(struct optsample_segment_timed) at least
 * @left:	until the last segment of the message leaves, us; copies count
 */
struct optsample_segment_timed {
	struct optsample_segment segment;
	__le32	left;
} __attribute__((packed));

#define OPTSAMPLE_SEGMENT_MAC		16

/**
 * struct optsample_segment_sealed - header of a segment of who has the key
 * @timed:	its @header is sizeof(struct optsample_segment_sealed)
 * @serial:	of the datagram, in the run of the program that sent it, from 1
 * @mac:	BLAKE2b, keyed, of the whole datagram without these bytes
 */
struct optsample_segment_sealed {
	struct optsample_segment_timed timed;
	__le64	serial;
	__u8	mac[OPTSAMPLE_SEGMENT_MAC];
} __attribute__((packed));

#endif
