/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tile.h - a map is made of tiles, and these of blocks of cells in a row
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

/* The tile that a cell is in; right shifts of what is below 0 go down */
static inline int tile_of(int cell)
{
	return cell >> TILE_SHIFT;
}

#endif
