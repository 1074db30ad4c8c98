// SPDX-License-Identifier: GPL-2.0-only
/*
 * encode_cloud - point clouds as range images, blocks of voxels, or two scans
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "codec/cloud/cloud80.h"
#include "codec/cloud/cloudblock.h"
#include "codec/cloud/rangeimage.h"
#include "codec/cloud/rangeimage_cloud.h"
#include "codec/cloud/voxel.h"
#include "codec/scan/vscan_code.h"
#include "ros/msg/convert.h"
#include "transport/encode_kinds.h"

#define UNIT		.002f		/* m per count of an organised cloud */
#define LEAF		.1

enum { ROOM_MIN = 4096 };

struct encode_cloud {
	unsigned int		room;		/* points of what follows */
	struct cloud		*in, *filtered;
	struct voxel		*voxel;
	struct cloudblock_encoder *block;
	struct organiser	*organiser;
	struct vscan		*vscan;
	float			leaf;		/* of the cloud before */
};

static void encode_cloud_forget(struct encode_cloud *s)
{
	cloud_destroy(s->in);
	cloud_destroy(s->filtered);
	voxel_destroy(s->voxel);
	cloudblock_encoder_destroy(s->block);
	organiser_destroy(s->organiser);
	*s = (struct encode_cloud){ .vscan = s->vscan, .leaf = s->leaf };
}

void encode_cloud_free(void *state)
{
	struct encode_cloud *s = state;

	encode_cloud_forget(s);
	vscan_destroy(s->vscan);
	free(s);
}

static int encode_cloud_prepare(struct encode_cloud *s,
				const struct message_point_cloud *m)
{
	uint64_t points = (uint64_t)m->width * m->height;
	unsigned int room = ROOM_MIN;

	if (points <= s->room)
		return 0;
	/* a forged size does not agree with the bytes that are there */
	if (!m->point_step || points > m->data.count / m->point_step)
		return -EBADMSG;
	while (room < points)
		room *= 2;
	encode_cloud_forget(s);
	s->in = cloud_create(room);
	s->filtered = cloud_create(room);
	s->voxel = voxel_create(room);
	s->block = cloudblock_encoder_create(room);
	s->organiser = organiser_create(room);
	if (!s->in || !s->filtered || !s->voxel || !s->block ||
	    !s->organiser) {
		encode_cloud_forget(s);
		return -ENOMEM;
	}
	s->room = room;
	return 0;
}

/* Intensities as the user wants them, packed colours and integers exact */
static void set_steps(const struct cloud *c, const struct encode_options *o,
		      struct cloudblock_params *p)
{
	for (unsigned int i = 0; i < c->fields; i++) {
		const struct cloud_field *f = &c->field[i];

		p->step[i] = cloud_field_packed(f) ? 0 :
			     f->type >= CLOUD_FLOAT32 ? .001f : 1;
		if (strcmp(f->name, "intensity"))
			continue;
		p->step[i] = o->intensity ? (float)o->intensity : -1;
	}
}

static int encode_cloud_by_block(struct encode_cloud *s,
				 const struct encode_call *c)
{
	const struct encode_order *o = c->order;
	struct cloudblock_params p = { .bits = c->options->bits };
	float leaf = s->leaf;
	int ret;

	c->result->codec = CODEC_BLOCK;
	if (o->leaf > 0) {
		leaf = o->leaf;
		ret = voxel_filter(s->voxel, s->in, leaf, s->filtered);
		if (!ret && o->points && s->filtered->count > o->points)
			ret = voxel_filter_most(s->voxel, s->in, o->points,
						&leaf, s->filtered);
	} else {
		ret = voxel_filter_most(s->voxel, s->in,
					o->points ? o->points : s->room,
					&leaf, s->filtered);
	}
	if (ret)
		return ret == -ERANGE ? -EBADMSG : ret;
	s->leaf = leaf;
	/* so few points that they were not filtered */
	p.leaf = leaf > 0 ? leaf : LEAF;
	c->result->points = s->filtered->count;
	set_steps(s->filtered, c->options, &p);
	ret = cloudblock_encode(s->block, s->filtered, &p, c->out);
	return ret == -ERANGE ? -EBADMSG : ret;
}

static int encode_cloud_by_range(const struct organised *turn,
				 const struct encode_call *c)
{
	const struct rangeimage_params p = {
		.multiple = c->order->resolution > UNIT ?
			    c->order->resolution / UNIT + .5 : 1,
		.intensity = c->options->intensity,
	};

	return rangeimage_encode(turn, &p, c->out);
}

static int by_vscan(struct encode_cloud *s, const struct organised *turn,
		    const struct encode_call *c)
{
	struct vscan_scans scans;
	int ret;

	if (!s->vscan)
		s->vscan = vscan_create(ORGANISED_RINGS, ORGANISED_COLUMNS);
	if (!s->vscan)
		return -ENOMEM;
	ret = vscan_make(s->vscan, turn, &c->options->vscan, &scans);
	if (ret)
		return ret;
	return vscan_encode(&scans, c->order->parts > 1 ? 2 : 1,
			    c->order->copies ? c->order->copies : 1, c->out);
}

int encode_cloud(void **state, const struct encode_call *c)
{
	const struct message_point_cloud *m = &c->msg->cloud;
	struct encode_cloud *s = *state;
	struct organised turn;
	int ret;

	if (!s)
		s = *state = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	ret = encode_cloud_prepare(s, m);
	if (!ret)
		ret = message_cloud_read(m, s->in);
	if (ret)
		return ret;
	if (c->result->codec == CODEC_CLOUD80)
		return cloud80_encode(s->in, c->out);
	if (c->result->codec == CODEC_BLOCK)
		return encode_cloud_by_block(s, c);
	ret = cloud_to_organised(s->organiser, s->in, UNIT, &turn, NULL);
	if (!ret && c->result->codec == CODEC_RANGE)
		ret = encode_cloud_by_range(&turn, c);
	else if (!ret)
		ret = by_vscan(s, &turn, c);
	/* of no spinning lidar, or moved: any cloud goes in blocks */
	return ret && ret != -ENOMEM ? encode_cloud_by_block(s, c) : ret;
}
