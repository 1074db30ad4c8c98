/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * receiver.h - all streams that come, and what becomes of them
 *
 * A stream is a run of a sender, and a sender a name. A new stream of a name
 * takes the place of the one before at once if it is of the same machine, or
 * that one is silent: what still comes of that is treated as kept. Otherwise
 * there are two robots of one name, and the later one is NAME_2: who has a
 * place keeps it. One that lost its place and is still alive gets it back.
 *
 * Two senders with different names may have topics of the same name: those of
 * the second one, or of all, are put below /NAME.
 */
#ifndef TRANSPORT_RECEIVER_H
#define TRANSPORT_RECEIVER_H

#include "transport/publish.h"
#include "transport/stream.h"

enum { RECEIVER_KEY = 512 };		/* bytes of a path */

/* Topics below /NAME: where two senders have the same, all, none */
enum receiver_prefix { PREFIX_AUTO, PREFIX_ALWAYS, PREFIX_NEVER };

/* What was kept during an outage: on TOPIC/kept, on TOPIC, not at all */
enum receiver_kept { KEPT_APART, KEPT_TOGETHER, KEPT_DROP };

/**
 * struct receiver_options - by the user
 * @key:	file that senders have as well; "": anybody may send
 * @threads:	frames that are decoded at a time, see workers.h; 0: as many as
 *		there are processors
 */
struct receiver_options {
	struct recv_options	topics;
	char			key[RECEIVER_KEY];
	unsigned int		threads;
	enum receiver_prefix	prefix;
	enum receiver_kept	kept;
};

/*
 * A stream of which nothing was shown yet makes room for another one, the one
 * that is silent the longest first, and so does one that is over.
 */
enum { RECEIVER_STREAMS = 32 };

/**
 * struct receiver_counts - since it began
 * @published:	messages that all sinks took
 * @outdated:	latched ones from before an outage, of which a newer one is there
 * @streams:	that were heard of
 * @replayed:	datagrams that came before, with a key
 * @crowded:	streams that had no place, or lost it to another one
 */
struct receiver_counts {
	uint64_t	published, outdated, streams, replayed, crowded;
};

struct receiver;

/* Return: 0 or a negative errno, and @error says why in one line */
int receiver_open(struct receiver **r, struct loop *l,
		  const struct address *at,
		  const struct receiver_options *options,
		  struct publish *publish, char error[256]);
void receiver_close(struct receiver *r);

/* The options; they may be changed at any time */
struct receiver_options *receiver_options(struct receiver *r);

/* Stream @i, or NULL: i is beyond the last; @old: another took its place */
const struct stream *receiver_stream(const struct receiver *r, unsigned int i,
				     bool *old);
const struct receiver_counts *receiver_counts(const struct receiver *r);

/* Messages that a sink did not take, or could not write: publish_refused() */
uint64_t receiver_refused(const struct receiver *r);
/* Datagrams that were none of ours */
uint64_t receiver_strange(const struct receiver *r);
/* Of senders without the key */
uint64_t receiver_unsealed(const struct receiver *r);

/* Who a stream is: its name, with a number behind it if another has the name */
void receiver_label(const struct receiver *r, const struct stream *s,
		    char label[CONTROL_WORD + 8]);

/* What a topic of a stream is published as */
void receiver_name(const struct receiver *r, const struct stream *s,
		   const char *topic, const char *suffix, char name[512]);

#endif
