/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * convert_yuv.h - rows of luminance and chroma to red, green, blue
 */
#ifndef ROS_MSG_CONVERT_YUV_H
#define ROS_MSG_CONVERT_YUV_H

#include <stdint.h>

/**
 * struct yuv_row - layout of a row
 * @y:		luminance of the first pixel
 * @u, @v:	chroma of the first two pixels
 * @step_y:	bytes from pixel to pixel
 * @step_uv:	bytes from two pixels to the next two
 */
struct yuv_row {
	const uint8_t	*y, *u, *v;
	unsigned int	step_y, step_uv;
};

/**
 * yuv_to_rgb() - a row, by BT.601 in limited range (luminance 16 to 235)
 * @rgb: gets 3 * @width bytes
 * @width: pixels, even; pairs share their chroma
 *
 * Luminance below 16 counts as 16, as in OpenCV.
 */
void yuv_to_rgb(uint8_t *rgb, const struct yuv_row *row, unsigned int width);

#endif
