/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compressed.h - sensor_msgs/CompressedImage from and to pixels: JPEG and PNG
 *
 * In: the message of a stranger, or an image. Out: an image as convert.h makes
 * them (red, green, blue (alpha), 16 bits the CPU's byte order, depth in
 * millimetres), or a message with the `format` that its sender wrote.
 *
 * What the data is, its first bytes say; `format` says what to write and
 * whether a compressedDepth header of 12 bytes comes first (REP 118 and
 * compressed_depth_image_transport). Depth in metres (32FC1) is held there as
 * A / metres + B, with A and B in that header.
 *
 * Limits: COMPRESSED_BYTES of pixels. Not JPEG of CMYK, nor compressedDepth's
 * rvl.
 */
#ifndef ROS_MSG_COMPRESSED_H
#define ROS_MSG_COMPRESSED_H

#include "codec/image/image.h"
#include "ros/msg/message.h"

enum {
	COMPRESSED_BYTES	= 256 << 20,	/* of pixels, at most */
	COMPRESSED_QUALITY	= 80,		/* what ROS takes for JPEG */
};

/**
 * struct compressed_buffer - what is written; kept and grown
 * @data: NULL at first, to be freed with free()
 */
struct compressed_buffer {
	uint8_t	*data;
	size_t	len, size;
};

/* Room for @more bytes behind @b->len. Return: 0 or -ENOMEM */
int compressed_buffer_reserve(struct compressed_buffer *b, size_t more);

/**
 * compressed_is_depth() - whether a format says that its pixels are depths
 */
bool compressed_is_depth(const struct message_string *format);

/**
 * compressed_shape() - what a message holds, without decompressing it
 * @image: gets width, height, channels and depth; the stride without gaps
 *
 * Return: 0; -EOPNOTSUPP if it is neither JPEG nor PNG, or a kind of them that
 * is not read here; -EBADMSG if its header is damaged; -E2BIG beyond
 * IMAGE_SIDE or COMPRESSED_BYTES.
 */
int compressed_shape(const struct message_compressed_image *m,
		     struct image *image);

/**
 * compressed_read() - the pixels
 * @image: of compressed_shape(), with data for height * stride bytes
 *
 * A JPEG or PNG that ends early is no image: what was read of it stays in
 * @image, but is not told from what it was before.
 *
 * Return: 0; -EBADMSG; -ENOMEM.
 */
int compressed_read(const struct message_compressed_image *m,
		    struct image *image);

/**
 * compressed_write() - compress an image
 * @format: as of the message, e.g. "bgr8; jpeg compressed bgr8",
 *	"mono16; png compressed", "16UC1; compressedDepth png", "jpeg", "png"
 * @quality: of JPEG, 1 ... 100; 0: COMPRESSED_QUALITY
 * @out: gets the bytes
 * @m: gets format and data, which points into @out
 *
 * Return: 0; -EINVAL if the format is not for such an image: JPEG takes gray
 * and colour of 8 bit, compressedDepth gray of 16; -EOPNOTSUPP if it is none
 * of these; -ENOMEM.
 */
int compressed_write(const struct image *image,
		     const struct message_string *format, int quality,
		     struct compressed_buffer *out,
		     struct message_compressed_image *m);

#endif
