/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * downlink.h - the receiver's socket: segments in, reports out
 */
#ifndef TRANSPORT_DOWNLINK_H
#define TRANSPORT_DOWNLINK_H

#include "base/address.h"
#include "transport/seal.h"
#include "base/loop.h"
#include "optsample/segment.h"

/**
 * struct downlink_datagram - one that came; good during the call
 * @segment:	its header, checked
 * @serial:	of it, if there is a key
 * @left:	until the last one of its message leaves, us; -1: not told
 * @payload:	the rest, of @len bytes
 * @came:	when, ns; it may have waited to be read
 * @from:	who sent it
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
 * @seal:	of what comes and is sent; NULL: none
 * @received:	called for each segment, @now in ns
 * @error:	gets one line
 *
 * Return: 0 or a negative errno.
 */
int downlink_open(struct downlink **d, struct loop *l,
		  const struct address *at, const struct seal *seal,
		  void (*received)(void *arg, uint64_t now,
				   const struct downlink_datagram *g),
		  void *arg, char error[256]);
void downlink_close(struct downlink *d);

/**
 * downlink_send() - a payload to a sender, as a segment of topic 0
 * @stream: of the sender, as on the wire
 * @run: of the receiver, its stamp
 */
void downlink_send(struct downlink *d, const struct sockaddr_storage *to,
		   uint64_t stream, uint64_t run, const void *payload,
		   size_t len);

/* Datagrams that were none of ours */
uint64_t downlink_strange(const struct downlink *d);
/* Of senders without the key, or with another one */
uint64_t downlink_unsealed(const struct downlink *d);

#endif
