// SPDX-License-Identifier: GPL-2.0-only
/*
 * pnm - .pgm of gray pixels, and the .yaml that makes it a map
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "formats/pnm.h"

/* A number of the header, after space and comments; -1: none */
static long pnm_header_number(const uint8_t *p, size_t len, size_t *at)
{
	long n = 0;

	while (*at < len && (isspace(p[*at]) || p[*at] == '#')) {
		if (p[*at] == '#')
			while (*at < len && p[*at] != '\n')
				++*at;
		else
			++*at;
	}
	if (*at == len || !isdigit(p[*at]))
		return -1;
	while (*at < len && isdigit(p[*at]) && n <= IMAGE_SIDE)
		n = 10 * n + p[(*at)++] - '0';
	return n;
}

int pnm_parse(const uint8_t *file, size_t len, struct image *image)
{
	long w, h, most;
	size_t at = 2;

	if (len < 2 || file[0] != 'P' || file[1] != '5')
		return -EINVAL;
	w = pnm_header_number(file, len, &at);
	h = pnm_header_number(file, len, &at);
	most = pnm_header_number(file, len, &at);
	if (w < 1 || w > IMAGE_SIDE || h < 1 || h > IMAGE_SIDE || most < 1 ||
	    most > 65535 || ++at > len)
		return -EINVAL;
	*image = (struct image){
		.width = w, .height = h, .channels = 1,
		.depth = most > 255 ? 16 : 8,
		.data = (uint8_t *)file + at,
	};
	image->stride = (size_t)w * image->depth / 8;
	return image->stride * h > len - at ? -EINVAL : 0;
}

/* The text after "@key:" at the start of a line, or NULL */
static const char *pnm_value_of(const char *text, const char *key)
{
	size_t n = strlen(key);

	while (text) {
		if (!strncmp(text, key, n) && text[n] == ':')
			return text + n + 1 + strspn(text + n + 1, " \t");
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return NULL;
}

/* A number in a range, if it is present. Return: 0, or -EINVAL */
static int pnm_number(const char *text, const char *key, double low,
		      double high, double *v)
{
	const char *s = pnm_value_of(text, key);
	char *end;
	double d;

	if (!s)
		return 0;
	d = strtod(s, &end);
	if (end == s || !(d >= low && d <= high))
		return -EINVAL;
	*v = d;
	return 0;
}

static int mode_of(const char *text, enum pnm_mode *mode)
{
	static const char *const modes[] = { "trinary", "scale", "raw" };
	const char *s = pnm_value_of(text, "mode");

	if (!s)
		return 0;
	for (int i = 0; i < 3; i++)
		if (!strncmp(s, modes[i], strlen(modes[i]))) {
			*mode = i;
			return 0;
		}
	return -EINVAL;
}

int pnm_parse_yaml(const char *text, struct pnm_map *m)
{
	const char *origin = pnm_value_of(text, "origin");
	double negate = 0;

	*m = (struct pnm_map){ .occupied = 0.65, .free = 0.196 };
	if (!origin || sscanf(origin, " [ %lf , %lf , %lf", &m->origin[0],
			      &m->origin[1], &m->origin[2]) != 3)
		return -EINVAL;
	if (pnm_number(text, "resolution", 1e-6, 1e6, &m->resolution) ||
	    pnm_number(text, "occupied_thresh", 0, 1, &m->occupied) ||
	    pnm_number(text, "free_thresh", 0, 1, &m->free) ||
	    pnm_number(text, "negate", 0, 1, &negate) ||
	    mode_of(text, &m->mode))
		return -EINVAL;
	m->negate = negate;
	return m->resolution > 0 ? 0 : -EINVAL;
}

static int8_t cell(const struct pnm_map *m, uint8_t gray)
{
	double p = (m->negate ? gray : 255 - gray) / 255.0;

	if (m->mode == PNM_RAW)
		return gray <= MAP_OCCUPIED ? gray : MAP_UNKNOWN;
	if (p > m->occupied)
		return MAP_OCCUPIED;
	if (p < m->free)
		return MAP_FREE;
	if (m->mode == PNM_TRINARY || m->occupied <= m->free)
		return MAP_UNKNOWN;
	return (int8_t)(1 + 98 * (p - m->free) / (m->occupied - m->free));
}

void pnm_cells(const struct pnm_map *m, const struct image *image,
	       int8_t *cells)
{
	/* the first row of an image is the top */
	for (unsigned int y = 0; y < image->height; y++) {
		const uint8_t *row = image_row(image, image->height - 1 - y);

		for (unsigned int x = 0; x < image->width; x++)
			*cells++ = cell(m, row[x]);
	}
}
