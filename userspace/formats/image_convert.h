/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * image_convert.h - images to 8 bit and gray, and how alike two are
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
 * convert_8bit() - what is between the least and the largest value of a
 * 16-bit image over 0 .. 255, in place
 */
void convert_8bit(struct image *image);

/**
 * psnr() - peak signal to noise ratio, dB; infinite: they are the same
 *
 * The peak of 8 bit is 255, that of 16 bit the range of @a, so that 12 of 16
 * bits are not flattered. All channels count alike.
 */
double psnr(const struct image *a, const struct image *b);

/**
 * struct depth_match - how much of a depth image is shown, and how wrong
 * @known:	of the pixels with a depth, the share that is shown, within the
 *		tolerance of depthcode.h
 * @ghosts:	of the holes, the share that is shown as depth
 * @off:	of the pixels with a depth, the share shown beyond the tolerance
 * @most:	that a pixel with a depth is off, of those that are shown
 * @exact:	all is the same
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
