/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the kernel sends packets for an address, by its routing tables.
 */
#ifndef NETDEV_ROUTE_H
#define NETDEV_ROUTE_H

#include <stdint.h>
#include "base/ip_addr.h"

/**
 * struct route - the route to an address
 * @type:	RTN_LOCAL, RTN_UNICAST, RTN_MULTICAST ...
 * @ifindex:	interface that packets leave by
 * @via:	next hop: the gateway, or the address itself
 */
struct route {
	uint8_t			type;
	int			ifindex;
	struct ip_addr	via;
};

/**
 * route_find - look up the route to @to
 * @to:		the address
 * @mark:	firewall mark of the packets; 0: none
 * @r:		gets it
 *
 * Return: 0 or negative errno: no route
 */
int route_find(const struct ip_addr *to, uint32_t mark, struct route *r);

#endif
