// SPDX-License-Identifier: GPL-2.0-only
/*
 * decode - decode frames of datagrams into messages of a topic
 */
#include <stdlib.h>
#include "transport/codec_impl.h"

/* One state per codec: a topic may change its codec and change back */
struct decoder {
	struct decode_limits limits;
	struct budget *budget;
	void *state[CODECS];
	size_t reserved[CODECS];
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
			codec_get(i)->decode_free(d->state[i]);
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
	return codec_get(c->codec)->decode(&d->state[c->codec], &d->limits,
					   &own);
}
