// SPDX-License-Identifier: GPL-2.0-only
/*
 * decode - frames of datagrams into a topic's messages
 */
#include <stdlib.h>
#include "transport/decode_kinds.h"

static const struct decode_kind {
	int	(*decode)(void **state, const struct decode_limits *limits,
			  const struct decode_call *c);
	void	(*free)(void *state);
} kinds[CODECS] = {
	[CODEC_BLOB]	= { decode_blob, decode_blob_free },
	[CODEC_MD]	= { decode_image, decode_image_free },
	[CODEC_SPLIT]	= { decode_image, decode_image_free },
	[CODEC_RANGE]	= { decode_cloud, decode_cloud_free },
	[CODEC_BLOCK]	= { decode_cloud, decode_cloud_free },
	[CODEC_CLOUD80]	= { decode_cloud, decode_cloud_free },
	[CODEC_VSCAN]	= { decode_scan, decode_scan_free },
	[CODEC_TILES]	= { decode_map, decode_map_free },
	[CODEC_PYRAMID]	= { decode_map, decode_map_free },
	[CODEC_LASERSCAN] = { decode_scan, decode_scan_free },
	[CODEC_LAYERS]	= { decode_layers, decode_layers_free },
	[CODEC_DEPTH]	= { decode_image, decode_image_free },
};

/* A state for each codec: a topic that changes to another one comes back */
struct decoder {
	struct decode_limits	limits;
	struct budget		*budget;
	void			*state[CODECS];
	size_t			reserved[CODECS];
};

struct decoder *decoder_create(const struct decode_limits *limits,
			       struct budget *budget)
{
	struct decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->limits = *limits;
	d->budget = budget;
	return d;
}

void decoder_destroy(struct decoder *d)
{
	if (!d)
		return;
	for (unsigned int i = 0; i < CODECS; i++) {
		if (d->state[i])
			kinds[i].free(d->state[i]);
		if (d->budget)
			budget_reserve(d->budget, &d->reserved[i], 0);
	}
	free(d);
}

int decoder_frame(struct decoder *d, const struct decode_call *c)
{
	struct decode_call own = *c;

	if (c->codec >= CODECS)
		return -EOPNOTSUPP;
	if (c->topic->kind >= MESSAGE_KINDS ||
	    !codec_takes(c->codec, c->topic->kind))
		return -EPROTO;
	own.budget = d->budget;
	own.reserved = &d->reserved[c->codec];
	return kinds[c->codec].decode(&d->state[c->codec], &d->limits, &own);
}
