// SPDX-License-Identifier: GPL-2.0-only
/*
 * decode_cloud - range images, blocks of voxels and small clouds into clouds
 */
#include <stdlib.h>
#include "codec/cloud/cloud80.h"
#include "codec/cloud/cloudblock.h"
#include "codec/cloud/rangeimage.h"
#include "codec/cloud/rangeimage_cloud.h"
#include "ros/msg/convert.h"
#include "transport/decode_kinds.h"

/* The decoder of the codec */
struct decode_cloud {
	struct rangeimage	*range;
	struct cloudblock_decoder *block;
	struct cloud80		*cloud80;
	struct cloud		*cloud;
	uint8_t			*message;
	size_t			room;
};

void decode_cloud_free(void *state)
{
	struct decode_cloud *s = state;

	rangeimage_destroy(s->range);
	cloudblock_decoder_destroy(s->block);
	cloud80_destroy(s->cloud80);
	cloud_destroy(s->cloud);
	free(s->message);
	free(s);
}

static struct decode_cloud *
decode_cloud_create(const struct decode_limits *limits, enum codec_id codec)
{
	struct decode_cloud *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->cloud = cloud_create(limits->points);
	if (codec == CODEC_RANGE)
		s->range = rangeimage_create(ORGANISED_RINGS,
					     ORGANISED_COLUMNS);
	else if (codec == CODEC_BLOCK)
		s->block = cloudblock_decoder_create(limits->points,
						     REASSEMBLY_COUNT);
	else
		s->cloud80 = cloud80_create(limits->points);
	if (s->cloud && (s->range || s->block || s->cloud80))
		return s;
	decode_cloud_free(s);
	return NULL;
}

static int decode_cloud_add_range(void *d, const void *payload, size_t len)
{
	return rangeimage_add(d, payload, len);
}

static int decode_cloud_add_block(void *d, const void *payload, size_t len)
{
	return cloudblock_add(d, payload, len);
}

static int decode_cloud_add_cloud80(void *d, const void *payload, size_t len)
{
	return cloud80_add(d, payload, len);
}

/* Return: payloads that were one, or a negative errno */
static int decode_cloud_reconstruct(struct decode_cloud *s,
				    const struct decode_call *c)
{
	struct organised turn;
	unsigned int taken;
	int ret;

	switch (c->codec) {
	case CODEC_RANGE:
		rangeimage_begin(s->range);
		taken = decode_add(c, s->range, decode_cloud_add_range);
		rangeimage_finish(s->range, &turn, NULL);
		ret = organised_to_cloud(&turn, s->cloud);
		break;
	case CODEC_BLOCK:
		cloudblock_begin(s->block);
		taken = decode_add(c, s->block, decode_cloud_add_block);
		ret = cloudblock_finish(s->block, s->cloud);
		break;
	default:
		cloud80_begin(s->cloud80);
		taken = decode_add(c, s->cloud80, decode_cloud_add_cloud80);
		ret = cloud80_finish(s->cloud80, s->cloud);
	}
	return ret ? -EFBIG : (int)taken;
}

static int decode_cloud_give(struct decode_cloud *s,
			     const struct decode_call *c,
			     struct decode_result *r)
{
	union message msg = { .cloud = { .header = decode_header(c) } };
	/* an empty one, too, is somewhere */
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

int decode_cloud(void **state, const struct decode_limits *limits,
		 const struct decode_call *c)
{
	struct decode_result r = { "", MESSAGE_POINT_CLOUD, NULL, 0, false };
	int taken;

	if (!*state)
		*state = decode_cloud_create(limits, c->codec);
	if (!*state)
		return -ENOMEM;
	taken = decode_cloud_reconstruct(*state, c);
	if (taken <= 0)
		return taken ? taken : -EPROTO;
	r.share = (double)taken / c->frame->count;
	r.exact = taken == (int)c->frame->count;
	return decode_cloud_give(*state, c, &r);
}
