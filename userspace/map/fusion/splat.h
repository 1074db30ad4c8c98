/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * splat.h - draw each known cell of a submap where its centre is in the map
 */
#ifndef MAP_FUSION_SPLAT_H
#define MAP_FUSION_SPLAT_H

#include "map/fusion/tile.h"
#include "map/fusion/transform.h"

enum {
	SPLAT_TILES	= 12,	/* largest side of a window */
	SPLAT_GUARD	= 16,	/* cells around it, also written */
	SPLAT_STRIDE	= SPLAT_TILES * TILE_SIDE + 2 * SPLAT_GUARD,
	SPLAT_BYTES	= SPLAT_STRIDE * SPLAT_STRIDE * 2,
};

/**
 * splat() - draw the part of a submap in a window
 * @tiles:	of the map, which the window covers
 * @window:	SPLAT_BYTES, unknown; gets the cells, of the submap's bits; of
 *		several in one place the largest
 *
 * The content of the guard is undefined afterwards.
 */
void splat(const struct transform *way, const struct rect *tiles, void *window);

/* First cell of tile (@x, @y) of a window */
static inline void *splat_tile(void *window, unsigned int bits,
				     unsigned int x, unsigned int y)
{
	return (char *)window + (bits / 8) *
	       ((size_t)(y * TILE_SIDE + SPLAT_GUARD) * SPLAT_STRIDE +
		x * TILE_SIDE + SPLAT_GUARD);
}

#endif
