/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ros2_graph.h - to be seen as a node: ros2 node list, ros2 node info
 *
 * The nodes of a participant and their endpoints are what it writes to
 * ros_discovery_info, TRANSIENT_LOCAL and KEEP_LAST 1, as
 * rmw_dds_common/msg/ParticipantEntitiesInfo. All of this process in a domain
 * is one node here.
 *
 * A GID has 16 bytes since ROS 2 Iron and had 24 before: ROS_DISTRO says so if
 * it is humble, galactic or foxy.
 */
#ifndef ROS_IO_ROS2_GRAPH_H
#define ROS_IO_ROS2_GRAPH_H

#include "base/error.h"
#include "ros/io/ros2.h"

struct ros2_graph;

/**
 * ros2_graph_open() - appear
 * @ros: must stay joined
 * @node: name of the node, /gdim/gdimd; in / if it has no slash
 *
 * Return: 0; -EINVAL: no name for a node; other negative errno. With one line
 * in @error.
 */
int ros2_graph_open(struct ros2_graph **graph, struct ros2 *ros,
		    const char *node, char error[ERROR_TEXT]);
void ros2_graph_close(struct ros2_graph *g);

/**
 * ros2_graph_update() - say which topics and services there are now
 *
 * To be called after some were opened or closed; what is as it was is not said
 * again.
 *
 * Return: 0 or a negative errno; what was said before stays.
 */
int ros2_graph_update(struct ros2_graph *g);

#endif
