/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Neighbour entries of the next hops that sampled flows go to, and of --peer:
 * an entry that expires during an outage makes the stack drop packets above
 * the queue. They are permanent while the link is down, and as long as it
 * stays up; when it comes back, the kernel has to verify them first.
 *
 * neigh_file.h: which were made permanent, for the next daemon and for `down`.
 */
#ifndef OPTSAMPLE_CTL_NEIGH_H
#define OPTSAMPLE_CTL_NEIGH_H

#include "ctl.h"
#include "netlink.h"

enum { NEIGH_MAX = 64, NEIGH_PEERS = 32 };

struct neigh_table;

/**
 * neigh_open - watch the neighbours of an interface
 * @dev:	its name
 * @link:	name of the one whose link counts: @dev, or what it is on
 * @flows:	file descriptors of the maps `flows`
 * @recent:	and `recent`
 *
 * Return: NULL if the kernel's events cannot be heard
 */
struct neigh_table *neigh_open(const char *dev, const char *link, int flows,
			       int recent);
/**
 * neigh_turn - deal with what has happened; never waits
 * @n:		the table
 * @keep:	number of the device that gets the same entries, see keep.h; or 0
 * @now:	ms
 */
void neigh_turn(struct neigh_table *n, int keep, uint64_t now);
/* To poll for events */
int neigh_fd(const struct neigh_table *n);
/* Are there more next hops than NEIGH_MAX? */
bool neigh_is_full(const struct neigh_table *n);
void neigh_close(struct neigh_table *n);

/* For `up`, before the daemon starts: the entry on the way to @peer is wanted */
int neigh_peer(const char *dev, const char *peer);
/* Make ordinary again what was made permanent, and forget it and the peers */
void neigh_release(const char *dev);

#endif
