/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fused_map.h - a map fused from many submaps, updated incrementally
 *
 * The map consists of tiles of FUSED_MAP_TILE cells squared. Each knows the
 * submaps that have cells in it. A new submap is added to the existing tiles. A
 * submap that moved, changed or was removed makes its tiles stale; these are
 * fused again from all their submaps. The result equals that of fusing
 * everything from scratch, bit by bit, except for submaps that moved less than
 * half a cell and were not redrawn.
 *
 * Resampled submaps (resampled.h) are cached, so that only moved ones are
 * redrawn. Memory is bounded: the least recently used resampled submaps are
 * evicted first, then tiles, which are fused again when fused_map_ensure()
 * requests them.
 *
 * One thread, the owner, changes a fused map. Others may query it meanwhile
 * (fused_map_value(), fused_map_read(), fused_map_bounds(),
 * fused_map_changes(), fused_map_size()) and hardly ever wait: fusing works
 * beside what they see.
 */
#ifndef MAP_FUSION_FUSED_MAP_H
#define MAP_FUSION_FUSED_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "map/fusion/cells.h"
#include "map/fusion/raster.h"
#include "map/fusion/rule.h"
#include "map/fusion/tile.h"

enum { FUSED_MAP_TILE = TILE_SIDE };

/**
 * struct fused_map_config - copied
 * @resolution:	of the map, m
 * @bits:	of all its cells
 * @splat:	splat instead of sample, see resampled.h
 * @threads:	that may fuse; 1: only the caller
 * @memory:	of tiles and resampled submaps, bytes; exceeded only while a
 *		single call needs more
 * @fetch:	returns one reference to the cells of a submap, and one to their
 *		weights (8 bits, same geometry) or NULL. Called by all @threads
 *		in parallel. Return: 0, or an error: the submap is left out
 */
struct fused_map_config {
	double		resolution;
	unsigned int	bits;
	enum rule_id	rule;
	bool		splat;
	unsigned int	threads;
	size_t		memory;
	int		(*fetch)(void *arg, int64_t id, struct cells **cells,
				 struct cells **weights);
	void		*arg;
};

/**
 * struct fused_map_submap
 * @pose:	of its frame in the map
 * @source:	for the rule
 */
struct fused_map_submap {
	int64_t			id;
	struct pose		pose;
	struct rule_source	source;
};

/**
 * struct fused_map_work - work done; counts are added to existing values
 * @drawn:	submaps
 * @failed:	submaps that could not be fetched, or are too large for a map of
 *		this resolution, each time
 */
struct fused_map_work {
	uint64_t	tiles, drawn, failed;
};

struct fused_map;

/* Return: NULL: no memory */
struct fused_map *fused_map_create(const struct fused_map_config *config);
void fused_map_destroy(struct fused_map *m);

/**
 * fused_map_set_memory() - change config.memory
 *
 * Evicts what exceeds it.
 */
void fused_map_set_memory(struct fused_map *m, size_t memory);

/* Bytes of tiles and resampled submaps; for the owner */
size_t fused_map_bytes(const struct fused_map *m);

double fused_map_resolution(const struct fused_map *m);
/* @arg of its config */
void *fused_map_arg(const struct fused_map *m);

/**
 * fused_map_put() - add a submap, or replace its cells
 *
 * Return: 0; -ENOMEM; -ERANGE: it is too far away or too large; an error of
 * @fetch.
 */
int fused_map_put(struct fused_map *m, const struct fused_map_submap *s);

/**
 * fused_map_move() - move a submap's frame
 *
 * Return: 1: it moved; 0: it moved by at most half a cell since it was last
 * drawn, and is not redrawn; -ENOENT; as fused_map_put().
 */
int fused_map_move(struct fused_map *m, int64_t id, const struct pose *pose);

void fused_map_remove(struct fused_map *m, int64_t id);

/* Fuse all tiles again, with the current poses of all submaps */
void fused_map_invalidate(struct fused_map *m);

/**
 * fused_map_update() - fuse stale and new tiles
 * @deadline:	CLOCK_MONOTONIC, ns: start nothing after that; UINT64_MAX:
 *		finish
 * @work:	may be NULL
 *
 * Return: 0: complete; 1: more work is left; -ENOMEM.
 */
int fused_map_update(struct fused_map *m, uint64_t deadline,
		     struct fused_map_work *work);

/* Has fused_map_update() work to do? */
bool fused_map_is_stale(const struct fused_map *m);

/**
 * fused_map_ensure() - fuse evicted tiles of a part of the map
 *
 * As fused_map_update() without a deadline, for this part. Tiles beyond the
 * memory of the map stay only until the next call.
 *
 * Return: 0, -ENOMEM.
 */
int fused_map_ensure(struct fused_map *m, const struct rect *r);

/* Bounds of the tiles that may have known cells; may be empty */
struct rect fused_map_bounds(struct fused_map *m);

/**
 * fused_map_value() - value of a cell, as last fused; -1: unknown
 *
 * Return: -EAGAIN: its tile was evicted, see fused_map_ensure().
 */
int fused_map_value(struct fused_map *m, int x, int y);

/**
 * fused_map_read() - read a part of the map
 * @r: rect selects it, cells must have room; the rest is set
 *
 * Return: 0; -EAGAIN: parts of it were evicted and are left unknown.
 */
int fused_map_read(struct fused_map *m, struct raster *r);

/**
 * fused_map_changes() - tiles that have changed
 * @since: result of an earlier call, 0: all
 * @each: called for each changed tile
 *
 * Return: value for @since of the next call.
 */
uint64_t fused_map_changes(struct fused_map *m, uint64_t since,
			   void (*each)(void *arg, const struct rect *tile),
			   void *arg);

/*
 * Number of submaps that fused_map_update() has to redraw, tiles with known
 * cells, bytes of tiles and resampled submaps
 */
struct fused_map_size {
	unsigned int	submaps, waiting, tiles;
	size_t		bytes;
};

struct fused_map_size fused_map_size(struct fused_map *m);

#endif
