/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gmapping_grid.h - a particle's map as GMapping has it: cells that count
 *
 * Each cell counts the beams that went through it or ended there, those that
 * ended there, and where in it they did (Grisetti, Stachniss and Burgard,
 * GMapping: reflection probability maps with a mean endpoint for each cell).
 * It is full if more than a tenth of them ended there.
 *
 * What matching looks up is one word a cell: where the mean endpoint is, and
 * which of the nine cells around are full. So it is two words and an AND
 * whether an endpoint has anything to be compared with.
 */
#ifndef SLAM_FILTER_GMAPPING_GRID_H
#define SLAM_FILTER_GMAPPING_GRID_H

#include "slam/filter/likelihood_field.h"
#include "slam/filter/scan.h"

enum {
	GMAP_CELLS	= TILE_SIDE * TILE_SIDE,
	GMAP_COUNT_MAX	= 65535,
	GMAP_AROUND	= 9,
	GMAP_SELF	= 1 << GMAP_AROUND / 2,	/* the cell itself is full */
	GMAP_NEAR	= (1 << GMAP_AROUND) - 1,
	GMAP_MEAN_X	= 16,			/* bits of the word from here */
	GMAP_MEAN_Y	= 24,
};

/**
 * struct gmap_count - beams
 * @visits:	went through or ended here. Before it would be more than
 *		GMAP_COUNT_MAX, all numbers of the cell are halved
 * @hits:	ended here
 */
struct gmap_count {
	uint16_t	visits, hits;
};

/* Of the endpoints of all hits, from the lower left corner, 1/256 cell */
struct gmap_sum {
	uint32_t	x, y;
};

/**
 * struct gmap_tile - [row * TILE_SIDE + column] each
 * @look:	bit 3 * (1 + dy) + 1 + dx: cell (x + dx, y + dy) is full; the
 *		mean endpoint, 8 bits of x and of y; it follows from @count and
 *		@sum
 */
struct gmap_tile {
	struct tile_head	head;
	uint32_t		look[GMAP_CELLS];
	struct gmap_count	count[GMAP_CELLS];
	struct gmap_sum		sum[GMAP_CELLS];
} __attribute__((aligned(64)));

extern const struct tile_kind gmap_tiles;

/* Of a pool of these */
static inline struct gmap_tile *gmap_tile_at(const uint8_t *base, tile_id id)
{
	return (struct gmap_tile *)tile_head_at(base, id);
}

static inline bool gmap_full(struct gmap_count c)
{
	return c.hits * 10U > c.visits;
}

/**
 * gmap_write() - a scan goes into a map
 * @units:	1/256 cells in a metre
 * @version:	of tiles that change
 *
 * Cells along each beam are free, up to where it ends; that cell is hit, but
 * for beams that were cut.
 *
 * Return: as field_hit().
 */
int gmap_write(struct field *f, struct tiles *pool, const struct scan *scan,
	       const struct pose *pose, double units, uint64_t version);

enum {
	GMAP_DECAY_BITS	= 5,
	/* square distances are below 2 * 511^2 */
	GMAP_DECAYS	= 1 << (19 - GMAP_DECAY_BITS),
	GMAP_SCORE_MAX	= 1 << 20,	/* of an endpoint */
};

/* What an endpoint's score is by its square distance >> GMAP_DECAY_BITS */
struct gmap_decay {
	int32_t		score[GMAP_DECAYS];
};

/* exp(-d^2 / @sigma), d and @sigma in m as in GMapping; @resolution m */
void gmap_decay_init(struct gmap_decay *d, double sigma, double resolution);

/**
 * struct gmap_score - of a scan at a pose
 * @score:	sum of 0..GMAP_SCORE_MAX each
 * @square:	sum of square distances, 1/256^2 cell
 * @found:	endpoints that have a cell to be compared with
 */
struct gmap_score {
	int64_t		score;
	uint64_t	square;
	uint32_t	found;
};

/**
 * gmap_score_at() - how well endpoints fit
 * @points:	where beams end, of the robot's yaw
 * @behind:	from there to a place a little before, on the same beam
 * @x, @y:	of the robot, 1/256 cell
 *
 * An endpoint is compared with the mean endpoints of full cells among the nine
 * around, if the cell as much before that one is not full: a wall is seen from
 * its front. The nearest one counts.
 */
struct gmap_score gmap_score_at(const struct field_window *f, const uint8_t *base,
				const struct rotated *points,
				const struct rotated *behind, int x, int y,
				const struct gmap_decay *decay);

#endif
