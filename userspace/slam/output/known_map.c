// SPDX-License-Identifier: GPL-2.0-only
/*
 * known_map.c - reads a map and finds its walls
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "map/site/site.h"
#include "slam/output/known_map.h"

#define USUAL_LAYER	"slam_map"

static int value_at(const struct map_file *c, unsigned int x, unsigned int y)
{
	/* beyond the border is unknown, also below 0 */
	return x < c->width && y < c->height ?
	       c->cells[(size_t)y * c->width + x] : -1;
}

/* The inside of a thick wall is never hit */
static bool is_seen(const struct map_file *c, unsigned int x, unsigned int y)
{
	for (unsigned int i = 0; i < 9; i++) {
		const int v = value_at(c, x + i % 3 - 1, y + i / 3 - 1);

		if (v >= 0 && v < WALL_LEAST)
			return true;
	}
	return false;
}

static struct walls count_walls(const struct map_file *c, bool seen)
{
	struct walls w = { .count = 0 };

	for (unsigned int y = 0; y < c->height; y++) {
		for (unsigned int x = 0; x < c->width; x++)
			w.count += value_at(c, x, y) >= WALL_LEAST &&
				   (!seen || is_seen(c, x, y));
	}
	return w;
}

static void place_walls(const struct map_file *c, bool seen, struct walls *w)
{
	const double sine = sin(c->origin.yaw), cosine = cos(c->origin.yaw);
	uint32_t n = 0;

	for (unsigned int y = 0; y < c->height; y++) {
		for (unsigned int x = 0; x < c->width; x++) {
			const double u = (x + 0.5) * c->resolution;
			const double v = (y + 0.5) * c->resolution;

			if (value_at(c, x, y) < WALL_LEAST ||
			    (seen && !is_seen(c, x, y)))
				continue;
			w->x[n] = (float)(c->origin.x + cosine * u - sine * v);
			w->y[n++] = (float)(c->origin.y + sine * u +
					    cosine * v);
		}
	}
}

int known_map_find_walls(struct known_map *m)
{
	struct walls w = count_walls(&m->cells, true);
	/* a map of walls alone, without free cells */
	const bool seen = w.count;

	if (!seen)
		w = count_walls(&m->cells, false);
	w.x = malloc((w.count + 1) * sizeof(*w.x));
	w.y = malloc((w.count + 1) * sizeof(*w.y));
	if (!w.x || !w.y) {
		free(w.x);
		free(w.y);
		return -ENOMEM;
	}
	place_walls(&m->cells, seen, &w);
	m->walls = w;
	return 0;
}

/*
 * The store of gdimd
 */

/* Fuses evicted parts in the calling thread */
static int ensure(void *site, unsigned int layer, const struct rect *r)
{
	return site_ensure(site, layer, r);
}

/* Return: its number; -ENOENT */
static int find_layer(struct site *s)
{
	int first = -ENOENT;

	for (unsigned int i = 0; i < site_layers(s); i++) {
		struct layer l;

		site_layer(s, i, &l);
		if (l.modality != MODALITY_OBSTACLE || l.bits != 8 ||
		    site_layer_removed(s, i) || !site_layer_submaps(s, i))
			continue;
		if (!strcmp(l.name, USUAL_LAYER))
			return (int)i;
		first = first < 0 ? (int)i : first;
	}
	return first;
}

static int read_raster(struct site *s, int layer, struct raster *r)
{
	struct fused_map_work work = { 0 };
	int err = site_fuse(s, layer, UINT64_MAX, NULL, &work);

	if (err)
		return err;
	r->rect = site_bounds(s, (unsigned int)layer);
	r->resolution = site_resolution(s, (unsigned int)layer);
	if (rect_is_empty(&r->rect))
		return -ENODATA;
	r->cells = malloc((size_t)r->rect.width * r->rect.height *
			  sizeof(*r->cells));
	return r->cells ? site_read(s, (unsigned int)layer, r) : -ENOMEM;
}

static int keep_raster(struct map_file *c, const struct raster *r)
{
	const size_t cells = (size_t)r->rect.width * r->rect.height;

	*c = (struct map_file){
		.width = r->rect.width, .height = r->rect.height,
		.resolution = r->resolution,
		.origin = { r->rect.x * r->resolution,
			    r->rect.y * r->resolution, 0 },
		.cells = malloc(cells),
	};
	for (size_t i = 0; i < cells && c->cells; i++)
		c->cells[i] = (int8_t)r->cells[i];
	return c->cells ? 0 : -ENOMEM;
}

static int read_store(struct known_map *m, const char *path,
		      struct error *error)
{
	const struct site_config config = { 0 };
	struct raster r = { .cells = NULL };
	struct site *s;
	int err = site_open(&s, path, STORE_READ, &config, error), layer;

	if (err)
		return err;
	site_set_want(s, ensure, s);
	layer = find_layer(s);
	err = layer < 0 ? -ENODATA : read_raster(s, layer, &r);
	if (!err)
		err = keep_raster(&m->cells, &r);
	free(r.cells);
	site_close(s);
	if (layer < 0)
		return error_set(error, err, "%s: no layer of obstacles", path);
	return err ? error_set(error, err, "%s: %s", path, strerror(-err)) : 0;
}

int known_map_raster(struct known_map *m, const struct raster *r)
{
	int err;

	*m = (struct known_map){ .walls = { .count = 0 } };
	err = keep_raster(&m->cells, r);
	if (!err)
		err = known_map_find_walls(m);
	if (!err && !m->walls.count)
		err = -ENODATA;
	if (err)
		known_map_free(m);
	return err;
}

int known_map_read(struct known_map *m, const char *path, struct error *error)
{
	int err;

	*m = (struct known_map){ .walls = { .count = 0 } };
	if (text_ends(path, ".db"))
		err = read_store(m, path, error);
	else if (text_ends(path, ".yaml") || text_ends(path, ".yml"))
		err = map_file_values(path, -1, &m->cells, error);
	else
		err = error_set(error, -EINVAL,
				"%s: a map is NAME.yaml or NAME.db", path);
	if (err)
		return err;
	err = known_map_find_walls(m);
	if (err)
		error_set(error, err, "%s: no memory", path);
	else if (!m->walls.count)
		err = error_set(error, -ENODATA, "%s: no occupied cells", path);
	if (err)
		known_map_free(m);
	return err;
}

void known_map_free(struct known_map *m)
{
	map_file_free(&m->cells);
	free(m->walls.x);
	free(m->walls.y);
	*m = (struct known_map){ .walls = { .count = 0 } };
}

void known_map_message(const struct known_map *m, int64_t stamp,
		       const char *frame, union message *out)
{
	const struct map_file *c = &m->cells;
	const double half = c->origin.yaw / 2;

	out->map = (struct message_occupancy_grid){
		.header = { stamp, 0, message_string(frame) },
		.map_load_time = stamp,
		.resolution = (float)c->resolution,
		.width = c->width, .height = c->height,
		.origin = { { c->origin.x, c->origin.y, 0 },
			    { 0, 0, sin(half), cos(half) } },
		.data = { (uint8_t *)c->cells, (uint32_t)(c->width * c->height) },
	};
}
