/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_image.h - read the picture of a map: PGM or PNG
 */
#ifndef MAP_IO_MAP_IMAGE_H
#define MAP_IO_MAP_IMAGE_H

#include <stddef.h>
#include <stdint.h>
#include "base/error.h"

/* Of a picture: maps of whole sites have more cells than a submap may have */
enum { MAP_PIXELS_MAX = 1 << 27 };

/**
 * struct map_image - 8 bits a channel, the top row first
 * @channels:	1: grey, 2: grey and alpha, 3: RGB, 4: RGB and alpha
 * @pixels:	[(row * width + column) * channels + channel]
 */
struct map_image {
	unsigned int	width, height, channels;
	uint8_t		*pixels;
};

/**
 * map_image_load() - read a file: PGM, plain or not, of up to 8 bits, or PNG
 * @why: out: one line, without the path
 *
 * At most MAP_PIXELS_MAX, sides of at most CELLS_SIDE_MAX.
 *
 * Return: 0 and @image, whose pixels are to be freed; -EFBIG: too large;
 * -EBADMSG: damaged, or not such a picture; errors of opening and reading.
 */
int map_image_load(const char *path, struct map_image *image,
		   char why[ERROR_REASON]);

#endif
