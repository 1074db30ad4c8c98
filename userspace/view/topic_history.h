/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * topic_history.h - messages of a topic that can still be shown
 *
 * When memory is short the history keeps an even sample, as the queue does
 * (sampler.md, gap): the message goes whose neighbours are closest to each
 * other in time. Messages that were kept in an outage count four times their
 * gap, as no others of that time exist. The newest live message stays.
 */
#ifndef VIEW_TOPIC_HISTORY_H
#define VIEW_TOPIC_HISTORY_H

#include "view/view_message.h"

enum {
	TOPIC_HISTORY_MAX	= 8192,		/* messages of a topic */
	TOPIC_HISTORY_LATCHED	= 64,
};

/**
 * struct topic_history - zero-initialised: empty
 * @m:		in the order of arrival; @count of them
 * @bytes:	of their data
 * @newest:	live message with the greatest t, or NULL
 * @latched:	the last TOPIC_HISTORY_LATCHED messages stay, whatever their
 *		age: each may be of another publisher
 */
struct topic_history {
	struct view_message	**m;
	uint32_t		count, room;
	size_t			bytes;
	struct view_message	*newest;
	bool			latched;
};

/* Takes over @m. Return: 0 or -ENOMEM, then @m is released */
int topic_history_add(struct topic_history *h, struct view_message *m);

/**
 * topic_history_thin() - remove one message
 * @before: only one that arrived before this time, ns
 *
 * Return: bytes that were freed; 0: there is none to remove.
 */
size_t topic_history_thin(struct topic_history *h, int64_t before);

/* Remove messages that were measured before @t, except the newest */
void topic_history_expire(struct topic_history *h, int64_t t);

/* Remove messages that were measured at @t or later */
void topic_history_cut(struct topic_history *h, int64_t t);

/* The first message with this sequence number or a later one, or NULL */
struct view_message *topic_history_from(const struct topic_history *h,
					uint64_t seq);

/* The message that was measured last, at @t or before it, or NULL */
struct view_message *topic_history_at(const struct topic_history *h, int64_t t);

/* Remove all */
void topic_history_clear(struct topic_history *h);

#endif
