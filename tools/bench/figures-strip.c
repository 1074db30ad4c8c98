// SPDX-License-Identifier: GPL-2.0-only
/*
 * figures-strip - pictures in rows and columns, with what they are
 *
 *	figures-strip OUT.png COLUMNS WIDTH FILE.png:LABEL...
 *
 * Each is drawn WIDTH pixels wide, its label above it, COLUMNS to a row; "-"
 * for a file leaves the place empty. All are taken to be as high as the first.
 * The result is gray.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cairo.h>
#include <png.h>

enum { GAP = 6, LABEL = 20 };

struct strip {
	unsigned int	columns, width, height, pictures;
	cairo_surface_t	*surface;
	cairo_t		*cr;
};

static bool picture(struct strip *s, unsigned int n, cairo_surface_t *from,
		    const char *label)
{
	double x = GAP + n % s->columns * (s->width + GAP);
	double y = GAP + n / s->columns * (s->height + LABEL + GAP);
	double zoom = (double)s->width / cairo_image_surface_get_width(from);

	cairo_set_source_rgb(s->cr, 0, 0, 0);
	cairo_move_to(s->cr, x + 1, y + LABEL - 6);
	cairo_show_text(s->cr, label);
	cairo_save(s->cr);
	cairo_translate(s->cr, x, y + LABEL);
	cairo_rectangle(s->cr, 0, 0, s->width, s->height);
	cairo_clip(s->cr);
	cairo_scale(s->cr, zoom, zoom);
	cairo_set_source_surface(s->cr, from, 0, 0);
	cairo_paint(s->cr);
	cairo_restore(s->cr);
	return !cairo_status(s->cr);
}

static bool begin(struct strip *s, cairo_surface_t *first)
{
	unsigned int rows = (s->pictures + s->columns - 1) / s->columns;

	s->height = (unsigned int)lrint((double)s->width *
			cairo_image_surface_get_height(first) /
			cairo_image_surface_get_width(first));
	s->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24,
		(int)(GAP + s->columns * (s->width + GAP)),
		(int)(GAP + rows * (s->height + LABEL + GAP)));
	s->cr = cairo_create(s->surface);
	cairo_set_source_rgb(s->cr, 1, 1, 1);
	cairo_paint(s->cr);
	cairo_select_font_face(s->cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
			       CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(s->cr, 12);
	return !cairo_status(s->cr);
}

static bool add(struct strip *s, unsigned int n, char *arg)
{
	char *label = strchr(arg, ':');
	cairo_surface_t *from;
	bool ok = false;

	if (label)
		*label++ = '\0';
	if (!strcmp(arg, "-") && s->cr)
		return true;
	from = cairo_image_surface_create_from_png(arg);
	if (!cairo_surface_status(from) &&
	    cairo_image_surface_get_width(from) > 0)
		ok = (s->cr || begin(s, from)) &&
			picture(s, n, from, label ? label : "");
	if (!ok)
		fprintf(stderr, "figures-strip: %s: cannot be read\n", arg);
	cairo_surface_destroy(from);
	return ok;
}

/* The rows as gray PNG */
static bool store(const struct strip *s, const char *path)
{
	unsigned int w = cairo_image_surface_get_width(s->surface);
	png_image png = { .version = PNG_IMAGE_VERSION, .width = w,
		.height = cairo_image_surface_get_height(s->surface),
		.format = PNG_FORMAT_GRAY };
	uint8_t *gray = malloc((size_t)w * png.height);
	bool ok = false;

	cairo_surface_flush(s->surface);
	for (size_t y = 0; gray && y < png.height; y++) {
		const uint8_t *row = cairo_image_surface_get_data(s->surface) +
			y * cairo_image_surface_get_stride(s->surface);

		/* red, green and blue are the same */
		for (unsigned int x = 0; x < w; x++)
			gray[y * w + x] = row[4 * x + 1];
	}
	if (gray)
		ok = png_image_write_to_file(&png, path, 0, gray, (int)w,
					     NULL);
	if (!ok)
		fprintf(stderr, "figures-strip: %s: %s\n", path, png.message);
	free(gray);
	return ok;
}

int main(int argc, char **argv)
{
	struct strip s = { 0 };
	bool ok = argc > 4;

	if (ok) {
		s.columns = strtoul(argv[2], NULL, 10);
		s.width = strtoul(argv[3], NULL, 10);
		s.pictures = argc - 4;
		ok = s.columns && s.columns < 32 && s.width >= 16 &&
			s.width <= 2048 && s.pictures < 256;
	}
	if (!ok) {
		fputs("usage: figures-strip OUT.png COLUMNS WIDTH "
		      "FILE.png:LABEL...\n", stderr);
		return 2;
	}
	for (unsigned int i = 0; ok && i < s.pictures; i++)
		ok = add(&s, i, argv[4 + i]);
	ok = ok && store(&s, argv[1]);
	if (s.cr)
		cairo_destroy(s.cr);
	if (s.surface)
		cairo_surface_destroy(s.surface);
	return !ok;
}
