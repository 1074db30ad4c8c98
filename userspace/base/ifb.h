/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ifb.h - names of the devices that `optsample up` makes
 */
#ifndef BASE_IFB_H
#define BASE_IFB_H

#include <net/if.h>
#include <stdio.h>
#include <string.h>

/* PREFIX and DEV; a long name is cut, with a hash of all of it */
static inline void ifb_prefixed(const char *prefix, const char *dev,
				char name[IF_NAMESIZE])
{
	int room = IF_NAMESIZE - 1 - strlen(prefix);
	unsigned int hash = 5381;

	if ((int)strlen(dev) <= room) {
		snprintf(name, IF_NAMESIZE, "%s%.*s", prefix, room, dev);
		return;
	}
	for (const char *c = dev; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	snprintf(name, IF_NAMESIZE, "%s%.*s%05x", prefix, room - 5, dev,
		 hash & 0xfffff);
}

/* The queue of DEV: opt-DEV */
static inline void ifb_name(const char *dev, char name[IF_NAMESIZE])
{
	ifb_prefixed("opt-", dev, name);
}

/* The device that keeps the addresses of DEV: keep-DEV */
static inline void keep_name(const char *dev, char name[IF_NAMESIZE])
{
	ifb_prefixed("keep-", dev, name);
}

/* The ipvlan on DEV with the robot's own addresses: own-DEV */
static inline void own_name(const char *dev, char name[IF_NAMESIZE])
{
	ifb_prefixed("own-", dev, name);
}

#endif
