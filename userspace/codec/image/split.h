/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * split.h - an image as sub-images, each of which shows all of it
 *
 * SmokeBot D6.3, section 4: a pattern (pattern.h), d times over, makes 4^d
 * sub-images of every 2^d-th pixel of every 2^d-th row. What arrives is
 * exact; what does not is interpolated from its neighbours (kriging.h), or
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
 * split_steps() - as few as make each sub-image fit one payload, or most
 * @size: bytes of a payload
 */
unsigned int split_steps(const struct image *image, unsigned int size);

/**
 * split_datagrams() - of an image; 0: a row of a sub-image does not fit
 *
 * A sub-image that does not fit one payload takes several, of some rows each.
 */
unsigned int split_datagrams(const struct image *image, unsigned int steps,
			     unsigned int size);

/**
 * split_encode() - datagrams of an image, in the order of the sub-images
 * @out: as many as there are slots: fewer show less
 *
 * Return: 0, -EINVAL: not such an image or @steps, -EMSGSIZE: a row does not
 * fit.
 */
int split_encode(const struct image *image, unsigned int steps,
		 struct payloads *out);

struct split_decoder;

/**
 * split_decoder_create() - a decoder of images of up to that size
 * @pixel: bytes of a pixel, at most
 *
 * Return: to be freed with split_decoder_destroy(), NULL: no memory.
 */
struct split_decoder *split_decoder_create(unsigned int width,
					   unsigned int height,
					   unsigned int pixel);
void split_decoder_destroy(struct split_decoder *d);

/**
 * split_shape() - of the image that a datagram is of
 * @image: gets width, height, channels and depth
 *
 * Return: 0, -EINVAL: not such a payload.
 */
int split_shape(const void *payload, size_t len, struct image *image);

/**
 * split_begin() - a new frame
 * @still: the scene is that of the frame before, whose pixels stay until
 *	newer ones come
 */
void split_begin(struct split_decoder *d, bool still);

/**
 * split_add() - a datagram of the frame
 *
 * Return: 0, -EEXIST: had that, -EINVAL: not such a payload, -EPROTO: not of
 * this frame, -EFBIG: of an image that is larger than the decoder's.
 */
int split_add(struct split_decoder *d, const void *payload, size_t len);

/**
 * split_finish() - the image of what came
 * @nearest: fill in by the nearest neighbour, otherwise by kriging
 * @image: data is the caller's; size, channels, depth and stride are set
 * @room: bytes at image->data
 *
 * More may be added and the frame be finished again.
 *
 * Return: 0, -ENODATA: nothing came, -EMSGSIZE: no room.
 */
int split_finish(struct split_decoder *d, bool nearest, struct image *image,
		 size_t room);

/**
 * split_share() - of the image's pixels that are exact, 0 .. 1
 */
double split_share(const struct split_decoder *d);

#endif
