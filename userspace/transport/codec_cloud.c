// SPDX-License-Identifier: GPL-2.0-only
/*
 * codec_cloud - convert between messages and points, for the codecs of clouds
 */
#include <stdlib.h>
#include "ros/msg/convert.h"
#include "transport/codec_cloud.h"

#define FINE .002 /* m: PLAN_FINE */
#define COARSE .01

enum { ROOM_MIN = 4096 };

/* ---- encoding ---- */

static void codec_cloud_forget(struct codec_cloud *s)
{
	cloud_destroy(s->cloud);
	organiser_destroy(s->organiser);
	*s = (struct codec_cloud){ 0 };
}

static void codec_cloud_free(void *input)
{
	codec_cloud_forget(input);
	free(input);
}

static int codec_cloud_prepare(struct codec_cloud *s,
			       const struct message_point_cloud *m)
{
	uint64_t points = (uint64_t)m->width * m->height;
	unsigned int room = ROOM_MIN;

	if (s->cloud && points <= s->room)
		return 0;
	/* a forged size does not match the data */
	if (points && (!m->point_step || points > m->data.count / m->point_step))
		return -EBADMSG;
	while (room < points)
		room *= 2;
	codec_cloud_forget(s);
	s->cloud = cloud_create(room);
	if (!s->cloud)
		return -ENOMEM;
	s->room = room;
	return 0;
}

static int codec_cloud_read(void **input, const struct encode_call *c)
{
	const struct message_point_cloud *m = &c->msg->cloud;
	struct codec_cloud *s = *input;
	int ret;

	if (!s)
		s = *input = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	ret = codec_cloud_prepare(s, m);
	return ret ? ret : message_cloud_read(m, s->cloud);
}

const struct codec_input codec_cloud_input = {
	codec_cloud_read,
	codec_cloud_free,
};

int codec_cloud_or_block(const struct encode_call *c, int ret)
{
	if (!ret || ret == -ENOMEM)
		return ret;
	c->result->codec = CODEC_BLOCK;
	return CODEC_OTHER;
}

int codec_cloud_turn(const struct encode_call *c, struct organised *turn)
{
	struct codec_cloud *s = c->input;

	if (!s->organiser)
		s->organiser = organiser_create(s->room);
	if (!s->organiser)
		return -ENOMEM;
	return codec_cloud_or_block(
		c, cloud_to_organised(s->organiser, s->cloud, CODEC_CLOUD_UNIT,
				      turn, NULL));
}

void codec_cloud_order(struct encode_order *o, const struct codec_allocation *g)
{
	static const enum codec_id modes[PLAN_MODES] = {
		CODEC_RANGE,
		CODEC_RANGE,
		CODEC_BLOCK,
		CODEC_VSCAN,
	};
	const struct plan *p = g->plan;

	o->resolution = FINE;
	if (g->any) {
		o->codec = modes[p->mode];
		if (p->mode == PLAN_COARSE)
			o->resolution = COARSE;
	}
	if (p->points && (!o->points || o->points > p->points))
		o->points = p->points;
}

void codec_cloud_learn(struct plan_source *s, const struct codec_frame *f)
{
	const struct encode_result *r = f->result;
	enum plan_mode mode = f->mode;

	/* requested as a scan of a lidar, but not organised */
	if (mode <= PLAN_COARSE || mode == PLAN_VSCAN) {
		s->organised &= r->codec != CODEC_BLOCK;
		s->vscan &= r->codec != CODEC_BLOCK;
	}
	if (r->codec == CODEC_RANGE && mode <= PLAN_COARSE)
		s->mode[mode] = f->bytes;
	else if (r->codec == CODEC_VSCAN)
		s->mode[PLAN_VSCAN] = f->bytes;
	else if (r->codec == CODEC_BLOCK && r->points)
		s->point = (double)f->bytes / r->points;
}

/* ---- decoding ---- */

/**
 * struct codec_cloud_state - of a decoder
 * @decoder:	of @codec
 * @message:	points in ROS format
 */
struct codec_cloud_state {
	const struct codec_cloud_decoder	*codec;
	void					*decoder;
	struct cloud				*cloud;
	uint8_t					*message;
	size_t					room;
};

void codec_cloud_decode_free(void *state)
{
	struct codec_cloud_state *s = state;

	if (s->decoder)
		s->codec->destroy(s->decoder);
	cloud_destroy(s->cloud);
	free(s->message);
	free(s);
}

static struct codec_cloud_state *
codec_cloud_create(const struct decode_limits *limits,
		   const struct codec_cloud_decoder *codec)
{
	struct codec_cloud_state *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->codec = codec;
	s->cloud = cloud_create(limits->points);
	s->decoder = codec->create(limits);
	if (s->cloud && s->decoder)
		return s;
	codec_cloud_decode_free(s);
	return NULL;
}

static int codec_cloud_give(struct codec_cloud_state *s,
			    const struct decode_call *c,
			    struct decode_result *r)
{
	union message msg = { .cloud = { .header = decode_header(c) } };
	/* not NULL, even if the cloud is empty */
	size_t bytes = message_cloud_bytes(s->cloud) + 1;

	if (bytes > s->room) {
		uint8_t *data = realloc(s->message, bytes);

		if (!data)
			return -ENOMEM;
		s->message = data;
		s->room = bytes;
	}
	message_cloud_write(s->cloud, s->message, &msg.cloud);
	r->msg = &msg;
	c->out(c->arg, r);
	return 0;
}

int codec_cloud_decode(void **state, const struct decode_limits *limits,
		       const struct decode_call *c,
		       const struct codec_cloud_decoder *codec)
{
	struct decode_result r = { "", MESSAGE_POINT_CLOUD, NULL, 0, false };
	struct codec_cloud_state *s = *state;
	int taken;

	if (!s)
		s = *state = codec_cloud_create(limits, codec);
	if (!s)
		return -ENOMEM;
	taken = codec->decode(s->decoder, c, s->cloud);
	if (taken < 0)
		return taken;
	r.share = (double)taken / c->frame->count;
	r.exact = taken == (int)c->frame->count;
	return codec_cloud_give(s, c, &r);
}
