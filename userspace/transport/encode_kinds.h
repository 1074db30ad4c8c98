/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * encode_kinds.h - what encode.c has for each kind of message
 *
 * Each begins with what it needs, made with the first message: @state is its
 * own, NULL before. Return: as encoder_encode().
 */
#ifndef TRANSPORT_ENCODE_KINDS_H
#define TRANSPORT_ENCODE_KINDS_H

#include "transport/encode.h"

struct encode_call {
	const union message		*msg;
	const struct encode_options	*options;
	const struct encode_order	*order;
	struct payloads			*out;
	struct encode_result		*result;
};

int encode_image(void **state, const struct encode_call *c);
int encode_compressed(void **state, const struct encode_call *c);
void encode_image_free(void *state);

int encode_cloud(void **state, const struct encode_call *c);
void encode_cloud_free(void *state);

int encode_map(void **state, const struct encode_call *c);
void encode_map_free(void *state);

int encode_layers(void **state, const struct encode_call *c);
void encode_layers_free(void *state);

int encode_scan(void **state, const struct encode_call *c);
void encode_scan_free(void *state);

/* How many of @out's slots @bytes are, one at least */
static inline unsigned int encode_slots(const struct payloads *out,
					size_t bytes)
{
	size_t n = (bytes + out->size - 1) / out->size;

	return !n ? 1 : n < out->max ? n : out->max;
}

#endif
