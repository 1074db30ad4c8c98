// SPDX-License-Identifier: GPL-2.0-only
/*
 * voxel - voxel grid filter with a hash table
 *
 * In chunks of points: first the voxels of all, which vectorises, then a lookup
 * in the table for each. A slot of the table is in use if it has the number of
 * the current pass, so that nothing has to be cleared between passes.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/cpu.h"
#include "codec/cloud/voxel.h"
#if CPU_X86
#include <immintrin.h>
#elif CPU_NEON
#include <arm_neon.h>
#endif

enum {
	CHUNK		= 256,		/* points */
	SLOTS_MIN	= 1 << 12,
	AHEAD		= 12,		/* prefetch distance, points */
};

struct slot {
	uint64_t	voxel;
	uint32_t	cell;
	uint32_t	pass;
};

typedef double double4 __attribute__((vector_size(32)));
typedef float float4 __attribute__((vector_size(16)));

/* @sum: of x, y, z and 1 */
struct cell {
	double4		sum;
};

struct voxel {
	unsigned int	max;
	uint32_t	pass;
	unsigned int	slots, shift;	/* in use in this pass */
	unsigned int	slots_max;
	struct slot	*slot;
	struct cell	*cell;
	uint32_t	*first;		/* [cell]: its first point */
	uint32_t	*of;		/* [point]: its cell */
	double		*sum;		/* [cell]: of a field */
};

/* Voxel coordinates of points before the lookup, 21 bits each */
struct chunk {
	uint64_t	voxel[CHUNK + AHEAD];
};

static unsigned int slots_for(unsigned int points)
{
	unsigned int n = SLOTS_MIN;

	while (n < 2 * (uint64_t)points && n < 1U << 31)
		n *= 2;
	return n;
}

struct voxel *voxel_create(unsigned int max)
{
	struct voxel *v = calloc(1, sizeof(*v));
	size_t n = (size_t)max + 1;

	if (!v)
		return NULL;
	v->max = max;
	v->slots_max = slots_for(max);
	v->slot = calloc(v->slots_max, sizeof(*v->slot));
	v->cell = aligned_alloc(sizeof(*v->cell), n * sizeof(*v->cell));
	v->first = malloc(n * sizeof(*v->first));
	v->of = malloc(n * sizeof(*v->of));
	v->sum = malloc(n * sizeof(*v->sum));
	if (!v->slot || !v->cell || !v->first || !v->of || !v->sum) {
		voxel_destroy(v);
		return NULL;
	}
	return v;
}

void voxel_destroy(struct voxel *v)
{
	if (!v)
		return;
	free(v->slot);
	free(v->cell);
	free(v->first);
	free(v->of);
	free(v->sum);
	free(v);
}

static void begin_pass(struct voxel *v, unsigned int points)
{
	v->slots = slots_for(points);
	v->shift = __builtin_clz(v->slots) + 33;
	if (!++v->pass) {
		memset(v->slot, 0, v->slots_max * sizeof(*v->slot));
		v->pass = 1;
	}
}

/* floor() for small numbers, without a call */
static inline int32_t floor_small(float f)
{
	int32_t i = f;

	return i - (f < (float)i);
}

static inline bool voxel_in_reach(float f)
{
	return f >= 1 - VOXEL_REACH && f < VOXEL_REACH;
}

/*
 * Points begin ... end - 1 of a chunk that begins with point @from.
 *
 * Return: whether all are within reach.
 */
static bool find_voxels(const struct cloud *in, unsigned int from,
			unsigned int begin, unsigned int end, float inverse,
			struct chunk *c)
{
	for (unsigned int i = begin; i < end; i++) {
		float fx = in->x[from + i] * inverse;
		float fy = in->y[from + i] * inverse;
		float fz = in->z[from + i] * inverse;
		uint32_t x, y, z;

		if (!voxel_in_reach(fx) || !voxel_in_reach(fy) ||
		    !voxel_in_reach(fz))
			return false;
		x = floor_small(fx) + VOXEL_REACH;
		y = floor_small(fy) + VOXEL_REACH;
		z = floor_small(fz) + VOXEL_REACH;
		c->voxel[i] = x | (uint64_t)y << 21 | (uint64_t)z << 42;
	}
	return true;
}

/* Multiplicative hashing: Knuth, The Art of Computer Programming 3, 6.4 */
static inline unsigned int voxel_slot_of(uint64_t voxel, unsigned int shift)
{
	return voxel * 0x9e3779b97f4a7c15 >> shift;
}

/*
 * Find the cells of a chunk's points, and, unless only their number is wanted,
 * add the points to them.
 *
 * Return: the number of cells so far.
 */
static inline __attribute__((always_inline))
unsigned int add_chunk(struct voxel *v, const struct cloud *in,
		       unsigned int from, unsigned int n,
		       const struct chunk *restrict c, unsigned int cells,
		       bool sum)
{
	const float *restrict x = in->x + from, *restrict y = in->y + from;
	const float *restrict z = in->z + from;
	uint32_t *restrict first = v->first, *restrict of = v->of + from;
	struct slot *restrict slot = v->slot;
	struct cell *restrict cell = v->cell;
	unsigned int mask = v->slots - 1, shift = v->shift;
	uint32_t number = v->pass;

	for (unsigned int i = 0; i < n; i++) {
		float4 point = { x[i], y[i], z[i], 1 };
		double4 wide = __builtin_convertvector(point, double4);
		uint64_t voxel = c->voxel[i];
		unsigned int at = voxel_slot_of(voxel, shift);
		struct slot *s = &slot[at];

		/* beyond the chunk's end are old but valid slots */
		__builtin_prefetch(
			&slot[voxel_slot_of(c->voxel[i + AHEAD], shift)]);
		while (s->pass == number && s->voxel != voxel) {
			at = (at + 1) & mask;
			s = &slot[at];
		}
		if (s->pass != number) {
			*s = (struct slot){ voxel, cells, number };
			of[i] = cells;
			first[cells] = from + i;
			if (sum)
				cell[cells].sum = wide;
			cells++;
			continue;
		}
		of[i] = s->cell;
		if (sum)
			cell[s->cell].sum += wide;
	}
	return cells;
}

/* Voxels of @n points from @from on. Return: false if one is out of reach */
typedef bool find_in_chunk(const struct cloud *in, unsigned int from,
			   unsigned int n, float inverse, struct chunk *c);

/* Inlined, as @find is: the code for each CPU is one piece. */
static inline __attribute__((always_inline)) int
pass_with(find_in_chunk *find, struct voxel *v, const struct cloud *in,
	  float inverse, bool sum)
{
	struct chunk c = { 0 };
	unsigned int cells = 0;

	for (unsigned int from = 0; from < in->count; from += CHUNK) {
		unsigned int n = in->count - from;

		if (n > CHUNK)
			n = CHUNK;
		if (!find(in, from, n, inverse, &c))
			return -ERANGE;
		cells = sum ? add_chunk(v, in, from, n, &c, cells, true) :
			      add_chunk(v, in, from, n, &c, cells, false);
	}
	return cells;
}

static bool find_voxels_portable(const struct cloud *in, unsigned int from,
				 unsigned int n, float inverse,
				 struct chunk *c)
{
	return find_voxels(in, from, 0, n, inverse, c);
}

#if CPU_X86
CPU_AVX2 static inline __m256i voxel_axis(const float *at, __m256 inverse,
					  __m256 *good)
{
	__m256 f = _mm256_mul_ps(_mm256_loadu_ps(at), inverse);
	__m256 in;

	in = _mm256_and_ps(_mm256_cmp_ps(f, _mm256_set1_ps(1 - VOXEL_REACH),
					 _CMP_GE_OQ),
			   _mm256_cmp_ps(f, _mm256_set1_ps(VOXEL_REACH),
					 _CMP_LT_OQ));
	*good = _mm256_and_ps(*good, in);
	return _mm256_add_epi32(_mm256_cvttps_epi32(_mm256_floor_ps(f)),
				_mm256_set1_epi32(VOXEL_REACH));
}

CPU_AVX2 static inline __m256i voxel_join(__m128i x, __m128i y, __m128i z)
{
	__m256i yy = _mm256_slli_epi64(_mm256_cvtepu32_epi64(y), 21);
	__m256i zz = _mm256_slli_epi64(_mm256_cvtepu32_epi64(z), 42);

	return _mm256_or_si256(_mm256_cvtepu32_epi64(x),
			       _mm256_or_si256(yy, zz));
}

CPU_AVX2 static bool find_voxels_avx2(const struct cloud *in,
				      unsigned int from, unsigned int n,
				      float inverse, struct chunk *c)
{
	__m256 inv = _mm256_set1_ps(inverse);
	__m256 good = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
	unsigned int i;

	for (i = 0; i + 8 <= n; i += 8) {
		__m256i x = voxel_axis(in->x + from + i, inv, &good);
		__m256i y = voxel_axis(in->y + from + i, inv, &good);
		__m256i z = voxel_axis(in->z + from + i, inv, &good);
		__m256i *to = (__m256i *)&c->voxel[i];

		_mm256_storeu_si256(to,
			voxel_join(_mm256_castsi256_si128(x),
				   _mm256_castsi256_si128(y),
				   _mm256_castsi256_si128(z)));
		_mm256_storeu_si256(to + 1,
			voxel_join(_mm256_extracti128_si256(x, 1),
				   _mm256_extracti128_si256(y, 1),
				   _mm256_extracti128_si256(z, 1)));
	}
	return _mm256_movemask_ps(good) == 0xff &&
	       find_voxels(in, from, i, n, inverse, c);
}

CPU_AVX2 static int pass_avx2(struct voxel *v, const struct cloud *in,
			      float inverse, bool sum)
{
	return pass_with(find_voxels_avx2, v, in, inverse, sum);
}
#endif

#if CPU_NEON
static inline uint32x4_t voxel_axis_neon(const float *at, float inverse,
					 uint32x4_t *good)
{
	const float32x4_t f = vmulq_n_f32(vld1q_f32(at), inverse);

	*good = vandq_u32(*good, vandq_u32(
		vcgeq_f32(f, vdupq_n_f32(1 - VOXEL_REACH)),
		vcltq_f32(f, vdupq_n_f32(VOXEL_REACH))));
	return vreinterpretq_u32_s32(vaddq_s32(vcvtmq_s32_f32(f),
					       vdupq_n_s32(VOXEL_REACH)));
}

static bool find_voxels_neon(const struct cloud *in, unsigned int from,
			     unsigned int n, float inverse, struct chunk *c)
{
	uint32x4_t good = vdupq_n_u32(UINT32_MAX);
	unsigned int i;

	for (i = 0; i + 4 <= n; i += 4) {
		const uint32x4_t x = voxel_axis_neon(in->x + from + i, inverse,
						     &good);
		const uint32x4_t y = voxel_axis_neon(in->y + from + i, inverse,
						     &good);
		const uint32x4_t z = voxel_axis_neon(in->z + from + i, inverse,
						     &good);
		/* 32 bits each: x and the lower bits of y, then the rest */
		const uint32x4_t low = vsliq_n_u32(x, y, 21);
		const uint32x4_t high = vsliq_n_u32(vshrq_n_u32(y, 11), z, 10);

		vst1q_u64(&c->voxel[i], vreinterpretq_u64_u32(
			vzip1q_u32(low, high)));
		vst1q_u64(&c->voxel[i + 2], vreinterpretq_u64_u32(
			vzip2q_u32(low, high)));
	}
	return vminvq_u32(good) && find_voxels(in, from, i, n, inverse, c);
}
#endif

/*
 * One pass over all points.
 *
 * Return: the number of voxels, or -ERANGE.
 */
static int voxel_pass(struct voxel *v, const struct cloud *in, float leaf,
		      bool sum)
{
	float inverse = 1 / leaf;

	if (!(leaf > 0) || !isfinite(leaf) || !isfinite(inverse))
		return -ERANGE;
	begin_pass(v, in->count);
#if CPU_X86
	if (cpu_avx2())
		return pass_avx2(v, in, inverse, sum);
#elif CPU_NEON
	if (cpu_neon())
		return pass_with(find_voxels_neon, v, in, inverse, sum);
#endif
	return pass_with(find_voxels_portable, v, in, inverse, sum);
}

static void average_field(struct voxel *v, const struct cloud_field *in,
			  unsigned int points, struct cloud_field *out,
			  unsigned int cells)
{
	const double *d = in->data;
	const float *f = in->data;

	memset(v->sum, 0, cells * sizeof(*v->sum));
	if (in->type == CLOUD_FLOAT32) {
		for (unsigned int p = 0; p < points; p++)
			v->sum[v->of[p]] += f[p];
		for (unsigned int i = 0; i < cells; i++)
			((float *)out->data)[i] = v->sum[i] / v->cell[i].sum[3];
		return;
	}
	for (unsigned int p = 0; p < points; p++)
		v->sum[v->of[p]] += d[p];
	for (unsigned int i = 0; i < cells; i++)
		((double *)out->data)[i] = v->sum[i] / v->cell[i].sum[3];
}

static void first_field(const struct voxel *v, const struct cloud_field *in,
			struct cloud_field *out, unsigned int cells)
{
	unsigned int bytes = cloud_type_bytes(in->type);

	for (unsigned int i = 0; i < cells; i++)
		memcpy((char *)out->data + (size_t)i * bytes,
		       (char *)in->data + (size_t)v->first[i] * bytes, bytes);
}

int voxel_filter(struct voxel *v, const struct cloud *in, float leaf,
		 struct cloud *out)
{
	int cells;

	cloud_like(out, in);
	if (in->count > v->max)
		return -ENOSPC;
	cells = voxel_pass(v, in, leaf, true);
	if (cells < 0)
		return cells;
	if ((unsigned int)cells > out->max)
		return -ENOSPC;
	for (int i = 0; i < cells; i++) {
		double4 mean = v->cell[i].sum / v->cell[i].sum[3];

		out->x[i] = mean[0];
		out->y[i] = mean[1];
		out->z[i] = mean[2];
	}
	for (unsigned int f = 0; f < in->fields; f++) {
		const struct cloud_field *field = &in->field[f];

		if (field->type >= CLOUD_FLOAT32 && !cloud_field_packed(field))
			average_field(v, field, in->count, &out->field[f],
				      cells);
		else
			first_field(v, field, &out->field[f], cells);
	}
	assert(cells >= 0 && (unsigned int)cells <= in->count);
	out->count = cells;
	return 0;
}

/* The largest coordinate, or a negative number if one is not finite */
static float farthest(const struct cloud *in)
{
	float most = 0;

	for (unsigned int i = 0; i < in->count; i++) {
		float x = fabsf(in->x[i]), y = fabsf(in->y[i]);
		float z = fabsf(in->z[i]);

		x = x > y ? x : y;
		x = x > z ? x : z;
		most = most > x ? most : x;
		if (!isfinite(in->x[i]) || !isfinite(in->y[i]) ||
		    !isfinite(in->z[i]))
			return -1;
	}
	return most;
}

int voxel_filter_most(struct voxel *v, const struct cloud *in,
		      unsigned int most, float *leaf, struct cloud *out)
{
	float far = farthest(in), guess = *leaf;
	/* bounds: too small, and so large that only the octants remain */
	float low = far / (VOXEL_REACH / 2), high = far * 2;
	int cells;

	cloud_like(out, in);
	if (far < 0 || !isfinite(high))
		return -ERANGE;
	if (in->count <= most) {
		*leaf = 0;
		return cloud_append(out, in, 0, in->count);
	}
	if (in->count > v->max)
		return -ENOSPC;
	if (!(high > 0)) {
		low = 0.5f;
		high = 1;
	}
	/* scans are surfaces: half the edge gives four times the voxels */
	if (!(guess > low && guess < high))
		guess = far / sqrtf(most);
	for (int i = 0; i < VOXEL_PASSES; i++) {
		if (!(guess > low && guess < high))
			guess = sqrtf(low * high);
		cells = voxel_pass(v, in, guess, false);
		if (cells < 0)
			return cells;
		if ((unsigned int)cells > most)
			low = guess;
		else
			high = guess;
		if (high == guess && (uint64_t)cells * 20 >= most * 19ULL)
			break;
		guess *= sqrtf(cells / (most * 0.975f));
	}
	*leaf = high;
	cells = voxel_filter(v, in, high, out);
	if (!cells && out->count > most) {
		out->count = 0;
		return -ERANGE;
	}
	return cells;
}
