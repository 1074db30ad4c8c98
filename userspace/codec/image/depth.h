/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * depth.h - a depth image as multiple descriptions: more of N datagrams show
 * more of it, and never a wrong depth
 *
 * The embedded code of depthcode.h under priority encoding transmission
 * (priority.h). One channel of 16 bit, 0: no depth. A pixel that is shown is
 * exact, or within 1/64 of its depth; an unknown one is 0. Bit-exact if enough
 * datagrams arrive and the budget holds the image.
 *
 * Payload, little endian:
 *	u8	version << 4 | flags (DEPTH_*)
 *	u8	tolerance: largest error of a pixel is depth over this
 *	u8	index of the datagram
 *	u8	count of datagrams
 *	u16	width, height
 *	u8	levels of the protection, then for each
 *		u8	need
 *		u16	columns
 *	u32	bytes of the stream
 * and the columns of each level.
 */
#ifndef CODEC_IMAGE_DEPTH_H
#define CODEC_IMAGE_DEPTH_H

#include "codec/core/payload.h"
#include "codec/image/depthcode.h"

enum {
	DEPTH_VERSION	= 1,
	DEPTH_WHOLE	= 1,	/* the stream is the complete image */
	DEPTH_HEADER	= 9,	/* bytes, without levels and stream length */
};

/**
 * depth_holes() - number of pixels without a depth
 */
unsigned int depth_holes(const struct image *image);

struct depth_encoder;

/**
 * depth_encoder_create() - an encoder of images up to that size
 *
 * Return: free with depth_encoder_destroy(), NULL: no memory.
 */
struct depth_encoder *depth_encoder_create(unsigned int width,
					   unsigned int height);
void depth_encoder_destroy(struct depth_encoder *e);

/**
 * depth_encode() - encode an image to datagrams
 * @bytes: of all payloads together
 * @loss: expected loss, 0 .. 1; negative: unknown
 * @out: at most PRIORITY_DATAGRAMS slots are used, of equal length
 *
 * Return: 0, -EINVAL: not such an image, -EMSGSIZE: the budget or the slots
 * are too small for a datagram.
 */
int depth_encode(struct depth_encoder *e, const struct image *image,
		 size_t bytes, double loss, struct payloads *out);

struct depth_decoder;

struct depth_decoder *depth_decoder_create(unsigned int width,
					   unsigned int height);
void depth_decoder_destroy(struct depth_decoder *d);

/**
 * depth_shape() - shape of a datagram's image
 * @image: gets width, height, channels and depth
 *
 * Return: 0, -EINVAL: not a valid payload.
 */
int depth_shape(const void *payload, size_t len, struct image *image);

/**
 * depth_begin() - start a frame
 */
void depth_begin(struct depth_decoder *d);

/**
 * depth_add() - add a datagram of the frame
 *
 * Return: 0, -EEXIST: a duplicate, -EINVAL: not a valid payload, -EPROTO: of
 * another frame, -EFBIG: the image is larger than the decoder's size.
 */
int depth_add(struct depth_decoder *d, const void *payload, size_t len);

/**
 * depth_finish() - decode the received image; ends the frame
 * @image: data is the caller's; size, channels, depth and stride are set
 * @room: bytes at image->data
 * @shown: gets the number of known pixels
 *
 * Return: bytes of the stream that were decoded, -ENODATA: nothing received,
 * -EMSGSIZE: no room.
 */
long depth_finish(struct depth_decoder *d, struct image *image, size_t room,
		  struct depthcode_shown *shown);

#endif
