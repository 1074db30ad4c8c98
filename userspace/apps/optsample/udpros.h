/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * UDPROS connections of ROS 1 nodes on this host, as topics: their guid is
 * the name in the classifier's map `writers` (bpf/ros_tag.h).
 */
#ifndef OPTSAMPLE_CTL_UDPROS_H
#define OPTSAMPLE_CTL_UDPROS_H

#include "discovery.h"

struct udpros;

/* Start to ask the master at @uri. Return: NULL after a line on stderr */
struct udpros *udpros_open(const char *uri);
/*
 * Report new and ended connections; never waits. Return: why the master cannot
 * be asked, or NULL
 */
const char *udpros_poll(struct udpros *u, const struct discovery_ops *ops,
			void *arg);
/* Forget what was reported: the next call reports everything */
void udpros_again(struct udpros *u);
void udpros_close(struct udpros *u);

#endif
