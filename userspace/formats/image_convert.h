/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * image_convert.h - images to 8 bit and gray, and the similarity of two images
 */
#ifndef FORMATS_IMAGE_CONVERT_H
#define FORMATS_IMAGE_CONVERT_H

#include <stdbool.h>
#include "codec/image/image.h"

/**
 * convert_gray() - luma (BT.601), in place; alpha is dropped
 */
void convert_gray(struct image *image);

/**
 * convert_8bit() - map the range from the least to the largest value of a
 * 16-bit image to 0 .. 255, in place
 */
void convert_8bit(struct image *image);

/**
 * psnr() - peak signal to noise ratio, dB; infinite: they are equal
 *
 * The peak of 8 bit is 255, that of 16 bit the range of @a, because images with
 * 12 of 16 bits would otherwise get better values. All channels have the same
 * weight.
 */
double psnr(const struct image *a, const struct image *b);

/**
 * struct depth_match - errors of a depth image after transmission
 * @known:	share of the pixels with a depth that are shown within the
 *		tolerance of depthcode.h
 * @ghosts:	share of the holes that are shown as depth
 * @off:	share of the pixels with a depth that are shown beyond the
 *		tolerance
 * @most:	largest error of a pixel with a depth, of those shown
 * @exact:	all pixels are equal
 */
struct depth_match {
	double		known, ghosts, off;
	unsigned int	most;
	bool		exact;
};

/**
 * depth_match() - of an image of 16 bit and one channel, 0: no depth
 */
void depth_match(const struct image *image, const struct image *shown,
		 struct depth_match *m);

#endif
