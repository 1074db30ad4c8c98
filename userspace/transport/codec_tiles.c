// SPDX-License-Identifier: GPL-2.0-only
/*
 * codec_tiles - occupancy grids as lossless tiles, see codec/grid/tiles.h
 */
#include <stdlib.h>
#include "codec/grid/tiles.h"
#include "transport/codec_map.h"

/* Bytes per cell: of the map, of its tiles, and of a message */
enum { MAP_CELL = 4 };

struct codec_tiles {
	struct tiles_encoder	*encoder;
	unsigned int		width, height; /* largest map so far */
};

static void codec_tiles_encode_free(void *state)
{
	struct codec_tiles *s = state;

	tiles_encoder_destroy(s->encoder);
	free(s);
}

static int codec_tiles_prepare(struct codec_tiles *s,
			       const struct codec_map *in)
{
	if (s->encoder && s->width == in->width && s->height == in->height)
		return 0;
	tiles_encoder_destroy(s->encoder);
	s->encoder = tiles_encoder_create(in->width, in->height);
	s->width = in->width;
	s->height = in->height;
	return s->encoder ? 0 : -ENOMEM;
}

static int codec_tiles_encode(void **state, const struct encode_call *c)
{
	const struct codec_map *in = c->input;
	struct codec_tiles *s = *state;
	int ret;

	if (!s)
		s = *state = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	ret = codec_tiles_prepare(s, in);
	if (ret)
		return ret;
	return tiles_encode(s->encoder, &in->map,
			    encode_slots(c->out, c->order->bytes), true,
			    c->out);
}

static int codec_tiles_add(void *decoder, const void *payload, size_t len)
{
	return tiles_add(decoder, payload, len);
}

/* The decoder keeps the whole map */
static int codec_tiles_decode(void **state, const struct decode_limits *limits,
			      const struct decode_call *c)
{
	struct decode_result r = { "", MESSAGE_OCCUPANCY_GRID, NULL, 0, false };
	struct tiles_decoder *decoder = *state;
	struct tiles_share share;
	struct map map;
	int ret;

	if (!decoder)
		*state = decoder =
			tiles_decoder_create(limits->cells, limits->cells);
	if (!decoder)
		return -ENOMEM;
	tiles_begin(decoder, c->frame->number);
	ret = decode_add(c, decoder, codec_tiles_add);
	/* a frame without a good payload shows the map as it is known */
	if (ret < 0 && ret != -EPROTO)
		return ret;
	if (decode_reserve(c, tiles_cells(decoder) * MAP_CELL))
		return -EFBIG;
	share = tiles_share(decoder);
	r.share = share.known ? (double)share.received / share.known : 1;
	r.exact = share.received == share.known;
	ret = tiles_finish(decoder, &map);
	if (ret)
		return ret == -EFBIG ? ret : -EPROTO;
	return codec_map_give(c, &map, &r);
}

static void codec_tiles_decode_free(void *state)
{
	tiles_decoder_destroy(state);
}

const struct codec codec_tiles = {
	.name = "tiles",
	.kinds = CODEC_KIND(OCCUPANCY_GRID),
	.usual = CODEC_KIND(OCCUPANCY_GRID),
	.plan = PLAN_MAP,
	.input = &codec_map_input,
	.learn = codec_learn_bytes,
	.encode = codec_tiles_encode,
	.encode_free = codec_tiles_encode_free,
	.decode = codec_tiles_decode,
	.decode_free = codec_tiles_decode_free,
};
