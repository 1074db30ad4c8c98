/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uplink.h - the sender's socket: segments out, reports in
 */
#ifndef TRANSPORT_UPLINK_H
#define TRANSPORT_UPLINK_H

#include "base/address.h"
#include "base/loop.h"
#include "transport/seal.h"
#include "optsample/segment.h"

/**
 * struct uplink_counts - since it was opened
 * @refused: the kernel did not take: no route, no room in the socket
 * @unreachable: times that the receiver's host, one on the way or the kernel
 *	reported that datagrams cannot be delivered; what the kernel did not
 *	take for that reason is in @refused, too
 * @unsealed: answers without the key, or of another one; @replayed: that came
 *	before
 */
struct uplink_counts {
	uint64_t	datagrams, bytes;
	uint64_t	refused, unreachable;
	uint64_t	unsealed, replayed;
};

/**
 * struct uplink_events - what the owner hears
 * @sent:	that went out, the last one with the time @now, ns
 * @met:	a receiver that was not heard before: see uplink_peer()
 * @received:	the payload of a segment of topic 0 of our stream that the
 *		receiver sent, and when it came, ns
 */
struct uplink_events {
	void	(*sent)(void *arg, uint64_t now, unsigned int datagrams,
			uint64_t bytes);
	void	(*met)(void *arg);
	void	(*received)(void *arg, uint64_t came, const void *payload,
			    size_t len);
	void	*arg;
};

struct uplink;

/**
 * uplink_open() - a socket towards a receiver
 * @stream:	random, of this run
 * @seal:	of what is sent and received; NULL: none
 *
 * There need not be a route, now or ever: what cannot be sent is counted.
 *
 * Return: 0 or a negative errno.
 */
int uplink_open(struct uplink **u, struct loop *l, const struct address *to,
		uint64_t stream, const struct seal *seal,
		const struct uplink_events *events);
void uplink_close(struct uplink *u);

/* Bytes of the header of a segment, which its sender fills as far as it knows */
unsigned int uplink_header(const struct uplink *u);

/* Number of the run of the receiver that has the key; 0: not heard yet */
uint64_t uplink_peer(const struct uplink *u);

/* Bytes of a payload that pass the way there in one piece */
unsigned int uplink_payload(const struct uplink *u);

/**
 * uplink_send() - segments, now
 * @data:	of the first; the others follow @stride bytes behind each other
 * @len:	bytes of each, @count of them
 *
 * Their sending time and their stream are filled in.
 */
void uplink_send(struct uplink *u, uint8_t *data, size_t stride,
		 const uint16_t *len, unsigned int count);

/* Why the receiver cannot be reached, an errno; 0: nobody said so since its last answer */
int uplink_error(const struct uplink *u);

const struct uplink_counts *uplink_counts(const struct uplink *u);

#endif
