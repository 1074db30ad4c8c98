/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef NETDEV_NETLINK_H
#define NETDEV_NETLINK_H

#include <linux/rtnetlink.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <stdbool.h>
#include "base/error.h"

/**
 * netlink_request - begin a rtnetlink message
 * @type:	RTM_*
 * @flags:	beyond NLM_F_REQUEST | NLM_F_ACK
 * @header:	family header and
 * @size:	its size
 *
 * Return: the message, for netlink_send(); never NULL (no memory: abort)
 */
struct nl_msg *netlink_request(int type, int flags, const void *header,
			       size_t size);

/**
 * netlink_send - send a message, wait for the answer, free the message
 *
 * Return: 0 or negative errno; netlink_why() then has the kernel's message
 */
int netlink_send(struct nl_msg *msg);
const char *netlink_why(int err);

/* Begin a message on a qdisc or filter; the arguments are fields of tcmsg. */
struct nl_msg *netlink_tc(int type, int flags, int ifindex, uint32_t parent,
			  uint32_t handle, uint32_t info);
/*
 * As netlink_send(); @format says what could not be done, the kernel's message
 * follows it.
 */
int netlink_do(struct nl_msg *msg, struct error *error, const char *format,
	       ...) __attribute__((format(printf, 3, 4)));
/*
 * The same for a deletion: what is not there is no error. @what of @dev is the
 * thing to remove.
 */
int netlink_delete(struct nl_msg *msg, const char *what, const char *dev,
		   struct error *error);

/* Called with each message of an answer. Return: 0 to go on, 1 to stop */
typedef int (*netlink_fn)(struct nlmsghdr *h, void *arg);
/* As netlink_send(), and @fn gets the answer */
int netlink_ask(struct nl_msg *msg, netlink_fn fn, void *arg);
int netlink_dump(int type, const void *header, size_t size, netlink_fn fn,
		 void *arg);

/**
 * netlink_ifindex - index of a network device, without side effects
 * @name:	its name; "" is no device's
 *
 * if_nametoindex() makes the kernel run modprobe twice for a name that no
 * device has. netlink_why() keeps the message of the last error.
 *
 * Return: the index, or 0: there is no such device
 */
unsigned int netlink_ifindex(const char *name);

/* Is there a device @name, and is it set up? */
bool netlink_is_up(const char *name);

/* A non-blocking socket that joins @group (RTNLGRP_*); NULL on failure */
struct nl_sock *netlink_listen(int group);
/* Process events. Return: 0, or -ENOBUFS: some were lost */
int netlink_receive(struct nl_sock *sk, netlink_fn fn, void *arg);

#endif
