// SPDX-License-Identifier: GPL-2.0-only
/*
 * layers - a map of several layers of values, as datagrams
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/wire.h"
#include "codec/grid/layers.h"
#include "codec/grid/tiles.h"

enum {
	STEPS	= MAP_OCCUPIED - MAP_FREE + 1,
	ALL	= STEPS * STEPS - 1,
	COARSE	= 0, FINE = 1, PLANES = 2,
};

struct layer_out {
	char			name[LAYERS_NAME];
	float			from, to;
	struct tiles_encoder	*tiles[PLANES];
};

struct layers_encoder {
	unsigned int		width, height;
	unsigned int		turn[PLANES];	/* next layer */
	int8_t			*cells[PLANES];
	struct layer_out	layer[LAYERS_MAX];
};

struct layer_in {
	char			name[LAYERS_NAME];
	bool			known, basic, heard[PLANES];
	float			from, to;
	uint32_t		frame;		/* newest */
	struct tiles_decoder	*tiles[PLANES];
	float			*cells;
	size_t			room;
};

struct layers_decoder {
	unsigned int		width, height;
	uint32_t		frame;
	unsigned int		layers;
	unsigned int		newest;		/* layer, of the newest frame */
	struct layer_in		layer[LAYERS_MAX];
};

/* ---- encoder ---- */

struct layers_encoder *layers_encoder_create(unsigned int max_width,
					     unsigned int max_height)
{
	struct layers_encoder *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->width = max_width;
	e->height = max_height;
	for (unsigned int p = 0; p < PLANES; p++)
		e->cells[p] = malloc((size_t)max_width * max_height);
	if (e->cells[COARSE] && e->cells[FINE])
		return e;
	layers_encoder_destroy(e);
	return NULL;
}

void layers_encoder_destroy(struct layers_encoder *e)
{
	if (!e)
		return;
	for (unsigned int p = 0; p < PLANES; p++) {
		free(e->cells[p]);
		for (unsigned int i = 0; i < LAYERS_MAX; i++)
			tiles_encoder_destroy(e->layer[i].tiles[p]);
	}
	free(e);
}

/* Widen the range, if needed, to contain @from .. @to */
static void layers_widen(struct layer_out *l, float from, float to)
{
	float power = 128;

	if (l->from < l->to && from >= l->from && to <= l->to)
		return;
	if (l->from < l->to) {
		from = fminf(from, l->from);
		to = fmaxf(to, l->to);
	}
	l->from = 0;
	l->to = to <= 1 ? 1 : 100;
	if (from >= 0 && to <= 100)
		return;
	power = exp2f(ceilf(log2f(fmaxf(fmaxf(fabsf(from), fabsf(to)),
					1e-3f))));
	power = fminf(power, 1e38f);
	l->from = from < 0 ? -power : 0;
	l->to = power;
}

static void find_range(struct layer_out *l, const float *cells, size_t count)
{
	float from = INFINITY, to = -INFINITY;

	for (size_t i = 0; i < count; i++) {
		if (!isfinite(cells[i]))
			continue;
		from = fminf(from, cells[i]);
		to = fmaxf(to, cells[i]);
	}
	if (from > to)
		from = to = 0;
	layers_widen(l, from, to);
}

static void quantise(struct layers_encoder *e, const struct layer_out *l,
		     const float *cells, size_t count)
{
	double scale = ALL / ((double)l->to - l->from);

	for (size_t i = 0; i < count; i++) {
		int q;

		if (!isfinite(cells[i])) {
			e->cells[COARSE][i] = e->cells[FINE][i] = MAP_UNKNOWN;
			continue;
		}
		q = ((double)cells[i] - l->from) * scale + .5;
		q = q < 0 ? 0 : q > ALL ? ALL : q;
		e->cells[COARSE][i] = q / STEPS;
		e->cells[FINE][i] = q % STEPS;
	}
}

/* The encoder's state of a layer, by name */
static int begin_layer(struct layers_encoder *e, unsigned int i,
		       const struct layers_layer *in)
{
	struct layer_out *l = &e->layer[i];

	if (l->tiles[FINE] && !strcmp(l->name, in->name))
		return 0;
	for (unsigned int p = 0; p < PLANES; p++)
		tiles_encoder_destroy(l->tiles[p]);
	*l = (struct layer_out){ 0 };
	memcpy(l->name, in->name, LAYERS_NAME);
	for (unsigned int p = 0; p < PLANES; p++)
		l->tiles[p] = tiles_encoder_create(e->width, e->height);
	return l->tiles[COARSE] && l->tiles[FINE] ? 0 : -ENOMEM;
}

static size_t layers_put_header(uint8_t *p, const struct layers_grid *grid,
				const struct layer_out *l, unsigned int i,
				unsigned int plane)
{
	size_t n = strlen(l->name);

	p[0] = LAYERS_VERSION << 4 | (plane == FINE ? LAYERS_FINE : 0) |
	       (grid->layer[i].basic ? LAYERS_BASIC : 0);
	p[1] = i;
	p[2] = grid->layers;
	p[3] = n;
	put_lef32(p + 4, l->from);
	put_lef32(p + 8, l->to);
	memcpy(p + LAYERS_HEADER, l->name, n);
	return LAYERS_HEADER + n;
}

/* Append a plane of a layer to @out, each payload after its header */
static int encode_plane(struct layers_encoder *e,
			const struct layers_grid *grid, unsigned int i,
			unsigned int plane, unsigned int max,
			struct payloads *out)
{
	const struct layer_out *l = &e->layer[i];
	size_t head = LAYERS_HEADER + strlen(l->name);
	const struct map map = {
		grid->width, grid->height, grid->resolution, grid->x, grid->y,
		grid->yaw, e->cells[plane],
	};
	struct payloads part = {
		.data = payload_at(out, out->count) + head,
		.stride = out->stride,
		.len = out->len + out->count,
		.size = out->size - head,
		.max = out->max - out->count,
	};
	int ret = tiles_encode(l->tiles[plane], &map, max, max > 1, &part);

	if (ret)
		return ret;
	assert(part.count <= part.max);
	for (unsigned int k = 0; k < part.count; k++, out->count++)
		out->len[out->count] += layers_put_header(
			payload_at(out, out->count), grid, l, i, plane);
	return 0;
}

/* Layers in turn: those without a datagram now are the first next time */
static int encode_planes(struct layers_encoder *e,
			 const struct layers_grid *grid, unsigned int plane,
			 unsigned int most, struct payloads *out)
{
	size_t count = (size_t)grid->width * grid->height;
	unsigned int left = grid->layers, end = out->count + most;

	for (; left && out->count < end; left--) {
		unsigned int i = e->turn[plane]++ % grid->layers;
		int ret;

		find_range(&e->layer[i], grid->layer[i].cells, count);
		quantise(e, &e->layer[i], grid->layer[i].cells, count);
		ret = encode_plane(e, grid, i, plane,
				   (end - out->count + left - 1) / left, out);
		if (ret)
			return ret;
	}
	return 0;
}

static bool grid_ok(const struct layers_grid *g)
{
	if (!g->layers || g->layers > LAYERS_MAX || !g->width || !g->height)
		return false;
	for (unsigned int i = 0; i < g->layers; i++)
		if (!memchr(g->layer[i].name, '\0', LAYERS_NAME))
			return false;
	return true;
}

int layers_encode(struct layers_encoder *e, const struct layers_grid *grid,
		  unsigned int max_datagrams, struct payloads *out)
{
	unsigned int most = max_datagrams < out->max ? max_datagrams :
						       out->max;
	int ret = 0;

	out->count = 0;
	if (!grid_ok(grid) || !most)
		return -EINVAL;
	if (grid->width > e->width || grid->height > e->height)
		return -E2BIG;
	for (unsigned int i = 0; !ret && i < grid->layers; i++)
		ret = begin_layer(e, i, &grid->layer[i]);
	if (!ret)
		ret = encode_planes(e, grid, COARSE, (2 * most + 2) / 3, out);
	if (!ret && out->count < most)
		ret = encode_planes(e, grid, FINE, most - out->count, out);
	assert(ret || out->count <= out->max);
	return ret;
}

/* ---- decoder ---- */

struct layers_decoder *layers_decoder_create(unsigned int max_width,
					     unsigned int max_height)
{
	struct layers_decoder *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->width = max_width;
	d->height = max_height;
	return d;
}

static void layers_forget_layer(struct layer_in *l)
{
	for (unsigned int p = 0; p < PLANES; p++)
		tiles_decoder_destroy(l->tiles[p]);
	free(l->cells);
	*l = (struct layer_in){ 0 };
}

void layers_decoder_destroy(struct layers_decoder *d)
{
	if (!d)
		return;
	for (unsigned int i = 0; i < LAYERS_MAX; i++)
		layers_forget_layer(&d->layer[i]);
	free(d);
}

void layers_begin(struct layers_decoder *d, uint32_t frame)
{
	d->frame = frame;
}

struct header {
	char		name[LAYERS_NAME];
	unsigned int	plane, layer, layers;
	bool		basic;
	float		from, to;
	size_t		size;
};

static int layers_get_header(struct header *h, const uint8_t *p, size_t len)
{
	if (len < LAYERS_HEADER || p[0] >> 4 != LAYERS_VERSION ||
	    p[0] & 15 & ~(LAYERS_FINE | LAYERS_BASIC) || p[1] >= p[2] ||
	    p[2] > LAYERS_MAX || p[3] >= LAYERS_NAME ||
	    len < LAYERS_HEADER + (size_t)p[3])
		return -EINVAL;
	memset(h, 0, sizeof(*h));
	memcpy(h->name, p + LAYERS_HEADER, p[3]);
	if (strlen(h->name) != p[3])
		return -EINVAL;
	h->plane = p[0] & LAYERS_FINE ? FINE : COARSE;
	h->basic = p[0] & LAYERS_BASIC;
	h->layer = p[1];
	h->layers = p[2];
	h->from = get_lef32(p + 4);
	h->to = get_lef32(p + 8);
	h->size = LAYERS_HEADER + p[3];
	return isfinite(h->from) && isfinite(h->to) && h->from < h->to ?
	       0 : -EINVAL;
}

static bool layers_newer(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0;
}

/* The layer of a payload; with another name or range it restarts */
static int layers_find_layer(struct layers_decoder *d, const struct header *h,
			     struct layer_in **out)
{
	struct layer_in *l = &d->layer[h->layer];
	bool same = l->known && !strcmp(l->name, h->name) &&
		    l->from == h->from && l->to == h->to;

	*out = l;
	if (same)
		return 0;
	if (l->known && !layers_newer(d->frame, l->frame))
		return -EPROTO;
	layers_forget_layer(l);
	for (unsigned int p = 0; p < PLANES; p++)
		l->tiles[p] = tiles_decoder_create(d->width, d->height);
	if (!l->tiles[COARSE] || !l->tiles[FINE]) {
		layers_forget_layer(l);
		return -ENOMEM;
	}
	memcpy(l->name, h->name, LAYERS_NAME);
	l->from = h->from;
	l->to = h->to;
	l->frame = d->frame;
	return 0;
}

int layers_add(struct layers_decoder *d, const void *payload, size_t len)
{
	struct layer_in *l;
	struct header h;
	int ret = layers_get_header(&h, payload, len);

	if (!ret)
		ret = layers_find_layer(d, &h, &l);
	if (ret)
		return ret;
	tiles_begin(l->tiles[h.plane], d->frame);
	ret = tiles_add(l->tiles[h.plane], (const uint8_t *)payload + h.size,
			len - h.size);
	if (ret)
		return ret;
	l->known = l->heard[h.plane] = true;
	l->basic = h.basic;
	if (layers_newer(d->frame, l->frame))
		l->frame = d->frame;
	if (!d->layers || !d->layer[d->newest].known ||
	    !layers_newer(d->layer[d->newest].frame, l->frame)) {
		d->newest = h.layer;
		d->layers = h.layers;
	}
	return 0;
}

/* Offset of @map from the grid, in whole cells */
static void offset_of(const struct layers_grid *g, const struct map *map,
		      long *dx, long *dy)
{
	double x = map->x - g->x, y = map->y - g->y;

	/* too far to share a cell, or not finite */
	*dx = *dy = MAP_SIDE_MAX;
	if (!(hypot(x, y) < MAP_SIDE_MAX * g->resolution))
		return;
	*dx = lround((cos(g->yaw) * x + sin(g->yaw) * y) / g->resolution);
	*dy = lround((cos(g->yaw) * y - sin(g->yaw) * x) / g->resolution);
}

/* Return: the map's cell at the grid's x, y */
static int layers_cell_at(const struct map *map, long x, long y)
{
	return x < 0 || y < 0 || x >= (long)map->width ||
	       y >= (long)map->height ? MAP_UNKNOWN :
	       map->cells[(size_t)y * map->width + x];
}

static void put_cells(const struct layer_in *l, const struct layers_grid *g,
		      const struct map *coarse, const struct map *fine)
{
	double scale = ((double)l->to - l->from) / ALL;
	long cx, cy, fx = 0, fy = 0;

	offset_of(g, coarse, &cx, &cy);
	if (fine)
		offset_of(g, fine, &fx, &fy);
	for (unsigned int y = 0; y < g->height; y++)
		for (unsigned int x = 0; x < g->width; x++) {
			int c = layers_cell_at(coarse, x - cx, y - cy);
			int f = fine ? layers_cell_at(fine, x - fx, y - fy) :
				       MAP_UNKNOWN;

			/* the middle of the coarse step */
			if (f == MAP_UNKNOWN)
				f = STEPS / 2;
			l->cells[(size_t)y * g->width + x] =
				c == MAP_UNKNOWN ? NAN :
				l->from + (c * STEPS + f) * scale;
		}
}

static bool same_grid(const struct layers_grid *g, const struct map *map)
{
	return map->resolution == g->resolution && map->yaw == g->yaw;
}

static int show_layer(struct layer_in *l, struct layers_grid *g)
{
	size_t room = (size_t)g->width * g->height;
	struct layers_layer *out = &g->layer[g->layers];
	struct map coarse, fine;
	bool both;

	if (!l->known || tiles_finish(l->tiles[COARSE], &coarse) ||
	    !same_grid(g, &coarse))
		return 0;
	if (room > l->room) {
		free(l->cells);
		l->cells = malloc(room * sizeof(*l->cells));
		l->room = l->cells ? room : 0;
		if (!l->cells)
			return -ENOMEM;
	}
	both = !tiles_finish(l->tiles[FINE], &fine) && same_grid(g, &fine);
	put_cells(l, g, &coarse, both ? &fine : NULL);
	memcpy(out->name, l->name, LAYERS_NAME);
	out->basic = l->basic;
	out->cells = l->cells;
	g->layers++;
	return 0;
}

size_t layers_cells(const struct layers_decoder *d)
{
	size_t sum = 0;

	for (unsigned int i = 0; i < d->layers; i++) {
		size_t most = 0;

		for (unsigned int p = 0; p < PLANES; p++) {
			const struct tiles_decoder *t = d->layer[i].tiles[p];
			size_t cells = t ? tiles_cells(t) : 0;

			if (cells > most)
				most = cells;
		}
		sum += most;
	}
	return sum;
}

int layers_finish(struct layers_decoder *d, struct layers_grid *grid)
{
	struct layer_in *l = &d->layer[d->newest];
	struct map map;

	if (!l->known || (tiles_finish(l->tiles[COARSE], &map) &&
			  tiles_finish(l->tiles[FINE], &map)))
		return -ENODATA;
	*grid = (struct layers_grid){
		.width = map.width, .height = map.height,
		.resolution = map.resolution,
		.x = map.x, .y = map.y, .yaw = map.yaw,
	};
	for (unsigned int i = 0; i < d->layers; i++) {
		int ret = show_layer(&d->layer[i], grid);

		if (ret)
			return ret;
	}
	return grid->layers ? 0 : -ENODATA;
}

double layers_share(const struct layers_decoder *d)
{
	double sum = 0;

	for (unsigned int i = 0; i < d->layers; i++)
		for (unsigned int p = 0; p < PLANES; p++) {
			struct tiles_share s;

			if (!d->layer[i].heard[p])
				continue;
			s = tiles_share(d->layer[i].tiles[p]);
			sum += s.known ? (double)s.received / s.known : 1;
		}
	return d->layers ? sum / (d->layers * PLANES) : 0;
}
