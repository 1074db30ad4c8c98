/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vscan_code.h - a pair of virtual scans as datagrams, each decodable alone
 *
 * In: the landmark and the obstacle scan of a revolution, in cm. Out: either
 * both scans complete in every datagram, so that any one is enough; or as in
 * D6.3, even bins in one and odd bins in the other, so that one shows every
 * direction at half the resolution. Scans that are too long for that, because
 * of noise, go in four or eight parts. All that arrives is exact to the cm.
 *
 * Format of a payload: version (4 bits) and the part, 2 the number of parts
 * (log 2); then for each bin of the part, for each scan, whether it is
 * non-empty, and its difference from the previous one, by a range coder.
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
 * vscan_encode() - encode a pair of scans
 * @parts: 1: all in each datagram, 2: even and odd bins; more if these do not
 *	fit
 * @copies: of each part
 * @out: gets parts * copies payloads, parts first. @out->size is at least
 *	VSCAN_PAYLOAD_MIN
 *
 * Return: 0; -EINVAL: @parts is neither, @copies is 0, or the slots are too
 * small or too few.
 */
int vscan_encode(const struct vscan_scans *in, unsigned int parts,
		 unsigned int copies, struct payloads *out);

/**
 * struct vscan_decoder - of a frame; owned by the caller, without pointers
 * @parts:	number of parts, 0 until one was received
 * @seen:	a bit for each
 */
struct vscan_decoder {
	unsigned int		parts, seen;
	struct vscan_scans	scans;
};

void vscan_begin(struct vscan_decoder *d);

/**
 * vscan_add() - add a payload
 *
 * Return: 0; -EEXIST: a duplicate; -EINVAL: invalid, -EPROTO: of scans in
 * another number of parts. After an error nothing changed.
 */
int vscan_add(struct vscan_decoder *d, const void *payload, size_t len);

/**
 * vscan_known() - whether the part of a bin was received
 */
static inline bool vscan_known(const struct vscan_decoder *d, unsigned int bin)
{
	return d->parts && d->seen >> bin % d->parts & 1;
}

/**
 * vscan_finish() - the scans so far: 0 also in bins that were not received
 *
 * Return: 0; -ENODATA: nothing received.
 */
int vscan_finish(const struct vscan_decoder *d, struct vscan_scans *out);

#endif
