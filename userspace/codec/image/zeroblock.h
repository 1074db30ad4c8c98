/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zeroblock.h - embedded code of wavelet coefficients
 *
 * Important bits come first: bit planes from the highest one on, in each one
 * first the coefficients beside significant ones, then the lower bits of
 * earlier planes, then quadtrees of zeros. Any prefix decodes to nearly the
 * best image of its length.
 *
 * Method: embedded zero blocks with context modelling, after Hsiang and
 * Woods, "Embedded image coding using zeroblocks of subband/wavelet
 * coefficients and context modeling" (ISCAS 2000), with contexts that include
 * how much larger the neighbours are.
 */
#ifndef CODEC_IMAGE_ZEROBLOCK_H
#define CODEC_IMAGE_ZEROBLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	ZEROBLOCK_CHANNELS = 4,
	ZEROBLOCK_LEVELS = 8,
	ZEROBLOCK_PLANES = 30,		/* bits of a magnitude, and of its norm */
	ZEROBLOCK_POINTS = 1024,	/* of a curve */
};

/**
 * struct zeroblock_shape - shape of the coefficients
 * @width, @height: of a channel, in coefficients
 * @channels:	1 .. ZEROBLOCK_CHANNELS
 * @levels:	of the transform, see dwt.h
 * @norms:	weight coefficients by the norm of their 5/3 wavelet; otherwise
 *		all are equal
 */
struct zeroblock_shape {
	unsigned int	width, height, channels, levels;
	bool		norms;
};

/**
 * struct zeroblock_curve - errors of prefixes
 * @bytes:	increasing
 * @error:	sum of squared errors of all coefficients after these bytes
 */
struct zeroblock_curve {
	unsigned int	points;
	uint32_t	bytes[ZEROBLOCK_POINTS];
	double		error[ZEROBLOCK_POINTS];
};

struct zeroblock;

/**
 * zeroblock_create() - a coder for channels of up to @width x @height
 *
 * Return: free with zeroblock_destroy(), NULL: no memory.
 */
struct zeroblock *zeroblock_create(unsigned int width, unsigned int height,
				   unsigned int channels);
void zeroblock_destroy(struct zeroblock *z);

/**
 * zeroblock_encode() - encode all planes, up to @size bytes
 * @coef: of each channel, rows of width, below 2^29 in magnitude; with norms
 *	below 2^(29 - levels)
 * @whole: set to whether the code is complete; only then is it exact
 *
 * Return: bytes in @buf, of which any prefix decodes.
 */
size_t zeroblock_encode(struct zeroblock *z, const struct zeroblock_shape *s,
			const int32_t *const coef[], void *buf, size_t size,
			bool *whole, struct zeroblock_curve *curve);

/**
 * zeroblock_decode() - decode a prefix, or a complete code
 * @coef: of each channel: doubled values, to represent halves; even and exact
 *	where all planes were decoded
 */
void zeroblock_decode(struct zeroblock *z, const struct zeroblock_shape *s,
		      const void *buf, size_t size, bool whole,
		      int32_t *const coef[]);

#endif
