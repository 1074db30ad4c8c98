/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kriging.h - interpolate missing pixels from their neighbours, if the pattern
 * of missing ones repeats every p pixels in both directions
 *
 * Ordinary kriging (Matheron, 1963) of the 12 nearest known pixels, variogram
 * h^1.5. As the pattern is periodic, so are the weights: they are solved once
 * for each phase of a missing pixel, not for each pixel.
 */
#ifndef CODEC_IMAGE_KRIGING_H
#define CODEC_IMAGE_KRIGING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	KRIGING_PERIOD	= 16,		/* at most */
	KRIGING_NEIGHBOURS = 12,
	KRIGING_BITS	= 14,		/* weights are integers: 1 << 14 is 1 */
};

/**
 * struct kriging_weights - of a phase
 * @count:	number of neighbours
 * @dx, @dy:	their offsets, in pixels
 * @weight:	add up to 1 << KRIGING_BITS
 */
struct kriging_weights {
	unsigned int	count;
	int16_t		dx[KRIGING_NEIGHBOURS], dy[KRIGING_NEIGHBOURS];
	int32_t		weight[KRIGING_NEIGHBOURS];
};

struct kriging;

/**
 * kriging_create() - prepare data for a period
 * @period: 1 .. KRIGING_PERIOD, a power of two
 *
 * Return: free with kriging_destroy(), NULL: no memory.
 */
struct kriging *kriging_create(unsigned int period);
void kriging_destroy(struct kriging *k);

/**
 * kriging_solve() - weights of the phase @x, @y
 * @there: [y * period + x]: which phases are known; at least one
 * @neighbours: number to use, 1: only the nearest
 */
void kriging_solve(const struct kriging *k, const bool there[],
		   unsigned int x, unsigned int y, unsigned int neighbours,
		   struct kriging_weights *w);

/**
 * kriging_row() - interpolate a row of missing samples
 * @from: a row of @count samples of each neighbour
 * @most: largest value of a sample, 255 or 65535, which implies its type
 *
 * The same bits on every CPU.
 */
void kriging_row(const struct kriging_weights *w, const void *const from[],
		 void *to, size_t count, unsigned int most);

/* the reference: sample by sample */
void kriging_row_ref(const struct kriging_weights *w, const void *const from[],
		     void *to, size_t count, unsigned int most);

#endif
