/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cache.h - cells that are in memory, the last used of them
 *
 * For any number of threads.
 */
#ifndef MAP_SITE_CACHE_H
#define MAP_SITE_CACHE_H

#include <stddef.h>
#include <stdint.h>
#include "map/fusion/cells.h"

struct cache;

/**
 * cache_create() - of @memory bytes of cells
 *
 * Return: NULL: no memory.
 */
struct cache *cache_create(size_t memory);
void cache_destroy(struct cache *c);

/* Return: one reference, or NULL if it is not there */
struct cells *cache_find(struct cache *c, uint64_t key);

/**
 * cache_add() - in place of what has that key
 *
 * Takes a reference of its own. Without memory for its table nothing is kept.
 */
void cache_add(struct cache *c, uint64_t key, struct cells *cells);
void cache_drop(struct cache *c, uint64_t key);

/**
 * cache_add_since() - as cache_add(), if nothing was dropped since
 * @drops: cache_drops() of before @cells were read or made
 *
 * So what is out of date by now does not stay.
 */
void cache_add_since(struct cache *c, uint64_t key, struct cells *cells,
		     uint64_t drops);
uint64_t cache_drops(struct cache *c);

size_t cache_bytes(struct cache *c);

#endif
