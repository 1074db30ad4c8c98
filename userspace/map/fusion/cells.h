/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cells.h - original cells of a submap, with an index of the known ones for
 * fast drawing
 */
#ifndef MAP_FUSION_CELLS_H
#define MAP_FUSION_CELLS_H

#include <stddef.h>
#include <stdint.h>
#include "base/error.h"
#include "base/pose.h"

enum {
	CELLS_SIDE_MAX	= 16384,
	CELLS_MAX	= 1 << 24,
	CELLS_UNKNOWN	= -1,
	CELLS_FULL_8	= 100,		/* value of 1.0, with 8 bits */
	CELLS_FULL_16	= 10000,	/* likewise, with 16 bits */
};

/* A run of cells in a row, whose first and last cells are known */
struct cells_run {
	uint16_t	row, column, count;
};

/**
 * struct cells - immutable, reference counted
 * @width:	columns, along the grid's x axis
 * @height:	rows
 * @bits:	8: int8_t, 0..CELLS_FULL_8; 16: int16_t, 0..CELLS_FULL_16
 * @resolution:	side of a cell, m
 * @origin:	outer corner of the first cell, in the submap's frame
 * @data:	[row * width + column], CELLS_UNKNOWN if unknown; at least four
 *		bytes after the cells may be read
 * @runs:	all known cells and small gaps between them, row by row
 * @run:	@runs of them
 * @known:	number of known cells
 * @near:	for each block of CELLS_BLOCK cells squared, and CELLS_MARGIN
 *		blocks around: CELLS_IS_NEAR if a known cell may be within
 *		CELLS_NEAR cells of it, CELLS_IS_NEARER within CELLS_NEARER
 * @near_width:	entries of @near per row
 * @bytes:	of memory
 */
struct cells {
	unsigned int	width, height, bits;
	double		resolution;
	struct pose	origin;
	const void	*data;
	unsigned int	runs;
	const struct cells_run *run;
	unsigned int	known;
	const uint8_t	*near;
	unsigned int	near_width;
	size_t		bytes;
	/* private */
	unsigned int	references;
};

enum {
	CELLS_GAP	= 12,		/* cells; a run includes smaller gaps */
	CELLS_BLOCK	= 4,
	CELLS_MARGIN	= 4,
	CELLS_NEAR	= 12,
	CELLS_NEARER	= 8,
	CELLS_IS_NEAR	= 1,
	CELLS_IS_NEARER	= 2,
};

/**
 * cells_check() - can a grid be a submap?
 * @why: out: one line if not
 *
 * Return: 0, -EINVAL, -E2BIG: too many cells.
 */
int cells_check(unsigned int width, unsigned int height, unsigned int bits,
		double resolution, const struct pose *origin,
		struct error *why);

/**
 * cells_create() - create cells; parameters as in struct cells
 * @data: copied; values below 0 or above the full value are unknown
 *
 * Return: one reference; NULL: no memory, or cells_check() fails.
 */
struct cells *cells_create(unsigned int width, unsigned int height,
			   unsigned int bits, double resolution,
			   const struct pose *origin, const void *data);

/**
 * cells_from_floats() - create cells of 16 bits from 0..1, with a tolerance of
 * half a step; NAN and all other values are unknown
 * @data: [row * width + column]
 */
struct cells *cells_from_floats(unsigned int width, unsigned int height,
				double resolution, const struct pose *origin,
				const float *data);

/* References may be taken and dropped by any thread */
struct cells *cells_get(struct cells *c);
void cells_put(struct cells *c);

/**
 * cells_coarser() - convert to larger cells: the mean of known cells, by area
 * @resolution: m, larger than that of @c
 *
 * Return: one reference, NULL: no memory.
 */
struct cells *cells_coarser(const struct cells *c, double resolution);

static inline int cells_full(unsigned int bits)
{
	return bits == 8 ? CELLS_FULL_8 : CELLS_FULL_16;
}

/* Value of a cell within the grid */
static inline int cells_at(const struct cells *c, unsigned int x,
			   unsigned int y)
{
	const size_t i = (size_t)y * c->width + x;

	return c->bits == 8 ? ((const int8_t *)c->data)[i] :
			      ((const int16_t *)c->data)[i];
}

#endif
