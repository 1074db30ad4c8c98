/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * transform.h - between cells of a submap and those of the map, in fixed point
 *
 * Integers that depend on the submap, its pose and the map's resolution alone:
 * it does not matter which part of the map is looked at, or by whom.
 */
#ifndef MAP_FUSION_TRANSFORM_H
#define MAP_FUSION_TRANSFORM_H

#include <stdint.h>
#include "base/cpu.h"
#include "map/fusion/cells.h"
#include "map/fusion/raster.h"

/* Without fmin()'s care for NAN, which is a call */
INLINE double smaller(double a, double b)
{
	return a < b ? a : b;
}

INLINE double larger(double a, double b)
{
	return a > b ? a : b;
}

enum {
	TRANSFORM_BITS	= 32,	/* of fractions of a cell */
};

/**
 * struct transform
 * @x0, @y0:	the map's cell from which positions count: the corner of a tile
 * @bounds:	cells of the map that may be in the submap
 * @u, @v:	the centre of that cell, in cells of the submap
 * @du, @dv:	of a step to the right in the map; up it is -@dv, @du
 * @x, @y:	the centre of the submap's first cell, in cells of the map
 * @dx, @dy:	of a step to the right in the submap; up it is -@dy, @dx
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
 * transform_find() - the way of a submap
 * @at:		its frame in the map
 * @resolution:	of the map, m
 */
struct transform transform_find(const struct cells *c, const struct pose *at,
				double resolution);

#endif
