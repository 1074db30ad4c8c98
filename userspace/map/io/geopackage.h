/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * geopackage.h - write a whole site into one file for GIS programs
 *
 * Out: an OGC GeoPackage 1.3 (12-128r17), in metres of the map's frame: srs_id
 * -1, undefined Cartesian. For each layer NAME
 *	map_NAME	tiles in colours, in all zoom levels, for display
 *	values_NAME	tiled gridded coverage (17-066r1): 16 bits, with scale
 *			and offset to the layer's unit
 * and the features
 *	rooms		polygons, with the values of each
 *	points		repeaters and the like
 */
#ifndef MAP_IO_GEOPACKAGE_H
#define MAP_IO_GEOPACKAGE_H

#include <stdint.h>
#include "base/error.h"
#include "map/fusion/raster.h"
#include "map/layer/colours.h"
#include "map/layer/layer.h"
#include "map/store/room.h"

/**
 * struct geopackage_layer - with its values; omitted if it has no cells
 */
struct geopackage_layer {
	const struct layer	*layer;
	const struct raster	*raster;
	enum colours		colours;
};

/**
 * struct geopackage_point
 * @kind:	for example "repeater"
 * @stamp:	ns since the epoch, 0: unknown
 * @x, @y:	in the map's frame, m
 */
struct geopackage_point {
	unsigned int	id;
	const char	*kind, *name;
	int64_t		stamp;
	double		x, y;
};

/**
 * struct geopackage - content to write
 * @layer:	@layers of them, with different names
 * @room:	@rooms of them
 * @point:	@points of them
 */
struct geopackage {
	const struct geopackage_layer	*layer;
	unsigned int			layers;
	const struct room		*room;
	unsigned int			rooms;
	const struct geopackage_point	*point;
	unsigned int			points;
};

/**
 * geopackage_write() - write a file, atomically
 * @path: an existing file is replaced
 * @error: out: one line
 *
 * Return: 0; -EBUSY: another program writes the existing file; -EINVAL: a layer
 * too far from the map's origin; -EEXIST: two layers of one name; errors of
 * opening and writing: -ENOSPC, -ENOENT, ...
 */
int geopackage_write(const char *path, const struct geopackage *g,
		     struct error *error);

#endif
