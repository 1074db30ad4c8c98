/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fused_map.h - one map of many submaps, which is mended where they move
 *
 * The map is made of tiles of FUSED_MAP_TILE cells squared, each of which knows
 * the submaps that have cells in it. A submap that is new is added to what is
 * there; one that moved, changed or went makes its tiles stale, and these are
 * fused anew from all that lie in them. The result is that of fusing all anew,
 * bit by bit, but for submaps that moved less than half a cell and were left
 * where they are.
 *
 * How submaps lie in the map (resampled.h) is remembered, so that only those are
 * drawn that moved. Memory is bounded: drawings that were not used for longest
 * are forgotten, and then tiles, which are fused again when fused_map_ensure() asks
 * for them.
 *
 * One thread, the owner, changes a fused map. Others may look at it meanwhile
 * (fused_map_value(), fused_map_read(), fused_map_bounds(), fused_map_changes(),
 * fused_map_size()) and hardly ever wait: fusing goes on beside what they see.
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
 * @bits:	of all cells that are put into it
 * @splat:	as of project()
 * @threads:	that may fuse, 1 is the caller alone
 * @memory:	of tiles and drawings of submaps, bytes; more only while a
 *		single call needs it
 * @fetch:	gives one reference to the cells of a submap, and one to their
 *		weights (8 bits, same geometry) or NULL. Called by all @threads
 *		at once. Return: 0, or an error: the submap is left out
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
 * struct fused_map_work - what was done; counts are added to what is there
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
 * fused_map_set_memory() - as config.memory, from now on
 *
 * What is too much is forgotten.
 */
void fused_map_set_memory(struct fused_map *m, size_t memory);

/* Of tiles and drawings; for the owner */
size_t fused_map_bytes(const struct fused_map *m);

double fused_map_resolution(const struct fused_map *m);
/* That of its config */
void *fused_map_arg(const struct fused_map *m);

/**
 * fused_map_put() - a submap is new, or has other cells
 *
 * Return: 0; -ENOMEM; -ERANGE: it is too far away to be in a map, or too large;
 * what @fetch returned.
 */
int fused_map_put(struct fused_map *m, const struct fused_map_submap *s);

/**
 * fused_map_move() - a submap's frame is elsewhere
 *
 * Return: 1: it moved; 0: not by more than half a cell since it was last
 * drawn, and stays; -ENOENT; as fused_map_put().
 */
int fused_map_move(struct fused_map *m, int64_t id, const struct pose *pose);

void fused_map_remove(struct fused_map *m, int64_t id);

/* All tiles are to be fused anew, all submaps to be where they are now */
void fused_map_invalidate(struct fused_map *m);

/**
 * fused_map_update() - fuse what is stale or new
 * @deadline:	CLOCK_MONOTONIC, ns: begin nothing new after that; UINT64_MAX:
 *		finish
 * @work:	may be NULL
 *
 * Return: 0: all is done; 1: there is more to do; -ENOMEM.
 */
int fused_map_update(struct fused_map *m, uint64_t deadline,
		     struct fused_map_work *work);

/* Whether fused_map_update() has something to do */
bool fused_map_is_stale(const struct fused_map *m);

/**
 * fused_map_ensure() - bring back what was forgotten of a part of the map
 *
 * As fused_map_update() without a deadline, for this part. Beyond the memory of
 * the map it does not stay longer than until the next call.
 *
 * Return: 0, -ENOMEM.
 */
int fused_map_ensure(struct fused_map *m, const struct rect *r);

/* All that may be known, whole tiles; empty if nothing is */
struct rect fused_map_bounds(struct fused_map *m);

/**
 * fused_map_value() - of a cell, as it was last fused; -1: unknown
 *
 * Return: -EAGAIN: its tile was forgotten, see fused_map_ensure().
 */
int fused_map_value(struct fused_map *m, int x, int y);

/**
 * fused_map_read() - a part of the map
 * @r: rect says which, cells must have room; the rest is set
 *
 * Return: 0; -EAGAIN: something of it was forgotten and is left unknown.
 */
int fused_map_read(struct fused_map *m, struct raster *r);

/**
 * fused_map_changes() - what is different from what it was
 * @since: of an earlier call, 0: all
 * @each: a tile that changed
 *
 * Return: for @since of the next call.
 */
uint64_t fused_map_changes(struct fused_map *m, uint64_t since,
			   void (*each)(void *arg, const struct rect *tile),
			   void *arg);

/*
 * Submaps, those that fused_map_update() has to draw where they are now, tiles with
 * something in them, bytes of tiles and drawings
 */
struct fused_map_size {
	unsigned int	submaps, waiting, tiles;
	size_t		bytes;
};

struct fused_map_size fused_map_size(struct fused_map *m);

#endif
