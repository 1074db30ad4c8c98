/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * downlink.h - the receiver's socket: segments in, reports out
 */
#ifndef TRANSPORT_DOWNLINK_H
#define TRANSPORT_DOWNLINK_H

#include "base/address.h"
#include "base/error.h"
#include "transport/seal.h"
#include "base/loop.h"
#include "optsample/segment.h"

/**
 * struct downlink_datagram - a received datagram; valid during the call
 * @segment:	its header, checked
 * @serial:	its number, if there is a key
 * @left:	time until the last one of its message leaves, us; -1: unknown
 * @payload:	the payload, of @len bytes
 * @came:	arrival time, ns; it may have waited to be read
 * @from:	sender's address
 */
struct downlink_datagram {
	struct optsample_segment	segment;
	uint64_t			serial;
	int64_t				left;
	const uint8_t			*payload;
	size_t				len;
	uint64_t			came;
	const struct sockaddr_storage	*from;
};

struct downlink;

/**
 * downlink_open() - listen
 * @seal:	for received and sent datagrams; NULL: none
 * @received:	called for each segment, @now in ns
 * @error:	one line on failure
 *
 * Return: 0 or a negative errno.
 */
int downlink_open(struct downlink **d, struct loop *l,
		  const struct address *at, const struct seal *seal,
		  void (*received)(void *arg, uint64_t now,
				   const struct downlink_datagram *g),
		  void *arg, struct error *error);
void downlink_close(struct downlink *d);

/**
 * downlink_send() - send a payload to a sender, as a segment of topic 0
 * @stream: of the sender, as on the wire
 * @run: of the receiver, stored as the stamp
 */
void downlink_send(struct downlink *d, const struct sockaddr_storage *to,
		   uint64_t stream, uint64_t run, const void *payload,
		   size_t len);

/* Number of datagrams that are not segments */
uint64_t downlink_strange(const struct downlink *d);
/* Number of datagrams without the key, or with another one */
uint64_t downlink_unsealed(const struct downlink *d);

#endif
