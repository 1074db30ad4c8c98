/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bayer.h - the four colours of a Bayer mosaic, apart and together
 *
 * Neighbours in a mosaic are of different colours: a checkerboard to a codec.
 * Apart, the pixels of each of the four places make a picture of a quarter of
 * the size, and the four make one of the mosaic's size: those of even rows
 * above, those of even columns at the left.
 */
#ifndef CODEC_IMAGE_BAYER_H
#define CODEC_IMAGE_BAYER_H

#include "codec/image/image.h"

/**
 * bayer_apart() - the four pictures of a mosaic
 * @mosaic: one channel of 8 or 16 bit, width and height even
 * @planes: of the same shape; its data, which is the caller's, are written and
 *	are not the mosaic's
 */
void bayer_apart(const struct image *mosaic, const struct image *planes);

/**
 * bayer_together() - the mosaic of four pictures, as bayer_apart() made them
 */
void bayer_together(const struct image *planes, const struct image *mosaic);

#endif
