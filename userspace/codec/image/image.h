/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * image.h - an image in memory
 */
#ifndef CODEC_IMAGE_IMAGE_H
#define CODEC_IMAGE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

enum { IMAGE_SIDE = 65535 };	/* pixels of a side, at most */

/**
 * struct image - pixels, row by row
 * @channels:	1 gray, 2 gray and alpha, 3 colour, 4 colour and alpha
 * @depth:	bits of a channel: 8 or 16, the latter in the CPU's byte order
 * @stride:	bytes from row to row, at least width * channels * depth / 8
 */
struct image {
	unsigned int	width, height, channels, depth;
	size_t		stride;
	uint8_t		*data;
};

/* bytes of a pixel */
static inline unsigned int image_pixel(const struct image *i)
{
	return i->channels * i->depth / 8;
}

static inline uint8_t *image_row(const struct image *i, unsigned int y)
{
	return i->data + i->stride * y;
}

#endif
