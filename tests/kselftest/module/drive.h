/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OPTSAMPLE_TEST_DRIVE_H
#define OPTSAMPLE_TEST_DRIVE_H

#include <linux/types.h>

struct net_device;
struct Qdisc;
struct sk_buff;

extern struct net_device *drive_dev;
extern u32 drive_message;	/* the last number a message was given */

__printf(1, 2) void drive_say(const char *fmt, ...);
struct Qdisc *drive_root(void);
int drive_put(struct sk_buff *skb, struct sk_buff **to_free);

#endif
