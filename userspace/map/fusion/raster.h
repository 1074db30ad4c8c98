/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * raster.h - a rectangle of a fused map
 *
 * Cell (x, y) of a map covers x * resolution to (x + 1) * resolution of the
 * map's frame, and y alike: maps of one resolution are always aligned.
 */
#ifndef MAP_FUSION_RASTER_H
#define MAP_FUSION_RASTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct rect - rectangle of cells
 * @x, @y:		the first cell
 * @width, @height:	cells; empty if one of them is 0
 */
struct rect {
	int		x, y;
	unsigned int	width, height;
};

/**
 * struct raster - fused values
 * @bits:	as in struct cells; meaning of the values
 * @resolution:	m
 * @cells:	[row * width + column], -1: unknown
 */
struct raster {
	struct rect	rect;
	unsigned int	bits;
	double		resolution;
	int16_t		*cells;
};

static inline bool rect_is_empty(const struct rect *r)
{
	return !r->width || !r->height;
}

/* Intersection; width or height is 0 if it is empty */
static inline struct rect rect_common(const struct rect *a,
				      const struct rect *b)
{
	const int x0 = a->x > b->x ? a->x : b->x;
	const int y0 = a->y > b->y ? a->y : b->y;
	const long x1 = a->x + (long)a->width, x2 = b->x + (long)b->width;
	const long y1 = a->y + (long)a->height, y2 = b->y + (long)b->height;
	const long x3 = x1 < x2 ? x1 : x2, y3 = y1 < y2 ? y1 : y2;

	return (struct rect){ x0, y0, x3 > x0 ? x3 - x0 : 0,
			      y3 > y0 ? y3 - y0 : 0 };
}

/* The smallest rectangle that contains both */
static inline struct rect rect_union(const struct rect *a, const struct rect *b)
{
	const int x0 = a->x < b->x ? a->x : b->x;
	const int y0 = a->y < b->y ? a->y : b->y;
	const long x1 = a->x + (long)a->width, x2 = b->x + (long)b->width;
	const long y1 = a->y + (long)a->height, y2 = b->y + (long)b->height;

	if (rect_is_empty(a))
		return *b;
	if (rect_is_empty(b))
		return *a;
	return (struct rect){ x0, y0, (x1 > x2 ? x1 : x2) - x0,
			      (y1 > y2 ? y1 : y2) - y0 };
}

/* Bounding box of the known cells, in cells of the map; may be empty */
static inline struct rect raster_known(const struct raster *r)
{
	unsigned int x0 = r->rect.width, x1 = 0, y0 = r->rect.height, y1 = 0;

	for (unsigned int y = 0; y < r->rect.height; y++) {
		const int16_t *row = r->cells + (size_t)y * r->rect.width;
		unsigned int a = 0, b = r->rect.width;

		while (a < b && row[a] < 0)
			a++;
		while (a < b && row[b - 1] < 0)
			b--;
		if (a == b)
			continue;
		x0 = a < x0 ? a : x0;
		x1 = b > x1 ? b : x1;
		y0 = y < y0 ? y : y0;
		y1 = y + 1;
	}
	return (struct rect){ r->rect.x + (int)x0, r->rect.y + (int)y0,
			      x1 > x0 ? x1 - x0 : 0, y1 > y0 ? y1 - y0 : 0 };
}

#endif
