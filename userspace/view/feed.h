/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * feed.h - what a client gets next
 *
 * Small topics first: all their messages, oldest first. If they are more than a
 * second late, as after a stall or when they are too much for the connection,
 * they have three shares of the bytes. Of large topics only the newest message;
 * those that wait share the bytes evenly. Kept messages have two shares. What a stalled client misses of a large topic is
 * sampled, and it gets the sample as kept messages.
 *
 * A feed only has positions in the histories of the board, so a client costs
 * the same memory however slow it is.
 */
#ifndef VIEW_FEED_H
#define VIEW_FEED_H

#include "view/board.h"

enum {
	FEED_KEPT	= 12,		/* sampled in a stall, of a topic */
	FEED_BACKLOG	= 256 << 10,	/* bytes of a small topic */
};

/**
 * struct feed_topic
 * @on, @on_kept: subscribed to the topic, to its kept messages
 * @next:	sequence number of the next message of a small topic; a large
 *		one has sent all before it
 * @kept_next:	first message that may be a kept one
 * @noted:	newest message that was considered for the sample
 * @sample:	@sampled sequence numbers, every @step th
 * @served:	bytes of the topic, in the rotation of large ones
 * @kept_sent:	kept messages of the topic, in the rotation
 * @sent:	when the last message was sent, ns
 */
struct feed_topic {
	bool		on, on_kept;
	uint64_t	next, kept_next, noted;
	uint64_t	sample[FEED_KEPT];
	unsigned int	sampled, step, skipped;
	double		served;
	unsigned int	kept_sent;
	int64_t		sent;
};

/**
 * struct feed_counts
 * @sent, @kept: live and kept messages
 * @replaced:	large messages that a newer one replaced before they were sent
 * @left_out:	messages of small topics beyond FEED_BACKLOG, or no longer in
 *		the history
 */
struct feed_counts {
	uint64_t	sent, kept, replaced, left_out;
};

/**
 * struct feed - zero-initialised: nothing is subscribed
 * @newest:	of a large topic; NULL: the newest of its history. Return: NULL:
 *		nothing that can be sent
 * @newest_only: of small topics, too, and at most ten a second
 * @now:	of this call, ns
 * @kept_served, @small_served: as that of a topic, for all kept messages, and
 *		for small ones that are late
 */
struct feed {
	struct feed_topic	topic[BOARD_TOPICS];
	struct feed_counts	counts;
	struct view_message	*(*newest)(void *arg, struct board_topic *t,
					   unsigned int number);
	void			*arg;
	bool			newest_only;
	int64_t			now;
	double			kept_served, small_served, turn;
};

/**
 * struct feed_item - to be sent next
 * @message:	with a reference
 * @kept:	send it on TOPIC/kept
 */
struct feed_item {
	struct view_message	*message;
	unsigned int		topic;
	bool			kept;
};

/*
 * With the lock of the board
 */

/**
 * feed_subscribe() - begin with the newest message of a large or latched topic,
 * or with the next one of a small topic
 */
void feed_subscribe(struct feed *f, struct board *b, unsigned int topic,
		    bool kept);
void feed_unsubscribe(struct feed *f, unsigned int topic, bool kept);

/* Sample what a stalled client misses; call it after each change */
void feed_note(struct feed *f, struct board *b, bool stalled);

/* Return: whether there is something to send */
bool feed_next(struct feed *f, struct board *b, struct feed_item *item);

#endif
