/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vscan_code.h - a pair of virtual scans as datagrams, useful alone
 *
 * In: the landmark and the obstacle scan of a revolution, in cm. Out: either
 * both whole in every datagram, so that losing all but one loses nothing; or
 * as in D6.3, even bins in one and odd bins in the other, so that one shows
 * every direction at half the resolution. Scans that are too long for that,
 * of noise, go in four or eight parts. All that arrives is exact to the cm.
 *
 * Format of a payload: version (4 bits) and which part, 2 of how many (as a
 * power of 2); then of each scan, bin by bin of that part, whether there is
 * something, and its difference from the one before, by a range coder.
 *
 * Source: SmokeBot D6.3, section 6.2.
 */
#ifndef CODEC_SCAN_VSCAN_CODE_H
#define CODEC_SCAN_VSCAN_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include "codec/core/payload.h"
#include "codec/scan/vscan.h"

enum {
	VSCAN_PARTS_MAX	= 8,
	VSCAN_PAYLOAD_MIN = 1024,	/* bytes of a slot */
};

/**
 * vscan_encode() - code a pair of scans
 * @parts: 1 for all in each datagram, 2 for even and odd bins; more where
 *	these do not fit
 * @copies: of each part
 * @out: filled with parts * copies payloads, parts first. @out->size is at
 *	least VSCAN_PAYLOAD_MIN
 *
 * Return: 0; -EINVAL if @parts is neither, @copies is 0 or slots are too
 * small or few.
 */
int vscan_encode(const struct vscan_scans *in, unsigned int parts,
		 unsigned int copies, struct payloads *out);

/**
 * struct vscan_decoder - of a frame; the caller's, without pointers
 * @parts:	that there are, 0 until one came
 * @seen:	a bit of each
 */
struct vscan_decoder {
	unsigned int		parts, seen;
	struct vscan_scans	scans;
};

void vscan_begin(struct vscan_decoder *d);

/**
 * vscan_add() - take a payload
 *
 * Return: 0; -EEXIST if its part was there already; -EINVAL if it is broken,
 * -EPROTO if it is of scans in another number of parts: nothing has changed
 * then.
 */
int vscan_add(struct vscan_decoder *d, const void *payload, size_t len);

/**
 * vscan_known() - whether the part of a bin came
 */
static inline bool vscan_known(const struct vscan_decoder *d, unsigned int bin)
{
	return d->parts && d->seen >> bin % d->parts & 1;
}

/**
 * vscan_finish() - what came: 0 in bins of which nothing did, too
 *
 * Return: 0; -ENODATA if nothing came.
 */
int vscan_finish(const struct vscan_decoder *d, struct vscan_scans *out);

#endif
