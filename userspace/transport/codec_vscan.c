// SPDX-License-Identifier: GPL-2.0-only
/*
 * codec_vscan - clouds as two virtual scans, see codec/scan/vscan_code.h
 */
#include <math.h>
#include <stdlib.h>
#include "codec/scan/vscan_code.h"
#include "transport/codec_cloud.h"

static void codec_vscan_encode_free(void *state)
{
	vscan_destroy(state);
}

static int codec_vscan_make(struct vscan **vscan, const struct encode_call *c,
			    const struct organised *turn)
{
	struct vscan_scans scans;
	int ret;

	if (!*vscan)
		*vscan = vscan_create(ORGANISED_RINGS, ORGANISED_COLUMNS);
	if (!*vscan)
		return -ENOMEM;
	ret = vscan_make(*vscan, turn, &c->options->vscan, &scans);
	if (ret)
		return ret;
	return vscan_encode(&scans, c->order->parts > 1 ? 2 : 1,
			    c->order->copies ? c->order->copies : 1, c->out);
}

static int codec_vscan_encode(void **state, const struct encode_call *c)
{
	struct vscan *vscan = *state;
	struct organised turn;
	int ret = codec_cloud_turn(c, &turn);

	if (ret)
		return ret;
	ret = codec_vscan_make(&vscan, c, &turn);
	*state = vscan;
	return codec_cloud_or_block(c, ret);
}

struct codec_vscan {
	struct vscan_decoder	decoder;
	float			range[2][VSCAN_BINS]; /* of both scans */
};

static int codec_vscan_add(void *decoder, const void *payload, size_t len)
{
	return vscan_add(decoder, payload, len);
}

/* Bins from -180 degrees on: infinite if empty, NaN if unknown */
static void codec_vscan_give(struct codec_vscan *s, const struct decode_call *c,
			     const uint16_t cm[VSCAN_BINS], float *range,
			     struct decode_result *r)
{
	union message msg = { .scan = {
				      .header = decode_header(c),
				      .angle_min = -M_PI,
				      .angle_increment = 2 * M_PI / VSCAN_BINS,
				      .range_min = .01f,
				      .range_max = 655,
			      } };

	msg.scan.angle_max = -M_PI + (VSCAN_BINS - 1) * 2 * M_PI / VSCAN_BINS;
	for (unsigned int i = 0; i < VSCAN_BINS; i++)
		range[i] = !vscan_known(&s->decoder, i) ? NAN :
			   cm[i]			? cm[i] * .01f :
							  INFINITY;
	msg.scan.ranges = decode_floats(range, VSCAN_BINS);
	r->msg = &msg;
	c->out(c->arg, r);
}

static int codec_vscan_decode(void **state, const struct decode_limits *limits,
			      const struct decode_call *c)
{
	struct decode_result r = { NULL, MESSAGE_LASER_SCAN, NULL, 0, false };
	struct codec_vscan *s = *state;
	unsigned int known = 0;
	struct vscan_scans scans;

	(void)limits;
	if (!s)
		s = *state = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	vscan_begin(&s->decoder);
	decode_add(c, &s->decoder, codec_vscan_add);
	if (vscan_finish(&s->decoder, &scans))
		return -EPROTO;
	for (unsigned int i = 0; i < VSCAN_BINS; i++)
		known += vscan_known(&s->decoder, i);
	r.share = (double)known / VSCAN_BINS;
	r.suffix = "/landmark_scan";
	codec_vscan_give(s, c, scans.landmark, s->range[0], &r);
	r.suffix = "/obstacle_scan";
	codec_vscan_give(s, c, scans.obstacle, s->range[1], &r);
	return 0;
}

const struct codec codec_vscan = {
	.name = "vscan",
	.kinds = CODEC_KIND(POINT_CLOUD),
	.plan = PLAN_SCAN,
	.input = &codec_cloud_input,
	.learn = codec_learn_bytes,
	.encode = codec_vscan_encode,
	.encode_free = codec_vscan_encode_free,
	.decode = codec_vscan_decode,
	.decode_free = free,
};
