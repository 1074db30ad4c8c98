/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * md_planes.h - pixels to coefficients of the code and back
 */
#ifndef CODEC_IMAGE_MD_PLANES_H
#define CODEC_IMAGE_MD_PLANES_H

#include <stdbool.h>
#include "codec/image/image.h"
#include "codec/image/zeroblock.h"

/* lossy coefficients are coded in quarters */
enum { MD_SCALE = 4 };

/**
 * struct md_planes - the channels of an image, one behind the other
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

/* the middle of the values of an image */
unsigned int md_middle(const struct image *image);

/* levels that a transform of that size has */
unsigned int md_levels(unsigned int width, unsigned int height);

/**
 * md_forward() - coefficients of an image, in p->words, as int32_t
 */
void md_forward(struct md_planes *p, const struct image *image,
		unsigned int middle, unsigned int levels, bool reversible);

/**
 * md_inverse() - the image of twice the coefficients, as decoded
 */
void md_inverse(struct md_planes *p, const struct image *image,
		unsigned int middle, unsigned int levels, bool reversible);

#endif
