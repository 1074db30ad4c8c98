// SPDX-License-Identifier: GPL-2.0-only
/*
 * fused_map_draw - draw pieces and fuse tiles, by several threads
 *
 * Threads take the next piece or the next tile until there is none; none of
 * them changes what another one reads. The visible tiles are replaced at the
 * end, all at once.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "map/fusion/fused_map_parts.h"

/**
 * struct gang - threads that execute @jobs
 * @one:	executes one of them. Return: 0 or a negative errno
 */
struct gang {
	struct fused_map	*m;
	int		(*one)(struct gang *g, struct resampler *a,
			       unsigned int job);
	unsigned int	jobs, next;
	const uint32_t	*number;
	void		**made;
	uint64_t	failed;
	int		err;
};

struct thread {
	struct gang	*gang;
	struct resampler	*artist;
	pthread_t	id;
};

static void *fused_draw_work(void *arg)
{
	struct thread *t = arg;
	struct gang *g = t->gang;

	for (;;) {
		const unsigned int i = __atomic_fetch_add(&g->next, 1,
							  __ATOMIC_RELAXED);
		int err;

		if (i >= g->jobs)
			return NULL;
		err = g->one(g, t->artist, i);
		if (err)
			__atomic_store_n(&g->err, err, __ATOMIC_RELAXED);
	}
}

static int artists(struct fused_map *m, unsigned int n)
{
	if (!m->artist)
		m->artist = calloc(m->config.threads, sizeof(*m->artist));
	if (!m->artist)
		return -ENOMEM;
	for (unsigned int i = 0; i < n; i++) {
		if (!m->artist[i])
			m->artist[i] = resampler_create();
		if (!m->artist[i])
			return -ENOMEM;
	}
	return 0;
}

void fused_map_free_artists(struct fused_map *m)
{
	for (unsigned int i = 0; m->artist && i < m->config.threads; i++)
		resampler_destroy(m->artist[i]);
	free(m->artist);
}

/* This thread is the first one. @each: jobs that justify a thread */
static int fused_draw_run(struct gang *g, unsigned int each)
{
	unsigned int threads = g->jobs / each, n = 1;

	if (threads > g->m->config.threads)
		threads = g->m->config.threads;
	if (threads < 1)
		threads = 1;
	if (artists(g->m, threads))
		return -ENOMEM;
	struct thread thread[threads];

	for (unsigned int i = 0; i < threads; i++)
		thread[i] = (struct thread){ g, g->m->artist[i], 0 };
	while (n < threads && !pthread_create(&thread[n].id, NULL,
					      fused_draw_work, &thread[n]))
		n++;
	fused_draw_work(&thread[0]);
	while (--n)
		pthread_join(thread[n].id, NULL);
	return g->err;
}

/*
 * Resampled submaps
 */

/*
 * Does a resampled submap cover the tiles of its piece? Its cells may have been
 * replaced without the owner knowing yet: then it is useless.
 */
static bool is_in_place(const struct piece *p, const struct resampled *d)
{
	if (d->tiles < p->places)
		return false;
	for (unsigned int i = 0; i < p->places; i++)
		if (d->tile[i].x != p->place[i].x ||
		    d->tile[i].y != p->place[i].y)
			return false;
	return true;
}

/* No other thread has this piece now */
static int draw_one(struct gang *g, struct resampler *a, unsigned int job)
{
	const struct fused_map_config *config = &g->m->config;
	struct piece *p = &g->m->piece[g->number[job]];
	struct cells *c = NULL, *weights = NULL;
	const struct cells *w;
	struct resampled *d;
	int err;

	err = config->fetch(config->arg, p->submap.id, &c, &weights);
	if (err || c->bits != config->bits ||
	    !resampled_fits(c, &p->submap.pose, config->resolution)) {
		__atomic_add_fetch(&g->failed, 1, __ATOMIC_RELAXED);
		cells_put(c);
		cells_put(weights);
		return 0;
	}
	w = weights && weights->bits == 8 && weights->width == c->width &&
	    weights->height == c->height ? weights : NULL;
	d = resampled_make(a, c, w, &p->submap.pose, config->resolution,
			   config->splat);
	if (d && !p->waits && !is_in_place(p, d)) {
		resampled_free(d);
	} else if (d) {
		p->resampled = d;
		p->width = c->width;
		p->height = c->height;
		p->resolution = c->resolution;
		p->origin = c->origin;
	} else {
		err = -ENOMEM;
	}
	cells_put(c);
	cells_put(weights);
	return err;
}

int fused_map_draw(struct fused_map *m, const uint32_t *piece,
		   unsigned int count, struct fused_map_work *done)
{
	enum { EACH = 8 };
	struct gang g = { .m = m, .one = draw_one, .jobs = count,
			  .number = piece };
	int err;

	if (!count)
		return 0;
	err = fused_draw_run(&g, EACH);
	assert(g.failed <= count);
	pthread_rwlock_wrlock(&m->lock);
	for (unsigned int i = 0; i < count; i++) {
		struct piece *p = &m->piece[piece[i]];

		p->used = fused_map_clock(m);
		if (p->resampled)
			m->bytes += p->resampled->bytes;
		/* on error they are redrawn: memory was short */
		if (err)
			fused_map_forget_resampled(m, p);
	}
	pthread_rwlock_unlock(&m->lock);
	if (done) {
		done->drawn += count - g.failed;
		done->failed += g.failed;
	}
	return err;
}

/*
 * Tiles
 */

void fused_map_add(const struct rule *rule, const struct piece *p,
		   unsigned int part, void *acc)
{
	const struct resampled *d = p->resampled;
	/* drawn again, it is identical */
	const struct resampled_tile *t = &d->tile[part];
	const size_t from = (size_t)t->first * RULE_STEP;
	const struct rule_blocks b = {
		.at = d->at + t->first,
		.cells = (const char *)d->cells + from * (d->bits / 8),
		.weights = d->weights ? d->weights + from : NULL,
		.count = t->count,
	};

	rule->add(acc, &b, &p->submap.source);
}

void *fused_map_begin_tile(const struct rule *rule)
{
	void *acc = aligned_alloc(64, rule_bytes(rule));

	if (acc)
		memset(acc, rule->empty, rule_bytes(rule));
	return acc;
}

static int fuse_one(struct gang *g, struct resampler *a, unsigned int job)
{
	const struct fused_map *m = g->m;
	const struct tile *t = &m->tile[g->number[job]];
	const struct rule *rule = tile_rule(m, t);
	void *acc;

	(void)a;
	if (!t->pieces)
		return 0;
	acc = fused_map_begin_tile(rule);
	if (!acc)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->pieces; i++) {
		const struct piece *p = &m->piece[t->piece[i].piece];

		if (p->resampled)
			fused_map_add(rule, p, t->piece[i].part, acc);
	}
	g->made[job] = acc;
	return 0;
}

/* Make the fused tiles visible */
static void fused_draw_show(struct fused_map *m, const uint32_t *tile,
			    unsigned int count, void **acc)
{
	pthread_rwlock_wrlock(&m->lock);
	m->revision++;
	for (unsigned int i = 0; i < count; i++) {
		struct tile *t = &m->tile[tile[i]];
		void *old = t->acc;

		assert(tile[i] < m->tiles && tile_bytes(t) <= m->bytes);
		m->bytes -= tile_bytes(t);
		t->acc = acc[i];
		t->rule = tile_rule(m, t);
		acc[i] = old;
		m->bytes += tile_bytes(t);
		assert(m->stale >= t->stale);
		m->stale -= t->stale;
		t->stale = false;
		t->changed = m->revision;
	}
	pthread_rwlock_unlock(&m->lock);
}

int fused_map_fuse(struct fused_map *m, const uint32_t *tile,
		   unsigned int count, struct fused_map_work *done)
{
	enum { EACH = 4 };
	struct gang g = { .m = m, .one = fuse_one, .jobs = count,
			  .number = tile };
	int err;

	if (!count)
		return 0;
	g.made = calloc(count, sizeof(*g.made));
	if (!g.made)
		return -ENOMEM;
	err = fused_draw_run(&g, EACH);
	if (!err)
		fused_draw_show(m, tile, count, g.made);
	for (unsigned int i = 0; i < count; i++)
		free(g.made[i]);
	free(g.made);
	if (done && !err)
		done->tiles += count;
	return err;
}
