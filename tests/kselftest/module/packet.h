/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OPTSAMPLE_TEST_PACKET_H
#define OPTSAMPLE_TEST_PACKET_H

#include <linux/skbuff.h>

/* What a packet carries, behind the headers, to identify it again */
struct label {
	char	magic[8];
	u32	flow;
	u32	msg;
	u32	seq;
	u32	flags;
	u64	pos;
};

/* What is the same in all packets from now on */
struct packet_kind {
	u32	version;	/* of IP: 4 or 6 */
	u32	tos;
	u32	priority;
	u32	to;		/* last byte of the link address */
	u32	from;		/* that of the sender's, 0: all zero */
	u32	mini;		/* 1: owned by a socket that is not a full one */
};

enum { PAYLOAD = 1300 };	/* what most tests send */

extern struct packet_kind packet_kind;

struct sk_buff *packet_make(u32 flow, u32 msg, u64 pos, u32 seq, u32 flags,
			    u32 len);
const struct label *packet_label(const struct sk_buff *skb);
void packet_tag(struct sk_buff *skb, bool tagged);

#endif
