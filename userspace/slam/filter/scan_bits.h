/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scan_bits.h - a scan as bitmaps: the cells that its beams pass through, and
 * the cells that they end in
 *
 * Tile by tile, a word of 64 bits for a row of a tile. A cell includes its left
 * and its lower border, and a beam covers all cells that have a point of it:
 * exactly, as all numbers are integers.
 */
#ifndef SLAM_FILTER_SCAN_BITS_H
#define SLAM_FILTER_SCAN_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SCAN_TILE_BITS	= 6,
	SCAN_TILE	= 1 << SCAN_TILE_BITS,	/* cells of a tile's side */
	SCAN_UNIT_BITS	= 8,
	SCAN_UNIT	= 1 << SCAN_UNIT_BITS,	/* parts of a cell's side */
	SCAN_SIDE_MAX	= 512,			/* tiles */
};

/* A row each; bit c: column c */
struct scan_tile {
	uint64_t	free[SCAN_TILE], hit[SCAN_TILE];
};

/**
 * struct scan_bits - all zero at first
 * @width, @height: tiles
 * @tile:	[row * width + column]; cells that are hit are also in free
 */
struct scan_bits {
	unsigned int		width, height;
	struct scan_tile	*tile;
	/* private */
	uint64_t		(*column)[SCAN_TILE];
	size_t			room;
};

/**
 * scan_bits_begin() - room for a scan
 * @width, @height: tiles, up to SCAN_SIDE_MAX
 *
 * Return: 0: all bits are 0 after scan_bits_clear(); -ENOMEM.
 */
int scan_bits_begin(struct scan_bits *s, unsigned int width,
		    unsigned int height);

/**
 * scan_bits_beam() - a beam
 * @x0, @y0: where it begins, 1/SCAN_UNIT of a cell from the lower left corner
 * @x1, @y1: where it ends; both are within the tiles
 */
void scan_bits_beam(struct scan_bits *s, int32_t x0, int32_t y0, int32_t x1,
		    int32_t y1, bool hit);

/* After the last beam, before reading the bits */
void scan_bits_end(struct scan_bits *s);

void scan_bits_clear(struct scan_bits *s);
void scan_bits_free(struct scan_bits *s);

/* Whether no beam passed: cells that are hit also count as passed */
static inline bool scan_tile_is_empty(const struct scan_tile *t)
{
	uint64_t any = 0;

	for (int i = 0; i < SCAN_TILE; i++)
		any |= t->free[i];
	return !any;
}

#endif
