/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * mosaic_parts.h - what a mosaic consists of; for mosaic*.c only
 */
#ifndef FUSION_MOSAIC_PARTS_H
#define FUSION_MOSAIC_PARTS_H

#include <pthread.h>
#include "fusion/index.h"
#include "fusion/mosaic.h"
#include "fusion/project.h"

enum {
	TILE_SHIFT	= 6,
	TILE_CELLS	= MOSAIC_TILE * MOSAIC_TILE,
};

/**
 * struct tile
 * @x, @y:	in tiles
 * @acc:	accumulators [y * MOSAIC_TILE + x]; NULL: nothing was added to
 *		them, or they were forgotten if there are pieces
 * @piece:	@pieces of those that may have cells in it
 * @changed:	revision of the mosaic when it changed
 * @wanted:	when it was last asked for; readers write it too
 * @stale:	must be fused anew
 */
struct tile {
	int		x, y;
	void		*acc;
	uint32_t	*piece, pieces, room;
	uint64_t	changed, wanted;
	bool		stale;
};

/**
 * struct piece - a submap
 * @width, @height, @resolution, @origin: of its cells
 * @tiles:	among which it has cells
 * @in:		a bit for each of @tiles: whether there may be some
 * @drawn:	is in all tiles that are not stale
 */
struct piece {
	struct mosaic_submap	submap;
	unsigned int		width, height;
	double			resolution;
	struct pose		origin;
	struct rect		tiles;
	uint64_t		*in;
	bool			drawn;
};

/**
 * struct mosaic
 * @lock:	of tiles and their index for those who look: the owner takes it
 *		to change them. Pieces are the owner's alone
 */
struct mosaic {
	struct mosaic_config	config;
	const struct rule	*rule;
	pthread_rwlock_t	lock;
	struct tile		*tile;
	unsigned int		tiles, tiles_room;
	struct index		tile_index;
	struct piece		*piece;
	unsigned int		pieces, pieces_room, new_pieces;
	struct index		piece_index;
	struct rect		bounds;		/* in tiles */
	size_t			bytes;
	unsigned int		stale;		/* tiles */
	uint64_t		revision, clock;
	struct artist		*artist;	/* one per thread, or NULL */
};

static inline uint64_t tile_key(int x, int y)
{
	return (uint64_t)(uint32_t)y << 32 | (uint32_t)x;
}

static inline size_t tile_bytes(const struct mosaic *m)
{
	return (size_t)TILE_CELLS * m->rule->size;
}

static inline bool piece_is_in(const struct piece *p, int x, int y)
{
	const unsigned int dx = x - p->tiles.x, dy = y - p->tiles.y;
	const size_t bit = (size_t)dy * p->tiles.width + dx;

	return dx < p->tiles.width && dy < p->tiles.height &&
	       p->in[bit / 64] >> (bit % 64) & 1;
}

static inline struct rect tile_rect(const struct tile *t)
{
	return (struct rect){ t->x * MOSAIC_TILE, t->y * MOSAIC_TILE,
			      MOSAIC_TILE, MOSAIC_TILE };
}

/* Tiles are fused together in blocks of @side tiles from (@x, @y) on */
struct blocks {
	const struct mosaic	*m;
	int			x, y, side;
};

/* By block. Return: 0 if both are in the same one */
static inline int block_compare(const struct blocks *b, const struct tile *s,
				const struct tile *t)
{
	const int dy = (s->y - b->y) / b->side - (t->y - b->y) / b->side;

	return dy ? dy : (s->x - b->x) / b->side - (t->x - b->x) / b->side;
}

/**
 * mosaic_draw() - fuse tiles anew
 * @tile: @count of their numbers, those of a block behind each other; their
 *	stale marks go
 *
 * Return: 0, -ENOMEM: some are as they were.
 */
int mosaic_draw(struct mosaic *m, const struct blocks *blocks,
		const uint32_t *tile, unsigned int count,
		struct mosaic_work *work);

/* Add a piece to those tiles of it that are neither stale nor forgotten */
int mosaic_draw_piece(struct mosaic *m, const struct piece *p,
		      struct mosaic_work *work);

void mosaic_free_artists(struct mosaic *m);

#endif
