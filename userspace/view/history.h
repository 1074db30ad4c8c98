/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * history.h - messages of a topic that can still be shown
 *
 * When memory is short the history keeps an even sample, as the queue does
 * (sampler.md, gap): the message goes whose neighbours are closest to each
 * other in time. Messages that were kept in an outage count four times their
 * gap, as no others of that time exist. The newest live message stays.
 */
#ifndef VIEW_HISTORY_H
#define VIEW_HISTORY_H

#include "view/view_message.h"

enum { HISTORY_MAX = 8192 };	/* messages of a topic */

/**
 * struct history - zero-initialised: empty
 * @m:		in the order of arrival; @count of them
 * @bytes:	of their data
 * @newest:	live message with the greatest t, or NULL
 */
struct history {
	struct view_message	**m;
	uint32_t		count, room;
	size_t			bytes;
	struct view_message	*newest;
};

/* Takes over @m. Return: 0 or -ENOMEM, then @m is released */
int history_add(struct history *h, struct view_message *m);

/**
 * history_thin() - remove one message
 * @before: only one that arrived before this time, ns
 *
 * Return: bytes that were freed; 0: there is none to remove.
 */
size_t history_thin(struct history *h, int64_t before);

/* Remove messages that were measured before @t, except the newest */
void history_expire(struct history *h, int64_t t);

/* The first message with this sequence number or a later one, or NULL */
struct view_message *history_from(const struct history *h, uint64_t seq);

/* The message that was measured last, at @t or before it, or NULL */
struct view_message *history_at(const struct history *h, int64_t t);

/* Remove all */
void history_clear(struct history *h);

#endif
