/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rangeimage_prior.h - initial probabilities of rangeimage.h
 *
 * Of a 0, in 1/256, counted over an indoor recording of a VLP-16 in 16 parts at
 * 2 mm. They are relative to the neighbours' errors and so suit other
 * resolutions and sensors; wrong ones are corrected within a few columns.
 */
#ifndef CODEC_CLOUD_RANGEIMAGE_PRIOR_H
#define CODEC_CLOUD_RANGEIMAGE_PRIOR_H

#include <stdint.h>
#include "codec/core/coder.h"

enum {
	PRIOR_FLAGS	= 64,
	PRIOR_RANGES	= 11,	/* contexts; the last: no neighbours */
};

/* Return flags, by those of the neighbours */
static const uint8_t prior_flag[PRIOR_FLAGS] = {
	252, 46, 32, 6, 222, 56, 20, 4, 238, 25, 88, 23,
	111, 65, 72, 14, 219, 99, 99, 23, 199, 63, 40, 17,
	242, 149, 144, 59, 109, 99, 29, 7, 252, 4, 88, 21,
	128, 128, 128, 128, 82, 4, 172, 17, 128, 128, 128, 128,
	252, 174, 143, 97, 128, 128, 128, 128, 252, 180, 109, 4,
	128, 128, 128, 128,
};

/* code_number()'s @above for errors of ranges, by context */
static const uint8_t prior_range[PRIOR_RANGES][CODE_BUCKETS] = {
	{ 24, 12, 37, 58, 93, 76, 125, 82, 86, 4, 204, 247,
	  128, 128, 128, 128, 128, 128, },
	{ 116, 33, 52, 114, 172, 87, 107, 86, 106, 27, 225, 5,
	  251, 128, 128, 128, 128, 128, },
	{ 110, 107, 79, 112, 182, 119, 87, 61, 62, 33, 221, 197,
	  252, 128, 128, 128, 128, 128, },
	{ 99, 108, 124, 143, 170, 152, 90, 59, 73, 71, 190, 205,
	  252, 128, 128, 128, 128, 128, },
	{ 94, 106, 124, 148, 167, 148, 107, 117, 85, 138, 167, 181,
	  252, 128, 128, 128, 128, 128, },
	{ 90, 106, 123, 149, 193, 182, 104, 134, 94, 120, 185, 241,
	  252, 128, 128, 128, 128, 128, },
	{ 101, 108, 128, 148, 195, 222, 182, 88, 122, 146, 145, 239,
	  252, 128, 128, 128, 128, 128, },
	{ 91, 109, 124, 138, 167, 211, 225, 195, 120, 151, 172, 239,
	  252, 128, 128, 128, 128, 128, },
	{ 107, 110, 117, 133, 166, 211, 227, 233, 177, 61, 186, 238,
	  252, 128, 128, 128, 128, 128, },
	{ 125, 125, 129, 141, 170, 205, 209, 234, 239, 160, 87, 185,
	  249, 252, 128, 128, 128, 128, },
	{ 196, 139, 132, 185, 194, 156, 160, 233, 178, 129, 115, 151,
	  252, 128, 128, 128, 128, 128, },
};

#endif
