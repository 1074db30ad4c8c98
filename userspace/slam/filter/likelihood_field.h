/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * likelihood_field.h - a particle's map: how likely it is that a beam ends here
 *
 * A likelihood field (Thrun, Burgard and Fox, Probabilistic Robotics, section
 * 6.4) that grows with every scan: each occupied cell raises the field around
 * it. Coordinates are integers, in 1/256 cell: sums have the same bits in any
 * order.
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
	FIELD_REACH	= 512,		/* longest beam, tiles: 410 m */
	FIELD_SPARE	= TILE_SIDE,	/* zeros around a row of a kernel */
};

/**
 * struct field_kernel - how an occupied cell raises the field around it
 * @value:	[position in the cell][row][FIELD_SPARE + column]
 */
struct field_kernel {
	uint8_t		value[FIELD_PHASES][FIELD_ACROSS]
			     [FIELD_ACROSS + 2 * FIELD_SPARE + 1];
};

/**
 * field_kernel_init() - the log-likelihood of an endpoint by its distance
 * @sigma:	of the endpoints, in cells
 * @ratio:	of the density at the centre to that of an unexpected endpoint
 *
 * log(1 + ratio exp(-d^2 / 2 sigma^2)), scaled to 0..FIELD_MAX: a Gaussian
 * and a constant (Probabilistic Robotics, eq. 6.12).
 */
void field_kernel_init(struct field_kernel *k, double sigma, double ratio);

/**
 * struct field_page - a square of tiles, shared by maps until one writes to it
 * @users:	maps that refer to it
 * @tile:	[row * FIELD_PAGE_SIDE + column]
 */
struct field_page {
	_Atomic uint32_t	users;
	tile_id			tile[FIELD_PAGE];
};

/**
 * struct likelihood_field - a map; the pages from (@x, @y) on
 * @page:	[row * width + column]; NULL: unknown area
 *
 * The cost of a copy grows with the number of pages, not with the area.
 */
struct likelihood_field {
	int			x, y;
	int			width, height;	/* pages */
	struct field_page	**page;
};

void field_init(struct likelihood_field *f);
void field_free(struct likelihood_field *f, struct tiles *pool);

/* @to becomes a copy of @from; its old map is freed. Return: 0; -ENOMEM */
int field_copy(struct likelihood_field *to, const struct likelihood_field *from,
	       struct tiles *pool);

/**
 * field_hit() - add an endpoint
 * @x, @y:	1/256 cell
 * @version:	for tiles that change; never reused with other contents
 *
 * Return: 0; -ENOMEM: it may be done in part; -ERANGE: outside the largest
 * map.
 */
int field_hit(struct likelihood_field *f, struct tiles *pool,
	      const struct field_kernel *k, int x, int y, uint64_t version);

static inline unsigned int field_page_index(int tx, int ty)
{
	const unsigned int mask = FIELD_PAGE_SIDE - 1;

	return ((unsigned int)ty & mask) << FIELD_PAGE_BITS |
		((unsigned int)tx & mask);
}

/* Number of positions for tiles, used or not */
static inline size_t field_places(const struct likelihood_field *f)
{
	return (size_t)f->width * (size_t)f->height * FIELD_PAGE;
}

/* The index of (@tx, @ty); SIZE_MAX: outside the map */
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
 * field_next() - walk over all tiles by index
 * @i: 0 at first, then the last return value + 1
 * @x, @y: get the position of the tile
 *
 * Return: the next index from @i on; SIZE_MAX: there are no more.
 */
size_t field_next(const struct likelihood_field *f, size_t i, int *x, int *y);

/**
 * field_slot() - the entry of a tile in a map, for writing
 * @slot: gets it; valid until the map changes elsewhere
 *
 * Return: as field_hit()
 */
int field_slot(struct likelihood_field *f, struct tiles *pool, int tx, int ty,
	       tile_id **slot);

/**
 * struct field_window - some tiles of a map in one array, for lookup
 * @x, @y:	the first one
 * @place:	[row * width + column]: offset of the tile in bytes, or in
 *		TILE_UNIT with @far; 0: unknown
 * @room:	of @place
 * @far:	an offset needs more than 31 bits in bytes
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

/* The tile at (@tx, @ty); outside the window that of the unknown */
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
 * Within the map; there must be room. Later writes to the map do not show in
 * it.
 */
void field_window_fill(struct field_window *w, const struct likelihood_field *f,
		       int x0, int y0, int x1, int y1);

/**
 * field_draw() - compute the field of a tile from the occupied cells
 *
 * Uses the cells of the tile and of the eight around it, which must be there if
 * they have any. The tile must not be shared.
 */
void field_draw(struct likelihood_field *f, struct tiles *pool,
		const struct field_kernel *k, int tx, int ty);

#endif
