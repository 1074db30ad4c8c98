/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * canvas.h - a white page to draw on, which becomes a file
 */
#ifndef LINK_CANVAS_H
#define LINK_CANVAS_H

#include <cairo.h>
#include <stdbool.h>

/**
 * struct canvas - a page
 * @cr:		to draw with
 */
struct canvas {
	cairo_t		*cr;
	/* private */
	cairo_surface_t	*surface;
	const char	*path;
	bool		png;
};

/**
 * canvas_open() - begin a page of @width x @height points
 * @path: a PNG if it ends in .png, otherwise an SVG; kept until canvas_close()
 */
struct canvas canvas_open(const char *path, int width, int height);

/* Write it. Return: whether it went well */
cairo_status_t canvas_close(struct canvas *c);

#endif
