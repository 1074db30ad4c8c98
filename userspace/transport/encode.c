// SPDX-License-Identifier: GPL-2.0-only
/*
 * encode - encode a topic's messages into payloads of datagrams
 */
#include <stdlib.h>
#include <string.h>
#include "transport/codec_impl.h"

/* One state per codec: a topic may change its codec and change back */
struct encoder {
	enum message_kind kind;
	struct encode_options options;
	const struct codec_input *reader; /* that allocated @input */
	void *input;
	void *state[CODECS];
	union message msg;
};

struct encoder *encoder_create(enum message_kind kind,
			       const struct encode_options *options)
{
	struct encoder *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->kind = kind;
	e->options = *options;
	return e;
}

void encoder_destroy(struct encoder *e)
{
	if (!e)
		return;
	for (unsigned int i = 0; i < CODECS; i++)
		if (e->state[i])
			codec_get(i)->encode_free(e->state[i]);
	if (e->input)
		e->reader->free(e->input);
	free(e);
}

static void copy_word(char to[CONTROL_WORD], const struct message_string *s)
{
	size_t n = s->len < CONTROL_WORD - 1 ? s->len : CONTROL_WORD - 1;

	memcpy(to, s->text, n);
	to[n] = '\0';
}

static int encode_read(struct encoder *e, const struct codec *codec,
		       struct encode_call *c)
{
	int ret;

	if (!codec->input)
		return 0;
	e->reader = codec->input;
	ret = codec->input->read(&e->input, c);
	c->input = e->input;
	return ret;
}

int encoder_encode(struct encoder *e, enum message_format format,
		   const void *data, size_t len, int64_t stamp,
		   const struct encode_order *order, struct payloads *out,
		   struct encode_result *result)
{
	struct encode_call call = {
		e->kind, &e->msg, &e->options, order, NULL, out, result,
	};
	struct message_header *header;
	int ret;

	memset(result, 0, sizeof(*result));
	ret = message_read(e->kind, format, data, len, &e->msg);
	if (ret)
		return ret;
	result->codec = codec_takes(order->codec, e->kind) ?
				order->codec :
				codec_default(e->kind);
	result->stamp = stamp;
	header = message_header_of(e->kind, &e->msg);
	if (header) {
		result->stamp = header->stamp;
		copy_word(result->frame_id, &header->frame_id);
	}
	out->count = 0;
	ret = encode_read(e, codec_get(result->codec), &call);
	if (ret)
		return ret;
	do {
		enum codec_id id = result->codec;

		ret = codec_get(id)->encode(&e->state[id], &call);
	} while (ret == CODEC_OTHER);
	return ret;
}
