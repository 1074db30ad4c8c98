// SPDX-License-Identifier: GPL-2.0-only
/*
 * decode_blob - messages that are whole or nothing
 *
 * Of a state (message_is_state()) that is sent again and again only what is new
 * is shown: tf2 warns of a transform that it has. Now and then one that is not
 * new is shown nevertheless, for those who lost it behind us;
 * and one that is published under another name from now on.
 */
#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "codec/core/blob.h"
#include "transport/decode_kinds.h"
#include "transport/transforms.h"

enum { SHOWN_AGAIN = 30 };	/* every so many that are not new */

/**
 * struct decode_blob
 * @tree:	of transforms, as they were shown
 * @hash:	of the newest message of another state
 * @newest:	its frame, or the newest of @tree
 * @repeats:	that were not shown since
 */
struct decode_blob {
	struct blob_decoder	*decoder;
	struct transforms	*tree;
	uint64_t		hash;
	uint32_t		newest;
	unsigned int		repeats;
	bool			known;
};

void decode_blob_free(void *state)
{
	struct decode_blob *s = state;

	blob_decoder_destroy(s->decoder);
	transforms_destroy(s->tree);
	free(s);
}

static struct decode_blob *
decode_blob_create(const struct decode_limits *limits)
{
	struct decode_blob *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->decoder = blob_decoder_create(limits->bytes);
	if (s->decoder)
		return s;
	free(s);
	return NULL;
}

static int add_blob(void *d, const void *payload, size_t len)
{
	return blob_add(d, payload, len);
}

/* Whether none that came is newer */
static bool is_newest(struct decode_blob *s, uint32_t frame)
{
	if (s->known && (int32_t)(frame - s->newest) < 0)
		return false;
	s->newest = frame;
	return true;
}

static bool is_shown(struct decode_blob *s, const struct decode_call *c,
		     bool changed)
{
	if (!changed && !c->again && ++s->repeats < SHOWN_AGAIN)
		return false;
	s->repeats = 0;
	return true;
}

/*
 * What is static is latched: all of it. @share: of what came, that the tree took
 *
 * Return: 1: show @msg; 0: nothing is new; or a negative errno
 */
static int show_tree(struct decode_blob *s, const struct decode_call *c,
		     union message *msg, double *share)
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
	show = is_shown(s, c, changed);
	transforms_take(s->tree, all || !changed, &msg->tf);
	if (show && msg->tf.transforms.count)
		return 1;
	return out ? -EFBIG : 0;
}

static bool is_news(struct decode_blob *s, const struct decode_call *c,
		    const uint8_t *data, size_t len)
{
	uint64_t hash = hash_bytes(data, len) ^ len;
	bool changed = !s->known || hash != s->hash;

	s->hash = hash;
	s->known = true;
	return is_shown(s, c, changed);
}

int decode_blob(void **state, const struct decode_limits *limits,
		const struct decode_call *c)
{
	struct decode_result r = { "", c->topic->kind, NULL, 1, true };
	struct decode_blob *s = *state;
	const uint8_t *data;
	union message msg;
	long len;
	int ret = 1;

	if (!s)
		s = *state = decode_blob_create(limits);
	if (!s)
		return -ENOMEM;
	blob_begin(s->decoder);
	if (!decode_add(c, s->decoder, add_blob))
		return -EPROTO;
	len = blob_finish(s->decoder, &data);
	if (len < 0)
		return len;
	if (message_read(r.kind, MESSAGE_CDR, data, len, &msg))
		return -EPROTO;
	if (message_is_state(r.kind) && !c->kept &&
	    is_newest(s, c->frame->number))
		ret = r.kind == MESSAGE_TRANSFORMS ?
		      show_tree(s, c, &msg, &r.share) : is_news(s, c, data, len);
	if (ret <= 0)
		return ret;
	r.msg = &msg;
	c->out(c->arg, &r);
	return 0;
}
