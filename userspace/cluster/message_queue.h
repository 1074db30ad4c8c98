/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * message_queue.h - a queue of received messages, with reused buffers
 */
#ifndef CLUSTER_MESSAGE_QUEUE_H
#define CLUSTER_MESSAGE_QUEUE_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct bus_buffer - a message
 * @room:	bytes of @data
 * @start:	of the payload in @data; @len: its bytes
 */
struct bus_buffer {
	struct bus_buffer	*next;
	size_t			room;
	size_t			start;
	size_t			len;
	uint32_t		from;
	uint32_t		incarnation;
	uint16_t		type;
	_Alignas(16) uint8_t	data[];
};

/**
 * struct message_queue - first in, first out
 * @spare:	@spares free buffers of @spare_bytes
 */
struct message_queue {
	struct bus_buffer	*first;
	struct bus_buffer	**last;
	struct bus_buffer	*spare;
	unsigned int		spares;
	size_t			spare_bytes;
};

void message_queue_init(struct message_queue *in);
void message_queue_free(struct message_queue *in);
/* With room for @len bytes, and @len set. NULL: no memory. */
struct bus_buffer *message_queue_buffer(struct message_queue *in, size_t len);
void message_queue_release(struct message_queue *in, struct bus_buffer *b);
void message_queue_push(struct message_queue *in, struct bus_buffer *b);
/* NULL: empty */
struct bus_buffer *message_queue_pop(struct message_queue *in);
/* Append all of @from to @in */
void message_queue_move(struct message_queue *in, struct message_queue *from);

#endif
