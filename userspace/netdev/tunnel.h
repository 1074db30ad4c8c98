/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tunnels. A device such as WireGuard's never loses its carrier: the link that
 * fails is that of the device which its packets leave by.
 */
#ifndef NETDEV_TUNNEL_H
#define NETDEV_TUNNEL_H

/**
 * tunnel_lower - which device does a tunnel send by?
 * @ifindex:	number of any device
 *
 * By its configuration, or by the route to its remote end: of WireGuard's peers
 * the first one that has a route. A tunnel over a tunnel is followed down.
 *
 * Return: number of that device; 0: @ifindex is no tunnel that is known;
 * -ENETUNREACH: there is no route now; -EDESTADDRREQ: no remote end is known
 * yet, or its route is the tunnel itself
 */
int tunnel_lower(int ifindex);

#endif
