/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tiles_neon.h - tiles of eight points of a map at once
 *
 * Tiles are numbered in 16 bits along each side of a window, which has
 * FIELD_PAGES_MAX * FIELD_PAGE_SIDE of them at most. There is no gather:
 * their places are read one by one.
 */
#ifndef SLAM_FILTER_TILES_NEON_H
#define SLAM_FILTER_TILES_NEON_H

#include <arm_neon.h>
#include "base/cpu.h"
#include "slam/filter/likelihood_field.h"

_Static_assert(FIELD_PAGES_MAX * FIELD_PAGE_SIDE <= INT16_MAX, "16 bits");

/**
 * struct tiles_neon - tiles of eight points in a window that is not empty
 * @in:		all ones where a point is in the window
 * @low, @high:	index of its tile there; 0 outside
 */
struct tiles_neon {
	uint16x8_t	in;
	uint32x4_t	low, high;
};

/* The lower halves of eight coordinates */
INLINE uint16x8_t tiles_neon_low(int32x4_t a, int32x4_t b)
{
	return vuzp1q_u16(vreinterpretq_u16_s32(a), vreinterpretq_u16_s32(b));
}

/* Of points (@x0 and @x1, @y0 and @y1), 1/256 cell from the window's corner */
INLINE void tiles_neon_find(const struct field_window *f, int32x4_t x0,
			    int32x4_t x1, int32x4_t y0, int32x4_t y1,
			    struct tiles_neon *to)
{
	const int shift = TILE_BITS + FIELD_BITS;
	/* too large ones saturate, and are outside as negative ones are */
	uint16x8_t tx = vreinterpretq_u16_s16(vqshrn_high_n_s32(
		vqshrn_n_s32(x0, shift), x1, shift));
	uint16x8_t ty = vreinterpretq_u16_s16(vqshrn_high_n_s32(
		vqshrn_n_s32(y0, shift), y1, shift));
	const uint16x8_t width = vdupq_n_u16((uint16_t)f->width);

	to->in = vandq_u16(vcltq_u16(tx, width),
			   vcltq_u16(ty, vdupq_n_u16((uint16_t)f->height)));
	tx = vandq_u16(tx, to->in);
	ty = vandq_u16(ty, to->in);
	to->low = vaddw_u16(vmull_u16(vget_low_u16(ty), vget_low_u16(width)),
			    vget_low_u16(tx));
	to->high = vaddw_high_u16(vmull_high_u16(ty, width), tx);
}

/* The tile of point @i, a constant; @far as struct field_window has it */
#define tiles_neon_at(f, found, base, far, i)				\
	((base) + ((size_t)(f)->place[(i) < 4 ?				\
		vgetq_lane_u32((found).low, (i) & 3) :			\
		vgetq_lane_u32((found).high, (i) & 3)] <<		\
		((far) ? TILE_UNIT_BITS : 0)))

#endif
