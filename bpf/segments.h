/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The datagrams of optsample-send (optsample/segment.h). The header has all
 * data for the tag and says whether to sample, so no map is looked up.
 */
#ifndef OPTSAMPLE_SEGMENTS_H
#define OPTSAMPLE_SEGMENTS_H

#include <linux/types.h>
#include <optsample/segment.h>
#include "bytes.h"
#include "ros_tag.h"

/* Stream and topic, as on the wire, take the place of a writer's GUID. */
static __always_inline void segment_guid(const struct optsample_segment *s,
					 struct ros_guid *guid)
{
	__builtin_memcpy(guid->prefix, &s->stream, 8);
	__builtin_memcpy(guid->prefix + 8, &s->topic, 4);
	guid->entity = ROS_ENTITY_SEGMENT;
}

/* @size: bytes of the datagram's payload, at least those of the header */
static __always_inline int segment_bad(const struct optsample_segment *s,
				       __u32 size)
{
	return s->header < sizeof(*s) || s->header > size ||
	       bytes_u16((const __u8 *)&s->index, 1) >=
	       bytes_u16((const __u8 *)&s->count, 1);
}

#endif
