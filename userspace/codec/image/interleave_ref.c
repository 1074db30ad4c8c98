// SPDX-License-Identifier: GPL-2.0-only
/*
 * interleave_ref - split and join rows element by element
 */
#include <string.h>
#include "codec/image/interleave.h"

/* position of element @i of row @y in its part */
static size_t parted(unsigned int y, size_t i, size_t count, unsigned int n)
{
	return y * ((count + n - 1 - i % n) / n) + i / n;
}

void deinterleave_ref(const uint8_t *from, size_t stride, unsigned int rows,
		      uint8_t *const to[], size_t count, unsigned int size,
		      unsigned int n)
{
	for (unsigned int y = 0; y < rows; y++)
		for (size_t i = 0; i < count; i++)
			memcpy(to[i % n] + parted(y, i, count, n) * size,
			       from + y * stride + i * size, size);
}

void interleave_ref(const uint8_t *const from[], uint8_t *to, size_t stride,
		    unsigned int rows, size_t count, unsigned int size,
		    unsigned int n)
{
	for (unsigned int y = 0; y < rows; y++)
		for (size_t i = 0; i < count; i++)
			memcpy(to + y * stride + i * size,
			       from[i % n] + parted(y, i, count, n) * size,
			       size);
}
