/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * submap_out.h - submaps, maps and poses as ROS messages, in the form that
 * gdimd takes
 *
 *	/gdim/input/slam_submap		nav_msgs/OccupancyGrid, in the frame of
 *					the submap: PREFIX and its number
 *	/gdim/input/submap_transform	tf2_msgs/TFMessage: where these frames
 *					are in the map
 *
 * Every transform is the one to the map, not to the submap before: a lost one
 * does not affect others, and tolerances do not add up. Its stamp is that of
 * the submap, as gdimd needs it for "match". A submap that is drawn again keeps
 * its stamp, and replaces the old one.
 *
 * Messages point into buffers of struct submap_out, and are valid until the
 * next one is made.
 */
#ifndef SLAM_OUTPUT_SUBMAP_OUT_H
#define SLAM_OUTPUT_SUBMAP_OUT_H

#include "base/error.h"
#include "map/store/store.h"
#include "map/io/map_message.h"
#include "ros/msg/message.h"
#include "slam/output/submaps.h"
#include "slam/output/trajectory.h"

enum {
	SUBMAP_OUT_NUMBER	= 11,		/* digits and the final 0 */
	SUBMAP_OUT_WAY		= 1 << 14,	/* poses of a path */
};

#define SUBMAP_OUT_SUBMAPS	"/gdim/input/slam_submap"
#define SUBMAP_OUT_TRANSFORMS	"/gdim/input/submap_transform"

/**
 * struct submap_out - names, and memory that is reused
 * @map:	frame of the map
 * @robot:	frame of the robot
 * @prefix:	of the frames of submaps
 */
struct submap_out {
	char				map[STORE_FRAME], robot[STORE_FRAME], prefix[STORE_FRAME];
	/* private */
	struct map_room			room;
	char				frame[STORE_FRAME];
	char				(*frames)[STORE_FRAME];
	struct message_transform	*transform;
	uint32_t			transform_room, frame_room;
	struct message_pose_stamped	*way;
};

/**
 * submap_out_init() - begin
 * @map, @robot: frame ids
 * @prefix: of the frames of submaps; unique for each robot
 * @error: gets one line
 *
 * Return: 0, to be freed with submap_out_free(); -EINVAL: invalid names, or a
 * prefix that can produce the name of the map or the robot.
 */
int submap_out_init(struct submap_out *out, const char *map, const char *robot,
		    const char *prefix, struct error *error);
void submap_out_free(struct submap_out *out);

/* Frame id of a submap */
void submap_out_frame(const struct submap_out *out, uint32_t number,
		      char frame[STORE_FRAME]);

/**
 * submap_out_grid() - the cells of a submap: nav_msgs/OccupancyGrid
 * @number, @submap: which one
 * @o:		of submaps_draw()
 *
 * Return: 0; -ENODATA: empty; -E2BIG, -ENOMEM; and a line.
 */
int submap_out_grid(struct submap_out *out, uint32_t number,
		    const struct submap *submap, const struct occupancy *o,
		    union message *m, struct error *error);

/* The map from all scans; its frame is that of the map */
int submap_out_map(struct submap_out *out, const struct occupancy *o,
		   int64_t stamp, union message *m,
		   struct error *error);

/**
 * submap_out_transforms() - poses of submaps: tf2_msgs/TFMessage
 * @list:	numbers, @count of them
 * @all:	also those that did not move
 *
 * Return: the number of transforms in @m; 0: none to send; -ENOMEM and a line.
 */
int submap_out_transforms(struct submap_out *out, const struct submaps *s,
			  const uint32_t *list, uint32_t count, bool all,
			  union message *m, struct error *error);

/* The pose of the robot in the map: nav_msgs/Odometry, the rest of it is 0.
 * @covariance: of x, y and yaw: xx, xy, xt, yy, yt, tt
 */
void submap_out_pose(const struct submap_out *out, int64_t stamp,
		     const struct pose *pose, const double covariance[6],
		     union message *m);

/**
 * submap_out_drift() - pose of the odometry frame: tf2_msgs/TFMessage
 * @odom:	that frame's id
 * @pose:	of the robot in the map
 * @odometry:	of the robot in @odom, at the same time
 * @t:		that @m points to
 */
void submap_out_drift(const struct submap_out *out, const char *odom,
		      int64_t stamp, const struct pose *pose,
		      const struct pose *odometry,
		      struct message_transform *t, union message *m);

/**
 * submap_out_way() - the path of the robot: nav_msgs/Path
 * @point: @count of them; of more than SUBMAP_OUT_WAY only every n-th one, and
 *	the last one
 * @stamp: of the path
 *
 * Return: 0; -ENOMEM and a line.
 */
int submap_out_way(struct submap_out *out,
		   const struct trajectory_point *point, uint32_t count,
		   int64_t stamp, union message *m,
		   struct error *error);

#endif
