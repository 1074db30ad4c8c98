/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Neighbour entries of the peers: an entry that expires during an outage
 * makes the stack drop packets above the queue, so they are made permanent.
 * DEV.neigh remembers which were not before.
 */
#ifndef OPTSAMPLE_CTL_NEIGH_H
#define OPTSAMPLE_CTL_NEIGH_H

#include "ctl.h"
#include "netlink.h"

/* Make permanent what is in use on @dev now. Return: 0 or negative errno */
int neigh_fix_all(const char *dev);
/* netlink_fn for RTM_NEWNEIGH messages; @arg: the interface's name */
int neigh_fix_event(struct nlmsghdr *h, void *arg);
/* Ask for @peer's link address, so that it becomes an entry in use */
int neigh_poke(const char *dev, const char *peer);
/* Make ordinary again what was made permanent, forget it. @ifindex: of @dev */
void neigh_release(const char *dev, int ifindex);

#endif
