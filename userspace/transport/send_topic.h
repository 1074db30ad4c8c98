/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * send_topic.h - a topic of the sender: from its messages to datagrams
 *
 * What it may spend, and how, is decided elsewhere (link/policy.h).
 */
#ifndef TRANSPORT_SEND_TOPIC_H
#define TRANSPORT_SEND_TOPIC_H

#include "link/pace.h"
#include "link/policy.h"
#include "ros/io/source.h"
#include "transport/encode.h"
#include "transport/uplink.h"
#include "transport/workers.h"

enum { SEND_NAME = 256, SEND_CODEC_ANY = -1 };

/**
 * struct send_options - of a topic, by the user
 * @name:	of the topic, or a pattern of fnmatch(3)
 * @on:		send it at all
 * @priority:	0 .. 7, larger first
 * @focus:	the operator looks at it: before all others
 * @codec:	enum codec_id, SEND_CODEC_ANY: the kind's
 * @rate:	Hz, at most; 0: as it comes
 * @bytes:	of a frame, at most
 * @latency:	from a message until the receiver shows it, s, at most, where
 *		smaller frames can keep to it; 0: any
 * @sample:	the qdisc may leave frames out in an outage
 * @profile:	of the qdisc
 * @refresh:	s after which parts of a map are sent again
 * @points:	of a cloud, at most; 0: as many as @leaf leaves
 * @leaf:	of a cloud's voxels, m; 0: found by the points
 * @vscan:	a cloud may become virtual scans where the link is too bad for it
 * @encode:	options of the encoders
 */
struct send_options {
	char			name[SEND_NAME];
	bool			on, focus, sample, vscan;
	unsigned int		priority, profile, points;
	int			codec;
	double			rate, refresh, leaf, latency;
	uint32_t		bytes;
	struct encode_options	encode;
};

#define SEND_OPTIONS {							\
	.on = true, .sample = true, .vscan = true, .priority = 3,	\
	.codec = SEND_CODEC_ANY, .refresh = 1, .bytes = 65536,		\
	.encode = ENCODE_DEFAULTS,					\
}

/**
 * struct send_counts - since it began
 * @messages:	that came from the source
 * @frames:	that were sent of these, and of maps again
 * @thinned:	messages that were left out to save rate
 * @broken:	messages that could not be encoded
 * @behind:	messages that newer ones took the place of, as the encoder was
 *		busy for that long
 * @left_out:	transforms beyond what a tree may have, see transforms.h
 * @forgotten:	frames of the tree that were not heard of for long
 * @datagrams, @bytes: of frames, payloads
 * @coding:	processor time of all that, ns
 * @paced:	frames of several datagrams, @paced_bytes: of them, on the wire,
 *		@paced_span: that they were spread over, ns
 */
struct send_counts {
	uint64_t	messages, frames, thinned, broken, behind, left_out,
			forgotten;
	uint64_t	datagrams, bytes, coding;
	uint64_t	paced, paced_bytes, paced_span;
};

struct send_topic;

/**
 * send_topic_create() - @number is that in segments, from 1
 * @w: encode its messages; they and @u outlive it
 * @changed: what is announced of it changed
 *
 * Return: to be freed with send_topic_destroy(), NULL: no memory.
 */
struct send_topic *send_topic_create(struct loop *l, struct workers *w,
				     struct uplink *u, uint32_t number,
				     const char *name, enum message_kind kind,
				     const struct send_options *options,
				     void (*changed)(void *arg), void *arg);
/* One whose message is being encoded is freed behind that */
void send_topic_destroy(struct send_topic *t);

/**
 * send_topic_arrived() - there is a message
 *
 * Return: whether it comes after a pause, and has no share yet.
 */
bool send_topic_arrived(struct send_topic *t);

/**
 * send_topic_message() - send it, if it is its turn
 * @link: what is known
 * @pace: of the datagrams of a frame
 * @still: the robot does not move
 */
void send_topic_message(struct send_topic *t, const struct source_message *m,
			const struct estimate *link, const struct pace *pace,
			bool still);

/**
 * send_topic_again() - a receiver is there that may know nothing
 *
 * Of what counts until it changes, the newest is sent soon, and again.
 */
void send_topic_again(struct send_topic *t);

/* No more messages come: what waits for its turn has it */
void send_topic_end(struct send_topic *t);

/* Whether a message is being encoded, or waits for that */
bool send_topic_busy(const struct send_topic *t);

/**
 * send_topic_wish() - what it is and costs, for policy_apply()
 *
 * Return: false: nothing comes now, so it needs nothing.
 */
bool send_topic_wish(const struct send_topic *t, struct policy_topic *p);

/* How it is to travel: as policy_apply() left it; NULL: not at all */
void send_topic_grant(struct send_topic *t, const struct policy_topic *p);

/* Other options from now on; the name stays */
void send_topic_change(struct send_topic *t,
		       const struct send_options *options);

const struct send_options *send_topic_options(const struct send_topic *t);
const struct send_counts *send_topic_counts(const struct send_topic *t);
const struct plan *send_topic_plan(const struct send_topic *t);
const struct control_topic *send_topic_announcement(const struct send_topic *t);
/* messages a second that come, 0: not known; what it gets, bytes/s */
double send_topic_hz(const struct send_topic *t);
double send_topic_rate(const struct send_topic *t);
/* that the last frame travelled in */
enum codec_id send_topic_codec(const struct send_topic *t);

#endif
