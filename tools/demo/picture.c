// SPDX-License-Identifier: GPL-2.0-only
/*
 * The runs as a picture: one row per qdisc, time from left to right, the
 * outage shaded, a tick for every image received at the time the camera took
 * it; below, what the operator has got from the middle of the outage.
 */
#include <cairo.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

/* Layout, pixels */
enum {
	WIDTH	= 1200,
	LEFT	= 130,		/* of the time axis */
	RIGHT	= 970,
	TOP	= 96,
	ROW	= 84,
	TICK	= 46,
	AXIS	= 50,
	THUMB_Y	= 52,		/* below the axis */
	MARGIN	= 24,
	FOOT	= 60,
};

struct colour {
	double r, g, b;
};

static const struct colour ink = { 0.13, 0.14, 0.17 };
static const struct colour faint = { 0.50, 0.52, 0.56 };
static const struct colour outage = { 0.99, 0.89, 0.86 };
static const struct colour sent = { 0.80, 0.81, 0.84 };
static const struct colour plain = { 0.16, 0.36, 0.62 };
static const struct colour ours = { 0.05, 0.52, 0.32 };
static const struct colour red = { 0.75, 0.22, 0.17 };

static void paint(cairo_t *cr, struct colour c)
{
	cairo_set_source_rgb(cr, c.r, c.g, c.b);
}

enum align { ALIGN_LEFT, ALIGN_CENTRE };

static void text(cairo_t *cr, double x, double y, double size, bool bold,
		 enum align align, const char *s)
{
	cairo_text_extents_t ext;

	cairo_select_font_face(cr, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
			       bold ? CAIRO_FONT_WEIGHT_BOLD :
			       CAIRO_FONT_WEIGHT_NORMAL);
	cairo_set_font_size(cr, size);
	if (align == ALIGN_CENTRE) {
		cairo_text_extents(cr, s, &ext);
		x -= ext.width / 2 + ext.x_bearing;
	}
	cairo_move_to(cr, x, y);
	cairo_show_text(cr, s);
}

static double since(const struct run *r, int64_t t)
{
	return (double)(t - r->images[0].stamp) / 1e9;
}

static double place(const struct run *r, double span, int64_t t)
{
	return LEFT + since(r, t) / span * (RIGHT - LEFT);
}

static struct colour colour_of(const struct run *r)
{
	return strcmp(r->name, "optsample") ? plain : ours;
}

static void ticks(cairo_t *cr, const struct run *r, double span, double base)
{
	unsigned int i;

	for (i = 0; i < r->sent; i++) {
		const struct image *im = &r->images[i];
		double x = place(r, span, im->stamp);

		cairo_set_line_width(cr, 2);
		paint(cr, im->received ? colour_of(r) : sent);
		cairo_move_to(cr, x, base);
		cairo_line_to(cr, x, base - (im->received ? TICK : 5));
		cairo_stroke(cr);
	}
}

static void row(cairo_t *cr, const struct run *r, double span, double top)
{
	const struct image *middle = run_middle(r);
	double base = top + ROW - 16, x;
	char s[96];

	paint(cr, outage);
	x = place(r, span, r->down);
	cairo_rectangle(cr, x, top, place(r, span, r->up) - x, ROW);
	cairo_fill(cr);
	ticks(cr, r, span, base);
	if (middle) {
		x = place(r, span, middle->stamp);
		paint(cr, red);
		cairo_move_to(cr, x, base + 2);
		cairo_line_to(cr, x - 5, base + 11);
		cairo_line_to(cr, x + 5, base + 11);
		cairo_close_path(cr);
		cairo_fill(cr);
	}
	paint(cr, colour_of(r));
	text(cr, MARGIN, base - 16, 16, true, ALIGN_LEFT, r->name);
	paint(cr, ink);
	snprintf(s, sizeof(s), "%u of %u images", r->kept, r->during);
	text(cr, RIGHT + 20, base - 28, 14, true, ALIGN_LEFT, s);
	snprintf(s, sizeof(s), "longest gap %.1f s", (double)r->gap_ns / 1e9);
	text(cr, RIGHT + 20, base - 8, 14, false, ALIGN_LEFT, s);
}

static void axis(cairo_t *cr, const struct run *r, double span, double y)
{
	char s[32];
	int t;

	paint(cr, faint);
	cairo_set_line_width(cr, 1);
	cairo_move_to(cr, LEFT, y + 0.5);
	cairo_line_to(cr, RIGHT, y + 0.5);
	cairo_stroke(cr);
	for (t = 0; t <= span; t++) {
		double x = LEFT + t / span * (RIGHT - LEFT);

		cairo_move_to(cr, x, y);
		cairo_line_to(cr, x, y + (t % 5 ? 4 : 7));
		cairo_stroke(cr);
		if (t % 5)
			continue;
		snprintf(s, sizeof(s), "%d s", t);
		text(cr, x, y + 21, 12, false, ALIGN_CENTRE, s);
	}
	text(cr, (place(r, span, r->down) + place(r, span, r->up)) / 2,
	     TOP - 8, 13, true, ALIGN_CENTRE, "no link");
	text(cr, (LEFT + RIGHT) / 2.0, y + 38, 12, false, ALIGN_CENTRE,
	     "time at which the camera took the image");
}

/* A PGM or PPM of 8 bit; what image-sub writes. NULL: not readable. */
static cairo_surface_t *image_read(const char *path)
{
	unsigned int width, height, depth, x, y;
	cairo_surface_t *s = NULL;
	FILE *f = fopen(path, "r");
	uint32_t *line;
	char kind;
	int c[3];

	if (!f)
		return NULL;
	if (fscanf(f, "P%c %u %u %u", &kind, &width, &height, &depth) != 4 ||
	    fgetc(f) == EOF || width > 8192 || height > 8192)
		goto out;
	s = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width,
				       (int)height);
	cairo_surface_flush(s);
	for (y = 0; y < height; y++) {
		line = (void *)(cairo_image_surface_get_data(s) +
			y * (unsigned int)cairo_image_surface_get_stride(s));
		for (x = 0; x < width; x++) {
			c[0] = c[1] = c[2] = fgetc(f);
			if (kind == '6') {
				c[1] = fgetc(f);
				c[2] = fgetc(f);
			}
			line[x] = (uint32_t)(c[0] << 16 | c[1] << 8 | c[2]) &
				0xffffff;
		}
	}
	cairo_surface_mark_dirty(s);
out:
	fclose(f);
	return s;
}

static cairo_surface_t *image_of(const struct run *r, const struct image *im)
{
	cairo_surface_t *s;
	char path[4096];

	if (!im)
		return NULL;
	snprintf(path, sizeof(path), "%s/images/%lld.pgm", r->dir,
		 (long long)im->stamp);
	s = image_read(path);
	if (s)
		return s;
	strcpy(path + strlen(path) - 3, "ppm");
	return image_read(path);
}

static void caption(const struct run *r, const struct image *im, char *s,
		    size_t len)
{
	double off;

	if (!im) {
		snprintf(s, len, "no image");
		return;
	}
	off = (double)(im->stamp - r->down - (r->up - r->down) / 2) / 1e9;
	if (off > -0.05 && off < 0.05)
		snprintf(s, len, "taken at %.1f s: in the middle",
			 since(r, im->stamp));
	else
		snprintf(s, len, "taken at %.1f s: %.1f s %s the middle",
			 since(r, im->stamp), off < 0 ? -off : off,
			 off < 0 ? "before" : "after");
}

static void thumb(cairo_t *cr, const struct run *r, double x, double y,
		  double width)
{
	const struct image *im = run_middle(r);
	cairo_surface_t *s = image_of(r, im);
	double height = width * 3 / 4, zoom;
	char line[96];

	paint(cr, sent);
	cairo_rectangle(cr, x, y, width, height);
	cairo_fill(cr);
	if (s) {
		zoom = width / cairo_image_surface_get_width(s);
		cairo_save(cr);
		cairo_rectangle(cr, x, y, width, height);
		cairo_clip(cr);
		cairo_translate(cr, x, y);
		cairo_scale(cr, zoom, zoom);
		cairo_set_source_surface(cr, s, 0, 0);
		cairo_paint(cr);
		cairo_restore(cr);
		cairo_surface_destroy(s);
	}
	paint(cr, colour_of(r));
	text(cr, x, y + height + 22, 15, true, ALIGN_LEFT, r->name);
	paint(cr, ink);
	caption(r, im, line, sizeof(line));
	text(cr, x, y + height + 42, 13, false, ALIGN_LEFT, line);
}

static void draw(cairo_t *cr, const struct run *runs, unsigned int count,
		 double width)
{
	const struct run *r = &runs[0];
	double span = since(r, r->images[r->sent - 1].stamp);
	double y = TOP + count * ROW;
	unsigned int i;

	cairo_set_source_rgb(cr, 1, 1, 1);
	cairo_paint(cr);
	paint(cr, ink);
	text(cr, MARGIN, 34, 20, true, ALIGN_LEFT,
	     "What the operator received");
	paint(cr, faint);
	text(cr, MARGIN, 56, 13, false, ALIGN_LEFT,
	     "ROS 2 camera images over Wi-Fi; a tall tick is an image that "
	     "arrived, a short one an image that did not");
	for (i = 0; i < count; i++)
		row(cr, &runs[i], span, TOP + i * ROW);
	axis(cr, r, span, y);
	paint(cr, ink);
	text(cr, MARGIN, y + AXIS + THUMB_Y - 20, 15, true, ALIGN_LEFT,
	     "Nearest to the middle of the outage (red mark)");
	for (i = 0; i < count; i++)
		thumb(cr, &runs[i], MARGIN + i * (width + MARGIN),
		      y + AXIS + THUMB_Y - 4, width);
}

int picture(const struct run *runs, unsigned int count, const char *path)
{
	double width = (double)(WIDTH - MARGIN) / (count < 3 ? 3 : count) -
		MARGIN;
	double height = TOP + count * ROW + AXIS + THUMB_Y + width * 3 / 4 +
		FOOT;
	cairo_surface_t *s = cairo_image_surface_create(CAIRO_FORMAT_RGB24,
							WIDTH, (int)height);
	cairo_t *cr = cairo_create(s);
	cairo_status_t st;

	draw(cr, runs, count, width);
	st = cairo_status(cr);
	if (!st)
		st = cairo_surface_write_to_png(s, path);
	cairo_destroy(cr);
	cairo_surface_destroy(s);
	if (st)
		fprintf(stderr, "demo-report: %s: %s\n", path,
			cairo_status_to_string(st));
	return st ? -EIO : 0;
}
