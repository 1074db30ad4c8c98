/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pattern.h - the sub-image of a pixel
 *
 * The 2x2 pattern 0 2 / 3 1, d times over (SmokeBot D6.3, tables 2 and 3): a
 * sub-image is a phase, the pixels of the same x and y modulo 2^d. A phase is
 * numbered y * 2^d + x unless the pattern's number is used.
 */
#ifndef CODEC_CORE_PATTERN_H
#define CODEC_CORE_PATTERN_H

enum { PATTERN_STEPS = 4 };	/* of recursion, at most */

/**
 * pattern_number() - number of the sub-image of pixel @x, @y
 * @steps: d, 0 .. PATTERN_STEPS
 */
unsigned int pattern_number(unsigned int x, unsigned int y, unsigned int steps);

/**
 * pattern_phase() - phase of a sub-image: the inverse of pattern_number()
 */
unsigned int pattern_phase(unsigned int number, unsigned int steps);

/**
 * pattern_every() - count of every 2^d-th of @n items, from @first on
 * @first: below 2^d
 */
static inline unsigned int pattern_every(unsigned int n, unsigned int first,
					 unsigned int steps)
{
	return (n + (1 << steps) - 1 - first) >> steps;
}

#endif
