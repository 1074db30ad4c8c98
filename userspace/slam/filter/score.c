// SPDX-License-Identifier: GPL-2.0-only
/*
 * score.c - four versions of one loop
 */
#include <assert.h>
#include <math.h>
#include <string.h>
#include "base/cpu.h"
#include "slam/filter/det_math.h"
#include "slam/filter/score.h"
#if CPU_X86
#include <immintrin.h>
#include "slam/filter/tiles_far.h"
#elif CPU_NEON
#include "slam/filter/tiles_neon.h"
#endif

/* Half a cell: values are at the centres of cells */
#define HALF	(FIELD_UNIT / 2)
/* Far from any map, even after a motion */
#define FAR	(1 << 30)

static void rotate_plain(struct rotated *to, const struct endpoints *from,
			 float s, float c)
{
	for (unsigned int i = 0; i < from->room; i++) {
		const float x = from->x[i], y = from->y[i];

		to->x[i] = (int32_t)rintf(c * x - s * y);
		to->y[i] = (int32_t)rintf(s * x + c * y);
	}
}

static int64_t score_plain(const struct field_window *f, const uint8_t *base,
			   const struct rotated *p, int x, int y)
{
	const int left = f->x * (1 << (TILE_BITS + FIELD_BITS));
	const int low = f->y * (1 << (TILE_BITS + FIELD_BITS));
	const int shift = TILE_BITS + FIELD_BITS;
	int64_t sum = 0;

	for (unsigned int i = 0; i < p->count; i++) {
		const int px = p->x[i] + x - HALF - left;
		const int py = p->y[i] + y - HALF - low;
		const unsigned int tx = (unsigned int)(px >> shift);
		const unsigned int ty = (unsigned int)(py >> shift);
		const int cx = px >> FIELD_BITS & (TILE_SIDE - 1);
		const int cy = py >> FIELD_BITS & (TILE_SIDE - 1);
		const int wx = px & (FIELD_UNIT - 1);
		const int wy = py & (FIELD_UNIT - 1);
		const uint8_t *v;
		int a, b;

		if (tx >= (unsigned int)f->width || ty >= (unsigned int)f->height)
			continue;
		v = ((const struct tile *)field_window_at(f, base,
			ty * (size_t)f->width + tx))->field +
			cy * TILE_STRIDE + cx;
		a = v[0] * (FIELD_UNIT - wx) + v[1] * wx;
		b = v[TILE_STRIDE] * (FIELD_UNIT - wx) + v[TILE_STRIDE + 1] * wx;
		/* the range of an int16_t */
		a >>= 1;
		b >>= 1;
		sum += (a * (FIELD_UNIT - wy) + b * wy) >> FIELD_BITS;
	}
	return sum;
}

#if CPU_X86
CPU_AVX2
static void rotate_avx2(struct rotated *to, const struct endpoints *from,
			float s, float c)
{
	const __m256 sine = _mm256_set1_ps(s), cosine = _mm256_set1_ps(c);

	for (unsigned int i = 0; i < from->room; i += 8) {
		const __m256 x = _mm256_load_ps(from->x + i);
		const __m256 y = _mm256_load_ps(from->y + i);

		_mm256_store_si256((__m256i *)(to->x + i), _mm256_cvtps_epi32(
			_mm256_sub_ps(_mm256_mul_ps(cosine, x),
				      _mm256_mul_ps(sine, y))));
		_mm256_store_si256((__m256i *)(to->y + i), _mm256_cvtps_epi32(
			_mm256_add_ps(_mm256_mul_ps(sine, x),
				      _mm256_mul_ps(cosine, y))));
	}
}

CPU_AVX2
static int64_t sum_avx2(__m256i v)
{
	const __m256i lanes = _mm256_add_epi64(
		_mm256_cvtepi32_epi64(_mm256_castsi256_si128(v)),
		_mm256_cvtepi32_epi64(_mm256_extracti128_si256(v, 1)));
	const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(lanes),
					  _mm256_extracti128_si256(lanes, 1));

	return _mm_cvtsi128_si64(two) + _mm_extract_epi64(two, 1);
}

/* The lower two bytes of each 32 bits, as 16 bits each */
#define SPREAD	_mm_setr_epi8(0, -1, 1, -1, 4, -1, 5, -1,		\
			      8, -1, 9, -1, 12, -1, 13, -1)

/* Two weights that add up to 256, for _mm_madd_epi16() */
#define PAIR(w, unit, set)						\
	set##_or_si##unit(set##_slli_epi32(w, 16), 			\
			  set##_sub_epi32(set##_set1_epi32(FIELD_UNIT), w))

/* Four bytes each at places in tiles; @far as struct field_window has it */
CPU_AVX2
static inline __m256i cells8(const uint8_t *first, __m256i tile, __m256i cell,
			     bool far)
{
	__m256i low, high;

	if (!far)
		return _mm256_i32gather_epi32((const int *)first,
			_mm256_add_epi32(tile, cell), 1);
	tiles_far8(tile, cell, &low, &high);
	return _mm256_inserti128_si256(_mm256_castsi128_si256(
		_mm256_i64gather_epi32((const int *)first, low, 1)),
		_mm256_i64gather_epi32((const int *)first, high, 1), 1);
}

CPU_AVX2
static inline __attribute__((always_inline))
int64_t sum_of_avx2(const struct field_window *f, const uint8_t *base,
		    const struct rotated *p, int x, int y, bool far)
{
	const int shift = TILE_BITS + FIELD_BITS;
	const __m256i dx = _mm256_set1_epi32(x - HALF - f->x * (1 << shift));
	const __m256i dy = _mm256_set1_epi32(y - HALF - f->y * (1 << shift));
	const __m256i width = _mm256_set1_epi32(f->width);
	const __m256i height = _mm256_set1_epi32(f->height);
	const __m256i cells = _mm256_set1_epi32(TILE_SIDE - 1);
	const __m256i parts = _mm256_set1_epi32(FIELD_UNIT - 1);
	const __m256i none = _mm256_set1_epi32(-1);
	const __m256i stride = _mm256_set1_epi32(TILE_STRIDE);
	const __m256i spread = _mm256_broadcastsi128_si256(SPREAD);
	const int *tiles = (const int *)f->place;
	const uint8_t *low = tile_at(base, 0)->field;
	__m256i sum = _mm256_setzero_si256();

	for (unsigned int i = 0; i < p->room; i += 8) {
		const __m256i px = _mm256_add_epi32(dx, _mm256_load_si256(
			(const __m256i *)(p->x + i)));
		const __m256i py = _mm256_add_epi32(dy, _mm256_load_si256(
			(const __m256i *)(p->y + i)));
		const __m256i tx = _mm256_srai_epi32(px, shift);
		const __m256i ty = _mm256_srai_epi32(py, shift);
		const __m256i in = _mm256_and_si256(
			_mm256_and_si256(_mm256_cmpgt_epi32(tx, none),
					 _mm256_cmpgt_epi32(width, tx)),
			_mm256_and_si256(_mm256_cmpgt_epi32(ty, none),
					 _mm256_cmpgt_epi32(height, ty)));
		const __m256i tile = _mm256_mask_i32gather_epi32(
			_mm256_setzero_si256(), tiles, _mm256_add_epi32(tx,
			_mm256_mullo_epi32(ty, width)), in, 4);
		const __m256i cx = _mm256_and_si256(cells,
			_mm256_srai_epi32(px, FIELD_BITS));
		const __m256i cy = _mm256_and_si256(cells,
			_mm256_srai_epi32(py, FIELD_BITS));
		const __m256i cell = _mm256_add_epi32(cx,
			_mm256_mullo_epi32(cy, stride));
		const __m256i wx = _mm256_and_si256(px, parts);
		const __m256i wy = _mm256_and_si256(py, parts);
		const __m256i along = PAIR(wx, 256, _mm256);
		const __m256i across = PAIR(wy, 256, _mm256);
		const __m256i a = _mm256_madd_epi16(along, _mm256_shuffle_epi8(
			cells8(low, tile, cell, far), spread));
		const __m256i b = _mm256_madd_epi16(along, _mm256_shuffle_epi8(
			cells8(low + TILE_STRIDE, tile, cell, far), spread));
		const __m256i ab = _mm256_blend_epi16(_mm256_srli_epi32(a, 1),
			_mm256_slli_epi32(b, 15), 0xaa);

		sum = _mm256_add_epi32(sum, _mm256_srli_epi32(
			_mm256_madd_epi16(across, ab), FIELD_BITS));
	}
	return sum_avx2(sum);
}

CPU_AVX2
static int64_t score_avx2(const struct field_window *f, const uint8_t *base,
			  const struct rotated *p, int x, int y)
{
	return f->far ? sum_of_avx2(f, base, p, x, y, true) :
			sum_of_avx2(f, base, p, x, y, false);
}

CPU_AVX512
static void rotate_avx512(struct rotated *to, const struct endpoints *from,
			  float s, float c)
{
	const __m512 sine = _mm512_set1_ps(s), cosine = _mm512_set1_ps(c);

	for (unsigned int i = 0; i < from->room; i += 16) {
		const __m512 x = _mm512_load_ps(from->x + i);
		const __m512 y = _mm512_load_ps(from->y + i);

		_mm512_store_si512(to->x + i, _mm512_cvtps_epi32(
			_mm512_sub_ps(_mm512_mul_ps(cosine, x),
				      _mm512_mul_ps(sine, y))));
		_mm512_store_si512(to->y + i, _mm512_cvtps_epi32(
			_mm512_add_ps(_mm512_mul_ps(sine, x),
				      _mm512_mul_ps(cosine, y))));
	}
}

CPU_AVX512
static inline __m512i cells16(const uint8_t *first, __m512i tile, __m512i cell,
			      bool far)
{
	__m512i low, high;

	if (!far)
		return _mm512_i32gather_epi32(_mm512_add_epi32(tile, cell),
					      first, 1);
	low = _mm512_add_epi64(_mm512_slli_epi64(_mm512_cvtepu32_epi64(
		_mm512_castsi512_si256(tile)), TILE_UNIT_BITS),
		_mm512_cvtepi32_epi64(_mm512_castsi512_si256(cell)));
	high = _mm512_add_epi64(_mm512_slli_epi64(_mm512_cvtepu32_epi64(
		_mm512_extracti64x4_epi64(tile, 1)), TILE_UNIT_BITS),
		_mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(cell, 1)));
	return _mm512_inserti64x4(_mm512_castsi256_si512(
		_mm512_i64gather_epi32(low, first, 1)),
		_mm512_i64gather_epi32(high, first, 1), 1);
}

CPU_AVX512
static inline __attribute__((always_inline))
int64_t sum_of_avx512(const struct field_window *f, const uint8_t *base,
		      const struct rotated *p, int x, int y, bool far)
{
	const int shift = TILE_BITS + FIELD_BITS;
	const __m512i dx = _mm512_set1_epi32(x - HALF - f->x * (1 << shift));
	const __m512i dy = _mm512_set1_epi32(y - HALF - f->y * (1 << shift));
	const __m512i width = _mm512_set1_epi32(f->width);
	const __m512i height = _mm512_set1_epi32(f->height);
	const __m512i cells = _mm512_set1_epi32(TILE_SIDE - 1);
	const __m512i parts = _mm512_set1_epi32(FIELD_UNIT - 1);
	const __m512i stride = _mm512_set1_epi32(TILE_STRIDE);
	const __m512i spread = _mm512_broadcast_i32x4(SPREAD);
	const uint8_t *low = tile_at(base, 0)->field;
	__m512i sum = _mm512_setzero_si512();

	for (unsigned int i = 0; i < p->room; i += 16) {
		const __m512i px = _mm512_add_epi32(dx,
			_mm512_load_si512(p->x + i));
		const __m512i py = _mm512_add_epi32(dy,
			_mm512_load_si512(p->y + i));
		const __m512i tx = _mm512_srai_epi32(px, shift);
		const __m512i ty = _mm512_srai_epi32(py, shift);
		const __mmask16 in = _mm512_cmplt_epu32_mask(tx, width) &
			_mm512_cmplt_epu32_mask(ty, height);
		const __m512i tile = _mm512_mask_i32gather_epi32(
			_mm512_setzero_si512(), in, _mm512_add_epi32(tx,
			_mm512_mullo_epi32(ty, width)), f->place, 4);
		const __m512i cx = _mm512_and_si512(cells,
			_mm512_srai_epi32(px, FIELD_BITS));
		const __m512i cy = _mm512_and_si512(cells,
			_mm512_srai_epi32(py, FIELD_BITS));
		const __m512i cell = _mm512_add_epi32(cx,
			_mm512_mullo_epi32(cy, stride));
		const __m512i wx = _mm512_and_si512(px, parts);
		const __m512i wy = _mm512_and_si512(py, parts);
		const __m512i along = PAIR(wx, 512, _mm512);
		const __m512i across = PAIR(wy, 512, _mm512);
		const __m512i a = _mm512_madd_epi16(along, _mm512_shuffle_epi8(
			cells16(low, tile, cell, far), spread));
		const __m512i b = _mm512_madd_epi16(along, _mm512_shuffle_epi8(
			cells16(low + TILE_STRIDE, tile, cell, far), spread));
		const __m512i ab = _mm512_mask_mov_epi16(
			_mm512_srli_epi32(a, 1), 0xaaaaaaaa,
			_mm512_slli_epi32(b, 15));

		sum = _mm512_add_epi32(sum, _mm512_srli_epi32(
			_mm512_madd_epi16(across, ab), FIELD_BITS));
	}
	return sum_avx2(_mm512_castsi512_si256(sum)) +
		sum_avx2(_mm512_extracti64x4_epi64(sum, 1));
}

CPU_AVX512
static int64_t score_avx512(const struct field_window *f, const uint8_t *base,
			    const struct rotated *p, int x, int y)
{
	return f->far ? sum_of_avx512(f, base, p, x, y, true) :
			sum_of_avx512(f, base, p, x, y, false);
}
#endif

#if CPU_NEON
static void rotate_neon(struct rotated *to, const struct endpoints *from,
			float s, float c)
{
	const float32x4_t sine = vdupq_n_f32(s), cosine = vdupq_n_f32(c);

	for (unsigned int i = 0; i < from->room; i += 4) {
		const float32x4_t x = vld1q_f32(from->x + i);
		const float32x4_t y = vld1q_f32(from->y + i);

		vst1q_s32(to->x + i, vcvtnq_s32_f32(vsubq_f32(
			vmulq_f32(cosine, x), vmulq_f32(sine, y))));
		vst1q_s32(to->y + i, vcvtnq_s32_f32(vaddq_f32(
			vmulq_f32(sine, x), vmulq_f32(cosine, y))));
	}
}

/* Two bytes of each row at a place, into lane @i of two vectors */
#define PICK(i) do {							\
	const uint8_t *at = tiles_neon_at(f, place, base, far, i) +	\
			    vgetq_lane_u16(cell, i);			\
	uint16_t two[2];						\
									\
	memcpy(two, at, sizeof(*two));					\
	memcpy(two + 1, at + TILE_STRIDE, sizeof(*two));		\
	low = vsetq_lane_u16(two[0], low, i);				\
	high = vsetq_lane_u16(two[1], high, i);				\
} while (0)

/*
 * From two rows of pairs: (1 - w / 256) first + w / 256 second, times 128.
 * 16 bits suffice: sums are below 2^16, and differences wrap.
 */
INLINE int16x8x2_t mix_neon(uint16x8_t low, uint16x8_t high, uint8x16_t w)
{
	const uint8x16_t l = vreinterpretq_u8_u16(low);
	const uint8x16_t h = vreinterpretq_u8_u16(high);
	const uint8x16_t first = vuzp1q_u8(l, h), second = vuzp2q_u8(l, h);
	const uint16x8_t a = vmlsl_u8(vmlal_u8(
		vshll_n_u8(vget_low_u8(first), 8),
		vget_low_u8(second), vget_low_u8(w)),
		vget_low_u8(first), vget_low_u8(w));
	const uint16x8_t b = vmlsl_high_u8(vmlal_high_u8(
		vshll_high_n_u8(first, 8), second, w), first, w);

	return (int16x8x2_t){ {
		vreinterpretq_s16_u16(vshrq_n_u16(a, 1)),
		vreinterpretq_s16_u16(vshrq_n_u16(b, 1)),
	} };
}

INLINE int64_t sum_of_neon(const struct field_window *f, const uint8_t *base,
			   const struct rotated *p, int x, int y, bool far)
{
	const int shift = TILE_BITS + FIELD_BITS;
	const int32x4_t dx = vdupq_n_s32(x - HALF - f->x * (1 << shift));
	const int32x4_t dy = vdupq_n_s32(y - HALF - f->y * (1 << shift));
	const uint16x8_t cells = vdupq_n_u16(TILE_SIDE - 1);
	uint32x4_t sum = vdupq_n_u32(0);

	base = tile_at(base, 0)->field;
	for (unsigned int i = 0; i < p->room; i += 8) {
		const int32x4_t x0 = vaddq_s32(dx, vld1q_s32(p->x + i));
		const int32x4_t x1 = vaddq_s32(dx, vld1q_s32(p->x + i + 4));
		const int32x4_t y0 = vaddq_s32(dy, vld1q_s32(p->y + i));
		const int32x4_t y1 = vaddq_s32(dy, vld1q_s32(p->y + i + 4));
		const uint16x8_t px = tiles_neon_low(x0, x1);
		const uint16x8_t py = tiles_neon_low(y0, y1);
		const uint16x8_t cell = vmlaq_n_u16(
			vandq_u16(vshrq_n_u16(px, FIELD_BITS), cells),
			vandq_u16(vshrq_n_u16(py, FIELD_BITS), cells),
			TILE_STRIDE);
		const int16x8_t wy = vreinterpretq_s16_u16(
			vshrq_n_u16(vshlq_n_u16(py, 8), 1));
		uint16x8_t low = vdupq_n_u16(0), high = low;
		struct tiles_neon place;
		int16x8x2_t ab;
		int16x8_t v;

		tiles_neon_find(f, x0, x1, y0, y1, &place);
		PICK(0); PICK(1); PICK(2); PICK(3);
		PICK(4); PICK(5); PICK(6); PICK(7);
		ab = mix_neon(low, high, vuzp1q_u8(vreinterpretq_u8_u16(px),
						   vreinterpretq_u8_u16(px)));
		/* a + ((b - a) * wy >> FIELD_BITS), of wy << 7 */
		v = vaddq_s16(ab.val[0], vqdmulhq_s16(
			vsubq_s16(ab.val[1], ab.val[0]), wy));
		sum = vpadalq_u16(sum, vandq_u16(place.in,
						 vreinterpretq_u16_s16(v)));
	}
	return (int64_t)vaddlvq_u32(sum);
}

static int64_t score_neon(const struct field_window *f, const uint8_t *base,
			  const struct rotated *p, int x, int y)
{
	if (!f->width || !f->height)
		return 0;
	return f->far ? sum_of_neon(f, base, p, x, y, true) :
			sum_of_neon(f, base, p, x, y, false);
}
#endif

static _Atomic enum score_path path;

static bool score_has(enum score_path want)
{
#if CPU_X86
	if (want == SCORE_AVX2)
		return __builtin_cpu_supports("avx2");
	if (want == SCORE_AVX512)
		return __builtin_cpu_supports("avx512bw") &&
			__builtin_cpu_supports("avx512vl") &&
			__builtin_cpu_supports("avx512dq");
#endif
	return want == SCORE_PLAIN || (CPU_NEON && want == SCORE_NEON);
}

bool score_use(enum score_path want)
{
	enum score_path use = want;

	if (want == SCORE_BEST)
		for (use = SCORE_PATHS - 1; !score_has(use); use--)
			;
	if (!score_has(use))
		return false;
	path = use;
	return true;
}

enum score_path score_used(void)
{
	if (path == SCORE_BEST)
		score_use(SCORE_BEST);
	return path;
}

void score_rotate(struct rotated *to, const struct endpoints *from, double yaw)
{
	double s, c;

	assert(from->count <= from->room);
	det_sincos(yaw, &s, &c);
	to->count = from->count;
	to->room = from->room;
	if (path == SCORE_BEST)
		score_use(SCORE_BEST);
#if CPU_X86
	if (path == SCORE_AVX512)
		rotate_avx512(to, from, (float)s, (float)c);
	else if (path == SCORE_AVX2)
		rotate_avx2(to, from, (float)s, (float)c);
	else
#elif CPU_NEON
	if (path == SCORE_NEON)
		rotate_neon(to, from, (float)s, (float)c);
	else
#endif
		rotate_plain(to, from, (float)s, (float)c);
	for (unsigned int i = to->count; i < to->room; i++)
		to->x[i] = to->y[i] = FAR;
}

int64_t score_at(const struct field_window *f, const uint8_t *base,
		 const struct rotated *points, int x, int y)
{
#if CPU_X86
	if (path == SCORE_AVX512)
		return score_avx512(f, base, points, x, y);
	if (path == SCORE_AVX2)
		return score_avx2(f, base, points, x, y);
#elif CPU_NEON
	if (path == SCORE_NEON)
		return score_neon(f, base, points, x, y);
#endif
	return score_plain(f, base, points, x, y);
}
