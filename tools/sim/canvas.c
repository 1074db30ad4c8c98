// SPDX-License-Identifier: GPL-2.0-only
/*
 * canvas - a white page to draw on, which becomes a file
 */
#include <cairo-svg.h>
#include <string.h>
#include "canvas.h"

struct canvas canvas_open(const char *path, int width, int height)
{
	size_t len = strlen(path);
	struct canvas c = {
		.path = path,
		.png = len > 4 && !strcmp(path + len - 4, ".png"),
	};

	c.surface = c.png ?
		cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height) :
		cairo_svg_surface_create(path, width, height);
	c.cr = cairo_create(c.surface);
	cairo_set_source_rgb(c.cr, 1, 1, 1);
	cairo_paint(c.cr);
	cairo_select_font_face(c.cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
			       CAIRO_FONT_WEIGHT_NORMAL);
	return c;
}

cairo_status_t canvas_close(struct canvas *c)
{
	cairo_status_t status = cairo_status(c->cr);

	cairo_destroy(c->cr);
	if (c->png && !status)
		status = cairo_surface_write_to_png(c->surface, c->path);
	cairo_surface_finish(c->surface);
	if (!status)
		status = cairo_surface_status(c->surface);
	cairo_surface_destroy(c->surface);
	return status;
}
