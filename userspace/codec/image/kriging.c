// SPDX-License-Identifier: GPL-2.0-only
/*
 * kriging - interpolate missing pixels from their neighbours
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include "base/cpu.h"
#include "codec/image/kriging.h"

/* If only one phase is there, its 12 nearest are within 3 periods */
#define REACH(period)	(3 * (period))

enum {
	SIDE	= 2 * REACH(KRIGING_PERIOD) + 1,
	SIZE	= KRIGING_NEIGHBOURS + 1,	/* of the system */
};

static const double power = 1.5;

struct offset {
	int16_t x, y;
};

/**
 * struct kriging - data that only depends on the period
 * @near:	all offsets within reach, the nearest first
 * @gamma:	variogram by squared distance
 */
struct kriging {
	unsigned int	period, offsets;
	struct offset	near[SIDE * SIDE];
	float		gamma[2 * SIDE * SIDE];
};

static int distance(const struct offset *o)
{
	return o->x * o->x + o->y * o->y;
}

/* Ties: the upper, then the left one, so that the order is unique */
static int kriging_compare(const void *a, const void *b)
{
	const struct offset *p = a, *q = b;

	if (distance(p) != distance(q))
		return distance(p) - distance(q);
	return p->y != q->y ? p->y - q->y : p->x - q->x;
}

struct kriging *kriging_create(unsigned int period)
{
	struct kriging *k = malloc(sizeof(*k));
	int reach = REACH(period);

	if (!k)
		return NULL;
	k->period = period;
	k->offsets = 0;
	for (int y = -reach; y <= reach; y++)
		for (int x = -reach; x <= reach; x++)
			if (x || y)
				k->near[k->offsets++] = (struct offset){ x, y };
	qsort(k->near, k->offsets, sizeof(*k->near), kriging_compare);
	/* two neighbours are at most twice the reach apart, in x and in y */
	for (int i = 0; i <= 8 * reach * reach; i++)
		k->gamma[i] = pow(i, power / 2);
	return k;
}

void kriging_destroy(struct kriging *k)
{
	free(k);
}

static double gamma_at(const struct kriging *k, int dx, int dy)
{
	return k->gamma[dx * dx + dy * dy];
}

/* Gauss with pivoting, as the diagonal of a variogram is zero */
static void kriging_eliminate(double a[SIZE][SIZE + 1], unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		unsigned int p = i;

		for (unsigned int r = i + 1; r < n; r++)
			if (fabs(a[r][i]) > fabs(a[p][i]))
				p = r;
		for (unsigned int c = i; c <= n; c++) {
			double t = a[i][c];

			a[i][c] = a[p][c];
			a[p][c] = t;
		}
		for (unsigned int r = i + 1; r < n; r++) {
			double f = a[r][i] / a[i][i];

			for (unsigned int c = i; c <= n; c++)
				a[r][c] -= f * a[i][c];
		}
	}
	for (unsigned int i = n; i--; ) {
		for (unsigned int c = i + 1; c < n; c++)
			a[i][n] -= a[i][c] * a[c][n];
		a[i][n] /= a[i][i];
	}
}

static void kriging_find(const struct kriging *k, const bool there[],
			 unsigned int x, unsigned int y,
			 unsigned int neighbours, struct kriging_weights *w)
{
	unsigned int mask = k->period - 1;

	w->count = 0;
	for (unsigned int i = 0; i < k->offsets && w->count < neighbours; i++) {
		const struct offset *o = &k->near[i];

		if (!there[((y + o->y) & mask) * k->period + ((x + o->x) & mask)])
			continue;
		assert(w->count < neighbours);
		w->dx[w->count] = o->x;
		w->dy[w->count++] = o->y;
	}
}

void kriging_solve(const struct kriging *k, const bool there[],
		   unsigned int x, unsigned int y, unsigned int neighbours,
		   struct kriging_weights *w)
{
	double a[SIZE][SIZE + 1];
	int32_t rest = 1 << KRIGING_BITS;
	unsigned int n;

	kriging_find(k, there, x, y, neighbours, w);
	n = w->count;
	if (n == 1) {
		w->weight[0] = rest;
		return;
	}
	for (unsigned int i = 0; i < n; i++) {
		for (unsigned int j = 0; j < n; j++)
			a[i][j] = gamma_at(k, w->dx[i] - w->dx[j],
					   w->dy[i] - w->dy[j]);
		a[i][n] = a[n][i] = 1;
		a[i][n + 1] = gamma_at(k, w->dx[i], w->dy[i]);
	}
	a[n][n] = 0;
	a[n][n + 1] = 1;
	kriging_eliminate(a, n + 1);
	for (unsigned int i = 1; i < n; i++) {
		w->weight[i] = lrint(a[i][n + 1] * (1 << KRIGING_BITS));
		rest -= w->weight[i];
	}
	/* the nearest takes the rounding error: flat areas stay flat */
	w->weight[0] = rest;
}

INLINE int32_t kriging_clamp(int32_t v, int32_t most)
{
	return v < 0 ? 0 : v > most ? most : v;
}

/*
 * As weights add up to 1, the middle of the range can be subtracted first and
 * added last: 32 bits then suffice for weights whose sizes add up to 4. In
 * practice they stay below 2.
 */
#define ROW(name, type, most)                                               \
	INLINE void name(const struct kriging_weights *w,                   \
			 const void *const from[], type *restrict to,       \
			 size_t count)                                      \
	{                                                                   \
		enum { CHUNK = 64 };                                        \
		const int32_t middle = (most) / 2;                          \
		int32_t sum[CHUNK];                                         \
                                                                            \
		for (size_t at = 0; at < count; at += CHUNK) {              \
			size_t n = count - at < CHUNK ? count - at : CHUNK; \
                                                                            \
			for (size_t i = 0; i < n; i++)                      \
				sum[i] = 1 << (KRIGING_BITS - 1);           \
			for (unsigned int k = 0; k < w->count; k++) {       \
				const type *f = (const type *)from[k] + at; \
				int32_t weight = w->weight[k];              \
                                                                            \
				for (size_t i = 0; i < n; i++)              \
					sum[i] += weight * (f[i] - middle); \
			}                                                   \
			for (size_t i = 0; i < n; i++)                      \
				to[at + i] = kriging_clamp(                 \
					(sum[i] >> KRIGING_BITS) + middle,  \
					most);                              \
		}                                                           \
	}

ROW(row8, uint8_t, 255)
ROW(row16, uint16_t, 65535)

#if CPU_X86
static CPU_AVX2 void row_avx2(const struct kriging_weights *w,
			      const void *const from[], void *to,
			      size_t count, unsigned int most)
{
	if (most == 255)
		row8(w, from, to, count);
	else
		row16(w, from, to, count);
}
#endif

static void row_any(const struct kriging_weights *w, const void *const from[],
		    void *to, size_t count, unsigned int most)
{
	if (most == 255)
		row8(w, from, to, count);
	else
		row16(w, from, to, count);
}

void kriging_row(const struct kriging_weights *w, const void *const from[],
		 void *to, size_t count, unsigned int most)
{
#if CPU_X86
	if (cpu_avx2()) {
		row_avx2(w, from, to, count, most);
		return;
	}
#endif
	row_any(w, from, to, count, most);
}

static int32_t kriging_sample(const void *row, size_t i, unsigned int most)
{
	return most == 255 ? ((const uint8_t *)row)[i] :
			     ((const uint16_t *)row)[i];
}

void kriging_row_ref(const struct kriging_weights *w, const void *const from[],
		     void *to, size_t count, unsigned int most)
{
	int32_t middle = most / 2;

	for (size_t i = 0; i < count; i++) {
		int32_t sum = 1 << (KRIGING_BITS - 1);

		for (unsigned int k = 0; k < w->count; k++)
			sum += w->weight[k] *
			       (kriging_sample(from[k], i, most) - middle);
		sum = kriging_clamp((sum >> KRIGING_BITS) + middle, most);
		if (most == 255)
			((uint8_t *)to)[i] = sum;
		else
			((uint16_t *)to)[i] = sum;
	}
}
