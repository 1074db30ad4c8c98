/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sample.h - which cells of a submap lie at the centres of a tile's cells
 */
#ifndef MAP_FUSION_SAMPLE_H
#define MAP_FUSION_SAMPLE_H

#include "map/fusion/tile.h"
#include "map/fusion/transform.h"

/**
 * sample_tile() - the blocks of a tile in which something is known
 * @x, @y:	of the tile
 * @under:	cells that are known already, of the same bits, TILE_SIDE rows
 *		that are @stride cells apart; unknown afterwards, and only to
 *		be known where the submap has something; NULL: none are
 * @at:		gets the first cell of each block
 * @cells:	gets RULE_STEP cells of each; both with room for TILE_BLOCKS
 *
 * Return: how many.
 */
unsigned int sample_tile(const struct transform *way, int x, int y,
			 void *under, size_t stride, uint16_t *at,
			 void *cells);

/**
 * sample_blocks() - blocks of a tile, whether anything is known or not
 * @at:		as from sample_tile(), @count of them
 */
void sample_blocks(const struct transform *way, int x, int y,
		   const uint16_t *at, unsigned int count, void *cells);

#endif
