/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bayer.h - split and join the four colours of a Bayer mosaic
 *
 * Neighbours in a mosaic have different colours: a checkerboard to a codec.
 * Split, the pixels of each of the four positions are an image of a quarter of
 * the size. The four make one image of the mosaic's size: even rows above, even
 * columns at the left.
 */
#ifndef CODEC_IMAGE_BAYER_H
#define CODEC_IMAGE_BAYER_H

#include "codec/image/image.h"

/**
 * bayer_apart() - split a mosaic into four images
 * @mosaic: one channel of 8 or 16 bit, width and height even
 * @planes: of the same shape; its data are written, are the caller's, and must
 *	not overlap the mosaic's
 */
void bayer_apart(const struct image *mosaic, const struct image *planes);

/**
 * bayer_together() - the inverse of bayer_apart()
 */
void bayer_together(const struct image *planes, const struct image *mosaic);

#endif
