/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ros1_topics.h - list the published topics, by the ROS 1 master
 */
#ifndef ROS_IO_ROS1_TOPICS_H
#define ROS_IO_ROS1_TOPICS_H

#include "ros/ros1/ros1.h"

struct ros1_topics;

/**
 * ros1_topics_open() - prepare to query the master of a node
 * @topic: called for each topic with its type, as the master has them: not
 *	checked
 */
struct ros1_topics *ros1_topics_open(struct ros1 *node,
				     void (*topic)(void *arg, const char *name,
						   const char *type),
				     void *arg);

/* Query now, unless a query is pending. It answers from ros1_run(). */
void ros1_topics_ask(struct ros1_topics *t);

/* Before the node is destroyed */
void ros1_topics_close(struct ros1_topics *t);

#endif
