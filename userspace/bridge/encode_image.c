// SPDX-License-Identifier: GPL-2.0-only
/*
 * encode_image - images, compressed ones too, as descriptions or sub-images
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "bridge/encode_kinds.h"
#include "lib/md.h"
#include "lib/split.h"
#include "ros/compressed.h"
#include "ros/convert.h"

enum { LEAST = 256 };		/* bytes of a payload worth its headers */

struct encode_image {
	struct md_encoder	*md;
	unsigned int		width, height, channels;	/* of @md */
	struct image		image;
	size_t			room;
};

void encode_image_free(void *state)
{
	struct encode_image *s = state;

	md_encoder_destroy(s->md);
	free(s->image.data);
	free(s);
}

/* Room for the pixels of @image, whose shape is set */
static int prepare(void **state, const struct image *shape)
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

static int by_md(struct encode_image *s, const struct encode_order *order,
		 struct payloads *out)
{
	const struct image *i = &s->image;
	const struct md_budget budget = {
		.bytes = order->bytes, .loss = order->loss,
		.burst = order->burst,
	};
	unsigned int size = out->size, each;
	int ret;

	if (i->width > s->width || i->height > s->height ||
	    i->channels > s->channels) {
		md_encoder_destroy(s->md);
		s->md = md_encoder_create(i->width, i->height, i->channels);
		s->width = s->md ? i->width : 0;
		s->height = i->height;
		s->channels = i->channels;
	}
	if (!s->md)
		return -ENOMEM;
	each = order->datagrams ?
	       (order->bytes + order->datagrams - 1) / order->datagrams : size;
	if (each >= LEAST && each < size)
		out->size = each;
	ret = md_encode(s->md, i, &budget, out);
	out->size = size;
	return ret;
}

static int by_split(struct encode_image *s, const struct encode_call *c)
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

static int encode(struct encode_image *s, const struct encode_call *c)
{
	return c->result->codec == CODEC_MD ? by_md(s, c->order, c->out) :
					      by_split(s, c);
}

int encode_image(void **state, const struct encode_call *c)
{
	const struct message_image *m = &c->msg->image;
	struct encode_image *s;
	struct image shape;
	int encoding = message_image_shape(m, &shape);
	int ret;

	if (encoding < 0)
		return encoding;
	ret = prepare(state, &shape);
	if (ret)
		return ret;
	s = *state;
	message_image_read(m, &s->image);
	strcpy(c->result->encoding, message_encoding_name(encoding));
	return encode(s, c);
}

int encode_compressed(void **state, const struct encode_call *c)
{
	const struct message_compressed_image *m = &c->msg->compressed;
	size_t n = m->format.len < CONTROL_WORD - 1 ? m->format.len :
						      CONTROL_WORD - 1;
	struct encode_image *s;
	struct image shape;
	int ret = compressed_shape(m, &shape);

	if (!ret)
		ret = prepare(state, &shape);
	if (ret)
		return ret;
	s = *state;
	ret = compressed_read(m, &s->image);
	if (ret)
		return ret;
	memcpy(c->result->encoding, m->format.text, n);
	c->result->encoding[n] = '\0';
	return encode(s, c);
}
