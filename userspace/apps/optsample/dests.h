/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Destinations of sampled flows, from the classifier's maps `flows` and
 * `recent`. Flows come without an event and stay in the maps when they have
 * ended, so the maps are read again and again: a destination is in use while
 * the numbers of its messages go on.
 */
#ifndef OPTSAMPLE_CTL_DESTS_H
#define OPTSAMPLE_CTL_DESTS_H

#include <stdbool.h>
#include "route.h"

enum {
	DESTS_MAX	= 256,
	DESTS_USED_MS	= 600000,	/* after its last message */
};

/**
 * struct dest - where flows go
 * @addr:	address
 * @sum:	of the message numbers, as it was last time
 * @moved_at:	when it last changed, ms
 * @here:	a flow is in the maps
 */
struct dest {
	struct route_addr	addr;
	uint64_t		sum;
	uint64_t		moved_at;
	bool			here;
};

/**
 * struct dests - destinations of one classifier
 * @flows:	file descriptors of the map `flows`
 * @recent:	and of `recent`
 */
struct dests {
	int		flows;
	int		recent;
	int		n;
	struct dest	v[DESTS_MAX];
};

/**
 * dests_look - read the maps
 * @d:		the destinations
 * @now:	ms
 *
 * Of more than DESTS_MAX destinations those are kept that came first.
 *
 * Return: some have come or gone
 */
bool dests_look(struct dests *d, uint64_t now);

/* Has a message gone there within DESTS_USED_MS? */
bool dest_used(const struct dest *d, uint64_t now);

#endif
