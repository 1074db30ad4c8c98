/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * recv_topic.h - a topic of a stream: from its datagrams to what is published
 *
 * What an outage held in the sender's queue comes beside what is live: each has
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
 * @quality:	of JPEG, where pictures are to be compressed again
 * @limits:	of what is decoded
 * @memory:	bytes to decode with, of all streams together; one has half of
 *		it at most
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
 * struct recv_way - how a datagram came, apart from its topic
 * @woke:	when the link came back from its last silence, ns
 * @before:	it was sent before that
 * @late:	it was on its way for more than a second longer than the fastest
 * @epoch:	the newest one of the stream
 * @old:	the datagram is of an older one: the sender has seen an outage since
 */
struct recv_way {
	uint64_t	woke;
	uint16_t	epoch;
	bool		before, late, old;
};

/**
 * struct recv_message - to be published
 * @kept:	it is from before an outage
 * @delay:	since the sender sent it, s, but for the way
 */
struct recv_message {
	const struct control_topic	*topic;
	const struct decode_result	*result;
	uint64_t			stamp;
	bool				kept;
	double				delay;
};

/**
 * struct recv_stats - of the last seconds
 * @rate:	frames a second
 * @loss:	of datagrams, 0 .. 1
 * @delay:	since the sender sent it, s, but for the way
 * @datagrams:	a frame
 * @share:	see struct decode_result
 * @bits:	a second
 * @silent:	s since the last frame
 */
struct recv_stats {
	double	rate, loss, delay, datagrams, share, bits, silent;
};

/**
 * struct recv_counts - since the stream began, wider than reassembly's
 * @decoded:	frames that were shown
 * @repeated:	frames of a state that was shown before
 * @kept:	from before an outage
 * @failed:	frames of which nothing could be shown
 * @exact:	frames of which nothing was missing
 * @behind:	frames that newer ones took the place of, as the decoder was
 *		busy for that long
 */
struct recv_counts {
	uint64_t	decoded, repeated, kept, failed, exact, behind;
};

struct recv_topic;

/**
 * recv_topic_create() - of a stream
 * @w:		decode its frames, and outlive it; NULL: the caller does
 * @budget:	of the stream; the topic holds it
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
/* One whose frame is being decoded is freed behind that, and publishes nothing */
void recv_topic_destroy(struct recv_topic *t);

/* It is announced again, perhaps with something new */
void recv_topic_announced(struct recv_topic *t,
			  const struct control_topic *announced);

/* Show its next frame, whether or not it is new */
void recv_topic_again(struct recv_topic *t);

void recv_topic_add(struct recv_topic *t, uint64_t now,
		    const struct downlink_datagram *g,
		    const struct recv_way *way);

/* Once a second: the statistics of it */
void recv_topic_tick(struct recv_topic *t, uint64_t now);

/**
 * recv_topic_growth() - how frames of several datagrams queued on the way
 * @sum: gets how much longer their last datagrams were on the way than their
 *	first ones, us, added up, but for the one that is the most: somebody
 *	else had the processor, or the air
 *
 * Return: frames since it was asked before.
 */
unsigned int recv_topic_growth(struct recv_topic *t, uint64_t *sum);

const struct control_topic *recv_topic_announcement(const struct recv_topic *t);
const struct recv_stats *recv_topic_stats(const struct recv_topic *t);
const struct recv_counts *recv_topic_counts(const struct recv_topic *t);
/* of what is live, and of what was kept, added up */
struct reassembly_counts recv_topic_datagrams(const struct recv_topic *t);
void recv_topic_report(const struct recv_topic *t,
		       struct control_report_topic *report);

#endif
