// SPDX-License-Identifier: GPL-2.0-only
/*
 * sample - look up the submap's cells at the centres of a tile's cells
 *
 * A block of a tile is a short line in the submap. Most blocks have no known
 * cells near. A coarse map of the submap tells this for a patch, several blocks
 * above each other, at once. In the other blocks each cell is looked up, all of
 * a block in parallel if the CPU can gather.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/cpu.h"
#include "map/fusion/sample.h"
#if CPU_X86
#include <immintrin.h>
#elif CPU_NEON
#include <arm_neon.h>
#endif

enum {
	STEP_BITS	= 17,			/* within a block */
	STEP_SHIFT	= TRANSFORM_BITS - STEP_BITS,
	NEAR_SHIFT	= TRANSFORM_BITS + 2,	/* CELLS_BLOCK */
	ROW_BLOCKS	= TILE_SIDE / RULE_STEP,
	PATCH_ROWS	= 4,			/* blocks above each other */
	PATCHES		= TILE_BLOCKS / PATCH_ROWS,
	BLOCK_RANGE	= (1 << (31 - STEP_BITS)) - 256, /* cells */
};

_Static_assert(CELLS_BLOCK == 1 << (NEAR_SHIFT - TRANSFORM_BITS), "blocks");

/*
 * The distance from the middle of a patch to a cell of it, and on to the centre
 * of one splatted there, is at most 8.25 steps. Less half a cell, and for steps
 * that are not longer than this, CELLS_NEARER is enough.
 */
static const double STEADY = 0.98;

/**
 * struct tile_way - position of a tile in a submap
 * @u, @v:	its first cell
 * @du, @dv:	step from block to block; upwards @du_row, @dv_row
 */
struct tile_way {
	int64_t	u, v, du, dv, du_row, dv_row;
};

static struct tile_way tile_way(const struct transform *way, int x, int y)
{
	const int64_t right = x * TILE_SIDE - way->x0;
	const int64_t up = y * TILE_SIDE - way->y0;

	return (struct tile_way){
		.u = way->u + right * way->du - up * way->dv,
		.v = way->v + right * way->dv + up * way->du,
		.du = way->du * RULE_STEP, .dv = way->dv * RULE_STEP,
		.du_row = -way->dv, .dv_row = way->du,
	};
}

/**
 * struct near - which parts of a submap have known cells near
 * @u, @v:	middle of the tile's first patch, with the margin
 * @du, @dv:	step from patch to patch; upwards @du_row, @dv_row
 * @how:	CELLS_IS_NEAR or CELLS_IS_NEARER
 */
struct near {
	const uint8_t	*near;
	uint8_t		how;
	unsigned int	width, height;
	int64_t		u, v, du, dv, du_row, dv_row;
};

static struct near near_of(const struct transform *way,
			   const struct tile_way *t)
{
	const int64_t margin = (int64_t)CELLS_MARGIN << NEAR_SHIFT;

	return (struct near){
		.near = way->c->near,
		.how = way->ratio < STEADY ? CELLS_IS_NEAR : CELLS_IS_NEARER,
		.width = way->c->near_width,
		.height = (way->c->height + CELLS_BLOCK - 1) / CELLS_BLOCK +
			  2 * CELLS_MARGIN,
		.u = t->u + margin + way->du * (RULE_STEP - 1) / 2 +
		     t->du_row * (PATCH_ROWS - 1) / 2,
		.v = t->v + margin + way->dv * (RULE_STEP - 1) / 2 +
		     t->dv_row * (PATCH_ROWS - 1) / 2,
		.du = t->du, .dv = t->dv,
		.du_row = t->du_row * PATCH_ROWS,
		.dv_row = t->dv_row * PATCH_ROWS,
	};
}

/* Patches with known cells near. Return: how many */
INLINE unsigned int find_portable(const struct near *b, uint32_t *patch)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < PATCHES; i++) {
		const int64_t row = i / ROW_BLOCKS, column = i % ROW_BLOCKS;
		const uint64_t bu = (b->u + column * b->du + row * b->du_row) >>
				    NEAR_SHIFT;
		const uint64_t bv = (b->v + column * b->dv + row * b->dv_row) >>
				    NEAR_SHIFT;

		patch[n] = i;
		n += bu < b->width && bv < b->height &&
		     b->near[bv * b->width + bu] & b->how;
	}
	return n;
}

static int32_t sample_step(int64_t d)
{
	return (d + (1 << (STEP_SHIFT - 1))) >> STEP_SHIFT;
}

/* Constants of the blocks of a tile */
typedef struct {
	int32_t		u, v;
	uint32_t	width, height;
	bool		fill;
} lanes_portable;

INLINE lanes_portable make_lanes_portable(const struct transform *way,
					  bool fill)
{
	return (lanes_portable){ sample_step(way->du), sample_step(way->dv),
				 way->c->width, way->c->height, fill };
}

INLINE int take_cell(void *under, const unsigned int bits, unsigned int i)
{
	int8_t *v8 = (int8_t *)under + i;
	int16_t *v16 = (int16_t *)under + i;
	const int value = bits == 8 ? *v8 : *v16;

	if (bits == 8)
		*v8 = -1;
	else
		*v16 = -1;
	return value;
}

/* Return: whether any cell is known */
INLINE bool block_portable(const lanes_portable *l, const void *data,
			   const unsigned int bits, int32_t u, int32_t v,
			   void *under, void *to)
{
	bool known = false;

	for (unsigned int i = 0; i < RULE_STEP; i++, u += l->u, v += l->v) {
		const uint32_t x = u >> STEP_BITS, y = v >> STEP_BITS;
		int value = -1;

		if (l->fill)
			value = take_cell(under, bits, i);
		if (value < 0 && x < l->width && y < l->height)
			value = bits == 8 ?
				((const int8_t *)data)[(size_t)y * l->width + x] :
				((const int16_t *)data)[(size_t)y * l->width + x];
		known |= value >= 0;
		if (bits == 8)
			((int8_t *)to)[i] = value;
		else
			((int16_t *)to)[i] = value;
	}
	return known;
}

#define TARGET
#define NAME(x)		x##_portable
#include "sample_body.h"

#if CPU_X86
/* u, v: offsets of the lanes; width, height: of the submap, in lanes */
typedef struct {
	__m512i	u, v, stride, width, height;
	bool	fill;
} lanes_avx512;

CPU_AVX512
INLINE lanes_avx512 make_lanes_avx512(const struct transform *way, bool fill)
{
	const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
					       10, 11, 12, 13, 14, 15);

	return (lanes_avx512){
		_mm512_mullo_epi32(lane,
				   _mm512_set1_epi32(sample_step(way->du))),
		_mm512_mullo_epi32(lane,
				   _mm512_set1_epi32(sample_step(way->dv))),
		_mm512_set1_epi32(way->c->width),
		_mm512_set1_epi32(way->c->width << STEP_BITS),
		_mm512_set1_epi32(way->c->height << STEP_BITS),
		fill,
	};
}

CPU_AVX512
INLINE bool block_avx512(const lanes_avx512 *l, const void *data,
			 const unsigned int bits, int32_t u, int32_t v,
			 void *under, void *to)
{
	const __m512i us = _mm512_add_epi32(_mm512_set1_epi32(u), l->u);
	const __m512i vs = _mm512_add_epi32(_mm512_set1_epi32(v), l->v);
	const __m512i at = _mm512_add_epi32(_mm512_srai_epi32(us, STEP_BITS),
		_mm512_mullo_epi32(_mm512_srai_epi32(vs, STEP_BITS),
				   l->stride));
	__mmask16 in = _mm512_mask_cmplt_epu32_mask(
		_mm512_cmplt_epu32_mask(us, l->width), vs, l->height);
	__m512i got = _mm512_set1_epi32(-1);

	if (l->fill && bits == 8) {
		got = _mm512_cvtepi8_epi32(_mm_loadu_si128(under));
		_mm_storeu_si128(under, _mm_set1_epi8(-1));
	} else if (l->fill) {
		got = _mm512_cvtepi16_epi32(_mm256_loadu_si256(under));
		_mm256_storeu_si256(under, _mm256_set1_epi16(-1));
	}
	in &= _mm512_movepi32_mask(got);
	if (bits == 8) {
		const __m128i v8 = _mm512_cvtepi32_epi8(
			_mm512_mask_i32gather_epi32(got, in, at, data, 1));

		_mm_storeu_si128(to, v8);
		return _mm_movepi8_mask(v8) != 0xffff;
	} else {
		const __m256i v16 = _mm512_cvtepi32_epi16(
			_mm512_mask_i32gather_epi32(got, in, at, data, 2));

		_mm256_storeu_si256(to, v16);
		return _mm256_movepi16_mask(v16) != 0xffff;
	}
}

/* Are eight blocks near known cells? */
CPU_AVX512
INLINE __mmask8 near_avx512(const struct near *b, __m512i u, __m512i v)
{
	const __m512i bu = _mm512_srai_epi64(u, NEAR_SHIFT);
	const __m512i bv = _mm512_srai_epi64(v, NEAR_SHIFT);
	const __mmask8 in = _mm512_mask_cmplt_epu64_mask(
		_mm512_cmplt_epu64_mask(bu, _mm512_set1_epi64(b->width)), bv,
		_mm512_set1_epi64(b->height));
	/* 32 bits are enough for valid positions */
	const __m512i at = _mm512_add_epi64(bu, _mm512_mul_epu32(bv,
				_mm512_set1_epi64(b->width)));
	const __m256i got = _mm512_mask_i64gather_epi32(
		_mm256_setzero_si256(), in, at, b->near, 1);

	return _mm256_test_epi32_mask(got, _mm256_set1_epi32(b->how));
}

/* Eight patches, two rows, at once; unpredictable branches avoided */
CPU_AVX512
INLINE unsigned int find_avx512(const struct near *b, uint32_t *patch)
{
	const __m512i column = _mm512_setr_epi64(0, 1, 2, 3, 0, 1, 2, 3);
	const __m512i row = _mm512_setr_epi64(0, 0, 0, 0, 1, 1, 1, 1);
	const __m512i du = _mm512_set1_epi64(2 * b->du_row);
	const __m512i dv = _mm512_set1_epi64(2 * b->dv_row);
	__m512i u = _mm512_add_epi64(_mm512_set1_epi64(b->u),
		_mm512_add_epi64(
		_mm512_mullo_epi64(column, _mm512_set1_epi64(b->du)),
		_mm512_mullo_epi64(row, _mm512_set1_epi64(b->du_row))));
	__m512i v = _mm512_add_epi64(_mm512_set1_epi64(b->v),
		_mm512_add_epi64(
		_mm512_mullo_epi64(column, _mm512_set1_epi64(b->dv)),
		_mm512_mullo_epi64(row, _mm512_set1_epi64(b->dv_row))));
	__m256i at = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	unsigned int n = 0;

	for (unsigned int i = 0; i < PATCHES; i += 8) {
		const __mmask8 is = near_avx512(b, u, v);

		_mm256_storeu_si256((void *)(patch + n),
				    _mm256_maskz_compress_epi32(is, at));
		n += __builtin_popcount(is);
		u = _mm512_add_epi64(u, du);
		v = _mm512_add_epi64(v, dv);
		at = _mm256_add_epi32(at, _mm256_set1_epi32(8));
	}
	return n;
}

#define TARGET		CPU_AVX512
#define NAME(x)		x##_avx512
#include "sample_body.h"

/* As lanes_avx512, but for half a block */
typedef struct {
	__m256i	u, v, stride, last_u, last_v;
	int32_t	half_u, half_v;
	bool	fill;
} lanes_avx2;

CPU_AVX2
INLINE lanes_avx2 make_lanes_avx2(const struct transform *way, bool fill)
{
	const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
	const int32_t u = sample_step(way->du), v = sample_step(way->dv);

	return (lanes_avx2){
		_mm256_mullo_epi32(lane, _mm256_set1_epi32(u)),
		_mm256_mullo_epi32(lane, _mm256_set1_epi32(v)),
		_mm256_set1_epi32(way->c->width),
		_mm256_set1_epi32((way->c->width << STEP_BITS) - 1),
		_mm256_set1_epi32((way->c->height << STEP_BITS) - 1),
		8 * u, 8 * v, fill,
	};
}

/* Return: lanes with known cells, as bits of bytes */
CPU_AVX2
INLINE unsigned int half_avx2(const lanes_avx2 *l, const void *data,
			      const unsigned int bits, int32_t u, int32_t v,
			      void *under, void *to)
{
	const __m256i order8 = _mm256_setr_epi8(
		0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
		0, 4, 8, 12, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1);
	const __m256i pairs = _mm256_setr_epi32(0, 4, 1, 1, 1, 1, 1, 1);
	const __m256i order16 = _mm256_setr_epi8(
		0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1,
		0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1);
	const __m256i us = _mm256_add_epi32(_mm256_set1_epi32(u), l->u);
	const __m256i vs = _mm256_add_epi32(_mm256_set1_epi32(v), l->v);
	const __m256i at = _mm256_add_epi32(_mm256_srai_epi32(us, STEP_BITS),
		_mm256_mullo_epi32(_mm256_srai_epi32(vs, STEP_BITS),
				   l->stride));
	__m256i in = _mm256_and_si256(
		_mm256_cmpeq_epi32(_mm256_max_epu32(us, l->last_u), l->last_u),
		_mm256_cmpeq_epi32(_mm256_max_epu32(vs, l->last_v), l->last_v));
	__m256i got = _mm256_set1_epi32(-1);
	__m128i half;

	if (l->fill && bits == 8) {
		got = _mm256_cvtepi8_epi32(_mm_loadl_epi64(under));
		_mm_storel_epi64(under, _mm_set1_epi8(-1));
	} else if (l->fill) {
		got = _mm256_cvtepi16_epi32(_mm_loadu_si128(under));
		_mm_storeu_si128(under, _mm_set1_epi16(-1));
	}
	in = _mm256_and_si256(in, _mm256_srai_epi32(got, 31));
	/* the scale must be a constant of the instruction */
	if (bits == 8) {
		got = _mm256_mask_i32gather_epi32(got, data, at, in, 1);
		half = _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(
			_mm256_shuffle_epi8(got, order8), pairs));
		_mm_storel_epi64(to, half);
		return ~_mm_movemask_epi8(half) & 0xff;
	}
	got = _mm256_mask_i32gather_epi32(got, data, at, in, 2);
	half = _mm256_castsi256_si128(_mm256_permute4x64_epi64(
			_mm256_shuffle_epi8(got, order16), 0x08));
	_mm_storeu_si128(to, half);
	/* the sign is in the upper byte */
	return ~_mm_movemask_epi8(half) & 0xaaaa;
}

CPU_AVX2
INLINE bool block_avx2(const lanes_avx2 *l, const void *data,
		       const unsigned int bits, int32_t u, int32_t v,
		       void *under, void *to)
{
	const unsigned int first = half_avx2(l, data, bits, u, v, under, to);
	const unsigned int second = half_avx2(l, data, bits, u + l->half_u,
		v + l->half_v, (char *)under + bits, (char *)to + bits);

	return first | second;
}

#define find_avx2	find_portable
#define TARGET		CPU_AVX2
#define NAME(x)		x##_avx2
#include "sample_body.h"
#endif

#if CPU_NEON
/* u, v: offsets of four lanes, and of the next four */
typedef struct {
	int32x4_t	u, v, next_u, next_v;
	uint16x8_t	width, height;
	bool		fill;
} lanes_neon;

INLINE lanes_neon make_lanes_neon(const struct transform *way, bool fill)
{
	static const int32_t order[] = { 0, 1, 2, 3 };
	const int32x4_t lane = vld1q_s32(order);
	const int32_t u = sample_step(way->du), v = sample_step(way->dv);
	/* positions within a block have no more bits */
	const uint32_t most = 1 << (31 - STEP_BITS);
	const uint32_t width = way->c->width, height = way->c->height;

	return (lanes_neon){
		vmulq_n_s32(lane, u), vmulq_n_s32(lane, v),
		vdupq_n_s32(4 * u), vdupq_n_s32(4 * v),
		vdupq_n_u16((uint16_t)(width < most ? width : most)),
		vdupq_n_u16((uint16_t)(height < most ? height : most)), fill,
	};
}

/* Cells of eight lanes: positions as whole numbers */
INLINE uint16x8_t whole_neon(int32x4_t a, int32x4_t b)
{
	return vreinterpretq_u16_s16(vshrq_n_s16(vuzp2q_s16(
		vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b)),
		STEP_BITS - 16));
}

/**
 * struct eight_neon - half of a block
 * @in:		all ones in lanes in the submap
 * @low, @high:	cells from the first one; 0 in other lanes
 */
struct eight_neon {
	uint16x8_t	in;
	uint32x4_t	low, high;
};

INLINE struct eight_neon eight_neon(const lanes_neon *l, int32x4_t u,
				    int32x4_t v)
{
	uint16x8_t x = whole_neon(u, vaddq_s32(u, l->next_u));
	uint16x8_t y = whole_neon(v, vaddq_s32(v, l->next_v));
	struct eight_neon e;

	e.in = vandq_u16(vcltq_u16(x, l->width), vcltq_u16(y, l->height));
	x = vandq_u16(x, e.in);
	y = vandq_u16(y, e.in);
	e.low = vaddw_u16(vmull_u16(vget_low_u16(y), vget_low_u16(l->width)),
			  vget_low_u16(x));
	e.high = vaddw_high_u16(vmull_high_u16(y, l->width), x);
	return e;
}

/* What GATHER(GET, e, to, from) does for each of eight lanes */
#define GET_8(e, part, i, k, to, from)					\
	(to = vsetq_lane_s8((from)[vgetq_lane_u32((e).part, i)], to, k))
#define GET_16(e, part, i, k, to, from)					\
	(to = vsetq_lane_s16((from)[vgetq_lane_u32((e).part, i)], to, k))
#define GATHER(GET, e, at, to, from) do {				\
	GET(e, low, 0, (at), to, from);					\
	GET(e, low, 1, (at) + 1, to, from);				\
	GET(e, low, 2, (at) + 2, to, from);				\
	GET(e, low, 3, (at) + 3, to, from);				\
	GET(e, high, 0, (at) + 4, to, from);				\
	GET(e, high, 1, (at) + 5, to, from);				\
	GET(e, high, 2, (at) + 6, to, from);				\
	GET(e, high, 3, (at) + 7, to, from);				\
} while (0)

/* Return: the largest value */
INLINE int block_8_neon(const struct eight_neon *a, const struct eight_neon *b,
			const int8_t *data, int8_t *under, int8_t *to)
{
	uint8x16_t in = vuzp1q_u8(vreinterpretq_u8_u16(a->in),
				  vreinterpretq_u8_u16(b->in));
	int8x16_t v = vdupq_n_s8(-1), was = v;

	if (under) {
		was = vld1q_s8(under);
		vst1q_s8(under, v);
		in = vandq_u8(in, vcltzq_s8(was));
	}
	GATHER(GET_8, *a, 0, v, data);
	GATHER(GET_8, *b, 8, v, data);
	v = vbslq_s8(in, v, was);
	vst1q_s8(to, v);
	return vmaxvq_s8(v);
}

/* The same for half a block */
INLINE int half_16_neon(const struct eight_neon *e, const int16_t *data,
			int16_t *under, int16_t *to)
{
	uint16x8_t in = e->in;
	int16x8_t v = vdupq_n_s16(-1), was = v;

	if (under) {
		was = vld1q_s16(under);
		vst1q_s16(under, v);
		in = vandq_u16(in, vcltzq_s16(was));
	}
	GATHER(GET_16, *e, 0, v, data);
	v = vbslq_s16(in, v, was);
	vst1q_s16(to, v);
	return vmaxvq_s16(v);
}

INLINE bool block_neon(const lanes_neon *l, const void *data,
		       const unsigned int bits, int32_t u, int32_t v,
		       void *under, void *to)
{
	const int32x4_t us = vaddq_s32(vdupq_n_s32(u), l->u);
	const int32x4_t vs = vaddq_s32(vdupq_n_s32(v), l->v);
	const struct eight_neon a = eight_neon(l, us, vs);
	const struct eight_neon b = eight_neon(l,
		vaddq_s32(us, vaddq_s32(l->next_u, l->next_u)),
		vaddq_s32(vs, vaddq_s32(l->next_v, l->next_v)));
	int16_t *under_16 = l->fill ? under : NULL;
	int first, second;

	if (bits == 8)
		return block_8_neon(&a, &b, data, l->fill ? under : NULL,
				    to) >= 0;
	first = half_16_neon(&a, data, under_16, to);
	second = half_16_neon(&b, data, under_16 ? under_16 + 8 : NULL,
			      (int16_t *)to + 8);
	return first >= 0 || second >= 0;
}

#define find_neon	find_portable
#define TARGET
#define NAME(x)		x##_neon
#include "sample_body.h"
#endif

/* May a tile overlap the submap including its margin? */
static bool overlaps(const struct transform *way, const struct tile_way *t)
{
	const int64_t u = t->u + TILE_SIDE / 2 * (way->du - way->dv);
	const int64_t v = t->v + TILE_SIDE / 2 * (way->dv + way->du);
	const int64_t reach = (TILE_SIDE / 2 + 1) *
			      (llabs(way->du) + llabs(way->dv)) +
			      ((int64_t)CELLS_NEAR << TRANSFORM_BITS);

	return u > -reach && v > -reach &&
	       u < ((int64_t)way->c->width << TRANSFORM_BITS) + reach &&
	       v < ((int64_t)way->c->height << TRANSFORM_BITS) + reach;
}

unsigned int sample_tile(const struct transform *way, int x, int y,
			 void *under, size_t stride, uint16_t *at,
			 void *cells)
{
	const struct tile_way t = tile_way(way, x, y);

	if (!overlaps(way, &t))
		return 0;
#if CPU_X86
	if (cpu_avx512())
		return sample_tile_avx512(way, &t, under, stride, at, cells);
	if (cpu_avx2())
		return sample_tile_avx2(way, &t, under, stride, at, cells);
#elif CPU_NEON
	if (cpu_neon())
		return sample_tile_neon(way, &t, under, stride, at, cells);
#endif
	return sample_tile_portable(way, &t, under, stride, at, cells);
}

void sample_blocks(const struct transform *way, int x, int y,
		   const uint16_t *at, unsigned int count, void *cells)
{
	const lanes_portable lanes = make_lanes_portable(way, false);
	const unsigned int bits = way->c->bits;
	const struct tile_way t = tile_way(way, x, y);

	for (unsigned int i = 0; i < count; i++) {
		const int64_t row = at[i] / TILE_SIDE;
		const int64_t column = at[i] % TILE_SIDE / RULE_STEP;
		const int64_t u = t.u + column * t.du + row * t.du_row;
		const int64_t v = t.v + column * t.dv + row * t.dv_row;
		char *to = (char *)cells + i * RULE_STEP * (bits / 8);

		/* too far away for the bits of a block */
		if (llabs(u) >> TRANSFORM_BITS > BLOCK_RANGE ||
		    llabs(v) >> TRANSFORM_BITS > BLOCK_RANGE)
			memset(to, 0xff, RULE_STEP * (bits / 8));
		else
			block_portable(&lanes, way->c->data, bits,
				       u >> STEP_SHIFT, v >> STEP_SHIFT, NULL,
				       to);
	}
}
