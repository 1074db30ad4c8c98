// SPDX-License-Identifier: GPL-2.0-only
/*
 * fused_map_memory - evict least recently used resampled submaps, and then
 * tiles, when memory is short
 */
#include <assert.h>
#include <stdlib.h>
#include "map/fusion/fused_map_parts.h"

void fused_map_forget_resampled(struct fused_map *m, struct piece *p)
{
	if (!p->resampled)
		return;
	assert(p->resampled->bytes <= m->bytes);
	m->bytes -= p->resampled->bytes;
	resampled_free(p->resampled);
	p->resampled = NULL;
}

void fused_map_forget_tile(struct fused_map *m, struct tile *t)
{
	if (!t->acc)
		return;
	assert(tile_bytes(t) <= m->bytes);
	m->bytes -= tile_bytes(t);
	free(t->acc);
	t->acc = NULL;
}

struct candidate {
	uint64_t	used;
	uint32_t	number;
};

static int by_used(const void *a, const void *b)
{
	const struct candidate *s = a, *t = b;

	return s->used < t->used ? -1 : s->used > t->used;
}

static bool fused_memory_fits(const struct fused_map *m, size_t more)
{
	return m->bytes + more <= m->config.memory;
}

static void trim_resampled(struct fused_map *m, size_t more,
			   struct candidate *c)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < m->pieces; i++)
		if (m->piece[i].resampled && !m->piece[i].waits)
			c[n++] = (struct candidate){ m->piece[i].used, i };
	qsort(c, n, sizeof(*c), by_used);
	pthread_rwlock_wrlock(&m->lock);
	for (unsigned int i = 0; i < n && !fused_memory_fits(m, more); i++)
		fused_map_forget_resampled(m, &m->piece[c[i].number]);
	pthread_rwlock_unlock(&m->lock);
}

static void trim_tiles(struct fused_map *m, size_t more, uint64_t keep,
		       struct candidate *c)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < m->tiles; i++) {
		const struct tile *t = &m->tile[i];

		/* readers write it meanwhile */
		c[n].used = __atomic_load_n(&t->wanted, __ATOMIC_RELAXED);
		c[n].number = i;
		n += t->acc && !t->stale && c[n].used < keep;
	}
	qsort(c, n, sizeof(*c), by_used);
	pthread_rwlock_wrlock(&m->lock);
	for (unsigned int i = 0; i < n && !fused_memory_fits(m, more); i++)
		fused_map_forget_tile(m, &m->tile[c[i].number]);
	pthread_rwlock_unlock(&m->lock);
}

void fused_map_trim(struct fused_map *m, size_t more, uint64_t keep)
{
	const unsigned int most = m->pieces > m->tiles ? m->pieces : m->tiles;
	struct candidate *c;

	if (fused_memory_fits(m, more))
		return;
	c = malloc((most + 1) * sizeof(*c));
	if (!c)
		return;
	trim_resampled(m, more, c);
	if (!fused_memory_fits(m, more))
		trim_tiles(m, more, keep, c);
	free(c);
}

void fused_map_set_memory(struct fused_map *m, size_t memory)
{
	m->config.memory = memory;
	fused_map_trim(m, 0, UINT64_MAX);
}

size_t fused_map_bytes(const struct fused_map *m)
{
	return m->bytes;
}
