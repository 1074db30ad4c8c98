/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * link_keep.h - what a robot's queue keeps of an outage, without a kernel
 *
 * In: datagrams that wait, and when one may leave. Out: datagrams. Segments
 * that may be sampled wait as whole messages, in one queue for each flow
 * (stream, topic and epoch of the segment's header), which is sampled by the
 * policy `gap` of sampler.h: what sch_optsample does. All else waits in order.
 * What waits leaves in turns: one datagram of each flow.
 *
 * Limits: KEEP_FLOWS flows, KEEP_OTHERS other datagrams; beyond, new ones are
 * dropped.
 */
#ifndef SIM_LINK_KEEP_H
#define SIM_LINK_KEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	KEEP_FLOWS	= 256,
	KEEP_OTHERS	= 1000,
	KEEP_MESSAGES	= 65535,	/* of a flow, at most */
};

struct link_keep;

/* @messages: of each flow. Return: NULL: no memory */
struct link_keep *link_keep_create(unsigned int messages);

/**
 * link_keep_arrive() - a datagram arrives
 * @outage: nothing may leave
 *
 * Return: false: it does not wait, send it; true: it was queued or dropped.
 */
bool link_keep_arrive(struct link_keep *k, const void *data, size_t len,
		      bool outage);

/* Bytes of the datagram that leaves next; 0: none waits */
size_t link_keep_next(const struct link_keep *k);

/* It leaves. @data: gets link_keep_next() bytes */
void link_keep_depart(struct link_keep *k, void *data);

#endif
