/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Neighbour entries of the next hops of sampled flows and of --peer: if an
 * entry expires during an outage, the stack drops packets above the queue. So
 * they are permanent while the link is down, and as long as it stays up; when
 * it comes back, the kernel must verify them first.
 *
 * neigh_file.h: permanent entries, for the next daemon and for `down`.
 */
#ifndef NETDEV_NEIGH_H
#define NETDEV_NEIGH_H

#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"
#include "netdev/log.h"

enum { NEIGH_MAX = 64, NEIGH_PEERS = 32 };

struct neigh_table;

/**
 * neigh_open() - watch the neighbours of an interface
 * @dev:	its name
 * @link:	name of the interface whose link counts: @dev, or the one below
 * @flows:	file descriptors of the maps `flows`
 * @recent:	and `recent`
 * @log:	gets warnings
 *
 * Return: NULL if it cannot subscribe to the kernel's events
 */
struct neigh_table *neigh_open(const char *dev, const char *link, int flows,
			       int recent, const struct netdev_log *log);
/**
 * neigh_turn() - handle events; never waits
 * @n:		the table
 * @keep:	number of the device that gets copies, see keep.h; or 0
 * @now:	ms
 */
void neigh_turn(struct neigh_table *n, int keep, uint64_t now);
/* To poll for events */
int neigh_fd(const struct neigh_table *n);
/* Are there more next hops than NEIGH_MAX? */
bool neigh_is_full(const struct neigh_table *n);
void neigh_close(struct neigh_table *n);

/* For `up`, before the daemon starts: keep the entry on the way to @peer */
int neigh_peer(const char *dev, const char *peer, struct error *error);
/* Make our permanent entries ordinary again; forget them and the peers */
void neigh_release(const char *dev);

#endif
