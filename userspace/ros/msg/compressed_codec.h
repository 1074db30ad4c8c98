/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compressed_codec.h - JPEG and PNG in memory, for compressed.c
 *
 * All of them: 0, or -EBADMSG, -EOPNOTSUPP, -E2BIG, -ENOMEM as in compressed.h.
 */
#ifndef ROS_MSG_COMPRESSED_CODEC_H
#define ROS_MSG_COMPRESSED_CODEC_H

#include <stdbool.h>
#include "ros/msg/compressed.h"

/*
 * Into @image, whose data is NULL: only its shape, which is otherwise what it
 * has to be again
 */
int compressed_jpeg_read(const uint8_t *data, size_t len, struct image *image);
int compressed_png_read(const uint8_t *data, size_t len, struct image *image);

/* Appended to @out */
int compressed_jpeg_write(const struct image *image, int quality,
			  struct compressed_buffer *out);
int compressed_png_write(const struct image *image,
			 struct compressed_buffer *out);

/* Whether an image of this shape is not too large; sets the stride */
bool compressed_fits(struct image *image);

#endif
