// SPDX-License-Identifier: GPL-2.0-only
/*
 * figures-plot - lines of CSV as a plot
 *
 *	figures-plot [-l] [-x TEXT] [-y TEXT] [-t TITLE] [-Y MAX] OUT <CSV
 *
 * CSV: NAME,X,Y a line, in the order of X; the names become lines, in the order
 * in which they come. X that are there are all marked, at equal steps: delays
 * and losses are no even scale. What is not a number is a gap. -l: Y is
 * logarithmic. OUT is .svg or .png.
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../sim/canvas.h"

enum {
	WIDTH = 780, HEIGHT = 430, LEFT = 66, RIGHT = 200, TOP = 44,
	BOTTOM = 56, LINES = 10, STEPS = 32, NAME = 48,
};

struct line {
	char	name[NAME];
	double	y[STEPS];
};

struct plot {
	const char	*title, *x_text, *y_text;
	bool		logarithmic;
	double		low, high;
	struct line	line[LINES];
	unsigned int	lines, steps;
	double		x[STEPS];
};

struct colour { double r, g, b; };

/* Distinct also for those who see few colours; after Okabe and Ito */
static const struct colour colours[LINES] = {
	{ .00, .45, .70 }, { .84, .37, .00 }, { .00, .62, .45 },
	{ .80, .47, .65 }, { .90, .62, .00 }, { .34, .71, .91 },
	{ .20, .20, .20 }, { .55, .34, .29 }, { .60, .60, .20 },
	{ .50, .50, .50 },
};

static void text(cairo_t *cr, double x, double y, double align, double size,
		 const char *s)
{
	cairo_text_extents_t e;

	cairo_set_font_size(cr, size);
	cairo_text_extents(cr, s, &e);
	cairo_move_to(cr, x - align * e.x_advance, y);
	cairo_show_text(cr, s);
}

static struct line *line_of(struct plot *p, const char *name)
{
	for (unsigned int i = 0; i < p->lines; i++)
		if (!strcmp(p->line[i].name, name))
			return &p->line[i];
	if (p->lines == LINES)
		return NULL;
	snprintf(p->line[p->lines].name, NAME, "%s", name);
	for (unsigned int i = 0; i < STEPS; i++)
		p->line[p->lines].y[i] = NAN;
	return &p->line[p->lines++];
}

/* Return: index of @x, -1: too many */
static int step_of(struct plot *p, double x)
{
	for (unsigned int i = 0; i < p->steps; i++)
		if (p->x[i] == x)
			return (int)i;
	if (p->steps == STEPS)
		return -1;
	p->x[p->steps] = x;
	return (int)p->steps++;
}

static bool plot_read(struct plot *p, FILE *f)
{
	char name[NAME], value[32];
	double x, top = 0;

	while (fscanf(f, " %47[^,],%lf,%31s", name, &x, value) == 3) {
		struct line *l = line_of(p, name);
		int i = step_of(p, x);

		if (!l || i < 0) {
			fputs("figures-plot: too many lines or steps\n", stderr);
			return false;
		}
		l->y[i] = strtod(value, NULL);
		if (l->y[i] > top)
			top = l->y[i];
	}
	if (!feof(f) || p->steps < 2) {
		fputs("figures-plot: not lines of NAME,X,Y\n", stderr);
		return false;
	}
	if (!p->high)
		p->high = p->logarithmic ? pow(10, ceil(log10(top))) :
			  top * 1.05;
	p->low = p->logarithmic ? .01 : 0;
	return true;
}

static double place_x(const struct plot *p, unsigned int i)
{
	return LEFT + 12 + (WIDTH - LEFT - RIGHT - 24.) * i / (p->steps - 1);
}

static double place_y(const struct plot *p, double y)
{
	double part = y / p->high;

	if (p->logarithmic)
		part = y <= p->low ? 0 : log(y / p->low) /
			log(p->high / p->low);
	return HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM);
}

/* A step of 1, 2 or 5 that gives at most eight marks */
static double grid_step(double high)
{
	double step = pow(10, floor(log10(high)) - 1);

	while (high / step > 8)
		step *= high / step > 20 ? 10 :
			high / step > 16 ? 2.5 : 2;
	return step;
}

static void mark(cairo_t *cr, const struct plot *p, double y)
{
	char s[32];

	cairo_set_source_rgb(cr, .87, .87, .87);
	cairo_set_line_width(cr, 1);
	cairo_move_to(cr, LEFT, place_y(p, y));
	cairo_line_to(cr, WIDTH - RIGHT, place_y(p, y));
	cairo_stroke(cr);
	cairo_set_source_rgb(cr, .25, .25, .25);
	snprintf(s, sizeof(s), "%g", y);
	text(cr, LEFT - 6, place_y(p, y) + 4, 1, 12, s);
}

static void axes(cairo_t *cr, const struct plot *p)
{
	double step = grid_step(p->high);
	char s[32];

	if (p->logarithmic)
		for (double y = p->low; y <= p->high * 1.01; y *= 10)
			mark(cr, p, y);
	else
		for (int i = 0; i * step <= p->high; i++)
			mark(cr, p, i * step);
	for (unsigned int i = 0; i < p->steps; i++) {
		snprintf(s, sizeof(s), "%g", p->x[i]);
		text(cr, place_x(p, i), HEIGHT - BOTTOM + 18, .5, 12, s);
	}
	text(cr, (LEFT + WIDTH - RIGHT) / 2., HEIGHT - 14, .5, 13, p->x_text);
	text(cr, 12, TOP - 10, 0, 13, p->y_text);
	text(cr, LEFT, 18, 0, 15, p->title);
}

/* Another sign for each line, for print without colours */
static void point(cairo_t *cr, double x, double y, unsigned int n)
{
	cairo_new_path(cr);
	if (n % 3 == 0) {
		cairo_arc(cr, x, y, 3.6, 0, 2 * M_PI);
	} else if (n % 3 == 1) {
		cairo_rectangle(cr, x - 3.2, y - 3.2, 6.4, 6.4);
	} else {
		cairo_move_to(cr, x, y - 4.4);
		cairo_line_to(cr, x + 4.2, y + 3.2);
		cairo_line_to(cr, x - 4.2, y + 3.2);
		cairo_close_path(cr);
	}
	cairo_fill(cr);
}

static void line_draw(cairo_t *cr, const struct plot *p, unsigned int n)
{
	const struct line *l = &p->line[n];
	double y = TOP + 8 + 22. * n;
	bool open = false;

	cairo_set_source_rgb(cr, colours[n].r, colours[n].g, colours[n].b);
	cairo_set_line_width(cr, 2);
	for (unsigned int i = 0; i < p->steps; i++) {
		if (isnan(l->y[i]))
			open = false;
		else if (open)
			cairo_line_to(cr, place_x(p, i), place_y(p, l->y[i]));
		else
			cairo_move_to(cr, place_x(p, i), place_y(p, l->y[i]));
		open = !isnan(l->y[i]);
	}
	cairo_stroke(cr);
	for (unsigned int i = 0; i < p->steps; i++)
		if (!isnan(l->y[i]))
			point(cr, place_x(p, i), place_y(p, l->y[i]), n);
	cairo_move_to(cr, WIDTH - RIGHT + 14, y);
	cairo_line_to(cr, WIDTH - RIGHT + 38, y);
	cairo_stroke(cr);
	point(cr, WIDTH - RIGHT + 26, y, n);
	cairo_set_source_rgb(cr, .1, .1, .1);
	text(cr, WIDTH - RIGHT + 44, y + 4, 0, 12, l->name);
}

static int plot_write(const struct plot *p, const char *path)
{
	struct canvas c = canvas_open(path, WIDTH, HEIGHT);
	cairo_status_t st;

	axes(c.cr, p);
	for (unsigned int i = p->lines; i-- > 0;)
		line_draw(c.cr, p, i);
	st = canvas_close(&c);
	if (st)
		fprintf(stderr, "figures-plot: %s: %s\n", path,
			cairo_status_to_string(st));
	return st ? 1 : 0;
}

int main(int argc, char **argv)
{
	static struct plot p = { .title = "", .x_text = "", .y_text = "" };
	int c;

	while ((c = getopt(argc, argv, "lx:y:t:Y:")) != -1) {
		if (c == 'l')
			p.logarithmic = true;
		else if (c == 'x')
			p.x_text = optarg;
		else if (c == 'y')
			p.y_text = optarg;
		else if (c == 't')
			p.title = optarg;
		else if (c == 'Y' && atof(optarg) > 0)
			p.high = atof(optarg);
		else
			c = '?';
		if (c == '?')
			break;
	}
	if (c != -1 || optind + 1 != argc) {
		fputs("usage: figures-plot [-l] [-x TEXT] [-y TEXT] [-t TITLE] "
		      "[-Y MAX] OUT <CSV\n", stderr);
		return 2;
	}
	return plot_read(&p, stdin) ? plot_write(&p, argv[optind]) : 1;
}
