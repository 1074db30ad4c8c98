// SPDX-License-Identifier: GPL-2.0-only
/*
 * gmapping_score.c - three versions of one loop, as in score.c
 */
#include <limits.h>
#include <math.h>
#include "base/cpu.h"
#include "slam/filter/gmapping_grid.h"
#if CPU_X86
#include <immintrin.h>
#include "slam/filter/tiles_far.h"
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
#endif
	return gmapping_score_score_plain(f, base, points, behind, x, y, decay);
}
