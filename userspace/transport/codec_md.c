// SPDX-License-Identifier: GPL-2.0-only
/*
 * codec_md - images as descriptions, see codec/image/md.h
 *
 * Wavelets cause ghosts at the holes and edges of depth images. Depth images go
 * to codec_depth unless the user chose this codec. 16UC1 is depth if the topic's
 * name or the format says so, or if it has holes: thermal cameras also send
 * 16UC1, without holes. For other numbers see codec_image.c; those with a scale
 * go to codec_values.
 */
#include <math.h>
#include <stdlib.h>
#include "codec/image/depth.h"
#include "codec/image/md.h"
#include "transport/codec_image.h"

/* Mean squared error, and to what power of the bytes it falls */
static const double LOOK_LEAST = .01, SLOPE_LEAST = .3, SLOPE_MOST = 2;

struct codec_md {
	struct md_encoder	*encoder;
	unsigned int		width, height, channels; /* largest so far */
	bool			hollow; /* of the previous image */
};

static void codec_md_encode_free(void *state)
{
	struct codec_md *s = state;

	md_encoder_destroy(s->encoder);
	free(s);
}

static bool codec_md_is_depth(struct codec_md *s, const struct encode_call *c)
{
	const struct codec_image *in = c->input;
	const struct image *i = &in->image;
	unsigned int pixels = i->width * i->height;

	if (!c->order->any || !in->plain16 || i->depth != 16 ||
	    i->channels != 1)
		return false;
	if (in->depths || c->options->depths)
		return true;
	/* hysteresis, as each change is announced */
	s->hollow = depth_holes(i) > pixels / (s->hollow ? CODEC_IMAGE_HOLES_STILL :
					       CODEC_IMAGE_HOLES);
	return s->hollow;
}

static int codec_md_prepare(struct codec_md *s, const struct image *i)
{
	if (i->width > s->width || i->height > s->height ||
	    i->channels > s->channels) {
		md_encoder_destroy(s->encoder);
		s->encoder =
			md_encoder_create(i->width, i->height, i->channels);
		s->width = s->encoder ? i->width : 0;
		s->height = i->height;
		s->channels = i->channels;
	}
	return s->encoder ? 0 : -ENOMEM;
}

/* How good the picture is, and for how long, for the next plan */
static void codec_md_look(const struct codec_md *s,
			  const struct codec_image *in, struct look *l)
{
	const double all = md_error(s->encoder, 1);
	const double half = md_error(s->encoder, .5);

	if (!in->movement.known || in->scaled)
		return;
	*l = (struct look){
		.error = fmax(all, LOOK_LEAST),
		.slope = fmin(fmax(log2(fmax(half, LOOK_LEAST) /
					fmax(all, LOOK_LEAST)),
				   SLOPE_LEAST), SLOPE_MOST),
		.moved = in->movement.moved, .after = in->movement.after,
		.growth = in->movement.growth,
		/* of 16 bits the numbers count, not how they look */
		.contrast = in->image.depth == 8 ? in->movement.contrast : 0,
	};
}

static int codec_md_encode(void **state, const struct encode_call *c)
{
	const struct codec_image *in = c->input;
	const struct md_budget budget = {
		.bytes = c->order->bytes,
		.loss = c->order->loss,
		.burst = c->order->burst,
	};
	unsigned int size = c->out->size;
	struct codec_md *s = *state;
	int ret;

	if (!s)
		s = *state = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	if (in->scaled || codec_md_is_depth(s, c)) {
		c->result->codec = in->scaled ? CODEC_VALUES : CODEC_DEPTH;
		return CODEC_OTHER;
	}
	ret = codec_md_prepare(s, &in->image);
	if (ret)
		return ret;
	c->out->size = codec_image_payload(c);
	ret = md_encode(s->encoder, &in->image, &budget, c->out);
	c->out->size = size;
	if (!ret)
		codec_md_look(s, in, &c->result->look);
	return ret;
}

static void *codec_md_create(const struct image *largest)
{
	return md_decoder_create(largest->width, largest->height,
				 largest->channels);
}

static void codec_md_destroy(void *decoder)
{
	md_decoder_destroy(decoder);
}

static int codec_md_add(void *decoder, const void *payload, size_t len)
{
	return md_add(decoder, payload, len);
}

static int codec_md_decode_pixels(void *decoder, const struct decode_call *c,
				  struct image *image, size_t room,
				  struct decode_result *r)
{
	long ret;

	md_begin(decoder);
	decode_add(c, decoder, codec_md_add);
	ret = md_finish(decoder, image, room);
	r->exact = md_exact(decoder);
	r->share = md_share(decoder);
	return ret < 0 ? ret : 0;
}

const struct codec_image_decoder codec_md_pixels = {
	.shape = md_shape,
	.create = codec_md_create,
	.destroy = codec_md_destroy,
	.decode = codec_md_decode_pixels,
};

static int codec_md_decode(void **state, const struct decode_limits *limits,
			   const struct decode_call *c)
{
	return codec_image_decode(state, limits, c, &codec_md_pixels);
}

const struct codec codec_md = {
	.name = "md",
	.kinds = CODEC_IMAGE_KINDS,
	.usual = CODEC_IMAGE_KINDS,
	.plan = PLAN_IMAGE,
	.sized = true,
	.input = &codec_image_input,
	.learn = codec_image_learn,
	.encode = codec_md_encode,
	.encode_free = codec_md_encode_free,
	.decode = codec_md_decode,
	.decode_free = codec_image_decode_free,
};
