/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cloud_parts.h - a cloud from payloads in any order, and the names of fields
 * in their headers: shared by the decoders of clouds
 *
 * Points are appended in the order of arrival; at the end they are put in the
 * order of the payloads' numbers.
 */
#ifndef CODEC_CLOUD_CLOUD_PARTS_H
#define CODEC_CLOUD_CLOUD_PARTS_H

#include "codec/cloud/cloud.h"

enum {
	CLOUD_PARTS_MAX	= 65535,
	CLOUD_NAME_HEADER = 2,		/* bytes before a name */
};

/**
 * struct cloud_parts - payloads of a cloud
 * @begun:	a payload was added
 * @max:	limit of payloads; @count: their number in this cloud
 * @span:	[number of a payload]: its points in @cloud
 */
struct cloud_parts {
	bool		begun;
	unsigned int	max, count;
	struct cloud_span {
		uint32_t	begin, count;
		bool	received;
	} *span;
	struct cloud	*cloud;
};

/* Return: 0 or -ENOMEM. Free it with cloud_parts_destroy() in either case */
int cloud_parts_create(struct cloud_parts *p, unsigned int points,
		       unsigned int parts);
void cloud_parts_destroy(struct cloud_parts *p);

/* Start a cloud: forget what was added */
void cloud_parts_begin(struct cloud_parts *p);

/* The cloud has @count payloads; none has been received yet */
void cloud_parts_expect(struct cloud_parts *p, unsigned int count);

static inline bool cloud_parts_has(const struct cloud_parts *p, unsigned int i)
{
	return p->begun && p->span[i].received;
}

/* The points from @begin on are those of payload @i */
void cloud_parts_take(struct cloud_parts *p, unsigned int i,
		      unsigned int begin);

/**
 * cloud_parts_finish() - the received points, payload by payload
 *
 * Return: 0, or -ENOSPC: @out is too small, and is empty.
 */
int cloud_parts_finish(const struct cloud_parts *p, struct cloud *out);

/**
 * cloud_put_name() - type and name of a field: type, 4 bits; bytes of the name
 * less 1, 12 bits; the name
 *
 * Return: bytes written.
 */
unsigned int cloud_put_name(const struct cloud_field *f, uint8_t *to);

/**
 * cloud_get_name() - add a field to @c, from cloud_put_name()
 *
 * Return: bytes read; -EPROTO: invalid.
 */
int cloud_get_name(struct cloud *c, const uint8_t *from, size_t len);

#endif
