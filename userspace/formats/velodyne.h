/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * velodyne.h - data packets of a VLP-16 to revolutions of ranges
 *
 * In: the 1206 bytes of each UDP datagram on the sensor's data port, of a
 * VLP-16, a Puck LITE or a Puck Hi-Res, strongest, last or dual return. Out:
 * one struct organised per turn, from azimuth 0 on.
 *
 * A lost packet leaves columns without returns, so that the columns stay evenly
 * spaced. Of two returns of a firing the farther one is kept: in smoke or dust
 * the nearer one is from particles in the air. The vertical offsets of the
 * lasers in the housing (up to 11 mm) are not corrected.
 */
#ifndef FORMATS_VELODYNE_H
#define FORMATS_VELODYNE_H

#include <stddef.h>
#include "codec/cloud/organised.h"

enum {
	VELODYNE_PACKET	= 1206,		/* bytes */
	VELODYNE_RINGS	= 16,
};

struct velodyne;

/**
 * velodyne_create() - a decoder for the packets of one sensor
 *
 * Return: it, or NULL when out of memory; velodyne_destroy() frees it.
 */
struct velodyne *velodyne_create(void);

void velodyne_destroy(struct velodyne *v);

/**
 * velodyne_add() - add the next packet
 * @packet: of @len bytes, as the sensor sent it
 * @out: the complete turn; its arrays are the decoder's and stay unchanged
 *	until the next call. Its @stamp is the sensor's clock: ns since the hour
 *	(of UTC where the sensor has GPS) in which its first packet was sent
 *
 * Packets before the first turn begins are ignored, as are late and repeated
 * ones.
 *
 * Format: VLP-16 User Manual, 63-9243 Rev. D, chapter 9.
 *
 * Return: 1 when a turn is complete, else 0; -EINVAL: an invalid packet.
 */
int velodyne_add(struct velodyne *v, const void *packet, size_t len,
		 struct organised *out);

#endif
