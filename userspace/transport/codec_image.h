/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * codec_image.h - shared by the codecs of images
 *
 * Images are converted to pixels before encoding, also compressed ones, and
 * back to their format after decoding. Bayer mosaics travel as four pictures,
 * one of each colour; the announced encoding says so.
 */
#ifndef TRANSPORT_CODEC_IMAGE_H
#define TRANSPORT_CODEC_IMAGE_H

#include "codec/image/image.h"
#include "transport/codec_impl.h"

#define CODEC_IMAGE_KINDS (CODEC_KIND(IMAGE) | CODEC_KIND(COMPRESSED_IMAGE))

/**
 * struct codec_image - a message to encode
 * @image:	its pixels
 * @plain16:	its encoding is that of depth or thermal images
 * @depths:	its encoding or format marks it as a depth image
 * @room:	bytes of the pixels' memory
 * @mosaic:	a Bayer mosaic before it is split by colour
 * @mosaic_room: bytes of @mosaic
 */
struct codec_image {
	struct image	image;
	bool		plain16, depths;
	/* private */
	size_t		room;
	uint8_t		*mosaic;
	size_t		mosaic_room;
};

/* struct codec.input: a struct codec_image */
extern const struct codec_input codec_image_input;

/* Bytes of a payload with which a frame has as many datagrams as ordered */
unsigned int codec_image_payload(const struct encode_call *c);

/**
 * struct codec_image_decoder - a codec's decoder of pixels
 * @shape:	reads the image's shape from a payload. Return: 0, -EBADMSG
 * @create:	creates a decoder of images up to that size; NULL: no memory
 * @decode:	decodes into @image, which has @room bytes for pixels; sets
 *		share and exact of @r. Return: 0 or a negative errno
 */
struct codec_image_decoder {
	int	(*shape)(const void *payload, size_t len, struct image *shape);
	void	*(*create)(const struct image *largest);
	void	(*destroy)(void *decoder);
	int	(*decode)(void *decoder, const struct decode_call *c,
			  struct image *image, size_t room,
			  struct decode_result *r);
};

/* struct codec.decode of these codecs */
int codec_image_decode(void **state, const struct decode_limits *limits,
		       const struct decode_call *c,
		       const struct codec_image_decoder *codec);
void codec_image_decode_free(void *state);

#endif
