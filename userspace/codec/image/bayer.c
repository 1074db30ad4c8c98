// SPDX-License-Identifier: GPL-2.0-only
/*
 * bayer - split and join the four colours of a Bayer mosaic
 */
#include "codec/image/bayer.h"

/* The row of the planes for the mosaic's row @y */
static unsigned int bayer_row_of(const struct image *mosaic, unsigned int y)
{
	return y / 2 + y % 2 * (mosaic->height / 2);
}

#define APART(type)							\
static void apart_##type(type *restrict planes,			\
			 const type *restrict mosaic, unsigned int half)\
{									\
	for (unsigned int x = 0; x < half; x++) {			\
		planes[x] = mosaic[2 * x];				\
		planes[half + x] = mosaic[2 * x + 1];			\
	}								\
}									\
									\
static void together_##type(type *restrict mosaic,			\
			    const type *restrict planes,		\
			    unsigned int half)				\
{									\
	for (unsigned int x = 0; x < half; x++) {			\
		mosaic[2 * x] = planes[x];				\
		mosaic[2 * x + 1] = planes[half + x];			\
	}								\
}
APART(uint8_t)
APART(uint16_t)

void bayer_apart(const struct image *mosaic, const struct image *planes)
{
	unsigned int half = mosaic->width / 2;

	for (unsigned int y = 0; y < mosaic->height; y++) {
		uint8_t *in = image_row(mosaic, y);
		uint8_t *out = image_row(planes, bayer_row_of(mosaic, y));

		if (mosaic->depth == 8)
			apart_uint8_t(out, in, half);
		else
			apart_uint16_t((uint16_t *)out, (uint16_t *)in, half);
	}
}

void bayer_together(const struct image *planes, const struct image *mosaic)
{
	unsigned int half = mosaic->width / 2;

	for (unsigned int y = 0; y < mosaic->height; y++) {
		uint8_t *in = image_row(planes, bayer_row_of(mosaic, y));
		uint8_t *out = image_row(mosaic, y);

		if (mosaic->depth == 8)
			together_uint8_t(out, in, half);
		else
			together_uint16_t((uint16_t *)out, (uint16_t *)in,
					  half);
	}
}
