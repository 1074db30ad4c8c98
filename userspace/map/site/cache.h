/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cache.h - LRU cache of cells
 *
 * Thread safe.
 */
#ifndef MAP_SITE_CACHE_H
#define MAP_SITE_CACHE_H

#include <stddef.h>
#include <stdint.h>
#include "map/fusion/cells.h"

struct cache;

/**
 * cache_create() - cache of up to @memory bytes of cells
 *
 * Return: NULL: no memory.
 */
struct cache *cache_create(size_t memory);
void cache_destroy(struct cache *c);

/* Return: one reference, or NULL if not found */
struct cells *cache_find(struct cache *c, uint64_t key);

/**
 * cache_add() - add or replace an entry
 *
 * Takes a reference of its own. If memory for its table is short, nothing is
 * kept.
 */
void cache_add(struct cache *c, uint64_t key, struct cells *cells);
void cache_drop(struct cache *c, uint64_t key);

/**
 * cache_add_since() - as cache_add(), unless something was dropped since
 * @drops: cache_drops() from before @cells were read or made
 *
 * So outdated cells are not kept.
 */
void cache_add_since(struct cache *c, uint64_t key, struct cells *cells,
		     uint64_t drops);
uint64_t cache_drops(struct cache *c);

size_t cache_bytes(struct cache *c);

#endif
