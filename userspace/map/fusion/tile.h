/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tile.h - a map consists of tiles, and these of blocks of cells in a row
 */
#ifndef MAP_FUSION_TILE_H
#define MAP_FUSION_TILE_H

#include "map/fusion/rule.h"

enum {
	TILE_SHIFT	= 6,
	TILE_SIDE	= 1 << TILE_SHIFT,	/* cells */
	TILE_CELLS	= TILE_SIDE * TILE_SIDE,
	TILE_BLOCKS	= TILE_CELLS / RULE_STEP,
};

/* Tile of a cell; right shifts of negative numbers round down */
static inline int tile_of(int cell)
{
	return cell >> TILE_SHIFT;
}

#endif
