/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * md_planes.h - pixels to coefficients and back
 */
#ifndef CODEC_IMAGE_MD_PLANES_H
#define CODEC_IMAGE_MD_PLANES_H

#include <stdbool.h>
#include "codec/image/image.h"
#include "codec/image/zeroblock.h"

/* lossy coefficients are coded in quarters */
enum { MD_SCALE = 4 };

/**
 * struct md_planes - the channels of an image, one after the other
 * @words:	of each: samples, float or int32_t
 */
struct md_planes {
	size_t		size;
	uint32_t	*words[ZEROBLOCK_CHANNELS];
	void		*scratch;
};

int md_planes_create(struct md_planes *p, unsigned int width,
		     unsigned int height, unsigned int channels);
void md_planes_destroy(struct md_planes *p);

/* the middle of the values of the image's type */
unsigned int md_middle(const struct image *image);

/* levels of the transform for that size */
unsigned int md_levels(unsigned int width, unsigned int height);

/**
 * md_forward() - coefficients of an image, as int32_t in p->words
 */
void md_forward(struct md_planes *p, const struct image *image,
		unsigned int middle, unsigned int levels, bool reversible);

/**
 * md_inverse() - the image, from doubled coefficients as decoded
 */
void md_inverse(struct md_planes *p, const struct image *image,
		unsigned int middle, unsigned int levels, bool reversible);

#endif
