/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * carmen_laser.h - what a FLASER of a CARMEN log does not say about its laser
 */
#ifndef LASER_CARMEN_LASER_H
#define LASER_CARMEN_LASER_H

#include <stdint.h>
#include "laser/reading.h"

/**
 * carmen_angles() - the angles of the beams of a laser
 * @fov, @resolution: of PARAMs, degrees; 0: unknown. They are only used if they
 *	fit the number of beams
 *
 * Otherwise as in CARMEN: half a turn ahead, and 180 and 360 beams (as any
 * whole number of steps in it) end one step before its end.
 */
void carmen_angles(struct reading *r, double fov, double resolution);

/*
 * Ranges of the same size, to a part in 128 or better, by the upper bits of
 * their float
 */
enum { CARMEN_PEAK_SHIFT = 16, CARMEN_PEAK_BINS = 1 << 15 };

/**
 * struct carmen_peak - all ranges of a log
 * @bin:	histogram by size
 * @most:	the largest range
 * @usual:	the range of more than half of the beams, if there is one;
 *		@votes: its lead (Boyer and Moore's majority vote)
 */
struct carmen_peak {
	uint64_t	beams;
	uint32_t	bin[CARMEN_PEAK_BINS];
	float		most[CARMEN_PEAK_BINS];
	float		usual[CARMEN_PEAK_BINS];
	uint32_t	votes[CARMEN_PEAK_BINS];
};

void carmen_peak_add(struct carmen_peak *p, const float *range,
		     unsigned int count);

/**
 * carmen_peak_range() - the smallest range that means "no hit"
 *
 * Without a hit a laser reports its largest range, or one of some codes just
 * below it: the largest value is frequent, and values just below it are rare.
 *
 * There may be several codes, the next one some percent lower: the same range
 * hundreds of times, and nothing else near it.
 *
 * Return: m, just below the lowest of these; without such a peak just above the
 * largest range: all beams hit.
 */
float carmen_peak_range(const struct carmen_peak *p);

#endif
