/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * publisher.h - the topics of slamd, for ROS or a recording
 *
 *	/map			nav_msgs/OccupancyGrid, of all scans
 *	/map_metadata		nav_msgs/MapMetaData, of each /map
 *	/slam/pose		nav_msgs/Odometry, of the robot in the map
 *	/slam/path		nav_msgs/Path
 *	/tf			tf2_msgs/TFMessage, of odometry in the map
 *	/gdim/input/slam_submap, /gdim/input/submap_transform: submap_out.h
 *	/gdim/input/pose_graph: graph_out.h
 *
 * The first four are below the robot's name if it has one.
 */
#ifndef APPS_SLAMD_PUBLISHER_H
#define APPS_SLAMD_PUBLISHER_H

#include "base/error.h"
#include "base/loop.h"
#include "ros/msg/message.h"

enum slam_publisher_topic {
	SLAM_PUBLISHER_MAP,
	SLAM_PUBLISHER_METADATA,	/* comes with it */
	SLAM_PUBLISHER_POSE,
	SLAM_PUBLISHER_PATH,
	SLAM_PUBLISHER_TF,
	SLAM_PUBLISHER_SUBMAP,
	SLAM_PUBLISHER_TRANSFORMS,
	SLAM_PUBLISHER_GRAPH,
	SLAM_PUBLISHER_TOPICS,
};

struct slam_publisher;

/**
 * slam_publisher_open() - offer the topics
 * @loop:	for sinks that need it
 * @spec:	as for sink_open()
 * @robot:	its name, NULL: none
 * @error:	gets one line
 *
 * Return: 0 or a negative errno.
 */
int slam_publisher_open(struct slam_publisher **out, struct loop *loop,
			const char *spec, const char *node, const char *robot,
			struct error *error);
/* Return: 0; -EIO: a recording failed, already logged. NULL is allowed */
int slam_publisher_close(struct slam_publisher *out);

/**
 * slam_publisher_publish() - publish a message
 * @stamp: of its contents; the stamp in a recording
 *
 * Return: 0 or a negative errno, already counted.
 */
int slam_publisher_publish(struct slam_publisher *out,
			   enum slam_publisher_topic topic, int64_t stamp,
			   const union message *m);

/* Return: 0; -EIO: messages were dropped, already logged; @out may be NULL */
int slam_publisher_check(const struct slam_publisher *out, const char *spec);

#endif
