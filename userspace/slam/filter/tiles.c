// SPDX-License-Identifier: GPL-2.0-only
/*
 * tiles.c - an address range, and a free list of the tiles in it
 *
 * The range is reserved once and made writable part by part; memory is used at
 * the first write. Free tiles are used again last in first out, while they are
 * in cache.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "slam/filter/memory.h"
#include "slam/filter/tiles.h"

/* memory_take() is called for this much at a time, bytes */
#define GRANT		((size_t)1 << 20)
/* This much is made writable at a time, bytes */
#define OPEN		((size_t)32 << 20)
/* Give up with less than this */
#define RANGE_LEAST	((size_t)64 << 20)

/**
 * struct tiles
 * @range:	of addresses, bytes
 * @open:	writable part, bytes
 * @growing:	held while the pool grows
 * @granted:	by memory_take(), bytes
 * @made, @used, @peak: tiles; the first one stays empty
 * @end:	of the last tile that was made, bytes
 * @skipped:	part of it, by tiles_skip()
 */
struct tiles {
	uint8_t			*base;
	const struct tile_kind	*kind;
	size_t			max, range;
	pthread_mutex_t		growing;
	_Atomic size_t		open, granted;
	pthread_spinlock_t	lock;	/* of those below */
	tile_id			free;
	size_t			made, end, skipped, used, peak;
	_Atomic size_t		directory, directory_peak;
};

/* Addresses cost nothing, but their number may be limited */
static uint8_t *tiles_reserve(size_t *bytes, size_t least)
{
	for (; *bytes >= least; *bytes /= 2) {
		uint8_t *base = mmap(NULL, *bytes, PROT_NONE, MAP_PRIVATE |
				     MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

		if (base != MAP_FAILED)
			return base;
	}
	return NULL;
}

/* Up to @end, and some more. Return: whether there are addresses and memory */
static bool open_range(struct tiles *pool, size_t end)
{
	const size_t whole = (end + OPEN - 1) / OPEN * OPEN;
	const size_t to = whole < pool->range ? whole : pool->range;

	if (end <= pool->open)
		return true;
	if (end > pool->range ||
	    mprotect(pool->base + pool->open, to - pool->open,
		     PROT_READ | PROT_WRITE)) {
		memory_no_addresses();
		return false;
	}
	assert(to >= end && to <= pool->range);
	pool->open = to;
	return true;
}

struct tiles *tiles_create(const struct tile_kind *kind, size_t max)
{
	struct tiles *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pool->kind = kind;
	pool->max = max ? max + 1 : SIZE_MAX;
	pool->range = max && max < RANGE_LEAST / kind->bytes ? RANGE_LEAST :
			     TILES_BYTES_MAX;
	pool->base = tiles_reserve(&pool->range, RANGE_LEAST);
	if (!pool->base) {
		free(pool);
		return NULL;
	}
	madvise(pool->base, pool->range, MADV_HUGEPAGE);
	pthread_spin_init(&pool->lock, PTHREAD_PROCESS_PRIVATE);
	pthread_mutex_init(&pool->growing, NULL);
	/* number 0 stays empty: it stands for the unknown */
	pool->made = 1;
	pool->end = kind->bytes;
	if (!open_range(pool, pool->end)) {
		tiles_destroy(pool);
		return NULL;
	}
	return pool;
}

void tiles_destroy(struct tiles *pool)
{
	if (!pool)
		return;
	munmap(pool->base, pool->range);
	memory_give(pool->granted);
	pthread_mutex_destroy(&pool->growing);
	pthread_spin_destroy(&pool->lock);
	free(pool);
}

bool tiles_skip(struct tiles *pool, uint64_t bytes)
{
	const size_t at = bytes / OPEN * OPEN;

	if (at < pool->end || at + OPEN > pool->range)
		return false;
	pool->skipped += at - pool->end;
	pool->open = pool->end = at;
	return open_range(pool, at + OPEN);
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
	assert(pool->used && pool->used <= pool->made);
	pool->used--;
	pthread_spin_unlock(&pool->lock);
}

/* Where the next new tile ends. A tile does not cross TILE_FAR, so that all
 * cells of a tile before it have offsets of 31 bits
 */
static size_t next_end(const struct tiles *pool)
{
	const size_t far = (size_t)TILE_FAR << TILE_UNIT_BITS;
	const size_t end = pool->end + pool->kind->bytes;

	return pool->end < far && end > far ? far + pool->kind->bytes : end;
}

/* Grow until there are addresses up to @end, and @bytes are granted. Return:
 * whether both succeeded
 */
static bool tiles_grow(struct tiles *pool, size_t end, size_t bytes)
{
	bool may = true;

	pthread_mutex_lock(&pool->growing);
	while (may && bytes > pool->granted) {
		may = memory_take(GRANT);
		if (may)
			pool->granted += GRANT;
	}
	may = may && open_range(pool, end);
	pthread_mutex_unlock(&pool->growing);
	return may;
}

/* A free tile, or otherwise, if there is memory, a new one */
static tile_id try_take(struct tiles *pool, int *used, size_t *end,
			size_t *bytes)
{
	tile_id id;

	pthread_spin_lock(&pool->lock);
	id = pool->free;
	*used = id != 0;
	*end = next_end(pool);
	*bytes = *end - pool->skipped + pool->directory;
	if (id) {
		pool->free = tile_head_at(pool->base, id)->next;
	} else if (pool->made == pool->max) {
		*end = 0;
	} else if (*end <= pool->open && *bytes <= pool->granted) {
		id = (tile_id)((*end - pool->kind->bytes) >> TILE_UNIT_BITS);
		pool->end = *end;
		pool->made++;
	}
	if (id && ++pool->used > pool->peak)
		pool->peak = pool->used;
	assert(pool->used < pool->made && pool->end <= pool->range);
	pthread_spin_unlock(&pool->lock);
	return id;
}

/* Return: 0: there are no more. @used: it has old contents */
static tile_id tiles_take(struct tiles *pool, int *used)
{
	size_t end, bytes;
	tile_id id;

	do {
		id = try_take(pool, used, &end, &bytes);
	} while (!id && end && tiles_grow(pool, end, bytes));
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
	fresh = tiles_take(pool, &used);
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

bool tiles_directory_fits(struct tiles *pool, size_t bytes)
{
	size_t end;

	pthread_spin_lock(&pool->lock);
	end = pool->end;
	bytes += end - pool->skipped;
	pthread_spin_unlock(&pool->lock);
	bytes += pool->directory;
	return bytes <= pool->granted || tiles_grow(pool, end, bytes);
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
