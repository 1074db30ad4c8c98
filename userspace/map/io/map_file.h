/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_file.h - ROS map files: a picture and a .yaml
 *
 * Writes files for map_server of ROS 1 and 2. Reads its files in the same way
 * as the map_server of nav2. A picture begins at its top, a map at the bottom.
 */
#ifndef MAP_IO_MAP_FILE_H
#define MAP_IO_MAP_FILE_H

#include <stdint.h>
#include "base/error.h"
#include "base/pose.h"
#include "map/fusion/raster.h"

/**
 * enum map_mode - content of the picture
 * @MAP_TRINARY_GREY: keeps the values: map_file_grey(); 16 bits are rounded to
 *	one part in 100. Unknown is 205, which no value uses. map_server reads
 *	free below 0.196, which includes 205 as grey, and occupied above 0.65;
 *	all between is unknown to it: map_file_undecided()
 * @MAP_TRINARY: for map_server: below half free 254, from 0.65 on occupied 0,
 *	the rest 205
 * @MAP_SCALE: for map_server's mode "scale", which recovers the values. That
 *	mode marks unknown by alpha, which a PGM file does not have: it is
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

/* By name: trinary-grey, trinary, scale, raw. Return: enum map_mode, -ENOENT */
int map_mode_by_name(const char *name);
const char *map_mode_name(enum map_mode mode);

/**
 * map_file_write() - write a map; both files are replaced atomically
 * @path: of the picture, which ends in .pgm; the .yaml is next to it
 * @error: out: one line
 *
 * Return: 0; -EINVAL: no cells, a path without .pgm or with control
 * characters; others of opening and writing: -ENOENT, -ENOSPC, ...
 */
int map_file_write(const char *path, const struct raster *r,
		   enum map_mode mode, struct error *error);

/**
 * map_file_undecided() - known cells that are unknown to map_server
 *
 * Return: their share of the known cells, 0..1; 0 for modes other than trinary
 * and trinary-grey.
 */
double map_file_undecided(const struct raster *r, enum map_mode mode);

/* Value 0..100 of a pixel of MAP_TRINARY_GREY; -1: unknown */
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
 * @error: out: one line
 *
 * The picture is PGM or PNG; colours are averaged. As in nav2, so is alpha in
 * mode trinary, and all pixels that are not opaque are unknown in mode scale.
 * Unlike nav2, fully transparent pixels are unknown in any mode.
 *
 * Return: 0 and @map, to be freed with map_file_free(); -EINVAL: bad .yaml;
 * -EBADMSG: bad picture; -EFBIG: more than MAP_PIXELS_MAX cells, or a side
 * longer than CELLS_SIDE_MAX; others of opening and reading.
 */
int map_file_read(const char *path, struct map_file *map,
		  struct error *error);

/**
 * map_file_values() - read a map with all values of its picture
 * @mode: enum map_mode, overrides the .yaml; -1: as in the .yaml
 *
 * As map_file_read(). But a picture of MAP_TRINARY_GREY or MAP_SCALE written by
 * map_file_write(), which a comment at the beginning of the .yaml marks,
 * returns the original values and unknown cells.
 */
int map_file_values(const char *path, int mode, struct map_file *map,
		    struct error *error);

void map_file_free(struct map_file *map);

#endif
