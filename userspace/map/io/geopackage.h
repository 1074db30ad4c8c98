/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * geopackage.h - all of a site in one file that GIS programs open
 *
 * Out: an OGC GeoPackage 1.3 (12-128r17), in metres of the map's frame: srs_id
 * -1, undefined Cartesian. For each layer NAME
 *	map_NAME	tiles in colours, from far to near, for the eye
 *	values_NAME	tiled gridded coverage (17-066r1): 16 bits, with scale
 *			and offset to the layer's unit
 * and the features
 *	rooms		polygons, with what is known of each
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
 * struct geopackage_layer - with its values; left out if it has no cells
 */
struct geopackage_layer {
	const struct layer	*layer;
	const struct raster	*raster;
	enum colours		colours;
};

/**
 * struct geopackage_point
 * @kind:	"repeater", for instance
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
 * struct geopackage - what is to be written
 * @layer:	@layers of them, no two of one name
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
 * geopackage_write() - write a file, as a whole or not at all
 * @path: what has that name is replaced
 * @error: gets one line
 *
 * Return: 0; -EBUSY: another program writes the file that is there; -EINVAL: a
 * layer too far from where the map begins; -ENOSPC, -ENOENT, ...: as opening
 * and writing say; -EEXIST: two layers of one name.
 */
int geopackage_write(const char *path, const struct geopackage *g,
		     char error[ERROR_TEXT]);

#endif
