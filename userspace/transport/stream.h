/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stream.h - all data of one run of a sender
 */
#ifndef TRANSPORT_STREAM_H
#define TRANSPORT_STREAM_H

#include "transport/contact.h"
#include "transport/recv_topic.h"

enum { STREAM_TOPICS = 48 };		/* as many as a report has room for */

/**
 * struct stream_counts - counters since the stream was first seen
 * @datagrams, @bytes: of the stream, with the headers of segments
 * @kept:	bytes of these from before an outage
 * @copies:	made by the network, not counted above
 * @unannounced: datagrams of topics not announced yet
 */
struct stream_counts {
	uint64_t	datagrams, bytes, kept;
	uint64_t	copies, unannounced;
};

/**
 * struct stream_events - callbacks to the owner
 * @named:	the sender announced its name, or changed it
 * @publish:	a message; see recv_topic_create()
 */
struct stream_events {
	void	(*named)(void *arg);
	void	(*publish)(void *arg, const struct recv_message *m);
	void	*arg;
};

struct stream;

/**
 * stream_create() - create a stream
 * @w:	threads to decode on, must outlive it; NULL: the caller's
 * @id:	as on the wire
 * @whole: budget of all streams together; must outlive the stream
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

/* Call once a second */
void stream_tick(struct stream *s, uint64_t now);

/**
 * stream_report() - write the report to the sender, twice a second
 * @payload: of PAYLOAD_MAX bytes
 * @copies: out: number of copies to send, as one may be lost
 *
 * Return: its bytes.
 */
size_t stream_report(struct stream *s, uint64_t now, uint8_t *payload,
		     unsigned int *copies);

/**
 * stream_report_again() - write the last report again, with current values
 *
 * It has no topics. The sender uses the first copy that arrives.
 */
size_t stream_report_again(struct stream *s, uint64_t now, uint8_t *payload);

uint64_t stream_id(const struct stream *s);
/* Has a frame of it been shown? */
bool stream_shown(const struct stream *s);
/* Is it a real stream? Noise is not announced twice */
bool stream_announced(const struct stream *s);
/* "" until it was announced */
const char *stream_name(const struct stream *s);
/* Number of the boot of its machine; 0: unknown */
uint64_t stream_boot(const struct stream *s);
/* Last announcement that was not held on the way, ns */
uint64_t stream_alive(const struct stream *s);
/* Source address of its newest datagram */
const struct sockaddr_storage *stream_address(const struct stream *s);
/* Arrival of that datagram, ns */
uint64_t stream_heard(const struct stream *s);
/* In the clock of loop_now() */
const struct contact *stream_contact(const struct stream *s);
/* One-way delay, s, without queueing in topics; 0: unknown */
double stream_delay(const struct stream *s);
/* Its budget and use, for budget_tick() */
struct budget *stream_budget(struct stream *s);
const struct budget *stream_spent(const struct stream *s);
const struct stream_counts *stream_counts(const struct stream *s);

/* The names of its topics changed: show states again */
void stream_show_again(struct stream *s);

/* Announced topic @i, or NULL: i is beyond the last */
const struct recv_topic *stream_topic(const struct stream *s, unsigned int i);

#endif
