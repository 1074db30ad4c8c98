/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * publisher.h - the topics of slamd, in ROS or in a recording
 *
 *	/map			nav_msgs/OccupancyGrid, of all scans
 *	/slam/pose		nav_msgs/Odometry, of the robot in the map
 *	/slam/path		nav_msgs/Path
 *	/tf			tf2_msgs/TFMessage, of odometry in the map
 *	/gdim/input/slam_submap, /gdim/input/submap_transform: submap_out.h
 *
 * The first three are below the robot's name if it has one.
 */
#ifndef APPS_SLAMD_PUBLISHER_H
#define APPS_SLAMD_PUBLISHER_H

#include "base/loop.h"
#include "ros/msg/message.h"

enum { OUTLET_ERROR = 256 };

enum outlet_topic {
	OUTLET_MAP, OUTLET_POSE, OUTLET_PATH, OUTLET_TF, OUTLET_SUBMAP,
	OUTLET_TRANSFORMS, OUTLET_TOPICS,
};

struct outlet;

/**
 * outlet_open() - begin
 * @loop:	for sinks that need it
 * @spec:	as for sink_open()
 * @robot:	its name, NULL: it has none
 * @error:	gets one line
 *
 * Return: 0 or a negative errno.
 */
int outlet_open(struct outlet **out, struct loop *loop, const char *spec,
		const char *node, const char *robot, char error[OUTLET_ERROR]);
/* Return: 0; -EIO: a recording is not whole, which was told. NULL is allowed */
int outlet_close(struct outlet *out);

/**
 * outlet_publish() - a message
 * @stamp: of what it is about; recordings are by it
 *
 * Return: 0 or a negative errno, which was counted.
 */
int outlet_publish(struct outlet *out, enum outlet_topic topic, int64_t stamp,
		   const union message *m);

/* Whether all went out. Return: 0, -EIO after one line; @out may be NULL */
int outlet_check(const struct outlet *out, const char *spec);

#endif
