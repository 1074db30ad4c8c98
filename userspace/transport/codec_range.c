// SPDX-License-Identifier: GPL-2.0-only
/*
 * codec_range - clouds of a spinning lidar, see codec/cloud/rangeimage.h
 */
#include "codec/cloud/rangeimage.h"
#include "transport/codec_cloud.h"

static int codec_range_encode(void **state, const struct encode_call *c)
{
	const struct rangeimage_params p = {
		.multiple =
			c->order->resolution > CODEC_CLOUD_UNIT ?
				c->order->resolution / CODEC_CLOUD_UNIT + .5 :
				1,
		.intensity = c->options->intensity,
	};
	struct organised turn;
	int ret = codec_cloud_turn(c, &turn);

	(void)state;
	if (ret)
		return ret;
	return codec_cloud_or_block(c, rangeimage_encode(&turn, &p, c->out));
}

static void *codec_range_create(const struct decode_limits *limits)
{
	(void)limits;
	return rangeimage_create(ORGANISED_RINGS, ORGANISED_COLUMNS);
}

static void codec_range_destroy(void *decoder)
{
	rangeimage_destroy(decoder);
}

static int codec_range_add(void *decoder, const void *payload, size_t len)
{
	return rangeimage_add(decoder, payload, len);
}

static int codec_range_points(void *decoder, const struct decode_call *c,
			      struct cloud *cloud)
{
	struct organised turn;
	int taken;

	rangeimage_begin(decoder);
	taken = decode_add(c, decoder, codec_range_add);
	rangeimage_finish(decoder, &turn, NULL);
	return organised_to_cloud(&turn, cloud) ? -EFBIG : taken;
}

static int codec_range_decode(void **state, const struct decode_limits *limits,
			      const struct decode_call *c)
{
	static const struct codec_cloud_decoder range = {
		codec_range_create,
		codec_range_destroy,
		codec_range_points,
	};

	return codec_cloud_decode(state, limits, c, &range);
}

const struct codec codec_range = {
	.name = "range",
	.kinds = CODEC_KIND(POINT_CLOUD),
	.usual = CODEC_KIND(POINT_CLOUD),
	.plan = PLAN_CLOUD,
	.input = &codec_cloud_input,
	.order = codec_cloud_order,
	.learn = codec_cloud_learn,
	.encode = codec_range_encode,
	.decode = codec_range_decode,
	.decode_free = codec_cloud_decode_free,
};
