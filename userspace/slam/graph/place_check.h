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

#include "map/io/map_file.h"
#include "slam/graph/fit_grid.h"

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
void place_check(const struct map_file *c, const struct fit_points *scan,
		 const struct pose *at, struct place_beams *beams);

#endif
