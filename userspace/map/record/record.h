/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record.h - write the current state of a site into a recording (MCAP)
 *
 * D4.1, section 4: the pose graph, all fused maps, rooms and the latest thermal
 * image; logs also have the latest submap of each layer and the transform to
 * it. Topics are the live ones, so that the same viewers show recordings;
 * topics that only logs have are below /gdim/log/.
 *
 *	/gdim/log/graph			nav_msgs/Path: poses of all nodes
 *	/gdim/log/links			tf2_msgs/TFMessage: where each node is
 *	/gdim/log/INPUT			the latest submap of a layer
 *	/gdim/log/submap_transform	from its predecessor to it
 *	/gdim/output/LAYER		nav_msgs/OccupancyGrid,
 *					grid_map_msgs/GridMap: see map_topic.h
 *	/gdim/output/room_information	gdim_msgs/RoomInformation, each room
 *	/gdim/output/thermal_image	sensor_msgs/Image
 */
#ifndef MAP_RECORD_RECORD_H
#define MAP_RECORD_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/bytes.h"
#include "base/error.h"
#include "map/ros/map_config.h"
#include "map/site/site.h"

enum { RECORD_LEFT = 256, RECORD_IMAGE_MAX = 32 << 20 };

struct record;

/**
 * record_open() - create a recording
 * @path:	.mcap, must not exist; a text of rooms is next to it, .txt
 * @config:	frame of the map, and which layers are one grid map; must
 *		outlive @r
 * @error:	gets one line
 *
 * Return: 0; a negative errno, then there are no files.
 */
int record_open(struct record **r, const char *path,
		const struct map_config *config, struct error *error);

/**
 * record_write() - append the current state
 * @submaps:	with the latest submaps
 * @image:	a thermal image as CDR, or NULL
 *
 * From any thread. Return: 0; an error of the disk: nothing more can be
 * written, call record_close().
 */
int record_write(struct record *r, struct site *site, bool submaps,
		 const struct bytes *image, int64_t stamp);

/**
 * record_left_out() - layers that the last record_write() left out
 *
 * Maps that are too large for a message, or that could not be read.
 *
 * Return: their names, "a, b"; empty: none.
 */
const char *record_left_out(const struct record *r);

/* Write all to the file. Return: 0 or an error of the disk */
int record_flush(struct record *r);

/* Bytes of the .mcap on disk; up to a megabyte more is buffered */
uint64_t record_size(const struct record *r);

/* Return: 0, or an error not yet returned; the file is readable anyway */
int record_close(struct record *r);

/* Close it and remove its files */
void record_abandon(struct record *r);

#endif
