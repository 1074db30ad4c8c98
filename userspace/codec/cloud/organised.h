/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * organised.h - one revolution of a spinning lidar: ring by column
 *
 * The order of measurement, which makes ranges predictable (rangeimage.h) and
 * columns vertical (vscan.h).
 */
#ifndef CODEC_CLOUD_ORGANISED_H
#define CODEC_CLOUD_ORGANISED_H

#include <stdint.h>

enum {
	ORGANISED_RINGS	= 128,		/* at most */
	ORGANISED_COLUMNS = 4096,
};

/**
 * struct organised - ranges of a revolution; the caller owns the arrays
 * @rings:	lowest elevation first
 * @columns:	in the order of measurement
 * @unit:	metres per count of @range, e.g. 0.002
 * @range:	[ring * columns + column], 0: no return
 * @intensity:	likewise
 * @azimuth:	[column], 1/100 degree, clockwise from the y axis as Velodyne
 *		counts, of ring 0
 * @elevation:	[ring], 1/100 degree
 * @advance:	[ring], 1/100 degree: the azimuth of a ring is this much ahead
 *		of @azimuth, as it is measured later
 * @stamp:	of the first column, ns since the epoch or of the recording
 */
struct organised {
	unsigned int	rings, columns;
	float		unit;
	uint16_t	*range;
	uint8_t		*intensity;
	uint16_t	*azimuth;
	int16_t		elevation[ORGANISED_RINGS];
	float		advance[ORGANISED_RINGS];
	uint64_t	stamp;
};

#endif
