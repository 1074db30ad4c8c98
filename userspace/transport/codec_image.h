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
#include "codec/image/movement.h"
#include "codec/image/values.h"
#include "ros/msg/convert.h"
#include "transport/codec_impl.h"

enum {
	CODEC_IMAGE_HOLES = 256,	/* pixels per hole of a depth image */
	CODEC_IMAGE_HOLES_STILL = 1024,	/* if the previous image was one */
};

#define CODEC_IMAGE_KINDS (CODEC_KIND(IMAGE) | CODEC_KIND(COMPRESSED_IMAGE))

/**
 * struct codec_image - a message to encode
 * @image:	its pixels
 * @plain16:	its encoding is that of depth or thermal images
 * @depths:	its encoding, format or numbers are those of a depth image
 * @scaled:	pixels are numbers that only CODEC_VALUES carries: codes of
 *		@scale, and of pixels that are no number the class
 * @movement:	of brightness and colours
 * @hollow:	of the previous image of numbers: it had the holes of depths
 * @room:	bytes of the pixels' memory
 * @spare, @spare_room: a Bayer mosaic before it is split by colour, or numbers
 * @class_room:	bytes of @class
 */
struct codec_image {
	struct image		image;
	bool			plain16, depths, scaled;
	struct values_scale	scale;
	uint8_t			*class;
	struct movement		movement;
	/* private */
	bool			hollow;
	size_t			room;
	uint8_t			*spare;
	size_t			spare_room, class_room;
};

/* struct codec.learn of these codecs */
void codec_image_learn(struct plan_source *s, const struct codec_frame *f);

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
 * @write:	fills in a message of the decoded image in @encoding; NULL:
 *		message_image_write(). Return: 0, -EINVAL: not of that encoding
 */
struct codec_image_decoder {
	int	(*shape)(const void *payload, size_t len, struct image *shape);
	void	*(*create)(const struct image *largest);
	void	(*destroy)(void *decoder);
	int	(*decode)(void *decoder, const struct decode_call *c,
			  struct image *image, size_t room,
			  struct decode_result *r);
	int	(*write)(void *decoder, const struct image *image,
			 enum message_encoding encoding, void *data,
			 struct message_image *m);
};

/* Those of CODEC_MD and CODEC_DEPTH */
extern const struct codec_image_decoder codec_md_pixels, codec_depth_pixels;

/* struct codec.decode of these codecs */
int codec_image_decode(void **state, const struct decode_limits *limits,
		       const struct decode_call *c,
		       const struct codec_image_decoder *codec);
void codec_image_decode_free(void *state);

#endif
