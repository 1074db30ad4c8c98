/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which participants send through an interface: those of this host, and those
 * whose packets this host forwards.
 */
#ifndef NETDEV_ORIGIN_H
#define NETDEV_ORIGIN_H

#include <stdbool.h>
#include "netdev/route.h"

/**
 * origin_is_foreign - do the packets of a participant never leave by @ifindex?
 * @a:		addresses that it announces
 * @n:		their number, 0: unknown
 * @ifindex:	the interface
 *
 * A participant behind the interface is foreign, and so is one behind another
 * interface if this host does not forward. An unknown one is not.
 */
bool origin_is_foreign(const struct ip_addr *a, int n, int ifindex);

#endif
