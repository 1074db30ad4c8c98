/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * segment.h - read and write the header of a segment
 */
#ifndef TRANSPORT_SEGMENT_H
#define TRANSPORT_SEGMENT_H

#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include "codec/core/payload.h"

enum { SEGMENT_PORT = 7450 };		/* UDP, where the receiver listens */

/* Topic number of announcements and reports */
enum { SEGMENT_CONTROL = 0 };

/* Number of a topic; the upper 16 bits on the wire count outages */
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
 * segment_read() - read the header of a datagram; the payload follows s->header
 *
 * Return: 0, -EINVAL: not a segment.
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
 * segment_left() - time until the last segment of its message is sent
 * @data: of the datagram whose header is @s
 *
 * Return: us, or -1: unknown, from an older sender.
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

/* Common fields of all segments; stream and time are set when sending */
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
