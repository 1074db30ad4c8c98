// SPDX-License-Identifier: GPL-2.0-only
/*
 * codec_split - images as sub-images, see codec/image/split.h
 */
#include "codec/image/split.h"
#include "transport/codec_image.h"

static int codec_split_encode(void **state, const struct encode_call *c)
{
	const struct codec_image *in = c->input;
	const struct image *i = &in->image;
	struct payloads *out = c->out;
	unsigned int steps = split_steps(i, out->size);
	unsigned int all = split_datagrams(i, steps, out->size);
	size_t bytes = i->stride * i->height, each, n;
	unsigned int max = out->max;
	int ret;

	(void)state;
	if (in->scaled) {
		c->result->codec = CODEC_VALUES;
		return CODEC_OTHER;
	}
	if (!all)
		return -EMSGSIZE;
	each = bytes / all + SPLIT_HEADER;
	n = c->order->bytes / each;
	out->max = !n ? 1 : n < max ? n : max;
	ret = split_encode(i, steps, out);
	out->max = max;
	c->result->all = all;
	return ret;
}

static void codec_split_learn(struct plan_source *s,
			      const struct codec_frame *f)
{
	s->images = f->result->all;
	s->image = f->bytes / f->datagrams;
}

static void *codec_split_create(const struct image *largest)
{
	return split_decoder_create(largest->width, largest->height,
				    image_pixel(largest));
}

static void codec_split_destroy(void *decoder)
{
	split_decoder_destroy(decoder);
}

static int codec_split_add(void *decoder, const void *payload, size_t len)
{
	return split_add(decoder, payload, len);
}

static int codec_split_pixels(void *decoder, const struct decode_call *c,
			      struct image *image, size_t room,
			      struct decode_result *r)
{
	long ret;

	split_begin(decoder, c->still);
	decode_add(c, decoder, codec_split_add);
	ret = split_finish(decoder, c->nearest, image, room);
	r->share = split_share(decoder);
	r->exact = r->share >= 1;
	return ret < 0 ? ret : 0;
}

static int codec_split_decode(void **state, const struct decode_limits *limits,
			      const struct decode_call *c)
{
	static const struct codec_image_decoder split = {
		split_shape,
		codec_split_create,
		codec_split_destroy,
		codec_split_pixels,
	};

	return codec_image_decode(state, limits, c, &split);
}

const struct codec codec_split = {
	.name = "split",
	.kinds = CODEC_IMAGE_KINDS,
	.plan = PLAN_SPLIT,
	.input = &codec_image_input,
	.learn = codec_split_learn,
	.encode = codec_split_encode,
	.decode = codec_split_decode,
	.decode_free = codec_image_decode_free,
};
