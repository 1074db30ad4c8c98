/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stream.h - all that one run of a sender sends
 */
#ifndef TRANSPORT_STREAM_H
#define TRANSPORT_STREAM_H

#include "transport/recv_topic.h"

enum { STREAM_TOPICS = 48 };		/* as many as a report has room for */

/**
 * struct stream_counts - since the stream was first heard of
 * @datagrams, @bytes: of the stream, with the headers of segments
 * @kept:	bytes of these from before an outage
 * @copies:	that the network made, not counted above
 * @unannounced: datagrams of topics that were not announced yet
 */
struct stream_counts {
	uint64_t	datagrams, bytes, kept;
	uint64_t	copies, unannounced;
};

/**
 * struct stream_events - what the owner hears
 * @named:	the sender said who it is, or it is somebody else now
 * @publish:	a message; see recv_topic_create()
 */
struct stream_events {
	void	(*named)(void *arg);
	void	(*publish)(void *arg, const struct recv_message *m);
	void	*arg;
};

struct stream;

/**
 * stream_create() - a stream that was not heard before
 * @w:	decode its frames, and outlive it; NULL: the caller does
 * @id:	as on the wire
 * @whole: what all streams together may spend; it outlives the stream
 *
 * Return: to be freed with stream_destroy(), NULL: no memory.
 */
struct stream *stream_create(struct loop *l, struct workers *w, uint64_t id,
			     const struct recv_options *options,
			     struct budget *whole,
			     const struct stream_events *events);
void stream_destroy(struct stream *s);

void stream_add(struct stream *s, uint64_t now,
		const struct downlink_datagram *g);

/* Once a second */
void stream_tick(struct stream *s, uint64_t now);

/**
 * stream_report() - what is to be told to the sender, twice a second
 * @payload: of PAYLOAD_MAX bytes
 * @copies: gets how often it is to be sent, as one may be lost
 *
 * Return: its bytes.
 */
size_t stream_report(struct stream *s, uint64_t now, uint8_t *payload,
		     unsigned int *copies);

/**
 * stream_report_again() - the same report as of now, without its topics
 *
 * For those who lost what was sent before: the first that comes counts.
 */
size_t stream_report_again(struct stream *s, uint64_t now, uint8_t *payload);

uint64_t stream_id(const struct stream *s);
/* Whether a frame of it was shown */
bool stream_shown(const struct stream *s);
/* Whether it is one: noise is not announced twice */
bool stream_announced(const struct stream *s);
/* "" until it was announced */
const char *stream_name(const struct stream *s);
/* Of the boot of the machine that it runs on; 0: it does not tell */
uint64_t stream_boot(const struct stream *s);
/* when it announced itself last, not held on the way, ns */
uint64_t stream_alive(const struct stream *s);
/* from where its newest datagram came */
const struct sockaddr_storage *stream_address(const struct stream *s);
/* when that was, ns */
uint64_t stream_heard(const struct stream *s);
/* one way, s, but for what the topics wait; 0: not known */
double stream_delay(const struct stream *s);
/* What it may spend, and did; for budget_tick() */
struct budget *stream_budget(struct stream *s);
const struct budget *stream_spent(const struct stream *s);
const struct stream_counts *stream_counts(const struct stream *s);

/* Its topics have other names from now on: show states again */
void stream_show_again(struct stream *s);

/* Topic @i of those announced, or NULL: i is beyond the last */
const struct recv_topic *stream_topic(const struct stream *s, unsigned int i);

#endif
