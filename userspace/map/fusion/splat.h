/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * splat.h - known cells of a submap, each where its centre lies in the map
 */
#ifndef MAP_FUSION_SPLAT_H
#define MAP_FUSION_SPLAT_H

#include "map/fusion/tile.h"
#include "map/fusion/transform.h"

enum {
	SPLAT_TILES	= 12,	/* a side of a window, at most */
	SPLAT_GUARD	= 16,	/* cells around it, which are written too */
	SPLAT_STRIDE	= SPLAT_TILES * TILE_SIDE + 2 * SPLAT_GUARD,
	SPLAT_BYTES	= SPLAT_STRIDE * SPLAT_STRIDE * 2,
};

/**
 * splat() - the part of a submap that lies in a window
 * @tiles:	of the map, which the window is
 * @window:	SPLAT_BYTES, unknown; gets the cells, of the submap's bits, of
 *		several that come to one place the largest
 *
 * What is in the guard afterwards means nothing.
 */
void splat(const struct transform *way, const struct rect *tiles, void *window);

/* Where the first cell of tile number (@x, @y) of a window is */
static inline void *splat_tile(void *window, unsigned int bits,
				     unsigned int x, unsigned int y)
{
	return (char *)window + (bits / 8) *
	       ((size_t)(y * TILE_SIDE + SPLAT_GUARD) * SPLAT_STRIDE +
		x * TILE_SIDE + SPLAT_GUARD);
}

#endif
