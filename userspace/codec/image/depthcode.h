/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * depthcode.h - embedded code of depth images: what a prefix does not tell is
 * a hole, never a wrong depth
 *
 * In: one channel of 16 bit, 0: no depth (a hole). Out: bytes of which any
 * prefix decodes, and all of which give the very image.
 *
 * Sensors give few different depths, so pixels are ranks in a table, which
 * comes first. Then come the pixels of a lattice of DEPTHCODE_STEP, and those
 * between them, at half the distance each time. From the lattices of
 * DEPTHCODE_EVEN and more a cell is told to be even if all of its pixels have
 * depths within the tolerance of what its corners interpolate to: a prefix
 * shows even cells so, other pixels as they are or not at all.
 *
 * A pixel is coded as its difference from what its neighbours on both sides
 * interpolate to, or at an edge from the nearer of them, in binary decisions
 * whose probability is a mix of what was seen in two contexts, or three.
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
	DEPTHCODE_STEP		= 32,	/* pixels between those that come first */
	DEPTHCODE_EVEN		= 4,	/* pixels of a cell that is told even */
	DEPTHCODE_LEVELS	= 4,	/* of such cells: 32, 16, 8, 4 */
	DEPTHCODE_TOLERANCE	= 64,	/* depth over what a pixel may be off */
};

struct depthcode;

/**
 * depthcode_create() - a coder for images of up to @width x @height
 *
 * Return: to be freed with depthcode_destroy(), NULL: no memory.
 */
struct depthcode *depthcode_create(unsigned int width, unsigned int height);
void depthcode_destroy(struct depthcode *d);

/**
 * depthcode_slack() - bytes that depthcode_encode() needs behind its limit
 */
size_t depthcode_slack(unsigned int width);

/**
 * depthcode_encode() - code until nothing is left, or @limit bytes are full
 * @buf: of @limit + depthcode_slack() bytes
 * @whole: set: the bytes are all there is of the image
 * @curve: gets what prefixes are worth: pixels that are not shown, and a tenth
 *	of those that are only within the tolerance
 *
 * Return: bytes.
 */
size_t depthcode_encode(struct depthcode *d, const struct image *image,
			void *buf, size_t limit, bool *whole,
			struct zeroblock_curve *curve);

/**
 * struct depthcode_shown - what depthcode_decode() knew
 * @exact:	pixels that are the image's own, holes too
 * @near:	pixels within the tolerance of them
 */
struct depthcode_shown {
	unsigned int exact, near;
};

/**
 * depthcode_decode() - the image that a prefix shows
 * @whole: @buf is all of it, not a prefix
 * @image: of its size; other pixels become 0
 *
 * Bytes that depthcode_encode() did not write give some image.
 */
void depthcode_decode(struct depthcode *d, const void *buf, size_t len,
		      bool whole, struct image *image,
		      struct depthcode_shown *shown);

#endif
