/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fused_map.h - one map of many submaps, which is mended where they move
 *
 * The map is made of tiles of MOSAIC_TILE cells squared, each of which knows
 * the submaps that have cells in it. A submap that is new is added to what is
 * there; one that moved, changed or went makes its tiles stale, and these are
 * fused anew from all that lie in them. The result is that of fusing all anew,
 * bit by bit, but for submaps that moved less than half a cell and were left
 * where they are.
 *
 * How submaps lie in the map (drawing.h) is remembered, so that only those are
 * drawn that moved. Memory is bounded: drawings that were not used for longest
 * are forgotten, and then tiles, which are fused again when mosaic_want() asks
 * for them.
 *
 * One thread, the owner, changes a mosaic. Others may look at it meanwhile
 * (mosaic_value(), mosaic_read(), mosaic_bounds(), mosaic_changes(),
 * mosaic_size()) and hardly ever wait: fusing goes on beside what they see.
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

enum { MOSAIC_TILE = TILE_SIDE };

/**
 * struct mosaic_config - copied
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
struct mosaic_config {
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
 * struct mosaic_submap
 * @pose:	of its frame in the map
 * @source:	for the rule
 */
struct mosaic_submap {
	int64_t			id;
	struct pose		pose;
	struct rule_source	source;
};

/**
 * struct mosaic_work - what was done; counts are added to what is there
 * @drawn:	submaps
 * @failed:	submaps that could not be fetched, or are too large for a map of
 *		this resolution, each time
 */
struct mosaic_work {
	uint64_t	tiles, drawn, failed;
};

struct mosaic;

/* Return: NULL: no memory */
struct mosaic *mosaic_create(const struct mosaic_config *config);
void mosaic_destroy(struct mosaic *m);

/**
 * mosaic_set_memory() - as config.memory, from now on
 *
 * What is too much is forgotten.
 */
void mosaic_set_memory(struct mosaic *m, size_t memory);

/* Of tiles and drawings; for the owner */
size_t mosaic_bytes(const struct mosaic *m);

double mosaic_resolution(const struct mosaic *m);
/* That of its config */
void *mosaic_arg(const struct mosaic *m);

/**
 * mosaic_put() - a submap is new, or has other cells
 *
 * Return: 0; -ENOMEM; -ERANGE: it is too far away to be in a map, or too large;
 * what @fetch returned.
 */
int mosaic_put(struct mosaic *m, const struct mosaic_submap *s);

/**
 * mosaic_move() - a submap's frame is elsewhere
 *
 * Return: 1: it moved; 0: not by more than half a cell since it was last
 * drawn, and stays; -ENOENT; as mosaic_put().
 */
int mosaic_move(struct mosaic *m, int64_t id, const struct pose *pose);

void mosaic_remove(struct mosaic *m, int64_t id);

/* All tiles are to be fused anew, all submaps to be where they are now */
void mosaic_spoil(struct mosaic *m);

/**
 * mosaic_update() - fuse what is stale or new
 * @deadline:	CLOCK_MONOTONIC, ns: begin nothing new after that; UINT64_MAX:
 *		finish
 * @work:	may be NULL
 *
 * Return: 0: all is done; 1: there is more to do; -ENOMEM.
 */
int mosaic_update(struct mosaic *m, uint64_t deadline,
		  struct mosaic_work *work);

/* Whether mosaic_update() has something to do */
bool mosaic_is_stale(const struct mosaic *m);

/**
 * mosaic_want() - bring back what was forgotten of a part of the map
 *
 * As mosaic_update() without a deadline, for this part. Beyond the memory of
 * the mosaic it does not stay longer than until the next call.
 *
 * Return: 0, -ENOMEM.
 */
int mosaic_want(struct mosaic *m, const struct rect *r);

/* All that may be known, whole tiles; empty if nothing is */
struct rect mosaic_bounds(struct mosaic *m);

/**
 * mosaic_value() - of a cell, as it was last fused; -1: unknown
 *
 * Return: -EAGAIN: its tile was forgotten, see mosaic_want().
 */
int mosaic_value(struct mosaic *m, int x, int y);

/**
 * mosaic_read() - a part of the map
 * @r: rect says which, cells must have room; the rest is set
 *
 * Return: 0; -EAGAIN: something of it was forgotten and is left unknown.
 */
int mosaic_read(struct mosaic *m, struct raster *r);

/**
 * mosaic_changes() - what is different from what it was
 * @since: of an earlier call, 0: all
 * @each: a tile that changed
 *
 * Return: for @since of the next call.
 */
uint64_t mosaic_changes(struct mosaic *m, uint64_t since,
			void (*each)(void *arg, const struct rect *tile),
			void *arg);

/*
 * Submaps, those that mosaic_update() has to draw where they are now, tiles with
 * something in them, bytes of tiles and drawings
 */
struct mosaic_size {
	unsigned int	submaps, waiting, tiles;
	size_t		bytes;
};

struct mosaic_size mosaic_size(struct mosaic *m);

#endif
