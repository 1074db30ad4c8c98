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

/* What a gather's index can hold */
#define BYTES_MAX	((size_t)INT32_MAX)

struct tiles {
	uint8_t			*base;
	const struct tile_kind	*kind;
	size_t			max;
	pthread_spinlock_t	lock;	/* of those below */
	tile_id			free;
	size_t			made, used, peak;
	_Atomic size_t		directory, directory_peak;
};

static size_t range(const struct tiles *pool)
{
	return pool->max * pool->kind->bytes;
}

struct tiles *tiles_create(const struct tile_kind *kind, size_t max)
{
	const size_t most = BYTES_MAX / kind->bytes;
	struct tiles *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pool->kind = kind;
	pool->max = max && max < most ? max + 1 : most;
	pool->base = mmap(NULL, range(pool), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pool->base == MAP_FAILED) {
		free(pool);
		return NULL;
	}
	madvise(pool->base, range(pool), MADV_HUGEPAGE);
	pthread_spin_init(&pool->lock, PTHREAD_PROCESS_PRIVATE);
	/* number 0 stays empty: what is not known is read there */
	pool->made = 1;
	return pool;
}

void tiles_destroy(struct tiles *pool)
{
	if (!pool)
		return;
	munmap(pool->base, range(pool));
	pthread_spin_destroy(&pool->lock);
	free(pool);
}

const uint8_t *tiles_base(const struct tiles *pool)
{
	return pool->base;
}

void tiles_hold(struct tiles *pool, tile_id id)
{
	if (id)
		atomic_fetch_add_explicit(&tile_head_at(pool->base, id)->users,
					  1, memory_order_relaxed);
}

void tiles_release(struct tiles *pool, tile_id id)
{
	struct tile_head *t = tile_head_at(pool->base, id);

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
		pool->free = tile_head_at(pool->base, id)->next;
	else if (pool->made < pool->max)
		id = (tile_id)(pool->made++ * pool->kind->bytes);
	if (id && ++pool->used > pool->peak)
		pool->peak = pool->used;
	pthread_spin_unlock(&pool->lock);
	return id;
}

int tiles_own(struct tiles *pool, tile_id *id)
{
	struct tile_head *t = tile_head_at(pool->base, *id), *own;
	const size_t rest = pool->kind->bytes - sizeof(*own);
	tile_id fresh;
	int used;

	if (*id && atomic_load_explicit(&t->users, memory_order_acquire) == 1)
		return 0;
	fresh = take(pool, &used);
	if (!fresh)
		return -ENOMEM;
	own = tile_head_at(pool->base, fresh);
	own->version = t->version;
	if (*id)
		memcpy(own + 1, t + 1, rest);
	else if (used)
		memset(own + 1, 0, rest);
	atomic_store_explicit(&own->users, 1, memory_order_relaxed);
	tiles_release(pool, *id);
	*id = fresh;
	return 0;
}

const struct tile_kind *tiles_kind(const struct tiles *pool)
{
	return pool->kind;
}

size_t tiles_used(const struct tiles *pool)
{
	return pool->used;
}

size_t tiles_peak(const struct tiles *pool)
{
	return pool->peak;
}

void tiles_directory_add(struct tiles *pool, ptrdiff_t bytes)
{
	const size_t now = atomic_fetch_add_explicit(&pool->directory,
		(size_t)bytes, memory_order_relaxed) + (size_t)bytes;
	size_t peak = atomic_load_explicit(&pool->directory_peak,
					   memory_order_relaxed);

	while (bytes > 0 && now > peak &&
	       !atomic_compare_exchange_weak(&pool->directory_peak, &peak, now))
		;
}

size_t tiles_bytes(const struct tiles *pool)
{
	return pool->used * pool->kind->bytes + pool->directory;
}

size_t tiles_bytes_peak(const struct tiles *pool)
{
	return pool->peak * pool->kind->bytes + pool->directory_peak;
}
