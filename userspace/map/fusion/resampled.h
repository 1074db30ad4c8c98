/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * resampled.h - a submap resampled into the map grid: rotated, moved, at the
 * map's resolution, in blocks that fit into the map's tiles
 *
 * Sampling: a cell of the map gets the value of the submap's cell that contains
 * its centre. Under rotation some cells of the submap are then in no cell of
 * the map: 5 % of all walls that are one cell thick. Splatting: each cell of
 * the submap goes into the map cell that contains its centre; of several the
 * largest wins, and map cells without any are sampled.
 */
#ifndef MAP_FUSION_RESAMPLED_H
#define MAP_FUSION_RESAMPLED_H

#include <stdbool.h>
#include "map/fusion/cells.h"
#include "map/fusion/tile.h"

/**
 * struct resampled_tile - blocks in a tile of the map
 * @x, @y:	of the tile
 * @first:	first block, of @count
 */
struct resampled_tile {
	int		x, y;
	uint32_t	first, count;
};

/**
 * struct resampled - immutable
 * @tile:	@tiles of them, each with known cells
 * @at:		of each block: its first cell within the tile, row * TILE_SIDE
 *		+ column
 * @cells:	RULE_STEP of each block, of 8 or 16 bits
 * @weights:	likewise, 8 bits; NULL: there are none
 * @bytes:	of memory
 */
struct resampled {
	unsigned int		tiles, blocks, bits;
	struct resampled_tile	*tile;
	uint16_t		*at;
	void			*cells;
	int8_t			*weights;
	size_t			bytes;
};

/* Buffers of a thread that draws */
struct resampler;

/* Return: NULL: no memory */
struct resampler *resampler_create(void);
void resampler_destroy(struct resampler *a);

/* Limit of tiles; the cells of a submap may be as large as rooms */
enum { RESAMPLED_TILES = 1 << 18 };
bool resampled_fits(const struct cells *c, const struct pose *frame,
		    double resolution);

/**
 * resampled_make() - resample a submap
 * @frame:	its frame in the map
 * @resolution:	of the map, m
 * @weights:	of its cells, of 8 bits and of the same size, or NULL
 *
 * Cells finer than those of the map are made coarser before they are sampled.
 * Positions are exact to 1e-4 cells. It must fit.
 *
 * Return: to be freed with resampled_free(); NULL: no memory.
 */
struct resampled *resampled_make(struct resampler *a, const struct cells *c,
				 const struct cells *weights,
				 const struct pose *frame, double resolution,
				 bool splat);
void resampled_free(struct resampled *d);

#endif
