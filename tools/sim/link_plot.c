// SPDX-License-Identifier: GPL-2.0-only
/*
 * link_plot - panels over the same time, one above the other, as SVG or PNG
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "canvas.h"
#include "link_plot.h"

enum {
	WIDTH = 960, PANEL = 168,
	LEFT = 70, RIGHT = 20, TOP = 16, GAP = 34,
	PLOT = WIDTH - LEFT - RIGHT,
};

static const struct plot_colour GREY = { .45, .45, .45 },
	PALE = { .88, .88, .88 };

static void paint(cairo_t *cr, struct plot_colour c)
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

static double top_of(const struct plot *g, const struct plot_panel *p)
{
	double top = 1e-3, step = 1;

	if (p->top)
		return p->top;
	for (int n = 0; n < PLOT_LINES && p->line[n].name; n++)
		for (unsigned int i = 0; i < g->count; i++)
			top = fmax(top, p->line[n].value[i]);
	/* 1, 2 or 5 times a power of ten, at most five of them */
	step = pow(10, floor(log10(top / 5)));
	while (step * 5 < top)
		step *= step * 10 < top ? 5 : 2;
	return ceil(top / step) * step;
}

static void axes(cairo_t *cr, const struct plot_panel *p, double y, double top,
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

static void legend(cairo_t *cr, const struct plot_panel *p, double y)
{
	double x = LEFT + PLOT;
	cairo_text_extents_t t;
	int n = 0;

	while (n < PLOT_LINES && p->line[n].name)
		n++;
	while (n--) {
		paint(cr, p->line[n].colour);
		text(cr, x, y - 5, 1, p->line[n].name);
		cairo_text_extents(cr, p->line[n].name, &t);
		x -= t.x_advance + 16;
	}
}

/* In the colour of the state, as long as it lasts */
static void shade(cairo_t *cr, const struct plot *g, double y, double end)
{
	unsigned int from = 0;

	for (unsigned int i = 1; g->shade && i <= g->count; i++) {
		unsigned int s = g->shade[from];
		double a = g->time[from] / end, b;

		if (i < g->count && g->shade[i] == s)
			continue;
		b = i < g->count ? g->time[i] / end : 1;
		if (s && s <= PLOT_SHADES) {
			paint(cr, g->colour[s - 1]);
			cairo_rectangle(cr, LEFT + PLOT * a, y, PLOT * (b - a),
					PANEL);
			cairo_fill(cr);
		}
		from = i;
	}
}

/* NaN is a gap */
static void trace(cairo_t *cr, const struct plot *g, const double *value,
		  double y, double top, double end)
{
	bool on = false;

	for (unsigned int i = 0; i < g->count; i++) {
		double x = LEFT + PLOT * g->time[i] / end;
		double v = y + PANEL - PANEL * value[i] / top;

		if (isnan(v)) {
			on = false;
			continue;
		}
		if (on)
			cairo_line_to(cr, x, v);
		else
			cairo_move_to(cr, x, v);
		on = true;
	}
	cairo_stroke(cr);
}

static void draw(cairo_t *cr, const struct plot *g,
		 const struct plot_panel *p, double y)
{
	double end = fmax(g->time[g->count - 1], 1e-3), top = top_of(g, p);

	shade(cr, g, y, end);
	axes(cr, p, y, top, end);
	legend(cr, p, y);
	cairo_save(cr);
	cairo_rectangle(cr, LEFT, y - 1, PLOT, PANEL + 2);
	cairo_clip(cr);
	cairo_set_line_width(cr, 1.4);
	for (int n = 0; n < PLOT_LINES && p->line[n].name; n++) {
		paint(cr, p->line[n].colour);
		trace(cr, g, p->line[n].value, y, top, end);
	}
	cairo_restore(cr);
}

int plot_write(const struct plot *g, const char *path)
{
	struct canvas c = canvas_open(path, WIDTH,
				      TOP + g->panels * (PANEL + GAP));

	cairo_set_font_size(c.cr, 12);
	for (unsigned int i = 0; i < g->panels && g->count; i++)
		draw(c.cr, g, &g->panel[i], TOP + 14 + i * (PANEL + GAP));
	return canvas_close(&c) ? -EIO : 0;
}
