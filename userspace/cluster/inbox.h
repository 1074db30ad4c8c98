/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * inbox.h - received messages in a queue, and their buffers used again
 */
#ifndef CLUSTER_INBOX_H
#define CLUSTER_INBOX_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct engine_buffer - a message
 * @room:	bytes of @data
 * @start:	of the payload in @data; @len: its bytes
 */
struct engine_buffer {
	struct engine_buffer	*next;
	size_t			room;
	size_t			start;
	size_t			len;
	uint32_t		from;
	uint32_t		incarnation;
	uint16_t		type;
	_Alignas(16) uint8_t	data[];
};

/**
 * struct inbox - first in, first out
 * @spare:	@spares buffers of @spare_bytes that wait to be used again
 */
struct inbox {
	struct engine_buffer	*first;
	struct engine_buffer	**last;
	struct engine_buffer	*spare;
	unsigned int		spares;
	size_t			spare_bytes;
};

void inbox_init(struct inbox *in);
void inbox_free(struct inbox *in);
/* With room for @len bytes, and @len set. NULL: no memory. */
struct engine_buffer *inbox_buffer(struct inbox *in, size_t len);
void inbox_release(struct inbox *in, struct engine_buffer *b);
void inbox_push(struct inbox *in, struct engine_buffer *b);
/* NULL: empty */
struct engine_buffer *inbox_pop(struct inbox *in);
/* All of @from behind what is in @in */
void inbox_move(struct inbox *in, struct inbox *from);

#endif
