/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * images.h - made-up images for tests
 */
#ifndef TEST_IMAGES_H
#define TEST_IMAGES_H

#include <math.h>
#include <stdlib.h>
#include "codec/image/image.h"
#include "tap.h"

/**
 * make_image() - waves and edges, with a little noise
 * @gap: bytes behind each row
 */
static inline struct image make_image(unsigned int width, unsigned int height,
				      unsigned int channels,
				      unsigned int depth, unsigned int gap,
				      uint64_t *rng)
{
	struct image i = {
		.width = width, .height = height, .channels = channels,
		.depth = depth,
	};

	i.stride = (size_t)width * image_pixel(&i) + gap;
	i.data = calloc(height, i.stride);
	for (unsigned int y = 0; y < height; y++)
		for (unsigned int x = 0; x < width * channels; x++) {
			unsigned int px = x / channels;
			double v = 110 + 60 * sin(px * .05 + x % channels) +
				   40 * cos(y * .07) +
				   (px > width / 2 ? 20 : 0) + rnd(rng, 5);

			if (depth == 8)
				image_row(&i, y)[x] = v;
			else
				((uint16_t *)image_row(&i, y))[x] =
					17000 + v * 9 + rnd(rng, 4);
		}
	return i;
}

#endif
