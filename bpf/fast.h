/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fast path through RTPS: packets with one sample.
 *
 * A writer sends DATA or DATA_FRAG, often after an INFO_TS, sometimes followed
 * by a heartbeat, little endian, with all headers in the linear part. Fast DDS
 * puts an INFO_DST before it and statistics after it. Nearly every packet is
 * like that and is read in place. All other packets, and broken ones, are left
 * to the walk over all submessages (walk.h). For packets accepted here the walk
 * gives the same result: tests/bpf and tests/fuzz compare the two.
 */
#ifndef OPTSAMPLE_FAST_H
#define OPTSAMPLE_FAST_H

#include <optsample/segment.h>
#include <optsample/tag.h>
#include "parse.h"
#include "ros_tag.h"
#include "rtps.h"
#include "udpros.h"

enum {
	FAST_UDP	= 8,
	FAST_HEADERS	= FAST_UDP + RTPS_HEADER,
	FAST_TS_SIZE	= 12,
	FAST_DST_SIZE	= 16,
	FAST_BEHIND	= 2,	/* submessages behind the sample */
	FAST_VENDOR_BACK = 14,	/* from the first submessage to the vendor */
	FAST_CYCLONE	= RTPS_VENDOR_CYCLONE << 8 | 1,
	FAST_SIZE_MAX	= 0x3fff,	/* to look behind a submessage */
	FAST_VENDOR	= 0x80,	/* Fast DDS statistics */
	/* first word of a submessage: id, flags, length */
	FAST_KIND	= 0x05ff,
	FAST_DATA	= RTPS_DATA | (RTPS_FLAG_LITTLE | RTPS_FLAG_DATA) << 8,
	FAST_FRAG	= RTPS_DATA_FRAG | RTPS_FLAG_LITTLE << 8,
	FAST_DST	= RTPS_INFO_DST | RTPS_FLAG_LITTLE << 8 | 12 << 16,
	FAST_TS_MASK	= 0xffff01ff,
	FAST_TS		= RTPS_INFO_TS | RTPS_FLAG_LITTLE << 8 | 8 << 16,
};

enum fast {
	FAST_WALK,	/* the walk has to read it */
	FAST_OTHER,	/* of no known format */
	/* from here on the sample has been read */
	FAST_ONE,	/* the only sample of the packet */
	FAST_TRAILER,	/* the same, but a heartbeat follows */
	FAST_TAGGED,	/* fast_path(): nothing is left to do */
};

/*
 * The driver aligns the IP header, and all fields are at a multiple of 4 after
 * it. Without this hint the compiler loads byte by byte.
 */
static __always_inline __u32 fast_u32(const void *p)
{
	return bytes_u32(__builtin_assume_aligned(p, 4), 1);
}

static __always_inline __u32 fast_u16(const void *p)
{
	return bytes_u16(__builtin_assume_aligned(p, 2), 1);
}

/* Not RTPS: rejects nearly all other UDP packets */
static __always_inline enum fast fast_other(const __u8 *b)
{
	__u32 word = bytes_u32(b, 1);

	barrier_var(word);	/* tested after RTPS, not before */
	return word == OPTSAMPLE_SEGMENT_MAGIC || udpros_is(b) ?
	       FAST_WALK : FAST_OTHER;
}

/*
 * Check what follows the sample at @p, of @size bytes: at most two submessages,
 * a heartbeat and one of the vendor's. All counts start at the UDP header.
 * @used:	bytes before @p
 * @here:	bytes to the end of the packet
 * @room:	bytes to the end of the datagram
 */
static __always_inline enum fast fast_rest(const __u8 *p, const void *end,
					   __u64 size, __u64 used, __u64 here,
					   __u64 room)
{
	enum fast result = FAST_ONE;
	const __u8 *next;
	__u64 word;

	for (int i = 0; i < (int)FAST_BEHIND; i++) {
		if (used + size + RTPS_SUB_HEADER > here)
			return result;
		if (size > FAST_SIZE_MAX)
			return FAST_WALK;
		/* The verifier of 6.1 loses the bound when it spills it. */
		barrier_var(size);
		next = p + (size & FAST_SIZE_MAX);
		if ((const void *)(next + RTPS_SUB_HEADER) > end)
			return FAST_WALK;
		word = fast_u32(next);
		size += RTPS_SUB_HEADER + (word >> 16);
		if (used + size > room || word >> 16 < 8)
			return FAST_WALK;
		word &= 0xff | RTPS_FLAG_LITTLE << 8;
		if (word == (RTPS_HEARTBEAT | RTPS_FLAG_LITTLE << 8) ||
		    word == (RTPS_HEARTBEAT_FRAG | RTPS_FLAG_LITTLE << 8))
			result = FAST_TRAILER;
		else if (word != (FAST_VENDOR | RTPS_FLAG_LITTLE << 8))
			return FAST_WALK;
	}
	return used + size + RTPS_SUB_HEADER > here ? result : FAST_WALK;
}

/* FIRST and LAST of the DATA_FRAG at @p. Return: 0, or negative if broken */
static __always_inline int fast_frag(const __u8 *p, __u32 *flags)
{
	__u64 start = fast_u32(p + 24);
	__u32 size = fast_u32(p + 32);
	__u32 each = fast_u16(p + 30);
	__u64 begin = (start - 1) * each;
	__u64 end = begin + fast_u16(p + 28) * each;
	__u32 fl = 0;

	if (!start || !end || begin >= size)
		return -1;
	if (start == 1)
		fl = OPTSAMPLE_TAG_FIRST;
	barrier_var(fl);	/* two jumps: clang's own code is longer */
	if (end >= size)
		fl |= OPTSAMPLE_TAG_LAST;
	*flags = fl;
	return 0;
}

/* The linear part is shorter than a sample: RTPS or other UDP? */
static __always_inline enum fast fast_short(const __u8 *udp, const void *end)
{
	const __u8 *b = udp + FAST_UDP;

	return (const void *)(b + UDPROS_HEADER) > end ||
	       bytes_word(b) == bpf_htonl(RTPS_MAGIC) ?
	       FAST_WALK : fast_other(b);
}

/**
 * struct fast_sample - result of fast_read(), except the name
 * @sn:		sequence number
 * @flags:	OPTSAMPLE_TAG_FIRST and LAST
 * @time:	source timestamp, ns since the epoch, 0: none
 * @payload:	offset of the serialized message, or of its inline QoS
 * @limit:	offset of the end of the submessage
 * @qos:	there is inline QoS
 */
struct fast_sample {
	__u64 sn;
	__u32 flags;
	__u64 time;
	__u32 payload;
	__u32 limit;
	__u8  qos;
};

/*
 * Read the sample at @p, with at least RTPS_SUB_MAX bytes, and what follows
 * @word:	its first word
 * @used:	see fast_rest(), as for @here and @room
 * @payload:	offset of the UDP header
 */
static __always_inline enum fast fast_one(const __u8 *p, const void *end,
					  __u64 word, __u64 used, __u64 here,
					  __u64 room, __u32 payload,
					  struct ros_name *name,
					  struct fast_sample *s)
{
	__u64 size = RTPS_SUB_HEADER + (word >> 16);

	/* Length 0: to the end, which is RTPS_SUB_MAX away at least. */
	if (__builtin_expect(size == RTPS_SUB_HEADER, 0))
		size = room - used;
	s->flags = OPTSAMPLE_TAG_FIRST | OPTSAMPLE_TAG_LAST;
	if ((word & FAST_KIND) == FAST_FRAG) {
		if (fast_frag(p, &s->flags) || size < RTPS_SUB_MAX)
			return FAST_WALK;
	} else if ((word & FAST_KIND) != FAST_DATA || size < 24) {
		return FAST_WALK;
	}
	s->sn = (__u64)fast_u32(p + 16) << 32 | fast_u32(p + 20);
	name->writer.entity = bytes_word(p + 12);
	if ((__s64)s->sn <= 0 || used + size > room)
		return FAST_WALK;
	s->limit = payload + used;
	s->payload = s->limit + 8 + fast_u16(p + 6);
	s->limit += size;
	s->qos = word >> 8 & RTPS_FLAG_QOS;
	return fast_rest(p, end, size, used, here, room);
}

/**
 * fast_read - read a packet with one sample
 * @skb:	the packet, UDP
 * @payload:	offset of the UDP header
 * @name:	out: writer and port; other fields are not written
 * @s:		out
 */
static __always_inline enum fast fast_read(struct __sk_buff *skb,
					   __u32 payload,
					   struct ros_name *name,
					   struct fast_sample *s)
{
	const void *end = (void *)(long)skb->data_end;
	const __u8 *p = (void *)(long)skb->data + payload;
	/* from the UDP header on; 64 bit: no shifts */
	__u64 here = skb->len, room, used = FAST_HEADERS, word;
	__u32 *prefix = (__u32 *)name->writer.prefix;

	if ((const void *)(p + FAST_HEADERS + RTPS_SUB_MAX) > end)
		return fast_short(p, end);
	if (bytes_word(p + FAST_UDP) != bpf_htonl(RTPS_MAGIC))
		return fast_other(p + FAST_UDP);
	here -= payload;
	room = bpf_ntohs(*(const __u16 *)(p + 4));
	/* Another version; or padding, in which a sample may end */
	if (p[FAST_UDP + 4] != 2 || here > room || skb->gso_size)
		return FAST_WALK;
	name->dport = *(const __u16 *)(p + 2);
	prefix[0] = bytes_word(p + FAST_UDP + 8);
	prefix[1] = bytes_word(p + FAST_UDP + 12);
	prefix[2] = bytes_word(p + FAST_UDP + 16);
	p += FAST_HEADERS;
	word = fast_u32(p);
	if (word == FAST_DST) {
		/* From Cyclone this is a repair. */
		if (fast_u16(p - FAST_VENDOR_BACK) == FAST_CYCLONE)
			return FAST_WALK;
		p += FAST_DST_SIZE;
		used += FAST_DST_SIZE;
		if ((const void *)(p + RTPS_SUB_MAX) > end)
			return FAST_WALK;
		word = fast_u32(p);
	}
	s->time = 0;
	if ((word & FAST_TS_MASK) == FAST_TS) {
		if (!(word & RTPS_FLAG_NO_TIME << 8))
			s->time = rtps_time(p + RTPS_SUB_HEADER, 1);
		p += FAST_TS_SIZE;
		used += FAST_TS_SIZE;
		if ((const void *)(p + RTPS_SUB_MAX) > end)
			return FAST_WALK;
		word = fast_u32(p);
	}
	return fast_one(p, end, word, used, here, room, payload, name, s);
}

#endif
