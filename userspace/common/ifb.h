/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ifb.h - what the queue of a device is called that `optsample up` makes
 */
#ifndef COMMON_IFB_H
#define COMMON_IFB_H

#include <net/if.h>
#include <stdio.h>
#include <string.h>

/* opt-DEV; of a long name the beginning, and a hash of all of it */
static inline void ifb_name(const char *dev, char name[IF_NAMESIZE])
{
	unsigned int hash = 5381;

	if (strlen(dev) <= IF_NAMESIZE - 5) {
		snprintf(name, IF_NAMESIZE, "opt-%.11s", dev);
		return;
	}
	for (const char *c = dev; *c; c++)
		hash = hash * 33 + (unsigned char)*c;
	snprintf(name, IF_NAMESIZE, "opt-%.6s%05x", dev, hash & 0xfffff);
}

#endif
