// SPDX-License-Identifier: GPL-2.0-only
/*
 * zeroblock_tops - planes at which the nodes of a band become significant, and
 * its energy: the encoder computes them in advance
 */
#include <stdlib.h>
#include "codec/image/zeroblock_bands.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

static uint8_t bit_length(uint32_t v)
{
	return v ? 32 - __builtin_clz(v) : 0;
}

#ifdef __SSE2__
/*
 * Bit lengths of four magnitudes: the exponents of floats. The second bit is
 * cleared so that no number is rounded up to a power of two.
 */
static inline __m128i bit_lengths(const int32_t *v)
{
	__m128i a = _mm_loadu_si128((const __m128i *)v);
	__m128i sign = _mm_srai_epi32(a, 31);

	a = _mm_sub_epi32(_mm_xor_si128(a, sign), sign);
	a = _mm_andnot_si128(_mm_srli_epi32(a, 1), a);
	a = _mm_castps_si128(_mm_cvtepi32_ps(a));
	return _mm_sub_epi32(_mm_srli_epi32(a, 23), _mm_set1_epi32(126));
}
#endif

/* Planes at which a row of coefficients becomes significant */
static void row_tops(const int32_t *row, uint8_t *top, unsigned int count,
		     unsigned int shift)
{
	unsigned int x = 0;

#ifdef __SSE2__
	const __m128i zero = _mm_setzero_si128();

	for (; x + 16 <= count; x += 16) {
		__m128i a = _mm_packs_epi32(bit_lengths(row + x),
					    bit_lengths(row + x + 4));
		__m128i b = _mm_packs_epi32(bit_lengths(row + x + 8),
					    bit_lengths(row + x + 12));
		__m128i bits = _mm_packus_epi16(a, b);
		__m128i more = _mm_andnot_si128(_mm_cmpeq_epi8(bits, zero),
						_mm_set1_epi8(shift));

		_mm_storeu_si128((__m128i *)(top + x),
				 _mm_add_epi8(bits, more));
	}
#endif
	for (; x < count; x++)
		top[x] = row[x] ? bit_length(abs(row[x])) + shift : 0;
}

/* The same of a row of blocks, from the two rows of nodes that they cover */
static void block_tops(const uint8_t *restrict p, const uint8_t *restrict q,
		       uint8_t *restrict top, unsigned int nodes)
{
	for (unsigned int x = 0; x < nodes / 2; x++) {
		uint8_t a = p[2 * x] > p[2 * x + 1] ? p[2 * x] : p[2 * x + 1];
		uint8_t b = q[2 * x] > q[2 * x + 1] ? q[2 * x] : q[2 * x + 1];

		top[x] = a > b ? a : b;
	}
	if (nodes & 1)
		top[nodes / 2] = p[nodes - 1] > q[nodes - 1] ? p[nodes - 1] :
							       q[nodes - 1];
}

/* Planes at which the nodes of a band become significant */
unsigned int zeroblock_tops(struct zeroblock *z, struct band *b)
{
	struct level *l = &b->level[0];

	for (unsigned int y = 0; y < l->height; y++)
		row_tops(b->in + (size_t)y * z->shape.width,
			 l->top + place(l, 0, y), l->width, b->shift);
	for (unsigned int k = 1; k <= b->depth; k++) {
		const struct level *from = &b->level[k - 1];

		l = &b->level[k];
		for (unsigned int y = 0; y < l->height; y++) {
			bool two = 2 * y + 1 < from->height;
			const uint8_t *p = from->top + place(from, 0, 2 * y);

			block_tops(p, two ? p + from->stride : p,
				   l->top + place(l, 0, y), from->width);
		}
	}
	return b->level[b->depth].top[place(&b->level[b->depth], 0, 0)];
}

double zeroblock_energy(const struct zeroblock *z, const struct band *b)
{
	const struct level *l = &b->level[0];
	double sum[4] = { 0 };

	/* four sums, to not wait for each addition */
	for (unsigned int y = 0; y < l->height; y++) {
		const int32_t *row = b->in + (size_t)y * z->shape.width;
		unsigned int x = 0;

		for (; x + 4 <= l->width; x += 4)
			for (unsigned int i = 0; i < 4; i++)
				sum[i] += (double)row[x + i] * row[x + i];
		for (; x < l->width; x++)
			sum[0] += (double)row[x] * row[x];
	}
	return (sum[0] + sum[1] + sum[2] + sum[3]) * b->weight;
}
