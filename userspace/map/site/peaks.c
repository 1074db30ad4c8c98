// SPDX-License-Identifier: GPL-2.0-only
/*
 * peaks - the highest value of a layer, and how much of it is above a threshold
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/array.h"
#include "map/fusion/index.h"
#include "map/site/peaks.h"

enum { TRIES = 8, PATIENCE = 500 /* ms */ };

/**
 * struct peaks_tile - of a map
 * @value:	the highest one, at @x, @y; -1: nothing is known
 * @over:	cells from the threshold on, in the rectangle @x0 .. @y1
 */
struct peaks_tile {
	struct rect	rect;
	int		value, x, y;
	uint32_t	over;
	int		x0, y0, x1, y1;
};

/**
 * struct peaks_entry - of a layer and threshold
 * @since:	see site_changes(); @renewed: site_renewed()
 * @index:	of @tile, by place
 * @stale:	tiles to be read again
 */
struct peaks_entry {
	struct site		*site;
	unsigned int		layer;
	int			over;
	uint64_t		since, renewed, used;
	struct index		index;
	struct peaks_tile	*tile;
	uint32_t		tiles, room;
	uint32_t		*stale, stales, stale_room;
	bool			failed;
};

struct peaks {
	pthread_mutex_t		lock;
	struct peaks_entry	*entry[PEAKS_KEPT];
	unsigned int		entries;
	uint64_t		used;
};

struct peaks *peaks_create(void)
{
	struct peaks *p = calloc(1, sizeof(*p));

	if (p)
		pthread_mutex_init(&p->lock, NULL);
	return p;
}

static void peaks_forget(struct peaks_entry *e)
{
	index_free(&e->index);
	free(e->tile);
	free(e->stale);
	*e = (struct peaks_entry){ .site = e->site, .layer = e->layer,
				   .over = e->over, .used = e->used };
}

void peaks_destroy(struct peaks *p)
{
	if (!p)
		return;
	for (unsigned int i = 0; i < p->entries; i++) {
		peaks_forget(p->entry[i]);
		free(p->entry[i]);
	}
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static struct peaks_entry *peaks_entry_of(struct peaks *p, struct site *s,
					  unsigned int layer, int over)
{
	struct peaks_entry *e, *oldest = NULL;

	for (unsigned int i = 0; i < p->entries; i++) {
		e = p->entry[i];
		if (e->site == s && e->layer == layer && e->over == over)
			return e;
		if (!oldest || e->used < oldest->used)
			oldest = e;
	}
	if (p->entries < PEAKS_KEPT) {
		oldest = calloc(1, sizeof(*oldest));
		if (!oldest)
			return NULL;
		p->entry[p->entries++] = oldest;
	}
	assert(oldest && p->entries <= PEAKS_KEPT);
	peaks_forget(oldest);
	oldest->site = s;
	oldest->layer = layer;
	oldest->over = over;
	return oldest;
}

/* Under the lock of the map: only note it */
static void peaks_on_change(void *arg, const struct rect *r)
{
	struct peaks_entry *e = arg;
	const uint64_t key = (uint64_t)(uint32_t)r->x << 32 | (uint32_t)r->y;
	uint32_t at = index_find(&e->index, key);

	if (at == INDEX_NONE) {
		if (array_grow(&e->tile, &e->room, e->tiles,
			       sizeof(*e->tile)) ||
		    index_add(&e->index, key, e->tiles)) {
			e->failed = true;
			return;
		}
		at = e->tiles++;
		e->tile[at].rect = *r;
	}
	if (array_grow(&e->stale, &e->stale_room, e->stales,
		       sizeof(*e->stale))) {
		e->failed = true;
		return;
	}
	assert(at < e->tiles && e->stales < e->stale_room);
	e->tile[at].value = -1;
	e->tile[at].over = 0;
	e->stale[e->stales++] = at;
}

static void peaks_count(struct peaks_tile *t, const struct raster *r, int over)
{
	t->value = -1;
	t->over = 0;
	for (unsigned int i = 0; i < r->rect.width * r->rect.height; i++) {
		const int x = r->rect.x + i % r->rect.width;
		const int y = r->rect.y + i / r->rect.width;
		const int v = r->cells[i];

		if (v > t->value) {
			t->value = v;
			t->x = x;
			t->y = y;
		}
		if (v < over || v < 0)
			continue;
		t->x0 = t->over && t->x0 < x ? t->x0 : x;
		t->y0 = t->over && t->y0 < y ? t->y0 : y;
		t->x1 = t->over && t->x1 > x ? t->x1 : x;
		t->y1 = t->over && t->y1 > y ? t->y1 : y;
		t->over++;
	}
}

static int peaks_read(struct peaks_entry *e)
{
	struct raster r = { 0 };
	int err = 0;

	while (e->stales && !err) {
		struct peaks_tile *t = &e->tile[e->stale[e->stales - 1]];

		assert(t < e->tile + e->tiles);
		free(r.cells);
		r = (struct raster){ .rect = t->rect };
		r.cells = malloc((size_t)t->rect.width * t->rect.height *
				 sizeof(*r.cells));
		err = r.cells ? -EAGAIN : -ENOMEM;
		/* others may evict it before it is read */
		for (int i = 0; i < TRIES && err == -EAGAIN; i++)
			err = site_read(e->site, e->layer, &r);
		if (err)
			break;
		peaks_count(t, &r, e->over);
		e->stales--;
	}
	free(r.cells);
	return err;
}

static int peaks_update(struct peaks_entry *e)
{
	const uint64_t renewed = site_renewed(e->site, e->layer);

	if (e->failed || e->renewed != renewed)
		peaks_forget(e);
	e->renewed = renewed;
	e->since = site_changes(e->site, e->layer, e->since, peaks_on_change,
				e);
	if (e->failed)
		return -ENOMEM;
	return peaks_read(e);
}

static void peaks_sum(const struct peaks_entry *e, double res,
		      struct peaks_found *f)
{
	*f = (struct peaks_found){ .revision = e->since, .value = -1,
				   .resolution = res };
	for (uint32_t i = 0; i < e->tiles; i++) {
		const struct peaks_tile *t = &e->tile[i];

		if (t->value > f->value) {
			f->value = t->value;
			f->x = (t->x + .5) * res;
			f->y = (t->y + .5) * res;
		}
		if (!t->over)
			continue;
		if (!f->cells)
			f->area = (struct site_area){ t->x0 * res, t->y0 * res,
				t->x0 * res, t->y0 * res };
		f->area.x0 = fmin(f->area.x0, t->x0 * res);
		f->area.y0 = fmin(f->area.y0, t->y0 * res);
		f->area.x1 = fmax(f->area.x1, (t->x1 + 1) * res);
		f->area.y1 = fmax(f->area.y1, (t->y1 + 1) * res);
		f->cells += t->over;
	}
}

int peaks_find(struct peaks *p, struct site *s, unsigned int layer, int over,
	       struct peaks_found *found)
{
	struct peaks_entry *e;
	struct timespec until;
	int err;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += PATIENCE * 1000000L;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	if (pthread_mutex_timedlock(&p->lock, &until))
		return -EBUSY;
	e = peaks_entry_of(p, s, layer, over);
	err = e ? 0 : -ENOMEM;
	if (!err) {
		e->used = ++p->used;
		err = peaks_update(e);
	}
	if (!err)
		peaks_sum(e, site_resolution(s, layer), found);
	pthread_mutex_unlock(&p->lock);
	return err;
}
