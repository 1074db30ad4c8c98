/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cloud_parts.h - a cloud whose payloads come in any order, and the names of
 * its fields in their headers: what the decoders of clouds have in common
 *
 * Points are appended as payloads come; in the end they are put in the order
 * of the payloads' numbers.
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
 * @begun:	one was taken
 * @max:	payloads there may be, @count: there are
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

/* A new cloud: forget what was added */
void cloud_parts_begin(struct cloud_parts *p);

/* It comes in @count payloads, none of which was received yet */
void cloud_parts_expect(struct cloud_parts *p, unsigned int count);

static inline bool cloud_parts_has(const struct cloud_parts *p, unsigned int i)
{
	return p->begun && p->span[i].received;
}

/* All points of the cloud from @begin on are those of payload @i */
void cloud_parts_take(struct cloud_parts *p, unsigned int i,
		      unsigned int begin);

/**
 * cloud_parts_finish() - the points that are there, payload by payload
 *
 * Return: 0, or -ENOSPC if @out is too small: it is empty then.
 */
int cloud_parts_finish(const struct cloud_parts *p, struct cloud *out);

/**
 * cloud_put_name() - type and name of a field: type, 4 bits; bytes of the name
 * less 1, 12 bits; the name
 *
 * Return: bytes, CLOUD_NAME_HEADER and those of the name.
 */
unsigned int cloud_put_name(const struct cloud_field *f, uint8_t *to);

/**
 * cloud_get_name() - add a field to @c as cloud_put_name() has written it
 *
 * Return: bytes; -EPROTO if it is broken.
 */
int cloud_get_name(struct cloud *c, const uint8_t *from, size_t len);

#endif
