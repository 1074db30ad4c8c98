/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map.h - an occupancy grid in memory, as in nav_msgs/OccupancyGrid
 */
#ifndef CODEC_GRID_MAP_H
#define CODEC_GRID_MAP_H

#include <stddef.h>
#include <stdint.h>

enum {
	MAP_SIDE_MAX	= 65535,	/* cells */
	MAP_UNKNOWN	= -1,
	MAP_FREE	= 0,
	MAP_OCCUPIED	= 100,
};

/**
 * struct map - the caller owns @cells
 * @width:	columns, along the map's x axis
 * @height:	rows
 * @resolution:	side of a cell, m
 * @x, @y, @yaw: pose of the outer corner of the first cell, m and rad
 * @cells:	[row * width + column], MAP_UNKNOWN or MAP_FREE..MAP_OCCUPIED
 */
struct map {
	unsigned int	width, height;
	float		resolution;
	double		x, y, yaw;
	int8_t		*cells;
};

/**
 * map_from_pgm() - read an image as map_server does in its trinary mode
 * @pgm: @len bytes of a file: P5, 8 bit
 * @cells: memory for @max cells
 *
 * With the usual thresholds: occupied above 0.65, free below 0.196. Sets width,
 * height and cells of @map, and nothing else.
 *
 * Return: 0; -EINVAL: not such a file, -E2BIG: @max is too small.
 */
int map_from_pgm(struct map *map, int8_t *cells, size_t max, const void *pgm,
		 size_t len);

#endif
