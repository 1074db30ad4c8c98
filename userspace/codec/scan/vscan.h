/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vscan.h - virtual 2D scans of a revolution of a 3D lidar
 *
 * In: ranges, ring by column, the sensor's height and attitude. Out: two scans
 * of 720 directions. The landmark scan, for localisation, has the most distant
 * planar, vertical surface of each direction; the obstacle scan, for driving,
 * the nearest thing that stands out of the ground and is not higher than the
 * robot.
 *
 * A column is followed outwards from the robot: points that continue the ground
 * so far, neither steeper than a ramp nor the foot of something upright, are
 * ground. Points that are neither ground nor above the ceiling's height are
 * objects. An object is planar if another one is above or below it at the same
 * distance, and if it lies between its neighbours to the left and right as on
 * a plane.
 *
 * Limits: between two rings on the ground a step looks like a ramp, unless a
 * ring hits its face; a drop behind an edge is unknown, not an obstacle.
 * Columns must be about evenly spaced.
 *
 * Method: O. Wulf, Virtuelle 2D-Scans (2008), by SmokeBot D6.3 section 6.2.
 */
#ifndef CODEC_SCAN_VSCAN_H
#define CODEC_SCAN_VSCAN_H

#include <stdint.h>
#include "codec/cloud/organised.h"

/*
 * Directions, 0.5 degree each, counter-clockwise as in a LaserScan: bin i
 * begins at -180 + i/2 degrees, and 0 is the azimuth 0 of the sensor
 */
enum { VSCAN_BINS = 720 };

/**
 * struct vscan_params - metres and radians
 * @height:	of the sensor over the ground
 * @robot:	height of the robot, with its clearance above
 * @roll, @pitch: of the sensor, for a frame with x along azimuth 0, y to the
 *		left and z up; undone, to get level points
 * @gate:	nearer points are of the robot itself
 * @box:	likewise points within x: from, to; y: from, to, relative to the
 *		sensor; none if from equals to
 * @band, @band_slope: ground is within band + band_slope * distance of the
 *		height of the previous ground
 * @slope, @step: and within slope * distance to that + step
 * @ceiling:	higher points are no objects
 * @upright, @upright_slope: points above each other are at the same distance
 *		within upright + upright_slope * distance
 * @straight:	deviation from a straight line
 * @clearance:	height over the ground up to which nothing is an obstacle
 */
struct vscan_params {
	float	height, robot;
	float	roll, pitch;
	float	gate, box[4];
	float	band, band_slope, slope, step;
	float	ceiling;
	float	upright, upright_slope, straight;
	float	clearance;
};

#define VSCAN_DEFAULTS {						\
	.height = 0.6f, .robot = 1.2f, .gate = 0.4f,			\
	.band = 0.12f, .band_slope = 0.03f,				\
	.slope = 0.21255656f, .step = 0.03f,	/* tan(12 degrees) */	\
	.ceiling = 2.2f, .upright = 0.08f, .upright_slope = 0.02f,	\
	.straight = 0.04f, .clearance = 0.05f,				\
}

/**
 * struct vscan_scans - distances in cm, rounded; 0: nothing
 */
struct vscan_scans {
	uint16_t landmark[VSCAN_BINS];
	uint16_t obstacle[VSCAN_BINS];
};

struct vscan;

/**
 * vscan_create() - working memory
 * @max_rings, @max_columns: up to ORGANISED_RINGS, ORGANISED_COLUMNS
 *
 * Return: NULL: no memory or wrong sizes; free with vscan_destroy().
 */
struct vscan *vscan_create(unsigned int max_rings, unsigned int max_columns);

void vscan_destroy(struct vscan *v);

/**
 * vscan_make() - the scans of a revolution
 *
 * Return: 0; -EINVAL: more rings or columns than the maximum, or fewer than 16
 * columns.
 */
int vscan_make(struct vscan *v, const struct organised *in,
	       const struct vscan_params *params, struct vscan_scans *out);

/**
 * vscan_make_ref() - the same scans, point by point; for tests
 */
int vscan_make_ref(const struct organised *in,
		   const struct vscan_params *params,
		   struct vscan_scans *out);

#endif
