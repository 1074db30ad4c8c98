// SPDX-License-Identifier: GPL-2.0-only
/*
 * encode - a topic's messages into the payloads of datagrams
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "codec/core/blob.h"
#include "transport/encode_kinds.h"

static const struct encode_kind {
	int	(*encode)(void **state, const struct encode_call *c);
	void	(*free)(void *state);
} kinds[MESSAGE_KINDS] = {
	[MESSAGE_IMAGE]		= { encode_image, encode_image_free },
	[MESSAGE_COMPRESSED_IMAGE] = { encode_compressed, encode_image_free },
	[MESSAGE_POINT_CLOUD]	= { encode_cloud, encode_cloud_free },
	[MESSAGE_LASER_SCAN]	= { encode_scan, encode_scan_free },
	[MESSAGE_OCCUPANCY_GRID] = { encode_map, encode_map_free },
	[MESSAGE_GRID_MAP]	= { encode_layers, encode_layers_free },
};

struct encoder {
	enum message_kind	kind;
	struct encode_options	options;
	void			*state;
	struct blob_encoder	*blob;
	uint8_t			*plain;		/* a message as ROS 2 has it */
	size_t			room;
	union message		msg;
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
	if (e->state)
		kinds[e->kind].free(e->state);
	blob_encoder_destroy(e->blob);
	free(e->plain);
	free(e);
}

static void copy_word(char to[CONTROL_WORD], const struct message_string *s)
{
	size_t n = s->len < CONTROL_WORD - 1 ? s->len : CONTROL_WORD - 1;

	memcpy(to, s->text, n);
	to[n] = '\0';
}

/* Whole or nothing, always as ROS 2 has it: the receiver need not know ours */
static int encode_blob(struct encoder *e, const struct encode_order *order,
		       struct payloads *out)
{
	long len = message_size(e->kind, MESSAGE_CDR, &e->msg);

	if (len < 0)
		return len;
	if ((size_t)len > e->room) {
		uint8_t *plain = realloc(e->plain, len);

		if (!plain)
			return -ENOMEM;
		e->plain = plain;
		e->room = len;
	}
	if (!e->blob)
		e->blob = blob_encoder_create();
	if (!e->blob)
		return -ENOMEM;
	len = message_write(e->kind, MESSAGE_CDR, &e->msg, e->plain, len);
	if (len < 0)
		return len;
	return blob_encode(e->blob, e->plain, len,
			   order->parity > 31 ? 31 : order->parity, out);
}

int encoder_encode(struct encoder *e, enum message_format format,
		   const void *data, size_t len, int64_t stamp,
		   const struct encode_order *order, struct payloads *out,
		   struct encode_result *result)
{
	const struct encode_kind *kind = &kinds[e->kind];
	struct encode_call call = {
		&e->msg, &e->options, order, out, result,
	};
	struct message_header *header;
	int ret;

	memset(result, 0, sizeof(*result));
	ret = message_read(e->kind, format, data, len, &e->msg);
	if (ret)
		return ret;
	result->codec = codec_takes(order->codec, e->kind) ? order->codec :
			codec_default(e->kind);
	result->stamp = stamp;
	header = message_header_of(e->kind, &e->msg);
	if (header) {
		result->stamp = header->stamp;
		copy_word(result->frame_id, &header->frame_id);
	}
	out->count = 0;
	if (result->codec == CODEC_BLOB || !kind->encode)
		return encode_blob(e, order, out);
	return kind->encode(&e->state, &call);
}
