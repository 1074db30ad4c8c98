/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * services.h - services of slamd in ROS 2, with the names and types of nav2 and
 * slam_toolbox
 *
 *	/map_saver/save_map		nav2_msgs/SaveMap
 *	/map_server/map			nav_msgs/GetMap
 *	/map_server/load_map		nav2_msgs/LoadMap
 *	/slam_toolbox/save_map		slam_toolbox/SaveMap
 *	/slam_toolbox/dynamic_map	nav_msgs/GetMap
 *	/slam_toolbox/pause_new_measurements	slam_toolbox/Pause
 *	/slam_toolbox/reset		slam_toolbox/Reset
 *	/slam_toolbox/serialize_map	slam_toolbox/SerializePoseGraph
 *	/slam_toolbox/deserialize_map	slam_toolbox/DeserializePoseGraph
 *	/slam_toolbox/get_state, change_state, get_available_states,
 *	get_available_transitions	lifecycle_msgs
 *
 * What takes longer is done elsewhere, one request at a time, and is answered
 * when it is done.
 *
 * For the thread of the loop.
 */
#ifndef APPS_SLAMD_SERVICES_H
#define APPS_SLAMD_SERVICES_H

#include "apps/slamd/command.h"
#include "apps/slamd/slamd.h"
#include "base/error.h"
#include "base/loop.h"
#include "ros/msg/message.h"

struct slam_services;

/**
 * struct slam_services_config
 * @pause:	the scans that follow are not used, or used again
 * @command:	to be done, and answered by slam_services_done(); copied
 * @arg:	for both
 */
struct slam_services_config {
	const struct slamd_options	*o;
	void				(*pause)(void *arg, bool on);
	void				(*command)(void *arg,
						   const struct slam_command *c);
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

/* What became of the command. @err: 0; a negative errno, already logged */
void slam_services_done(struct slam_services *s, int err);

/* Requests that were refused, or failed. NULL is allowed */
uint64_t slam_services_refused(const struct slam_services *s);

/**
 * services_folder() - whether peers can use a folder
 * @path: NULL: there is none
 *
 * Return: 0; -ENOENT, -ENOTDIR, -EACCES and others, with one line in @error: it
 * is no folder that can be written to.
 */
int services_folder(const char *path, struct error *error);

/**
 * enum services_file - what a peer names
 * @SERVICES_PICTURE: written: NAME.pgm
 * @SERVICES_MAP:	read: NAME.yaml or NAME.db
 * @SERVICES_CHECKPOINT: NAME.ckpt
 */
enum services_file { SERVICES_PICTURE, SERVICES_MAP, SERVICES_CHECKPOINT };

/**
 * services_path() - where a peer may read or write a file
 * @folder:	of maps; NULL: nowhere
 * @url:	a name in it, or a path or file:// of it; with or without an ending
 * @path:	gets the path, with the ending of the kind
 *
 * Return: 0; -EACCES: not in @folder; -EINVAL: no name, or one that
 * is not UTF-8 or has control characters.
 */
int services_path(const char *folder, const struct message_string *url,
		  enum services_file kind, char path[COMMAND_PATH]);

#endif
