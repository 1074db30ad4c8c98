/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * laserscan.h - a planar laser scan of any number of beams, as datagrams that
 * are each useful alone
 *
 * Beam i goes to datagram i mod K, so that each shows the whole field of view,
 * coarsely (SmokeBot D6.3, section 6.2: even and odd indexes). Ranges are
 * rounded to a resolution; what is no range (infinite, NaN) stays what it was.
 * Intensities come along, rounded to a step, if they are asked for.
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
 * and what the range coder makes of its beams.
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
 * struct laserscan - as sensor_msgs/LaserScan has it; the caller's arrays
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
 * @parts:	datagrams, at least; as many more as are needed to fit
 * @resolution:	of ranges, m; such that none is beyond 2^16 of it, otherwise
 *		it is that one
 * @step:	of intensities, likewise
 */
struct laserscan_params {
	unsigned int	parts;
	float		resolution, step;
};

/**
 * laserscan_encode() - datagrams of a scan
 *
 * Return: 0; -EINVAL if a number of @in or @params cannot be; -ENOSPC if @out
 * has too few slots.
 */
int laserscan_encode(const struct laserscan *in,
		     const struct laserscan_params *params,
		     struct payloads *out);

struct laserscan_decoder;

/**
 * laserscan_decoder_create() - a decoder of scans of up to @beams
 *
 * Return: to be freed with laserscan_decoder_destroy(), NULL: no memory or
 * too many.
 */
struct laserscan_decoder *laserscan_decoder_create(unsigned int beams);
void laserscan_decoder_destroy(struct laserscan_decoder *d);

/* A new scan: forget what was added */
void laserscan_begin(struct laserscan_decoder *d);

/**
 * laserscan_add() - a payload of the scan
 *
 * Return: 0; -EEXIST: had that; -EINVAL: not such a payload; -EPROTO: not of
 * this scan, or broken; -EFBIG: of more beams than the decoder's. Nothing
 * changed if not 0.
 */
int laserscan_add(struct laserscan_decoder *d, const void *payload, size_t len);

/**
 * laserscan_finish() - what came; beams that did not are NaN
 * @out: its arrays are the decoder's and stay until laserscan_begin()
 *
 * Return: 0, -ENODATA: nothing came.
 */
int laserscan_finish(struct laserscan_decoder *d, struct laserscan *out);

#endif
