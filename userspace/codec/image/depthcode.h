/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * depthcode.h - embedded code of depth images: a pixel that a prefix does not
 * contain is a hole, never a wrong depth
 *
 * In: one channel of 16 bit, 0: no depth (a hole). Out: bytes of which any
 * prefix decodes, and all of which give the exact image.
 *
 * Sensors give few different depths, so pixels are ranks in a table, which
 * comes first. Then come the pixels of a lattice of DEPTHCODE_STEP, and those
 * between them, at half the distance each time. On lattices of DEPTHCODE_EVEN
 * and more a cell is marked as even if all of its depths are within the
 * tolerance of the interpolation of its corners: a prefix shows even cells
 * interpolated, other pixels exactly or not at all.
 *
 * A pixel is coded as its difference from the interpolation of its neighbours
 * on both sides, or at an edge from the nearer one, in binary decisions whose
 * probability is mixed from two or three contexts.
 *
 * Method: mixing as in Mahoney, "Adaptive Weighing of Context Models for
 * Lossless Data Compression" (2005); the order of pixels is that of
 * interlaced images.
 */
#ifndef CODEC_IMAGE_DEPTHCODE_H
#define CODEC_IMAGE_DEPTHCODE_H

#include <stdbool.h>
#include "codec/image/image.h"
#include "codec/image/zeroblock.h"

enum {
	DEPTHCODE_STEP		= 32,	/* of the first lattice, pixels */
	DEPTHCODE_EVEN		= 4,	/* smallest cell marked as even */
	DEPTHCODE_LEVELS	= 4,	/* of such cells: 32, 16, 8, 4 */
	DEPTHCODE_TOLERANCE	= 64,	/* depth over the largest error */
};

struct depthcode;

/**
 * depthcode_create() - a coder for images of up to @width x @height
 *
 * Return: free with depthcode_destroy(), NULL: no memory.
 */
struct depthcode *depthcode_create(unsigned int width, unsigned int height);
void depthcode_destroy(struct depthcode *d);

/**
 * depthcode_slack() - bytes that depthcode_encode() needs after its limit
 */
size_t depthcode_slack(unsigned int width);

/**
 * depthcode_encode() - encode an image, up to @limit bytes
 * @buf: of @limit + depthcode_slack() bytes
 * @whole: set to whether the code is complete
 * @curve: gets the errors of prefixes: pixels that are not shown, plus a tenth
 *	of those that are only within the tolerance
 *
 * Return: bytes.
 */
size_t depthcode_encode(struct depthcode *d, const struct image *image,
			void *buf, size_t limit, bool *whole,
			struct zeroblock_curve *curve);

/**
 * struct depthcode_shown - result of depthcode_decode()
 * @exact:	pixels that are exact, including holes
 * @near:	pixels within the tolerance
 */
struct depthcode_shown {
	unsigned int exact, near;
};

/**
 * depthcode_decode() - decode a prefix
 * @whole: @buf is complete, not a prefix
 * @image: of the image's size; unknown pixels become 0
 *
 * Invalid input gives some image.
 */
void depthcode_decode(struct depthcode *d, const void *buf, size_t len,
		      bool whole, struct image *image,
		      struct depthcode_shown *shown);

#endif
