/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * interleave.h - split rows of pixels into n rows of every n-th one, and join
 */
#ifndef CODEC_IMAGE_INTERLEAVE_H
#define CODEC_IMAGE_INTERLEAVE_H

#include <stddef.h>
#include <stdint.h>

enum { INTERLEAVE_MAX = 16 };

/**
 * deinterleave() - split rows
 * @from: @rows rows of @n rows' elements in turn, @stride bytes apart
 * @to: @n parts: the i-th gets (@count + n - 1 - i) / n elements of each row,
 *	row after row without gaps
 * @count: elements of a row of @from
 * @size: bytes of an element, 1 .. 8
 * @n: 1, 2, 4, 8 or 16
 */
void deinterleave(const uint8_t *from, size_t stride, unsigned int rows,
		  uint8_t *const to[], size_t count, unsigned int size,
		  unsigned int n);

/**
 * interleave() - join rows: the inverse of deinterleave()
 */
void interleave(const uint8_t *const from[], uint8_t *to, size_t stride,
		unsigned int rows, size_t count, unsigned int size,
		unsigned int n);

/* the reference: element by element */
void deinterleave_ref(const uint8_t *from, size_t stride, unsigned int rows,
		      uint8_t *const to[], size_t count, unsigned int size,
		      unsigned int n);
void interleave_ref(const uint8_t *const from[], uint8_t *to, size_t stride,
		    unsigned int rows, size_t count, unsigned int size,
		    unsigned int n);

#endif
