/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * own-DEV: an ipvlan (mode l2) on DEV with addresses of the robot's own. Unless
 * a network manager is configured to manage every device, it neither removes
 * these addresses nor sets the device down. own-DEV has DEV's link address and
 * carrier, and is removed when DEV is unplugged.
 */
#ifndef NETDEV_OWN_H
#define NETDEV_OWN_H

#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"
#include "base/ip_addr.h"

enum {
	OWN_ADDRS	= 4,
	OWN_TEXT	= 64,
	OWN_LIST	= OWN_ADDRS * OWN_TEXT,
	/* Linux sets an ipvlan's carrier a moment after DEV's. */
	OWN_SETTLE_MS	= 100,
};

/**
 * struct own_addr - an address of the robot's own
 * @addr:	address
 * @plen:	length of its prefix, bits
 */
struct own_addr {
	struct ip_addr	addr;
	uint8_t			plen;
};

/**
 * struct own_addrs - addresses of own-DEV
 * @n:		their number
 */
struct own_addrs {
	int		n;
	struct own_addr	v[OWN_ADDRS];
};

/* Add ADDRESS/PREFIX. Return: 0 or a negative errno */
int own_parse(const char *text, struct own_addrs *a, struct error *error);
/* ADDRESS/PREFIX */
void own_addr_text(const struct own_addr *a, char text[OWN_TEXT]);
/* All of them, with commas between them */
void own_text(const struct own_addrs *a, char text[OWN_LIST]);

/**
 * own_check() - can DEV carry own-DEV, and are the addresses free?
 * @dev:	name of own-DEV, which may exist
 * @lower:	name of DEV
 * @a:		addresses; a subnet of another device is refused, as packets
 *		could leave by either of both
 *
 * Return: 0 or a negative errno.
 */
int own_check(const char *dev, const char *lower, const struct own_addrs *a,
	      struct error *error);

/**
 * own_add() - make own-DEV, with its addresses, and set it up
 * @dev:	its name
 * @lower:	name of DEV
 * @a:		addresses
 *
 * On failure nothing is undone. Return: 0 or a negative errno.
 */
int own_add(const char *dev, const char *lower, const struct own_addrs *a,
	    struct error *error);

/* Do @a and @b have the same addresses? Prefixes may differ. */
bool own_same(const struct own_addrs *a, const struct own_addrs *b);
/* Is interface @ifindex an ipvlan? */
bool own_is_ipvlan(int ifindex);
/* Is device @dev on @lower, and not on an earlier device of that name? */
bool own_is_on(const char *dev, const char *lower);
/* Does interface @ifindex have all of @a? */
bool own_has(int ifindex, const struct own_addrs *a);

#endif
