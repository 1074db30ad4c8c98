/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The daemon's thread for neighbours and addresses of an interface: it acts on
 * the kernel's events at once, whatever DDS is doing meanwhile.
 */
#ifndef OPTSAMPLE_CTL_LINK_THREAD_H
#define OPTSAMPLE_CTL_LINK_THREAD_H

#include "keep.h"

struct link_thread;

/**
 * struct link_report - what there is to say
 * @crowded:	more than NEIGH_MAX next hops
 * @kept:	addresses that the interface does not have, or ""
 */
struct link_report {
	bool	crowded;
	char	kept[KEEP_TEXT];
};

/**
 * link_thread_start - watch an interface
 * @dev:	its name
 * @link:	name of the one whose link counts: @dev, or what it is on
 * @flows:	file descriptors of the classifier's maps `flows`
 * @recent:	and `recent`
 *
 * Return: NULL if the kernel's events cannot be heard
 */
struct link_thread *link_thread_start(const char *dev, const char *link,
				      int flows, int recent);
/* Return: whether there is something new in @report since the last time */
bool link_thread_report(struct link_thread *t, struct link_report *report);
void link_thread_stop(struct link_thread *t);

#endif
