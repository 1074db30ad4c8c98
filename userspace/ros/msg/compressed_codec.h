/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compressed_codec.h - JPEG and PNG in memory, for compressed.c
 *
 * All return 0, or -EBADMSG, -EOPNOTSUPP, -E2BIG, -ENOMEM as in compressed.h.
 */
#ifndef ROS_MSG_COMPRESSED_CODEC_H
#define ROS_MSG_COMPRESSED_CODEC_H

#include <stdbool.h>
#include "ros/msg/compressed.h"

/*
 * Read into @image. If its data is NULL, only the shape is read; otherwise the
 * shape must be the same as before
 */
int compressed_jpeg_read(const uint8_t *data, size_t len, struct image *image);
int compressed_png_read(const uint8_t *data, size_t len, struct image *image);

/* Append to @out */
int compressed_jpeg_write(const struct image *image, int quality,
			  struct compressed_buffer *out);
int compressed_png_write(const struct image *image,
			 struct compressed_buffer *out);

/* Whether an image of this shape is within the limits; sets the stride */
bool compressed_fits(struct image *image);

#endif
