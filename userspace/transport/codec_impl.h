/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * codec_impl.h - shared by the files of codecs
 */
#ifndef TRANSPORT_CODEC_IMPL_H
#define TRANSPORT_CODEC_IMPL_H

#include <errno.h>
#include "transport/decode.h"
#include "transport/encode.h"

/**
 * struct encode_call - a message to encode
 * @input:	result of the codec's struct codec_input; else NULL
 */
struct encode_call {
	enum message_kind		kind;
	const union message		*msg;
	const struct encode_options	*options;
	const struct encode_order	*order;
	void				*input;
	struct payloads			*out;
	struct encode_result		*result;
};

/* Number of @out's slots for @bytes, at least one */
static inline unsigned int encode_slots(const struct payloads *out,
					size_t bytes)
{
	size_t n = (bytes + out->size - 1) / out->size;

	return !n ? 1 : n < out->max ? n : out->max;
}

/* For struct codec.learn: expect the same bytes as for the last frame */
static inline void codec_learn_bytes(struct plan_source *s,
				     const struct codec_frame *f)
{
	s->bytes = f->bytes;
}

/**
 * decode_reserve() - count memory before a decoder allocates it
 * @want: bytes of the decoder in all
 *
 * Return: 0, -EFBIG: beyond the limit of its stream.
 */
static inline int decode_reserve(const struct decode_call *c, size_t want)
{
	if (!c->budget || want <= *c->reserved)
		return 0;
	return budget_reserve(c->budget, c->reserved, want);
}

static inline struct message_header decode_header(const struct decode_call *c)
{
	return (struct message_header){
		.stamp = c->frame->stamp,
		.seq = c->frame->number,
		.frame_id = message_string(c->topic->frame_id),
	};
}

static inline struct message_floats decode_floats(const float *v,
						  unsigned int count)
{
	return (struct message_floats){
		(const uint8_t *)v,
		count,
		__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
	};
}

/*
 * Pass all payloads of the frame to a decoder. Return: how many it accepted; if
 * none, -EFBIG: the message is larger than the receiver allows; -ENOMEM;
 * -EPROTO: they are damaged
 */
static inline int decode_add(const struct decode_call *c, void *d,
			     int (*add)(void *d, const void *payload,
					size_t len))
{
	const struct payloads *p = &c->frame->received;
	int taken = 0, error = -EPROTO;

	for (unsigned int i = 0; i < p->count; i++) {
		const int ret = add(d, payload_at(p, i), p->len[i]);

		taken += !ret;
		if (ret == -E2BIG || ret == -EFBIG)
			error = -EFBIG;
		else if (ret == -ENOMEM)
			error = ret;
	}
	return taken ? taken : error;
}

#endif
