/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * UDPROS connections of ROS 1 nodes on this host, as topics: their guid is
 * the name in the classifier's map `writers` (bpf/ros_tag.h).
 */
#ifndef TOPICS_UDPROS_WATCH_H
#define TOPICS_UDPROS_WATCH_H

#include "topics/discovery.h"

struct udpros_watch;

enum { UDPROS_WATCH_MS = 2000 };

/**
 * udpros_watch_open() - start to query a master
 * @uri:	its URI
 * @every_ms:	time between two queries, ms; usually UDPROS_WATCH_MS
 *
 * Return: NULL if no thread can be started.
 */
struct udpros_watch *udpros_watch_open(const char *uri, unsigned int every_ms,
				       struct error *error);
/*
 * Report new and ended connections; never waits. Return: why the master cannot
 * be asked, or NULL
 */
const char *udpros_watch_poll(struct udpros_watch *u,
			      const struct discovery_ops *ops, void *arg);
/* Forget what was reported: the next call reports everything */
void udpros_watch_forget(struct udpros_watch *u);
void udpros_watch_close(struct udpros_watch *u);

#endif
