// SPDX-License-Identifier: GPL-2.0-only
/*
 * site_area - for queries of one place, read only the data around it
 *
 * The R-tree of the store has the boxes of all nodes with a pose. Whole maps
 * have none, and are always read.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "map/site/site_parts.h"

/* Margin for cells shared with neighbouring submaps, and for rounding */
static const double CELLS_AROUND = 2;

/**
 * struct area - data to read
 * @id:		of nodes
 */
struct area {
	struct site		*s;
	int64_t			*id;
	uint32_t		ids, id_room;
	struct store_node	*node;
	uint32_t		nodes, node_room;
	struct store_submap	*submap;
	uint32_t		submaps, submap_room;
};

static int add_id(void *arg, int64_t id)
{
	struct area *a = arg;

	if (array_grow(&a->id, &a->id_room, a->ids, sizeof(*a->id)))
		return -ENOMEM;
	a->id[a->ids++] = id;
	return 0;
}

/* Submaps of layers added after the site was opened are ignored */
static int add_submap(void *arg, const struct store_submap *m)
{
	struct area *a = arg;

	if (site_layer_of_id(a->s, m->layer) == a->s->layers)
		return 0;
	if (array_grow(&a->submap, &a->submap_room, a->submaps,
		       sizeof(*a->submap)))
		return -ENOMEM;
	a->submap[a->submaps++] = *m;
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* In the order of the store, as when all are read */
static int site_area_by_id(const void *a, const void *b)
{
	const struct store_submap *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* Nodes, in order: those of whole maps and those with a box in the area */
static int find_nodes(struct area *a, const struct site_area *area, double more)
{
	struct store *store = a->s->store;
	struct store_node root;
	int err = store_find_node(store, SITE_ROOT, &root);

	a->ids = 0;
	if (!err)
		err = add_id(a, root.id);
	else if (err == -ENOENT)
		err = 0;
	if (!err)
		err = store_near(store, area->x0 - more, area->y0 - more,
				 area->x1 + more, area->y1 + more, add_id, a);
	if (!err && a->ids)
		qsort(a->id, a->ids, sizeof(*a->id), by_number);
	return err;
}

/* A node that was removed meanwhile is ignored */
static int read_node(struct area *a, int64_t id)
{
	int err;

	if (array_grow(&a->node, &a->node_room, a->nodes, sizeof(*a->node)))
		return -ENOMEM;
	err = store_node_get(a->s->store, id, &a->node[a->nodes]);
	if (err)
		return err == -ENOENT ? 0 : err;
	a->nodes++;
	return store_node_submaps(a->s->store, id, add_submap, a);
}

static int read_nodes(struct area *a)
{
	int err = 0;

	a->nodes = a->submaps = 0;
	for (uint32_t i = 0; i < a->ids && !err; i++)
		if (!i || a->id[i] != a->id[i - 1])
			err = read_node(a, a->id[i]);
	assert(a->nodes <= a->ids);
	if (a->submaps)
		qsort(a->submap, a->submaps, sizeof(*a->submap),
		      site_area_by_id);
	return err;
}

/* Resolution of the map: the layer's own, or that of its first submap */
static int find_resolutions(struct area *a)
{
	int err = 0;

	for (uint32_t i = 0; i < a->submaps && !err; i++) {
		struct layer_state *l = a->s->layer[
			site_layer_of_id(a->s, a->submap[i].layer)];
		struct store_submap m;

		if (l->layer.resolution > 0 || l->first_resolution > 0)
			continue;
		err = store_first_submap(a->s->store, l->id, &m);
		if (!err)
			l->first_resolution = m.resolution;
	}
	/* it was removed meanwhile */
	return err == -ENOENT ? 0 : err;
}

static double widest_cell(const struct site *s)
{
	double widest = 0;

	for (unsigned int i = 0; i < s->layers; i++) {
		const struct layer_state *l = s->layer[i];

		widest = fmax(widest, fmax(l->layer.resolution,
					   l->first_resolution));
	}
	return widest;
}

/* Repeat while cells are found that reach beyond the area read */
static int read_around(struct area *a, const struct site_area *area)
{
	double wide = -1;
	int err = 0;

	while (!err && widest_cell(a->s) > wide) {
		wide = widest_cell(a->s);
		err = find_nodes(a, area, CELLS_AROUND * wide);
		if (!err)
			err = read_nodes(a);
		if (!err)
			err = find_resolutions(a);
	}
	return err;
}

static int take_all(struct area *a)
{
	struct site *s = a->s;

	for (uint32_t i = 0; i < a->nodes; i++)
		if (site_take_node(s, &a->node[i]))
			return -ENOMEM;
	for (uint32_t i = 0; i < a->submaps; i++) {
		const struct store_submap *m = &a->submap[i];

		if (site_add_submap(s, m, site_node_of_id(s, m->node),
				    site_layer_of_id(s, m->layer)) ==
		    INDEX_NONE)
			return -ENOMEM;
	}
	return 0;
}

int site_read_area(struct site *s, const struct site_area *area,
		   struct error *error)
{
	struct area a = { .s = s };
	int err = read_around(&a, area);

	if (!err)
		err = take_all(&a);
	if (err)
		error_set(error, err, "%s", err == -ENOMEM ? "out of memory" :
			  store_error(s->store));
	free(a.id);
	free(a.node);
	free(a.submap);
	return err;
}

/*
 * Parts that are not fused yet
 */

enum { PART_MEMORY = 64 << 20 };	/* limit for a part, bytes */

static int read_fused(struct site *part, unsigned int layer, struct raster *r)
{
	int err = site_fuse(part, layer, UINT64_MAX, NULL, NULL);

	if (!err)
		err = site_read(part, layer, r);
	if (err != -EAGAIN)
		return err;
	err = site_ensure(part, layer, &r->rect);
	return err ? err : site_read(part, layer, r);
}

int site_read_stored(struct site *s, unsigned int layer, struct raster *r)
{
	const struct site_config config = { .memory = PART_MEMORY,
					    .threads = 1, .in_part = true };
	const double cell = site_resolution(s, layer);
	const struct site_area area = {
		r->rect.x * cell, r->rect.y * cell,
		(r->rect.x + (double)r->rect.width) * cell,
		(r->rect.y + (double)r->rect.height) * cell,
	};
	struct error error;
	struct site *part;
	struct layer l;
	int number, err;

	site_layer(s, layer, &l);
	err = site_open(&part, s->path, STORE_READ, &config, &error);
	if (err)
		return err;
	err = site_read_area(part, &area, &error);
	number = site_find_layer(part, l.name);
	if (!err)
		err = number < 0 ? -ENODATA : read_fused(part, number, r);
	site_close(part);
	if (err != -ENODATA)
		return err;
	r->bits = l.bits;
	r->resolution = cell;
	memset(r->cells, 0xff,
	       (size_t)r->rect.width * r->rect.height * sizeof(*r->cells));
	return 0;
}
