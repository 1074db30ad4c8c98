/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recv_topic.h - a topic of a stream: from datagrams to published messages
 *
 * Frames held during an outage arrive interleaved with live ones: each kind has
 * its own reassembly.
 */
#ifndef TRANSPORT_RECV_TOPIC_H
#define TRANSPORT_RECV_TOPIC_H

#include "transport/control.h"
#include "transport/decode.h"
#include "transport/downlink.h"
#include "transport/reassembly.h"
#include "transport/workers.h"

/**
 * struct recv_options - of all topics
 * @grace, @patience: see reassembly.h, ns
 * @nearest:	fill in sub-images as published
 * @quality:	of JPEG, where pictures are compressed again
 * @limits:	for decoding
 * @memory:	for decoding, bytes, all streams together; a stream may use at
 *		most half of it
 */
struct recv_options {
	uint64_t		grace, patience;
	bool			nearest;
	unsigned int		quality;
	struct decode_limits	limits;
	size_t			memory;
};

#define RECV_DEFAULTS {						\
	.grace = 20000000, .patience = 500000000,		\
	.quality = 90, .limits = DECODE_LIMITS,			\
	.memory = 1 << 30,					\
}

/**
 * struct recv_way - reception of a datagram, independent of its topic
 * @woke:	when the link came back from its last silence, ns
 * @before:	it was sent before that
 * @late:	its delay exceeds that of the fastest by more than a second
 * @epoch:	newest one of the stream
 * @old:	it is of an older epoch: the sender has seen an outage since
 */
struct recv_way {
	uint64_t	woke;
	uint16_t	epoch;
	bool		before, late, old;
};

/**
 * struct recv_message - a message to publish
 * @kept:	it is from before an outage
 * @delay:	since it was sent, s, without the minimum transit time
 */
struct recv_message {
	const struct control_topic	*topic;
	const struct decode_result	*result;
	uint64_t			stamp;
	bool				kept;
	double				delay;
};

/**
 * struct recv_stats - means over the last seconds
 * @rate:	frames per second
 * @loss:	of datagrams, 0 .. 1
 * @delay:	since it was sent, s, without the minimum transit time
 * @datagrams:	per frame
 * @share:	see struct decode_result
 * @bits:	per second
 * @silent:	time since the last frame, s
 */
struct recv_stats {
	double	rate, loss, delay, datagrams, share, bits, silent;
};

/**
 * struct recv_counts - counters of the stream, wider than reassembly's
 * @decoded:	frames shown
 * @repeated:	frames of a state that was shown before
 * @kept:	from before an outage
 * @failed:	frames of which nothing could be shown
 * @exact:	frames that were complete
 * @behind:	frames dropped for newer ones because the decoder was busy
 */
struct recv_counts {
	uint64_t	decoded, repeated, kept, failed, exact, behind;
};

struct recv_topic;

/**
 * recv_topic_create() - create a topic of a stream
 * @w:		threads to decode on, must outlive it; NULL: the caller's
 * @budget:	of the stream; the topic takes a reference
 * @publish:	called for each message, in the loop
 *
 * Return: to be freed with recv_topic_destroy(), NULL: no memory.
 */
struct recv_topic *recv_topic_create(struct loop *l, struct workers *w,
				     const struct control_topic *announced,
				     const struct recv_options *options,
				     struct budget *budget,
				     void (*publish)(void *arg,
						const struct recv_message *m),
				     void *arg);
/* A topic whose frame is being decoded is freed later and publishes nothing */
void recv_topic_destroy(struct recv_topic *t);

/* Process another announcement, perhaps with changes */
void recv_topic_announced(struct recv_topic *t,
			  const struct control_topic *announced);

/* Show the next frame even if it is not new */
void recv_topic_again(struct recv_topic *t);

void recv_topic_add(struct recv_topic *t, uint64_t now,
		    const struct downlink_datagram *g,
		    const struct recv_way *way);

/* Update the statistics, once a second */
void recv_topic_tick(struct recv_topic *t, uint64_t now);

/**
 * recv_topic_growth() - growth of the delay within frames of several datagrams
 * @sum: out: sum of the differences in delay between the last and the first
 *	datagram, us, without the largest one, which a busy processor or a busy
 *	channel may have caused
 *
 * Return: frames since the last call.
 */
unsigned int recv_topic_growth(struct recv_topic *t, uint64_t *sum);

const struct control_topic *recv_topic_announcement(const struct recv_topic *t);
const struct recv_stats *recv_topic_stats(const struct recv_topic *t);
const struct recv_counts *recv_topic_counts(const struct recv_topic *t);
/* Sum over live and kept frames */
struct reassembly_counts recv_topic_datagrams(const struct recv_topic *t);
void recv_topic_report(const struct recv_topic *t,
		       struct control_report_topic *report);

#endif
