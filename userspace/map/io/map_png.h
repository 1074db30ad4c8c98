/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_png.h - encode fused maps as PNG pictures in memory, for tiles and layers
 *
 * In: a window of a raster. Out: the bytes of a picture, which begins at the
 * top of the window. Cells outside of the raster are unknown.
 */
#ifndef MAP_IO_MAP_PNG_H
#define MAP_IO_MAP_PNG_H

#include "map/fusion/raster.h"
#include "map/layer/colours.h"
#include "base/bytes.h"

enum {
	MAP_PNG_SIDE_MAX	= 32768,	/* pixels */
	MAP_PNG_SCALE_MAX	= 64,
	MAP_PNG_NULL		= 65535,	/* unknown, in 16 bits */
};

/**
 * map_png_encode() - encode in colours: 8 bits, palette, unknown transparent
 * @window:	in cells of the map, NULL: all of @r
 * @scale:	pixels along a cell's side, 1..MAP_PNG_SCALE_MAX
 * @out:	appended to; unchanged on failure
 *
 * Optimised for speed: little compression, no filters.
 *
 * Return: 0, -EINVAL: no cells, or a scale or size out of range; -ENOMEM.
 */
int map_png_encode(const struct raster *r, const struct rect *window,
		   enum colours colours, unsigned int scale,
		   struct bytes *out);

/**
 * map_png_values() - encode the values themselves: 16 bits of grey
 *
 * As map_png_encode(); unknown is MAP_PNG_NULL. Well compressed.
 */
int map_png_values(const struct raster *r, const struct rect *window,
		   struct bytes *out);

#endif
