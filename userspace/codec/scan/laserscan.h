/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * laserscan.h - a planar laser scan of any number of beams, as datagrams that
 * are each decodable alone
 *
 * Beam i goes to datagram i mod K, so that each shows the whole field of view,
 * coarsely (SmokeBot D6.3, section 6.2: even and odd indexes). Ranges are
 * rounded to a resolution; values that are no range (infinite, NaN) are kept.
 * Intensities are optional, rounded to a step.
 *
 * Payload, little endian:
 *	u8	version << 4 | LASERSCAN_INTENSITY
 *	u8	datagrams, K
 *	u8	number of this one
 *	u8	0
 *	u16	beams
 *	u16	0
 *	f32	angle_min, angle_increment (rad), time_increment, scan_time (s),
 *		range_min, range_max, resolution (m), step of intensities
 * and the beams by the range coder.
 */
#ifndef CODEC_SCAN_LASERSCAN_H
#define CODEC_SCAN_LASERSCAN_H

#include <stdbool.h>
#include "codec/core/payload.h"

enum {
	LASERSCAN_VERSION = 1,
	LASERSCAN_INTENSITY = 1,
	LASERSCAN_HEADER = 40,
	LASERSCAN_BEAMS	= 65535,	/* at most */
	LASERSCAN_PARTS	= 255,
};

/**
 * struct laserscan - as sensor_msgs/LaserScan; the caller owns the arrays
 * @beams:	of @range and @intensity
 * @intensity:	NULL: none
 */
struct laserscan {
	unsigned int	beams;
	float		angle_min, angle_increment;
	float		time_increment, scan_time;
	float		range_min, range_max;
	float		*range, *intensity;
};

/**
 * struct laserscan_params - how to encode
 * @parts:	datagrams, at least; more if needed to fit
 * @resolution:	of ranges, m; made coarser if a range is more than 2^16 steps
 * @step:	of intensities, likewise
 */
struct laserscan_params {
	unsigned int	parts;
	float		resolution, step;
};

/**
 * laserscan_encode() - encode a scan to datagrams
 *
 * Return: 0; -EINVAL: an invalid number in @in or @params; -ENOSPC: @out has
 * too few slots.
 */
int laserscan_encode(const struct laserscan *in,
		     const struct laserscan_params *params,
		     struct payloads *out);

struct laserscan_decoder;

/**
 * laserscan_decoder_create() - a decoder of scans of up to @beams
 *
 * Return: free with laserscan_decoder_destroy(), NULL: no memory or too many
 * beams.
 */
struct laserscan_decoder *laserscan_decoder_create(unsigned int beams);
void laserscan_decoder_destroy(struct laserscan_decoder *d);

/* Start a scan: forget what was added */
void laserscan_begin(struct laserscan_decoder *d);

/**
 * laserscan_add() - add a payload of the scan
 *
 * Return: 0; -EEXIST: a duplicate; -EINVAL: not a valid payload; -EPROTO: of
 * another scan, or damaged; -EFBIG: more beams than the decoder's. After an
 * error nothing changed.
 */
int laserscan_add(struct laserscan_decoder *d, const void *payload, size_t len);

/**
 * laserscan_finish() - the scan so far; missing beams are NaN
 * @out: its arrays are the decoder's, valid until laserscan_begin()
 *
 * Return: 0, -ENODATA: nothing received.
 */
int laserscan_finish(struct laserscan_decoder *d, struct laserscan *out);

#endif
