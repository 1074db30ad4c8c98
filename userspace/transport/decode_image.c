// SPDX-License-Identifier: GPL-2.0-only
/*
 * decode_image - descriptions, of depths too, and sub-images into images,
 * compressed again where they were compressed, mosaics put together again
 */
#include <stdlib.h>
#include <string.h>
#include "codec/image/bayer.h"
#include "codec/image/depth.h"
#include "codec/image/md.h"
#include "codec/image/split.h"
#include "ros/msg/compressed.h"
#include "ros/msg/convert.h"
#include "transport/bayer_name.h"
#include "transport/decode_kinds.h"

/* Bytes a pixel, for what is given out and for each channel of the decoder */
enum { IMAGE_PLAIN = 16, IMAGE_CHANNEL = 12 };

/* The one of three that is the codec's, for images of up to that size */
struct decode_image {
	struct depth_decoder	*depth;
	struct md_decoder	*md;
	struct split_decoder	*split;
	struct image		largest;
	struct image		image;
	size_t			room;		/* of its pixels */
	uint8_t			*message;	/* pixels as ROS has them */
	size_t			message_room;
	struct compressed_buffer compressed;
};

static void drop_decoders(struct decode_image *s)
{
	md_decoder_destroy(s->md);
	split_decoder_destroy(s->split);
	depth_decoder_destroy(s->depth);
	s->md = NULL;
	s->split = NULL;
	s->depth = NULL;
}

void decode_image_free(void *state)
{
	struct decode_image *s = state;

	drop_decoders(s);
	free(s->image.data);
	free(s->message);
	free(s->compressed.data);
	free(s);
}

/* What the first payload that is one says */
static int decode_image_shape_of(const struct decode_call *c,
				 struct image *shape)
{
	const struct payloads *p = &c->frame->received;
	int (*read)(const void *payload, size_t len, struct image *image) =
		c->codec == CODEC_MD ? md_shape :
		c->codec == CODEC_DEPTH ? depth_shape : split_shape;

	for (unsigned int i = 0; i < p->count; i++)
		if (!read(payload_at(p, i), p->len[i], shape))
			return 0;
	return -EPROTO;
}

static unsigned int decode_image_larger(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

/* About as much as an image of that shape takes to decode and to give */
static size_t decode_image_bytes_of(const struct image *i)
{
	return (size_t)i->width * i->height *
	       (IMAGE_PLAIN + i->channels * IMAGE_CHANNEL);
}

static int decode_image_grow(struct decode_image *s,
			     const struct decode_call *c,
			     const struct image *shape, size_t most)
{
	struct image *l = &s->largest, all;
	size_t room;
	uint8_t *data;

	if (shape->width <= l->width && shape->height <= l->height &&
	    image_pixel(shape) <= image_pixel(l) &&
	    shape->channels <= l->channels)
		return 0;
	drop_decoders(s);
	/* of two long ones both ways no square that holds either */
	if ((size_t)decode_image_larger(l->width, shape->width) *
	    decode_image_larger(l->height, shape->height) > most)
		*l = (struct image){ 0 };
	all = (struct image){
		.width = decode_image_larger(l->width, shape->width),
		.height = decode_image_larger(l->height, shape->height),
		.channels = decode_image_larger(l->channels, shape->channels),
		.depth = decode_image_larger(l->depth, shape->depth),
	};
	if (decode_reserve(c, decode_image_bytes_of(&all))) {
		*l = (struct image){ 0 };
		return -EFBIG;
	}
	*l = all;
	room = (size_t)l->width * l->height * image_pixel(l);
	data = realloc(s->image.data, room);
	if (data) {
		s->image.data = data;
		s->room = room;
		if (c->codec == CODEC_MD)
			s->md = md_decoder_create(l->width, l->height,
						  l->channels);
		else if (c->codec == CODEC_DEPTH)
			s->depth = depth_decoder_create(l->width, l->height);
		else
			s->split = split_decoder_create(l->width, l->height,
							image_pixel(l));
	}
	if (s->md || s->split || s->depth)
		return 0;
	*l = (struct image){ 0 };
	return -ENOMEM;
}

static int decode_image_add_md(void *d, const void *payload, size_t len)
{
	return md_add(d, payload, len);
}

static int decode_image_add_depth(void *d, const void *payload, size_t len)
{
	return depth_add(d, payload, len);
}

static int decode_image_add_split(void *d, const void *payload, size_t len)
{
	return split_add(d, payload, len);
}

static int decode_image_reconstruct(struct decode_image *s,
				    const struct decode_call *c,
				    struct decode_result *r)
{
	long ret;

	if (c->codec == CODEC_MD) {
		md_begin(s->md);
		decode_add(c, s->md, decode_image_add_md);
		ret = md_finish(s->md, &s->image, s->room);
		r->exact = md_exact(s->md);
		r->share = md_share(s->md);
	} else if (c->codec == CODEC_DEPTH) {
		struct depthcode_shown shown = { 0 };
		unsigned int all;

		depth_begin(s->depth);
		decode_add(c, s->depth, decode_image_add_depth);
		ret = depth_finish(s->depth, &s->image, s->room, &shown);
		all = s->image.width * s->image.height;
		r->share = (double)(shown.exact + shown.near) / all;
		r->exact = shown.exact == all;
	} else {
		split_begin(s->split, c->still);
		decode_add(c, s->split, decode_image_add_split);
		ret = split_finish(s->split, c->nearest, &s->image, s->room);
		r->share = split_share(s->split);
		r->exact = r->share >= 1;
	}
	return ret < 0 ? ret : 0;
}

/* Encodings that an image of that shape has if the announced one is not its */
static const enum message_encoding plain[2][5] = {
	{ 0, IMAGE_MONO8, IMAGE_8UC2, IMAGE_RGB8, IMAGE_RGBA8 },
	{ 0, IMAGE_MONO16, IMAGE_16UC2, IMAGE_RGB16, IMAGE_RGBA16 },
};

/* The announced encoding. @apart: of a fused with its colours apart */
static int announced(const char *text, bool *apart)
{
	const size_t mark = sizeof(BAYER_PLANES) - 1;
	struct message_string name = message_string(text);
	int encoding;

	*apart = name.len > mark &&
		 !memcmp(text + name.len - mark, BAYER_PLANES, mark);
	if (*apart)
		name.len -= mark;
	encoding = message_encoding_of(&name);
	*apart = *apart && encoding >= 0 && message_encoding_is_bayer(encoding);
	return encoding;
}

/* Of four pictures; what cannot be four of such a fused is shown as it is */
static int give_mosaic(struct decode_image *s, enum message_encoding encoding,
		       uint8_t *data, struct message_image *m)
{
	struct image fused = s->image;

	if (fused.channels != 1 || fused.width % 2 || fused.height % 2)
		return -EINVAL;
	fused.data = data;
	bayer_together(&s->image, &fused);
	return message_image_write(&fused, encoding, s->message, m);
}

static int decode_image_give(struct decode_image *s,
			     const struct decode_call *c,
			     struct decode_result *r)
{
	bool apart;
	int encoding = announced(c->topic->encoding, &apart), ret;
	union message msg = { .image = { .header = decode_header(c) } };
	size_t bytes = (size_t)s->image.width * s->image.height * 8;

	if (bytes > s->message_room) {
		uint8_t *data = realloc(s->message, bytes);

		if (!data)
			return -ENOMEM;
		s->message = data;
		s->message_room = bytes;
	}
	if (encoding < 0)
		ret = encoding;
	else if (apart)	/* gray takes 2 bytes a pixel: the other half is free */
		ret = give_mosaic(s, encoding, s->message + bytes / 2,
				  &msg.image);
	else
		ret = message_image_write(&s->image, encoding, s->message,
					  &msg.image);
	if (ret) {
		encoding = plain[s->image.depth == 16][s->image.channels];
		message_image_write(&s->image, encoding, s->message,
				    &msg.image);
	}
	r->msg = &msg;
	c->out(c->arg, r);
	return 0;
}

static int give_compressed(struct decode_image *s, const struct decode_call *c,
			   struct decode_result *r)
{
	const struct message_string format =
		message_string(c->topic->encoding);
	const struct message_string png = message_string("png");
	union message msg = { .compressed = { .header = decode_header(c) } };
	int ret = compressed_write(&s->image, &format, c->quality,
				   &s->compressed, &msg.compressed);

	/* PNG takes any image */
	if (ret && ret != -ENOMEM)
		ret = compressed_write(&s->image, &png, 0, &s->compressed,
				       &msg.compressed);
	if (ret)
		return ret == -ENOMEM ? ret : -EPROTO;
	r->msg = &msg;
	c->out(c->arg, r);
	return 0;
}

int decode_image(void **state, const struct decode_limits *limits,
		 const struct decode_call *c)
{
	struct decode_result r = { "", c->topic->kind, NULL, 0, false };
	struct decode_image *s = *state;
	struct image shape;
	int ret = decode_image_shape_of(c, &shape);

	if (ret)
		return ret;
	if ((size_t)shape.width * shape.height > limits->pixels)
		return -EFBIG;
	if (!s)
		s = *state = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	ret = decode_image_grow(s, c, &shape, limits->pixels);
	if (!ret)
		ret = decode_image_reconstruct(s, c, &r);
	if (ret)
		return ret;
	return c->topic->kind == MESSAGE_IMAGE ? decode_image_give(s, c, &r) :
						 give_compressed(s, c, &r);
}
