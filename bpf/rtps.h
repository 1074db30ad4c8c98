/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RTPS, as far as a classifier needs it: the writer of a submessage, its sample
 * and source timestamp, and whether it has the beginning or end of the sample.
 *
 * Pure C on a few bytes that the caller has copied; the same code runs in
 * the BPF program and in user space tests. Nothing here follows a length
 * from the wire: offsets are returned, and the caller checks them.
 *
 * Source: OMG DDSI-RTPS 2.3, sections 8.3.7 and 9.4.5.
 */
#ifndef OPTSAMPLE_RTPS_H
#define OPTSAMPLE_RTPS_H

#include <linux/types.h>
#include "bytes.h"
#include "ros_tag.h"

enum {
	RTPS_MAGIC		= 0x52545053,	/* "RTPS" */
	RTPS_HEADER		= 20,	/* magic, version, vendor, prefix */
	RTPS_SUB_HEADER		= 4,
	RTPS_SUB_MAX		= 36,	/* DATA_FRAG up to its payload */
	RTPS_SUBMESSAGES	= 32,	/* read in one packet at most */
	RTPS_VENDOR_CYCLONE	= 0x10,	/* 0x0110, low byte */
	RTPS_VENDOR_FASTDDS	= 0x0f,	/* 0x010f */
	RTPS_NSEC		= 1000000000,
};

enum rtps_id {
	RTPS_PAD		= 0x01,
	RTPS_HEARTBEAT		= 0x07,
	RTPS_GAP		= 0x08,
	RTPS_INFO_TS		= 0x09,
	RTPS_INFO_SRC		= 0x0c,
	RTPS_INFO_DST		= 0x0e,
	RTPS_HEARTBEAT_FRAG	= 0x13,
	RTPS_DATA		= 0x15,
	RTPS_DATA_FRAG		= 0x16,
	RTPS_STATISTICS		= 0x80,	/* of Fast DDS */
	RTPS_SEC_FIRST		= 0x30,
	RTPS_SEC_LAST		= 0x34,
};

/* A built-in writer or one of the vendor's: the top bits of the last byte */
static __always_inline int rtps_entity_special(__u32 entity)
{
	__u8 b[4];

	__builtin_memcpy(b, &entity, sizeof(b));
	return b[3] & 0xc0;
}

enum {
	RTPS_FLAG_LITTLE	= 0x01,
	RTPS_FLAG_QOS		= 0x02,	/* DATA, DATA_FRAG: inline QoS */
	RTPS_FLAG_NO_TIME	= 0x02,	/* INFO_TS: what follows has none */
	RTPS_FLAG_DATA		= 0x04,	/* DATA: payload is a sample */
	RTPS_FLAG_FRAG_KEY	= 0x04,	/* DATA_FRAG: payload is a key */
	RTPS_FLAG_FINAL		= 0x02,	/* HEARTBEAT: needs no answer */
	RTPS_FLAG_ALIVE		= 0x04,	/* HEARTBEAT: asserts liveliness */
};

/* Bytes of a whole body */
enum {
	RTPS_HEARTBEAT_BODY	= 28,
	RTPS_HEARTBEAT_FRAG_BODY = 24,
	RTPS_INFO_DST_BODY	= 12,
};

enum rtps_kind {
	RTPS_KIND_OTHER,	/* not of a writer: skip it */
	RTPS_KIND_DIRECTED,	/* INFO_DST: what follows is for one reader */
	RTPS_KIND_TIME,		/* INFO_TS: when what follows was written */
	RTPS_KIND_CONTROL,	/* of a writer, but no sample */
	RTPS_KIND_SAMPLE,	/* a sample or a part of one */
	RTPS_KIND_STOP,		/* cannot be read from here on */
	RTPS_KIND_BAD,		/* breaks the format */
};

/**
 * struct rtps_sub - one submessage
 * @kind:	its kind
 * @size:	bytes to the next one; 0: it was the last
 * @first:	it has the beginning of the sample
 * @last:	it has the end of the sample
 * @reader:	it is for one reader
 * @beat:	it is a whole HEARTBEAT or HEARTBEAT_FRAG
 * @writer:	entity id, the four bytes as on the wire
 * @sn:		sequence number, from 1
 * @time:	ns since the epoch, 0: none
 * @payload:	of a sample: where its inline QoS or its payload begins, as
 *		offset from the submessage; may be beyond its end
 */
struct rtps_sub {
	enum rtps_kind	kind;
	__u32		size;
	__u8		first;
	__u8		last;
	__u8		reader;
	__u8		beat;
	__u32		writer;
	__u64		sn;
	__u64		time;
	__u32		payload;
};

/* Convert Time_t, seconds and 1/2^32 s, to ns; 0 if it is invalid */
static __always_inline __u64 rtps_time(const __u8 *p, int little)
{
	__u64 sec = bytes_u32(p, little), fraction = bytes_u32(p + 4, little);

	/* invalid and infinite are the largest numbers */
	if (sec >= 0x7fffffff)
		return 0;
	return sec * RTPS_NSEC + (fraction * RTPS_NSEC >> 32);
}

static __always_inline void rtps_sample(const __u8 *b, __u32 body,
					struct rtps_sub *s)
{
	int little = b[1] & RTPS_FLAG_LITTLE;
	__u64 start, end;
	__u32 size;

	s->reader = bytes_raw32(b + 8) != 0;
	s->writer = bytes_raw32(b + 12);
	s->sn = (__u64)bytes_u32(b + 16, little) << 32 |
		bytes_u32(b + 20, little);
	s->payload = 8 + bytes_u16(b + 6, little);
	s->kind = RTPS_KIND_BAD;
	if (!s->sn || s->sn >> 63)
		return;
	if (b[0] == RTPS_DATA) {
		if (body < 20)
			return;
		/* A dispose or unregister must arrive. */
		s->kind = b[1] & RTPS_FLAG_DATA ? RTPS_KIND_SAMPLE :
						  RTPS_KIND_CONTROL;
		s->first = 1;
		s->last = 1;
		return;
	}
	start = bytes_u32(b + 24, little);
	size = bytes_u32(b + 32, little);
	end = (start - 1 + bytes_u16(b + 28, little)) *
	      bytes_u16(b + 30, little);
	if (body < 32 || !start || !end || !size ||
	    (start - 1) * bytes_u16(b + 30, little) >= size)
		return;
	s->kind = b[1] & RTPS_FLAG_FRAG_KEY ? RTPS_KIND_CONTROL :
					      RTPS_KIND_SAMPLE;
	s->first = start == 1;
	s->last = end >= size;
}

static __always_inline int rtps_is_beat(__u8 id, __u32 body)
{
	return (id == RTPS_HEARTBEAT && body >= RTPS_HEARTBEAT_BODY) ||
	       (id == RTPS_HEARTBEAT_FRAG && body >= RTPS_HEARTBEAT_FRAG_BODY);
}

/*
 * Hash of a heartbeat's content, for ros_hash(): its kind, its reader, whether
 * that must answer; HEARTBEAT_FRAG: also the sample
 * @b:	a whole one, at a multiple of 4
 */
static __always_inline __u32 rtps_beat_hash(const __u8 *b)
{
	__u32 h = b[0] | (b[1] & (RTPS_FLAG_FINAL | RTPS_FLAG_ALIVE)) << 8;

	h = ros_hash(h, bytes_word(b + 4));
	if (b[0] == RTPS_HEARTBEAT)
		return h;
	h = ros_hash(h, bytes_word(b + 12));
	return ros_hash(h, bytes_word(b + 16));
}

/**
 * rtps_submessage - read one submessage
 * @b:		its first RTPS_SUB_MAX bytes, zeros where there are fewer
 * @room:	bytes from its start to the end of the UDP datagram, >= 4
 * @s:		out
 */
static __always_inline void rtps_submessage(const __u8 *b, __u32 room,
					    struct rtps_sub *s)
{
	__u32 body = bytes_u16(b + 2, b[1] & RTPS_FLAG_LITTLE);

	s->first = 0;
	s->last = 0;
	s->reader = 0;
	s->beat = 0;
	s->writer = 0;
	s->sn = 0;
	s->time = 0;
	s->payload = 0;
	s->size = RTPS_SUB_HEADER + body;
	if (!body && b[0] != RTPS_PAD && b[0] != RTPS_INFO_TS) {
		body = room - RTPS_SUB_HEADER;
		s->size = 0;
	} else if (s->size > room) {
		s->kind = RTPS_KIND_BAD;
		return;
	}
	switch (b[0]) {
	case RTPS_DATA:
	case RTPS_DATA_FRAG:
		rtps_sample(b, body, s);
		break;
	case RTPS_HEARTBEAT:
	case RTPS_HEARTBEAT_FRAG:
	case RTPS_GAP:
		s->writer = bytes_raw32(b + 8);
		s->kind = body < 8 ? RTPS_KIND_BAD : RTPS_KIND_CONTROL;
		s->beat = rtps_is_beat(b[0], body);
		break;
	case RTPS_INFO_DST:
		s->kind = RTPS_KIND_DIRECTED;
		break;
	case RTPS_INFO_TS:
		s->kind = RTPS_KIND_TIME;
		if (body >= 8 && !(b[1] & RTPS_FLAG_NO_TIME))
			s->time = rtps_time(b + 4, b[1] & RTPS_FLAG_LITTLE);
		break;
	case RTPS_INFO_SRC:
		/* Another participant from here on: a relay, not a writer */
		s->kind = RTPS_KIND_STOP;
		break;
	default:
		/* Encrypted: the writer cannot be read. */
		s->kind = b[0] >= RTPS_SEC_FIRST && b[0] <= RTPS_SEC_LAST ?
			  RTPS_KIND_STOP : RTPS_KIND_OTHER;
	}
}

#endif
