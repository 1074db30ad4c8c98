/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * likelihood_field.h - a particle's map: how likely it is that a beam ends here
 *
 * A likelihood field (Thrun, Burgard and Fox, Probabilistic Robotics, section
 * 6.4) that grows with every scan: each occupied cell raises what is around
 * it. Coordinates are in 1/256 cell, and so integers: sums have the same bits
 * in whatever order they are made.
 */
#ifndef SLAM_FILTER_LIKELIHOOD_FIELD_H
#define SLAM_FILTER_LIKELIHOOD_FIELD_H

#include <stdbool.h>
#include "slam/filter/tiles.h"

enum {
	FIELD_UNIT	= 256,		/* of a cell's side */
	FIELD_BITS	= 8,
	FIELD_RADIUS	= 6,		/* cells around an occupied one */
	FIELD_ACROSS	= 2 * FIELD_RADIUS + 1,
	FIELD_PHASES	= 1 << TILE_PHASE_BITS,
	FIELD_PAGE_BITS	= 5,
	FIELD_PAGE_SIDE	= 1 << FIELD_PAGE_BITS,		/* tiles: 25.6 m */
	FIELD_PAGE	= FIELD_PAGE_SIDE * FIELD_PAGE_SIDE,
	FIELD_PAGES_MAX	= 256,		/* along a side of a map: 6.5 km */
	FIELD_REACH	= 512,		/* tiles that a beam may be long: 410 m */
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
 * struct field_page - a square of tiles that maps share until one of them writes
 * @users:	maps that have it
 * @tile:	[row * FIELD_PAGE_SIDE + column]
 */
struct field_page {
	_Atomic uint32_t	users;
	tile_id			tile[FIELD_PAGE];
};

/**
 * struct likelihood_field - a map; the pages from (@x, @y) on
 * @page:	[row * width + column]; NULL: nothing is known there
 *
 * A copy costs what pages there are, and not the area around them.
 */
struct likelihood_field {
	int			x, y;
	int			width, height;	/* pages */
	struct field_page	**page;
};

void field_init(struct likelihood_field *f);
void field_free(struct likelihood_field *f, struct tiles *pool);

/* @to becomes as @from, what it was is freed. Return: 0; -ENOMEM */
int field_copy(struct likelihood_field *to, const struct likelihood_field *from,
	       struct tiles *pool);

/**
 * field_hit() - an endpoint
 * @x, @y:	1/256 cell
 * @version:	of tiles that change; never again with other contents
 *
 * Return: 0; -ENOMEM: part of it may be done; -ERANGE: farther away than a map
 * reaches.
 */
int field_hit(struct likelihood_field *f, struct tiles *pool,
	      const struct field_kernel *k, int x, int y, uint64_t version);

static inline unsigned int field_page_index(int tx, int ty)
{
	const unsigned int mask = FIELD_PAGE_SIDE - 1;

	return ((unsigned int)ty & mask) << FIELD_PAGE_BITS |
		((unsigned int)tx & mask);
}

/* Places for tiles, with or without one */
static inline size_t field_places(const struct likelihood_field *f)
{
	return (size_t)f->width * (size_t)f->height * FIELD_PAGE;
}

/* Which of these is at (@tx, @ty); SIZE_MAX: the map does not reach there */
static inline size_t field_number(const struct likelihood_field *f, int tx,
				  int ty)
{
	const unsigned int x = (unsigned int)((tx >> FIELD_PAGE_BITS) - f->x);
	const unsigned int y = (unsigned int)((ty >> FIELD_PAGE_BITS) - f->y);

	if (x >= (unsigned int)f->width || y >= (unsigned int)f->height)
		return SIZE_MAX;
	return ((size_t)y * (size_t)f->width + x) * FIELD_PAGE +
		field_page_index(tx, ty);
}

/* The tile at (@tx, @ty), 0 if there is none */
static inline tile_id field_tile(const struct likelihood_field *f, int tx,
				 int ty)
{
	const size_t i = field_number(f, tx, ty);
	const struct field_page *page = i == SIZE_MAX ? NULL :
		f->page[i / FIELD_PAGE];

	return page ? page->tile[i % FIELD_PAGE] : 0;
}

/**
 * field_next() - all tiles there are, by their numbers
 * @i: 0 at first, then what was returned + 1
 * @x, @y: get where the tile is
 *
 * Return: the next one from @i on; SIZE_MAX: there are no more.
 */
size_t field_next(const struct likelihood_field *f, size_t i, int *x, int *y);

/* As far as (@x0, @y0) and (@x1, @y1), tiles. Return: as field_hit() */
int field_grow(struct likelihood_field *f, struct tiles *pool, int x0, int y0,
	       int x1, int y1);

/**
 * field_slot() - where a map has a tile, to be changed
 * @slot: gets it; it lasts until the map changes elsewhere
 *
 * Return: as field_hit()
 */
int field_slot(struct likelihood_field *f, struct tiles *pool, int tx, int ty,
	       tile_id **slot);

/**
 * struct field_window - some tiles of a map in one array, to be looked up
 * @x, @y:	the first one
 * @place:	[row * width + column]: where the tile begins, bytes, or
 *		TILE_UNIT with @far; 0: nothing is known
 * @room:	of @place
 * @far:	31 bits of bytes are not enough for one of them
 */
struct field_window {
	int		x, y;
	int		width, height;	/* tiles */
	uint32_t	*place;
	size_t		room;
	bool		far;
};

/* Its tile number @i */
static inline const uint8_t *field_window_at(const struct field_window *w,
					     const uint8_t *base, size_t i)
{
	return base + ((size_t)w->place[i] << (w->far ? TILE_UNIT_BITS : 0));
}

/* The tile at (@tx, @ty), that of the unknown if it is not in there */
static inline const uint8_t *field_window_tile(const struct field_window *w,
					       const uint8_t *base, int tx,
					       int ty)
{
	const unsigned int x = (unsigned int)(tx - w->x);
	const unsigned int y = (unsigned int)(ty - w->y);

	if (x >= (unsigned int)w->width || y >= (unsigned int)w->height)
		return base;
	return field_window_at(w, base, (size_t)y * (size_t)w->width + x);
}

/* Room for @tiles. Return: 0; -ENOMEM */
int field_window_reserve(struct field_window *w, size_t tiles);
void field_window_free(struct field_window *w);

/**
 * field_window_fill() - the tiles from (@x0, @y0) to (@x1, @y1)
 *
 * So far as the map reaches; there must be room. What is written to the map
 * afterwards is not in it.
 */
void field_window_fill(struct field_window *w, const struct likelihood_field *f,
		       int x0, int y0, int x1, int y1);

/**
 * field_draw() - the field of a tile from the cells that are occupied
 *
 * Those of the tile and of the eight around it, which must be there if they
 * have any. The tile is the map's own.
 */
void field_draw(struct likelihood_field *f, struct tiles *pool,
		const struct field_kernel *k, int tx, int ty);

#endif
