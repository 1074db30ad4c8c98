/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * descriptions.h - an embedded stream over datagrams, any k of which give a
 * prefix of it, the longer the larger k is
 *
 * What the codecs of images have in common: the levels of priority.h in a
 * datagram's header, and their rows. Behind the header each datagram has the
 * columns of each level.
 */
#ifndef CODEC_IMAGE_DESCRIPTIONS_H
#define CODEC_IMAGE_DESCRIPTIONS_H

#include <stdbool.h>
#include "codec/core/erasure.h"
#include "codec/core/payload.h"
#include "codec/image/priority.h"

enum {
	DESCRIPTIONS_LEVELS	= 6,	/* of protection: more gain nothing */
	DESCRIPTIONS_LEVEL	= 3,	/* bytes of one in the header */
};

/**
 * descriptions_size() - how many datagrams a budget is, and how large
 * @bytes: of all payloads together
 * @header: bytes of each that are not the stream's
 * @count: gets how many
 * @size: gets what each has for the stream
 *
 * Return: 0, -EMSGSIZE: it is too small for one, or there are too few slots.
 */
int descriptions_size(size_t bytes, unsigned int header,
		      const struct payloads *out, unsigned int *count,
		      unsigned int *size);

/**
 * descriptions_need() - the fewest datagrams that can hold all of a stream
 * @stream: its bytes
 * @least: fewer than that are not asked for
 * @size: bytes of each that it may take; what is left goes to prefixes, which
 *	show something if fewer come
 * @loss: that is expected, 0 .. 1; negative: not known
 *
 * Return: how many; 0: more than are sure to come.
 */
unsigned int descriptions_need(size_t stream, unsigned int least,
			       unsigned int count, unsigned int size,
			       double loss);

/**
 * descriptions_most() - bytes of the longest stream that it finds a number for
 */
size_t descriptions_most(unsigned int count, unsigned int size, double loss);

/* levels into a header. Return: bytes */
size_t descriptions_put(const struct priority *p, uint8_t *to);

/**
 * descriptions_get() - levels from a header
 * @p: whose levels says how many
 *
 * Return: 0, -EINVAL: none that @count datagrams can have.
 */
int descriptions_get(struct priority *p, unsigned int count,
		     const uint8_t *from);

/**
 * descriptions_fill() - the rows of a stream into datagrams
 * @stream: as many bytes as priority_prefix() of all
 * @header: bytes that are there already
 * @out: as many as out->count; their lengths are set
 */
void descriptions_fill(struct erasure *e, const struct priority *p,
		       const uint8_t *stream, unsigned int header,
		       struct payloads *out);

/**
 * struct descriptions - what came of a frame
 */
struct descriptions {
	unsigned int	received;
	uint8_t		there[PRIORITY_DATAGRAMS];
	uint8_t		row[PRIORITY_DATAGRAMS][PAYLOAD_MAX];
};

void descriptions_begin(struct descriptions *d);

/* Return: 0, -EEXIST: had that */
int descriptions_add(struct descriptions *d, unsigned int index,
		     const void *payload, size_t len);

/**
 * descriptions_gather() - the stream as far as it is there: whole levels, and
 * of the first level that is not, the rows of data up to the first missing one
 * @stream: gets priority_prefix() of all bytes at most
 *
 * Return: bytes.
 */
size_t descriptions_gather(struct descriptions *d, struct erasure *e,
			   const struct priority *p, unsigned int count,
			   unsigned int header, uint8_t *stream);

#endif
