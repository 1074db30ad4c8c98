/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pacer.h - a topic's frame on its way out, evenly over the time it has
 *
 * The encoder writes payloads where they will leave from, behind the room for
 * their headers, while the frame before is on its way out. A burst would be lost together, and would queue where others
 * wait: datagrams go one by one, in steps of a millisecond at least.
 */
#ifndef TRANSPORT_PACER_H
#define TRANSPORT_PACER_H

#include "codec/core/payload.h"
#include "transport/uplink.h"

struct pacer;

/**
 * pacer_create() - for frames of up to @max datagrams
 *
 * Return: to be freed with pacer_destroy(), NULL: no memory.
 */
struct pacer *pacer_create(struct loop *l, struct uplink *u,
			   unsigned int max);
void pacer_destroy(struct pacer *o);

/**
 * pacer_payloads() - where the next frame is to be encoded
 *
 * Return: slots that are the caller's until pacer_send(), on any thread.
 */
struct payloads *pacer_payloads(struct pacer *o);

/**
 * pacer_send() - send what is in the payloads
 *
 * What is left of the frame before is sent at once: it is late.
 *
 * @header: of all of them, but index, count, stream and time
 * @span: to spread them over, ns
 * @copies: of each; 0 is 1. One round after the other, far apart
 */
void pacer_send(struct pacer *o, const struct optsample_segment *header,
		uint64_t span, unsigned int copies);

#endif
