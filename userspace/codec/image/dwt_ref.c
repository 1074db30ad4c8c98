// SPDX-License-Identifier: GPL-2.0-only
/*
 * dwt_ref - the wavelet transforms sample by sample
 *
 * Lifts in place with mirrored indices, then splits the halves. Slow, but
 * obviously correct.
 */
#include <string.h>
#include "codec/image/dwt.h"
#include "codec/image/dwt_lift.h"

/* sample @i of @n, mirrored at both ends, @step apart */
static size_t dwt_ref_at(long i, long n, size_t step)
{
	if (i < 0)
		i = -i;
	if (i >= n)
		i = 2 * (n - 1) - i;
	return i * step;
}

static void dwt_ref_lift97(float *a, long n, size_t step, long first, float k)
{
	for (long i = first; i < n; i += 2)
		a[dwt_ref_at(i, n, step)] +=
			k * (a[dwt_ref_at(i - 1, n, step)] +
			     a[dwt_ref_at(i + 1, n, step)]);
}

static void dwt_ref_lift53(int32_t *a, long n, size_t step, long first,
			   enum dwt_step how)
{
	for (long i = first; i < n; i += 2)
		a[dwt_ref_at(i, n, step)] =
			dwt53_step(a[dwt_ref_at(i, n, step)],
				   a[dwt_ref_at(i - 1, n, step)],
				   a[dwt_ref_at(i + 1, n, step)], how);
}

/* any 32-bit samples: even ones first, or back */
static void part(void *samples, long n, size_t step, uint32_t *t, int back)
{
	uint32_t *a = samples;

	for (long i = 0; i < n; i++) {
		long to = i & 1 ? (n + 1) / 2 + i / 2 : i / 2;

		if (back)
			t[i] = a[to * step];
		else
			t[to] = a[i * step];
	}
	for (long i = 0; i < n; i++)
		a[i * step] = t[i];
}

static void line97(float *a, long n, size_t step, uint32_t *t, int back)
{
	if (n < 2)
		return;
	if (!back) {
		dwt_ref_lift97(a, n, step, 1, DWT_ALPHA);
		dwt_ref_lift97(a, n, step, 0, DWT_BETA);
		dwt_ref_lift97(a, n, step, 1, DWT_GAMMA);
		dwt_ref_lift97(a, n, step, 0, DWT_DELTA);
		for (long i = 0; i < n; i++)
			a[i * step] *= i & 1 ? DWT_HIGH : DWT_LOW;
		part(a, n, step, t, 0);
		return;
	}
	part(a, n, step, t, 1);
	for (long i = 0; i < n; i++)
		a[i * step] *= i & 1 ? 1 / DWT_HIGH : 1 / DWT_LOW;
	dwt_ref_lift97(a, n, step, 0, -DWT_DELTA);
	dwt_ref_lift97(a, n, step, 1, -DWT_GAMMA);
	dwt_ref_lift97(a, n, step, 0, -DWT_BETA);
	dwt_ref_lift97(a, n, step, 1, -DWT_ALPHA);
}

static void line53(int32_t *a, long n, size_t step, uint32_t *t, int back)
{
	if (n < 2)
		return;
	if (!back) {
		dwt_ref_lift53(a, n, step, 1, DWT_PREDICT);
		dwt_ref_lift53(a, n, step, 0, DWT_UPDATE);
		part(a, n, step, t, 0);
		return;
	}
	part(a, n, step, t, 1);
	dwt_ref_lift53(a, n, step, 0, DWT_UNUPDATE);
	dwt_ref_lift53(a, n, step, 1, DWT_UNPREDICT);
}

#define LEVELS(line, a, w, h, stride, levels, t, back) do {		\
	for (unsigned int l = 0; l < (levels); l++) {			\
		unsigned int k = (back) ? (levels) - 1 - l : l;		\
		long wl = (((w) - 1) >> k) + 1;				\
		long hl = (((h) - 1) >> k) + 1;				\
									\
		for (long y = 0; !(back) && y < hl; y++)		\
			line(a + y * (stride), wl, 1, t, 0);		\
		for (long x = 0; x < wl; x++)				\
			line(a + x, hl, stride, t, back);		\
		for (long y = 0; (back) && y < hl; y++)			\
			line(a + y * (stride), wl, 1, t, 1);		\
	}								\
} while (0)

void dwt97_forward_ref(float *a, unsigned int width, unsigned int height,
		       size_t stride, unsigned int levels, void *scratch)
{
	LEVELS(line97, a, width, height, stride, levels, scratch, 0);
}

void dwt97_inverse_ref(float *a, unsigned int width, unsigned int height,
		       size_t stride, unsigned int levels, void *scratch)
{
	LEVELS(line97, a, width, height, stride, levels, scratch, 1);
}

void dwt53_forward_ref(int32_t *a, unsigned int width, unsigned int height,
		       size_t stride, unsigned int levels, void *scratch)
{
	LEVELS(line53, a, width, height, stride, levels, scratch, 0);
}

void dwt53_inverse_ref(int32_t *a, unsigned int width, unsigned int height,
		       size_t stride, unsigned int levels, void *scratch)
{
	LEVELS(line53, a, width, height, stride, levels, scratch, 1);
}
