// SPDX-License-Identifier: GPL-2.0-only
/*
 * site_fuse - update fused maps from stored changes
 *
 * Each layer has a list of pending changes. Fusing takes the list, which is all
 * that it shares with storing, and then works alone: cells come from memory or
 * through its own connection to the store.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "map/fusion/soften.h"
#include "map/site/site_parts.h"

/**
 * struct fusing - context for fetching cells; owned by the fused map's owner
 */
struct fusing {
	struct site	*s;
	double		resolution;
	bool		splat;
	bool		soft;		/* for log-odds, see soften.h */
	int		weights;	/* layer, or -1 */
};

/*
 * Cells
 */

/*
 * Cache cells for the next time; a site in part has no next time. Reusing
 * memory at once costs less than new pages
 */
static void site_fuse_remember(struct site *s, uint64_t key, struct cells *c,
			       uint64_t drops)
{
	if (!s->config.in_part)
		cache_add_since(s->cache, key, c, drops);
}

int site_load_cells(struct site *s, int64_t id, uint64_t drops,
		    struct cells **c)
{
	int err;

	*c = cache_find(s->cache, id);
	if (*c)
		return 0;
	pthread_mutex_lock(&s->reader_lock);
	err = store_cells(s->reader, id, c);
	pthread_mutex_unlock(&s->reader_lock);
	/* a removed submap is not damaged, nor does a lack of memory count */
	if (err && err != -ENOENT && err != -ENOMEM)
		site_damage_add(s, id);
	if (!err)
		site_fuse_remember(s, id, *c, drops);
	return err;
}

/* Return: cells, cached under @key, made of @c, which is dropped */
static struct cells *site_fuse_keep(struct site *s, uint64_t key,
				    uint64_t drops, struct cells *c,
				    struct cells *made)
{
	cells_put(c);
	if (made)
		site_fuse_remember(s, key, made, drops);
	return made;
}

/*
 * Reduce the certainty of free cells beside walls? Not for whole maps, whose
 * position is exact
 */
static bool is_soft(const struct fusing *f, int64_t id)
{
	struct site *s = f->s;
	uint32_t at;
	bool whole;

	if (!f->soft)
		return false;
	pthread_mutex_lock(&s->lock);
	at = index_find(&s->submap_ids, id);
	whole = at != INDEX_NONE &&
		!strcmp(s->node[s->submap[at].node].node.frame, SITE_ROOT);
	pthread_mutex_unlock(&s->lock);
	return !whole;
}

/* Coarser and softened, as this map needs. Return: NULL: no memory */
static struct cells *fit(const struct fusing *f, struct cells *c, bool coarser,
			 bool soft)
{
	struct cells *fine = coarser ? cells_coarser(c, f->resolution) :
				       cells_get(c), *made;

	if (!fine || !soft)
		return fine;
	made = soften(fine);
	cells_put(fine);
	return made;
}

static int fetch_values(const struct fusing *f, int64_t id, struct cells **c)
{
	const uint64_t drops = cache_drops(f->s->cache);
	/* cells with weights become coarser together with them, when drawn */
	const bool as_came = f->splat || f->weights >= 0;
	const bool soft = is_soft(f, id);
	const uint64_t key = id | (as_came ? 0 : SITE_COARSE) |
			     (soft ? SITE_SOFT : 0);
	bool coarser;
	int err;

	*c = key == (uint64_t)id ? NULL : cache_find(f->s->cache, key);
	if (*c && (as_came || (*c)->resolution == f->resolution))
		return 0;
	cells_put(*c);
	err = site_load_cells(f->s, id, drops, c);
	coarser = !err && !as_came && (*c)->resolution <= 0.999 * f->resolution;
	if (err || (!coarser && !soft))
		return err;
	*c = site_fuse_keep(f->s, key, drops, *c, fit(f, *c, coarser, soft));
	return *c ? 0 : -ENOMEM;
}

/* Convert 16 bits to 8 */
static struct cells *as_weights(const struct cells *c)
{
	const size_t n = (size_t)c->width * c->height;
	const int16_t *v = c->data;
	int8_t *w = malloc(n);
	struct cells *made;

	if (!w)
		return NULL;
	for (size_t i = 0; i < n; i++)
		w[i] = v[i] < 0 ? CELLS_UNKNOWN : (v[i] + 50) / 100;
	made = cells_create(c->width, c->height, 8, c->resolution, &c->origin,
			    w);
	free(w);
	return made;
}

/* Do the cells correspond one by one? In their original, not drawn, form */
static bool fit_together(const struct store_submap *a,
			 const struct store_submap *b)
{
	return a->width == b->width && a->height == b->height &&
	       a->resolution == b->resolution && a->origin.x == b->origin.x &&
	       a->origin.y == b->origin.y && a->origin.yaw == b->origin.yaw;
}

/* The submap with the weights of submap @id. Return: its id, 0: none */
static int64_t find_weights(struct site *s, int64_t id, unsigned int layer)
{
	int64_t weights = 0;
	uint32_t at, w;

	pthread_mutex_lock(&s->lock);
	at = index_find(&s->submap_ids, id);
	w = at == INDEX_NONE ? at : index_find(&s->submap_index,
				submap_key(s->submap[at].node, layer));
	if (w != INDEX_NONE &&
	    fit_together(&s->submap[at].submap, &s->submap[w].submap))
		weights = s->submap[w].submap.id;
	pthread_mutex_unlock(&s->lock);
	return weights;
}

/* The confidence of submap @id; a missing one is no error */
static struct cells *fetch_weights(const struct fusing *f, int64_t id)
{
	struct site *s = f->s;
	const uint64_t drops = cache_drops(s->cache);
	const int64_t weights = find_weights(s, id, f->weights);
	struct cells *c;

	if (!weights)
		return NULL;
	c = cache_find(s->cache, weights | SITE_WEIGHTS);
	if (!c && !site_load_cells(s, weights, drops, &c) && c->bits != 8)
		c = site_fuse_keep(s, weights | SITE_WEIGHTS, drops, c,
				   as_weights(c));
	return c;
}

static int site_fuse_fetch(void *arg, int64_t id, struct cells **c,
			   struct cells **w)
{
	const struct fusing *f = arg;
	int err = fetch_values(f, id, c);

	if (!err && f->weights >= 0)
		*w = fetch_weights(f, id);
	return err;
}

/*
 * Fused maps
 */

static double resolution_of(const struct site *s, const struct layer_state *l)
{
	if (l->layer.resolution > 0)
		return l->layer.resolution;
	if (l->first_resolution > 0)
		return l->first_resolution;
	return l->first == INDEX_NONE ? 0 :
	       s->submap[l->first].submap.resolution;
}

static bool splats(const struct layer *l, enum rule_id rule)
{
	struct layer as = *l;

	as.rule = rule;
	return layer_splats(&as);
}

/* The owner also frees config.arg. Return: NULL: no memory */
static struct fused_map *make_fused_map(struct site *s, const struct layer *l,
				     double resolution, enum rule_id rule)
{
	struct fusing *f = malloc(sizeof(*f));
	struct fused_map_config config = {
		.resolution = resolution, .bits = l->bits, .rule = rule,
		.splat = splats(l, rule), .threads = s->config.threads,
		.memory = s->config.memory / 2,
		.fetch = site_fuse_fetch, .arg = f,
	};
	struct fused_map *m;

	if (!f)
		return NULL;
	*f = (struct fusing){ s, resolution, config.splat,
			      rule == RULE_LOG_ODDS,
			      rule == RULE_WEIGHTED && *l->weights ?
			      site_find_layer(s, l->weights) : -1 };
	m = fused_map_create(&config);
	if (!m)
		free(f);
	return m;
}

struct fused_map *site_make_mosaic(struct site *s, unsigned int layer,
				   enum rule_id rule)
{
	struct layer l;

	site_layer(s, layer, &l);
	return make_fused_map(s, &l, site_resolution(s, layer), rule);
}

void site_free_mosaic(struct fused_map *m)
{
	if (m)
		free(fused_map_arg(m));
	fused_map_destroy(m);
}

/**
 * struct change - a submap, as it is when fusing takes it
 */
struct change {
	struct fused_map_submap	submap;
	bool			placed, changed;
};

static struct change change_of(const struct site *s, uint32_t i)
{
	const struct submap *m = &s->submap[i];
	const struct node *n = &s->node[m->node];

	return (struct change){
		.submap = { m->submap.id, n->node.pose,
			    { m->submap.stamp, m->submap.weight } },
		.placed = n->node.placed, .changed = m->changed,
	};
}

/* Return: pending changes, to be freed; NULL: none, or no memory */
static struct change *take_changes(struct site *s, struct layer_state *l,
				   uint32_t *count)
{
	struct change *c = malloc(l->pendings * sizeof(*c));

	*count = 0;
	if (!c)
		return NULL;
	for (uint32_t i = 0; i < l->pendings; i++) {
		struct submap *m = &s->submap[l->pending[i]];

		c[(*count)++] = change_of(s, l->pending[i]);
		assert(m->pending && s->layer[m->layer] == l);
		m->pending = m->changed = false;
	}
	l->pendings = 0;
	return c;
}

static int site_fuse_apply(struct fused_map *m, const struct change *c,
			   uint64_t *moved)
{
	int ret;

	if (!c->placed) {
		fused_map_remove(m, c->submap.id);
		return 0;
	}
	if (c->changed)
		return fused_map_put(m, &c->submap);
	ret = fused_map_move(m, c->submap.id, &c->submap.pose);
	if (ret == -ENOENT)
		return fused_map_put(m, &c->submap);
	if (ret > 0 && moved)
		++*moved;
	return ret < 0 ? ret : 0;
}

/* Mark all submaps of a layer as pending */
static int pend_all(struct site *s, unsigned int layer)
{
	int err = 0;

	for (uint32_t i = 0; i < s->submaps; i++)
		if (s->submap[i].layer == layer && !err)
			err = site_pend(s, i, true);
	return err;
}

/*
 * Resolution of a new fused map of a layer; 0: it keeps the one that it has.
 * Call with the lock held.
 */
static double site_fuse_new_resolution(const struct site *s,
				       const struct layer_state *l)
{
	const double resolution = resolution_of(s, l);

	if (l->fused && !l->renew)
		return 0;
	/* everything was removed: an empty one */
	if (resolution <= 0 && l->fused)
		return fused_map_resolution(l->fused);
	return fmax(resolution, 0);
}

/* Call without the lock; readers of the map hold its gate. */
static int site_fuse_replace(struct site *s, struct layer_state *l,
			     const struct layer *layer, double resolution)
{
	struct fused_map *m = make_fused_map(s, layer, resolution, layer->rule);
	struct fused_map *old;

	if (!m)
		return -ENOMEM;
	layer_set_whole(l, false);
	pthread_rwlock_wrlock(&l->gate);
	old = l->fused;
	l->before += old ? fused_map_changes(old, UINT64_MAX, NULL, NULL) : 0;
	l->fused = m;
	pthread_rwlock_unlock(&l->gate);
	site_free_mosaic(old);
	return 0;
}

static size_t site_fuse_bytes_of(const struct layer_state *l)
{
	return l->fused ? fused_map_bytes(l->fused) : 0;
}

/*
 * A layer may use the memory that the others leave, and at least an equal
 * share.
 * Return: bytes.
 */
static size_t share(struct site *s, unsigned int number)
{
	const unsigned int layers = site_layers(s);
	const size_t all = s->config.memory / 2;
	size_t others = 0;

	for (unsigned int i = 0; i < layers; i++)
		others += i == number ? 0 : site_fuse_bytes_of(s->layer[i]);
	return others < all - all / layers ? all - others : all / layers;
}

/* A layer needed its share: those with more must give memory back */
static void make_good(struct site *s)
{
	const unsigned int layers = site_layers(s);
	size_t used = 0;

	for (unsigned int i = 0; i < layers; i++)
		used += site_fuse_bytes_of(s->layer[i]);
	for (unsigned int i = 0; i < layers; i++)
		if (used > s->config.memory / 2 && s->layer[i]->fused) {
			used -= site_fuse_bytes_of(s->layer[i]);
			fused_map_set_memory(s->layer[i]->fused, share(s, i));
			used += site_fuse_bytes_of(s->layer[i]);
		}
}

/* It is complete now, unless more arrived meanwhile or there was an error */
static void end_fusing(struct site *s, struct layer_state *l, int err)
{
	pthread_mutex_lock(&s->lock);
	l->fusing = 0;
	if (!err && !l->pendings)
		layer_set_whole(l, true);
	pthread_mutex_unlock(&s->lock);
}

void site_outdate(struct site *s)
{
	pthread_mutex_lock(&s->lock);
	for (unsigned int i = 0; i < s->layers; i++)
		layer_set_whole(s->layer[i], false);
	pthread_mutex_unlock(&s->lock);
}

/* A fused map for a layer that has submaps, and what is to be fused into it */
static int site_fuse_prepare(struct site *s, unsigned int number,
			     struct change **change, uint32_t *count)
{
	struct layer_state *l = s->layer[number];
	struct layer layer;
	double resolution;
	int err = 0, made;

	pthread_mutex_lock(&s->lock);
	resolution = site_fuse_new_resolution(s, l);
	if (resolution > 0) {
		if (l->renew)
			err = pend_all(s, number);
		l->renew = false;
		layer = l->layer;
		pthread_mutex_unlock(&s->lock);
		made = site_fuse_replace(s, l, &layer, resolution);
		pthread_mutex_lock(&s->lock);
		l->renew |= made != 0;
		err = made ? made : err;
	}
	if (!err && l->fused && l->pendings) {
		*change = take_changes(s, l, count);
		err = *change ? 0 : -ENOMEM;
		l->fusing += *count;
	}
	pthread_mutex_unlock(&s->lock);
	return err;
}

static int fuse_layer(struct site *s, unsigned int number, uint64_t deadline,
		      uint64_t *moved, struct fused_map_work *work)
{
	struct layer_state *l = s->layer[number];
	struct change *change = NULL;
	uint32_t count = 0;
	int err = site_fuse_prepare(s, number, &change, &count);

	if (err || !l->fused)
		return err;
	fused_map_set_memory(l->fused, share(s, number));
	for (uint32_t i = 0; i < count; i++)
		if (site_fuse_apply(l->fused, &change[i], moved) && work)
			work->failed++;
	free(change);
	err = fused_map_update(l->fused, deadline, work);
	if (err <= 0)
		end_fusing(s, l, err);
	make_good(s);
	return err;
}

int site_fuse(struct site *s, int layer, uint64_t deadline, uint64_t *moved,
	      struct fused_map_work *work)
{
	const unsigned int layers = site_layers(s);
	int ret = 0;

	if (layer >= 0)
		return fuse_layer(s, layer, deadline, moved, work);
	for (unsigned int i = 0; i < layers && ret >= 0; i++) {
		const int one = fuse_layer(s, i, deadline, moved, work);

		ret = one ? one : ret;
	}
	return ret;
}

bool site_is_stale(struct site *s)
{
	bool stale = false;

	pthread_mutex_lock(&s->lock);
	for (unsigned int i = 0; i < s->layers && !stale; i++) {
		const struct layer_state *l = s->layer[i];

		stale = l->pendings || l->renew ||
			(l->fused && fused_map_is_stale(l->fused));
	}
	pthread_mutex_unlock(&s->lock);
	return stale;
}

/*
 * Queries
 */

/* Queries hold its gate for reading. Return: NULL: no fused map yet */
static struct fused_map *site_fuse_enter(struct site *s, unsigned int layer)
{
	pthread_rwlock_rdlock(&s->layer[layer]->gate);
	return s->layer[layer]->fused;
}

static void site_fuse_leave(struct site *s, unsigned int layer)
{
	pthread_rwlock_unlock(&s->layer[layer]->gate);
}

double site_resolution(struct site *s, unsigned int layer)
{
	double resolution;

	pthread_mutex_lock(&s->lock);
	resolution = resolution_of(s, s->layer[layer]);
	pthread_mutex_unlock(&s->lock);
	return resolution;
}

struct rect site_bounds(struct site *s, unsigned int layer)
{
	struct fused_map *m = site_fuse_enter(s, layer);
	const struct rect r = m ? fused_map_bounds(m) : (struct rect){ 0 };

	site_fuse_leave(s, layer);
	return r;
}

void site_set_want(struct site *s, site_want_fn *want, void *arg)
{
	s->want = want;
	s->want_arg = arg;
}

static int site_fuse_bring_back(struct site *s, unsigned int layer,
				const struct rect *r)
{
	return s->want ? s->want(s->want_arg, layer, r) : -EAGAIN;
}

/* @cell: out: the cell. Return: as site_value(), and -EAGAIN */
static int site_fuse_look_up(struct site *s, unsigned int layer, double x,
			     double y, struct rect *cell)
{
	struct fused_map *m = site_fuse_enter(s, layer);
	const double cells = m ? 1 / fused_map_resolution(m) : 0;
	const double u = floor(x * cells), v = floor(y * cells);
	int value = -1;

	if (m && fabs(u) < INT32_MAX && fabs(v) < INT32_MAX) {
		*cell = (struct rect){ u, v, 1, 1 };
		value = fused_map_value(m, u, v);
	}
	site_fuse_leave(s, layer);
	return value;
}

/*
 * Read a part that is not fused yet from the store? Only if it is small, and
 * only while others fuse
 */
static bool ask_store(struct site *s, unsigned int layer, const struct rect *r)
{
	enum { SMALL = 1 << 22 };	/* cells */

	return s->want && !layer_is_whole(s->layer[layer]) &&
	       (uint64_t)r->width * r->height <= SMALL &&
	       site_layer_submaps(s, layer);
}

/* Return: as site_value(), and a negative errno below -1 */
static int stored_value(struct site *s, unsigned int layer, double x, double y)
{
	const double resolution = site_resolution(s, layer);
	const double u = floor(x / resolution), v = floor(y / resolution);
	int16_t value = -1;
	struct raster r = { .cells = &value };
	int err;

	if (!(fabs(u) < INT32_MAX && fabs(v) < INT32_MAX))
		return -1;
	r.rect = (struct rect){ u, v, 1, 1 };
	err = site_read_stored(s, layer, &r);
	return err ? err : value;
}

int site_value(struct site *s, unsigned int layer, double x, double y)
{
	struct rect cell = { 0, 0, 1, 1 };
	int value;

	if (ask_store(s, layer, &cell)) {
		value = stored_value(s, layer, x, y);
		/* errors are -EPERM or less, which no store returns */
		if (value >= -1)
			return value;
	}
	value = site_fuse_look_up(s, layer, x, y, &cell);
	if (value == -EAGAIN && !site_fuse_bring_back(s, layer, &cell))
		value = site_fuse_look_up(s, layer, x, y, &cell);
	return value < 0 ? -1 : value;
}

static int site_fuse_read_part(struct site *s, unsigned int layer,
			       struct raster *r)
{
	struct fused_map *m = site_fuse_enter(s, layer);
	const int err = m ? fused_map_read(m, r) : -ENODATA;

	site_fuse_leave(s, layer);
	return err;
}

int site_read(struct site *s, unsigned int layer, struct raster *r)
{
	int err;

	if (ask_store(s, layer, &r->rect)) {
		err = site_read_stored(s, layer, r);
		if (!err)
			return 0;
	}
	err = site_fuse_read_part(s, layer, r);
	if (err != -EAGAIN)
		return err;
	err = site_fuse_bring_back(s, layer, &r->rect);
	return err ? err : site_fuse_read_part(s, layer, r);
}

int site_ensure(struct site *s, unsigned int layer, const struct rect *r)
{
	struct fused_map *m = s->layer[layer]->fused;

	return m ? fused_map_ensure(m, r) : -ENODATA;
}

uint64_t site_changes(struct site *s, unsigned int layer, uint64_t since,
		      void (*each)(void *arg, const struct rect *tile),
		      void *arg)
{
	struct fused_map *m = site_fuse_enter(s, layer);
	const uint64_t before = s->layer[layer]->before;
	uint64_t revision = before;

	/* all of a map that replaced another one has changed */
	if (m)
		revision += fused_map_changes(
			m, since > before ? since - before : 0, each, arg);
	site_fuse_leave(s, layer);
	return revision;
}

uint64_t site_renewed(struct site *s, unsigned int layer)
{
	const struct fused_map *m = site_fuse_enter(s, layer);
	const uint64_t before = s->layer[layer]->before + (m != NULL);

	site_fuse_leave(s, layer);
	return before;
}
