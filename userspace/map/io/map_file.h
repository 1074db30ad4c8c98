/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_file.h - maps as ROS keeps them: a picture and a .yaml beside it
 *
 * Out: what map_server, of ROS 1 and 2, loads. In: what it loads, read as the
 * map_server of nav2 does. A picture begins at its top, a map at the bottom.
 */
#ifndef MAP_IO_MAP_FILE_H
#define MAP_IO_MAP_FILE_H

#include <stdint.h>
#include "base/error.h"
#include "base/pose.h"
#include "map/fusion/raster.h"

/**
 * enum map_mode - what is in the picture
 * @MAP_TRINARY_GREY: who wants the values gets them: map_file_grey(); 16 bits
 *	are rounded to one part in 100. Unknown is 205, no value is. map_server
 *	reads free below 0.196, which 205 is as grey, and occupied above 0.65;
 *	all between is unknown to it: map_file_undecided()
 * @MAP_TRINARY: for map_server: below half free 254, from 0.65 on occupied 0,
 *	the rest 205
 * @MAP_SCALE: as map_server reads mode "scale", which gives the values back.
 *	That mode says unknown by alpha, which a PGM file does not have: it is
 *	205, which map_server reads as 0
 * @MAP_RAW: 0..100, unknown 255; map_server's mode "raw"
 */
enum map_mode {
	MAP_TRINARY_GREY,
	MAP_TRINARY,
	MAP_SCALE,
	MAP_RAW,
	MAP_MODES,
};

/* trinary-grey, trinary, scale, raw. Return: enum map_mode, or -ENOENT */
int map_mode_by_name(const char *name);
const char *map_mode_name(enum map_mode mode);

/**
 * map_file_write() - write a map, as a whole or not at all
 * @path: of the picture, which ends in .pgm; the .yaml lands beside it
 * @error: gets one line
 *
 * Return: 0; -EINVAL: no cells, a path without .pgm or with control
 * characters; others of opening and writing: -ENOENT, -ENOSPC, ...
 */
int map_file_write(const char *path, const struct raster *r,
		   enum map_mode mode, char error[ERROR_TEXT]);

/**
 * map_file_undecided() - known cells that map_server will take for unknown
 *
 * Return: the share of those that are known, 0..1; 0 for modes other than
 * trinary and trinary-grey.
 */
double map_file_undecided(const struct raster *r, enum map_mode mode);

/* The value 0..100 behind a pixel of MAP_TRINARY_GREY; -1: unknown */
int map_file_grey(uint8_t pixel);

/**
 * struct map_file - a map that was read
 * @resolution:	m
 * @origin:	outer corner of the first cell
 * @cells:	[row * width + column], the bottom row first; 0..100, -1:
 *		unknown
 */
struct map_file {
	unsigned int	width, height;
	double		resolution;
	struct pose	origin;
	int8_t		*cells;
};

/**
 * map_file_read() - read a map
 * @path: of the .yaml
 * @error: gets one line
 *
 * The picture is PGM or PNG; colours are averaged. As in nav2, so is alpha in
 * mode trinary, and all that is not opaque is unknown in mode scale. Otherwise
 * than there, what is all transparent is unknown in any mode.
 *
 * Return: 0 and @map, to be freed with map_file_free(); -EINVAL: bad .yaml;
 * -EBADMSG: bad picture; -EFBIG: more than CELLS_MAX cells, or a side longer
 * than CELLS_SIDE_MAX; others of opening and reading.
 */
int map_file_read(const char *path, struct map_file *map,
		  char error[ERROR_TEXT]);

/**
 * map_file_values() - read a map for all that its picture tells
 * @mode: enum map_mode, whatever the .yaml says; -1: as it says
 *
 * As map_file_read(), but a picture of MAP_TRINARY_GREY or MAP_SCALE that
 * map_file_write() wrote, which a comment at the beginning of the .yaml tells,
 * gives back what was written: values, and where nothing is known.
 */
int map_file_values(const char *path, int mode, struct map_file *map,
		    char error[ERROR_TEXT]);

void map_file_free(struct map_file *map);

#endif
