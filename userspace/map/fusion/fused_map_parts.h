/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fused_map_parts.h - internals of a fused map; for fused_map*.c only
 */
#ifndef MAP_FUSION_FUSED_MAP_PARTS_H
#define MAP_FUSION_FUSED_MAP_PARTS_H

#include <pthread.h>
#include "map/fusion/fused_map.h"
#include "map/fusion/index.h"
#include "map/fusion/resampled.h"

/* A piece in a tile: @part is the index of the tile in piece->resampled */
struct tile_piece {
	uint32_t	piece, part;
};

/**
 * struct tile
 * @x, @y:	in tiles
 * @acc:	accumulators [y * TILE_SIDE + x]; NULL: nothing was added to
 *		them, or, if there are pieces, they were evicted
 * @rule:	rule of the accumulators
 * @piece:	@pieces of those that have cells in it
 * @changed:	revision of the map when it changed
 * @wanted:	time of last use; readers write it too
 * @stale:	must be fused again
 */
struct tile {
	int			x, y;
	void			*acc;
	const struct rule	*rule;
	struct tile_piece	*piece;
	uint32_t		pieces, room;
	uint64_t		changed, wanted;
	bool			stale;
};

/* Position of a piece in the map, in the order of piece->resampled */
struct place {
	int	x, y;
};

/**
 * struct piece - a submap
 * @width, @height, @resolution, @origin: of its cells
 * @resampled:	NULL: evicted, or never made
 * @place:	@places: tiles it is in
 * @used:	time of last use of @resampled
 * @waits:	must be drawn and put into tiles
 */
struct piece {
	struct fused_map_submap	submap;
	unsigned int		width, height;
	double			resolution;
	struct pose		origin;
	struct resampled	*resampled;
	struct place		*place;
	unsigned int		places;
	uint64_t		used;
	bool			waits;
};

/**
 * struct fused_map
 * @lock:	protects tiles and their index for readers: the owner takes it
 *		to change them. Pieces belong to the owner alone
 * @bytes:	of accumulators and resampled submaps
 */
struct fused_map {
	struct fused_map_config	config;
	const struct rule	*rule;
	pthread_rwlock_t	lock;
	struct tile		*tile;
	unsigned int		tiles, tiles_room;
	struct index		tile_index;
	struct piece		*piece;
	unsigned int		pieces, pieces_room, waiting;
	struct index		piece_index;
	struct rect		bounds;		/* in tiles */
	bool			shrunk;		/* @bounds is too large */
	size_t			bytes;
	unsigned int		stale;		/* tiles */
	uint64_t		revision, clock;
	struct resampler	**artist;	/* one per thread */
};

/* Logical time of use; readers increment it, too */
static inline uint64_t fused_map_clock(const struct fused_map *m)
{
	return __atomic_load_n(&m->clock, __ATOMIC_RELAXED);
}

static inline uint64_t fused_map_tick(struct fused_map *m)
{
	return __atomic_add_fetch(&m->clock, 1, __ATOMIC_RELAXED);
}

static inline uint64_t tile_key(int x, int y)
{
	return (uint64_t)(uint32_t)y << 32 | (uint32_t)x;
}

/* The rule whose accumulators can take all pieces of a tile */
static inline const struct rule *tile_rule(const struct fused_map *m,
					   const struct tile *t)
{
	return m->rule->wide && t->pieces > m->rule->most ? m->rule->wide :
							    m->rule;
}

static inline size_t rule_bytes(const struct rule *rule)
{
	return (size_t)TILE_CELLS * rule->size;
}

/* Bytes of a tile's accumulators */
static inline size_t tile_bytes(const struct tile *t)
{
	return t->acc ? rule_bytes(t->rule) : 0;
}

static inline struct rect tile_rect(const struct tile *t)
{
	return (struct rect){ t->x * TILE_SIDE, t->y * TILE_SIDE, TILE_SIDE,
			      TILE_SIDE };
}

static inline uint32_t fused_map_tile_at(const struct fused_map *m, int x,
					 int y)
{
	return index_find(&m->tile_index, tile_key(x, y));
}

/**
 * fused_map_draw() - draw pieces that are not resampled
 * @piece: @count of their numbers
 *
 * Pieces that cannot be fetched stay without. Return: 0, -ENOMEM.
 */
int fused_map_draw(struct fused_map *m, const uint32_t *piece,
		   unsigned int count, struct fused_map_work *work);

/**
 * fused_map_fuse() - fuse tiles from scratch
 * @tile: @count of their numbers; their stale marks are cleared
 *
 * Return: 0, -ENOMEM: some are unchanged.
 */
int fused_map_fuse(struct fused_map *m, const uint32_t *tile,
		   unsigned int count, struct fused_map_work *work);

/* Add a piece to the accumulators of a tile, which are of @rule */
void fused_map_add(const struct rule *rule, const struct piece *p,
		   unsigned int part, void *acc);

/* Empty accumulators; NULL: no memory */
void *fused_map_begin_tile(const struct rule *rule);

void fused_map_free_artists(struct fused_map *m);

/*
 * Evict the least recently used until there is room for @more bytes; tiles only
 * if they were not used since @keep
 */
void fused_map_trim(struct fused_map *m, size_t more, uint64_t keep);
void fused_map_forget_tile(struct fused_map *m, struct tile *t);
void fused_map_forget_resampled(struct fused_map *m, struct piece *p);

#endif
