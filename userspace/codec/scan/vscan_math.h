/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vscan_math.h - shared by vscan.c and its reference
 */
#ifndef CODEC_SCAN_VSCAN_MATH_H
#define CODEC_SCAN_VSCAN_MATH_H

#include <math.h>
#include <stdbool.h>
#include "codec/scan/vscan.h"

enum {
	VSCAN_COLUMNS_MIN = 16,
	/* distance of the neighbours in the test of straightness, columns */
	VSCAN_SPAN	= 3,
	VSCAN_SPAN_FAR	= 6,
};

/* A step steeper than this, 2 : 1, is the foot of an object */
#define VSCAN_FOOT	0.5f

/**
 * struct vscan_level - rotates points to level
 * @tilted: else rotation is not needed
 */
struct vscan_level {
	bool	tilted;
	float	xx, xy, xz, yy, yz, zx, zy, zz;
};

static inline struct vscan_level vscan_level(const struct vscan_params *p)
{
	float cr = cosf(p->roll), sr = sinf(p->roll);
	float cp = cosf(p->pitch), sp = sinf(p->pitch);

	return (struct vscan_level){
		.tilted = p->roll != 0 || p->pitch != 0,
		.xx = cp, .xy = sp * sr, .xz = sp * cr,
		.yy = cr, .yz = -sr,
		.zx = -sp, .zy = cp * sr, .zz = cp * cr,
	};
}

/* 1 / (2 cos(k d)), with the mean distance d between columns */
static inline float vscan_spread(const struct organised *in, int k)
{
	float turn = (float)(in->azimuth[in->columns - 1] - in->azimuth[0]);
	float d = turn / (in->columns - 1) * (float)(M_PI / 18000);

	return 0.5f / cosf(k * d);
}

/* Mean of the rings, 1/100 degree: one angle is precise enough for a column */
static inline float vscan_advance(const struct organised *in)
{
	float sum = 0;

	for (unsigned int r = 0; r < in->rings; r++)
		sum += in->advance[r];
	return sum / in->rings;
}

static inline float vscan_azimuth(const struct organised *in, unsigned int c,
				  float advance)
{
	return (in->azimuth[c] + advance) * (float)(M_PI / 18000);
}

/* Bin of an @angle of a LaserScan, rad */
static inline int vscan_bin(float angle)
{
	float bin = floorf((angle + (float)M_PI) *
			   (float)(VSCAN_BINS / (2 * M_PI)));

	/* also for invalid input */
	if (!(fabsf(bin) <= 2 * VSCAN_BINS))
		return 0;
	return ((int)bin + 2 * VSCAN_BINS) % VSCAN_BINS;
}

/* Abramowitz & Stegun, 4.4.49: within 1e-5 rad for 0 to 1 */
#define ATAN_1	0.9998660f
#define ATAN_3	-0.3302995f
#define ATAN_5	0.1801410f
#define ATAN_7	-0.0851330f
#define ATAN_9	0.0208351f

static inline float vscan_atan2(float y, float x)
{
	float ax = fabsf(x), ay = fabsf(y);
	float t = ax > ay ? ay / ax : ay > 0 ? ax / ay : 0, s = t * t;
	float a = ((((ATAN_9 * s + ATAN_7) * s + ATAN_5) * s + ATAN_3) * s +
		   ATAN_1) * t;

	if (ay >= ax)
		a = (float)M_PI_2 - a;
	if (x < 0)
		a = (float)M_PI - a;
	return y < 0 ? -a : a;
}

static inline uint16_t vscan_cm(float metres)
{
	float cm = metres * 100 + 0.5f;

	return cm < UINT16_MAX ? (uint16_t)cm : UINT16_MAX;
}

/* Neither tilted nor with parts of the robot in view */
static inline bool vscan_is_plain(const struct vscan_params *p)
{
	return p->roll == 0 && p->pitch == 0 && p->box[0] == p->box[1];
}

static inline bool vscan_in_box(const float box[4], float x, float y)
{
	return (x >= box[0]) & (x <= box[1]) & (y >= box[2]) & (y <= box[3]);
}

#endif
