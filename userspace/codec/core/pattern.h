/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pattern.h - which sub-image a pixel belongs to
 *
 * The 2x2 pattern 0 2 / 3 1, d times over (SmokeBot D6.3, tables 2 and 3): a
 * sub-image is a phase, the pixels of the same x and y modulo 2^d. A phase is
 * numbered y * 2^d + x where it is not asked for by the pattern's number.
 */
#ifndef CODEC_CORE_PATTERN_H
#define CODEC_CORE_PATTERN_H

enum { PATTERN_STEPS = 4 };	/* of recursion, at most */

/**
 * pattern_number() - of the sub-image that pixel @x, @y belongs to
 * @steps: d, 0 .. PATTERN_STEPS
 */
unsigned int pattern_number(unsigned int x, unsigned int y, unsigned int steps);

/**
 * pattern_phase() - of a sub-image: pattern_number() backwards
 */
unsigned int pattern_phase(unsigned int number, unsigned int steps);

/**
 * pattern_every() - how many there are of @n, every 2^d-th from @first on
 * @first: below 2^d
 */
static inline unsigned int pattern_every(unsigned int n, unsigned int first,
					 unsigned int steps)
{
	return (n + (1 << steps) - 1 - first) >> steps;
}

#endif
