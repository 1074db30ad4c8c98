// SPDX-License-Identifier: GPL-2.0-only
/*
 * encode_image - images, compressed ones too, as descriptions or sub-images
 *
 * Gray images of 16 bit may be depths, where a wavelet makes ghosts at holes
 * and edges: 32FC1 always is, as metres; 16UC1 is if the topic's name or the
 * format says so, or if it has holes. Thermal cameras, which also send 16UC1,
 * have none. Bayer mosaics travel as four pictures, one of each colour: what
 * is announced says so.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "codec/image/bayer.h"
#include "codec/image/depth.h"
#include "codec/image/md.h"
#include "codec/image/split.h"
#include "ros/msg/compressed.h"
#include "ros/msg/convert.h"
#include "transport/bayer_name.h"
#include "transport/encode_kinds.h"

enum {
	LEAST		= 256,	/* bytes of a payload worth its headers */
	HOLES		= 256,	/* pixels for each hole of a depth image */
	HOLES_STILL	= 1024,	/* if the one before was one */
};

struct encode_image {
	struct md_encoder	*md;
	unsigned int		width, height, channels;	/* of @md */
	struct depth_encoder	*depth;
	unsigned int		depth_width, depth_height;
	bool			hollow;		/* the image before */
	struct image		image;
	size_t			room;
	uint8_t			*fused;
	size_t			fused_map_room;
};

void encode_image_free(void *state)
{
	struct encode_image *s = state;

	md_encoder_destroy(s->md);
	depth_encoder_destroy(s->depth);
	free(s->image.data);
	free(s->fused);
	free(s);
}

/* Room for the pixels of @image, whose shape is set */
static int encode_image_prepare(void **state, const struct image *shape)
{
	struct encode_image *s = *state;
	size_t bytes = shape->stride * shape->height;
	uint8_t *data;

	if (!s)
		s = *state = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	data = s->image.data;
	if (bytes > s->room) {
		data = realloc(data, bytes);
		if (!data)
			return -ENOMEM;
		s->room = bytes;
	}
	s->image = *shape;
	s->image.data = data;
	return 0;
}

static int encode_image_by_md(struct encode_image *s,
			      const struct encode_order *order,
			      struct payloads *out)
{
	const struct image *i = &s->image;
	const struct md_budget budget = {
		.bytes = order->bytes, .loss = order->loss,
		.burst = order->burst,
	};

	if (i->width > s->width || i->height > s->height ||
	    i->channels > s->channels) {
		md_encoder_destroy(s->md);
		s->md = md_encoder_create(i->width, i->height, i->channels);
		s->width = s->md ? i->width : 0;
		s->height = i->height;
		s->channels = i->channels;
	}
	return s->md ? md_encode(s->md, i, &budget, out) : -ENOMEM;
}

static int encode_image_by_depth(struct encode_image *s,
				 const struct encode_order *order,
				 struct payloads *out)
{
	const struct image *i = &s->image;

	if (i->width > s->depth_width || i->height > s->depth_height) {
		depth_encoder_destroy(s->depth);
		s->depth = depth_encoder_create(i->width, i->height);
		s->depth_width = s->depth ? i->width : 0;
		s->depth_height = i->height;
	}
	return s->depth ? depth_encode(s->depth, i, order->bytes, order->loss,
				       out) : -ENOMEM;
}

static int encode_image_by_split(struct encode_image *s,
				 const struct encode_call *c)
{
	struct payloads *out = c->out;
	unsigned int steps = split_steps(&s->image, out->size);
	unsigned int all = split_datagrams(&s->image, steps, out->size);
	size_t bytes = s->image.stride * s->image.height, each, n;
	unsigned int max = out->max;
	int ret;

	if (!all)
		return -EMSGSIZE;
	each = bytes / all + SPLIT_HEADER;
	n = c->order->bytes / each;
	out->max = !n ? 1 : n < max ? n : max;
	ret = split_encode(&s->image, steps, out);
	out->max = max;
	c->result->all = all;
	return ret;
}

/* Whether depths are what the pixels are; @named: they are said to be */
static bool is_depth(struct encode_image *s, const struct encode_call *c,
		     bool named)
{
	const struct image *i = &s->image;
	unsigned int pixels = i->width * i->height;

	if (i->depth != 16 || i->channels != 1)
		return false;
	if (c->result->codec == CODEC_DEPTH)
		return true;
	if (!c->order->any)
		return false;
	if (named || c->options->depths)
		return true;
	/* not to and fro, as each change is announced */
	s->hollow = depth_holes(i) > pixels / (s->hollow ? HOLES_STILL : HOLES);
	return s->hollow;
}

/* @may_be_depth: of 16 bit and one channel; @named: these are depths */
static int encode_image_encode(struct encode_image *s,
			       const struct encode_call *c, bool may_be_depth,
			       bool named)
{
	struct payloads *out = c->out;
	unsigned int size = out->size, each;
	int ret;

	if (c->result->codec == CODEC_SPLIT)
		return encode_image_by_split(s, c);
	c->result->codec = may_be_depth && is_depth(s, c, named) ?
			   CODEC_DEPTH : CODEC_MD;
	each = c->order->datagrams ? (c->order->bytes +
	       c->order->datagrams - 1) / c->order->datagrams : size;
	if (each >= LEAST && each < size)
		out->size = each;
	ret = c->result->codec == CODEC_DEPTH ?
		      encode_image_by_depth(s, c->order, out) :
		      encode_image_by_md(s, c->order, out);
	out->size = size;
	return ret;
}

static int read_bayer(struct encode_image *s, const struct encode_call *c,
		      enum message_encoding encoding)
{
	const struct message_image *m = &c->msg->image;
	const char *name = message_encoding_name(encoding);
	struct image fused = s->image;
	size_t bytes = fused.stride * fused.height;

	if (fused.width % 2 || fused.height % 2) {
		snprintf(c->result->fault, ENCODE_FAULT,
			 "%u x %u pixels: %s has even sides", fused.width,
			 fused.height, name);
		return -EBADMSG;
	}
	if (bytes > s->fused_map_room) {
		uint8_t *data = realloc(s->fused, bytes);

		if (!data)
			return -ENOMEM;
		s->fused = data;
		s->fused_map_room = bytes;
	}
	fused.data = s->fused;
	message_image_read(m, &fused);
	bayer_apart(&fused, &s->image);
	snprintf(c->result->encoding, CONTROL_WORD, "%s" BAYER_PLANES, name);
	return 0;
}

static int encode_image_read_image(struct encode_image *s,
				   const struct encode_call *c,
				   enum message_encoding encoding)
{
	if (message_encoding_is_bayer(encoding))
		return read_bayer(s, c, encoding);
	message_image_read(&c->msg->image, &s->image);
	strcpy(c->result->encoding, message_encoding_name(
	       message_encoding_shown(encoding)));
	return 0;
}

int encode_image(void **state, const struct encode_call *c)
{
	const struct message_image *m = &c->msg->image;
	struct encode_image *s;
	struct image shape;
	int encoding = message_image_shape(m, &shape);
	int ret;

	if (encoding < 0) {
		message_image_fault(m, c->result->fault, ENCODE_FAULT);
		return encoding;
	}
	ret = encode_image_prepare(state, &shape);
	if (ret)
		return ret;
	s = *state;
	ret = encode_image_read_image(s, c, encoding);
	if (ret)
		return ret;
	/* gray of 16 bit is told from depths by its name alone */
	return encode_image_encode(s, c,
				   encoding == IMAGE_16UC1 ||
					   encoding == IMAGE_32FC1 ||
					   c->result->codec == CODEC_DEPTH,
				   encoding == IMAGE_32FC1);
}

int encode_compressed(void **state, const struct encode_call *c)
{
	const struct message_compressed_image *m = &c->msg->compressed;
	size_t n = m->format.len < CONTROL_WORD - 1 ? m->format.len :
						      CONTROL_WORD - 1;
	struct encode_image *s;
	struct image shape;
	bool named;
	int ret = compressed_shape(m, &shape);

	if (!ret)
		ret = encode_image_prepare(state, &shape);
	if (ret)
		return ret;
	s = *state;
	ret = compressed_read(m, &s->image);
	if (ret)
		return ret;
	memcpy(c->result->encoding, m->format.text, n);
	c->result->encoding[n] = '\0';
	named = compressed_is_depth(&m->format);
	return encode_image_encode(s, c,
				   named || c->result->codec == CODEC_DEPTH ||
					   !memcmp(c->result->encoding, "16UC1",
						   5),
				   named);
}
