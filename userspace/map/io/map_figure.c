// SPDX-License-Identifier: GPL-2.0-only
/*
 * map_figure - draw a fused map as a figure: for reports and records
 *
 * Names come from other machines: cairo rejects a whole figure for one byte
 * that is not UTF-8, so all text is cleaned first. Positions that are not
 * finite or too far away are left out.
 */
#include <assert.h>
#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/atomic_file.h"
#include "base/error.h"
#include "base/utf8.h"
#include "map/fusion/cells.h"
#include "map/io/map_figure.h"
#include "map/site/reduce.h"

enum {
	MAP_MAX		= 1500,	/* pixels of the map's longer side */
	CELL_MAX	= 64,	/* and of a cell */
	LEFT		= 84,
	TOP		= 58,
	BOTTOM		= 62,
	GAP		= 34,	/* between map and legend */
	LEGEND		= 168,
	WIDTH_MIN	= 260,	/* least width of the rest of the legend */
	HEIGHT_MIN	= 400,
	BAR_WIDTH	= 22,
	BAR_MAX		= 420,
	FONT		= 13,
};

/**
 * struct page
 * @s:		pixels per cell
 * @x0, @y1:	of the upper left corner of the map, m
 * @width, @height: of the map, pixels
 * @plot_width, @plot_height: including free space beside a small map
 */
struct page {
	cairo_t			*cr;
	const struct raster	*r;
	const struct layer	*l;
	const struct map_figure	*f;
	double			s, x0, y1;
	double			width, height, plot_width, plot_height;
};

static double page_x(const struct page *p, double x)
{
	return LEFT + (x - p->x0) / p->r->resolution * p->s;
}

static double page_y(const struct page *p, double y)
{
	return TOP + (p->y1 - y) / p->r->resolution * p->s;
}

static void ink(cairo_t *cr, double lightness)
{
	cairo_set_source_rgb(cr, lightness, lightness, lightness);
}

/* Unknown cells: as in map_server's pictures, paler between colours */
static void ink_unknown(const struct page *p)
{
	ink(p->cr, p->f->colours == COLOURS_GREY ? 205 / 255.0 : 0.87);
}

/* @align: 0: begins at @x, 0.5: centred, 1: ends there */
static void map_figure_text(cairo_t *cr, double x, double y, double align,
			    const char *s)
{
	cairo_text_extents_t e;

	cairo_text_extents(cr, s, &e);
	cairo_move_to(cr, x - align * e.x_advance, y);
	cairo_show_text(cr, s);
}

/* Smallest of 1, 2, 5, 10, ... that is not below @v */
static double nice(double v)
{
	const double ten = pow(10, floor(log10(v)));

	return v <= ten ? ten : v <= 2 * ten ? 2 * ten : v <= 5 * ten ?
	       5 * ten : 10 * ten;
}

/* Print @v, a multiple of @step, with as many digits as that has */
static void map_figure_print(char s[48], double v, double step)
{
	const int digits = (int)-floor(log10(step) + 1e-9);

	if (fabs(v) < step / 2)
		v = 0;
	if (digits > 6 || fabs(v) >= 1e9)
		snprintf(s, 48, "%.6g", v);
	else
		snprintf(s, 48, "%.*f", digits > 0 ? digits : 0, v);
}

/* Paint values by a table, one pixel per cell */
static void paint_cells(const struct raster *r, const uint8_t (*rgb)[3],
			cairo_surface_t *s)
{
	const int full = cells_full(r->bits);
	const int stride = cairo_image_surface_get_stride(s);
	uint8_t *data = cairo_image_surface_get_data(s);

	for (size_t y = 0; y < r->rect.height; y++) {
		const int16_t *v = r->cells + (r->rect.height - 1 - y) *
				   (size_t)r->rect.width;
		uint32_t *to = (uint32_t *)(data + y * stride);

		for (unsigned int x = 0; x < r->rect.width; x++) {
			const uint8_t *c;

			to[x] = 0;
			if (v[x] < 0 || v[x] > full)
				continue;
			c = rgb[v[x] * (COLOURS_STEPS - 1) / full];
			to[x] = 0xffu << 24 | c[0] << 16 | c[1] << 8 | c[2];
		}
	}
	cairo_surface_mark_dirty(s);
}

/* @r: that of the page, or a reduced one */
static int draw_cells(const struct page *p, const struct raster *r)
{
	const double s = p->s * r->resolution / p->r->resolution;
	cairo_surface_t *cells = cairo_image_surface_create(
			CAIRO_FORMAT_ARGB32, r->rect.width, r->rect.height);
	uint8_t rgb[COLOURS_STEPS][3];

	if (cairo_surface_status(cells)) {
		cairo_surface_destroy(cells);
		return -ENOMEM;
	}
	colours_table(p->f->colours, COLOURS_STEPS, rgb);
	paint_cells(r, rgb, cells);
	cairo_save(p->cr);
	cairo_translate(p->cr, page_x(p, r->rect.x * r->resolution),
			page_y(p, (r->rect.y + (double)r->rect.height) *
			       r->resolution));
	cairo_scale(p->cr, s, s);
	cairo_set_source_surface(p->cr, cells, 0, 0);
	cairo_pattern_set_filter(cairo_get_source(p->cr), s < 1 ?
				 CAIRO_FILTER_GOOD : CAIRO_FILTER_NEAREST);
	cairo_paint(p->cr);
	cairo_restore(p->cr);
	cairo_surface_destroy(cells);
	return 0;
}

/* A large map is first reduced: neither memory nor walls are lost */
static int draw_map(const struct page *p)
{
	const unsigned int factor = p->s < 1 ? (unsigned int)(1 / p->s) : 1;
	struct raster coarse = { 0 };
	size_t room = 0;
	int err;

	if (factor < 2)
		return draw_cells(p, p->r);
	err = reduce_raster(p->r, factor, reduce_how(p->l), &coarse, &room);
	if (!err)
		err = draw_cells(p, &coarse);
	free(coarse.cells);
	return err;
}

/* Draw a path twice: with a bright outline, visible on any map */
static void stroke_twice(cairo_t *cr, double r, double g, double b)
{
	cairo_set_source_rgba(cr, 1, 1, 1, 0.8);
	cairo_set_line_width(cr, 4);
	cairo_stroke_preserve(cr);
	cairo_set_source_rgb(cr, r, g, b);
	cairo_set_line_width(cr, 1.8);
	cairo_stroke(cr);
}

static void stroke_room(cairo_t *cr)
{
	stroke_twice(cr, 0.1, 0.25, 0.6);
}

static void stroke_way(cairo_t *cr)
{
	stroke_twice(cr, 0.8, 0.1, 0.45);
}

static bool drawable(double x, double y)
{
	return fabs(x) <= POSE_MAX && fabs(y) <= POSE_MAX;
}

static void room_path(const struct page *p, const struct room *m)
{
	const double half = m->size > 0 ? sqrt(m->size) / 2 : 0;
	const double square[4][2] = {
		{ m->x - half, m->y - half }, { m->x + half, m->y - half },
		{ m->x + half, m->y + half }, { m->x - half, m->y + half },
	};
	const bool outline = m->corners && m->corners <= ROOM_CORNERS;
	const unsigned int n = outline ? m->corners : half > 0 ? 4 : 0;

	cairo_new_path(p->cr);
	for (unsigned int i = 0; i < n; i++) {
		const double *c = outline ? m->corner[i] : square[i];

		if (drawable(c[0], c[1]))
			cairo_line_to(p->cr, page_x(p, c[0]), page_y(p, c[1]));
	}
	cairo_close_path(p->cr);
}

/* Centred, with a bright outline */
static void halo_text(cairo_t *cr, double x, double y, const char *s)
{
	cairo_text_extents_t e;

	cairo_text_extents(cr, s, &e);
	cairo_move_to(cr, x - e.x_advance / 2, y);
	cairo_text_path(cr, s);
	cairo_set_line_join(cr, CAIRO_LINE_JOIN_ROUND);
	cairo_set_line_width(cr, 3.5);
	cairo_set_source_rgba(cr, 1, 1, 1, 0.85);
	cairo_stroke_preserve(cr);
	cairo_set_source_rgb(cr, 0.05, 0.15, 0.4);
	cairo_fill(cr);
}

static void draw_room(const struct page *p, const struct room *m)
{
	char name[2 * ROOM_NAME];

	room_path(p, m);
	stroke_room(p->cr);
	if (!drawable(m->x, m->y))
		return;
	if (*m->name)
		utf8_clean(m->name, sizeof(m->name), name, sizeof(name));
	else
		snprintf(name, sizeof(name), "%u", m->id);
	halo_text(p->cr, page_x(p, m->x), page_y(p, m->y) + FONT / 3, name);
}

static void draw_way(const struct page *p)
{
	const struct pose *last = NULL;

	cairo_new_path(p->cr);
	for (unsigned int i = 0; i < p->f->poses; i++) {
		const struct pose *q = &p->f->way[i];

		if (!drawable(q->x, q->y))
			continue;
		cairo_line_to(p->cr, page_x(p, q->x), page_y(p, q->y));
		last = q;
	}
	cairo_set_line_join(p->cr, CAIRO_LINE_JOIN_ROUND);
	stroke_way(p->cr);
	if (!last)
		return;
	/* the current position */
	cairo_arc(p->cr, page_x(p, last->x), page_y(p, last->y), 5, 0,
		  2 * M_PI);
	cairo_set_source_rgb(p->cr, 0.8, 0.1, 0.45);
	cairo_fill_preserve(p->cr);
	ink(p->cr, 1);
	cairo_set_line_width(p->cr, 1.5);
	cairo_stroke(p->cr);
}

/* Draw one axis; @high is its end, m */
static void draw_axis(const struct page *p, bool upright, double low,
		      double high)
{
	const double px_per_m = p->s / p->r->resolution;
	const double step = nice((upright ? 50 : 90) / px_per_m);
	cairo_t *cr = p->cr;
	char s[48];

	for (double i = ceil(low / step - 1e-9); i * step <= high + 1e-9 * step;
	     i++) {
		const double v = i * step;
		const double x = upright ? LEFT : page_x(p, v);
		const double y = upright ? page_y(p, v) : TOP + p->height;

		cairo_move_to(cr, x, y);
		cairo_rel_line_to(cr, upright ? -6 : 0, upright ? 0 : 6);
		cairo_set_line_width(cr, 1);
		ink(cr, 0.2);
		cairo_stroke(cr);
		map_figure_print(s, v, step);
		if (upright)
			map_figure_text(cr, x - 10, y + FONT / 3, 1, s);
		else
			map_figure_text(cr, x, y + 20, 0.5, s);
	}
}

static void draw_axes(const struct page *p)
{
	const double res = p->r->resolution;
	cairo_t *cr = p->cr;

	cairo_rectangle(cr, LEFT - 0.5, TOP - 0.5, p->width + 1, p->height + 1);
	cairo_set_line_width(cr, 1);
	ink(cr, 0.2);
	cairo_stroke(cr);
	draw_axis(p, false, p->x0, p->x0 + p->r->rect.width * res);
	draw_axis(p, true, p->y1 - p->r->rect.height * res, p->y1);
	map_figure_text(cr, LEFT + p->width / 2, TOP + p->height + 44, 0.5,
			"x [m]");
	cairo_save(cr);
	cairo_translate(cr, 22, TOP + p->height / 2);
	cairo_rotate(cr, -M_PI / 2);
	map_figure_text(cr, 0, 0, 0.5, "y [m]");
	cairo_restore(cr);
}

static void draw_title(const struct page *p)
{
	const double most = LEFT + p->plot_width + LEGEND - 20;
	cairo_text_extents_t e;
	char s[512];

	utf8_clean(p->f->title ? p->f->title : p->l->name, 256, s, sizeof(s));
	cairo_set_font_size(p->cr, 19);
	cairo_text_extents(p->cr, s, &e);
	if (e.x_advance > most)
		cairo_set_font_size(p->cr, 19 * most / e.x_advance);
	ink(p->cr, 0.1);
	map_figure_text(p->cr, LEFT, TOP - 22, 0, s);
	cairo_set_font_size(p->cr, FONT);
}

/* Ticks of the colour bar, in the layer's unit */
static void draw_bar_ticks(const struct page *p, double x, double y, double h)
{
	const double low = p->l->low, range = p->l->high - low;
	const double step = nice(fabs(range) * 44 / h);
	char s[48];

	if (!isfinite(low) || !isfinite(range) || range == 0)
		return;
	for (double i = ceil(fmin(low, p->l->high) / step - 1e-9);
	     i * step <= fmax(low, p->l->high) + 1e-9 * step; i++) {
		const double at = y + h - h * (i * step - low) / range;

		cairo_move_to(p->cr, x, at);
		cairo_rel_line_to(p->cr, 5, 0);
		cairo_set_line_width(p->cr, 1);
		cairo_stroke(p->cr);
		map_figure_print(s, i * step, step);
		map_figure_text(p->cr, x + 10, at + FONT / 3, 0, s);
	}
}

static void draw_bar(const struct page *p, double x, double y, double h)
{
	uint8_t rgb[COLOURS_STEPS][3];
	cairo_t *cr = p->cr;

	colours_table(p->f->colours, COLOURS_STEPS, rgb);
	cairo_set_antialias(cr, CAIRO_ANTIALIAS_NONE);
	for (int i = 0; i < (int)h; i++) {
		const uint8_t *c = rgb[(int)((h - 1 - i) *
				       (COLOURS_STEPS - 1) / (h - 1))];

		cairo_set_source_rgb(cr, c[0] / 255.0, c[1] / 255.0,
				     c[2] / 255.0);
		cairo_rectangle(cr, x, y + i, BAR_WIDTH, 1);
		cairo_fill(cr);
	}
	cairo_set_antialias(cr, CAIRO_ANTIALIAS_DEFAULT);
	ink(cr, 0.2);
	cairo_set_line_width(cr, 1);
	cairo_rectangle(cr, x - 0.5, y - 0.5, BAR_WIDTH + 1, h + 1);
	cairo_stroke(cr);
	draw_bar_ticks(p, x + BAR_WIDTH + 1, y, h);
}

/* Draw a sample of each kind of object, one below the other */
static double draw_samples(const struct page *p, double x, double y)
{
	cairo_t *cr = p->cr;

	cairo_rectangle(cr, x - 0.5, y - 0.5, BAR_WIDTH + 1, 15);
	ink_unknown(p);
	cairo_fill_preserve(cr);
	ink(cr, 0.2);
	cairo_set_line_width(cr, 1);
	cairo_stroke(cr);
	map_figure_text(cr, x + BAR_WIDTH + 10, y + 12, 0, "unknown");
	if (p->f->rooms) {
		y += 26;
		cairo_rectangle(cr, x + 1, y + 1, BAR_WIDTH - 2, 12);
		stroke_room(cr);
		ink(cr, 0.2);
		map_figure_text(cr, x + BAR_WIDTH + 10, y + 12, 0, "room");
	}
	if (p->f->poses) {
		y += 26;
		cairo_move_to(cr, x, y + 7);
		cairo_rel_line_to(cr, BAR_WIDTH, 0);
		stroke_way(cr);
		ink(cr, 0.2);
		map_figure_text(cr, x + BAR_WIDTH + 10, y + 12, 0,
				"trajectory");
	}
	return y + 26;
}

static void draw_scale(const struct page *p, double x, double y)
{
	const double px_per_m = p->s / p->r->resolution;
	const double least = nice(50 / px_per_m);
	const double w = least * px_per_m;
	char s[64];

	map_figure_print(s, least, least);
	strcat(s, " m");
	cairo_rectangle(p->cr, x, y, w / 2, 6);
	ink(p->cr, 0.15);
	cairo_fill(p->cr);
	cairo_rectangle(p->cr, x + 0.5, y + 0.5, w - 1, 5);
	cairo_set_line_width(p->cr, 1);
	cairo_stroke(p->cr);
	map_figure_text(p->cr, x + w / 2, y - 6, 0.5, s);
}

static void draw_legend(const struct page *p)
{
	const double x = LEFT + p->plot_width + GAP;
	const unsigned int samples = 1 + !!p->f->rooms + !!p->f->poses;
	const double left = p->plot_height - 70 - 26 * samples;
	const double h = floor(left < BAR_MAX ? left : BAR_MAX);
	char unit[2 * LAYER_UNIT];
	double y = TOP;

	utf8_clean(p->l->unit, LAYER_UNIT, unit, sizeof(unit));
	ink(p->cr, 0.2);
	if (*unit)
		map_figure_text(p->cr, x, y - 12, 0, unit);
	draw_bar(p, x, y, h);
	y = draw_samples(p, x, y + h + 20);
	draw_scale(p, x, y + 24);
}

static int map_figure_draw(const struct page *p)
{
	int err;

	ink(p->cr, 1);
	cairo_paint(p->cr);
	cairo_select_font_face(p->cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
			       CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(p->cr, FONT);
	cairo_rectangle(p->cr, LEFT, TOP, p->width, p->height);
	cairo_save(p->cr);
	cairo_clip(p->cr);
	ink_unknown(p);
	cairo_paint(p->cr);
	err = draw_map(p);
	for (unsigned int i = 0; i < p->f->rooms; i++)
		draw_room(p, &p->f->room[i]);
	if (p->f->poses)
		draw_way(p);
	cairo_restore(p->cr);
	draw_title(p);
	draw_axes(p);
	draw_legend(p);
	return err;
}

static void map_figure_arrange(struct page *p)
{
	const struct rect *r = &p->r->rect;
	const double side = fmax(r->width, r->height);

	/* whole pixels per cell, if more than one */
	p->s = fmin(MAP_MAX / side, CELL_MAX);
	if (p->s > 1)
		p->s = floor(p->s);
	p->x0 = r->x * p->r->resolution;
	p->y1 = (r->y + (double)r->height) * p->r->resolution;
	p->width = fmax(1, round(r->width * p->s));
	p->height = fmax(1, round(r->height * p->s));
	p->plot_width = fmax(p->width, WIDTH_MIN);
	p->plot_height = fmax(p->height, HEIGHT_MIN);
}

static cairo_status_t map_figure_append(void *to, const unsigned char *data,
					unsigned int len)
{
	return bytes_append(to, data, len) ? CAIRO_STATUS_NO_MEMORY :
	       CAIRO_STATUS_SUCCESS;
}

int map_figure_encode(const struct raster *r, const struct layer *l,
		      const struct map_figure *f, struct bytes *out,
		      struct error *error)
{
	struct page p = { .r = r, .l = l, .f = f };
	const size_t before = out->len;
	cairo_status_t status;
	cairo_surface_t *s;
	int err;

	if (rect_is_empty(&r->rect) || !(r->resolution > 0))
		return atomic_file_error(error, l->name, -EINVAL,
					 "map has no cells");
	map_figure_arrange(&p);
	s = cairo_image_surface_create(CAIRO_FORMAT_RGB24,
				       LEFT + p.plot_width + GAP + LEGEND,
				       TOP + p.plot_height + BOTTOM);
	p.cr = cairo_create(s);
	err = map_figure_draw(&p);
	status = cairo_status(p.cr);
	cairo_destroy(p.cr);
	if (!status && !err)
		status = cairo_surface_write_to_png_stream(s, map_figure_append,
							   out);
	cairo_surface_destroy(s);
	if (!status && !err)
		return 0;
	assert(out->len >= before);
	out->len = before;
	return atomic_file_error(error, l->name, err ? err : -ENOMEM, status ?
				 cairo_status_to_string(status) : NULL);
}

int map_figure_write(const char *path, const struct raster *r,
		     const struct layer *l, const struct map_figure *f,
		     struct error *error)
{
	struct bytes out = { 0 };
	struct atomic_file n;
	int err = map_figure_encode(r, l, f, &out, error);

	if (!err)
		err = atomic_file_open(&n, path, error);
	if (!err) {
		atomic_file_write(&n, out.data, out.len);
		err = atomic_file_finish(&n, error);
	}
	bytes_free(&out);
	return err;
}
