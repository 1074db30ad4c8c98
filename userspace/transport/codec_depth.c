// SPDX-License-Identifier: GPL-2.0-only
/*
 * codec_depth - depth images, see codec/image/depth.h
 */
#include <stdlib.h>
#include "codec/image/depth.h"
#include "transport/codec_image.h"

struct codec_depth {
	struct depth_encoder	*encoder;
	unsigned int		width, height; /* largest image so far */
};

static void codec_depth_encode_free(void *state)
{
	struct codec_depth *s = state;

	depth_encoder_destroy(s->encoder);
	free(s);
}

static int codec_depth_prepare(struct codec_depth *s, const struct image *i)
{
	if (i->width > s->width || i->height > s->height) {
		depth_encoder_destroy(s->encoder);
		s->encoder = depth_encoder_create(i->width, i->height);
		s->width = s->encoder ? i->width : 0;
		s->height = i->height;
	}
	return s->encoder ? 0 : -ENOMEM;
}

static int codec_depth_encode(void **state, const struct encode_call *c)
{
	const struct codec_image *in = c->input;
	unsigned int size = c->out->size;
	struct codec_depth *s = *state;
	int ret;

	if (in->scaled || in->image.depth != 16 || in->image.channels != 1) {
		c->result->codec = in->scaled ? CODEC_VALUES : CODEC_MD;
		return CODEC_OTHER;
	}
	if (!s)
		s = *state = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	ret = codec_depth_prepare(s, &in->image);
	if (ret)
		return ret;
	c->out->size = codec_image_payload(c);
	ret = depth_encode(s->encoder, &in->image, c->order->bytes,
			   c->order->loss, c->out);
	c->out->size = size;
	return ret;
}

static void *codec_depth_create(const struct image *largest)
{
	return depth_decoder_create(largest->width, largest->height);
}

static void codec_depth_destroy(void *decoder)
{
	depth_decoder_destroy(decoder);
}

static int codec_depth_add(void *decoder, const void *payload, size_t len)
{
	return depth_add(decoder, payload, len);
}

static int codec_depth_decode_pixels(void *decoder, const struct decode_call *c,
				     struct image *image, size_t room,
				     struct decode_result *r)
{
	struct depthcode_shown shown = { 0 };
	unsigned int all;
	long ret;

	depth_begin(decoder);
	decode_add(c, decoder, codec_depth_add);
	ret = depth_finish(decoder, image, room, &shown);
	all = image->width * image->height;
	r->share = (double)(shown.exact + shown.near) / all;
	r->exact = shown.exact == all;
	return ret < 0 ? ret : 0;
}

const struct codec_image_decoder codec_depth_pixels = {
	.shape = depth_shape,
	.create = codec_depth_create,
	.destroy = codec_depth_destroy,
	.decode = codec_depth_decode_pixels,
};

static int codec_depth_decode(void **state, const struct decode_limits *limits,
			      const struct decode_call *c)
{
	return codec_image_decode(state, limits, c, &codec_depth_pixels);
}

const struct codec codec_depth = {
	.name = "depth",
	.kinds = CODEC_IMAGE_KINDS,
	.plan = PLAN_IMAGE,
	.sized = true,
	.input = &codec_image_input,
	.learn = codec_image_learn,
	.encode = codec_depth_encode,
	.encode_free = codec_depth_encode_free,
	.decode = codec_depth_decode,
	.decode_free = codec_image_decode_free,
};
