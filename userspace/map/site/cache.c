// SPDX-License-Identifier: GPL-2.0-only
/*
 * cache - a table of cells by key, and a list in order of use
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include "map/fusion/index.h"
#include "map/site/cache.h"

/* @older, @newer: numbers of entries; INDEX_NONE at the ends, or if free */
struct entry {
	uint64_t	key;
	struct cells	*cells;
	uint32_t	older, newer;
};

struct cache {
	pthread_mutex_t	lock;
	struct index	index;
	struct entry	*entry;
	uint32_t	entries, room, free;
	uint32_t	oldest, newest;
	size_t		bytes, memory;
	uint64_t	drops;
};

struct cache *cache_create(size_t memory)
{
	struct cache *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	pthread_mutex_init(&c->lock, NULL);
	c->memory = memory;
	c->free = c->oldest = c->newest = INDEX_NONE;
	return c;
}

static void unlink_entry(struct cache *c, uint32_t i)
{
	const struct entry *e = &c->entry[i];

	if (e->older != INDEX_NONE)
		c->entry[e->older].newer = e->newer;
	else
		c->oldest = e->newer;
	if (e->newer != INDEX_NONE)
		c->entry[e->newer].older = e->older;
	else
		c->newest = e->older;
}

static void link_newest(struct cache *c, uint32_t i)
{
	struct entry *e = &c->entry[i];

	e->older = c->newest;
	e->newer = INDEX_NONE;
	if (c->newest != INDEX_NONE)
		c->entry[c->newest].newer = i;
	else
		c->oldest = i;
	c->newest = i;
}

static void drop(struct cache *c, uint32_t i)
{
	struct entry *e = &c->entry[i];

	assert(i < c->entries && index_find(&c->index, e->key) == i);
	unlink_entry(c, i);
	index_remove(&c->index, e->key);
	assert(e->cells->bytes <= c->bytes);
	c->bytes -= e->cells->bytes;
	cells_put(e->cells);
	e->newer = c->free;
	c->free = i;
}

void cache_destroy(struct cache *c)
{
	if (!c)
		return;
	while (c->oldest != INDEX_NONE)
		drop(c, c->oldest);
	index_free(&c->index);
	free(c->entry);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

struct cells *cache_find(struct cache *c, uint64_t key)
{
	struct cells *found = NULL;
	uint32_t i;

	pthread_mutex_lock(&c->lock);
	i = index_find(&c->index, key);
	if (i != INDEX_NONE) {
		found = cells_get(c->entry[i].cells);
		unlink_entry(c, i);
		link_newest(c, i);
	}
	pthread_mutex_unlock(&c->lock);
	return found;
}

/* Return: INDEX_NONE: no memory */
static uint32_t new_entry(struct cache *c)
{
	const uint32_t more = c->room ? 2 * c->room : 64;
	uint32_t i = c->free;
	struct entry *e;

	if (i != INDEX_NONE) {
		c->free = c->entry[i].newer;
		return i;
	}
	if (c->entries == c->room) {
		e = realloc(c->entry, more * sizeof(*e));
		if (!e)
			return INDEX_NONE;
		c->entry = e;
		c->room = more;
	}
	return c->entries++;
}

static void add(struct cache *c, uint64_t key, struct cells *cells)
{
	uint32_t i = index_find(&c->index, key);

	if (i != INDEX_NONE)
		drop(c, i);
	if (cells->bytes > c->memory)
		return;
	while (c->bytes + cells->bytes > c->memory) {
		assert(c->oldest != INDEX_NONE && c->bytes);
		drop(c, c->oldest);
	}
	i = new_entry(c);
	if (i == INDEX_NONE)
		return;
	if (index_add(&c->index, key, i)) {
		c->entry[i].newer = c->free;
		c->free = i;
		return;
	}
	c->entry[i].key = key;
	c->entry[i].cells = cells_get(cells);
	c->bytes += cells->bytes;
	assert(c->bytes <= c->memory);
	link_newest(c, i);
}

void cache_add(struct cache *c, uint64_t key, struct cells *cells)
{
	pthread_mutex_lock(&c->lock);
	add(c, key, cells);
	pthread_mutex_unlock(&c->lock);
}

void cache_add_since(struct cache *c, uint64_t key, struct cells *cells,
		     uint64_t drops)
{
	pthread_mutex_lock(&c->lock);
	if (drops == c->drops)
		add(c, key, cells);
	pthread_mutex_unlock(&c->lock);
}

uint64_t cache_drops(struct cache *c)
{
	uint64_t drops;

	pthread_mutex_lock(&c->lock);
	drops = c->drops;
	pthread_mutex_unlock(&c->lock);
	return drops;
}

void cache_drop(struct cache *c, uint64_t key)
{
	uint32_t i;

	pthread_mutex_lock(&c->lock);
	c->drops++;
	i = index_find(&c->index, key);
	if (i != INDEX_NONE)
		drop(c, i);
	pthread_mutex_unlock(&c->lock);
}

size_t cache_bytes(struct cache *c)
{
	size_t bytes;

	pthread_mutex_lock(&c->lock);
	bytes = c->bytes;
	pthread_mutex_unlock(&c->lock);
	return bytes;
}
