/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * md.h - an image as multiple descriptions: more of N datagrams show the whole
 * image in a better quality
 *
 * An embedded wavelet code (zeroblock.h) under priority encoding transmission
 * (priority.h). 8 and 16 bit, gray and colour; bit-exact if the budget is large
 * and enough datagrams arrive.
 *
 * Payload, little endian:
 *	u8	version << 4 | flags (MD_*)
 *	u8	channels - 1 | levels of the transform << 2
 *	u8	index of the datagram
 *	u8	count of datagrams
 *	u16	width, height
 *	u16	the middle of the values, which is subtracted
 *	u8	levels of the protection, then for each
 *		u8	need
 *		u16	columns
 *	u32	bytes of the stream, if it is whole
 * and the columns of each level.
 */
#ifndef CODEC_IMAGE_MD_H
#define CODEC_IMAGE_MD_H

#include "codec/core/payload.h"
#include "codec/image/image.h"
#include "codec/image/priority.h"

enum {
	MD_VERSION	= 1,
	MD_REVERSIBLE	= 1,	/* 5/3, integers, colours reversible */
	MD_WHOLE	= 2,	/* the stream is the complete image */
	MD_DEEP		= 4,	/* 16 bit */

	MD_HEADER	= 11,	/* bytes, without the protection's levels */
	MD_BASE		= 500,	/* bytes that any single datagram gives */
};

/**
 * struct md_budget - cost of a frame
 * @bytes:	of all payloads together
 * @loss:	expected loss, 0 .. 1; negative: unknown
 * @base:	bytes that any single datagram must give; 0: MD_BASE, or less if
 *		the budget is small, the loss is known, or bit-exactness is
 *		possible
 * @burst:	mean length of losses, datagrams; 0: independent losses
 */
struct md_budget {
	size_t		bytes;
	double		loss;
	unsigned int	base;
	double		burst;
};

struct md_encoder;

/**
 * md_encoder_create() - an encoder of images up to that size
 *
 * Return: free with md_encoder_destroy(), NULL: no memory.
 */
struct md_encoder *md_encoder_create(unsigned int width, unsigned int height,
				     unsigned int channels);
void md_encoder_destroy(struct md_encoder *e);

/**
 * md_encode() - encode an image to datagrams
 * @out: at most PRIORITY_DATAGRAMS slots are used, of equal length
 *
 * Return: 0, -EINVAL: not such an image, -EMSGSIZE: the budget or the slots
 * are too small for a datagram.
 */
int md_encode(struct md_encoder *e, const struct image *image,
	      const struct md_budget *budget, struct payloads *out);

/**
 * md_error() - mean squared error of the last image's values
 * @part: of its stream, 0 .. 1
 */
double md_error(const struct md_encoder *e, double part);

struct md_decoder;

struct md_decoder *md_decoder_create(unsigned int width, unsigned int height,
				     unsigned int channels);
void md_decoder_destroy(struct md_decoder *d);

/**
 * md_shape() - shape of a datagram's image
 * @image: gets width, height, channels and depth
 *
 * Return: 0, -EINVAL: not a valid payload.
 */
int md_shape(const void *payload, size_t len, struct image *image);

/**
 * md_begin() - start a frame
 */
void md_begin(struct md_decoder *d);

/**
 * md_add() - add a datagram of the frame
 *
 * Return: 0, -EEXIST: a duplicate, -EINVAL: not a valid payload, -EPROTO: of
 * another frame, -EFBIG: the image is larger than the decoder's size.
 */
int md_add(struct md_decoder *d, const void *payload, size_t len);

/**
 * md_finish() - decode the received image; ends the frame
 * @image: data is the caller's; size, channels, depth and stride are set
 * @room: bytes at image->data
 *
 * Return: bytes of the stream that were decoded, -ENODATA: nothing received,
 * -EMSGSIZE: no room.
 */
long md_finish(struct md_decoder *d, struct image *image, size_t room);

/**
 * md_exact() - whether the image of md_finish() was bit-exact
 */
bool md_exact(const struct md_decoder *d);

/**
 * md_share() - decoded share of the stream that all datagrams give, 0 .. 1
 */
double md_share(const struct md_decoder *d);

#endif
