/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * convert.h - images to 8 bit and gray, and how alike two are
 */
#ifndef LAB_CONVERT_H
#define LAB_CONVERT_H

#include "lib/image.h"

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

#endif
