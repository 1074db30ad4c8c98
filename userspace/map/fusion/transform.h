/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * transform.h - between cells of a submap and those of the map, in fixed point
 *
 * The integers depend only on the submap, its pose and the map's resolution,
 * not on the part of the map.
 */
#ifndef MAP_FUSION_TRANSFORM_H
#define MAP_FUSION_TRANSFORM_H

#include <stdint.h>
#include "base/cpu.h"
#include "map/fusion/cells.h"
#include "map/fusion/raster.h"

/* Unlike fmin() without a call for NAN */
INLINE double smaller(double a, double b)
{
	return a < b ? a : b;
}

INLINE double larger(double a, double b)
{
	return a > b ? a : b;
}

enum {
	TRANSFORM_BITS	= 32,	/* fractional bits of a cell */
};

/**
 * struct transform
 * @x0, @y0:	the map's cell from which positions count: the corner of a tile
 * @bounds:	cells of the map that may be in the submap
 * @u, @v:	centre of that cell, in cells of the submap
 * @du, @dv:	step to the right in the map; upwards it is -@dv, @du
 * @x, @y:	centre of the submap's first cell, in cells of the map
 * @dx, @dy:	step to the right in the submap; upwards it is -@dy, @dx
 * @ratio:	side of a submap's cell, in cells of the map
 */
struct transform {
	const struct cells	*c;
	int			x0, y0;
	struct rect		bounds;
	int64_t			u, v, du, dv;
	int64_t			x, y, dx, dy;
	double			ratio;
};

/**
 * transform_find() - compute the transform of a submap
 * @at:		its frame in the map
 * @resolution:	of the map, m
 */
struct transform transform_find(const struct cells *c, const struct pose *at,
				double resolution);

#endif
