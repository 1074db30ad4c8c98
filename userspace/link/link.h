/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * link.h - the device that leads to the receiver: its carrier and its queue
 */
#ifndef LINK_LINK_H
#define LINK_LINK_H

#include <stdbool.h>
#include <stdint.h>

struct sockaddr;

/**
 * struct link_stats - a device and its root qdisc
 * @known:	the rest says something
 * @carrier:	the device can send
 * @sampling:	the qdisc is optsample
 * @ifindex:	of the device
 * @backlog:	bytes that wait
 * @bytes:	that left, wraps at 64 bits
 * @drops:	wraps at 32 bits
 */
struct link_stats {
	bool		known, carrier, sampling;
	int		ifindex;
	uint32_t	backlog, drops;
	uint64_t	bytes;
};

struct link;

/**
 * link_open() - watch the way to an address
 * @to: AF_INET or AF_INET6; copied
 *
 * There need not be a route yet.
 *
 * Return: 0, @link to be freed with link_close(), -EAFNOSUPPORT, -ENOMEM or
 * what the netlink socket says.
 */
int link_open(const struct sockaddr *to, struct link **link);
void link_close(struct link *link);

/**
 * link_poll() - statistics, now
 * @now: ns; the route is looked up anew every two seconds
 * @stats: on error @known is false
 *
 * The kernel answers at once: three requests at most.
 *
 * Return: 0, -ENODEV: no device leads there.
 */
int link_poll(struct link *link, uint64_t now, struct link_stats *stats);

#endif
