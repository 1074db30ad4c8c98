/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * services.h - services of slamd in ROS 2, with the names and types of nav2 and
 * slam_toolbox
 *
 *	/map_saver/save_map		nav2_msgs/SaveMap
 *	/slam_toolbox/save_map		slam_toolbox/SaveMap
 *	/slam_toolbox/dynamic_map	nav_msgs/GetMap: that is being made
 *	/map_server/map			nav_msgs/GetMap: the known one
 *	/slam_toolbox/pause_new_measurements	slam_toolbox/Pause
 *
 * For the thread of the loop.
 */
#ifndef APPS_SLAMD_SERVICES_H
#define APPS_SLAMD_SERVICES_H

#include "apps/slamd/slamd.h"
#include "base/error.h"
#include "base/loop.h"
#include "ros/msg/message.h"

struct slam_services;

/**
 * struct slam_services_config
 * @pause: the scans that follow are not used, or used again; @arg: for it
 */
struct slam_services_config {
	const struct slamd_options	*o;
	void				(*pause)(void *arg, bool on);
	void				*arg;
};

/**
 * slam_services_open() - offer them
 * @error: gets one line
 *
 * Return: 0 and @s; a negative errno.
 */
int slam_services_open(struct slam_services **s, struct loop *loop,
		       const struct slam_services_config *config,
		       struct error *error);
/* NULL is allowed */
void slam_services_close(struct slam_services *s);

/* The map as it was published last; copied. NULL is allowed */
void slam_services_map(struct slam_services *s,
		       const struct message_occupancy_grid *map);

enum { SERVICES_PATH = 4096 };

/**
 * services_path() - where a peer may write a map
 * @folder:	of maps; NULL: nowhere
 * @url:	a name in it, or a path or file:// of it; with or without an ending
 * @path:	gets the path of the picture, with .pgm
 *
 * Return: 0; -EACCES: not in @folder; -EINVAL: no name.
 */
int services_path(const char *folder, const struct message_string *url,
		  char path[SERVICES_PATH]);

#endif
