/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * segment.h - the header of a segment, from a datagram
 */
#ifndef TRANSPORT_SEGMENT_H
#define TRANSPORT_SEGMENT_H

#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "codec/core/payload.h"

enum { SEGMENT_PORT = 7450 };		/* UDP, where the receiver listens */

/* The topic that is none: announcements and reports */
enum { SEGMENT_CONTROL = 0 };

/* Topics of a stream: the upper 16 bits of the wire's count outages */
static inline uint32_t segment_topic(const struct optsample_segment *s)
{
	return le32toh(s->topic) & 0xffff;
}

static inline uint16_t segment_epoch(const struct optsample_segment *s)
{
	return le32toh(s->topic) >> 16;
}

static inline unsigned int segment_codec(const struct optsample_segment *s)
{
	return s->flags >> OPTSAMPLE_SEGMENT_CODEC;
}

/**
 * segment_read() - the header of a datagram; the payload is behind s->header
 *
 * Return: 0, -EINVAL: it is none of ours.
 */
static inline int segment_read(struct optsample_segment *s, const void *data,
			       size_t len)
{
	if (len < sizeof(*s) || len > OPTSAMPLE_SEGMENT_MAX)
		return -EINVAL;
	memcpy(s, data, sizeof(*s));
	if (le32toh(s->magic) != OPTSAMPLE_SEGMENT_MAGIC ||
	    s->version != OPTSAMPLE_SEGMENT_VERSION ||
	    s->header < sizeof(*s) || s->header > len ||
	    le16toh(s->index) >= le16toh(s->count))
		return -EINVAL;
	return 0;
}

/**
 * segment_left() - how long after it the last one of its message leaves
 * @data: of the datagram whose header is @s
 *
 * Return: us, or -1: an older sender does not tell.
 */
static inline int64_t segment_left(const struct optsample_segment *s,
				   const void *data)
{
	struct optsample_segment_timed t;

	if (s->header < sizeof(t))
		return -1;
	memcpy(&t, data, sizeof(t));
	return le32toh(t.left);
}

/* What all segments begin with; the stream and the time come with sending */
static inline void segment_init(struct optsample_segment *s)
{
	*s = (struct optsample_segment){
		.magic = htole32(OPTSAMPLE_SEGMENT_MAGIC),
		.version = OPTSAMPLE_SEGMENT_VERSION,
		.header = sizeof(*s),
		.count = htole16(1),
	};
}

#endif
