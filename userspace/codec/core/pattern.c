// SPDX-License-Identifier: GPL-2.0-only
/*
 * pattern - the sub-image of a pixel
 */
#include <stdint.h>
#include "codec/core/pattern.h"

/*
 * A step of the pattern has two bits, x ^ y and y, and the finest step's are
 * the highest. This table reverses the bits of 0 .. 15 and spreads them to
 * every other bit.
 */
static const uint8_t spread[] = {
	0x00, 0x40, 0x10, 0x50, 0x04, 0x44, 0x14, 0x54,
	0x01, 0x41, 0x11, 0x51, 0x05, 0x45, 0x15, 0x55,
};

unsigned int pattern_number(unsigned int x, unsigned int y, unsigned int steps)
{
	unsigned int mask = (1 << steps) - 1;
	unsigned int a = spread[(x ^ y) & mask], b = spread[y & mask];

	return (2 * a + b) >> 2 * (PATTERN_STEPS - steps);
}

unsigned int pattern_phase(unsigned int number, unsigned int steps)
{
	static const unsigned int xs[] = { 0, 1, 1, 0 }, ys[] = { 0, 1, 0, 1 };
	unsigned int x = 0, y = 0;

	for (unsigned int i = 0; i < steps; i++, number /= 4) {
		x = x << 1 | xs[number & 3];
		y = y << 1 | ys[number & 3];
	}
	return (y << steps) + x;
}
