// SPDX-License-Identifier: GPL-2.0-only
/*
 * dwt - wavelet transforms, a row or a strip of columns at a time
 *
 * Samples are first split into a low and a high half. Lifting then is the same
 * loop over contiguous memory in both directions: along a row over the row's
 * halves, along columns over rows of a strip. The compiler vectorises it, once
 * for any CPU and once for AVX2; no operation is fused or reordered, so both
 * give the same bits.
 */
#include <string.h>
#include "base/cpu.h"
#include "codec/image/dwt.h"
#include "codec/image/dwt_lift.h"

size_t dwt_scratch(unsigned int width, unsigned int height)
{
	size_t strip = (size_t)height * DWT_STRIP;

	return strip > width ? strip : width;
}

/*
 * Lifts n samples of @size values that are split into @low and @high. A missing
 * neighbour at an end is the mirror image of the other one.
 */
INLINE void dwt_lift97(float *restrict d, const float *a, const float *b,
		       size_t n, float k)
{
	for (size_t i = 0; i < n; i++)
		d[i] += k * (a[i] + b[i]);
}

INLINE void dwt_lift53(int32_t *restrict d, const int32_t *a, const int32_t *b,
		       size_t n, enum dwt_step step)
{
	for (size_t i = 0; i < n; i++)
		d[i] = dwt53_step(d[i], a[i], b[i], step);
}

/* the high half from the low one: neighbours i and i + 1 */
#define PREDICT(LIFT, low, high, n, size, how) do {			\
	size_t full = ((n) - 1) / 2 * (size), last = ((n) / 2 - 1) * (size); \
									\
	LIFT(high, low, (low) + (size), full, how);			\
	if ((n) % 2 == 0)						\
		LIFT((high) + last, (low) + last, (low) + last, size, how); \
} while (0)

/* the low half from the high one: neighbours i - 1 and i */
#define UPDATE(LIFT, low, high, n, size, how) do {			\
	size_t full = ((n) / 2 - 1) * (size), last = (n) / 2 * (size);	\
									\
	LIFT(low, high, high, size, how);				\
	LIFT((low) + (size), high, (high) + (size), full, how);		\
	if ((n) % 2)							\
		LIFT((low) + last, (high) + last - (size),		\
		     (high) + last - (size), size, how);		\
} while (0)

INLINE void dwt_scale(float *low, float *high, size_t n, size_t size, float kl,
		      float kh)
{
	for (size_t i = 0; i < (n + 1) / 2 * size; i++)
		low[i] *= kl;
	for (size_t i = 0; i < n / 2 * size; i++)
		high[i] *= kh;
}

INLINE void analyse97(float *low, float *high, size_t n, const size_t size)
{
	if (n < 2)
		return;
	PREDICT(dwt_lift97, low, high, n, size, DWT_ALPHA);
	UPDATE(dwt_lift97, low, high, n, size, DWT_BETA);
	PREDICT(dwt_lift97, low, high, n, size, DWT_GAMMA);
	UPDATE(dwt_lift97, low, high, n, size, DWT_DELTA);
	dwt_scale(low, high, n, size, DWT_LOW, DWT_HIGH);
}

INLINE void synthesise97(float *low, float *high, size_t n, const size_t size)
{
	if (n < 2)
		return;
	dwt_scale(low, high, n, size, 1 / DWT_LOW, 1 / DWT_HIGH);
	UPDATE(dwt_lift97, low, high, n, size, -DWT_DELTA);
	PREDICT(dwt_lift97, low, high, n, size, -DWT_GAMMA);
	UPDATE(dwt_lift97, low, high, n, size, -DWT_BETA);
	PREDICT(dwt_lift97, low, high, n, size, -DWT_ALPHA);
}

INLINE void analyse53(int32_t *low, int32_t *high, size_t n, const size_t size)
{
	if (n < 2)
		return;
	PREDICT(dwt_lift53, low, high, n, size, DWT_PREDICT);
	UPDATE(dwt_lift53, low, high, n, size, DWT_UPDATE);
}

INLINE void synthesise53(int32_t *low, int32_t *high, size_t n,
			 const size_t size)
{
	if (n < 2)
		return;
	UPDATE(dwt_lift53, low, high, n, size, DWT_UNUPDATE);
	PREDICT(dwt_lift53, low, high, n, size, DWT_UNPREDICT);
}

#define SAMPLE		float
#define NAME(name)	name##97
#include "codec/image/dwt_body.h"
#undef SAMPLE
#undef NAME

#define SAMPLE		int32_t
#define NAME(name)	name##53
#include "codec/image/dwt_body.h"

#define CALL(name)							\
	(cpu_avx2() ? avx2_##name : name)(a, width, height, stride,	\
					  levels, scratch)

void dwt97_forward(float *a, unsigned int width, unsigned int height,
		   size_t stride, unsigned int levels, void *scratch)
{
	CALL(forward97);
}

void dwt97_inverse(float *a, unsigned int width, unsigned int height,
		   size_t stride, unsigned int levels, void *scratch)
{
	CALL(inverse97);
}

void dwt53_forward(int32_t *a, unsigned int width, unsigned int height,
		   size_t stride, unsigned int levels, void *scratch)
{
	CALL(forward53);
}

void dwt53_inverse(int32_t *a, unsigned int width, unsigned int height,
		   size_t stride, unsigned int levels, void *scratch)
{
	CALL(inverse53);
}
