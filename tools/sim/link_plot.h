/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * link_plot.h - panels over the same time, one above the other
 */
#ifndef LINK_PLOT_H
#define LINK_PLOT_H

#include <stdbool.h>

enum { PLOT_LINES = 6, PLOT_SHADES = 3 };

struct plot_colour { double r, g, b; };

/**
 * struct plot_line - one line of a panel
 * @name:	NULL: no more
 * @value:	as many as the plot has times; NaN: a gap
 */
struct plot_line {
	const char		*name;
	struct plot_colour	colour;
	const double		*value;
};

/**
 * struct plot_panel - some lines over one axis
 * @top: of the axis; 0: what the lines need
 */
struct plot_panel {
	const char		*title;
	double			top;
	struct plot_line	line[PLOT_LINES];
};

/**
 * struct plot - all of it
 * @time:	s, @count of them, growing
 * @shade:	of each time: 0: none, or 1 .. PLOT_SHADES of @colour; or NULL
 */
struct plot {
	const double		*time;
	const unsigned char	*shade;
	unsigned int		count;
	struct plot_colour	colour[PLOT_SHADES];
	const struct plot_panel	*panel;
	unsigned int		panels;
};

/* @path: ends in .png, or is an SVG. Return: 0 or -EIO */
int plot_write(const struct plot *p, const char *path);

#endif
