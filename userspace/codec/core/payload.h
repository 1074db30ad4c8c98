/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * payload.h - payloads of the datagrams of a frame, filled by an encoder
 *
 * A payload follows the header of a segment (optsample/segment.h); each is
 * decodable alone. The caller owns the memory and may leave room for that
 * header before each slot, so that nothing has to be copied.
 */
#ifndef CODEC_CORE_PAYLOAD_H
#define CODEC_CORE_PAYLOAD_H

#include <stddef.h>
#include <stdint.h>
#include "optsample/segment.h"

/* largest payload of a segment */
#define PAYLOAD_MAX	(OPTSAMPLE_SEGMENT_MAX - \
			 (int)sizeof(struct optsample_segment))

/**
 * struct payloads - slots for the payloads of one frame
 * @data:	of slot 0; slot i begins @stride * i bytes after it
 * @stride:	bytes from slot to slot, at least @size
 * @len:	bytes used of each slot, @max of them
 * @size:	most bytes of a payload
 * @max:	slots
 * @count:	slots in use: set by the encoder
 */
struct payloads {
	uint8_t		*data;
	size_t		stride;
	uint16_t	*len;
	unsigned int	size;
	unsigned int	max;
	unsigned int	count;
};

/**
 * payloads_create() - @max slots of PAYLOAD_MAX bytes
 *
 * Return: 0, free with payloads_destroy(), or -ENOMEM.
 */
int payloads_create(struct payloads *p, unsigned int max);
void payloads_destroy(struct payloads *p);

/* bytes of all payloads together */
size_t payloads_bytes(const struct payloads *p);

static inline uint8_t *payload_at(const struct payloads *p, unsigned int i)
{
	return p->data + p->stride * i;
}

#endif
