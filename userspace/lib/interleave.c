// SPDX-License-Identifier: GPL-2.0-only
/*
 * interleave - rows parted and joined in vectors
 *
 * Element t of n vectors with c elements each has an index of log2 n + log2 c
 * bits. Interleaving the first half of all vectors with the second one (a
 * perfect shuffle, two unpack instructions for a pair) turns the bits of all
 * indices left by one. So log2 c shuffles make [column | row] into
 * [row | column], which parts rows, and log2 n shuffles join them.
 *
 * Where a row is no multiple of a block, its last block ends with it and does
 * some elements once more. AVX2 does the same block of two rows at once.
 */
#include <stdbool.h>
#include <string.h>
#include "lib/cpu.h"
#include "lib/interleave.h"
#if CPU_X86
#include <immintrin.h>
#endif

enum { VECTOR = 16 };		/* bytes */

typedef uint8_t vec8 __attribute__((vector_size(VECTOR)));
typedef uint16_t vec16 __attribute__((vector_size(VECTOR)));
typedef uint32_t vec32 __attribute__((vector_size(VECTOR)));

INLINE vec8 unpack_low(vec8 a, vec8 b, const unsigned int size)
{
	if (size == 1)
		return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3,
				19, 4, 20, 5, 21, 6, 22, 7, 23);
	if (size == 2)
		return (vec8)__builtin_shufflevector((vec16)a, (vec16)b,
				0, 8, 1, 9, 2, 10, 3, 11);
	return (vec8)__builtin_shufflevector((vec32)a, (vec32)b, 0, 4, 1, 5);
}

INLINE vec8 unpack_high(vec8 a, vec8 b, const unsigned int size)
{
	if (size == 1)
		return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11,
				27, 12, 28, 13, 29, 14, 30, 15, 31);
	if (size == 2)
		return (vec8)__builtin_shufflevector((vec16)a, (vec16)b,
				4, 12, 5, 13, 6, 14, 7, 15);
	return (vec8)__builtin_shufflevector((vec32)a, (vec32)b, 2, 6, 3, 7);
}

INLINE void shuffle(vec8 *v, const unsigned int n, const unsigned int size,
		    unsigned int rounds)
{
	vec8 t[INTERLEAVE_MAX];

	while (rounds--) {
#pragma GCC unroll 8
		for (unsigned int i = 0; i < n / 2; i++) {
			t[2 * i] = unpack_low(v[i], v[i + n / 2], size);
			t[2 * i + 1] = unpack_high(v[i], v[i + n / 2], size);
		}
#pragma GCC unroll 16
		for (unsigned int i = 0; i < n; i++)
			v[i] = t[i];
	}
}

INLINE unsigned int log2of(unsigned int n)
{
	return __builtin_ctz(n);
}

/* One block: VECTOR bytes of each row */
INLINE void part_block(const uint8_t *from, uint8_t *const to[], size_t at,
		       const unsigned int size, const unsigned int n)
{
	vec8 v[INTERLEAVE_MAX];

#pragma GCC unroll 16
	for (unsigned int i = 0; i < n; i++)
		memcpy(&v[i], from + i * VECTOR, VECTOR);
	shuffle(v, n, size, log2of(VECTOR / size));
#pragma GCC unroll 16
	for (unsigned int i = 0; i < n; i++)
		memcpy(to[i] + at, &v[i], VECTOR);
}

INLINE void join_block(const uint8_t *const from[], size_t at, uint8_t *to,
		       const unsigned int size, const unsigned int n)
{
	vec8 v[INTERLEAVE_MAX];

#pragma GCC unroll 16
	for (unsigned int i = 0; i < n; i++)
		memcpy(&v[i], from[i] + at, VECTOR);
	shuffle(v, n, size, log2of(n));
#pragma GCC unroll 16
	for (unsigned int i = 0; i < n; i++)
		memcpy(to + i * VECTOR, &v[i], VECTOR);
}

/* The blocks of a row of @len bytes in each part begin at 0, VECTOR ... */
INLINE size_t block_at(size_t at, size_t len)
{
	return at + VECTOR <= len ? at : len - VECTOR;
}

INLINE void part_rows(const uint8_t *from, size_t stride, unsigned int rows,
		      uint8_t *const to[], size_t len,
		      const unsigned int size, const unsigned int n)
{
	for (unsigned int y = 0; y < rows; y++)
		for (size_t at = 0; at < len; at += VECTOR) {
			size_t b = block_at(at, len);

			part_block(from + y * stride + b * n, to, y * len + b,
				   size, n);
		}
}

INLINE void join_rows(const uint8_t *const from[], uint8_t *to, size_t stride,
		      unsigned int rows, size_t len, const unsigned int size,
		      const unsigned int n)
{
	for (unsigned int y = 0; y < rows; y++)
		for (size_t at = 0; at < len; at += VECTOR) {
			size_t b = block_at(at, len);

			join_block(from, y * len + b, to + y * stride + b * n,
				   size, n);
		}
}

#if CPU_X86
#define AVX2_INLINE	static inline CPU_AVX2 __attribute__((always_inline))

AVX2_INLINE void shuffle2(__m256i *v, const unsigned int n,
			  const unsigned int size, unsigned int rounds)
{
	__m256i t[INTERLEAVE_MAX];

	while (rounds--) {
#pragma GCC unroll 8
		for (unsigned int i = 0; i < n / 2; i++) {
			__m256i a = v[i], b = v[i + n / 2];

			t[2 * i] = size == 1 ? _mm256_unpacklo_epi8(a, b) :
				   size == 2 ? _mm256_unpacklo_epi16(a, b) :
					       _mm256_unpacklo_epi32(a, b);
			t[2 * i + 1] = size == 1 ? _mm256_unpackhi_epi8(a, b) :
				       size == 2 ? _mm256_unpackhi_epi16(a, b) :
						   _mm256_unpackhi_epi32(a, b);
		}
#pragma GCC unroll 16
		for (unsigned int i = 0; i < n; i++)
			v[i] = t[i];
	}
}

AVX2_INLINE void part_pairs(const uint8_t *from, size_t stride,
			    unsigned int rows, uint8_t *const to[], size_t len,
			    const unsigned int size, const unsigned int n)
{
	__m256i v[INTERLEAVE_MAX];

	for (unsigned int y = 0; y + 2 <= rows; y += 2)
		for (size_t at = 0; at < len; at += VECTOR) {
			size_t b = block_at(at, len);
			const uint8_t *p = from + y * stride + b * n;
			const uint8_t *q = p + stride;

#pragma GCC unroll 16
			for (unsigned int i = 0; i < n; i++)
				v[i] = _mm256_loadu2_m128i(
						(void *)(q + i * VECTOR),
						(void *)(p + i * VECTOR));
			shuffle2(v, n, size, log2of(VECTOR / size));
#pragma GCC unroll 16
			for (unsigned int i = 0; i < n; i++) {
				uint8_t *t = to[i] + y * len + b;

				_mm256_storeu2_m128i((void *)(t + len),
						     (void *)t, v[i]);
			}
		}
}

AVX2_INLINE void join_pairs(const uint8_t *const from[], uint8_t *to,
			    size_t stride, unsigned int rows, size_t len,
			    const unsigned int size, const unsigned int n)
{
	__m256i v[INTERLEAVE_MAX];

	for (unsigned int y = 0; y + 2 <= rows; y += 2)
		for (size_t at = 0; at < len; at += VECTOR) {
			size_t b = block_at(at, len);
			uint8_t *p = to + y * stride + b * n;
			uint8_t *q = p + stride;

#pragma GCC unroll 16
			for (unsigned int i = 0; i < n; i++) {
				const uint8_t *f = from[i] + y * len + b;

				v[i] = _mm256_loadu2_m128i((void *)(f + len),
							   (void *)f);
			}
			shuffle2(v, n, size, log2of(n));
#pragma GCC unroll 16
			for (unsigned int i = 0; i < n; i++)
				_mm256_storeu2_m128i((void *)(q + i * VECTOR),
						     (void *)(p + i * VECTOR),
						     v[i]);
		}
}
#endif

/* CALL(size, n) of the constants that @size and @n are */
#define WITH_N(CALL, size) do {						\
	switch (n) {							\
	case 2: CALL(size, 2); break;					\
	case 4: CALL(size, 4); break;					\
	case 8: CALL(size, 8); break;					\
	case 16: CALL(size, 16); break;					\
	}								\
} while (0)
#define CONSTANT(CALL) do {						\
	switch (size) {							\
	case 1: WITH_N(CALL, 1); break;					\
	case 2: WITH_N(CALL, 2); break;					\
	case 4: WITH_N(CALL, 4); break;					\
	}								\
} while (0)

#define PART(s, m)	part_rows(from, stride, rows, to, len, s, m)
#define PART2(s, m)	part_pairs(from, stride, rows, to, len, s, m)
#define JOIN(s, m)	join_rows(from, to, stride, rows, len, s, m)
#define JOIN2(s, m)	join_pairs(from, to, stride, rows, len, s, m)

#if CPU_X86
static CPU_AVX2 void part_avx2(const uint8_t *from, size_t stride,
			       unsigned int rows, uint8_t *const to[],
			       size_t len, unsigned int size, unsigned int n)
{
	CONSTANT(PART2);
}

static CPU_AVX2 void join_avx2(const uint8_t *const from[], uint8_t *to,
			       size_t stride, unsigned int rows, size_t len,
			       unsigned int size, unsigned int n)
{
	CONSTANT(JOIN2);
}
#else
#define part_avx2(...)
#define join_avx2(...)
#endif

/* All parts alike, and at least a vector of each: otherwise the slow way */
static bool vectors(size_t count, unsigned int size, unsigned int n)
{
	return n > 1 && count % n == 0 && count / n * size >= VECTOR &&
	       (size == 1 || size == 2 || size == 4);
}

void deinterleave(const uint8_t *from, size_t stride, unsigned int rows,
		  uint8_t *const to[], size_t count, unsigned int size,
		  unsigned int n)
{
	unsigned int done = cpu_avx2() ? rows & ~1U : 0;
	size_t len = count / n * size;
	uint8_t *rest[INTERLEAVE_MAX];

	if (!vectors(count, size, n)) {
		deinterleave_ref(from, stride, rows, to, count, size, n);
		return;
	}
	if (done)
		part_avx2(from, stride, rows, to, len, size, n);
	for (unsigned int i = 0; i < n; i++)
		rest[i] = to[i] + done * len;
	to = rest;
	from += done * stride;
	rows -= done;
	CONSTANT(PART);
}

void interleave(const uint8_t *const from[], uint8_t *to, size_t stride,
		unsigned int rows, size_t count, unsigned int size,
		unsigned int n)
{
	unsigned int done = cpu_avx2() ? rows & ~1U : 0;
	size_t len = count / n * size;
	const uint8_t *rest[INTERLEAVE_MAX];

	if (!vectors(count, size, n)) {
		interleave_ref(from, to, stride, rows, count, size, n);
		return;
	}
	if (done)
		join_avx2(from, to, stride, rows, len, size, n);
	for (unsigned int i = 0; i < n; i++)
		rest[i] = from[i] + done * len;
	from = rest;
	to += done * stride;
	rows -= done;
	CONSTANT(JOIN);
}
