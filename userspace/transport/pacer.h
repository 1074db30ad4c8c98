/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pacer.h - send the datagrams of a frame evenly over the available time
 *
 * The encoder writes payloads where they will be sent from, after the room for
 * their headers, while the previous frame is being sent. A burst would be lost
 * together and would delay other topics. So datagrams are sent one by one, in
 * steps of at least a millisecond.
 */
#ifndef TRANSPORT_PACER_H
#define TRANSPORT_PACER_H

#include "codec/core/payload.h"
#include "transport/uplink.h"

struct pacer;

/**
 * pacer_create() - create a pacer for frames of up to @max datagrams
 *
 * Return: to be freed with pacer_destroy(), NULL: no memory.
 */
struct pacer *pacer_create(struct loop *l, struct uplink *u,
			   unsigned int max);
void pacer_destroy(struct pacer *o);

/**
 * pacer_payloads() - buffer for the next frame
 *
 * Return: slots that belong to the caller until pacer_send(), on any thread.
 */
struct payloads *pacer_payloads(struct pacer *o);

/**
 * pacer_send() - send the frame in the payloads
 *
 * The rest of the previous frame is sent at once: it is late.
 *
 * @header: of all datagrams, except index, count, stream and time
 * @span: to spread them over, ns
 * @copies: of each; 0 is 1. Copies are sent in rounds, far apart
 */
void pacer_send(struct pacer *o, const struct optsample_segment *header,
		uint64_t span, unsigned int copies);

#endif
