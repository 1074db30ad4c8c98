/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * receiver.h - handle all received streams
 *
 * A stream is one run of a sender, and a sender has a name. A new stream of the
 * same name replaces the previous one at once if it is of the same machine, or
 * if the previous one is silent: later data of that one is treated as kept.
 * Otherwise two robots have the same name, and the later one becomes NAME_2:
 * the earlier keeps its name. A stream that was replaced but still sends is
 * restored.
 *
 * Two senders with different names may have topics of the same name: those of
 * the second sender, or of all senders, are published below /NAME.
 */
#ifndef TRANSPORT_RECEIVER_H
#define TRANSPORT_RECEIVER_H

#include "base/error.h"
#include "transport/command.h"
#include "transport/publish.h"
#include "transport/stream.h"

enum { RECEIVER_KEY = 512 };		/* bytes of a path */

/* Which topics to publish below /NAME: conflicting ones, all, none */
enum receiver_prefix { PREFIX_AUTO, PREFIX_ALWAYS, PREFIX_NEVER };

/* Kept messages: publish on TOPIC/kept, on TOPIC, or drop */
enum receiver_kept { KEPT_APART, KEPT_TOGETHER, KEPT_DROP };

/**
 * struct receiver_options - set by the user
 * @key:	key file that senders also have; "": any sender is accepted
 * @threads:	frames decoded in parallel, see workers.h; 0: one per processor
 */
struct receiver_options {
	struct recv_options	topics;
	char			key[RECEIVER_KEY];
	unsigned int		threads;
	enum receiver_prefix	prefix;
	enum receiver_kept	kept;
};

/*
 * If all places are in use, a new stream replaces one without published
 * messages, the longest silent first, or one that was replaced.
 */
enum { RECEIVER_STREAMS = 32 };

/**
 * struct receiver_counts - counters since start
 * @published:	messages that all sinks accepted
 * @outdated:	latched messages from before an outage, replaced by a newer one
 * @streams:	streams seen
 * @replayed:	repeated datagrams, with a key
 * @crowded:	streams without a place, or replaced by another one
 */
struct receiver_counts {
	uint64_t	published, outdated, streams, replayed, crowded;
};

struct receiver;

/* Return: 0 or a negative errno, and @error says why in one line */
int receiver_open(struct receiver **r, struct loop *l,
		  const struct address *at,
		  const struct receiver_options *options,
		  struct publish *publish, struct error *error);
void receiver_close(struct receiver *r);

/* The options; they may be changed at any time */
struct receiver_options *receiver_options(struct receiver *r);

/**
 * receiver_command() - send a command of the operator to a sender
 * @s: one of receiver_stream()
 * @c: names of topics are those of the sender, without a prefix; @c->number is
 *	not used
 * @error: gets one line
 *
 * It is sent in copies over two seconds. There is no answer: the sender's
 * status (sender_status.h) has the priority and the focus of each topic.
 *
 * Return: 0; -EHOSTUNREACH: the sender is silent; -E2BIG: too many commands
 * within two seconds; -EINVAL: it has no entries, or an unknown one.
 */
int receiver_command(struct receiver *r, const struct stream *s,
		     const struct control_command *c, struct error *error);

/* Stream @i, or NULL: i is beyond the last; @old: it was replaced */
const struct stream *receiver_stream(const struct receiver *r, unsigned int i,
				     bool *old);
const struct receiver_counts *receiver_counts(const struct receiver *r);

/* Messages that a sink rejected or failed to write: publish_refused() */
uint64_t receiver_refused(const struct receiver *r);
/* Datagrams that are not segments */
uint64_t receiver_strange(const struct receiver *r);
/* Datagrams of senders without the key */
uint64_t receiver_unsealed(const struct receiver *r);

/* Label of a stream: its name, with a number if another stream has it too */
void receiver_label(const struct receiver *r, const struct stream *s,
		    char label[CONTROL_WORD + 8]);

/* Name under which a topic of a stream is published */
void receiver_name(const struct receiver *r, const struct stream *s,
		   const char *topic, const char *suffix, char name[512]);

#endif
