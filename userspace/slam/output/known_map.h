/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * known_map.h - a map that was made before: from a picture with a .yaml, or
 * from the store of gdimd
 */
#ifndef SLAM_OUTPUT_KNOWN_MAP_H
#define SLAM_OUTPUT_KNOWN_MAP_H

#include "base/error.h"
#include "map/io/map_file.h"
#include "ros/msg/message.h"
#include "slam/filter/walls.h"

/**
 * struct known_map
 * @cells:	0..100, -1: unknown
 * @walls:	the middle of each occupied cell that is next to a free one
 */
struct known_map {
	struct map_file	cells;
	struct walls	walls;
};

/**
 * known_map_read() - read a map
 * @path: NAME.yaml; or NAME.db, of which the layer slam_map is read, or
 *	else the first one of obstacles
 * @error: gets one line
 *
 * Return: 0 and @m, to be freed with known_map_free(); -EINVAL: another ending;
 * -ENODATA: no walls, or no such layer; others of reading.
 */
int known_map_read(struct known_map *m, const char *path, struct error *error);
void known_map_free(struct known_map *m);

/* The map in a raster of 0..100, -1: unknown. Return: as known_map_read() without a
 * line; to be freed likewise
 */
int known_map_raster(struct known_map *m, const struct raster *r);

/* Find the walls of @m->cells. Return: 0; -ENOMEM */
int known_map_find_walls(struct known_map *m);

/* As nav_msgs/OccupancyGrid; @out points to the cells of @m */
void known_map_message(const struct known_map *m, int64_t stamp,
		       const char *frame, union message *out);

#endif
