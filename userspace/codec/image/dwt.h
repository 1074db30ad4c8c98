/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dwt.h - two-dimensional wavelet transforms of an image
 *
 * In place, any size, symmetric at the borders; the result has the low band of
 * the last level at the top left, the bands of level 1 outermost. The low half
 * of n samples has (n + 1) / 2 of them.
 *
 * 9/7: Cohen, Daubechies, Feauveau (1992), scaled so that the inverse nearly
 * keeps the size of an error. 5/3: Le Gall, Tabatabai (1988), integers,
 * reversible. Both by lifting, as Daubechies and Sweldens (1998).
 */
#ifndef CODEC_IMAGE_DWT_H
#define CODEC_IMAGE_DWT_H

#include <stddef.h>
#include <stdint.h>

/* columns that are transformed together, to use whole cache lines of a row */
enum { DWT_STRIP = 32 };

/**
 * dwt_scratch() - 32-bit words of scratch memory for that size
 */
size_t dwt_scratch(unsigned int width, unsigned int height);

/**
 * dwt97_forward() - 9/7 transform
 * @a: rows of @width, @stride apart
 * @levels: such that at least 1 sample is left in either direction
 * @scratch: dwt_scratch() words
 *
 * The same bits on every CPU.
 */
void dwt97_forward(float *a, unsigned int width, unsigned int height,
		   size_t stride, unsigned int levels, void *scratch);
void dwt97_inverse(float *a, unsigned int width, unsigned int height,
		   size_t stride, unsigned int levels, void *scratch);

/**
 * dwt53_forward() - reversible 5/3 transform, as dwt97_forward()
 *
 * Values of up to 24 bits never overflow.
 */
void dwt53_forward(int32_t *a, unsigned int width, unsigned int height,
		   size_t stride, unsigned int levels, void *scratch);
void dwt53_inverse(int32_t *a, unsigned int width, unsigned int height,
		   size_t stride, unsigned int levels, void *scratch);

/* the reference: sample by sample, for tests */
void dwt97_forward_ref(float *a, unsigned int width, unsigned int height,
		       size_t stride, unsigned int levels, void *scratch);
void dwt97_inverse_ref(float *a, unsigned int width, unsigned int height,
		       size_t stride, unsigned int levels, void *scratch);
void dwt53_forward_ref(int32_t *a, unsigned int width, unsigned int height,
		       size_t stride, unsigned int levels, void *scratch);
void dwt53_inverse_ref(int32_t *a, unsigned int width, unsigned int height,
		       size_t stride, unsigned int levels, void *scratch);

#endif
