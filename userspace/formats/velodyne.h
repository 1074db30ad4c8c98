/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * velodyne.h - data packets of a VLP-16 into revolutions of ranges
 *
 * In: the 1206 bytes of each UDP datagram on the sensor's data port, of a
 * VLP-16, a Puck LITE or a Puck Hi-Res, strongest, last or dual return. Out:
 * one struct organised per turn, from azimuth 0 on.
 *
 * A lost packet leaves columns without returns, so that the columns stay as
 * evenly spaced as the sensor fired. Of two returns of a firing the farther
 * is kept: in smoke or dust the nearer one is what floats in the air. The
 * lasers' vertical offsets in the housing (up to 11 mm) are not corrected.
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
 * velodyne_add() - take the next packet
 * @packet: of @len bytes, as the sensor sent it
 * @out: the turn that became complete; its arrays are the decoder's and stay
 *	as they are until the next call. Its @stamp is the sensor's clock: ns
 *	since the hour (of UTC where the sensor has GPS) in which its first
 *	packet was sent
 *
 * What comes before the first turn begins is left out. A packet that is late,
 * or was there before, is ignored.
 *
 * Format: VLP-16 User Manual, 63-9243 Rev. D, chapter 9.
 *
 * Return: 1 when a turn became complete, else 0; -EINVAL if this is no such
 * packet.
 */
int velodyne_add(struct velodyne *v, const void *packet, size_t len,
		 struct organised *out);

#endif
