/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * project.h - a submap as it lies in the map: turned, moved, at the map's
 * resolution
 *
 * Sampled, a cell of the map has the value of the submap's cell that its
 * centre lies in. Under rotation some cells of the submap are then in no cell
 * of the map: 5 % of all walls that are one cell thick. Splatted, each cell of
 * the submap is in the cell of the map that its centre lies in; of several the
 * largest stays, and a cell of the map into which none came is sampled.
 */
#ifndef FUSION_PROJECT_H
#define FUSION_PROJECT_H

#include <stdbool.h>
#include "fusion/cells.h"
#include "fusion/raster.h"

enum {
	PROJECT_SIDE	= 768,	/* cells of a window, at most */
	PROJECT_GUARD	= 16,	/* cells around it that are written too */
	PROJECT_STRIDE	= PROJECT_SIDE + 2 * PROJECT_GUARD,
};

/**
 * struct window - what becomes of a submap in a part of the map
 * @rect:	of the map; at most PROJECT_SIDE a side
 * @bits:	of the cells
 * @first, @end: of each row: what may be known lies between, x in @rect
 * @data:	see window_cell()
 */
struct window {
	struct rect	rect;
	unsigned int	bits;
	uint16_t	first[PROJECT_SIDE], end[PROJECT_SIDE];
	void		*data;
};

/* Return: NULL: no memory */
struct window *window_create(void);
void window_destroy(struct window *w);

/* The cell (x, y) of @w->rect, guard included; rows are PROJECT_STRIDE apart */
static inline void *window_cell(const struct window *w, int x, int y)
{
	const int i = (y + PROJECT_GUARD) * PROJECT_STRIDE + x + PROJECT_GUARD;

	return (char *)w->data + (ptrdiff_t)i * (w->bits / 8);
}

/**
 * project_bounds() - where a submap may have cells
 * @at:		the outer corner of its first cell in the map's frame
 * @resolution:	of the map, m
 */
struct rect project_bounds(const struct cells *c, const struct pose *at,
			   double resolution);

/**
 * project() - the part of a submap that lies in a window
 * @w: @w->rect says where; the rest is written
 * @splat: else sampled
 *
 * To sample, cells must not be smaller than the map's, see cells_coarser().
 * Positions are exact to 1e-4 cells.
 */
void project(const struct cells *c, const struct pose *at, double resolution,
	     bool splat, struct window *w);

#endif
