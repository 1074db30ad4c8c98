/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Network devices: their kind, and those that we make.
 */
#ifndef NETDEV_DEVICE_H
#define NETDEV_DEVICE_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"

bool device_is_wireless(const char *dev);
/* true for Wi-Fi as well */
bool device_is_ethernet(const char *dev);
/* Is it part of a bridge, bond or VRF? */
bool device_has_master(const char *dev);
/**
 * device_is_port() - does a bridge, bond or other master send by a device?
 * @dev:	its name
 * @master:	gets the name of the master
 *
 * Such a master drops packets while @dev has no carrier, before they could be
 * queued. A VRF does not count.
 */
bool device_is_port(const char *dev, char master[IFNAMSIZ]);
/* What IFLA_INFO_KIND says of interface @ifindex, such as "ipvlan" */
bool device_is_kind(int ifindex, const char *kind);

/* Write a setting of IPv6; without IPv6 in the kernel there is none */
void device_set_ipv6(const char *dev, const char *name, const char *value);

/* Return: 0 or a negative errno, see netlink_why(); -EOPNOTSUPP: no @kind */
int device_add(const char *name, const char *kind);
/* Set it up */
int device_up(const char *name, struct error *error);
/**
 * device_up_dormant() - set it up, without an address of its own
 * @name:	of the device
 *
 * Dormant, so that DHCP clients ignore it and DDS does not take it for a
 * network. Queue and routing tables do not depend on it.
 */
int device_up_dormant(const char *name, struct error *error);
/* One that does not exist is no error. */
int device_delete(const char *name, struct error *error);

/**
 * device_send_by() - by which device one of the module's link type sends
 * @ifindex:	its number
 * @lower:	number of that device, 0: none
 * @source:	source address of all its packets, NULL: unchanged
 *
 * Return: 0 or a negative errno, see netlink_why().
 */
int device_send_by(int ifindex, int lower, const uint8_t source[6]);

#endif
