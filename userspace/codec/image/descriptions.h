/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * descriptions.h - an embedded stream over datagrams: more of them give a
 * longer prefix
 *
 * Shared by the codecs of images: the levels of priority.h in a datagram's
 * header, and their rows. After the header each datagram has the columns of
 * each level.
 */
#ifndef CODEC_IMAGE_DESCRIPTIONS_H
#define CODEC_IMAGE_DESCRIPTIONS_H

#include <stdbool.h>
#include "codec/core/erasure.h"
#include "codec/core/payload.h"
#include "codec/image/priority.h"

enum {
	DESCRIPTIONS_LEVELS	= 6,	/* of protection: more gain nothing */
	DESCRIPTIONS_LEVEL	= 3,	/* bytes of a level in the header */
};

/**
 * descriptions_size() - number and size of datagrams for a budget
 * @bytes: of all payloads together
 * @header: bytes of each that are not the stream's
 * @count: gets the number
 * @size: gets the bytes of each for the stream
 *
 * Return: 0, -EMSGSIZE: too small for one, or too few slots.
 */
int descriptions_size(size_t bytes, unsigned int header,
		      const struct payloads *out, unsigned int *count,
		      unsigned int *size);

/**
 * descriptions_need() - the fewest datagrams that can hold a whole stream
 * @stream: its bytes
 * @least: lower limit of the result
 * @size: bytes of each that it may take; the rest is for prefixes, which show
 *	something if fewer arrive
 * @loss: expected loss, 0 .. 1; negative: unknown
 *
 * Return: their number; 0: more than are sure to arrive.
 */
unsigned int descriptions_need(size_t stream, unsigned int least,
			       unsigned int count, unsigned int size,
			       double loss);

/**
 * descriptions_most() - longest stream for descriptions_need(), bytes
 */
size_t descriptions_most(unsigned int count, unsigned int size, double loss);

/* Write levels to a header. Return: bytes */
size_t descriptions_put(const struct priority *p, uint8_t *to);

/**
 * descriptions_get() - read levels from a header
 * @p: @levels is their number
 *
 * Return: 0, -EINVAL: invalid for @count datagrams.
 */
int descriptions_get(struct priority *p, unsigned int count,
		     const uint8_t *from);

/**
 * descriptions_fill() - write the rows of a stream to datagrams
 * @stream: of priority_prefix() bytes for all datagrams
 * @header: bytes that are already there
 * @out: out->count datagrams; sets their lengths
 */
void descriptions_fill(struct erasure *e, const struct priority *p,
		       const uint8_t *stream, unsigned int header,
		       struct payloads *out);

/**
 * struct descriptions - received part of a frame
 */
struct descriptions {
	unsigned int	received;
	uint8_t		there[PRIORITY_DATAGRAMS];
	uint8_t		row[PRIORITY_DATAGRAMS][PAYLOAD_MAX];
};

void descriptions_begin(struct descriptions *d);

/* Return: 0, -EEXIST: a duplicate */
int descriptions_add(struct descriptions *d, unsigned int index,
		     const void *payload, size_t len);

/**
 * descriptions_gather() - the received prefix of the stream: complete levels,
 * and of the first incomplete one the rows of data up to the first missing one
 * @stream: gets it; priority_prefix() bytes for all datagrams, at most
 *
 * Return: its length, bytes.
 */
size_t descriptions_gather(struct descriptions *d, struct erasure *e,
			   const struct priority *p, unsigned int count,
			   unsigned int header, uint8_t *stream);

#endif
