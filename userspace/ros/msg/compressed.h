/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * compressed.h - sensor_msgs/CompressedImage from and to pixels: JPEG and PNG
 *
 * In: a message, not trusted, or an image. Out: an image as convert.h makes it
 * (red, green, blue (alpha), 16 bits in the CPU's byte order, depth in
 * millimetres), or a message with the `format` of the original.
 *
 * The first bytes of the data tell its type; `format` tells what to write, and
 * whether there is a compressedDepth header of 12 bytes (REP 118 and
 * compressed_depth_image_transport). Depth in metres (32FC1) is stored there as
 * A / metres + B, with A and B in that header.
 *
 * Limits: COMPRESSED_BYTES of pixels. No JPEG of CMYK, no compressedDepth with
 * rvl.
 */
#ifndef ROS_MSG_COMPRESSED_H
#define ROS_MSG_COMPRESSED_H

#include "codec/image/image.h"
#include "ros/msg/message.h"

enum {
	COMPRESSED_BYTES	= 256 << 20,	/* of pixels, at most */
	COMPRESSED_QUALITY	= 80,		/* default of ROS for JPEG */
};

/**
 * struct compressed_buffer - output; reused and grown
 * @data: NULL at first, free() it
 */
struct compressed_buffer {
	uint8_t	*data;
	size_t	len, size;
};

/* Room for @more bytes after @b->len. Return: 0 or -ENOMEM */
int compressed_buffer_reserve(struct compressed_buffer *b, size_t more);

/**
 * compressed_is_depth() - whether pixels of a format are depths
 */
bool compressed_is_depth(const struct message_string *format);

/**
 * compressed_shape() - shape of a message's image, without decompressing it
 * @image: gets width, height, channels and depth; the stride without gaps
 *
 * Return: 0; -EOPNOTSUPP: neither JPEG nor PNG, or an unsupported kind of them;
 * -EBADMSG: its header is damaged; -E2BIG: beyond IMAGE_SIDE or
 * COMPRESSED_BYTES.
 */
int compressed_shape(const struct message_compressed_image *m,
		     struct image *image);

/**
 * compressed_fault() - why compressed_shape() or compressed_read() failed
 * @err:	what they returned
 * @text:	gets a part of a sentence that names the format
 * @size:	of it, bytes; longer text is cut
 */
void compressed_fault(const struct message_compressed_image *m, int err,
		      char *text, size_t size);

/**
 * compressed_read() - read the pixels
 * @image: of compressed_shape(), with data for height * stride bytes
 *
 * A truncated JPEG or PNG is an error; @image may then be partly overwritten.
 *
 * Return: 0; -EBADMSG; -ENOMEM.
 */
int compressed_read(const struct message_compressed_image *m,
		    struct image *image);

/**
 * compressed_write() - compress an image
 * @format: as in the message, e.g. "bgr8; jpeg compressed bgr8",
 *	"mono16; png compressed", "16UC1; compressedDepth png", "jpeg", "png"
 * @quality: of JPEG, 1 ... 100; 0: COMPRESSED_QUALITY
 * @out: gets the bytes
 * @m: gets format and data, which points into @out
 *
 * Return: 0; -EINVAL: the format is not for such an image: JPEG takes gray and
 * colour of 8 bit, compressedDepth gray of 16; -EOPNOTSUPP: another format;
 * -ENOMEM.
 */
int compressed_write(const struct image *image,
		     const struct message_string *format, int quality,
		     struct compressed_buffer *out,
		     struct message_compressed_image *m);

#endif
