/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * look.h - how wrong is what the operator sees: fewer, better images, or more
 *
 * An image on the screen is wrong by its code, and by what has moved since it
 * was taken. More bytes lessen the first, but take longer or are sent less
 * often. Both are mean squared errors of pixels: of the codec, and of
 * codec/image/movement.h; independent, so they add up. What counts is the mean
 * of their logarithm: PSNR.
 */
#ifndef LINK_LOOK_H
#define LINK_LOOK_H

#include <stdbool.h>

/**
 * struct look - of a camera; all zero: not known
 * @error:	of an image of @bytes
 * @slope:	the error falls with the bytes to this power
 * @moved:	error of an image that is @after s old
 * @growth:	it grows with the time to this power
 * @contrast:	variance of the pixels; 0: they are numbers, any error counts
 */
struct look {
	double	error, bytes, slope;
	double	moved, after, growth, contrast;
};

bool look_is_known(const struct look *l);

/**
 * look_mean() - mean logarithm of the error of what is seen, smaller is better
 * @bytes:	of an image
 * @interval:	s, of the camera's images
 * @every:	one of so many is sent
 */
double look_mean(const struct look *l, double bytes, double interval,
		 unsigned int every);

/**
 * look_bytes() - size beyond which an image would rather be seen earlier
 * @rate:	at which it is sent, bytes/s
 * @most:	bytes
 *
 * The faster the view changes the smaller; @most if it does not, if nothing is
 * known, or if the pixels are numbers.
 */
double look_bytes(const struct look *l, double rate, double most);

#endif
