/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ros2_graph.h - make this process visible as a node: ros2 node list, info
 *
 * A participant writes its nodes and their endpoints to ros_discovery_info,
 * TRANSIENT_LOCAL and KEEP_LAST 1, as
 * rmw_dds_common/msg/ParticipantEntitiesInfo. Here all endpoints of this
 * process in a domain belong to one node.
 *
 * A GID has 16 bytes since ROS 2 Iron and had 24 before: the longer one is used
 * if ROS_DISTRO is humble, galactic or foxy.
 */
#ifndef ROS_IO_ROS2_GRAPH_H
#define ROS_IO_ROS2_GRAPH_H

#include "base/error.h"
#include "ros/io/ros2.h"

struct ros2_graph;

/**
 * ros2_graph_open() - publish the node
 * @ros: must stay joined
 * @node: name of the node, /gdim/gdimd; in / if it has no slash
 *
 * Return: 0; -EINVAL: an invalid name; other negative errno. With one line in
 * @error.
 */
int ros2_graph_open(struct ros2_graph **graph, struct ros2 *ros,
		    const char *node, struct error *error);
void ros2_graph_close(struct ros2_graph *g);

/**
 * ros2_graph_update() - publish the current topics and services
 *
 * To be called after some were opened or closed; without a change nothing is
 * sent.
 *
 * Return: 0 or a negative errno; then the last publication stays valid.
 */
int ros2_graph_update(struct ros2_graph *g);

#endif
