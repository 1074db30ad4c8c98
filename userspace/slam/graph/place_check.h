/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * place_check.h - whether a scan can be true at a place of a known map
 *
 * A room that is not in the map fits somewhere, too, as most of its walls are
 * where some other room has walls. But the rest of it then stands where the map
 * is free, or behind walls.
 */
#ifndef SLAM_GRAPH_PLACE_CHECK_H
#define SLAM_GRAPH_PLACE_CHECK_H

#include "slam/graph/fit_grid.h"

/**
 * struct place_cells - what is known of a map
 * @cells:	[row * width + column], 0..100, -1: unknown; NULL: only its walls are
 *		known
 * @resolution:	m
 * @origin:	outer corner of the first cell
 */
struct place_cells {
	const int8_t	*cells;
	unsigned int	width, height;
	double		resolution;
	struct pose	origin;
};

/**
 * struct place_beams - beams of scans
 * @agree:	end at a wall
 * @against:	end where the map is free, or behind a wall
 */
struct place_beams {
	uint32_t	agree, against;
};

/* Add the beams of a scan from @at, in the map. Beams into the unknown do not
 * count
 */
void place_check(const struct place_cells *c, const struct fit_points *scan,
		 const struct pose *at, struct place_beams *beams);

#endif
