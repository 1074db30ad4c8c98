// SPDX-License-Identifier: GPL-2.0-only
/*
 * A run as four panels, one above the other: rates, loss, delay, and what the
 * camera's frames weigh.
 */
#include <cairo-svg.h>
#include <cairo.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "sim.h"

enum {
	WIDTH = 960, HEIGHT = 840,
	LEFT = 70, RIGHT = 20, TOP = 16, GAP = 34, PANELS = 4, LINES = 4,
	PANEL = (HEIGHT - TOP - PANELS * GAP) / PANELS,
	PLOT = WIDTH - LEFT - RIGHT,
};

struct colour { double r, g, b; };

static const struct colour GREY = { .45, .45, .45 }, PALE = { .88, .88, .88 };




/**
 * struct line - one line of a panel
 */
struct line {
	const char	*name;
	struct colour	colour;
	double		(*value)(const struct sim_row *row);
};

/**
 * struct panel - some lines over one axis
 * @top: of the axis; 0: what the lines need
 */
struct panel {
	const char	*title;
	double		top;
	struct line	line[LINES];
};

static double v_capacity(const struct sim_row *r)
{
	return r->capacity * 8e-6;
}

static double v_budget(const struct sim_row *r)
{
	return r->e.rate * 8e-6;
}

static double v_sent(const struct sim_row *r)
{
	return r->sent * 8e-6;
}

static double v_received(const struct sim_row *r)
{
	return r->received * 8e-6;
}

static double v_real_loss(const struct sim_row *r)
{
	return r->real_loss * 100;
}

static double v_loss(const struct sim_row *r)
{
	return r->e.loss * 100;
}

static double v_loss_high(const struct sim_row *r)
{
	return r->e.loss_high * 100;
}

static double v_delay(const struct sim_row *r)
{
	return r->delay * 1e3;
}

static double v_queue(const struct sim_row *r)
{
	return r->e.queue * 1e3;
}

static double v_image(const struct sim_row *r)
{
	return r->plan[0].on ? r->plan[0].bytes * 1e-3 : 0;
}

static double v_hz(const struct sim_row *r)
{
	return r->plan[0].hz;
}

static const struct panel panels[PANELS] = {
	{ "Mbit/s", 0, {
		{ "capacity", { .45, .45, .45 }, v_capacity },
		{ "budget", { 1, .5, .05 }, v_budget },
		{ "sent", { .12, .47, .71 }, v_sent },
		{ "received", { .17, .63, .17 }, v_received } } },
	{ "loss, %", 100, {
		{ "link", { .45, .45, .45 }, v_real_loss },
		{ "estimate", { .12, .47, .71 }, v_loss },
		{ "protected for", { .84, .15, .16 }, v_loss_high } } },
	{ "delay, ms", 0, {
		{ "one way", { .12, .47, .71 }, v_delay },
		{ "queue, estimate", { 1, .5, .05 }, v_queue } } },
	{ "camera", 0, {
		{ "kB a frame", { .17, .63, .17 }, v_image },
		{ "Hz", { .84, .15, .16 }, v_hz } } },
};

static void paint(cairo_t *cr, struct colour c)
{
	cairo_set_source_rgb(cr, c.r, c.g, c.b);
}

static void text(cairo_t *cr, double x, double y, double align,
		 const char *words)
{
	cairo_text_extents_t t;

	cairo_text_extents(cr, words, &t);
	cairo_move_to(cr, x - align * t.x_advance, y);
	cairo_show_text(cr, words);
}

static double top_of(const struct panel *p, const struct sim_result *r)
{
	double top = 1e-3, step = 1;

	if (p->top)
		return p->top;
	for (unsigned int i = 0; i < r->count; i++)
		for (int n = 0; n < LINES && p->line[n].name; n++)
			top = fmax(top, p->line[n].value(&r->rows[i]));
	/* 1, 2 or 5 times a power of ten, at most five of them */
	step = pow(10, floor(log10(top / 5)));
	while (step * 5 < top)
		step *= step * 10 < top ? 5 : 2;
	return ceil(top / step) * step;
}

static void axes(cairo_t *cr, const struct panel *p, double y, double top,
		 double end)
{
	double tick = end > 100 ? 20 : end > 30 ? 5 : end > 10 ? 2 : 1;
	char word[32];

	cairo_set_line_width(cr, 1);
	for (int i = 0; i <= 4; i++) {
		double v = y + PANEL - PANEL * i / 4.0;

		paint(cr, PALE);
		cairo_move_to(cr, LEFT, v);
		cairo_line_to(cr, LEFT + PLOT, v);
		cairo_stroke(cr);
		paint(cr, GREY);
		snprintf(word, sizeof(word), "%g", top * i / 4);
		text(cr, LEFT - 6, v + 4, 1, word);
	}
	for (double t = 0; t <= end + 1e-9; t += tick) {
		snprintf(word, sizeof(word), "%g s", t);
		text(cr, LEFT + PLOT * t / end, y + PANEL + 14, 0.5, word);
	}
	text(cr, LEFT, y - 5, 0, p->title);
}

static void legend(cairo_t *cr, const struct panel *p, double y)
{
	double x = LEFT + PLOT;
	cairo_text_extents_t t;
	int n = 0;

	while (n < LINES && p->line[n].name)
		n++;
	while (n--) {
		paint(cr, p->line[n].colour);
		text(cr, x, y - 5, 1, p->line[n].name);
		cairo_text_extents(cr, p->line[n].name, &t);
		x -= t.x_advance + 16;
	}
}

static void draw(cairo_t *cr, const struct panel *p,
		 const struct sim_result *r, double y)
{
	double end = r->rows[r->count - 1].time, top = top_of(p, r);

	axes(cr, p, y, top, end);
	legend(cr, p, y);
	cairo_save(cr);
	cairo_rectangle(cr, LEFT, y - 1, PLOT, PANEL + 2);
	cairo_clip(cr);
	cairo_set_line_width(cr, 1.4);
	for (int n = 0; n < LINES && p->line[n].name; n++) {
		paint(cr, p->line[n].colour);
		for (unsigned int i = 0; i < r->count; i++) {
			const struct sim_row *row = &r->rows[i];
			double v = p->line[n].value(row) / top;

			cairo_line_to(cr, LEFT + PLOT * row->time / end,
				      y + PANEL - PANEL * v);
		}
		cairo_stroke(cr);
	}
	cairo_restore(cr);
}

int sim_plot(const struct sim_config *c, const struct sim_result *r,
	     const char *path)
{
	size_t len = strlen(path);
	bool png = len > 4 && !strcmp(path + len - 4, ".png");
	cairo_surface_t *surface = png ?
		cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT) :
		cairo_svg_surface_create(path, WIDTH, HEIGHT);
	cairo_t *cr = cairo_create(surface);
	cairo_status_t status;

	(void)c;
	cairo_set_source_rgb(cr, 1, 1, 1);
	cairo_paint(cr);
	cairo_select_font_face(cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
			       CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(cr, 12);
	for (int i = 0; i < PANELS && r->count; i++)
		draw(cr, &panels[i], r, TOP + 14 + i * (PANEL + GAP));
	status = cairo_status(cr);
	cairo_destroy(cr);
	if (png && !status)
		status = cairo_surface_write_to_png(surface, path);
	cairo_surface_finish(surface);
	if (!status)
		status = cairo_surface_status(surface);
	cairo_surface_destroy(surface);
	return status ? -EIO : 0;
}
