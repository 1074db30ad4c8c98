// SPDX-License-Identifier: GPL-2.0-only
/*
 * bayer - the four colours of a Bayer fused, apart and together
 */
#include "codec/image/bayer.h"

/* The row of the planes that a fused's row @y is in */
static unsigned int bayer_row_of(const struct image *fused, unsigned int y)
{
	return y / 2 + y % 2 * (fused->height / 2);
}

#define APART(type)							\
static void apart_##type(type *restrict planes,			\
			 const type *restrict fused, unsigned int half)\
{									\
	for (unsigned int x = 0; x < half; x++) {			\
		planes[x] = fused[2 * x];				\
		planes[half + x] = fused[2 * x + 1];			\
	}								\
}									\
									\
static void together_##type(type *restrict fused,			\
			    const type *restrict planes,		\
			    unsigned int half)				\
{									\
	for (unsigned int x = 0; x < half; x++) {			\
		fused[2 * x] = planes[x];				\
		fused[2 * x + 1] = planes[half + x];			\
	}								\
}
APART(uint8_t)
APART(uint16_t)

void bayer_apart(const struct image *fused, const struct image *planes)
{
	unsigned int half = fused->width / 2;

	for (unsigned int y = 0; y < fused->height; y++) {
		uint8_t *in = image_row(fused, y);
		uint8_t *out = image_row(planes, bayer_row_of(fused, y));

		if (fused->depth == 8)
			apart_uint8_t(out, in, half);
		else
			apart_uint16_t((uint16_t *)out, (uint16_t *)in, half);
	}
}

void bayer_together(const struct image *planes, const struct image *fused)
{
	unsigned int half = fused->width / 2;

	for (unsigned int y = 0; y < fused->height; y++) {
		uint8_t *in = image_row(planes, bayer_row_of(fused, y));
		uint8_t *out = image_row(fused, y);

		if (fused->depth == 8)
			together_uint8_t(out, in, half);
		else
			together_uint16_t((uint16_t *)out, (uint16_t *)in,
					  half);
	}
}
