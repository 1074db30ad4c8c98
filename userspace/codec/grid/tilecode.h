/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tilecode.h - square blocks of a map, each lossless in a few bytes alone
 *
 * In: up to 64x64 cells of any int8 values. Out: bytes that need no other
 * block to be decoded, so that blocks may travel, be lost and be repeated in
 * any order. A block of one value takes 0 to 3 bytes.
 *
 * Cells are coded row by row as "is it its neighbour?", first the left one,
 * then the one above, above right, above left; how likely that is is a mix of
 * what was seen behind four shapes of neighbourhood. What is none of them
 * comes by its distance from the one above, among the values of the block.
 *
 * Method: Langdon & Rissanen, Compression of Black-White Images with
 * Arithmetic Coding (1981), section V, with the templates' estimates mixed as
 * in Mahoney, Adaptive Weighing of Context Models (2005), section 2; whole
 * numbers only, so that both ends agree.
 */
#ifndef CODEC_GRID_TILECODE_H
#define CODEC_GRID_TILECODE_H

#include <stddef.h>
#include <stdint.h>

enum { TILECODE_SIDE = 64 };	/* cells, at most */

struct tilecode;

/**
 * tilecode_create() - what is learnt on the way, for either direction
 *
 * Return: it, or NULL when out of memory; tilecode_destroy() frees it.
 */
struct tilecode *tilecode_create(void);

void tilecode_destroy(struct tilecode *t);

/**
 * tilecode_encode() - code a block
 * @cells: its first cell; rows are @stride cells apart
 * @side: 1 to TILECODE_SIDE
 * @buf: of @size bytes
 *
 * Return: bytes, maybe 0; -ENOSPC if there are more than @size.
 */
int tilecode_encode(struct tilecode *t, const int8_t *cells, size_t stride,
		    unsigned int side, void *buf, size_t size);

/**
 * tilecode_decode() - its inverse
 *
 * Bytes that tilecode_encode() did not write give some block, in the time of
 * one that it did.
 *
 * Return: 0; -EPROTO if it has no values at all, and @cells is untouched.
 */
int tilecode_decode(struct tilecode *t, int8_t *cells, size_t stride,
		    unsigned int side, const void *buf, size_t len);

/**
 * tilecode_encode_ref() - the same bytes as tilecode_encode(), plainly
 */
int tilecode_encode_ref(const int8_t *cells, size_t stride, unsigned int side,
			void *buf, size_t size);

#endif
