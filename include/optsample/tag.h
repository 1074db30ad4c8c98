/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tag, which a classifier writes for one packet. The qdisc knows nothing
 * else of wire formats. It is five 32-bit words in __sk_buff cb[0..4]
 * (qdisc_skb_cb data in the kernel), written by a BPF program on clsact egress
 * or by a direct-action filter on the qdisc itself.
 *
 * Without a classifier cb[] holds stale data of the stack, hence the magic
 * number. A packet without it is ordinary traffic and is never sampled.
 */
#ifndef OPTSAMPLE_TAG_H
#define OPTSAMPLE_TAG_H

#include <linux/types.h>

#define OPTSAMPLE_TAG_MAGIC	0x4f500000U	/* "OP" */
#define OPTSAMPLE_TAG_PROFILE(n) ((n) << 8 & 0xff00U)
#define OPTSAMPLE_TAG_VERSION	0x80U		/* in bits 6..7 */
#define OPTSAMPLE_TAG_MARK	(OPTSAMPLE_TAG_MAGIC | OPTSAMPLE_TAG_VERSION)
#define OPTSAMPLE_TAG_MARK_MASK	0xffff00c0U

#define OPTSAMPLE_TAG_FIRST	0x01U	/* first packet of its message */
#define OPTSAMPLE_TAG_LAST	0x02U	/* last packet of its message */
#define OPTSAMPLE_TAG_CONTROL	0x04U	/* of the writer, not of a message */
#define OPTSAMPLE_TAG_REPAIR	0x08U	/* retransmits an older message */
#define OPTSAMPLE_TAG_SELF	0x10U	/* its sender alone declared the flow */
#define OPTSAMPLE_TAG_LATEST	0x20U	/* CONTROL: replaces an older one */

/**
 * struct optsample_tag - the five words
 * @mark:	OPTSAMPLE_TAG_MARK | OPTSAMPLE_TAG_{FIRST,LAST,CONTROL,REPAIR}
 *		| OPTSAMPLE_TAG_PROFILE(n): the profile of the qdisc (see
 *		tc-optsample(8)) that the flow follows, 0: the qdisc's options.
 *		SELF: only its sender declared that this flow is sampled (a
 *		stream of segments). Such a flow follows only profiles that are
 *		open to segments, and a flow without SELF may take its place
 * @flow:	flow id: one value per writer and destination. 0: ordinary
 *		traffic; with CONTROL alone it is not dropped by age
 * @message:	number of the message, low 32 bits; compared modulo 2^32.
 *		CONTROL: id of another flow that the packet also has control
 *		of; two more are in @pos_lo and @pos_hi; 0: none. The packet
 *		leaves after the older messages of all of them.
 *		CONTROL and LATEST: hash of the packet's content and readers,
 *		not 0; the packet has no control of other flows. A newer packet
 *		with the same hash replaces it
 * @pos_lo:	low half of the message's position, over which the sampler
 *		spreads messages evenly; it never decreases within a flow. The
 *		sequence number, or what the program reads (time stamp, distance
 *		travelled)
 * @pos_hi:	high half of the position
 */
struct optsample_tag {
	__u32 mark;
	__u32 flow;
	__u32 message;
	__u32 pos_lo;
	__u32 pos_hi;
};

#endif
