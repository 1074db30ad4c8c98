// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers that were given back are kept, so far as it is worth it: in the
 * rhythm of a filter the same sizes come again and again.
 */
#include <stdlib.h>
#include "cluster/inbox.h"

enum {
	SPARES		= 64,
	SPARE_BYTES	= 32 << 20,
	LEAST_ROOM	= 512,
};

void inbox_init(struct inbox *in)
{
	*in = (struct inbox){ .last = &in->first };
}

static void free_list(struct engine_buffer *b)
{
	while (b) {
		struct engine_buffer *next = b->next;

		free(b);
		b = next;
	}
}

void inbox_free(struct inbox *in)
{
	free_list(in->first);
	free_list(in->spare);
	inbox_init(in);
}

/* One that fits and is not far too large: a large one stays for large ones */
static struct engine_buffer *take_spare(struct inbox *in, size_t len)
{
	struct engine_buffer **p, *b;

	for (p = &in->spare; *p; p = &(*p)->next) {
		b = *p;
		if (b->room < len || b->room / 4 > len + LEAST_ROOM)
			continue;
		*p = b->next;
		in->spares--;
		in->spare_bytes -= b->room;
		return b;
	}
	return NULL;
}

struct engine_buffer *inbox_buffer(struct inbox *in, size_t len)
{
	struct engine_buffer *b = take_spare(in, len);
	const size_t room = len < LEAST_ROOM ? LEAST_ROOM : len + len / 8;

	if (!b) {
		b = malloc(sizeof(*b) + room);
		if (!b)
			return NULL;
		b->room = room;
	}
	b->next = NULL;
	b->start = 0;
	b->len = len;
	return b;
}

void inbox_release(struct inbox *in, struct engine_buffer *b)
{
	if (!b)
		return;
	if (in->spares >= SPARES || in->spare_bytes + b->room > SPARE_BYTES) {
		free(b);
		return;
	}
	b->next = in->spare;
	in->spare = b;
	in->spares++;
	in->spare_bytes += b->room;
}

void inbox_push(struct inbox *in, struct engine_buffer *b)
{
	b->next = NULL;
	*in->last = b;
	in->last = &b->next;
}

struct engine_buffer *inbox_pop(struct inbox *in)
{
	struct engine_buffer *b = in->first;

	if (!b)
		return NULL;
	in->first = b->next;
	if (!in->first)
		in->last = &in->first;
	return b;
}

void inbox_move(struct inbox *in, struct inbox *from)
{
	struct engine_buffer *b;

	while ((b = inbox_pop(from)))
		inbox_push(in, b);
}
