/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sample.h - look up the submap's cells at the centres of a tile's cells
 */
#ifndef MAP_FUSION_SAMPLE_H
#define MAP_FUSION_SAMPLE_H

#include "map/fusion/tile.h"
#include "map/fusion/transform.h"

/**
 * sample_tile() - sample the blocks of a tile with known cells
 * @x, @y:	of the tile
 * @under:	cells that are known already, of the same bits, TILE_SIDE rows
 *		with a stride of @stride cells; set to unknown; may be known
 *		only where the submap has known cells; NULL: none
 * @at:		out: the first cell of each block
 * @cells:	out: RULE_STEP cells of each; both with room for TILE_BLOCKS
 *
 * Return: number of blocks.
 */
unsigned int sample_tile(const struct transform *way, int x, int y,
			 void *under, size_t stride, uint16_t *at,
			 void *cells);

/**
 * sample_blocks() - sample given blocks of a tile, known or not
 * @at:		as from sample_tile(), @count of them
 */
void sample_blocks(const struct transform *way, int x, int y,
		   const uint16_t *at, unsigned int count, void *cells);

#endif
