// SPDX-License-Identifier: GPL-2.0-only
/*
 * Freed buffers are kept within limits: the messages of a filter have the same
 * sizes at each update.
 */
#include <assert.h>
#include <stdlib.h>
#include "cluster/message_queue.h"

enum {
	SPARES		= 64,
	SPARE_BYTES	= 32 << 20,
	LEAST_ROOM	= 512,
};

void message_queue_init(struct message_queue *in)
{
	*in = (struct message_queue){ .last = &in->first };
}

static void free_list(struct bus_buffer *b)
{
	while (b) {
		struct bus_buffer *next = b->next;

		free(b);
		b = next;
	}
}

void message_queue_free(struct message_queue *in)
{
	free_list(in->first);
	free_list(in->spare);
	message_queue_init(in);
}

/* One that fits and is not far too large: large ones are for large messages */
static struct bus_buffer *take_spare(struct message_queue *in, size_t len)
{
	struct bus_buffer **p, *b;

	for (p = &in->spare; *p; p = &(*p)->next) {
		b = *p;
		if (b->room < len || b->room / 4 > len + LEAST_ROOM)
			continue;
		*p = b->next;
		assert(in->spares && in->spare_bytes >= b->room);
		in->spares--;
		in->spare_bytes -= b->room;
		return b;
	}
	return NULL;
}

struct bus_buffer *message_queue_buffer(struct message_queue *in, size_t len)
{
	struct bus_buffer *b = take_spare(in, len);
	const size_t room = len < LEAST_ROOM ? LEAST_ROOM : len + len / 8;

	if (!b) {
		b = malloc(sizeof(*b) + room);
		if (!b)
			return NULL;
		b->room = room;
	}
	assert(len <= b->room);
	b->next = NULL;
	b->start = 0;
	b->len = len;
	return b;
}

void message_queue_release(struct message_queue *in, struct bus_buffer *b)
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
	assert(in->spares <= SPARES && in->spare_bytes <= SPARE_BYTES);
}

void message_queue_push(struct message_queue *in, struct bus_buffer *b)
{
	b->next = NULL;
	*in->last = b;
	in->last = &b->next;
}

struct bus_buffer *message_queue_pop(struct message_queue *in)
{
	struct bus_buffer *b = in->first;

	if (!b)
		return NULL;
	in->first = b->next;
	if (!in->first)
		in->last = &in->first;
	return b;
}

void message_queue_move(struct message_queue *in, struct message_queue *from)
{
	struct bus_buffer *b;

	while ((b = message_queue_pop(from)))
		message_queue_push(in, b);
}
