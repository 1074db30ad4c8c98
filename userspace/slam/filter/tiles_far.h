/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tiles_far.h - offsets of cells in tiles beyond 2 GB, eight at a time
 */
#ifndef SLAM_FILTER_TILES_FAR_H
#define SLAM_FILTER_TILES_FAR_H

#include <immintrin.h>
#include "base/cpu.h"
#include "slam/filter/tiles.h"

/*
 * @tile: their numbers, @cell: bytes in each. @low, @high: bytes from the base
 */
CPU_AVX2
static inline void tiles_far8(__m256i tile, __m256i cell, __m256i *low,
			      __m256i *high)
{
	*low = _mm256_add_epi64(_mm256_slli_epi64(_mm256_cvtepu32_epi64(
		_mm256_castsi256_si128(tile)), TILE_UNIT_BITS),
		_mm256_cvtepi32_epi64(_mm256_castsi256_si128(cell)));
	*high = _mm256_add_epi64(_mm256_slli_epi64(_mm256_cvtepu32_epi64(
		_mm256_extracti128_si256(tile, 1)), TILE_UNIT_BITS),
		_mm256_cvtepi32_epi64(_mm256_extracti128_si256(cell, 1)));
}

#endif
