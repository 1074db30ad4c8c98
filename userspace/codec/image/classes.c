// SPDX-License-Identifier: GPL-2.0-only
/*
 * classes - which pixels of an image are no number
 */
#include <errno.h>
#include <string.h>
#include "codec/core/coder.h"
#include "codec/image/classes.h"

enum { CLASSES_BITS = 3, CLASSES_NEAR = 81 };

/**
 * struct classes_model - probabilities
 * @other:	is it not that of the pixel to the left? By which of the
 *		neighbours are none, or are the same as that
 * @bits:	of another class
 */
struct classes_model {
	struct rc_bit	other[2][CLASSES_NEAR];
	struct rc_bit	bits[1 << CLASSES_BITS];
};

/* @left is 0, or another class; and how @v compares with it: 0, same, other */
static unsigned int classes_like(unsigned int left, unsigned int v)
{
	return v == left ? 0 : v == 0 ? 1 : 2;
}

/* Pixels outside of the rows are of class 0 */
static unsigned int classes_near(const uint8_t *row, const uint8_t *above,
				 unsigned int x, unsigned int width,
				 unsigned int left)
{
	const unsigned int farther = x > 1 ? row[x - 2] : 0;
	const unsigned int west = above && x ? above[x - 1] : 0;
	const unsigned int north = above ? above[x] : 0;
	const unsigned int east = above && x + 1 < width ? above[x + 1] : 0;

	return classes_like(left, north) * 27 + classes_like(left, west) * 9 +
	       classes_like(left, east) * 3 + classes_like(left, farther);
}

INLINE unsigned int classes_bits(struct coder *c, struct rc_bit *bits,
				 unsigned int v)
{
	unsigned int node = 1;

	for (unsigned int i = CLASSES_BITS; i--;)
		node = node << 1 | code_bit(c, &bits[node], v >> i & 1);
	return node - (1U << CLASSES_BITS);
}

INLINE void classes_code(struct coder *c, uint8_t *class, unsigned int width,
			 unsigned int rows)
{
	struct classes_model m;

	rc_bits_init(m.other[0], 2 * CLASSES_NEAR);
	rc_bits_init(m.bits, 1 << CLASSES_BITS);
	for (unsigned int y = 0; y < rows; y++) {
		uint8_t *row = class + (size_t)width * y;
		const uint8_t *above = y ? row - width : NULL;

		for (unsigned int x = 0; x < width; x++) {
			const unsigned int left = x ? row[x - 1] : 0;
			struct rc_bit *b = &m.other[left > 0][classes_near(
				row, above, x, width, left)];

			if (!code_bit(c, b, row[x] != left))
				row[x] = left;
			else
				row[x] = classes_bits(c, m.bits, row[x]);
		}
	}
}

int classes_encode(const uint8_t *class, unsigned int width, unsigned int rows,
		   void *buf, size_t size)
{
	struct coder c = code_encoder(buf, size);
	int len;

	/* encoding only reads them */
	classes_code(&c, (uint8_t *)class, width, rows);
	len = code_finish(&c);
	return len < 0 ? -ENOSPC : len;
}

void classes_decode(const void *buf, size_t size, unsigned int width,
		    unsigned int rows, uint8_t *class)
{
	struct coder c = code_decoder(buf, size);

	memset(class, 0, (size_t)width * rows);
	classes_code(&c, class, width, rows);
}
