// SPDX-License-Identifier: GPL-2.0-only
/*
 * site_raster - read whole layers for export
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "map/site/level.h"
#include "map/site/site_parts.h"

enum {
	STRIP		= 4 * FUSED_MAP_TILE,	/* rows read at once */
	RASTER_MAX	= 1 << 27,		/* cells */
};

/* Strip by strip, as not all of it may fit into memory at once */
static int read_strips(struct fused_map *m, struct raster *r)
{
	int err = 0;

	for (unsigned int y = 0; y < r->rect.height && !err; y += STRIP) {
		const unsigned int left = r->rect.height - y;
		struct raster strip = *r;

		strip.rect.y += y;
		strip.rect.height = left < STRIP ? left : STRIP;
		strip.cells += (size_t)y * r->rect.width;
		if (fused_map_read(m, &strip) != -EAGAIN)
			continue;
		err = fused_map_ensure(m, &strip.rect);
		if (!err)
			fused_map_read(m, &strip);
	}
	return err;
}

static int crop(struct raster *r)
{
	const struct rect k = raster_known(r);
	const int16_t *from;

	if (rect_is_empty(&k))
		return -ENODATA;
	from = r->cells + (size_t)(k.y - r->rect.y) * r->rect.width +
	       (k.x - r->rect.x);
	assert(k.width <= r->rect.width && k.height <= r->rect.height);
	for (unsigned int y = 0; y < k.height; y++)
		memmove(r->cells + (size_t)y * k.width,
			from + (size_t)y * r->rect.width,
			k.width * sizeof(*r->cells));
	r->rect = k;
	return 0;
}

static int site_raster_read_tile(void *arg, struct raster *r)
{
	struct fused_map *m = arg;
	int err = fused_map_read(m, r);

	if (err != -EAGAIN)
		return err;
	err = fused_map_ensure(m, &r->rect);
	return err ? err : fused_map_read(m, r);
}

static void each_tile(void *arg, void (*each)(void *arg,
					      const struct rect *tile),
		      void *to)
{
	fused_map_changes(arg, 0, each, to);
}

static int read_level(struct fused_map *m, unsigned int factor,
		      enum reduce_how how, struct raster *r)
{
	const struct level_source from = { site_raster_read_tile, each_tile,
					   m };

	return level_read(&from, factor, how, r);
}

static int site_raster_read_all(struct fused_map *m, enum reduce_how how,
				struct raster *r)
{
	unsigned int factor;
	int err;

	r->rect = fused_map_bounds(m);
	r->resolution = fused_map_resolution(m);
	if (rect_is_empty(&r->rect))
		return -ENODATA;
	factor = level_factor(&r->rect, 1, RASTER_MAX);
	r->rect = level_rect(&r->rect, factor);
	r->resolution *= factor;
	r->cells = malloc((size_t)r->rect.width * r->rect.height *
			  sizeof(*r->cells));
	if (!r->cells)
		return -ENOMEM;
	/* also sets the other fields for an empty part */
	err = factor > 1 ? read_level(m, factor, how, r) : read_strips(m, r);
	return err ? err : crop(r);
}

/* Submaps of a layer with a pose, to be freed; NULL: no memory */
static struct fused_map_submap *placed(struct site *s, unsigned int layer,
				       uint32_t *count)
{
	struct fused_map_submap *found;

	*count = 0;
	pthread_mutex_lock(&s->lock);
	found = malloc((s->submaps + 1) * sizeof(*found));
	for (uint32_t i = 0; i < s->submaps && found; i++) {
		const struct submap *p = &s->submap[i];
		const struct store_node *n = &s->node[p->node].node;

		if (p->layer == layer && n->placed)
			found[(*count)++] = (struct fused_map_submap){
				p->submap.id, n->pose,
				{ p->submap.stamp, p->submap.weight } };
	}
	assert(*count <= s->submaps);
	pthread_mutex_unlock(&s->lock);
	return found;
}

/* Fuse the current layer alone, with another rule */
static int fuse_other(struct site *s, unsigned int layer, enum rule_id rule,
		      enum reduce_how how, struct raster *r)
{
	struct fused_map *m = site_make_mosaic(s, layer, rule);
	uint32_t count = 0;
	struct fused_map_submap *put = m ? placed(s, layer, &count) : NULL;
	int err = put ? 0 : -ENOMEM;

	/* unreadable submaps are left out, as in the layer's own map */
	for (uint32_t i = 0; i < count && !err; i++)
		err = fused_map_put(m, &put[i]) == -ENOMEM ? -ENOMEM : 0;
	free(put);
	if (!err)
		err = fused_map_update(m, UINT64_MAX, NULL);
	if (!err)
		err = site_raster_read_all(m, how, r);
	site_free_mosaic(m);
	return err;
}

/* Return: id, 0: there is none */
static int64_t latest_of(struct site *s, unsigned int layer,
			 struct site_latest *l)
{
	const struct submap *best = NULL;

	for (uint32_t i = 0; i < s->submaps; i++) {
		const struct submap *m = &s->submap[i];

		if (m->layer == layer &&
		    (!best || m->submap.stamp >= best->submap.stamp))
			best = m;
	}
	if (!best)
		return 0;
	l->stamp = best->submap.stamp;
	memcpy(l->frame, s->node[best->node].node.frame, sizeof(l->frame));
	return best->submap.id;
}

int site_latest(struct site *s, unsigned int layer, struct site_latest *l)
{
	const uint64_t drops = cache_drops(s->cache);
	int64_t id;

	pthread_mutex_lock(&s->lock);
	id = latest_of(s, layer, l);
	pthread_mutex_unlock(&s->lock);
	return id ? site_load_cells(s, id, drops, &l->cells) : -ENODATA;
}

int site_raster(struct site *s, unsigned int layer, int rule,
		struct raster *r)
{
	struct fused_map *m = s->layer[layer]->fused;
	struct layer l;
	int err;

	site_layer(s, layer, &l);
	*r = (struct raster){ .bits = l.bits };
	if (!m)
		return -ENODATA;
	if (rule >= 0 && rule != (int)l.rule)
		err = fuse_other(s, layer, rule, reduce_how(&l), r);
	else
		err = site_raster_read_all(m, reduce_how(&l), r);
	r->bits = l.bits;
	if (err) {
		free(r->cells);
		r->cells = NULL;
	}
	return err;
}
