// SPDX-License-Identifier: GPL-2.0-only
/*
 * codec_block - any cloud as voxels, see codec/cloud/cloudblock.h
 */
#include <stdlib.h>
#include <string.h>
#include "codec/cloud/cloudblock.h"
#include "codec/cloud/voxel.h"
#include "transport/codec_cloud.h"

#define LEAF .1

/**
 * struct codec_block - of an encoder
 * @room:	points that the following buffers can hold
 * @leaf:	edge of a voxel of the previous cloud, m
 */
struct codec_block {
	unsigned int			room;
	struct cloud			*filtered;
	struct voxel			*voxel;
	struct cloudblock_encoder	*encoder;
	float				leaf;
};

static void codec_block_forget(struct codec_block *s)
{
	cloud_destroy(s->filtered);
	voxel_destroy(s->voxel);
	cloudblock_encoder_destroy(s->encoder);
	*s = (struct codec_block){ .leaf = s->leaf };
}

static void codec_block_encode_free(void *state)
{
	codec_block_forget(state);
	free(state);
}

static int codec_block_prepare(struct codec_block *s, unsigned int room)
{
	if (s->room == room)
		return 0;
	codec_block_forget(s);
	s->filtered = cloud_create(room);
	s->voxel = voxel_create(room);
	s->encoder = cloudblock_encoder_create(room);
	if (!s->filtered || !s->voxel || !s->encoder) {
		codec_block_forget(s);
		return -ENOMEM;
	}
	s->room = room;
	return 0;
}

/* Quantisation: intensities as configured, packed colours and integers exact */
static void codec_block_set_steps(const struct cloud *c,
				  const struct encode_options *o,
				  struct cloudblock_params *p)
{
	for (unsigned int i = 0; i < c->fields; i++) {
		const struct cloud_field *f = &c->field[i];

		p->step[i] = cloud_field_packed(f)    ? 0 :
			     f->type >= CLOUD_FLOAT32 ? .001f :
							1;
		if (strcmp(f->name, "intensity"))
			continue;
		p->step[i] = o->intensity ? (float)o->intensity : -1;
	}
}

/* Reduce to one point per voxel. @leaf: out: edge of a voxel, m */
static int codec_block_filter(struct codec_block *s,
			      const struct encode_order *o,
			      const struct cloud *cloud, float *leaf)
{
	int ret;

	if (o->leaf <= 0)
		return voxel_filter_most(s->voxel, cloud,
					 o->points ? o->points : s->room, leaf,
					 s->filtered);
	*leaf = o->leaf;
	ret = voxel_filter(s->voxel, cloud, *leaf, s->filtered);
	if (!ret && o->points && s->filtered->count > o->points)
		ret = voxel_filter_most(s->voxel, cloud, o->points, leaf,
					s->filtered);
	return ret;
}

static int codec_block_encode(void **state, const struct encode_call *c)
{
	const struct codec_cloud *in = c->input;
	struct cloudblock_params p = { .bits = c->options->bits };
	struct codec_block *s = *state;
	float leaf;
	int ret;

	if (!s)
		s = *state = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	ret = codec_block_prepare(s, in->room);
	if (ret)
		return ret;
	leaf = s->leaf;
	ret = codec_block_filter(s, c->order, in->cloud, &leaf);
	if (ret)
		return ret == -ERANGE ? -EBADMSG : ret;
	s->leaf = leaf;
	/* too few points to filter */
	p.leaf = leaf > 0 ? leaf : LEAF;
	c->result->points = s->filtered->count;
	codec_block_set_steps(s->filtered, c->options, &p);
	ret = cloudblock_encode(s->encoder, s->filtered, &p, c->out);
	return ret == -ERANGE ? -EBADMSG : ret;
}

static void *codec_block_create(const struct decode_limits *limits)
{
	return cloudblock_decoder_create(limits->points, REASSEMBLY_COUNT);
}

static void codec_block_destroy(void *decoder)
{
	cloudblock_decoder_destroy(decoder);
}

static int codec_block_add(void *decoder, const void *payload, size_t len)
{
	return cloudblock_add(decoder, payload, len);
}

static int codec_block_points(void *decoder, const struct decode_call *c,
			      struct cloud *cloud)
{
	int taken;

	cloudblock_begin(decoder);
	taken = decode_add(c, decoder, codec_block_add);
	return cloudblock_finish(decoder, cloud) ? -EFBIG : taken;
}

static int codec_block_decode(void **state, const struct decode_limits *limits,
			      const struct decode_call *c)
{
	static const struct codec_cloud_decoder block = {
		codec_block_create,
		codec_block_destroy,
		codec_block_points,
	};

	return codec_cloud_decode(state, limits, c, &block);
}

const struct codec codec_block = {
	.name = "block",
	.kinds = CODEC_KIND(POINT_CLOUD),
	.plan = PLAN_CLOUD,
	.input = &codec_cloud_input,
	.order = codec_cloud_order,
	.learn = codec_cloud_learn,
	.encode = codec_block_encode,
	.encode_free = codec_block_encode_free,
	.decode = codec_block_decode,
	.decode_free = codec_cloud_decode_free,
};
