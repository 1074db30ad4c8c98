/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * movement.h - how fast what a camera sees changes
 *
 * Of each image a few pixels are compared with those of the images before. An
 * image that stays on the screen for a time is wrong by as much as they have
 * changed: mean squared error, as that of a codec. It grows with the time as a
 * power of it: about 2 while a view turns slowly, 0 if it is noise.
 */
#ifndef CODEC_IMAGE_MOVEMENT_H
#define CODEC_IMAGE_MOVEMENT_H

#include <stdbool.h>
#include "codec/image/image.h"

enum {
	MOVEMENT_WIDTH	= 64,
	MOVEMENT_HEIGHT	= 48,
	MOVEMENT_IMAGES	= 4,
	MOVEMENT_PIXELS	= MOVEMENT_WIDTH * MOVEMENT_HEIGHT,
};

/**
 * struct movement - all zero at first
 * @known:	the following are
 * @moved:	mean squared change after @after
 * @after:	s
 * @growth:	exponent: after t it is @moved * (t / @after) ^ @growth
 * @contrast:	variance of the pixels: twice of it is another picture
 */
struct movement {
	bool		known;
	double		moved, after, growth, contrast;
	/* private */
	unsigned int	width, height, depth, channels;
	unsigned int	images, newest;
	int64_t		stamp[MOVEMENT_IMAGES];
	float		pixel[MOVEMENT_IMAGES][MOVEMENT_PIXELS];
};

/**
 * movement_add() - the next image of a camera
 * @stamp: when it was taken, ns
 *
 * After a pause, a jump of stamps, or a change of shape it starts again.
 */
void movement_add(struct movement *m, const struct image *image,
		  int64_t stamp);

#endif
