/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * link.h - carrier and queue of the device that leads to the receiver
 */
#ifndef LINK_LINK_H
#define LINK_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sockaddr;

/**
 * struct link_stats - a device and its root qdisc
 * @known:	the other fields are valid
 * @carrier:	the device can send
 * @sampling:	the qdisc is optsample
 * @ifindex:	of the device
 * @backlog:	bytes queued
 * @bytes:	bytes sent, wraps at 64 bits
 * @drops:	packets dropped, wraps at 32 bits
 * @counted:	the qdisc is optsample, and these are valid: messages @held now,
 *		the age of the oldest of them, s, and messages that began to
 *		leave, were discarded on arrival by the sampler, and given up
 *		later to make room
 */
struct link_stats {
	bool		known, carrier, sampling;
	int		ifindex;
	uint32_t	backlog, drops;
	uint64_t	bytes;
	bool		counted;
	uint32_t	held;
	double		oldest;
	uint64_t	sent, discarded, evicted;
};

struct link;

/**
 * link_open() - watch the route to an address
 * @to: AF_INET or AF_INET6; copied
 *
 * The route need not exist yet.
 *
 * Return: 0, @link to be freed with link_close(), -EAFNOSUPPORT, -ENOMEM or
 * the error of the netlink socket.
 */
int link_open(const struct sockaddr *to, struct link **link);
void link_close(struct link *link);

/* Read the counters of the sampler, a struct tc_optsample_xstats */
void link_sampler(const void *xstats, size_t len, struct link_stats *s);

/**
 * link_poll() - read the current statistics
 * @now: ns; the route is looked up again every two seconds
 * @stats: @known is false on error
 *
 * The kernel answers immediately: at most three requests.
 *
 * Return: 0, -ENODEV: no route.
 */
int link_poll(struct link *link, uint64_t now, struct link_stats *stats);

#endif
