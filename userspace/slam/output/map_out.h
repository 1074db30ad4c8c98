/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_out.h - the map of a run as files: for map_server and for people
 *
 * Output: NAME.pgm with NAME.yaml, and NAME.png, a figure with axes, a scale
 * bar and the path of the robot: a square is its start, a dot its end.
 */
#ifndef SLAM_OUTPUT_MAP_OUT_H
#define SLAM_OUTPUT_MAP_OUT_H

#include "base/error.h"
#include "base/pose.h"
#include "map/io/map_file.h"

/**
 * struct map_out - what to write
 * @path:	of the .pgm
 * @mode:	MAP_TRINARY suits map_server best; the others keep the values of
 *		cells
 * @title:	of the figure, UTF-8; NULL: the name of the file
 * @raster:	the map
 * @way:	@poses of the path in the map, in order; NULL: none
 */
struct map_out {
	const char		*path;
	enum map_mode		mode;
	const char		*title;
	const struct raster	*raster;
	const struct pose	*way;
	unsigned int		poses;
};

/**
 * map_out_write() - write all three files, or none
 * @error: gets one line
 *
 * Existing files are kept if anything fails.
 *
 * Return: 0; -EINVAL: no cells, or a path without .pgm; others of writing.
 */
int map_out_write(const struct map_out *m, struct error *error);

#endif
