/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the kernel sends packets for an address, by its routing tables.
 */
#ifndef NETDEV_ROUTE_H
#define NETDEV_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

/* An address of AF_INET or AF_INET6; unused bytes of @addr are 0 */
struct route_addr {
	int	family;
	uint8_t	addr[16];
};

/**
 * struct route - the route to an address
 * @type:	RTN_LOCAL, RTN_UNICAST, RTN_MULTICAST ...
 * @ifindex:	interface that packets leave by
 * @via:	next hop: the gateway, or the address itself
 */
struct route {
	uint8_t			type;
	int			ifindex;
	struct route_addr	via;
};

/* Bytes of an address of @family */
unsigned int route_addr_len(int family);
bool route_same_addr(const struct route_addr *a, const struct route_addr *b);
/* Do the first @bits of two addresses of one family agree? */
bool route_same_prefix(const struct route_addr *a, const struct route_addr *b,
		       int bits);

/**
 * route_find - look up the route to @to
 * @to:		the address
 * @mark:	firewall mark of the packets; 0: none
 * @r:		gets it
 *
 * Return: 0 or negative errno: no route
 */
int route_find(const struct route_addr *to, uint32_t mark, struct route *r);

#endif
