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
 * struct uplink_counts - counters since it was opened
 * @refused: rejected by the kernel: no route, no room in the socket
 * @unreachable: reports by the receiver's host, one on the path or the kernel
 *	that datagrams cannot be delivered; those that the kernel rejected for
 *	this reason are also in @refused
 * @unsealed: answers without the key or with another one; @replayed: received
 *	before
 */
struct uplink_counts {
	uint64_t	datagrams, bytes;
	uint64_t	refused, unreachable;
	uint64_t	unsealed, replayed;
};

/**
 * struct uplink_events - callbacks to the owner
 * @sent:	datagrams were sent, the last one with the time @now, ns
 * @met:	a new receiver answered: see uplink_peer()
 * @received:	a payload of topic 0 of our stream from the receiver, its
 *		arrival time, ns, and its source
 */
struct uplink_events {
	void	(*sent)(void *arg, uint64_t now, unsigned int datagrams,
			uint64_t bytes);
	void	(*met)(void *arg);
	void	(*received)(void *arg, uint64_t came, const void *payload,
			    size_t len, const struct sockaddr_storage *from);
	void	*arg;
};

struct uplink;

/**
 * uplink_open() - open a socket to a receiver
 * @stream:	random number of this run
 * @seal:	for sent and received datagrams; NULL: none
 *
 * There need not be a route: what cannot be sent is counted.
 *
 * Return: 0 or a negative errno.
 */
int uplink_open(struct uplink **u, struct loop *l, const struct address *to,
		uint64_t stream, const struct seal *seal,
		const struct uplink_events *events);
void uplink_close(struct uplink *u);

/* Bytes of the header of a segment, of which the caller fills a part */
unsigned int uplink_header(const struct uplink *u);

/* Number of the run of the receiver that has the key; 0: not known yet */
uint64_t uplink_peer(const struct uplink *u);

/* Largest payload that is not fragmented on the path, bytes */
unsigned int uplink_payload(const struct uplink *u);

/**
 * uplink_send() - send segments now
 * @data:	the first one; the others follow at distances of @stride bytes
 * @len:	bytes of each, @count of them
 *
 * Fills in their sending time and stream.
 */
void uplink_send(struct uplink *u, uint8_t *data, size_t stride,
		 const uint16_t *len, unsigned int count);

/* Why the receiver is unreachable, an errno; 0: not since its last answer */
int uplink_error(const struct uplink *u);

const struct uplink_counts *uplink_counts(const struct uplink *u);

#endif
