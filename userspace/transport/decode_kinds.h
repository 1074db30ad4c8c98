/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * decode_kinds.h - what decode.c has for each codec
 *
 * Each begins with what it needs, made with the first frame: @state is its
 * own, NULL before. Return: as decoder_frame().
 */
#ifndef TRANSPORT_DECODE_KINDS_H
#define TRANSPORT_DECODE_KINDS_H

#include <errno.h>
#include "transport/decode.h"

int decode_blob(void **state, const struct decode_limits *limits,
		const struct decode_call *c);
void decode_blob_free(void *state);

int decode_image(void **state, const struct decode_limits *limits,
		 const struct decode_call *c);
void decode_image_free(void *state);

int decode_cloud(void **state, const struct decode_limits *limits,
		 const struct decode_call *c);
void decode_cloud_free(void *state);

int decode_scan(void **state, const struct decode_limits *limits,
		const struct decode_call *c);
void decode_scan_free(void *state);

int decode_map(void **state, const struct decode_limits *limits,
	       const struct decode_call *c);
void decode_map_free(void *state);

int decode_layers(void **state, const struct decode_limits *limits,
		  const struct decode_call *c);
void decode_layers_free(void *state);

/**
 * decode_reserve() - before the decoder of the codec has @want bytes in all
 *
 * Return: 0, -EFBIG: its stream may not have that much.
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

/* All payloads of the frame to a decoder. Return: how many it took */
static inline unsigned int decode_add(const struct decode_call *c, void *d,
				      int (*add)(void *d, const void *payload,
						 size_t len))
{
	const struct payloads *p = &c->frame->received;
	unsigned int taken = 0;

	for (unsigned int i = 0; i < p->count; i++)
		taken += !add(d, payload_at(p, i), p->len[i]);
	return taken;
}

#endif
