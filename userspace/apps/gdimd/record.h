/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record.h - what is known of a site now, written into a recording (MCAP)
 *
 * D4.1, section 4: the pose graph, all fused maps, rooms and the latest thermal
 * image; logs also have the latest submap of each layer and the transform that
 * leads to it. Topics are those that went out live, so that what shows these
 * shows recordings; what only logs have is below /gdim/log/.
 *
 *	/gdim/log/graph			nav_msgs/Path: poses of all nodes
 *	/gdim/log/links			tf2_msgs/TFMessage: where each node is
 *	/gdim/log/INPUT			the latest submap of a layer
 *	/gdim/log/submap_transform	from its predecessor to it
 *	/gdim/output/LAYER		nav_msgs/OccupancyGrid, grid_map_msgs/GridMap:
 *					see map_topic.h
 *	/gdim/output/room_information	gdim_msgs/RoomInformation, each room
 *	/gdim/output/thermal_image	sensor_msgs/Image
 */
#ifndef APPS_GDIMD_RECORD_H
#define APPS_GDIMD_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "apps/gdimd/config.h"
#include "base/bytes.h"
#include "base/error.h"
#include "map/site/site.h"

enum { RECORD_LEFT = 256, RECORD_IMAGE_MAX = 32 << 20 };

struct record;

/**
 * record_open() - begin a recording
 * @path:	.mcap, must not exist; rooms are in a text beside it, .txt
 * @config:	frame of the map, and which layers are one grid map; stays
 * @error:	gets one line
 *
 * Return: 0 or a negative errno, and then there are no files.
 */
int record_open(struct record **r, const char *path,
		const struct config *config,
		char error[ERROR_TEXT]);

/**
 * record_write() - all that is known now
 * @submaps:	the latest ones too
 * @image:	a thermal image as CDR, or NULL
 *
 * From any thread. Return: 0; an error of the disk, and then nothing more is
 * written: record_close() is next.
 */
int record_write(struct record *r, struct site *site, bool submaps,
		 const struct bytes *image, int64_t stamp);

/**
 * record_left_out() - layers that the last record_write() had to leave out
 *
 * Maps that are too large for a message, or that could not be read.
 *
 * Return: their names, "a, b"; empty: none.
 */
const char *record_left_out(const struct record *r);

/* All that was written is in the file. Return: 0 or an error of the disk */
int record_flush(struct record *r);

/* Bytes of the .mcap on disk; a megabyte may still wait */
uint64_t record_size(const struct record *r);

/* Return: 0, or an error that was not told before; what is there is readable */
int record_close(struct record *r);

/* Close it, and remove its files: they are not what they should be */
void record_abandon(struct record *r);

#endif
