/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * send_topic.h - a topic of the sender: from messages to datagrams
 *
 * Its rate and plan are decided elsewhere (link/policy.h).
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
 * struct send_options - of a topic, set by the user
 * @name:	of the topic, or a pattern of fnmatch(3)
 * @on:		send it
 * @priority:	0 .. 7, larger first
 * @focus:	the operator looks at it: before all others
 * @codec:	enum codec_id, SEND_CODEC_ANY: the default of the kind
 * @rate:	Hz, at most; 0: all messages
 * @bytes:	of a frame, at most
 * @latency:	from a message until the receiver shows it, s, at most, as far
 *		as smaller frames can achieve it; 0: any
 * @sample:	the qdisc may drop frames in an outage
 * @profile:	of the qdisc
 * @refresh:	s after which parts of a map are sent again
 * @points:	of a cloud, at most; 0: as many as @leaf leaves
 * @leaf:	of a cloud's voxels, m; 0: derived from @points
 * @vscan:	a cloud may become virtual scans if the link is too bad for it
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
 * struct send_counts - counters since start
 * @messages:	from the source
 * @frames:	sent, including repeated maps
 * @thinned:	messages skipped to save rate
 * @broken:	messages that could not be encoded
 * @behind:	messages dropped for newer ones because the encoder was busy
 * @left_out:	transforms beyond the limits of a tree, see transforms.h
 * @forgotten:	frames of the tree that were removed after a long silence
 * @datagrams, @bytes: of frames, payloads
 * @coding:	processor time of encoding, ns
 * @paced:	frames of several datagrams, @paced_bytes: of them, on the wire,
 *		@paced_span: time that they were spread over, ns
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
 * @w: threads to encode on; they and @u must outlive it
 * @changed: called when the announcement has changed
 *
 * Return: to be freed with send_topic_destroy(), NULL: no memory.
 */
struct send_topic *send_topic_create(struct loop *l, struct workers *w,
				     struct uplink *u, uint32_t number,
				     const char *name, enum message_kind kind,
				     const struct send_options *options,
				     void (*changed)(void *arg), void *arg);
/* A topic whose message is being encoded is freed when that is done */
void send_topic_destroy(struct send_topic *t);

/**
 * send_topic_arrived() - note the arrival of a message
 *
 * Return: whether it ends a pause, so that the topic has no allocation yet.
 */
bool send_topic_arrived(struct send_topic *t);

/**
 * send_topic_message() - send a message, if it is its turn
 * @link: link estimate
 * @pace: of the datagrams of a frame
 * @still: the robot does not move
 */
void send_topic_message(struct send_topic *t, const struct source_message *m,
			const struct estimate *link, const struct pace *pace,
			bool still);

/**
 * send_topic_again() - a receiver appeared that may have missed everything
 *
 * The newest message of a state is sent soon, and repeated.
 */
void send_topic_again(struct send_topic *t);

/* End of the source: send what waits for its turn */
void send_topic_end(struct send_topic *t);

/* Is a message being encoded or waiting for the encoder? */
bool send_topic_busy(const struct send_topic *t);

/**
 * send_topic_request() - properties and costs of the topic, for policy_apply()
 *
 * Return: false: it is idle and needs nothing.
 */
bool send_topic_request(const struct send_topic *t, struct policy_topic *p);

/* Set the plan as policy_apply() left it; NULL: switch it off */
void send_topic_allocate(struct send_topic *t, const struct policy_topic *p);

/* Change the options; the name stays */
void send_topic_change(struct send_topic *t,
		       const struct send_options *options);

const struct send_options *send_topic_options(const struct send_topic *t);
const struct send_counts *send_topic_counts(const struct send_topic *t);
const struct plan *send_topic_plan(const struct send_topic *t);
const struct control_topic *send_topic_announcement(const struct send_topic *t);
/* messages per second received, 0: not known; allocated rate, bytes/s */
double send_topic_hz(const struct send_topic *t);
double send_topic_rate(const struct send_topic *t);
/* codec of the last frame */
enum codec_id send_topic_codec(const struct send_topic *t);

#endif
