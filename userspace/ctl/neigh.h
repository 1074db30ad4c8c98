/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Neighbour entries of the next hops that sampled flows go to, and of --peer:
 * an entry that expires during an outage makes the stack drop packets above
 * the queue. They are permanent while the link is down, and as long as it
 * stays up; when it comes back, the kernel has to verify them first.
 *
 * DEV.neigh lists which were made permanent, and the peers ("peer ADDRESS").
 */
#ifndef OPTSAMPLE_CTL_NEIGH_H
#define OPTSAMPLE_CTL_NEIGH_H

#include "ctl.h"
#include "netlink.h"

enum { NEIGH_MAX = 64 };

struct neigh_table;

/**
 * neigh_open - watch the neighbours of an interface
 * @dev:	its name
 * @flows:	file descriptor of the map `flows`
 *
 * Return: NULL if the kernel's events cannot be heard
 */
struct neigh_table *neigh_open(const char *dev, int flows);
/* Deal with what has happened; never waits. @now: ms */
void neigh_turn(struct neigh_table *n, uint64_t now);
/* Were there more next hops than NEIGH_MAX? */
bool neigh_is_full(const struct neigh_table *n);
void neigh_close(struct neigh_table *n);

/* For `up`: @peer is to be resolved, and its entry is wanted from now on */
int neigh_peer(const char *dev, const char *peer);
/* Make ordinary again what was made permanent, forget it. @ifindex: of @dev */
void neigh_release(const char *dev, int ifindex);

#endif
