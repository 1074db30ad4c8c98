// SPDX-License-Identifier: GPL-2.0-only
/*
 * codec_laserscan - planar laser scans, see codec/scan/laserscan.h
 */
#include <stdlib.h>
#include "codec/scan/laserscan.h"
#include "transport/codec_impl.h"

struct codec_laserscan {
	float		*values; /* ranges, then intensities */
	unsigned int	room; /* beams that @values can hold */
};

static void codec_laserscan_encode_free(void *state)
{
	struct codec_laserscan *s = state;

	free(s->values);
	free(s);
}

static int codec_laserscan_prepare(void **state, unsigned int beams)
{
	struct codec_laserscan *s = *state;
	float *values;

	if (!s)
		s = *state = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	if (beams <= s->room)
		return 0;
	values = realloc(s->values, 2 * beams * sizeof(*values));
	if (!values)
		return -ENOMEM;
	s->values = values;
	s->room = beams;
	return 0;
}

static int codec_laserscan_encode(void **state, const struct encode_call *c)
{
	const struct message_laser_scan *m = &c->msg->scan;
	unsigned int beams = m->ranges.count;
	bool intensity = m->intensities.count == beams && beams &&
			 c->options->intensity;
	const struct laserscan_params p = {
		.parts = c->order->parts ? c->order->parts : 2,
		.resolution = c->options->scan_resolution,
		.step = c->options->intensity,
	};
	struct codec_laserscan *s;
	struct laserscan scan;
	int ret;

	if (beams > LASERSCAN_BEAMS)
		return -EMSGSIZE;
	ret = codec_laserscan_prepare(state, beams ? beams : 1);
	if (ret)
		return ret;
	s = *state;
	scan = (struct laserscan){
		.beams = beams,
		.angle_min = m->angle_min,
		.angle_increment = m->angle_increment,
		.time_increment = m->time_increment,
		.scan_time = m->scan_time,
		.range_min = m->range_min,
		.range_max = m->range_max,
		.range = s->values,
		.intensity = intensity ? s->values + beams : NULL,
	};
	for (unsigned int i = 0; i < beams; i++)
		scan.range[i] = message_float(&m->ranges, i);
	for (unsigned int i = 0; intensity && i < beams; i++)
		scan.intensity[i] = message_float(&m->intensities, i);
	ret = laserscan_encode(&scan, &p, c->out);
	return ret == -EINVAL ? -EBADMSG : ret;
}

static int codec_laserscan_add(void *decoder, const void *payload, size_t len)
{
	return laserscan_add(decoder, payload, len);
}

static int codec_laserscan_decode(void **state,
				  const struct decode_limits *limits,
				  const struct decode_call *c)
{
	struct decode_result r = { "", MESSAGE_LASER_SCAN, NULL, 0, false };
	union message msg = { .scan = { .header = decode_header(c) } };
	struct message_laser_scan *m = &msg.scan;
	struct laserscan_decoder *decoder = *state;
	struct laserscan scan;
	int taken;

	(void)limits;
	if (!decoder)
		*state = decoder = laserscan_decoder_create(LASERSCAN_BEAMS);
	if (!decoder)
		return -ENOMEM;
	laserscan_begin(decoder);
	taken = decode_add(c, decoder, codec_laserscan_add);
	if (taken < 0)
		return taken;
	if (laserscan_finish(decoder, &scan))
		return -EPROTO;
	m->angle_min = scan.angle_min;
	m->angle_max = scan.angle_min +
		       (scan.beams ? scan.beams - 1 : 0) * scan.angle_increment;
	m->angle_increment = scan.angle_increment;
	m->time_increment = scan.time_increment;
	m->scan_time = scan.scan_time;
	m->range_min = scan.range_min;
	m->range_max = scan.range_max;
	m->ranges = decode_floats(scan.range, scan.beams);
	if (scan.intensity)
		m->intensities = decode_floats(scan.intensity, scan.beams);
	r.share = (double)taken / c->frame->count;
	r.exact = taken == (int)c->frame->count;
	r.msg = &msg;
	c->out(c->arg, &r);
	return 0;
}

static void codec_laserscan_decode_free(void *state)
{
	laserscan_decoder_destroy(state);
}

const struct codec codec_laserscan = {
	.name = "scan",
	.kinds = CODEC_KIND(LASER_SCAN),
	.usual = CODEC_KIND(LASER_SCAN),
	.plan = PLAN_SCAN,
	.learn = codec_learn_bytes,
	.encode = codec_laserscan_encode,
	.encode_free = codec_laserscan_encode_free,
	.decode = codec_laserscan_decode,
	.decode_free = codec_laserscan_decode_free,
};
