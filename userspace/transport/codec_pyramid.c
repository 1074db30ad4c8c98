// SPDX-License-Identifier: GPL-2.0-only
/*
 * codec_pyramid - occupancy grids as D6.3 sends them, see
 * codec/grid/mappyramid.h
 */
#include <stdlib.h>
#include "codec/grid/mappyramid.h"
#include "transport/codec_map.h"

struct codec_pyramid {
	struct mappyramid_encoder	*encoder;
	unsigned int width, height; /* largest map so far */
};

static void codec_pyramid_encode_free(void *state)
{
	struct codec_pyramid *s = state;

	mappyramid_encoder_destroy(s->encoder);
	free(s);
}

static int codec_pyramid_prepare(struct codec_pyramid *s,
				 const struct codec_map *in)
{
	if (s->encoder && s->width == in->width && s->height == in->height)
		return 0;
	mappyramid_encoder_destroy(s->encoder);
	s->encoder = mappyramid_encoder_create(in->width, in->height);
	s->width = in->width;
	s->height = in->height;
	return s->encoder ? 0 : -ENOMEM;
}

static int codec_pyramid_encode(void **state, const struct encode_call *c)
{
	const struct codec_map *in = c->input;
	struct codec_pyramid *s = *state;
	int ret;

	if (!s)
		s = *state = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	ret = codec_pyramid_prepare(s, in);
	if (ret)
		return ret;
	return mappyramid_encode(s->encoder, &in->map,
				 encode_slots(c->out, c->order->bytes), c->out);
}

static int codec_pyramid_add(void *decoder, const void *payload, size_t len)
{
	return mappyramid_add(decoder, payload, len);
}

static int codec_pyramid_decode(void **state,
				const struct decode_limits *limits,
				const struct decode_call *c)
{
	struct decode_result r = { "", MESSAGE_OCCUPANCY_GRID, NULL, 0, false };
	struct mappyramid_decoder *decoder = *state;
	struct map map;
	int taken, ret;

	(void)limits;
	if (!decoder)
		*state = decoder = mappyramid_decoder_create();
	if (!decoder)
		return -ENOMEM;
	mappyramid_begin(decoder);
	taken = decode_add(c, decoder, codec_pyramid_add);
	if (taken < 0)
		return taken;
	r.share = (double)taken / c->frame->count;
	ret = mappyramid_finish(decoder, &map);
	if (ret)
		return ret == -EFBIG ? ret : -EPROTO;
	return codec_map_give(c, &map, &r);
}

static void codec_pyramid_decode_free(void *state)
{
	mappyramid_decoder_destroy(state);
}

const struct codec codec_pyramid = {
	.name = "pyramid",
	.kinds = CODEC_KIND(OCCUPANCY_GRID),
	.plan = PLAN_MAP,
	.input = &codec_map_input,
	.learn = codec_learn_bytes,
	.encode = codec_pyramid_encode,
	.encode_free = codec_pyramid_encode_free,
	.decode = codec_pyramid_decode,
	.decode_free = codec_pyramid_decode_free,
};
