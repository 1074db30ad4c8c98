// SPDX-License-Identifier: GPL-2.0-only
/*
 * map - occupancy grids from images
 */
#include <ctype.h>
#include <errno.h>
#include "codec/grid/map.h"

/* A number of the header, after space and comments; -1: none */
static long map_header_number(const char *p, size_t len, size_t *at)
{
	long n = 0;

	while (*at < len && (isspace((unsigned char)p[*at]) || p[*at] == '#')) {
		if (p[*at] == '#')
			while (*at < len && p[*at] != '\n')
				++*at;
		else
			++*at;
	}
	if (*at == len || !isdigit((unsigned char)p[*at]))
		return -1;
	while (*at < len && isdigit((unsigned char)p[*at]) && n <= MAP_SIDE_MAX)
		n = 10 * n + p[(*at)++] - '0';
	return n;
}

static int8_t occupancy(uint8_t gray)
{
	double p = (255 - gray) / 255.0;

	if (p > 0.65)
		return MAP_OCCUPIED;
	return p < 0.196 ? MAP_FREE : MAP_UNKNOWN;
}

int map_from_pgm(struct map *map, int8_t *cells, size_t max, const void *pgm,
		 size_t len)
{
	const uint8_t *p = pgm;
	size_t at = 2;
	long w, h, most;

	if (len < 2 || p[0] != 'P' || p[1] != '5')
		return -EINVAL;
	w = map_header_number(pgm, len, &at);
	h = map_header_number(pgm, len, &at);
	most = map_header_number(pgm, len, &at);
	if (w < 1 || w > MAP_SIDE_MAX || h < 1 || h > MAP_SIDE_MAX ||
	    most != 255 || ++at > len || (size_t)(w * h) > len - at)
		return -EINVAL;
	if ((size_t)(w * h) > max)
		return -E2BIG;
	/* an image begins at the top */
	for (long y = 0; y < h; y++)
		for (long x = 0; x < w; x++)
			cells[y * w + x] = occupancy(p[at + (h - 1 - y) * w +
						       x]);
	map->width = w;
	map->height = h;
	map->cells = cells;
	return 0;
}
