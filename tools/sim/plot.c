// SPDX-License-Identifier: GPL-2.0-only
/*
 * plot.c - profit and oracle over T, as in the publication's Fig. 4.
 *
 * Both formats draw into the same frame: T from left to right, profit from
 * the bottom (0) to the top (highest oracle). SVG carries the words; PNG
 * (libpng) is for places that show only pixels.
 */
#include <errno.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "sim.h"

enum {
	WIDTH = 800,
	HEIGHT = 480,
	MARGIN = 50,
	PLOT_W = WIDTH - 2 * MARGIN,
	PLOT_H = HEIGHT - 2 * MARGIN,
};

struct rgb {
	uint8_t r, g, b;
};

static const struct rgb ORACLE = { 214, 39, 40 };
static const struct rgb PROFIT = { 44, 160, 44 };
static const struct rgb FRAME = { 90, 90, 90 };

static double top_of(const struct sim_config *cfg, const struct sim_row *rows)
{
	double top = 1;
	uint32_t i;

	for (i = 0; i < cfg->messages; i++)
		if (rows[i].oracle > top)
			top = rows[i].oracle;
	return top;
}

static double x_of(const struct sim_config *cfg, uint32_t i)
{
	return MARGIN + (double)PLOT_W * (i + 1) / cfg->messages;
}

static double y_of(double value, double top)
{
	return HEIGHT - MARGIN - PLOT_H * value / top;
}

static void svg_line(FILE *out, const struct sim_config *cfg,
		     const struct sim_row *rows, double top, int oracle)
{
	struct rgb c = oracle ? ORACLE : PROFIT;
	uint32_t i;

	fprintf(out, "<polyline fill=\"none\" stroke=\"rgb(%u,%u,%u)\" "
		"stroke-width=\"1.2\" points=\"", c.r, c.g, c.b);
	for (i = 0; i < cfg->messages; i++)
		fprintf(out, "%.1f,%.1f ", x_of(cfg, i),
			y_of(oracle ? rows[i].oracle : rows[i].profit, top));
	fprintf(out, "\"/>\n");
}

int plot_svg(const struct sim_config *cfg, const struct sim_row *rows,
	     const char *path)
{
	double top = top_of(cfg, rows);
	FILE *out = fopen(path, "w");

	if (!out)
		return -errno;
	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"%d\" font-family=\"sans-serif\" "
		"font-size=\"12\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
		"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
		"fill=\"none\" stroke=\"rgb(%u,%u,%u)\"/>\n",
		WIDTH, HEIGHT, MARGIN, MARGIN, PLOT_W, PLOT_H,
		FRAME.r, FRAME.g, FRAME.b);
	fprintf(out, "<text x=\"%d\" y=\"30\">profit of %s (green) and oracle "
		"(red), limit %u, %s</text>\n", MARGIN,
		optsample_policy_name(cfg->policy), cfg->limit,
		cfg->eval->formula);
	fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%u"
		"</text>\n<text x=\"%d\" y=\"%d\">messages</text>\n"
		"<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.0f</text>\n",
		WIDTH - MARGIN, HEIGHT - MARGIN + 20, cfg->messages,
		MARGIN, HEIGHT - MARGIN + 20, MARGIN - 5, MARGIN + 5, top);
	svg_line(out, cfg, rows, top, 1);
	svg_line(out, cfg, rows, top, 0);
	fprintf(out, "</svg>\n");
	if (fflush(out) || ferror(out)) {
		fclose(out);
		return -EIO;
	}
	return fclose(out) ? -errno : 0;
}

static void dot(uint8_t *image, int x, int y, struct rgb c)
{
	uint8_t *p;

	if (x < 0 || x >= WIDTH || y < 0 || y >= HEIGHT)
		return;
	p = &image[((size_t)y * WIDTH + (size_t)x) * 3];
	p[0] = c.r;
	p[1] = c.g;
	p[2] = c.b;
}

/* Columns of dots: steep steps stay connected, flat ones stay one dot. */
static void curve(uint8_t *image, const struct sim_config *cfg,
		  const struct sim_row *rows, double top, int oracle)
{
	struct rgb c = oracle ? ORACLE : PROFIT;
	int x, y, last = -1, step;
	uint32_t i;

	for (x = 0; x < PLOT_W; x++) {
		i = (uint32_t)((uint64_t)x * cfg->messages / PLOT_W);
		y = (int)y_of(oracle ? rows[i].oracle : rows[i].profit, top);
		if (last < 0)
			last = y;
		step = last < y ? 1 : -1;
		for (; last != y; last += step)
			dot(image, MARGIN + x, last, c);
		dot(image, MARGIN + x, y, c);
	}
}

static void frame(uint8_t *image)
{
	int i;

	memset(image, 255, (size_t)WIDTH * HEIGHT * 3);
	for (i = 0; i <= PLOT_W; i++) {
		dot(image, MARGIN + i, MARGIN, FRAME);
		dot(image, MARGIN + i, HEIGHT - MARGIN, FRAME);
	}
	for (i = 0; i <= PLOT_H; i++) {
		dot(image, MARGIN, MARGIN + i, FRAME);
		dot(image, WIDTH - MARGIN, MARGIN + i, FRAME);
	}
}

int plot_png(const struct sim_config *cfg, const struct sim_row *rows,
	     const char *path)
{
	png_image head = {
		.version = PNG_IMAGE_VERSION,
		.width = WIDTH,
		.height = HEIGHT,
		.format = PNG_FORMAT_RGB,
	};
	uint8_t *image = malloc((size_t)WIDTH * HEIGHT * 3);
	double top = top_of(cfg, rows);
	int err = 0;

	if (!image)
		return -ENOMEM;
	frame(image);
	curve(image, cfg, rows, top, 1);
	curve(image, cfg, rows, top, 0);
	errno = 0;
	if (!png_image_write_to_file(&head, path, 0, image, 0, NULL))
		err = errno ? -errno : -EIO;
	free(image);
	return err;
}
