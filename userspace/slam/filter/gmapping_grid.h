/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gmapping_grid.h - a particle's map as in GMapping: counting cells
 *
 * Each cell counts the beams that passed through it or ended there, those that
 * ended there, and the position of the endpoints (Grisetti, Stachniss and
 * Burgard, GMapping: reflection probability maps with a mean endpoint for each
 * cell). It is full if more than a tenth of the beams ended there.
 *
 * Matching reads one word a cell: the mean endpoint, and which of the nine
 * cells around are full. So two words and an AND decide whether an endpoint
 * has a cell to compare with.
 */
#ifndef SLAM_FILTER_GMAPPING_GRID_H
#define SLAM_FILTER_GMAPPING_GRID_H

#include "slam/filter/likelihood_field.h"
#include "slam/filter/scan.h"

enum {
	GMAPPING_CELLS = TILE_SIDE * TILE_SIDE,
	GMAPPING_COUNT_MAX = 65535,
	GMAPPING_AROUND = 9,
	GMAPPING_SELF = 1 << GMAPPING_AROUND / 2, /* the cell itself is full */
	GMAPPING_NEAR = (1 << GMAPPING_AROUND) - 1,
	GMAPPING_MEAN_X = 16, /* bits of the word from here */
	GMAPPING_MEAN_Y = 24,
};

/**
 * struct gmapping_count - beams
 * @visits:	passed through or ended here. Before it exceeds
 *		GMAPPING_COUNT_MAX, all counts of the cell are halved
 * @hits:	ended here
 */
struct gmapping_count {
	uint16_t	visits, hits;
};

/* Over the endpoints of all hits, from the lower left corner, 1/256 cell */
struct gmapping_sum {
	uint32_t	x, y;
};

/**
 * struct gmapping_tile - [row * TILE_SIDE + column] each
 * @look:	bit 3 * (1 + dy) + 1 + dx: cell (x + dx, y + dy) is full; the
 *		mean endpoint, 8 bits of x and of y; computed from @count and
 *		@sum
 */
struct gmapping_tile {
	struct tile_head	head;
	uint32_t		look[GMAPPING_CELLS];
	struct gmapping_count	count[GMAPPING_CELLS];
	struct gmapping_sum	sum[GMAPPING_CELLS];
} __attribute__((aligned(64)));

extern const struct tile_kind gmapping_tiles;

/* In a pool of these tiles */
static inline struct gmapping_tile *gmapping_tile_at(const uint8_t *base,
						     tile_id id)
{
	return (struct gmapping_tile *)tile_head_at(base, id);
}

static inline bool gmapping_full(struct gmapping_count c)
{
	return c.hits * 10U > c.visits;
}

/**
 * gmapping_write() - add a scan to a map
 * @units:	1/256 cells in a metre
 * @version:	for tiles that change
 *
 * Cells along each beam are free, up to its end; the cell at the end is hit,
 * except for beams that were cut.
 *
 * Return: as field_hit().
 */
int gmapping_write(struct likelihood_field *f, struct tiles *pool,
		   const struct scan *scan, const struct pose *pose,
		   double units, uint64_t version);

enum {
	GMAPPING_DECAY_BITS	= 5,
	/* square distances are below 2 * 511^2 */
	GMAPPING_DECAYS	= 1 << (19 - GMAPPING_DECAY_BITS),
	GMAPPING_SCORE_MAX	= 1 << 20,	/* of an endpoint */
};

/* An endpoint's score by its square distance >> GMAPPING_DECAY_BITS */
struct gmapping_decay {
	int32_t		score[GMAPPING_DECAYS];
};

/* exp(-d^2 / @sigma), d and @sigma in m as in GMapping; @resolution m */
void gmapping_decay_init(struct gmapping_decay *d, double sigma,
			 double resolution);

/**
 * struct gmapping_score - of a scan at a pose
 * @score:	sum of 0..GMAPPING_SCORE_MAX each
 * @square:	sum of square distances, 1/256^2 cell
 * @found:	endpoints that have a cell to compare with
 */
struct gmapping_score {
	int64_t		score;
	uint64_t	square;
	uint32_t	found;
};

/**
 * gmapping_score_at() - how well endpoints fit
 * @points:	endpoints, rotated to the robot's yaw
 * @behind:	from there to a place a little before, on the same beam
 * @x, @y:	of the robot, 1/256 cell
 *
 * An endpoint is compared with the mean endpoints of full cells among the nine
 * around, if the cell at the same offset before that one is not full: a wall is
 * seen from its front. The nearest one counts.
 */
struct gmapping_score
gmapping_score_at(const struct field_window *f, const uint8_t *base,
		  const struct rotated *points, const struct rotated *behind,
		  int x, int y, const struct gmapping_decay *decay);

#endif
