// SPDX-License-Identifier: GPL-2.0-only
/*
 * map_png - encode fused maps as PNG pictures in memory, for tiles and layers
 *
 * The palette begins with unknown. The other 255 colours are more than an eye
 * distinguishes, and one for each value of 8 bit layers.
 */
#include <assert.h>
#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "map/fusion/cells.h"
#include "map/io/map_png.h"

enum { KNOWN = 255 };

/**
 * struct encoder
 * @row:	of pixels, in PNG format
 * @index:	palette index of each value, for @depth 8
 */
struct encoder {
	const struct raster	*r;
	struct rect		window;
	unsigned int		scale, depth;
	int			full;
	struct bytes		*out;
	uint8_t			*row, *index;
};

static void map_png_append(png_structp png, png_bytep data, size_t len)
{
	struct bytes *out = png_get_io_ptr(png);

	if (bytes_append(out, data, len))
		png_error(png, "no memory");
}

static void map_png_flush(png_structp png)
{
	(void)png;
}

static void map_png_failed(png_structp png, png_const_charp text)
{
	(void)text;
	longjmp(png_jmpbuf(png), 1);
}

static void map_png_warned(png_structp png, png_const_charp text)
{
	(void)png;
	(void)text;
}

static void map_png_put(const struct encoder *e, uint8_t *to, int v)
{
	if (e->depth == 8) {
		memset(to, v < 0 || v > e->full ? 0 : e->index[v], e->scale);
		return;
	}
	if (v < 0)
		v = MAP_PNG_NULL;
	to[0] = v >> 8;
	to[1] = v & 0xff;
}

/* Row @y of the map's cells; cells outside of the raster are unknown */
static void map_png_fill_row(const struct encoder *e, long y)
{
	const struct rect row = { e->window.x, y, e->window.width, 1 };
	const struct rect common = rect_common(&row, &e->r->rect);
	const size_t step = e->scale * e->depth / 8;
	const int16_t *v;
	uint8_t *to;

	memset(e->row, e->depth == 8 ? 0 : MAP_PNG_NULL & 0xff,
	       e->window.width * step);
	if (rect_is_empty(&common))
		return;
	v = e->r->cells + (y - e->r->rect.y) * (size_t)e->r->rect.width +
	    (common.x - e->r->rect.x);
	to = e->row + ((long)common.x - row.x) * step;
	for (unsigned int i = 0; i < common.width; i++, to += step)
		map_png_put(e, to, *v++);
}

static void map_png_write_header(png_structp png, png_infop info,
				 const struct encoder *e, enum colours colours)
{
	static const png_byte transparent[1];
	uint8_t palette[1 + KNOWN][3] = { { 205, 205, 205 } };

	png_set_IHDR(png, info, e->window.width * e->scale,
		     e->window.height * e->scale, e->depth,
		     e->depth == 8 ? PNG_COLOR_TYPE_PALETTE :
				     PNG_COLOR_TYPE_GRAY,
		     PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
		     PNG_FILTER_TYPE_DEFAULT);
	if (e->depth == 8) {
		colours_table(colours, KNOWN, palette + 1);
		png_set_PLTE(png, info, (png_const_colorp)palette, 1 + KNOWN);
		png_set_tRNS(png, info, transparent, 1, NULL);
		png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
		png_set_compression_level(png, 1);
	} else {
		png_set_compression_level(png, 6);
	}
	png_write_info(png, info);
}

/* Return: 0, -ENOMEM */
static int write_png(const struct encoder *e, enum colours colours)
{
	png_structp png = png_create_write_struct(
		PNG_LIBPNG_VER_STRING, NULL, map_png_failed, map_png_warned);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	int err = -ENOMEM;

	if (info && !setjmp(png_jmpbuf(png))) {
		png_set_write_fn(png, e->out, map_png_append, map_png_flush);
		map_png_write_header(png, info, e, colours);
		for (unsigned int y = e->window.height; y--; ) {
			map_png_fill_row(e, (long)e->window.y + y);
			for (unsigned int i = 0; i < e->scale; i++)
				png_write_row(png, e->row);
		}
		png_write_end(png, info);
		err = 0;
	}
	png_destroy_write_struct(&png, &info);
	return err;
}

static int encode(struct encoder *e, const struct rect *window,
		  enum colours colours)
{
	const size_t before = e->out->len;
	int err;

	e->window = window ? *window : e->r->rect;
	e->full = cells_full(e->r->bits);
	if (rect_is_empty(&e->window) || !e->scale ||
	    e->scale > MAP_PNG_SCALE_MAX ||
	    e->window.width > MAP_PNG_SIDE_MAX / e->scale ||
	    e->window.height > MAP_PNG_SIDE_MAX / e->scale)
		return -EINVAL;
	e->row = malloc((size_t)e->window.width * e->scale * e->depth / 8 +
			e->full + 1);
	if (!e->row)
		return -ENOMEM;
	e->index = e->row + (size_t)e->window.width * e->scale * e->depth / 8;
	for (int v = 0; v <= e->full; v++)
		e->index[v] = 1 + (v * (KNOWN - 1) + e->full / 2) / e->full;
	err = write_png(e, colours);
	free(e->row);
	if (err) {
		assert(e->out->len >= before);
		e->out->len = before;
	}
	return err;
}

int map_png_encode(const struct raster *r, const struct rect *window,
		   enum colours colours, unsigned int scale,
		   struct bytes *out)
{
	struct encoder e = { .r = r, .scale = scale, .depth = 8, .out = out };

	return encode(&e, window, colours);
}

int map_png_values(const struct raster *r, const struct rect *window,
		   struct bytes *out)
{
	struct encoder e = { .r = r, .scale = 1, .depth = 16, .out = out };

	return encode(&e, window, COLOURS_GREY);
}
