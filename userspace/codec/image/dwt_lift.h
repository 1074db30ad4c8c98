/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dwt_lift.h - the lifting steps of both wavelets
 */
#ifndef CODEC_IMAGE_DWT_LIFT_H
#define CODEC_IMAGE_DWT_LIFT_H

#define DWT_ALPHA	-1.586134342f
#define DWT_BETA	-0.05298011854f
#define DWT_GAMMA	0.8829110762f
#define DWT_DELTA	0.4435068522f
#define DWT_LOW		1.149604398f
#define DWT_HIGH	0.869864452f

enum dwt_step { DWT_PREDICT, DWT_UPDATE, DWT_UNPREDICT, DWT_UNUPDATE };

static inline int32_t dwt53_step(int32_t d, int32_t a, int32_t b,
				 enum dwt_step step)
{
	switch (step) {
	case DWT_PREDICT:
		return d - ((a + b) >> 1);
	case DWT_UNPREDICT:
		return d + ((a + b) >> 1);
	case DWT_UPDATE:
		return d + ((a + b + 2) >> 2);
	default:
		return d - ((a + b + 2) >> 2);
	}
}

#endif
