/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * occupancy.h - an occupancy grid from scans at known poses
 *
 * Each cell counts the scans with a beam that passed through it or ended there,
 * and those with a beam that ended there. All is integer after the endpoints,
 * which have the same bits on every machine (det_math.h), so the grid has, too.
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
 *		no limit
 * @range_free:	a beam without a hit clears the cells up to here, m; 0, the
 *		recommended value: none. See occupancy_add()
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
		     struct error *error);
void occupancy_destroy(struct occupancy *o);

/* Make it empty again. Memory and statistics are kept */
void occupancy_clear(struct occupancy *o);

/**
 * occupancy_add() - add a scan
 * @robot:	its pose in the frame of the grid
 * @error:	gets one line
 *
 * Cells that a beam ends in are hit, those between it and the laser are passed;
 * a cell counts once a scan, and a hit by any beam of the scan takes
 * precedence.
 * A beam without a hit has a range that is not below range_max, for example
 * infinite; it is traced if @range_free of the configuration is above 0. Ranges
 * of 0, below 0 and NAN are ignored. Lasers also give ranges beyond range_max
 * for glass and for black and steep surfaces, and the space behind these is not
 * free: tracing such beams removes walls.
 *
 * Return: 0, also if nothing was hit; -EINVAL: invalid numbers; -ERANGE: the
 * grid's sides would be longer than CELLS_SIDE_MAX; -ENOMEM. After an error the
 * grid is unchanged.
 */
int occupancy_add(struct occupancy *o, const struct reading *r,
		  const struct pose *robot, struct error *error);

/* The known area; may be empty */
struct rect occupancy_known(const struct occupancy *o);

double occupancy_resolution(const struct occupancy *o);

/**
 * struct occupancy_cell - the counts of a cell
 * @hits:	scans with a beam that ended here
 * @visits:	these and scans with beams that passed through. Before it
 *		exceeds
 *		OCCUPANCY_COUNT_MAX, both are halved
 */
struct occupancy_cell {
	uint16_t	hits, visits;
};

struct occupancy_cell occupancy_at(const struct occupancy *o, int x, int y);

/**
 * occupancy_value() - the value of a cell in maps
 *
 * One hit counts as much as OCCUPANCY_WEIGHT passages, as walls at a low angle
 * are passed more often than hit: 50 is the value if a quarter of the scans
 * hit, 65, the occupied threshold of map_server, if two fifths do, and less
 * than 19.6, free, if less than a thirteenth do.
 *
 * Return: 0, free, to 100, occupied; -1: unknown.
 */
int occupancy_value(struct occupancy_cell c);

/**
 * occupancy_read() - read a part of the map
 * @r: rect is the area; cells has room for it; gets values, bits (8) and
 *	resolution
 */
void occupancy_read(const struct occupancy *o, struct raster *r);

/**
 * occupancy_raster() - read the whole known area
 * @r: the caller frees cells
 *
 * Return: 0; -ENODATA: it is empty; -E2BIG: more than OCCUPANCY_CELLS_MAX;
 * -ENOMEM.
 */
int occupancy_raster(const struct occupancy *o, struct raster *r);

/**
 * struct occupancy_count - statistics since its creation
 * @scans:	that were added
 * @refused:	for which occupancy_add() failed
 * @bytes:	of memory
 */
struct occupancy_count {
	uint64_t	scans, refused;
	size_t		bytes;
};

struct occupancy_count occupancy_count(const struct occupancy *o);

#endif
