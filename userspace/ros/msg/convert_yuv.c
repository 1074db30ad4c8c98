// SPDX-License-Identifier: GPL-2.0-only
/*
 * convert_yuv - rows of luminance and chroma to red, green, blue
 */
#include "ros/msg/convert_yuv.h"

/* BT.601: weights of red and blue in the luminance, and limited ranges */
#define RED	.299
#define BLUE	.114
#define GREEN	(1 - RED - BLUE)
#define LUMA	(255 / 219.)
#define CHROMA	(255 / 112.)

enum {
	BITS	= 16,		/* fixed-point bits of the factors */
	HALF	= 1 << (BITS - 1),
	BLACK	= 16,
	GRAY	= 128,
};

#define FIXED(x) ((int32_t)((x) * (1 << BITS) + .5))

static inline uint8_t convert_yuv_clamp(int32_t fixed)
{
	int32_t v = (fixed + HALF) >> BITS;

	return v < 0 ? 0 : v > 255 ? 255 : v;
}

void yuv_to_rgb(uint8_t *rgb, const struct yuv_row *row, unsigned int width)
{
	const uint8_t *y = row->y, *up = row->u, *vp = row->v;

	for (unsigned int x = 0; x < width; x += 2) {
		int32_t u = *up - GRAY, v = *vp - GRAY;
		int32_t red = FIXED(CHROMA * (1 - RED)) * v;
		int32_t blue = FIXED(CHROMA * (1 - BLUE)) * u;
		int32_t green = FIXED(CHROMA * (1 - RED) * RED / GREEN) * v +
				FIXED(CHROMA * (1 - BLUE) * BLUE / GREEN) * u;

		for (unsigned int i = 0; i < 2; i++) {
			int32_t luma = *y < BLACK ? 0 :
				       FIXED(LUMA) * (*y - BLACK);

			rgb[0] = convert_yuv_clamp(luma + red);
			rgb[1] = convert_yuv_clamp(luma - green);
			rgb[2] = convert_yuv_clamp(luma + blue);
			rgb += 3;
			y += row->step_y;
		}
		up += row->step_uv;
		vp += row->step_uv;
	}
}
