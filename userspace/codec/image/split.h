/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * split.h - an image as sub-images, each of which shows all of it
 *
 * SmokeBot D6.3, section 4: a pattern (pattern.h), d times over, makes 4^d
 * sub-images of every 2^d-th pixel of every 2^d-th row. What arrives is
 * exact; missing pixels are interpolated from their neighbours (kriging.h), or
 * taken from the nearest one, as published.
 *
 * Payload, little endian:
 *	u8	version << 4 | flags (SPLIT_*)
 *	u8	channels - 1 | d << 2
 *	u8	number of the sub-image
 *	u8	0
 *	u16	width, height of the image
 *	u16	first row
 * and whole rows of the sub-image from there on.
 */
#ifndef CODEC_IMAGE_SPLIT_H
#define CODEC_IMAGE_SPLIT_H

#include <stdbool.h>
#include "codec/core/pattern.h"
#include "codec/core/payload.h"
#include "codec/image/image.h"

enum {
	SPLIT_VERSION	= 1,
	SPLIT_DEEP	= 4,		/* 16 bit */

	SPLIT_STEPS	= PATTERN_STEPS,
	SPLIT_IMAGES	= 1 << 2 * SPLIT_STEPS,
	SPLIT_HEADER	= 10,
};

/**
 * split_steps() - least d with which each sub-image fits a payload, or the most
 * @size: bytes of a payload
 */
unsigned int split_steps(const struct image *image, unsigned int size);

/**
 * split_datagrams() - their number for an image; 0: a row does not fit
 *
 * A sub-image that does not fit a payload takes several, of some rows each.
 */
unsigned int split_datagrams(const struct image *image, unsigned int steps,
			     unsigned int size);

/**
 * split_encode() - encode an image to datagrams, in the order of sub-images
 * @out: fills all slots that are needed; with fewer less is shown
 *
 * Return: 0, -EINVAL: not such an image or @steps, -EMSGSIZE: a row does not
 * fit.
 */
int split_encode(const struct image *image, unsigned int steps,
		 struct payloads *out);

struct split_decoder;

/**
 * split_decoder_create() - a decoder of images up to that size
 * @pixel: bytes of a pixel, at most
 *
 * Return: free with split_decoder_destroy(), NULL: no memory.
 */
struct split_decoder *split_decoder_create(unsigned int width,
					   unsigned int height,
					   unsigned int pixel);
void split_decoder_destroy(struct split_decoder *d);

/**
 * split_shape() - shape of a datagram's image
 * @image: gets width, height, channels and depth
 *
 * Return: 0, -EINVAL: not a valid payload.
 */
int split_shape(const void *payload, size_t len, struct image *image);

/**
 * split_begin() - start a frame
 * @still: the scene is unchanged: keep the previous frame's pixels until newer
 *	ones arrive
 */
void split_begin(struct split_decoder *d, bool still);

/**
 * split_add() - add a datagram of the frame
 *
 * Return: 0, -EEXIST: a duplicate, -EINVAL: not a valid payload, -EPROTO: of
 * another frame, -EFBIG: the image is larger than the decoder's size.
 */
int split_add(struct split_decoder *d, const void *payload, size_t len);

/**
 * split_finish() - the image so far
 * @nearest: fill in by the nearest neighbour, otherwise by kriging
 * @image: data is the caller's; size, channels, depth and stride are set
 * @room: bytes at image->data
 *
 * More can be added and the frame be finished again.
 *
 * Return: 0, -ENODATA: nothing received, -EMSGSIZE: no room.
 */
int split_finish(struct split_decoder *d, bool nearest, struct image *image,
		 size_t room);

/**
 * split_share() - share of the image's pixels that are exact, 0 .. 1
 */
double split_share(const struct split_decoder *d);

#endif
