// SPDX-License-Identifier: GPL-2.0-only
/*
 * codec_cloud80 - clouds of a few points, see codec/cloud/cloud80.h
 */
#include "codec/cloud/cloud80.h"
#include "transport/codec_cloud.h"

static int codec_cloud80_encode(void **state, const struct encode_call *c)
{
	const struct codec_cloud *in = c->input;

	(void)state;
	return cloud80_encode(in->cloud, c->out);
}

static void *codec_cloud80_create(const struct decode_limits *limits)
{
	return cloud80_create(limits->points);
}

static void codec_cloud80_destroy(void *decoder)
{
	cloud80_destroy(decoder);
}

static int codec_cloud80_add(void *decoder, const void *payload, size_t len)
{
	return cloud80_add(decoder, payload, len);
}

static int codec_cloud80_points(void *decoder, const struct decode_call *c,
				struct cloud *cloud)
{
	int taken;

	cloud80_begin(decoder);
	taken = decode_add(c, decoder, codec_cloud80_add);
	return cloud80_finish(decoder, cloud) ? -EFBIG : taken;
}

static int codec_cloud80_decode(void **state,
				const struct decode_limits *limits,
				const struct decode_call *c)
{
	static const struct codec_cloud_decoder cloud80 = {
		codec_cloud80_create,
		codec_cloud80_destroy,
		codec_cloud80_points,
	};

	return codec_cloud_decode(state, limits, c, &cloud80);
}

const struct codec codec_cloud80 = {
	.name = "cloud80",
	.kinds = CODEC_KIND(POINT_CLOUD),
	.plan = PLAN_SCAN,
	.input = &codec_cloud_input,
	.learn = codec_learn_bytes,
	.encode = codec_cloud80_encode,
	.decode = codec_cloud80_decode,
	.decode_free = codec_cloud_decode_free,
};
