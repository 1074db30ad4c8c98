/* SPDX-License-Identifier: GPL-2.0 */
/*
 * UDPROS, the datagrams of roscpp's TransportHints().udp(): a message is one
 * DATA0 and, if it is longer, several DATAN. They have no magic number, so only
 * connections in `writers`, found by addresses and ports, are read as UDPROS.
 *
 * The number of a message has 8 bits on the wire (1..255, then 1 again). The
 * flow extends it: a DATA0 with another number is the next message.
 *
 * Source: roscpp 1.15, transport_udp.h: struct TransportUDPHeader.
 */
#ifndef OPTSAMPLE_UDPROS_H
#define OPTSAMPLE_UDPROS_H

#include <linux/types.h>
#include "bytes.h"
#include "flows.h"
#include "ros_tag.h"

enum {
	UDPROS_HEADER	= 8,	/* connection, operation, message, block */
	UDPROS_STAMP	= 16,	/* behind header, length and Header.seq */
};

enum udpros_op {
	UDPROS_DATA0,
	UDPROS_DATAN,
	UDPROS_PING,
	UDPROS_ERR,
};

/* Do the first UDPROS_HEADER bytes look like UDPROS? */
static __always_inline int udpros_is(const __u8 *b)
{
	return b[4] > UDPROS_DATAN ? b[4] <= UDPROS_ERR :
				     b[5] && (b[6] | b[7]);
}

/*
 * struct ros_flow.state: number of the newest message, how many blocks it
 * has, and its id on the wire, so that they are read together.
 */
static __always_inline __u64 udpros_state(__u64 number, __u32 blocks, __u8 id)
{
	return number << 24 | (__u64)blocks << 8 | id;
}

/**
 * udpros_number - message number of a packet of data
 * @flow:	the flow; it is advanced if the message is new
 * @data0:	the packet is a DATA0
 * @block:	DATA0: number of blocks; DATAN: index of the block
 * @id:		id of the message, on the wire
 * @last:	out: it is the last packet of the message
 *
 * Return: the number, from 1; 0: the packet is not of the newest message
 */
static __always_inline __u64 udpros_number(struct ros_flow *flow, int data0,
					   __u32 block, __u8 id, __u8 *last)
{
	struct ros_recent *r = recent_slot(ros_recent_hash(&flow->name));
	__u64 state = flow->state;

	if (r && data0 && id != (__u8)state) {
		bpf_spin_lock(&r->lock);
		state = flow->state;
		if (id != (__u8)state) {
			state = udpros_state((state >> 24) + 1, block, id);
			flow->state = state;
		}
		bpf_spin_unlock(&r->lock);
	}
	if (id != (__u8)state)
		return 0;
	*last = (data0 ? 1 : block + 1) == (state >> 8 & 0xffff);
	return state >> 24;
}

#endif
