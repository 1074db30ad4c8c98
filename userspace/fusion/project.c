// SPDX-License-Identifier: GPL-2.0-only
/*
 * project - submaps drawn into windows of the map
 *
 * Both ways walk along straight lines: runs of known cells of the submap go into
 * the window (splat), rows of the window go through the submap (sample), in
 * segments, most of which have nothing known near. Unknown is -1, below all
 * values, so windows begin with it.
 *
 * Positions are integers that depend on the submap and its pose alone: where a
 * window begins and ends does not change what is in it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "fusion/project.h"
#include "lib/cpu.h"
#if CPU_X86
#include <immintrin.h>
#endif

enum {
	SEGMENT_CELLS	= 16,	/* 8 on either side, 12 at 0.7: CELLS_NEAR */
	FIXED_BITS	= 32,	/* of fractions of a cell */
	STEP_BITS	= 17,	/* within a segment */
	STEP_SHIFT	= FIXED_BITS - STEP_BITS,
	BLOCK_SHIFT	= FIXED_BITS + 2,	/* CELLS_BLOCK */
	SPLAT_MARGIN	= PROJECT_GUARD / 2,
	BATCH		= 64,
	ROW_SEGMENTS	= PROJECT_SIDE / SEGMENT_CELLS + 2 + 8,
	SEGMENTS	= 512,	/* found before they are sampled, at most */
};

_Static_assert(ROW_SEGMENTS <= 64, "find_segments() has a bit for each");
_Static_assert(CELLS_BLOCK == 1 << (BLOCK_SHIFT - FIXED_BITS), "blocks");

/* Below this ratio no cell of the map is without a centre of the submap's */
static const double HOLES = 0.70;

struct window *window_create(void)
{
	const size_t cells = (size_t)PROJECT_STRIDE * PROJECT_STRIDE;
	struct window *w = malloc(sizeof(*w));

	if (!w)
		return NULL;
	w->data = aligned_alloc(64, cells * sizeof(int16_t));
	if (!w->data) {
		free(w);
		return NULL;
	}
	return w;
}

void window_destroy(struct window *w)
{
	if (!w)
		return;
	free(w->data);
	free(w);
}

INLINE double smaller(double a, double b)
{
	return a < b ? a : b;
}

INLINE double larger(double a, double b)
{
	return a > b ? a : b;
}

struct rect project_bounds(const struct cells *c, const struct pose *at,
			   double resolution)
{
	const double w = c->width * c->resolution / resolution;
	const double h = c->height * c->resolution / resolution;
	const double cs = cos(at->yaw), sn = sin(at->yaw);
	const double x = at->x / resolution, y = at->y / resolution;
	const double x0 = x + smaller(w * cs, 0) + smaller(-h * sn, 0);
	const double x1 = x + larger(w * cs, 0) + larger(-h * sn, 0);
	const double y0 = y + smaller(w * sn, 0) + smaller(h * cs, 0);
	const double y1 = y + larger(w * sn, 0) + larger(h * cs, 0);
	const int left = floor(x0), low = floor(y0);

	return (struct rect){ left, low, (int)ceil(x1) - left + 1,
			      (int)ceil(y1) - low + 1 };
}

/**
 * struct way - between cells of a submap and those of the map, fixed point
 * @bounds:	its first cell is where positions in the map count from
 * @u, @v:	of the centre of that cell, in the submap
 * @du, @dv:	of a step to the right in the map; up it is -@dv, @du
 * @x, @y:	of the centre of the submap's first cell, in the map
 * @dx, @dy:	of a step to the right in the submap; up it is -@dy, @dx
 */
struct way {
	const struct cells	*c;
	struct rect		bounds;
	int64_t			u, v, du, dv;
	int64_t			x, y, dx, dy;
};

static inline int64_t fixed(double v)
{
	return llrint(v * (1LL << FIXED_BITS));
}

static struct way way_of(const struct cells *c, const struct pose *at,
			 double resolution)
{
	const double k = c->resolution / resolution;
	const double cs = cos(at->yaw), sn = sin(at->yaw);
	struct way way = { .c = c,
			   .bounds = project_bounds(c, at, resolution) };
	const double x = at->x / resolution - way.bounds.x;
	const double y = at->y / resolution - way.bounds.y;

	way.du = fixed(cs / k);
	way.dv = fixed(-sn / k);
	way.u = fixed(((0.5 - x) * cs + (0.5 - y) * sn) / k);
	way.v = fixed(((0.5 - y) * cs - (0.5 - x) * sn) / k);
	way.dx = fixed(cs * k);
	way.dy = fixed(sn * k);
	way.x = fixed(x + 0.5 * k * (cs - sn));
	way.y = fixed(y + 0.5 * k * (sn + cs));
	return way;
}

static void clear(struct window *w)
{
	for (unsigned int y = 0; y < w->rect.height + 2 * PROJECT_GUARD; y++)
		memset((char *)w->data + (size_t)y * PROJECT_STRIDE *
		       (w->bits / 8), 0xff,
		       (w->rect.width + 2 * PROJECT_GUARD) * (w->bits / 8));
}

/*
 * Sampling
 */

/* In the submap, STEP_BITS of fractions, and in the window */
struct segments {
	unsigned int	n;
	int32_t		u[SEGMENTS], v[SEGMENTS], to[SEGMENTS];
};

/**
 * struct row - of segments
 * @u, @v:	of its first cell; fixed point
 * @to:		as of struct segment
 * @first, @end: those which were found, set by find_segments; none if @end is 0
 */
struct row {
	int64_t		u, v;
	int32_t		to;
	unsigned int	segments, first, end;
};

/**
 * struct blocks_near - which blocks of a submap have known cells near
 * @middle_u, @middle_v: from the first cell of a segment to its middle, and of
 *	blocks around
 * @du, @dv:	from segment to segment
 */
struct blocks_near {
	const uint8_t	*near;
	unsigned int	width, height;
	int64_t		middle_u, middle_v, du, dv;
};

/* Where lines that go by @step are within 0..@size, with some slack */
struct range {
	double	from, to, steps;	/* 1 / @step; 0: it is none */
};

/**
 * struct sampling - what a segment needs to know
 * @step_u, @step_v: from cell to cell, STEP_BITS of fractions
 * @fill:	only what is not known yet
 */
struct sampling {
	const struct cells	*c;
	int32_t			step_u, step_v;
	bool			fill;
	struct range		range_u, range_v;
};

/* What may be known of a row that begins at @x */
INLINE void widen_row(struct window *w, unsigned int y, int x,
		      const struct row *row)
{
	const int first = x + (int)row->first * SEGMENT_CELLS;
	const int end = x + (int)row->end * SEGMENT_CELLS;

	if (!row->end)
		return;
	w->first[y] = first < 0 ? 0 : first;
	w->end[y] = end > (int)w->rect.width ? (int)w->rect.width : end;
}

static struct range range_of(int64_t step, unsigned int size, int slack)
{
	return (struct range){ -slack * 0x1p32, (size + slack) * 0x1p32,
			       llabs(step) < 1 << 12 ? 0 : 1.0 / step };
}

/* The part of a line from @at on */
INLINE void line_range(const struct range *r, int64_t at, double *first,
		       double *end)
{
	const double a = (r->from - at) * r->steps;
	const double b = (r->to - at) * r->steps;

	if (r->steps == 0) {
		if (at < r->from || at > r->to)
			*end = *first;
		return;
	}
	*first = larger(*first, smaller(a, b));
	*end = smaller(*end, larger(a, b));
}

/*
 * Cells of a row that starts at (@u, @v) whose centres may lie in the submap,
 * or next to it: splatted cells are there too. Whole segments.
 */
INLINE bool row_range(const struct sampling *s, int64_t u, int64_t v,
		      int begin, unsigned int width, int *x, int *end)
{
	double first = begin, last = begin + (int)width;

	line_range(&s->range_u, u, &first, &last);
	line_range(&s->range_v, v, &first, &last);
	if (first >= last)
		return false;
	*x = (int)first & -SEGMENT_CELLS;
	*end = smaller(last + 1, begin + (int)width);
	return true;
}

static struct blocks_near blocks_near(const struct cells *c,
				      const struct way *way)
{
	const int64_t margin = (int64_t)CELLS_MARGIN << BLOCK_SHIFT;

	return (struct blocks_near){
		.near = c->near,
		.width = c->near_width,
		.height = (c->height + CELLS_BLOCK - 1) / CELLS_BLOCK +
			  2 * CELLS_MARGIN,
		.middle_u = way->du * SEGMENT_CELLS / 2 + margin,
		.middle_v = way->dv * SEGMENT_CELLS / 2 + margin,
		.du = way->du * SEGMENT_CELLS,
		.dv = way->dv * SEGMENT_CELLS,
	};
}

INLINE void find_segments_portable(const struct blocks_near *b,
				   struct row *row, struct segments *out)
{
	int64_t u = row->u, v = row->v;

	for (unsigned int i = 0; i < row->segments; i++, u += b->du,
	     v += b->dv) {
		const unsigned int bu = (u + b->middle_u) >> BLOCK_SHIFT;
		const unsigned int bv = (v + b->middle_v) >> BLOCK_SHIFT;

		if (bu >= b->width || bv >= b->height ||
		    !b->near[bv * b->width + bu])
			continue;
		row->first = row->end ? row->first : i;
		row->end = i + 1;
		out->u[out->n] = u >> STEP_SHIFT;
		out->v[out->n] = v >> STEP_SHIFT;
		out->to[out->n++] = row->to + (int)i * SEGMENT_CELLS;
	}
}

/* What a segment needs again and again; a copy, as stores may be anywhere */
typedef struct sampling lanes_portable;

INLINE lanes_portable make_lanes_portable(const struct sampling *s)
{
	return *s;
}

INLINE void segment_portable(const lanes_portable *l, const void *data,
			     const unsigned int bits, int32_t u, int32_t v,
			     void *to)
{
	const uint32_t width = l->c->width << STEP_BITS;
	const uint32_t height = l->c->height << STEP_BITS;

	for (unsigned int i = 0; i < SEGMENT_CELLS; i++,
	     u += l->step_u, v += l->step_v) {
		const size_t at = (size_t)(v >> STEP_BITS) * l->c->width +
				  (u >> STEP_BITS);

		if ((uint32_t)u >= width || (uint32_t)v >= height)
			continue;
		if (bits == 8 && (!l->fill || ((int8_t *)to)[i] < 0))
			((int8_t *)to)[i] = ((const int8_t *)data)[at];
		if (bits == 16 && (!l->fill || ((int16_t *)to)[i] < 0))
			((int16_t *)to)[i] = ((const int16_t *)data)[at];
	}
}

#define TARGET
#define NAME(x)		x##_portable
#include "project_body.h"

#if CPU_X86
/* u, v: of lanes from the first; width, height: of the submap, and as lanes */
typedef struct {
	__m512i	u, v, stride, width, height;
	bool	fill;
} lanes_avx512;

CPU_AVX512
INLINE lanes_avx512 make_lanes_avx512(const struct sampling *s)
{
	const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
					       10, 11, 12, 13, 14, 15);

	return (lanes_avx512){
		_mm512_mullo_epi32(lane, _mm512_set1_epi32(s->step_u)),
		_mm512_mullo_epi32(lane, _mm512_set1_epi32(s->step_v)),
		_mm512_set1_epi32(s->c->width),
		_mm512_set1_epi32(s->c->width << STEP_BITS),
		_mm512_set1_epi32(s->c->height << STEP_BITS),
		s->fill,
	};
}

CPU_AVX512
INLINE void segment_avx512(const lanes_avx512 *l, const void *data,
			   const unsigned int bits, int32_t u, int32_t v,
			   void *to)
{
	const __m512i us = _mm512_add_epi32(_mm512_set1_epi32(u), l->u);
	const __m512i vs = _mm512_add_epi32(_mm512_set1_epi32(v), l->v);
	const __m512i at = _mm512_add_epi32(_mm512_srai_epi32(us, STEP_BITS),
		_mm512_mullo_epi32(_mm512_srai_epi32(vs, STEP_BITS),
				   l->stride));
	__mmask16 in = _mm512_mask_cmplt_epu32_mask(
		_mm512_cmplt_epu32_mask(us, l->width), vs, l->height);
	__m512i got = _mm512_set1_epi32(-1);

	/* a store of some lanes takes longer than one of all */
	if (bits == 8) {
		if (l->fill) {
			got = _mm512_cvtepi8_epi32(_mm_loadu_si128(to));
			in &= _mm512_movepi32_mask(got);
		}
		got = _mm512_mask_i32gather_epi32(got, in, at, data, 1);
		_mm_storeu_si128(to, _mm512_cvtepi32_epi8(got));
	} else {
		if (l->fill) {
			got = _mm512_cvtepi16_epi32(_mm256_loadu_si256(to));
			in &= _mm512_movepi32_mask(got);
		}
		got = _mm512_mask_i32gather_epi32(got, in, at, data, 2);
		_mm256_storeu_si256(to, _mm512_cvtepi32_epi16(got));
	}
}

/* Of eight: positions and whether they are near something known */
CPU_AVX512
INLINE __mmask8 near_avx512(const struct blocks_near *b, __m512i u, __m512i v)
{
	const __m512i bu = _mm512_srai_epi64(_mm512_add_epi64(u,
				_mm512_set1_epi64(b->middle_u)), BLOCK_SHIFT);
	const __m512i bv = _mm512_srai_epi64(_mm512_add_epi64(v,
				_mm512_set1_epi64(b->middle_v)), BLOCK_SHIFT);
	const __mmask8 in = _mm512_mask_cmplt_epu64_mask(
		_mm512_cmplt_epu64_mask(bu, _mm512_set1_epi64(b->width)), bv,
		_mm512_set1_epi64(b->height));
	/* 32 bits are enough where it is in */
	const __m512i at = _mm512_add_epi64(bu, _mm512_mul_epu32(bv,
				_mm512_set1_epi64(b->width)));
	const __m256i got = _mm512_mask_i64gather_epi32(
		_mm256_setzero_si256(), in, at, b->near, 1);

	return _mm256_test_epi32_mask(got, _mm256_set1_epi32(0xff));
}

/* Without branches, which nobody could predict */
CPU_AVX512
INLINE void find_segments_avx512(const struct blocks_near *b, struct row *row,
				 struct segments *out)
{
	const __m512i lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
	const __m512i du = _mm512_set1_epi64(8 * b->du);
	const __m512i dv = _mm512_set1_epi64(8 * b->dv);
	__m512i u = _mm512_add_epi64(_mm512_set1_epi64(row->u),
		_mm512_mullo_epi64(lane, _mm512_set1_epi64(b->du)));
	__m512i v = _mm512_add_epi64(_mm512_set1_epi64(row->v),
		_mm512_mullo_epi64(lane, _mm512_set1_epi64(b->dv)));
	__m256i to = _mm256_add_epi32(_mm256_set1_epi32(row->to),
		_mm256_mullo_epi32(_mm512_cvtepi64_epi32(lane),
				   _mm256_set1_epi32(SEGMENT_CELLS)));
	unsigned int n = out->n;
	uint64_t found = 0;

	for (unsigned int i = 0; i < row->segments; i += 8) {
		const unsigned int left = row->segments - i;
		const __mmask8 is = near_avx512(b, u, v) &
				    ((1U << (left < 8 ? left : 8)) - 1);

		_mm256_storeu_si256((void *)(out->u + n),
			_mm256_maskz_compress_epi32(is, _mm512_cvtepi64_epi32(
				_mm512_srai_epi64(u, STEP_SHIFT))));
		_mm256_storeu_si256((void *)(out->v + n),
			_mm256_maskz_compress_epi32(is, _mm512_cvtepi64_epi32(
				_mm512_srai_epi64(v, STEP_SHIFT))));
		_mm256_storeu_si256((void *)(out->to + n),
			_mm256_maskz_compress_epi32(is, to));
		n += __builtin_popcount(is);
		found |= (uint64_t)is << i;
		u = _mm512_add_epi64(u, du);
		v = _mm512_add_epi64(v, dv);
		to = _mm256_add_epi32(to, _mm256_set1_epi32(8 *
							SEGMENT_CELLS));
	}
	out->n = n;
	if (found) {
		row->first = __builtin_ctzll(found);
		row->end = 64 - __builtin_clzll(found);
	}
}

#define TARGET		CPU_AVX512
#define NAME(x)		x##_avx512
#include "project_body.h"

/* As lanes_avx512, but for half a segment */
typedef struct {
	__m256i	u, v, stride, last_u, last_v;
	int32_t	half_u, half_v;
	bool	fill;
} lanes_avx2;

CPU_AVX2
INLINE lanes_avx2 make_lanes_avx2(const struct sampling *s)
{
	const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);

	return (lanes_avx2){
		_mm256_mullo_epi32(lane, _mm256_set1_epi32(s->step_u)),
		_mm256_mullo_epi32(lane, _mm256_set1_epi32(s->step_v)),
		_mm256_set1_epi32(s->c->width),
		_mm256_set1_epi32((s->c->width << STEP_BITS) - 1),
		_mm256_set1_epi32((s->c->height << STEP_BITS) - 1),
		8 * s->step_u, 8 * s->step_v, s->fill,
	};
}

CPU_AVX2
INLINE void half_avx2(const lanes_avx2 *l, const void *data,
		      const unsigned int bits, int32_t u, int32_t v, void *to)
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
	__m256i got = bits == 8 ? _mm256_cvtepi8_epi32(_mm_loadl_epi64(to)) :
				  _mm256_cvtepi16_epi32(_mm_loadu_si128(to));

	if (l->fill)
		in = _mm256_and_si256(in, _mm256_srai_epi32(got, 31));
	/* the scale must be a constant of the instruction */
	if (bits == 8) {
		got = _mm256_mask_i32gather_epi32(got, data, at, in, 1);
		got = _mm256_permutevar8x32_epi32(
			_mm256_shuffle_epi8(got, order8), pairs);
		_mm_storel_epi64(to, _mm256_castsi256_si128(got));
	} else {
		got = _mm256_mask_i32gather_epi32(got, data, at, in, 2);
		got = _mm256_permute4x64_epi64(
			_mm256_shuffle_epi8(got, order16), 0x08);
		_mm_storeu_si128(to, _mm256_castsi256_si128(got));
	}
}

CPU_AVX2
INLINE void segment_avx2(const lanes_avx2 *l, const void *data,
			 const unsigned int bits, int32_t u, int32_t v,
			 void *to)
{
	half_avx2(l, data, bits, u, v, to);
	half_avx2(l, data, bits, u + l->half_u, v + l->half_v,
		  (char *)to + bits);
}

#define find_segments_avx2	find_segments_portable
#define TARGET		CPU_AVX2
#define NAME(x)		x##_avx2
#include "project_body.h"
#endif

static void sample(const struct way *way, bool fill, struct window *w)
{
	const struct sampling s = {
		.c = way->c,
		.step_u = (way->du + (1 << (STEP_SHIFT - 1))) >> STEP_SHIFT,
		.step_v = (way->dv + (1 << (STEP_SHIFT - 1))) >> STEP_SHIFT,
		.fill = fill,
		.range_u = range_of(way->du, way->c->width, 1),
		.range_v = range_of(way->dv, way->c->height, 1),
	};

#if CPU_X86
	if (cpu_avx512()) {
		sample_rows_avx512(&s, way, w);
		return;
	}
	if (cpu_avx2()) {
		sample_rows_avx2(&s, way, w);
		return;
	}
#endif
	sample_rows_portable(&s, way, w);
}

/*
 * Splatting
 */

/*
 * Cells from (@x, @y) of a window's memory on: where they go, and then there;
 * of several that come to one place the largest stays
 */
INLINE void splat_batch(const void *data, void *to, const unsigned int bits,
			const unsigned int n, uint64_t x, uint64_t y,
			uint64_t dx, uint64_t dy)
{
	const int8_t *v8 = data;
	const int16_t *v16 = data;
	uint32_t place[BATCH];

	for (unsigned int i = 0; i < n; i++)
		place[i] = (uint32_t)((y + i * dy) >> FIXED_BITS) *
			   PROJECT_STRIDE +
			   (uint32_t)((x + i * dx) >> FIXED_BITS);
	for (unsigned int i = 0; i < n; i++)
		if (bits == 8) {
			int8_t *at = (int8_t *)to + place[i];

			*at = v8[i] > *at ? v8[i] : *at;
		} else {
			int16_t *at = (int16_t *)to + place[i];

			*at = v16[i] > *at ? v16[i] : *at;
		}
}

/* The part of a run that comes into the window; some of its guard too */
INLINE bool clip(const struct way *way, const struct window *w, int64_t x,
		 int64_t y, unsigned int *from, unsigned int *end)
{
	const int64_t margin = (int64_t)PROJECT_GUARD << FIXED_BITS;
	const struct range rx = range_of(way->dx, w->rect.width, SPLAT_MARGIN);
	const struct range ry = range_of(way->dy, w->rect.height,
					 SPLAT_MARGIN);
	double first = *from, last = *end;

	line_range(&rx, x - margin, &first, &last);
	line_range(&ry, y - margin, &first, &last);
	if (first >= last)
		return false;
	*from = ceil(first);
	*end = smaller(ceil(last), *end);
	return *from < *end;
}

/* In a window's memory */
INLINE bool is_inside(const struct window *w, int64_t x, int64_t y)
{
	return (uint64_t)x >> FIXED_BITS < w->rect.width + 2 * PROJECT_GUARD &&
	       (uint64_t)y >> FIXED_BITS < w->rect.height + 2 * PROJECT_GUARD;
}

INLINE void splat_run(const struct way *way, struct window *w, bool inside,
		      const unsigned int bits, const struct cells_run *r)
{
	const int left = w->rect.x - way->bounds.x - PROJECT_GUARD;
	const int low = w->rect.y - way->bounds.y - PROJECT_GUARD;
	const int64_t dx = way->dx, dy = way->dy;
	int64_t x = way->x + r->column * dx - r->row * dy -
		    ((int64_t)left << FIXED_BITS);
	int64_t y = way->y + r->column * dy + r->row * dx -
		    ((int64_t)low << FIXED_BITS);
	const char *data = (const char *)way->c->data + (bits / 8) *
			   ((size_t)r->row * way->c->width + r->column);
	unsigned int i = 0, end = r->count;

	if (!inside && !(is_inside(w, x, y) &&
	    is_inside(w, x + (end - 1) * dx, y + (end - 1) * dy)) &&
	    !clip(way, w, x, y, &i, &end))
		return;
	x += i * dx;
	y += i * dy;
	for (; i + BATCH <= end; i += BATCH, x += BATCH * dx, y += BATCH * dy)
		splat_batch(data + i * (bits / 8), w->data, bits, BATCH, x, y,
			    dx, dy);
	splat_batch(data + i * (bits / 8), w->data, bits, end - i, x, y, dx,
		    dy);
}

CPU_CLONES
static void splat(const struct way *way, struct window *w)
{
	const struct rect in = rect_common(&way->bounds, &w->rect);
	const bool inside = in.width == way->bounds.width &&
			    in.height == way->bounds.height;
	const struct cells *c = way->c;

	if (w->bits == 8)
		for (unsigned int i = 0; i < c->runs; i++)
			splat_run(way, w, inside, 8, &c->run[i]);
	else
		for (unsigned int i = 0; i < c->runs; i++)
			splat_run(way, w, inside, 16, &c->run[i]);
}

void project(const struct cells *c, const struct pose *at, double resolution,
	     bool splatted, struct window *w)
{
	const bool sampled = !splatted || c->resolution > HOLES * resolution;
	const struct way way = way_of(c, at, resolution);

	w->bits = c->bits;
	for (unsigned int y = 0; y < w->rect.height; y++) {
		w->first[y] = sampled ? w->rect.width : 0;
		w->end[y] = sampled ? 0 : w->rect.width;
	}
	clear(w);
	if (splatted)
		splat(&way, w);
	if (sampled)
		sample(&way, splatted, w);
}
