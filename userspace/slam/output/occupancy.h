/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * occupancy.h - an occupancy grid made of scans at known poses
 *
 * Each cell counts in how many scans a beam went through it or ended there,
 * and in how many one ended there. All is integer from the endpoints on, and
 * these have the same bits on every machine (det_math.h), so the grid has, too.
 *
 * Cell (x, y) covers x * resolution to (x + 1) * resolution, as in raster.h.
 */
#ifndef SLAM_OUTPUT_OCCUPANCY_H
#define SLAM_OUTPUT_OCCUPANCY_H

#include "base/error.h"
#include "laser/reading.h"
#include "map/fusion/raster.h"

enum {
	OCCUPANCY_COUNT_MAX	= 65535,
	OCCUPANCY_WEIGHT	= 3,
	OCCUPANCY_CELLS_MAX	= 1 << 27,	/* of a raster */
};

/* m */
#define OCCUPANCY_RESOLUTION_MIN	0.001
#define OCCUPANCY_RESOLUTION_MAX	10.0

/**
 * struct occupancy_config
 * @resolution:	side of a cell, m
 * @range_max:	of a longer beam only the free part up to here counts, m; 0:
 *		all count
 * @range_free:	a beam that hit nothing within the range of the laser clears
 *		the way up to here, m; 0, as it should be: nothing. See
 *		occupancy_add()
 */
struct occupancy_config {
	double	resolution, range_max, range_free;
};

struct occupancy;

/**
 * occupancy_create() - an empty grid
 * @config: copied
 * @error: gets one line
 *
 * Return: 0 and @o, to be freed with occupancy_destroy(); -EINVAL; -ENOMEM.
 */
int occupancy_create(struct occupancy **o,
		     const struct occupancy_config *config,
		     char error[ERROR_TEXT]);
void occupancy_destroy(struct occupancy *o);

/* Empty again. Memory is kept for what comes next; so are the counts */
void occupancy_clear(struct occupancy *o);

/**
 * occupancy_add() - a scan
 * @robot:	where it was, in the frame of the grid
 * @error:	gets one line
 *
 * Cells that a beam ends in are hit, those on its way from the laser are not;
 * a cell counts once a scan, and one that any beam of the scan hit is hit. A
 * beam that hit nothing is one with a range that is not below range_max,
 * infinite for instance; it is traced if @range_free of the configuration is
 * above 0. Those of 0, below 0 and NAN are said to be nothing at all.
 * Lasers also give such ranges for glass and for black and steep surfaces, and
 * what is behind them is not free: to clear the way for these takes walls
 * away.
 *
 * Return: 0, also if nothing was hit; -EINVAL: numbers that cannot be;
 * -ERANGE: the grid's sides would be longer than CELLS_SIDE_MAX; -ENOMEM. With
 * an error the grid is as before.
 */
int occupancy_add(struct occupancy *o, const struct reading *r,
		  const struct pose *robot, char error[ERROR_TEXT]);

/* Where something is known; empty if nothing is */
struct rect occupancy_known(const struct occupancy *o);

double occupancy_resolution(const struct occupancy *o);

/**
 * struct occupancy_cell - what is counted
 * @hits:	scans with a beam that ended here
 * @visits:	these and scans with beams that went through. When it would be
 *		more than OCCUPANCY_COUNT_MAX, both are halved
 */
struct occupancy_cell {
	uint16_t	hits, visits;
};

struct occupancy_cell occupancy_at(const struct occupancy *o, int x, int y);

/**
 * occupancy_value() - what a cell is in maps
 *
 * One hit counts as much as OCCUPANCY_WEIGHT passages, as walls that are seen
 * at a low angle are passed more often than hit: 50 is where a quarter of the
 * scans hit, 65, from where on map_server has it occupied, where two fifths
 * do, and less than 19.6, free, where less than a thirteenth do.
 *
 * Return: 0, free, to 100, occupied; -1: unknown.
 */
int occupancy_value(struct occupancy_cell c);

/**
 * occupancy_read() - a part of the map
 * @r: rect says which; cells has room for it; gets values, bits (8) and
 *	resolution
 */
void occupancy_read(const struct occupancy *o, struct raster *r);

/**
 * occupancy_raster() - all that is known
 * @r: cells are to be freed
 *
 * Return: 0; -ENODATA: nothing is; -E2BIG: more than OCCUPANCY_CELLS_MAX;
 * -ENOMEM.
 */
int occupancy_raster(const struct occupancy *o, struct raster *r);

/**
 * struct occupancy_count - since it was created
 * @scans:	that are in it, or were
 * @refused:	for which occupancy_add() failed
 * @bytes:	of memory
 */
struct occupancy_count {
	uint64_t	scans, refused;
	size_t		bytes;
};

struct occupancy_count occupancy_count(const struct occupancy *o);

#endif
