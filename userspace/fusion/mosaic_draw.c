// SPDX-License-Identifier: GPL-2.0-only
/*
 * mosaic_draw - submaps into tiles
 *
 * A block of tiles is fused by one thread: each submap that has cells in it is
 * projected into a window as large as what both have in common, and then added
 * tile by tile. What others look at is replaced at the end, all at once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "fusion/mosaic_parts.h"

_Static_assert(PROJECT_SIDE % MOSAIC_TILE == 0, "windows");
_Static_assert((int)PROJECT_GUARD >= (int)RULE_STEP, "added in steps");

enum { TILES_ALONE = 16 };	/* threads for less are not worth it */

/**
 * struct artist - what a thread draws with
 */
struct artist {
	struct window	*window, *weights;
	uint64_t	*seen;		/* a bit for each piece */
	size_t		seen_words;
};

/**
 * struct job - a block of tiles
 * @tile:	@tiles of them
 * @acc:	accumulators of each
 * @rect:	of map cells, around them
 */
struct job {
	const uint32_t	*tile;
	unsigned int	tiles;
	void		**acc;
	struct rect	rect;
};

struct gang {
	struct mosaic		*m;
	struct job		*job;
	unsigned int		jobs, next;
	struct mosaic_work	work;
	int			err;
};

static int ready(struct mosaic *m, struct artist *a)
{
	const size_t words = (m->pieces + 63) / 64;

	if (!a->window)
		a->window = window_create();
	if (!a->weights && m->config.rule == RULE_WEIGHTED)
		a->weights = window_create();
	if (words > a->seen_words) {
		free(a->seen);
		a->seen_words = words + words / 2;
		a->seen = malloc(a->seen_words * sizeof(*a->seen));
	}
	if (!a->window || (!a->weights && m->config.rule == RULE_WEIGHTED) ||
	    !a->seen) {
		a->seen_words = a->seen ? a->seen_words : 0;
		return -ENOMEM;
	}
	return 0;
}

static int artists(struct mosaic *m, unsigned int n)
{
	int err = 0;

	if (!m->artist)
		m->artist = calloc(m->config.threads, sizeof(*m->artist));
	if (!m->artist)
		return -ENOMEM;
	for (unsigned int i = 0; i < n && !err; i++)
		err = ready(m, &m->artist[i]);
	return err;
}

void mosaic_free_artists(struct mosaic *m)
{
	for (unsigned int i = 0; m->artist && i < m->config.threads; i++) {
		window_destroy(m->artist[i].window);
		window_destroy(m->artist[i].weights);
		free(m->artist[i].seen);
	}
	free(m->artist);
}

/*
 * One submap
 */

/* What a window has for a tile. Return: whether there is anything */
static bool extent(const struct window *w, const struct rect *tile,
		   struct rect *out)
{
	const struct rect in = rect_common(&w->rect, tile);
	unsigned int first = PROJECT_SIDE, end = 0;
	int low = in.y + (int)in.height, high = in.y, left, right;

	for (int y = in.y; y < in.y + (int)in.height; y++) {
		const unsigned int row = y - w->rect.y;

		if (w->first[row] >= w->end[row])
			continue;
		first = w->first[row] < first ? w->first[row] : first;
		end = w->end[row] > end ? w->end[row] : end;
		low = y < low ? y : low;
		high = y + 1;
	}
	left = w->rect.x + (int)first;
	right = w->rect.x + (int)end;
	left = left > tile->x ? left : tile->x;
	right = right < tile->x + MOSAIC_TILE ? right : tile->x + MOSAIC_TILE;
	if (left >= right || low >= high)
		return false;
	/* the window's guard is unknown, and tiles are whole steps */
	left = tile->x + (left - tile->x) / RULE_STEP * RULE_STEP;
	right = tile->x + (right - tile->x + RULE_STEP - 1) / RULE_STEP *
		RULE_STEP;
	*out = (struct rect){ left, low, right - left, high - low };
	return true;
}

static bool add_to_tile(const struct mosaic *m, const struct artist *a,
			bool weighted, const struct tile *t, void *acc,
			const struct rule_source *source)
{
	const struct rect at = tile_rect(t);
	struct rule_block b;
	struct rect r;
	size_t to;

	if (!extent(a->window, &at, &r))
		return false;
	to = (size_t)(r.y - at.y) * MOSAIC_TILE + (r.x - at.x);
	b = (struct rule_block){
		.to = (char *)acc + to * m->rule->size,
		.to_stride = MOSAIC_TILE,
		.from = window_cell(a->window, r.x - a->window->rect.x,
				    r.y - a->window->rect.y),
		.from_stride = PROJECT_STRIDE,
		.weights = weighted ? window_cell(a->weights,
			r.x - a->window->rect.x, r.y - a->window->rect.y) :
			NULL,
		.weights_stride = PROJECT_STRIDE,
		.width = r.width, .height = r.height,
	};
	m->rule->add(&b, source);
	return true;
}

/* Cells that are finer than the map cannot be sampled */
static struct cells *fit(const struct mosaic *m, struct cells *c, bool splat)
{
	struct cells *coarse;

	if (splat || c->resolution > 0.999 * m->config.resolution)
		return c;
	coarse = cells_coarser(c, m->config.resolution);
	cells_put(c);
	return coarse;
}

/*
 * The window of @rect with a submap in it. Return: 1; 0: it has nothing there;
 * a negative errno
 */
static int project_piece(struct mosaic *m, struct artist *a,
			 const struct piece *p, const struct rect *rect,
			 bool *weighted)
{
	const double res = m->config.resolution;
	struct cells *c = NULL, *weights = NULL;
	struct rect bounds;
	struct pose at;
	int ret;

	ret = m->config.fetch(m->config.arg, p->submap.id, &c, &weights);
	if (ret)
		return ret;
	c = fit(m, c, m->config.splat);
	if (!c) {
		cells_put(weights);
		return -ENOMEM;
	}
	at = pose_compose(&p->submap.pose, &c->origin);
	bounds = project_bounds(c, &at, res);
	a->window->rect = rect_common(&bounds, rect);
	*weighted = weights && a->weights && weights->bits == 8;
	if (!rect_is_empty(&a->window->rect)) {
		project(c, &at, res, m->config.splat, a->window);
		ret = 1;
	}
	weights = weights && *weighted ? fit(m, weights, false) : weights;
	*weighted = *weighted && weights;
	if (ret == 1 && *weighted) {
		a->weights->rect = a->window->rect;
		project(weights, &at, res, false, a->weights);
	}
	cells_put(c);
	cells_put(weights);
	return ret;
}

/*
 * Blocks of tiles
 */

static int begin(const struct mosaic *m, struct job *j)
{
	for (unsigned int i = 0; i < j->tiles; i++) {
		const struct rect r = tile_rect(&m->tile[j->tile[i]]);

		j->rect = rect_union(&j->rect, &r);
		if (!m->tile[j->tile[i]].pieces)
			continue;
		j->acc[i] = aligned_alloc(64, tile_bytes(m));
		if (!j->acc[i])
			return -ENOMEM;
		memset(j->acc[i], m->rule->empty, tile_bytes(m));
	}
	return 0;
}

static void see(const struct mosaic *m, const struct job *j, uint64_t *seen)
{
	memset(seen, 0, (m->pieces + 63) / 64 * sizeof(*seen));
	for (unsigned int i = 0; i < j->tiles; i++) {
		const struct tile *t = &m->tile[j->tile[i]];

		for (uint32_t k = 0; k < t->pieces; k++)
			seen[t->piece[k] / 64] |= 1ULL << (t->piece[k] % 64);
	}
}

/* The part of a piece that lies in @rect, which a window can hold */
static void draw_part(struct mosaic *m, struct artist *a, const struct job *j,
		      const struct piece *p, const struct rect *rect,
		      struct mosaic_work *work)
{
	bool weighted;
	int ret = project_piece(m, a, p, rect, &weighted);

	if (ret < 0)
		work->failed++;
	if (ret <= 0)
		return;
	for (unsigned int i = 0; i < j->tiles; i++) {
		const struct tile *t = &m->tile[j->tile[i]];

		if (piece_is_in(p, t->x, t->y))
			add_to_tile(m, a, weighted, t, j->acc[i],
				    &p->submap.source);
	}
	work->drawn++;
}

/* Most submaps are smaller than a window */
static void draw_into(struct mosaic *m, struct artist *a, const struct job *j,
		      const struct piece *p, struct mosaic_work *work)
{
	const struct rect cells = {
		p->tiles.x * MOSAIC_TILE, p->tiles.y * MOSAIC_TILE,
		p->tiles.width * MOSAIC_TILE, p->tiles.height * MOSAIC_TILE };
	const struct rect in = rect_common(&cells, &j->rect);

	for (unsigned int y = 0; y < in.height; y += PROJECT_SIDE)
		for (unsigned int x = 0; x < in.width; x += PROJECT_SIDE) {
			const struct rect part = { in.x + (int)x,
				in.y + (int)y, PROJECT_SIDE, PROJECT_SIDE };
			const struct rect r = rect_common(&part, &in);

			draw_part(m, a, j, p, &r, work);
		}
}

static int draw_job(struct mosaic *m, struct artist *a, struct job *j,
		    struct mosaic_work *work)
{
	int err = begin(m, j);

	if (err)
		return err;
	see(m, j, a->seen);
	for (uint32_t w = 0; w < (m->pieces + 63) / 64; w++)
		for (uint64_t bits = a->seen[w]; bits; bits &= bits - 1)
			draw_into(m, a, j, &m->piece[w * 64 +
				  __builtin_ctzll(bits)], work);
	work->tiles += j->tiles;
	return 0;
}

struct thread {
	struct gang	*gang;
	struct artist	*artist;
	pthread_t	id;
};

static void *draw_jobs(void *arg)
{
	struct thread *t = arg;
	struct gang *g = t->gang;
	struct mosaic_work work = { 0 };
	unsigned int i;
	int err;

	for (;;) {
		i = __atomic_fetch_add(&g->next, 1, __ATOMIC_RELAXED);
		if (i >= g->jobs)
			break;
		err = draw_job(g->m, t->artist, &g->job[i], &work);
		if (err)
			__atomic_store_n(&g->err, err, __ATOMIC_RELAXED);
	}
	__atomic_add_fetch(&g->work.tiles, work.tiles, __ATOMIC_RELAXED);
	__atomic_add_fetch(&g->work.drawn, work.drawn, __ATOMIC_RELAXED);
	__atomic_add_fetch(&g->work.failed, work.failed, __ATOMIC_RELAXED);
	return NULL;
}

/* The first of @threads is this one */
static void run(struct gang *g, unsigned int threads)
{
	struct thread thread[threads];
	unsigned int n = 1;

	for (unsigned int i = 0; i < threads; i++)
		thread[i] = (struct thread){ g, &g->m->artist[i], 0 };
	while (n < threads && !pthread_create(&thread[n].id, NULL, draw_jobs,
					      &thread[n]))
		n++;
	draw_jobs(&thread[0]);
	while (--n)
		pthread_join(thread[n].id, NULL);
}

/* What was drawn is shown */
static void show(struct mosaic *m, const uint32_t *tile, unsigned int count,
		 void **acc)
{
	pthread_rwlock_wrlock(&m->lock);
	m->revision++;
	for (unsigned int i = 0; i < count; i++) {
		struct tile *t = &m->tile[tile[i]];
		void *old = t->acc;

		t->acc = acc[i];
		acc[i] = old;
		m->bytes += tile_bytes(m) * (!!t->acc - !!old);
		m->stale -= t->stale;
		t->stale = false;
		t->changed = m->revision;
	}
	pthread_rwlock_unlock(&m->lock);
}

static unsigned int make_jobs(const struct blocks *blocks,
			      const uint32_t *tile, unsigned int count,
			      void **acc, struct job *job)
{
	const struct tile *t = blocks->m->tile;
	unsigned int jobs = 0;

	for (unsigned int i = 0; i < count; i++) {
		if (!i || block_compare(blocks, &t[tile[i - 1]], &t[tile[i]]))
			job[jobs++] = (struct job){ .tile = tile + i,
						    .acc = acc + i };
		job[jobs - 1].tiles++;
	}
	return jobs;
}

int mosaic_draw(struct mosaic *m, const struct blocks *blocks,
		const uint32_t *tile, unsigned int count,
		struct mosaic_work *work)
{
	struct gang g = { .m = m };
	unsigned int threads;
	void **acc;

	if (!count)
		return 0;
	acc = calloc(count, sizeof(*acc));
	g.job = calloc(count, sizeof(*g.job));
	if (!acc || !g.job) {
		free(acc);
		free(g.job);
		return -ENOMEM;
	}
	g.jobs = make_jobs(blocks, tile, count, acc, g.job);
	threads = count <= TILES_ALONE || m->config.threads < 2 ? 1 :
		  g.jobs < m->config.threads ? g.jobs : m->config.threads;
	g.err = artists(m, threads);
	if (!g.err)
		run(&g, threads);
	if (!g.err)
		show(m, tile, count, acc);
	for (unsigned int i = 0; i < count; i++)
		free(acc[i]);
	free(acc);
	free(g.job);
	if (work) {
		work->tiles += g.work.tiles;
		work->drawn += g.work.drawn;
		work->failed += g.work.failed;
	}
	return g.err;
}

/* In place, under the lock: adding a window takes some microseconds */
static void add_to_shown(struct mosaic *m, struct artist *a,
			 const struct piece *p, bool weighted,
			 const struct rect *tiles)
{
	for (int y = tiles->y; y < tiles->y + (int)tiles->height; y++)
		for (int x = tiles->x; x < tiles->x + (int)tiles->width; x++) {
			uint32_t i;
			struct tile *t;

			if (!piece_is_in(p, x, y))
				continue;
			i = index_find(&m->tile_index, tile_key(x, y));
			t = &m->tile[i];
			if (t->stale)
				continue;
			t->changed = m->revision;
			if (t->acc)
				add_to_tile(m, a, weighted, t, t->acc,
					    &p->submap.source);
		}
}

/* Tiles in which it is the first begin empty, or wait for somebody to want them */
static int begin_tiles(struct mosaic *m, const struct piece *p)
{
	const struct rect *r = &p->tiles;

	for (int y = r->y; y < r->y + (int)r->height; y++)
		for (int x = r->x; x < r->x + (int)r->width; x++) {
			struct tile *t;

			if (!piece_is_in(p, x, y))
				continue;
			t = &m->tile[index_find(&m->tile_index,
						tile_key(x, y))];
			if (t->acc || t->stale || t->pieces > 1 ||
			    m->bytes + tile_bytes(m) > m->config.memory)
				continue;
			t->acc = aligned_alloc(64, tile_bytes(m));
			if (!t->acc)
				return -ENOMEM;
			memset(t->acc, m->rule->empty, tile_bytes(m));
			m->bytes += tile_bytes(m);
		}
	return 0;
}

int mosaic_draw_piece(struct mosaic *m, const struct piece *p,
		      struct mosaic_work *work)
{
	enum { SIDE = PROJECT_SIDE / MOSAIC_TILE };
	const int right = p->tiles.x + (int)p->tiles.width;
	const int high = p->tiles.y + (int)p->tiles.height;
	int err = artists(m, 1);

	if (err)
		return err;
	pthread_rwlock_wrlock(&m->lock);
	m->revision++;
	err = begin_tiles(m, p);
	pthread_rwlock_unlock(&m->lock);
	for (int y = p->tiles.y; y < high && !err; y += SIDE)
		for (int x = p->tiles.x; x < right && !err; x += SIDE) {
			const struct rect tiles = { x, y,
				right - x < SIDE ? right - x : SIDE,
				high - y < SIDE ? high - y : SIDE };
			const struct rect cells = {
				tiles.x * MOSAIC_TILE, tiles.y * MOSAIC_TILE,
				tiles.width * MOSAIC_TILE,
				tiles.height * MOSAIC_TILE };
			bool weighted;
			int ret = project_piece(m, m->artist, p, &cells,
						&weighted);

			if (work && ret < 0)
				work->failed++;
			if (work && ret > 0)
				work->drawn++;
			if (ret <= 0)
				continue;
			pthread_rwlock_wrlock(&m->lock);
			add_to_shown(m, m->artist, p, weighted, &tiles);
			pthread_rwlock_unlock(&m->lock);
		}
	return err;
}
