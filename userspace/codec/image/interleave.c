// SPDX-License-Identifier: GPL-2.0-only
/*
 * interleave - split and join rows in vectors
 *
 * Element t of n vectors with c elements each has an index of log2 n + log2 c
 * bits. Interleaving the first half of all vectors with the second one (a
 * perfect shuffle, two unpack instructions for a pair) rotates the bits of all
 * indices left by one. So log2 c shuffles turn [column | row] into
 * [row | column], which splits rows, and log2 n shuffles join them.
 *
 * A part's rows are contiguous, so blocks continue from one row into the next
 * if joined rows are whole groups of vectors; otherwise each row is done
 * separately. The last block ends with the last row and repeats some elements.
 * AVX2 does two blocks at once, which are adjacent in each part.
 */
#include <stdbool.h>
#include <string.h>
#include "base/cpu.h"
#include "codec/image/interleave.h"
#if CPU_X86
#include <immintrin.h>
#endif

enum {				/* bytes */
	VECTOR = 16,
	LINE = 64,		/* of a cache */
};

enum { GROUPS = INTERLEAVE_MAX / 4 };	/* of a block, at most: group() */

typedef uint8_t vec8 __attribute__((vector_size(VECTOR)));
typedef uint16_t vec16 __attribute__((vector_size(VECTOR)));
typedef uint32_t vec32 __attribute__((vector_size(VECTOR)));
typedef uint64_t vec64 __attribute__((vector_size(VECTOR)));

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

/**
 * struct run - rows with contiguous blocks: all rows, or one
 * @stride:	from row to row of the joined ones, bytes
 * @width:	of a joined row, bytes
 * @len:	of the rows of a part, bytes
 * @count:	of such runs, @stride apart
 */
struct run {
	size_t		stride, width, len;
	unsigned int	count;
};

/* Position @at in joined rows, and the bytes left in its row */
struct place {
	size_t		at, left;
};

/* Vectors that are contiguous in joined rows: a row has whole groups */
INLINE unsigned int group(const unsigned int n)
{
	return n < 4 ? n : 4;
}

/* Positions of the @count groups of a block; moves @p on to the next block */
INLINE void groups(struct place *p, const struct run *r, size_t at[],
		   const unsigned int count, const unsigned int n)
{
#pragma GCC unroll 8
	for (unsigned int i = 0; i < count; i++) {
		at[i] = p->at;
		p->at += group(n) * VECTOR;
		p->left -= group(n) * VECTOR;
		if (!p->left) {
			p->at += r->stride - r->width;
			p->left = r->width;
		}
	}
}

/* The last block of @size bytes of each part: it ends with the run */
INLINE struct place last_block(const struct run *r, const size_t size,
			       const unsigned int n)
{
	size_t at = (r->len - size) * n, x = at % r->width;

	return (struct place){ at / r->width * r->stride + x, r->width - x };
}

/*
 * Position of the block after that at @at, of @size bytes of each part; moves
 * @p if it is the last one and has to begin earlier
 */
INLINE size_t next_block(struct place *p, const struct place *last,
			 const struct run *r, size_t at, const size_t size)
{
	at += size;
	if (at + size > r->len && at < r->len) {
		at = r->len - size;
		*p = *last;
	}
	return at;
}

/* Vector @i, of the groups at @at */
INLINE size_t vector_at(const size_t at[], unsigned int i, const unsigned int n)
{
	return at[i / group(n)] + i % group(n) * VECTOR;
}

/*
 * Prefetch the next lines to write: waiting for them took as long as all the
 * rest
 */
INLINE void interleave_expect(const uint8_t *to, const size_t at[],
			      const unsigned int count)
{
#pragma GCC unroll 8
	for (unsigned int i = 0; i < count; i++)
		__builtin_prefetch(to + at[i], 1);
}

/* The same for parts */
INLINE void expect_parts(uint8_t *const to[], size_t at, const unsigned int n)
{
#pragma GCC unroll 16
	for (unsigned int i = 0; i < n; i++)
		__builtin_prefetch(to[i] + at, 1);
}

/* One block: VECTOR bytes of each part */
INLINE void part_block(const uint8_t *from, const size_t place[],
		       uint8_t *const to[], size_t at, const unsigned int size,
		       const unsigned int n)
{
	vec8 v[INTERLEAVE_MAX];

#pragma GCC unroll 16
	for (unsigned int i = 0; i < n; i++)
		memcpy(&v[i], from + vector_at(place, i, n), VECTOR);
	shuffle(v, n, size, log2of(VECTOR / size));
#pragma GCC unroll 16
	for (unsigned int i = 0; i < n; i++)
		memcpy(to[i] + at, &v[i], VECTOR);
}

INLINE void join_block(const uint8_t *const from[], size_t at, uint8_t *to,
		       const size_t place[], const unsigned int size,
		       const unsigned int n)
{
	vec8 v[INTERLEAVE_MAX];

#pragma GCC unroll 16
	for (unsigned int i = 0; i < n; i++)
		memcpy(&v[i], from[i] + at, VECTOR);
	shuffle(v, n, size, log2of(n));
#pragma GCC unroll 16
	for (unsigned int i = 0; i < n; i++)
		memcpy(to + vector_at(place, i, n), &v[i], VECTOR);
}

/*
 * The same if a vector has one element of each part, without the last round:
 * its halves are joined when they are stored
 */
INLINE void join_halves(const uint8_t *const from[], size_t at, uint8_t *to,
			const size_t place[], const unsigned int size,
			const unsigned int n)
{
	vec8 v[INTERLEAVE_MAX / 2];

	for (unsigned int half = 0; half < 2; half++) {
#pragma GCC unroll 8
		for (unsigned int i = 0; i < n / 2; i++)
			memcpy(&v[i], from[half * n / 2 + i] + at, VECTOR);
		shuffle(v, n / 2, size, log2of(n / 2));
#pragma GCC unroll 16
		for (unsigned int i = 0; i < n; i++) {
			uint64_t e = ((vec64)v[i / 2])[i % 2];

			memcpy(to + vector_at(place, i, n) + half * sizeof(e),
			       &e, sizeof(e));
		}
	}
}

INLINE void part_rows(const uint8_t *from, const struct run *r,
		      uint8_t *const to[], const unsigned int size,
		      const unsigned int n)
{
	const unsigned int count = n / group(n);
	const struct place last = last_block(r, VECTOR, n);
	size_t place[GROUPS], done = 0;

	for (unsigned int i = 0; i < r->count; i++) {
		struct place p = { 0, r->width };

		for (size_t at = 0; at < r->len;
		     at = next_block(&p, &last, r, at, VECTOR)) {
			groups(&p, r, place, count, n);
			if (at % LINE == 0)
				expect_parts(to, done + at + LINE, n);
			part_block(from, place, to, done + at, size, n);
		}
		from += r->stride;
		done += r->len;
	}
}

INLINE void join_rows(const uint8_t *const from[], uint8_t *to,
		      const struct run *r, const unsigned int size,
		      const unsigned int n)
{
	const unsigned int count = n / group(n);
	const struct place last = last_block(r, VECTOR, n);
	size_t place[GROUPS], next[GROUPS], then, done = 0;

	for (unsigned int i = 0; i < r->count; i++) {
		struct place p = { 0, r->width };

		groups(&p, r, place, count, n);
		for (size_t at = 0; at < r->len; at = then) {
			then = next_block(&p, &last, r, at, VECTOR);
			groups(&p, r, next, count, n);
			interleave_expect(to, next, count);
			if (n * size == VECTOR)
				join_halves(from, done + at, to, place, size,
					    n);
			else
				join_block(from, done + at, to, place, size, n);
			memcpy(place, next, count * sizeof(*place));
		}
		to += r->stride;
		done += r->len;
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

/* A block and the next one, whose groups follow those of the first */
AVX2_INLINE void part_pair(const uint8_t *from, const size_t place[],
			   uint8_t *const to[], size_t at,
			   const unsigned int size, const unsigned int n)
{
	__m256i v[INTERLEAVE_MAX];

#pragma GCC unroll 16
	for (unsigned int i = 0; i < n; i++)
		v[i] = _mm256_loadu2_m128i(
				(void *)(from + vector_at(place, n + i, n)),
				(void *)(from + vector_at(place, i, n)));
	shuffle2(v, n, size, log2of(VECTOR / size));
#pragma GCC unroll 16
	for (unsigned int i = 0; i < n; i++)
		_mm256_storeu_si256((void *)(to[i] + at), v[i]);
}

AVX2_INLINE void join_pair(const uint8_t *const from[], size_t at, uint8_t *to,
			   const size_t place[], const unsigned int size,
			   const unsigned int n)
{
	__m256i v[INTERLEAVE_MAX];

#pragma GCC unroll 16
	for (unsigned int i = 0; i < n; i++)
		v[i] = _mm256_loadu_si256((void *)(from[i] + at));
	shuffle2(v, n, size, log2of(n));
#pragma GCC unroll 16
	for (unsigned int i = 0; i < n; i++)
		_mm_storeu_si128((void *)(to + vector_at(place, i, n)),
				 _mm256_castsi256_si128(v[i]));
#pragma GCC unroll 16
	for (unsigned int i = 0; i < n; i++)
		_mm_storeu_si128((void *)(to + vector_at(place, n + i, n)),
				 _mm256_extracti128_si256(v[i], 1));
}

AVX2_INLINE void part_pairs(const uint8_t *from, const struct run *r,
			    uint8_t *const to[], const unsigned int size,
			    const unsigned int n)
{
	const unsigned int count = 2 * n / group(n);
	const struct place last = last_block(r, 2 * VECTOR, n);
	size_t place[2 * GROUPS], done = 0;

	for (unsigned int i = 0; i < r->count; i++) {
		struct place p = { 0, r->width };

		for (size_t at = 0; at < r->len;
		     at = next_block(&p, &last, r, at, 2 * VECTOR)) {
			groups(&p, r, place, count, n);
			if (at % LINE == 0)
				expect_parts(to, done + at + LINE, n);
			part_pair(from, place, to, done + at, size, n);
		}
		from += r->stride;
		done += r->len;
	}
}

AVX2_INLINE void join_pairs(const uint8_t *const from[], uint8_t *to,
			    const struct run *r, const unsigned int size,
			    const unsigned int n)
{
	const unsigned int count = 2 * n / group(n);
	const struct place last = last_block(r, 2 * VECTOR, n);
	size_t place[2 * GROUPS], next[2 * GROUPS], then, done = 0;

	for (unsigned int i = 0; i < r->count; i++) {
		struct place p = { 0, r->width };

		groups(&p, r, place, count, n);
		for (size_t at = 0; at < r->len; at = then) {
			then = next_block(&p, &last, r, at, 2 * VECTOR);
			groups(&p, r, next, count, n);
			interleave_expect(to, next, count);
			join_pair(from, done + at, to, place, size, n);
			memcpy(place, next, count * sizeof(*place));
		}
		to += r->stride;
		done += r->len;
	}
}
#endif

/* CALL(size, n) with @size and @n as constants */
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

#define PART(s, m)	part_rows(from, r, to, s, m)
#define PART2(s, m)	part_pairs(from, r, to, s, m)
#define JOIN(s, m)	join_rows(from, to, r, s, m)
#define JOIN2(s, m)	join_pairs(from, to, r, s, m)

#if CPU_X86
static CPU_AVX2 void part_avx2(const uint8_t *from, const struct run *r,
			       uint8_t *const to[], unsigned int size,
			       unsigned int n)
{
	CONSTANT(PART2);
}

static CPU_AVX2 void join_avx2(const uint8_t *const from[], uint8_t *to,
			       const struct run *r, unsigned int size,
			       unsigned int n)
{
	CONSTANT(JOIN2);
}
#else
#define part_avx2(...)
#define join_avx2(...)
#endif

static void part_portable(const uint8_t *from, const struct run *r,
			  uint8_t *const to[], unsigned int size,
			  unsigned int n)
{
	CONSTANT(PART);
}

static void join_portable(const uint8_t *const from[], uint8_t *to,
			  const struct run *r, unsigned int size,
			  unsigned int n)
{
	CONSTANT(JOIN);
}

/* Whether parts are equal and have at least a vector; else use the reference */
static bool vectors(size_t count, unsigned int size, unsigned int n)
{
	return n > 1 && count % n == 0 && count / n * size >= VECTOR &&
	       (size == 1 || size == 2 || size == 4);
}

/* Blocks continue over all rows unless groups would cross the end of one */
static struct run run_of(size_t stride, unsigned int rows, size_t len,
			 unsigned int n)
{
	bool on = len * n % (group(n) * VECTOR) == 0;

	return (struct run){ stride, len * n, on ? rows * len : len,
			     on ? rows > 0 : rows };
}

void deinterleave(const uint8_t *from, size_t stride, unsigned int rows,
		  uint8_t *const to[], size_t count, unsigned int size,
		  unsigned int n)
{
	const struct run r = run_of(stride, rows, count / n * size, n);

	if (!vectors(count, size, n))
		deinterleave_ref(from, stride, rows, to, count, size, n);
	else if (cpu_avx2() && r.len >= 2 * VECTOR)
		part_avx2(from, &r, to, size, n);
	else
		part_portable(from, &r, to, size, n);
}

void interleave(const uint8_t *const from[], uint8_t *to, size_t stride,
		unsigned int rows, size_t count, unsigned int size,
		unsigned int n)
{
	const struct run r = run_of(stride, rows, count / n * size, n);

	if (!vectors(count, size, n))
		interleave_ref(from, to, stride, rows, count, size, n);
	/* join_halves() is faster than AVX2 */
	else if (cpu_avx2() && r.len >= 2 * VECTOR && n * size != VECTOR)
		join_avx2(from, to, &r, size, n);
	else
		join_portable(from, to, &r, size, n);
}
