/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tilecode.h - square blocks of a map, lossless, each decodable alone
 *
 * In: up to 64x64 cells of any int8 values. Out: bytes that decode without
 * other blocks, so that blocks may be lost, repeated and reordered. A block of
 * one value takes 0 to 3 bytes.
 *
 * Cells are coded row by row as "equal to this neighbour?": the left one, the
 * upper one, upper right, upper left; the probability is mixed from four shapes
 * of neighbourhood. Another value is coded by its distance from the upper one,
 * among the values of the block.
 *
 * Method: Langdon & Rissanen, Compression of Black-White Images with
 * Arithmetic Coding (1981), section V, with the templates' estimates mixed as
 * in Mahoney, Adaptive Weighing of Context Models (2005), section 2. Only
 * integers, so that both ends agree.
 */
#ifndef CODEC_GRID_TILECODE_H
#define CODEC_GRID_TILECODE_H

#include <stddef.h>
#include <stdint.h>

enum { TILECODE_SIDE = 64 };	/* cells, at most */

struct tilecode;

/**
 * tilecode_create() - adaptive state for either direction
 *
 * Return: NULL: no memory; free with tilecode_destroy().
 */
struct tilecode *tilecode_create(void);

void tilecode_destroy(struct tilecode *t);

/**
 * tilecode_encode() - encode a block
 * @cells: its first cell; rows are @stride cells apart
 * @side: 1 to TILECODE_SIDE
 * @buf: of @size bytes
 *
 * Return: bytes, may be 0; -ENOSPC: more than @size.
 */
int tilecode_encode(struct tilecode *t, const int8_t *cells, size_t stride,
		    unsigned int side, void *buf, size_t size);

/**
 * tilecode_decode() - decode a block
 *
 * Invalid input gives some block, in the same time as valid input.
 *
 * Return: 0; -EPROTO: the block has no values, and @cells is unchanged.
 */
int tilecode_decode(struct tilecode *t, int8_t *cells, size_t stride,
		    unsigned int side, const void *buf, size_t len);

/**
 * tilecode_encode_ref() - the same bytes as tilecode_encode(), for tests
 */
int tilecode_encode_ref(const int8_t *cells, size_t stride, unsigned int side,
			void *buf, size_t size);

#endif
