/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * field.h - a particle's map: how likely it is that a beam ends here
 *
 * A likelihood field (Thrun, Burgard and Fox, Probabilistic Robotics, section
 * 6.4) that grows with every scan: each occupied cell raises what is around
 * it. Coordinates are in 1/256 cell, and so integers: sums have the same bits
 * in whatever order they are made.
 */
#ifndef SLAM_FIELD_H
#define SLAM_FIELD_H

#include <stdbool.h>
#include "slam/tiles.h"

enum {
	FIELD_UNIT	= 256,		/* of a cell's side */
	FIELD_BITS	= 8,
	FIELD_RADIUS	= 6,		/* cells around an occupied one */
	FIELD_ACROSS	= 2 * FIELD_RADIUS + 1,
	FIELD_PHASES	= 1 << TILE_PHASE_BITS,
	FIELD_TILES_MAX	= 2048,		/* along a side of a map: 1.6 km */
	FIELD_SPARE	= TILE_SIDE,	/* zeros around a row of a kernel */
};

/**
 * struct field_kernel - what an occupied cell does to those around it
 * @value:	[where in the cell][row][FIELD_SPARE + column]
 */
struct field_kernel {
	uint8_t		value[FIELD_PHASES][FIELD_ACROSS]
			     [FIELD_ACROSS + 2 * FIELD_SPARE + 1];
};

/**
 * field_kernel_init() - the log-likelihood of an endpoint by its distance
 * @sigma:	of the endpoints, in cells
 * @ratio:	of the density in the middle to that of what was not expected
 *
 * log(1 + ratio exp(-d^2 / 2 sigma^2)), scaled to 0..FIELD_MAX: a Gaussian
 * and a constant (Probabilistic Robotics, eq. 6.12).
 */
void field_kernel_init(struct field_kernel *k, double sigma, double ratio);

/**
 * struct field - a map; the tiles from (@x, @y) on
 * @tile:	[row * width + column]
 */
struct field {
	int		x, y;
	int		width, height;	/* tiles */
	tile_id		*tile;
};

void field_init(struct field *f);
void field_free(struct field *f, struct tiles *pool);

/* @to becomes as @from, what it was is freed. Return: 0; -ENOMEM */
int field_copy(struct field *to, const struct field *from, struct tiles *pool);

/**
 * field_hit() - an endpoint
 * @x, @y:	1/256 cell
 * @version:	of tiles that change; never again with other contents
 *
 * Return: 0; -ENOMEM: part of it may be done; -ERANGE: farther away than a map
 * reaches.
 */
int field_hit(struct field *f, struct tiles *pool,
	      const struct field_kernel *k, int x, int y, uint64_t version);

/* The tile at (@tx, @ty), 0 if there is none */
static inline tile_id field_tile(const struct field *f, int tx, int ty)
{
	const unsigned int x = (unsigned int)(tx - f->x);
	const unsigned int y = (unsigned int)(ty - f->y);

	if (x >= (unsigned int)f->width || y >= (unsigned int)f->height)
		return 0;
	return f->tile[(size_t)y * f->width + x];
}

/* Room for the tiles from (@x0, @y0) to (@x1, @y1). Return: as field_hit() */
int field_grow(struct field *f, int x0, int y0, int x1, int y1);

/**
 * field_draw() - the field of a tile from the cells that are occupied
 *
 * Those of the tile and of the eight around it, which must be there if they
 * have any. The tile is the map's own.
 */
void field_draw(struct field *f, struct tiles *pool,
		const struct field_kernel *k, int tx, int ty);

#endif
