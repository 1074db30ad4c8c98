/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * blob.h - bytes that are whole or nothing, with parity
 *
 * For what has no coarser form: odometry, commands, pictures that are
 * compressed already. The bytes are dealt out to rows, row by row to up to
 * BLOB_GROUPS groups, and each group gets parity rows (erasure.h): any @need of
 * its rows give it back. Without enough of them there is nothing; that is the
 * cliff that the other codecs avoid.
 *
 * Payload, little endian:
 *	u8	version << 4
 *	u8	group
 *	u8	groups
 *	u8	row of the group
 *	u8	rows that it takes
 *	u8	rows of each group
 *	u16	bytes of a row
 *	u32	bytes of all
 * and the row.
 */
#ifndef CODEC_CORE_BLOB_H
#define CODEC_CORE_BLOB_H

#include "codec/core/payload.h"

enum {
	BLOB_VERSION	= 1,
	BLOB_HEADER	= 12,
	BLOB_NEED	= 64,	/* rows of a group without parity, at most */
	BLOB_GROUPS	= 48,
	BLOB_ROW	= PAYLOAD_MAX - BLOB_HEADER,
	BLOB_MAX	= BLOB_GROUPS * BLOB_NEED * BLOB_ROW,
};

struct blob_encoder;

/* Return: to be freed with blob_encoder_destroy(), NULL: no memory. */
struct blob_encoder *blob_encoder_create(void);
void blob_encoder_destroy(struct blob_encoder *e);

/**
 * blob_encode() - datagrams of some bytes
 * @parity: rows for each row of data, 0 .. 31; rounded up for each group
 * @out: as many as it takes, groups by turns
 *
 * Return: 0, -EMSGSIZE: more than BLOB_MAX, -ENOSPC: too few slots, -EINVAL.
 */
int blob_encode(struct blob_encoder *e, const void *data, size_t len,
		double parity, struct payloads *out);

/**
 * blob_parity() - so much that all comes with a probability of 99 %
 * @len:	bytes
 * @loss:	of datagrams, 0 .. 1
 * @most:	parity that is to be had at most
 */
double blob_parity(size_t len, double loss, double most);

struct blob_decoder;

/**
 * blob_decoder_create() - of up to @max bytes
 *
 * Return: to be freed with blob_decoder_destroy(), NULL: no memory.
 */
struct blob_decoder *blob_decoder_create(size_t max);
void blob_decoder_destroy(struct blob_decoder *d);

/* Other bytes: forget what was added */
void blob_begin(struct blob_decoder *d);

/**
 * blob_add() - a payload
 *
 * Return: 0; -EEXIST: had that; -EINVAL: not such a payload; -EPROTO: of other
 * bytes; -EFBIG: of more than the decoder's. Nothing changed if not 0.
 */
int blob_add(struct blob_decoder *d, const void *payload, size_t len);

/**
 * blob_finish() - the bytes
 * @data: set to them, until blob_begin()
 *
 * Return: how many; -ENODATA: not enough came.
 */
long blob_finish(struct blob_decoder *d, const uint8_t **data);

#endif
