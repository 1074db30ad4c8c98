/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Destinations of sampled flows, from the classifier's maps `flows` and
 * `recent`. New flows cause no event, and ended flows stay in the maps, so the
 * maps are polled: a destination is in use while the numbers of its messages
 * increase.
 */
#ifndef NETDEV_DESTS_H
#define NETDEV_DESTS_H

#include <stdbool.h>
#include "netdev/route.h"

enum {
	DESTS_MAX	= 256,
	DESTS_USED_MS	= 600000,	/* after its last message */
};

/**
 * struct dest - a destination of flows
 * @addr:	address
 * @sum:	of the message numbers, at the last look
 * @moved_at:	when it last changed, ms
 * @here:	a flow is in the maps
 */
struct dest {
	struct ip_addr	addr;
	uint64_t		sum;
	uint64_t		moved_at;
	bool			here;
};

/**
 * struct dests - destinations of one classifier
 * @flows:	file descriptor of the map `flows`
 * @recent:	of the map `recent`
 */
struct dests {
	int		flows;
	int		recent;
	int		n;
	struct dest	v[DESTS_MAX];
};

/**
 * dests_read - read the maps
 * @d:		the destinations
 * @now:	ms
 *
 * At most DESTS_MAX destinations; further ones are ignored.
 *
 * Return: whether destinations were added or removed
 */
bool dests_read(struct dests *d, uint64_t now);

/* Was a message sent there within DESTS_USED_MS? */
bool dest_used(const struct dest *d, uint64_t now);

#endif
