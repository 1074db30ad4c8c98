/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests to a family of generic netlink, for one interface.
 */
#ifndef NETDEV_GENL_H
#define NETDEV_GENL_H

#include <netlink/netlink.h>

/**
 * struct genl_family - a family, and how it names an interface
 * @name:	such as nl80211
 * @version:	of its commands
 * @ifindex:	attribute for the number of the interface
 * @max:	its largest attribute, GENL_ATTRS at most
 */
struct genl_family {
	const char	*name;
	int		version;
	int		ifindex;
	int		max;
};

enum { GENL_ATTRS = 1023 };

extern const struct genl_family genl_nl80211, genl_wireguard;

/**
 * genl_ask - send one request, wait for the answer, 2 s at most
 * @family:	of the command
 * @ifindex:	number of the interface
 * @cmd:	the command
 * @flags:	NLM_F_DUMP, or 0
 * @fn:		called with the attributes of each message of the answer
 * @arg:	for @fn
 *
 * Return: 0 or a negative errno: -ENOENT without the family, -EIO if it refuses
 */
int genl_ask(const struct genl_family *family, int ifindex, int cmd, int flags,
	     void (*fn)(struct nlattr *tb[], void *arg), void *arg);

#endif
