/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests to nl80211 for one interface.
 */
#ifndef OPTSAMPLE_CTL_NL80211_H
#define OPTSAMPLE_CTL_NL80211_H

#include <linux/nl80211.h>
#include <netlink/netlink.h>

/**
 * nl80211_ask - send one request, wait for the answer, 2 s at most
 * @ifindex:	number of the interface
 * @cmd:	NL80211_CMD_*
 * @flags:	NLM_F_DUMP, or 0
 * @fn:		called with the attributes of each message of the answer
 * @arg:	for @fn
 *
 * Return: 0 or a negative errno: -ENOENT without nl80211, -EIO if it refuses
 */
int nl80211_ask(int ifindex, int cmd, int flags,
		void (*fn)(struct nlattr *tb[], void *arg), void *arg);

#endif
