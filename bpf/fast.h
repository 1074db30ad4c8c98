/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The short way through RTPS: packets with one submessage that counts.
 *
 * A writer sends DATA or DATA_FRAG, often behind an INFO_TS, sometimes with
 * a heartbeat behind it, little endian, and all that has to be read is in
 * the linear part. Nearly every packet is like that and is read where it
 * lies. What is different in any way, or broken, is not judged here: the
 * walk over all submessages (rtps.h) does it, and what is accepted here it
 * accepts in the same way (tests/bpf compares the two).
 */
#ifndef OPTSAMPLE_FAST_H
#define OPTSAMPLE_FAST_H

#include <optsample/tag.h>
#include "parse.h"
#include "ros_tag.h"
#include "rtps.h"

enum {
	FAST_UDP	= 8,
	FAST_HEADERS	= FAST_UDP + RTPS_HEADER,
	FAST_TS_SIZE	= 12,
	FAST_SIZE_MAX	= 0x4000,	/* to look behind a submessage */
	/* first word of a submessage: id, flags, length */
	FAST_KIND	= 0x05ff,
	FAST_DATA	= RTPS_DATA | (RTPS_FLAG_LITTLE | RTPS_FLAG_DATA) << 8,
	FAST_FRAG	= RTPS_DATA_FRAG | RTPS_FLAG_LITTLE << 8,
	FAST_TS_MASK	= 0xffff01ff,
	FAST_TS		= RTPS_INFO_TS | RTPS_FLAG_LITTLE << 8 | 8 << 16,
};

enum fast {
	FAST_WALK,	/* not for here */
	FAST_OTHER,	/* not RTPS */
	FAST_ONE,	/* the only sample of the packet */
	FAST_TRAILER,	/* the same, but a heartbeat follows */
};

/*
 * All is on a multiple of 4 behind the IP header, which is where the driver
 * put it. Byte by byte otherwise: the compiler does not know.
 */
static __always_inline __u32 fast_u32(const void *p)
{
	return rtps_u32(__builtin_assume_aligned(p, 4), 1);
}

static __always_inline __u32 fast_u16(const void *p)
{
	return rtps_u16(__builtin_assume_aligned(p, 2), 1);
}

/* Bytes as they are */
static __always_inline __u32 fast_raw32(const void *p)
{
	return rtps_raw32(__builtin_assume_aligned(p, 4));
}

/*
 * What is behind the sample at @p, of @size bytes?
 * @here:	bytes from @p to the end of the packet, and
 * @room:	of the datagram
 */
static __always_inline enum fast fast_rest(const __u8 *p, const void *end,
					   __u64 size, __u64 here, __u64 room)
{
	__u64 word, next;

	if (size + RTPS_SUB_HEADER > here)
		return FAST_ONE;
	barrier_var(size);	/* what is compared is what is added */
	if (size > FAST_SIZE_MAX)
		return FAST_WALK;
	p += size;
	if ((const void *)(p + RTPS_SUB_HEADER) > end)
		return FAST_WALK;
	word = fast_u32(p);
	next = RTPS_SUB_HEADER + (word >> 16);
	word &= 0xff | RTPS_FLAG_LITTLE << 8;
	if (word != (RTPS_HEARTBEAT | RTPS_FLAG_LITTLE << 8) &&
	    word != (RTPS_HEARTBEAT_FRAG | RTPS_FLAG_LITTLE << 8))
		return FAST_WALK;
	return next >= 12 && size + next <= room &&
	       size + next + RTPS_SUB_HEADER > here ? FAST_TRAILER : FAST_WALK;
}

/* Return: flags of the tag for the DATA_FRAG at @p, negative: broken */
static __always_inline int fast_frag(const __u8 *p)
{
	__u64 start = fast_u32(p + 24);
	__u32 size = fast_u32(p + 32);
	__u32 each = fast_u16(p + 30);
	__u64 begin = (start - 1) * each;
	__u64 end = begin + fast_u16(p + 28) * each;

	if (!start || !end || begin >= size)
		return -1;
	return (start == 1 ? OPTSAMPLE_TAG_FIRST : 0) |
	       (end >= size ? OPTSAMPLE_TAG_LAST : 0);
}

/**
 * fast_read - read a packet with one sample
 * @skb:	the packet, IPv4 and UDP, with
 * @payload:	offset of the UDP header
 * @key:	out: writer and port; the rest is left alone
 * @sn:		out: sequence number
 * @flags:	out: OPTSAMPLE_TAG_FIRST and LAST
 */
static __always_inline enum fast fast_read(struct __sk_buff *skb,
					   __u32 payload, struct ros_flow *key,
					   __u64 *sn, __u32 *flags)
{
	const void *end = (void *)(long)skb->data_end;
	const __u8 *p = (void *)(long)skb->data + payload;
	__u64 here = skb->len, room, size, word;	/* no shifts: 64 bit */
	int fl = OPTSAMPLE_TAG_FIRST | OPTSAMPLE_TAG_LAST;
	__u32 *prefix = (__u32 *)key->writer.prefix;

	if ((const void *)(p + FAST_HEADERS + RTPS_SUB_MAX) > end)
		return FAST_WALK;
	if (fast_raw32(p + FAST_UDP) != bpf_htonl(RTPS_MAGIC))
		return FAST_OTHER;
	here -= payload;
	room = bpf_ntohs(*(const __u16 *)(p + 4));
	/* Of another version; or with padding, and a sample may end in it */
	if (p[FAST_UDP + 4] != 2 || here > room || skb->gso_size)
		return FAST_WALK;
	key->dport = *(const __u16 *)(p + 2);
	prefix[0] = fast_raw32(p + FAST_UDP + 8);
	prefix[1] = fast_raw32(p + FAST_UDP + 12);
	prefix[2] = fast_raw32(p + FAST_UDP + 16);
	p += FAST_HEADERS;
	here -= FAST_HEADERS;
	room -= FAST_HEADERS;
	word = fast_u32(p);
	if ((word & FAST_TS_MASK) == FAST_TS) {
		p += FAST_TS_SIZE;
		here -= FAST_TS_SIZE;
		room -= FAST_TS_SIZE;
		if ((const void *)(p + RTPS_SUB_MAX) > end)
			return FAST_WALK;
		word = fast_u32(p);
	}
	/* Length 0: to the end, which is RTPS_SUB_MAX away at least. */
	size = word >> 16 ? RTPS_SUB_HEADER + (word >> 16) : room;
	if ((word & FAST_KIND) == FAST_FRAG) {
		fl = fast_frag(p);
		if (fl < 0 || size < RTPS_SUB_MAX)
			return FAST_WALK;
	} else if ((word & FAST_KIND) != FAST_DATA || size < 24) {
		return FAST_WALK;
	}
	*flags = fl;
	*sn = (__u64)fast_u32(p + 16) << 32 | fast_u32(p + 20);
	key->writer.entity = fast_raw32(p + 12);
	if ((__s64)*sn <= 0 || size > room)
		return FAST_WALK;
	return fast_rest(p, end, size, here, room);
}

#endif
