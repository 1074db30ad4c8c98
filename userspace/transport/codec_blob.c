// SPDX-License-Identifier: GPL-2.0-only
/*
 * codec_blob - messages of any kind, whole or nothing, see codec/core/blob.h
 *
 * A state (message_is_state()) is sent repeatedly. The receiver publishes only
 * new parts: tf2 warns of a transform that it already has. An old state is
 * published again now and then, for subscribers that lost it, and once when the
 * name of the topic changes.
 */
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "codec/core/blob.h"
#include "transport/codec_impl.h"
#include "transport/transforms.h"

#define PARITY_MOST 3

static void codec_blob_order(struct encode_order *o,
			     const struct codec_allocation *g)
{
	o->parity = blob_parity(g->source->bytes, g->loss, PARITY_MOST);
}

/* @plain: a message in ROS 2 format, of @room bytes */
struct codec_blob {
	struct blob_encoder	*encoder;
	uint8_t			*plain;
	size_t			room;
};

static void codec_blob_encode_free(void *state)
{
	struct codec_blob *s = state;

	blob_encoder_destroy(s->encoder);
	free(s->plain);
	free(s);
}

static int codec_blob_prepare(struct codec_blob *s, size_t len)
{
	if (len > s->room) {
		uint8_t *plain = realloc(s->plain, len);

		if (!plain)
			return -ENOMEM;
		s->plain = plain;
		s->room = len;
	}
	if (!s->encoder)
		s->encoder = blob_encoder_create();
	return s->encoder ? 0 : -ENOMEM;
}

/* Always in ROS 2 format: the receiver need not know the source's format */
static int codec_blob_encode(void **state, const struct encode_call *c)
{
	long len = message_size(c->kind, MESSAGE_CDR, c->msg);
	double parity = c->order->parity;
	struct codec_blob *s = *state;
	int ret;

	if (len < 0)
		return len;
	if (!s)
		s = *state = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	ret = codec_blob_prepare(s, len);
	if (ret)
		return ret;
	len = message_write(c->kind, MESSAGE_CDR, c->msg, s->plain, len);
	if (len < 0)
		return len;
	return blob_encode(s->encoder, s->plain, len, parity > 31 ? 31 : parity,
			   c->out);
}

enum { SHOWN_AGAIN = 30 }; /* one of so many repeats is published */

/**
 * struct codec_blob_shown
 * @tree:	transforms as they were published
 * @hash:	of the newest message of another state
 * @newest:	frame of that message, or the newest of @tree
 * @repeats:	repeats since the last publication
 */
struct codec_blob_shown {
	struct blob_decoder	*decoder;
	struct transforms	*tree;
	uint64_t		hash;
	uint32_t		newest;
	unsigned int		repeats;
	bool			known;
};

static void codec_blob_decode_free(void *state)
{
	struct codec_blob_shown *s = state;

	blob_decoder_destroy(s->decoder);
	transforms_destroy(s->tree);
	free(s);
}

static struct codec_blob_shown *
codec_blob_create(const struct decode_limits *limits)
{
	struct codec_blob_shown *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->decoder = blob_decoder_create(limits->bytes);
	if (s->decoder)
		return s;
	free(s);
	return NULL;
}

static int codec_blob_add(void *d, const void *payload, size_t len)
{
	return blob_add(d, payload, len);
}

/* Is it newer than all frames before? */
static bool codec_blob_is_newest(struct codec_blob_shown *s, uint32_t frame)
{
	if (s->known && (int32_t)(frame - s->newest) < 0)
		return false;
	s->newest = frame;
	return true;
}

static bool codec_blob_is_shown(struct codec_blob_shown *s,
				const struct decode_call *c, bool changed)
{
	if (!changed && !c->again && ++s->repeats < SHOWN_AGAIN)
		return false;
	s->repeats = 0;
	return true;
}

/*
 * Static transforms are latched, so all are published.
 * @share: fraction of the received transforms that the tree took
 *
 * Return: 1: publish @msg; 0: nothing is new; or a negative errno
 */
static int codec_blob_show_tree(struct codec_blob_shown *s,
				const struct decode_call *c, union message *msg,
				double *share)
{
	bool all = message_is_static(c->topic->name), changed, show;
	unsigned int out, came = msg->tf.transforms.count;

	if (!s->tree) {
		if (decode_reserve(c, TRANSFORMS_MEMORY))
			return -EFBIG;
		s->tree = transforms_create(!all);
	}
	if (!s->tree)
		return -ENOMEM;
	out = transforms_merge(s->tree, &msg->tf, c->frame->first);
	if (came)
		*share = 1 - (double)out / came;
	s->known = true;
	changed = transforms_changed(s->tree);
	show = codec_blob_is_shown(s, c, changed);
	transforms_take(s->tree, all || !changed, &msg->tf);
	if (show && msg->tf.transforms.count)
		return 1;
	return out ? -EFBIG : 0;
}

static bool codec_blob_is_news(struct codec_blob_shown *s,
			       const struct decode_call *c, const uint8_t *data,
			       size_t len)
{
	uint64_t hash = hash_bytes(data, len) ^ len;
	bool changed = !s->known || hash != s->hash;

	s->hash = hash;
	s->known = true;
	return codec_blob_is_shown(s, c, changed);
}

static int codec_blob_decode(void **state, const struct decode_limits *limits,
			     const struct decode_call *c)
{
	struct decode_result r = { "", c->topic->kind, NULL, 1, true };
	struct codec_blob_shown *s = *state;
	const uint8_t *data;
	union message msg;
	long len;
	int ret;

	if (!s)
		s = *state = codec_blob_create(limits);
	if (!s)
		return -ENOMEM;
	blob_begin(s->decoder);
	ret = decode_add(c, s->decoder, codec_blob_add);
	if (ret < 0)
		return ret;
	len = blob_finish(s->decoder, &data);
	if (len < 0)
		return len;
	if (message_read(r.kind, MESSAGE_CDR, data, len, &msg))
		return -EPROTO;
	ret = 1;
	if (message_is_state(r.kind) && !c->kept &&
	    codec_blob_is_newest(s, c->frame->number))
		ret = r.kind == MESSAGE_TRANSFORMS ?
			      codec_blob_show_tree(s, c, &msg, &r.share) :
			      codec_blob_is_news(s, c, data, len);
	if (ret <= 0)
		return ret;
	r.msg = &msg;
	c->out(c->arg, &r);
	return 0;
}

const struct codec codec_blob = {
	.name = "blob",
	.kinds = ~0U,
	.plan = PLAN_PLAIN,
	.order = codec_blob_order,
	.learn = codec_learn_bytes,
	.encode = codec_blob_encode,
	.encode_free = codec_blob_encode_free,
	.decode = codec_blob_decode,
	.decode_free = codec_blob_decode_free,
};
