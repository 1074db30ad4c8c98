/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * blob.h - all-or-nothing bytes, with parity
 *
 * For data without a coarser form: odometry, commands, compressed images. The
 * bytes are split into rows, which go in turn to up to BLOB_GROUPS groups. Each
 * group gets parity rows (erasure.h): any @need of its rows restore it. With
 * fewer nothing is restored; the other codecs avoid that cliff.
 *
 * Payload, little endian:
 *	u8	version << 4
 *	u8	group
 *	u8	groups
 *	u8	row of the group
 *	u8	rows needed
 *	u8	rows of each group
 *	u16	bytes of a row
 *	u32	bytes in total
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

/* Return: free with blob_encoder_destroy(), NULL: no memory. */
struct blob_encoder *blob_encoder_create(void);
void blob_encoder_destroy(struct blob_encoder *e);

/**
 * blob_encode() - encode bytes to datagrams
 * @parity: parity rows for each row of data, 0 .. 31; rounded up per group
 * @out: gets the datagrams, of all groups in turn
 *
 * Return: 0, -EMSGSIZE: more than BLOB_MAX, -ENOSPC: too few slots, -EINVAL.
 */
int blob_encode(struct blob_encoder *e, const void *data, size_t len,
		double parity, struct payloads *out);

/**
 * blob_parity() - parity for delivery with a probability of 99 %
 * @len:	bytes
 * @loss:	of datagrams, 0 .. 1
 * @most:	upper limit of the parity
 */
double blob_parity(size_t len, double loss, double most);

struct blob_decoder;

/**
 * blob_decoder_create() - a decoder of up to @max bytes
 *
 * Return: free with blob_decoder_destroy(), NULL: no memory.
 */
struct blob_decoder *blob_decoder_create(size_t max);
void blob_decoder_destroy(struct blob_decoder *d);

/* Restart: forget what was added */
void blob_begin(struct blob_decoder *d);

/**
 * blob_add() - add a payload
 *
 * Return: 0; -EEXIST: a duplicate; -EINVAL: not a valid payload; -EPROTO: of
 * other bytes; -EFBIG: more bytes than @max; -ENOMEM. After an error nothing
 * changed.
 */
int blob_add(struct blob_decoder *d, const void *payload, size_t len);

/**
 * blob_finish() - the decoded bytes
 * @data: points to them, valid until blob_begin()
 *
 * Return: number of bytes; -ENODATA: not enough payloads.
 */
long blob_finish(struct blob_decoder *d, const uint8_t **data);

#endif
