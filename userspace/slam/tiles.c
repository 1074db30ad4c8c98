// SPDX-License-Identifier: GPL-2.0-only
/*
 * tiles.c - a range of addresses, and a list of the tiles in it that are free
 *
 * The range is reserved once; memory comes as it is first written to. Tiles
 * that become free are used again last in first out, while they are in cache.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "slam/tiles.h"

/* 31 bits of int16_t: what a gather's index can hold */
#define TILES_MAX	((size_t)(INT32_MAX / TILE_UNITS))

struct tiles {
	int16_t		*base;
	size_t			max;
	pthread_spinlock_t	lock;	/* of those below */
	tile_id			free;
	size_t			made, used, peak;
};

static size_t tiles_bytes(const struct tiles *pool)
{
	return pool->max * sizeof(struct tile);
}

struct tiles *tiles_create(size_t max)
{
	struct tiles *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pool->max = max && max < TILES_MAX ? max + 1 : TILES_MAX;
	pool->base = mmap(NULL, tiles_bytes(pool), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pool->base == MAP_FAILED) {
		free(pool);
		return NULL;
	}
	madvise(pool->base, tiles_bytes(pool), MADV_HUGEPAGE);
	pthread_spin_init(&pool->lock, PTHREAD_PROCESS_PRIVATE);
	/* number 0 stays empty: what is not known is read there */
	pool->made = 1;
	return pool;
}

void tiles_destroy(struct tiles *pool)
{
	if (!pool)
		return;
	munmap(pool->base, tiles_bytes(pool));
	pthread_spin_destroy(&pool->lock);
	free(pool);
}

const int16_t *tiles_base(const struct tiles *pool)
{
	return pool->base;
}

void tiles_hold(struct tiles *pool, tile_id id)
{
	if (id)
		atomic_fetch_add_explicit(&tile_at(pool->base, id)->users, 1,
					  memory_order_relaxed);
}

void tiles_release(struct tiles *pool, tile_id id)
{
	struct tile *t = tile_at(pool->base, id);

	if (!id || atomic_fetch_sub_explicit(&t->users, 1,
					     memory_order_acq_rel) != 1)
		return;
	pthread_spin_lock(&pool->lock);
	t->next = pool->free;
	pool->free = id;
	pool->used--;
	pthread_spin_unlock(&pool->lock);
}

/* Return: 0: there are no more. @used: whether something is left in it */
static tile_id take(struct tiles *pool, int *used)
{
	tile_id id;

	pthread_spin_lock(&pool->lock);
	id = pool->free;
	*used = id != 0;
	if (id)
		pool->free = tile_at(pool->base, id)->next;
	else if (pool->made < pool->max)
		id = (tile_id)pool->made++ * TILE_UNITS;
	if (id && ++pool->used > pool->peak)
		pool->peak = pool->used;
	pthread_spin_unlock(&pool->lock);
	return id;
}

int tiles_own(struct tiles *pool, tile_id *id)
{
	struct tile *t = tile_at(pool->base, *id), *own;
	tile_id fresh;
	int used;

	if (*id && atomic_load_explicit(&t->users, memory_order_acquire) == 1)
		return 0;
	fresh = take(pool, &used);
	if (!fresh)
		return -ENOMEM;
	own = tile_at(pool->base, fresh);
	if (*id)
		memcpy(own, t, offsetof(struct tile, users));
	else if (used)
		memset(own, 0, offsetof(struct tile, users));
	atomic_store_explicit(&own->users, 1, memory_order_relaxed);
	tiles_release(pool, *id);
	*id = fresh;
	return 0;
}

size_t tiles_used(const struct tiles *pool)
{
	return pool->used;
}

size_t tiles_peak(const struct tiles *pool)
{
	return pool->peak;
}
