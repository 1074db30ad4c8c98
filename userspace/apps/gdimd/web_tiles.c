// SPDX-License-Identifier: GPL-2.0-only
/*
 * web_tiles - fused maps as pictures and as values
 *
 * Tiles are those of Leaflet's CRS.Simple, whose unit is a cell: at zoom Z a
 * cell is 2^Z pixels wide; below 0, a pixel is 2^-Z cells wide. X goes to the
 * right, Y downwards: at zoom 0, tile X/Y has the columns 256 X ..
 * 256 X + 255 of the map and the rows -256 Y - 256 .. -256 Y - 1.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "apps/gdimd/web_parts.h"
#include "base/cli.h"
#include "base/error.h"
#include "map/io/map_png.h"
#include "map/site/level.h"
#include "map/site/reduce.h"

enum {
	TILE		= 256,		/* pixels */
	ZOOM_MAX	= 6,
	TILE_MAX	= 1 << 22,	/* of X and Y */
	BAND		= 1 << 20,	/* cells of one read */
	WHOLE_MAX	= 1 << 25,	/* cells of a picture */
	PIXELS_MAX	= 1 << 27,
	VALUES_MAX	= 1 << 18,	/* cells, as JSON */
	VALUES_PNG_MAX	= 1 << 22,
	KEPT		= 4 << 20,	/* bytes of memory of a thread */
	TRIES		= 8,
};

static void nothing(void *arg, const struct rect *tile)
{
	(void)arg;
	(void)tile;
}

uint64_t web_revision(struct web_worker *w, unsigned int layer)
{
	return site_changes(w->web->config.site, layer, UINT64_MAX, nothing,
			    NULL);
}

/* Retry: other threads may evict the part before it is read */
static int web_tiles_read_part(struct web_worker *w, unsigned int layer,
			       struct raster *r)
{
	int err = -EAGAIN;

	for (int i = 0; i < TRIES && err == -EAGAIN; i++)
		err = site_read(w->web->config.site, layer, r);
	return err;
}

static int web_tiles_room_for(int16_t **cells, size_t *room, size_t n)
{
	int16_t *grown;

	if (n <= *room)
		return 0;
	grown = realloc(*cells, n * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	*cells = grown;
	*room = n;
	return 0;
}

static size_t web_tiles_size_of(const struct rect *r)
{
	return (size_t)r->width * r->height;
}

static void web_tiles_forget(struct raster *r)
{
	for (size_t i = 0; i < web_tiles_size_of(&r->rect); i++)
		r->cells[i] = -1;
}

/* @from is inside @to */
static void web_tiles_paste(const struct raster *from, const struct raster *to)
{
	const struct rect *f = &from->rect, *t = &to->rect;

	for (unsigned int y = 0; y < f->height; y++)
		memcpy(to->cells + (size_t)(f->y - t->y + y) * t->width +
		       (f->x - t->x), from->cells + (size_t)y * f->width,
		       f->width * sizeof(*to->cells));
}

/*
 * ETags
 */

enum { ETAG = 80 };

static const char *etag(struct web_worker *w, unsigned int layer,
			const struct layer *l, char tag[ETAG])
{
	/* all that a picture depends on; its cells may be newer */
	snprintf(tag, ETAG, "\"%llx-%u-%llx-%x-%x\"",
		 (unsigned long long)w->web->run, layer,
		 (unsigned long long)web_revision(w, layer),
		 (unsigned int)l->modality, (unsigned int)l->rule);
	return tag;
}

/* Whether If-None-Match has it. No tag of ours is part of another one */
static bool web_tiles_is_known(struct web_worker *w, const char *tag)
{
	const char *have = http_header(w->asked, "If-None-Match");

	return have && (strstr(have, tag) || !strcmp(have, "*"));
}

static int send_picture(struct web_worker *w, int status, const char *tag,
			const char *more)
{
	char lines[ETAG + 300];

	snprintf(lines, sizeof(lines), "ETag: %s\r\n"
		 "Cache-Control: no-cache\r\n%s", tag, more);
	return web_reply(w, status, status == 304 ? NULL : "image/png", lines);
}

static int not_modified(struct web_worker *w, const char *tag)
{
	if (web_begin(w))
		return web_fail(w, -ENOMEM, "");
	return send_picture(w, 304, tag, "");
}

/* The colours requested, or the layer's default. Return: 0, -EINVAL */
static int colours_of(const struct web_worker *w, const struct layer *l,
		      enum colours *colours, struct error *error)
{
	const char *name = web_request_value(&w->request, "colours");
	const int found = name ? colours_by_name(name) :
			  (int)modality_get(l->modality)->colours;

	if (found < 0)
		return error_set(error, -EINVAL, "unknown colours '%.40s'",
				 name);
	*colours = found;
	return 0;
}

/*
 * Tiles
 */

/**
 * struct view - the area of a tile
 * @factor:	cells along the side of a pixel
 * @scale:	pixels along the side of a cell; @factor or @scale is 1
 * @pixels:	in cells, or in squares of @factor cells
 * @cells:	the same, in cells
 */
struct view {
	unsigned int	factor, scale;
	struct rect	pixels, cells;
};

static int whole_number(const char *text, long min, long max, long *v)
{
	char *end;

	if ((*text != '-' && (*text < '0' || *text > '9')) ||
	    strlen(text) > 10)
		return -EINVAL;
	*v = strtol(text, &end, 10);
	return *end || end == text || *v < min || *v > max ? -EINVAL : 0;
}

/* Z, X and Y.png from the path */
static int view_of(const struct web_request *r, struct view *v,
		   struct error *error)
{
	const size_t n = strlen(r->part[7]);
	char last[16] = "";
	long z, x, y, side;

	if (n > 4 && n < sizeof(last) && !strcmp(r->part[7] + n - 4, ".png"))
		memcpy(last, r->part[7], n - 4);
	if (whole_number(r->part[5], -ZOOM_MAX, ZOOM_MAX, &z) ||
	    whole_number(r->part[6], -TILE_MAX, TILE_MAX, &x) ||
	    whole_number(last, -TILE_MAX, TILE_MAX, &y)) {
		error_set(error, 0, "a tile must be Z/X/Y.png with Z "
			 "%d..%d, X and Y %d..%d",
			 -ZOOM_MAX, ZOOM_MAX, -TILE_MAX,
			 TILE_MAX);
		return -EINVAL;
	}
	assert(z >= -ZOOM_MAX && z <= ZOOM_MAX);
	v->scale = z > 0 ? 1 << z : 1;
	v->factor = z < 0 ? 1 << -z : 1;
	side = TILE / v->scale;
	assert(v->factor == 1 || v->scale == 1);
	v->pixels = (struct rect){ x * side, (-y - 1) * side, side, side };
	/* so far away that cell numbers would overflow */
	if (labs(x) >= INT32_MAX / 4 / TILE / (long)v->factor ||
	    labs(y) >= INT32_MAX / 4 / TILE / (long)v->factor)
		v->cells = (struct rect){ 0, 0, 0, 0 };
	else
		v->cells = (struct rect){ v->pixels.x * (int)v->factor,
					  v->pixels.y * (int)v->factor,
					  side * v->factor, side * v->factor };
	return 0;
}

/* Reduce cells @in by the factor, band by band */
static int read_reduced(struct web_worker *w, unsigned int layer,
			const struct view *v, enum reduce_how how,
			const struct rect *in, struct raster *picture)
{
	const long f = v->factor, end = in->y + (long)in->height;
	const long blocks = BAND / (f * in->width);
	const long rows = f * (blocks ? blocks : 1);
	int err = 0;

	for (long y = in->y, next; y < end && !err; y = next) {
		struct raster band = { .rect = { in->x, y, in->width, 0 } };

		/* blocks begin at multiples of the factor */
		next = (y & ~(f - 1)) + rows;
		next = next < end ? next : end;
		assert(next > y);
		band.rect.height = next - y;
		err = web_tiles_room_for(&w->cells, &w->cells_room,
					 web_tiles_size_of(&band.rect));
		if (err)
			break;
		band.cells = w->cells;
		err = web_tiles_read_part(w, layer, &band);
		if (!err)
			err = reduce_raster(&band, f, how, &w->small,
					    &w->small_room);
		if (!err)
			web_tiles_paste(&w->small, picture);
	}
	return err;
}

/* Return: 0; -ENODATA: the tile is empty */
static int web_tiles_draw_tile(struct web_worker *w, unsigned int layer,
			       const struct layer *l, const struct view *v,
			       enum colours colours)
{
	const struct rect bounds = site_bounds(w->web->config.site, layer);
	const struct rect in = rect_common(&bounds, &v->cells);
	struct raster picture = { .rect = v->pixels, .bits = l->bits };
	int err;

	if (rect_is_empty(&in))
		return -ENODATA;
	err = web_tiles_room_for(&w->drawn, &w->drawn_room,
				 web_tiles_size_of(&picture.rect));
	if (err)
		return err;
	assert(w->drawn_room >= web_tiles_size_of(&picture.rect));
	picture.cells = w->drawn;
	web_tiles_forget(&picture);
	if (v->factor > 1)
		err = read_reduced(w, layer, v, reduce_how(l), &in, &picture);
	else
		err = web_tiles_read_part(w, layer, &picture);
	if (!err)
		err = web_begin(w);
	return err ? err : map_png_encode(&picture, NULL, colours, v->scale,
					  &w->out);
}

/* Return: 0, -ENOMEM */
static int draw_nothing(struct web_worker *w)
{
	const struct bytes *b = &w->web->nothing;

	return web_begin(w) || bytes_append(&w->out, b->data, b->len) ?
	       -ENOMEM : 0;
}

int web_answer_tile(struct web_worker *w, unsigned int layer)
{
	char tag[ETAG];
	struct error error = { "" };
	enum colours colours;
	struct layer l;
	struct view v;
	int err;

	site_layer(w->web->config.site, layer, &l);
	err = web_request_only(&w->request, "colours", &error);
	if (!err)
		err = colours_of(w, &l, &colours, &error);
	if (!err)
		err = view_of(&w->request, &v, &error);
	if (err)
		return web_fail(w, err, error.text);
	if (web_tiles_is_known(w, etag(w, layer, &l, tag)))
		return not_modified(w, tag);
	err = web_tiles_draw_tile(w, layer, &l, &v, colours);
	if (err == -ENODATA)
		err = draw_nothing(w);
	return err ? web_fail(w, err, "") : send_picture(w, 200, tag, "");
}

int web_tiles_open(struct web *web)
{
	int16_t cells[16] = { 0 };
	struct raster r = { { 0, 0, 4, 4 }, 8, 1, cells };

	web_tiles_forget(&r);
	return map_png_encode(&r, NULL, COLOURS_GREY, TILE / 4, &web->nothing);
}

/*
 * Whole maps
 */

/* The caller frees the cells, also after an error */
static int read_whole(struct web_worker *w, unsigned int layer,
		      struct raster *r)
{
	unsigned int factor, rows;
	int err = 0;

	if (rect_is_empty(&r->rect))
		return -ENODATA;
	factor = level_factor(&r->rect, 1, WHOLE_MAX);
	r->rect = level_rect(&r->rect, factor);
	r->cells = malloc(web_tiles_size_of(&r->rect) * sizeof(*r->cells));
	if (!r->cells)
		return -ENOMEM;
	if (factor > 1)
		return level_read_layer(w->web->config.site, layer, factor, r);
	rows = BAND / (r->rect.width + 1) + 1;
	for (unsigned int y = 0; y < r->rect.height && !err; y += rows) {
		struct raster strip = *r;

		strip.rect.y += (int)y;
		if (r->rect.height - y < rows)
			strip.rect.height = r->rect.height - y;
		else
			strip.rect.height = rows;
		strip.cells += (size_t)y * r->rect.width;
		err = web_tiles_read_part(w, layer, &strip);
		r->resolution = strip.resolution;
	}
	return err;
}

static int draw_whole(struct web_worker *w, unsigned int layer,
		      enum colours colours, unsigned int scale,
		      char lines[160], struct error *error)
{
	struct raster r = { .rect = site_bounds(w->web->config.site, layer) };
	struct layer l;
	struct rect k;
	int err;

	site_layer(w->web->config.site, layer, &l);
	r.bits = l.bits;
	err = read_whole(w, layer, &r);
	k = err ? (struct rect){ 0, 0, 0, 0 } : raster_known(&r);
	if (!err && rect_is_empty(&k))
		err = -ENODATA;
	if (!err && web_tiles_size_of(&k) * scale * scale > PIXELS_MAX)
		err = error_set(error, -E2BIG,
				"picture too large at this scale");
	if (!err)
		err = web_begin(w);
	if (!err)
		err = map_png_encode(&r, &k, colours, scale, &w->out);
	if (!err)
		snprintf(lines, 160, "X-GDIM-Resolution: %.9g\r\n"
			 "X-GDIM-Bounds: %.9g %.9g %.9g %.9g\r\n",
			 r.resolution,
			 k.x * r.resolution, k.y * r.resolution,
			 (k.x + (double)k.width) * r.resolution,
			 (k.y + (double)k.height) * r.resolution);
	free(r.cells);
	if (err == -ENODATA)
		error_set(error, 0, "layer %s has no known cells", l.name);
	return err;
}

static int scale_of(const struct web_request *r, uint32_t *scale,
		    struct error *error)
{
	const char *text = web_request_value(r, "scale");

	*scale = 1;
	if (!text || !parse_u32(text, 1, MAP_PNG_SCALE_MAX, scale))
		return 0;
	return error_set(error, -EINVAL, "scale must be 1..%d",
			 MAP_PNG_SCALE_MAX);
}

int web_answer_picture(struct web_worker *w, unsigned int layer)
{
	char tag[ETAG], lines[160] = "";
	struct error error = { "" };
	enum colours colours;
	struct layer l;
	uint32_t scale;
	int err;

	site_layer(w->web->config.site, layer, &l);
	err = web_request_only(&w->request, "scale colours", &error);
	if (!err)
		err = colours_of(w, &l, &colours, &error);
	if (!err)
		err = scale_of(&w->request, &scale, &error);
	if (err)
		return web_fail(w, err, error.text);
	if (web_tiles_is_known(w, etag(w, layer, &l, tag)))
		return not_modified(w, tag);
	pthread_mutex_lock(&w->web->whole);
	err = draw_whole(w, layer, colours, scale, lines, &error);
	pthread_mutex_unlock(&w->web->whole);
	return err ? web_fail(w, err, error.text) :
		     send_picture(w, 200, tag, lines);
}

/*
 * Values
 */

/* Rounding tolerance, in cells, for borders of areas on borders of cells */
static const double hair = 1e-6;

static int web_tiles_area_of(const struct web_request *q, double cell,
			     size_t max, struct rect *r, struct error *error)
{
	double x0, x1, y0, y1, width, height;

	if (web_request_only(q, "x0 y0 x1 y1", error) ||
	    web_request_number(q, "x0", -POSE_MAX, POSE_MAX, &x0, error) ||
	    web_request_number(q, "y0", -POSE_MAX, POSE_MAX, &y0, error) ||
	    web_request_number(q, "x1", -POSE_MAX, POSE_MAX, &x1, error) ||
	    web_request_number(q, "y1", -POSE_MAX, POSE_MAX, &y1, error))
		return -EINVAL;
	if (!(x0 < x1 && y0 < y1))
		return error_set(error, -EINVAL,
				 "empty area: x0 must be less than x1, y0 less "
				 "than y1");
	if (cell <= 0)
		return -ENODATA;
	x0 = floor(x0 / cell + hair);
	y0 = floor(y0 / cell + hair);
	width = fmax(ceil(x1 / cell - hair) - x0, 1);
	height = fmax(ceil(y1 / cell - hair) - y0, 1);
	if (width * height > max)
		return error_set(error, -E2BIG,
				 "area of %.0f x %.0f cells exceeds the limit "
				 "of %zu cells",
				 width, height, max);
	if (fabs(x0) > INT32_MAX / 2 || fabs(y0) > INT32_MAX / 2)
		return -ENODATA;
	*r = (struct rect){ x0, y0, width, height };
	return 0;
}

/* Rows from bottom to top, as in OccupancyGrid; null: unknown */
static int print_values(struct bytes *out, const struct layer *l,
			const struct raster *r)
{
	const size_t n = web_tiles_size_of(&r->rect);
	int err;

	err = bytes_printf(out, "{\"layer\":\"%s\",\"x0\":%.12g,\"y0\":%.12g,"
			   "\"resolution\":%.15g,\"width\":%u,\"height\":%u,"
			   "\"values\":[", l->name, r->rect.x * r->resolution,
			   r->rect.y * r->resolution, r->resolution,
			   r->rect.width, r->rect.height);
	if (!err)
		err = bytes_reserve(out, out->len + 8 * n + 2);
	for (size_t i = 0; i < n && !err; i++) {
		char *to = (char *)out->data + out->len;
		const int v = r->cells[i];

		if (i)
			*to++ = ',';
		out->len += i != 0;
		if (v < 0)
			out->len += sprintf(to, "null");
		else if (l->bits == 8)
			out->len += sprintf(to, "%d", v);
		else
			out->len += sprintf(to, "%.4g",
					    (double)v / CELLS_FULL_16);
	}
	return err ? err : bytes_append(out, "]}", 2);
}

/* Return: 0; -EAGAIN: the map's resolution is changing */
static int read_values(struct web_worker *w, unsigned int layer,
		       const struct layer *l, bool png, struct error *error)
{
	const double cell = site_resolution(w->web->config.site, layer);
	struct raster r = { .resolution = cell, .bits = l->bits };
	int err = web_tiles_area_of(&w->request, cell,
				    png ? VALUES_PNG_MAX : VALUES_MAX, &r.rect,
				    error);

	if (!err)
		err = web_tiles_room_for(&w->cells, &w->cells_room,
					 web_tiles_size_of(&r.rect));
	if (err)
		return err;
	r.cells = w->cells;
	web_tiles_forget(&r);
	err = web_tiles_read_part(w, layer, &r);
	if (err == -ENODATA)
		err = 0;
	if (!err && r.resolution != cell)
		err = -EAGAIN;
	if (!err)
		err = web_begin(w);
	if (err)
		return err;
	return png ? map_png_values(&r, NULL, &w->out) :
		     print_values(&w->out, l, &r);
}

int web_answer_values(struct web_worker *w, unsigned int layer, bool png)
{
	char tag[ETAG];
	struct error error = { "" };
	struct layer l;
	int err;

	site_layer(w->web->config.site, layer, &l);
	if (web_tiles_is_known(w, etag(w, layer, &l, tag)) && png)
		return not_modified(w, tag);
	err = read_values(w, layer, &l, png, &error);
	if (err == -ENODATA)
		snprintf(error.text, sizeof(error.text), "layer %s has no known cells",
			 l.name);
	if (err)
		return web_fail(w, err, error.text);
	if (png)
		return send_picture(w, 200, tag, "");
	return web_reply(w, 200, "application/json",
			 "Cache-Control: no-store\r\n");
}

void web_tiles_trim(struct web_worker *w)
{
	if (w->cells_room * sizeof(*w->cells) > KEPT) {
		free(w->cells);
		w->cells = NULL;
		w->cells_room = 0;
	}
	if (w->out.cap > KEPT)
		bytes_free(&w->out);
}

void web_tiles_close(struct web_worker *w)
{
	free(w->cells);
	free(w->drawn);
	free(w->small.cells);
	bytes_free(&w->out);
}
