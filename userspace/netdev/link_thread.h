/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The daemon's thread for neighbours and addresses of an interface: it reacts
 * to the kernel's events at once, even if DDS is busy.
 */
#ifndef NETDEV_LINK_THREAD_H
#define NETDEV_LINK_THREAD_H

#include "netdev/keep.h"

struct link_thread;

/**
 * struct link_report - status for the user
 * @crowded:	more than NEIGH_MAX next hops
 * @kept:	addresses that the interface lacks, or ""
 */
struct link_report {
	bool	crowded;
	char	kept[KEEP_TEXT];
};

/**
 * link_thread_start() - watch an interface
 * @dev:	its name
 * @link:	name of the interface whose link counts: @dev, or the one below
 * @flows:	file descriptors of the classifier's maps `flows`
 * @recent:	and `recent`
 * @log:	gets warnings, from the thread
 *
 * Return: NULL if it cannot subscribe to the kernel's events
 */
struct link_thread *link_thread_start(const char *dev, const char *link,
				      int flows, int recent,
				      const struct netdev_log *log);
/* Return: whether @report has changed since the last call */
bool link_thread_report(struct link_thread *t, struct link_report *report);
void link_thread_stop(struct link_thread *t);

#endif
