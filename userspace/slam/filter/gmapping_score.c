// SPDX-License-Identifier: GPL-2.0-only
/*
 * gmapping_score.c - four versions of one loop, as in score.c
 */
#include <limits.h>
#include <math.h>
#include <string.h>
#include "base/cpu.h"
#include "slam/filter/gmapping_grid.h"
#if CPU_X86
#include <immintrin.h>
#include "slam/filter/tiles_far.h"
#elif CPU_NEON
#include "slam/filter/tiles_neon.h"
#endif

#define SHIFT		(TILE_BITS + FIELD_BITS)
#define PARTS		(FIELD_UNIT - 1)

void gmapping_decay_init(struct gmapping_decay *d, double sigma,
			 double resolution)
{
	const double unit = resolution / FIELD_UNIT;

	for (int i = 0; i < GMAPPING_DECAYS; i++) {
		const double square = (i + 0.5) * (1 << GMAPPING_DECAY_BITS);

		d->score[i] = (int32_t)lrint(GMAPPING_SCORE_MAX *
			exp(-square * unit * unit / sigma));
	}
}

/* The word of the cell of a point, from the map's corner, 1/256 cell */
static inline uint32_t gmapping_score_look_at(const struct field_window *f,
					      const uint8_t *base, int x, int y)
{
	const unsigned int tx = (unsigned int)(x >> SHIFT);
	const unsigned int ty = (unsigned int)(y >> SHIFT);

	if (tx >= (unsigned int)f->width || ty >= (unsigned int)f->height)
		return 0;
	return ((const struct gmapping_tile *)field_window_at(f, base,
		ty * (size_t)f->width + tx))->look[
		(y >> FIELD_BITS & (TILE_SIDE - 1)) << TILE_BITS |
		(x >> FIELD_BITS & (TILE_SIDE - 1))];
}

static struct gmapping_score
gmapping_score_score_plain(const struct field_window *f, const uint8_t *base,
			   const struct rotated *p, const struct rotated *b,
			   int x, int y, const struct gmapping_decay *decay)
{
	struct gmapping_score sum = { 0, 0, 0 };

	x -= f->x * (1 << SHIFT);
	y -= f->y * (1 << SHIFT);
	for (unsigned int i = 0; i < p->count; i++) {
		const int px = p->x[i] + x, py = p->y[i] + y;
		uint32_t near = gmapping_score_look_at(f, base, px, py) &
				GMAPPING_NEAR;
		int best = INT_MAX;

		if (near)
			near &= ~gmapping_score_look_at(f, base, px + b->x[i],
							py + b->y[i]);
		for (; near; near &= near - 1) {
			const int k = __builtin_ctz(near);
			const int kx = (k % 3 - 1) * FIELD_UNIT;
			const int ky = (k / 3 - 1) * FIELD_UNIT;
			const uint32_t look = gmapping_score_look_at(
				f, base, px + kx, py + ky);
			const int ex = (px & PARTS) - kx -
				(int)(look >> GMAPPING_MEAN_X & PARTS);
			const int ey = (py & PARTS) - ky -
				(int)(look >> GMAPPING_MEAN_Y & PARTS);
			const int square = ex * ex + ey * ey;

			best = square < best ? square : best;
		}
		if (best == INT_MAX)
			continue;
		sum.found++;
		sum.square += (uint64_t)best;
		sum.score += decay->score[best >> GMAPPING_DECAY_BITS];
	}
	return sum;
}

#if CPU_X86
/* Of bit k: its cell is in column AROUND_X[k] - 1 and row AROUND_Y[k] - 1 */
#define AROUND_X	_mm_setr_epi8(0, 1, 2, 0, 1, 2, 0, 1, 2,	\
				      0, 0, 0, 0, 0, 0, 0)
#define AROUND_Y	_mm_setr_epi8(0, 0, 0, 1, 1, 1, 2, 2, 2,	\
				      0, 0, 0, 0, 0, 0, 0)
/* The words of tile 0 */
#define LOOK(base)	((const int *)gmapping_tile_at(base, 0)->look)

/**
 * struct map8 - the map of a lookup, eight words at a time
 */
struct map8 {
	__m256i		width, height;
	const int	*tiles, *look;
	bool		far;
};

/* Words at places in tiles; @far as struct field_window has it */
CPU_AVX2
static inline __m256i words8(const struct map8 *m, __m256i tile, __m256i cell,
			     __m256i in)
{
	const __m128i zero = _mm_setzero_si128();
	__m256i low, high;

	if (!m->far)
		return _mm256_mask_i32gather_epi32(_mm256_setzero_si256(),
			m->look, _mm256_add_epi32(tile, cell), in, 1);
	tiles_far8(tile, cell, &low, &high);
	return _mm256_inserti128_si256(_mm256_castsi128_si256(
		_mm256_mask_i64gather_epi32(zero, m->look, low,
			_mm256_castsi256_si128(in), 1)),
		_mm256_mask_i64gather_epi32(zero, m->look, high,
			_mm256_extracti128_si256(in, 1), 1), 1);
}

/* Words of cells of points; 0 where @in is not set, or there is no map */
CPU_AVX2
static inline __m256i look8(const struct map8 *m, __m256i px, __m256i py,
			    __m256i in)
{
	const __m256i none = _mm256_set1_epi32(-1);
	const __m256i tx = _mm256_srai_epi32(px, SHIFT);
	const __m256i ty = _mm256_srai_epi32(py, SHIFT);
	const __m256i inside = _mm256_and_si256(_mm256_and_si256(in,
		_mm256_and_si256(_mm256_cmpgt_epi32(tx, none),
				 _mm256_cmpgt_epi32(m->width, tx))),
		_mm256_and_si256(_mm256_cmpgt_epi32(ty, none),
				 _mm256_cmpgt_epi32(m->height, ty)));
	const __m256i tile = _mm256_mask_i32gather_epi32(
		_mm256_setzero_si256(), m->tiles, _mm256_add_epi32(tx,
		_mm256_mullo_epi32(ty, m->width)), inside, 4);
	const __m256i cell = _mm256_or_si256(
		_mm256_and_si256(_mm256_srai_epi32(py, FIELD_BITS - TILE_BITS -
						   2),
				 _mm256_set1_epi32((TILE_SIDE - 1) <<
						   (TILE_BITS + 2))),
		_mm256_and_si256(_mm256_srai_epi32(px, FIELD_BITS - 2),
				 _mm256_set1_epi32((TILE_SIDE - 1) << 2)));

	return words8(m, tile, cell, inside);
}

/* Square distance to the mean endpoint of the cell that bit @low is of */
CPU_AVX2
static inline __m256i square8(const struct map8 *m, __m256i px, __m256i py,
			      __m256i low, __m256i in)
{
	const __m256i part = _mm256_set1_epi32(PARTS);
	const __m256i one = _mm256_set1_epi32(1);
	/* the exponent of a power of two */
	const __m256i k = _mm256_or_si256(_mm256_set1_epi32((int)0x80808000),
		_mm256_sub_epi32(_mm256_srli_epi32(_mm256_castps_si256(
			_mm256_cvtepi32_ps(low)), 23),
			_mm256_set1_epi32(127)));
	const __m256i kx = _mm256_slli_epi32(_mm256_sub_epi32(
		_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(AROUND_X),
				    _mm256_and_si256(in, k)), one),
		FIELD_BITS);
	const __m256i ky = _mm256_slli_epi32(_mm256_sub_epi32(
		_mm256_shuffle_epi8(_mm256_broadcastsi128_si256(AROUND_Y),
				    _mm256_and_si256(in, k)), one),
		FIELD_BITS);
	const __m256i look = look8(m, _mm256_add_epi32(px, kx),
				   _mm256_add_epi32(py, ky), in);
	const __m256i ex = _mm256_sub_epi32(
		_mm256_sub_epi32(_mm256_and_si256(px, part), kx),
		_mm256_and_si256(_mm256_srli_epi32(look, GMAPPING_MEAN_X),
				 part));
	const __m256i ey = _mm256_sub_epi32(_mm256_sub_epi32(
		_mm256_and_si256(py, part), ky),
		_mm256_srli_epi32(look, GMAPPING_MEAN_Y));
	const __m256i both = _mm256_blend_epi16(ex,
		_mm256_slli_epi32(ey, 16), 0xaa);

	return _mm256_madd_epi16(both, both);
}

CPU_AVX2
static int64_t add8(__m256i v)
{
	const __m256i lanes = _mm256_add_epi64(
		_mm256_cvtepi32_epi64(_mm256_castsi256_si128(v)),
		_mm256_cvtepi32_epi64(_mm256_extracti128_si256(v, 1)));
	const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(lanes),
					  _mm256_extracti128_si256(lanes, 1));

	return _mm_cvtsi128_si64(two) + _mm_extract_epi64(two, 1);
}

CPU_AVX2
static struct gmapping_score
gmapping_score_score_avx2(const struct field_window *f, const uint8_t *base,
			  const struct rotated *p, const struct rotated *b,
			  int x, int y, const struct gmapping_decay *decay)
{
	const struct map8 m = {
		_mm256_set1_epi32(f->width), _mm256_set1_epi32(f->height),
		(const int *)f->place, LOOK(base), f->far,
	};
	const __m256i dx = _mm256_set1_epi32(x - f->x * (1 << SHIFT));
	const __m256i dy = _mm256_set1_epi32(y - f->y * (1 << SHIFT));
	const __m256i zero = _mm256_setzero_si256();
	const __m256i all = _mm256_set1_epi32(-1);
	const __m256i most = _mm256_set1_epi32(INT_MAX);
	__m256i score = zero, square = zero, found = zero;

	for (unsigned int i = 0; i < p->room; i += 8) {
		const __m256i px = _mm256_add_epi32(dx, _mm256_load_si256(
			(const __m256i *)(p->x + i)));
		const __m256i py = _mm256_add_epi32(dy, _mm256_load_si256(
			(const __m256i *)(p->y + i)));
		__m256i near =
			_mm256_and_si256(look8(&m, px, py, all),
					 _mm256_set1_epi32(GMAPPING_NEAR));
		__m256i in = _mm256_cmpgt_epi32(near, zero), best = most;

		if (!_mm256_movemask_epi8(in))
			continue;
		near = _mm256_andnot_si256(look8(&m,
			_mm256_add_epi32(px, _mm256_load_si256(
				(const __m256i *)(b->x + i))),
			_mm256_add_epi32(py, _mm256_load_si256(
				(const __m256i *)(b->y + i))), in), near);
		in = _mm256_cmpgt_epi32(near, zero);
		while (_mm256_movemask_epi8(in)) {
			const __m256i low = _mm256_and_si256(near,
				_mm256_sub_epi32(zero, near));
			const __m256i d = square8(&m, px, py, low, in);

			best = _mm256_min_epi32(best,
				_mm256_blendv_epi8(most, d, in));
			near = _mm256_xor_si256(near, low);
			in = _mm256_cmpgt_epi32(near, zero);
		}
		in = _mm256_cmpgt_epi32(most, best);
		score = _mm256_add_epi32(score, _mm256_mask_i32gather_epi32(
			zero, decay->score,
			_mm256_srli_epi32(best, GMAPPING_DECAY_BITS), in, 4));
		/* up to 2^30 for the largest number of beams */
		square = _mm256_add_epi32(square, _mm256_and_si256(best, in));
		found = _mm256_sub_epi32(found, in);
	}
	return (struct gmapping_score){
		add8(score), (uint64_t)add8(square), (uint32_t)add8(found),
	};
}

/* The same, sixteen at a time */
struct map16 {
	__m512i		width, height;
	const int	*tiles, *look;
	bool		far;
};

CPU_AVX512
static inline __m512i words16(const struct map16 *m, __m512i tile,
			      __m512i cell, __mmask16 in)
{
	const __m256i zero = _mm256_setzero_si256();
	__m512i low, high;

	if (!m->far)
		return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), in,
			_mm512_add_epi32(tile, cell), m->look, 1);
	low = _mm512_add_epi64(_mm512_slli_epi64(_mm512_cvtepu32_epi64(
		_mm512_castsi512_si256(tile)), TILE_UNIT_BITS),
		_mm512_cvtepi32_epi64(_mm512_castsi512_si256(cell)));
	high = _mm512_add_epi64(_mm512_slli_epi64(_mm512_cvtepu32_epi64(
		_mm512_extracti64x4_epi64(tile, 1)), TILE_UNIT_BITS),
		_mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(cell, 1)));
	return _mm512_inserti64x4(_mm512_castsi256_si512(
		_mm512_mask_i64gather_epi32(zero, (__mmask8)in, low, m->look,
					    1)),
		_mm512_mask_i64gather_epi32(zero, (__mmask8)(in >> 8), high,
					    m->look, 1), 1);
}

CPU_AVX512
static inline __m512i look16(const struct map16 *m, __m512i px, __m512i py,
			     __mmask16 in)
{
	const __m512i tx = _mm512_srai_epi32(px, SHIFT);
	const __m512i ty = _mm512_srai_epi32(py, SHIFT);
	const __mmask16 inside = _mm512_mask_cmplt_epu32_mask(
		_mm512_mask_cmplt_epu32_mask(in, tx, m->width), ty,
		m->height);
	const __m512i tile = _mm512_mask_i32gather_epi32(
		_mm512_setzero_si512(), inside, _mm512_add_epi32(tx,
		_mm512_mullo_epi32(ty, m->width)), m->tiles, 4);
	const __m512i cell = _mm512_or_si512(
		_mm512_and_si512(_mm512_srai_epi32(py, FIELD_BITS - TILE_BITS -
						   2),
				 _mm512_set1_epi32((TILE_SIDE - 1) <<
						   (TILE_BITS + 2))),
		_mm512_and_si512(_mm512_srai_epi32(px, FIELD_BITS - 2),
				 _mm512_set1_epi32((TILE_SIDE - 1) << 2)));

	return words16(m, tile, cell, inside);
}

CPU_AVX512
static inline __m512i square16(const struct map16 *m, __m512i px, __m512i py,
			       __m512i low, __mmask16 in)
{
	const __m512i part = _mm512_set1_epi32(PARTS);
	const __m512i one = _mm512_set1_epi32(1);
	const __m512i k = _mm512_or_si512(_mm512_set1_epi32((int)0x80808000),
		_mm512_maskz_sub_epi32(in, _mm512_srli_epi32(
			_mm512_castps_si512(_mm512_cvtepi32_ps(low)), 23),
			_mm512_set1_epi32(127)));
	const __m512i kx = _mm512_slli_epi32(_mm512_sub_epi32(
		_mm512_shuffle_epi8(_mm512_broadcast_i32x4(AROUND_X), k),
		one), FIELD_BITS);
	const __m512i ky = _mm512_slli_epi32(_mm512_sub_epi32(
		_mm512_shuffle_epi8(_mm512_broadcast_i32x4(AROUND_Y), k),
		one), FIELD_BITS);
	const __m512i look = look16(m, _mm512_add_epi32(px, kx),
				    _mm512_add_epi32(py, ky), in);
	const __m512i ex = _mm512_sub_epi32(
		_mm512_sub_epi32(_mm512_and_si512(px, part), kx),
		_mm512_and_si512(_mm512_srli_epi32(look, GMAPPING_MEAN_X),
				 part));
	const __m512i ey = _mm512_sub_epi32(_mm512_sub_epi32(
		_mm512_and_si512(py, part), ky),
		_mm512_srli_epi32(look, GMAPPING_MEAN_Y));
	const __m512i both = _mm512_mask_mov_epi16(ex, 0xaaaaaaaa,
						   _mm512_slli_epi32(ey, 16));

	return _mm512_madd_epi16(both, both);
}

CPU_AVX512
static int64_t add16(__m512i v)
{
	return add8(_mm512_castsi512_si256(v)) +
		add8(_mm512_extracti64x4_epi64(v, 1));
}

CPU_AVX512
static struct gmapping_score
gmapping_score_score_avx512(const struct field_window *f, const uint8_t *base,
			    const struct rotated *p, const struct rotated *b,
			    int x, int y, const struct gmapping_decay *decay)
{
	const struct map16 m = {
		_mm512_set1_epi32(f->width), _mm512_set1_epi32(f->height),
		(const int *)f->place, LOOK(base), f->far,
	};
	const __m512i dx = _mm512_set1_epi32(x - f->x * (1 << SHIFT));
	const __m512i dy = _mm512_set1_epi32(y - f->y * (1 << SHIFT));
	const __m512i zero = _mm512_setzero_si512();
	const __m512i most = _mm512_set1_epi32(INT_MAX);
	__m512i score = zero, square = zero;
	struct gmapping_score sum = { 0, 0, 0 };

	for (unsigned int i = 0; i < p->room; i += 16) {
		const __m512i px = _mm512_add_epi32(dx,
			_mm512_load_si512(p->x + i));
		const __m512i py = _mm512_add_epi32(dy,
			_mm512_load_si512(p->y + i));
		__m512i near =
			_mm512_and_si512(look16(&m, px, py, 0xffff),
					 _mm512_set1_epi32(GMAPPING_NEAR));
		__mmask16 in = _mm512_test_epi32_mask(near, near);
		__m512i best = most;

		if (!in)
			continue;
		near = _mm512_andnot_si512(look16(&m,
			_mm512_add_epi32(px, _mm512_load_si512(b->x + i)),
			_mm512_add_epi32(py, _mm512_load_si512(b->y + i)),
			in), near);
		in = _mm512_test_epi32_mask(near, near);
		sum.found += (uint32_t)__builtin_popcount(in);
		while (in) {
			const __m512i low = _mm512_and_si512(near,
				_mm512_sub_epi32(zero, near));

			best = _mm512_mask_min_epi32(best, in, best,
				square16(&m, px, py, low, in));
			near = _mm512_xor_si512(near, low);
			in = _mm512_test_epi32_mask(near, near);
		}
		in = _mm512_cmplt_epi32_mask(best, most);
		score = _mm512_add_epi32(score, _mm512_mask_i32gather_epi32(
			zero, in, _mm512_srli_epi32(best, GMAPPING_DECAY_BITS),
			decay->score, 4));
		square = _mm512_mask_add_epi32(square, in, square, best);
	}
	sum.score = add16(score);
	sum.square = (uint64_t)add16(square);
	return sum;
}
#endif

#if CPU_NEON
/* Points of a lookup, from the window's corner, 1/256 cell */
struct points_neon {
	int32x4_t	x0, x1, y0, y1;
};

/* Half a word of a point's cell, into lane @i */
#define PICK(i) do {							\
	uint16_t half;							\
									\
	memcpy(&half, tiles_neon_at(f, place, look, far, i) +		\
	       sizeof(uint32_t) * vgetq_lane_u16(cell, i), sizeof(half)); \
	words = vsetq_lane_u16(half, words, i);				\
} while (0)

/* Halves of words from @look on; 0 outside the map */
INLINE uint16x8_t look_neon(const struct field_window *f, const uint8_t *look,
			    const struct points_neon *p, bool far)
{
	const uint16x8_t px = tiles_neon_low(p->x0, p->x1);
	const uint16x8_t py = tiles_neon_low(p->y0, p->y1);
	const uint16x8_t cell = vandq_u16(vdupq_n_u16(GMAPPING_CELLS - 1),
		vsliq_n_u16(vshrq_n_u16(px, FIELD_BITS),
			    vshrq_n_u16(py, FIELD_BITS), TILE_BITS));
	uint16x8_t words = vdupq_n_u16(0);
	struct tiles_neon place;

	tiles_neon_find(f, p->x0, p->x1, p->y0, p->y1, &place);
	PICK(0); PICK(1); PICK(2); PICK(3);
	PICK(4); PICK(5); PICK(6); PICK(7);
	return vandq_u16(words, place.in);
}
#undef PICK

INLINE struct points_neon move_neon(const struct points_neon *p, int16x8_t x,
				    int16x8_t y)
{
	return (struct points_neon){
		vaddw_s16(p->x0, vget_low_s16(x)), vaddw_high_s16(p->x1, x),
		vaddw_s16(p->y0, vget_low_s16(y)), vaddw_high_s16(p->y1, y),
	};
}

/* More than any square distance: of lanes without a cell to compare with */
#define NONE	INT16_MAX
/* Column and row of the cell of bit k at [15 - k], less 1; 0 for no bit */
static const int8_t around_x[16] = {
	0, 0, 0, 0, 0, 0, 0, 1, 0, -1, 1, 0, -1, 1, 0, -1,
};
static const int8_t around_y[16] = {
	0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, -1, -1, -1,
};

/* Lowers @best to the distance to the cell of the lowest bit of @near */
INLINE void square_neon(const struct field_window *f, const uint8_t *mean,
			const struct points_neon *p, uint16x8_t near,
			uint32x4_t best[2], bool far)
{
	const uint16x8_t low = vandq_u16(near, vreinterpretq_u16_s16(
		vnegq_s16(vreinterpretq_s16_u16(near))));
	/* its number for the upper byte, nothing for the lower one */
	const uint8x16_t k = vreinterpretq_u8_u16(vorrq_u16(
		vshlq_n_u16(vclzq_u16(low), 8), vdupq_n_u16(255)));
	const int16x8_t kx = vreinterpretq_s16_s8(
		vqtbl1q_s8(vld1q_s8(around_x), k));
	const int16x8_t ky = vreinterpretq_s16_s8(
		vqtbl1q_s8(vld1q_s8(around_y), k));
	const struct points_neon at = move_neon(p, kx, ky);
	const uint16x8_t part = vdupq_n_u16(PARTS);
	const uint16x8_t look = look_neon(f, mean, &at, far);
	const int16x8_t px = vreinterpretq_s16_u16(vandq_u16(part,
		tiles_neon_low(p->x0, p->x1)));
	const int16x8_t py = vreinterpretq_s16_u16(vandq_u16(part,
		tiles_neon_low(p->y0, p->y1)));
	const int16x8_t ex = vbslq_s16(vceqzq_u16(low), vdupq_n_s16(NONE),
		vsubq_s16(vsubq_s16(px, kx), vreinterpretq_s16_u16(
			vandq_u16(look, part))));
	const int16x8_t ey = vsubq_s16(vsubq_s16(py, ky),
		vreinterpretq_s16_u16(vshrq_n_u16(look, 8)));

	best[0] = vminq_u32(best[0], vreinterpretq_u32_s32(vmlal_s16(
		vmull_s16(vget_low_s16(ex), vget_low_s16(ex)),
		vget_low_s16(ey), vget_low_s16(ey))));
	best[1] = vminq_u32(best[1], vreinterpretq_u32_s32(vmlal_high_s16(
		vmull_high_s16(ex, ex), ey, ey)));
}

/**
 * struct sums_neon - sums of lanes
 * @found:	less than nothing: each adds -1
 */
struct sums_neon {
	int64x2_t	score;
	uint64x2_t	square;
	int32x4_t	found;
};

INLINE void add_neon(struct sums_neon *to, uint32x4_t best,
		     const struct gmapping_decay *decay)
{
	const uint32x4_t in = vcltq_u32(best, vdupq_n_u32(
		GMAPPING_DECAYS << GMAPPING_DECAY_BITS));
	const uint32x4_t square = vandq_u32(best, in);
	const uint32x4_t i = vshrq_n_u32(square, GMAPPING_DECAY_BITS);
	int32x4_t score = vdupq_n_s32(decay->score[vgetq_lane_u32(i, 0)]);

	score = vsetq_lane_s32(decay->score[vgetq_lane_u32(i, 1)], score, 1);
	score = vsetq_lane_s32(decay->score[vgetq_lane_u32(i, 2)], score, 2);
	score = vsetq_lane_s32(decay->score[vgetq_lane_u32(i, 3)], score, 3);
	to->score = vpadalq_s32(to->score, vandq_s32(score,
		vreinterpretq_s32_u32(in)));
	to->square = vpadalq_u32(to->square, square);
	to->found = vaddq_s32(to->found, vreinterpretq_s32_u32(in));
}

INLINE struct gmapping_score
sum_neon(const struct field_window *f, const uint8_t *base,
	 const struct rotated *p, const struct rotated *b, int x, int y,
	 const struct gmapping_decay *decay, bool far)
{
	const uint8_t *look = (uint8_t *)gmapping_tile_at(base, 0)->look;
	const uint8_t *mean = look + GMAPPING_MEAN_X / 8;
	const int32x4_t dx = vdupq_n_s32(x - f->x * (1 << SHIFT));
	const int32x4_t dy = vdupq_n_s32(y - f->y * (1 << SHIFT));
	struct sums_neon sums = { vdupq_n_s64(0), vdupq_n_u64(0),
				  vdupq_n_s32(0) };

	for (unsigned int i = 0; i < p->room; i += 8) {
		const struct points_neon at = {
			vaddq_s32(dx, vld1q_s32(p->x + i)),
			vaddq_s32(dx, vld1q_s32(p->x + i + 4)),
			vaddq_s32(dy, vld1q_s32(p->y + i)),
			vaddq_s32(dy, vld1q_s32(p->y + i + 4)),
		};
		const struct points_neon behind = {
			vaddq_s32(at.x0, vld1q_s32(b->x + i)),
			vaddq_s32(at.x1, vld1q_s32(b->x + i + 4)),
			vaddq_s32(at.y0, vld1q_s32(b->y + i)),
			vaddq_s32(at.y1, vld1q_s32(b->y + i + 4)),
		};
		uint16x8_t near = vandq_u16(look_neon(f, look, &at, far),
					    vdupq_n_u16(GMAPPING_NEAR));
		uint32x4_t best[2] = { vdupq_n_u32(NONE * NONE),
				       vdupq_n_u32(NONE * NONE) };

		if (!vmaxvq_u16(near))
			continue;
		near = vbicq_u16(near, look_neon(f, look, &behind, far));
		if (!vmaxvq_u16(near))
			continue;
		do {
			square_neon(f, mean, &at, near, best, far);
			near = vandq_u16(near,
				vqsubq_u16(near, vdupq_n_u16(1)));
		} while (vmaxvq_u16(near));
		add_neon(&sums, best[0], decay);
		add_neon(&sums, best[1], decay);
	}
	return (struct gmapping_score){
		vaddvq_s64(sums.score), vaddvq_u64(sums.square),
		(uint32_t)-vaddvq_s32(sums.found),
	};
}

static struct gmapping_score
gmapping_score_score_neon(const struct field_window *f, const uint8_t *base,
			  const struct rotated *p, const struct rotated *b,
			  int x, int y, const struct gmapping_decay *decay)
{
	if (!f->width || !f->height)
		return (struct gmapping_score){ 0, 0, 0 };
	return f->far ? sum_neon(f, base, p, b, x, y, decay, true) :
			sum_neon(f, base, p, b, x, y, decay, false);
}
#endif

struct gmapping_score
gmapping_score_at(const struct field_window *f, const uint8_t *base,
		  const struct rotated *points, const struct rotated *behind,
		  int x, int y, const struct gmapping_decay *decay)
{
#if CPU_X86
	if (score_used() == SCORE_AVX512)
		return gmapping_score_score_avx512(f, base, points, behind, x,
						   y, decay);
	if (score_used() == SCORE_AVX2)
		return gmapping_score_score_avx2(f, base, points, behind, x, y,
						 decay);
#elif CPU_NEON
	if (score_used() == SCORE_NEON)
		return gmapping_score_score_neon(f, base, points, behind, x, y,
						 decay);
#endif
	return gmapping_score_score_plain(f, base, points, behind, x, y, decay);
}
