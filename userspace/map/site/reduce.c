// SPDX-License-Identifier: GPL-2.0-only
/*
 * reduce - reduce a fused map to larger cells, for overview pictures
 */
#include <errno.h>
#include <stdlib.h>
#include "map/site/reduce.h"

enum reduce_how reduce_how(const struct layer *l)
{
	if (l->rule == RULE_MAX || l->rule == RULE_LOG_ODDS ||
	    modality_get(l->modality)->aggregate == MODALITY_MAX)
		return REDUCE_MAX;
	return l->rule == RULE_MIN ? REDUCE_MIN : REDUCE_MEAN;
}

static long floor_div(long a, long b)
{
	return a >= 0 ? a / b : -((b - 1 - a) / b);
}

/* Part of the cells @from..@from + @n in block @block */
struct span {
	unsigned int	begin, end;
};

static struct span span(int from, unsigned int n, long block, long factor)
{
	const long begin = block * factor - from, end = begin + factor;

	return (struct span){ begin > 0 ? begin : 0, end < n ? end : n };
}

static int16_t block(const struct raster *r, struct span x, struct span y,
		     enum reduce_how how)
{
	long sum = 0, known = 0;
	int16_t most = -1, least = INT16_MAX;

	for (unsigned int row = y.begin; row < y.end; row++) {
		const int16_t *v = r->cells + (size_t)row * r->rect.width;

		for (unsigned int i = x.begin; i < x.end; i++) {
			if (v[i] < 0)
				continue;
			most = v[i] > most ? v[i] : most;
			least = v[i] < least ? v[i] : least;
			sum += v[i];
			known++;
		}
	}
	if (how == REDUCE_MAX || !known)
		return most;
	return how == REDUCE_MIN ? least : (2 * sum + known) / (2 * known);
}

int reduce_raster(const struct raster *from, unsigned int factor,
		  enum reduce_how how, struct raster *to, size_t *room)
{
	const struct rect *f = &from->rect;
	const long x0 = floor_div(f->x, factor), y0 = floor_div(f->y, factor);
	struct rect r = {
		x0, y0,
		floor_div((long)f->x + f->width + factor - 1, factor) - x0,
		floor_div((long)f->y + f->height + factor - 1, factor) - y0,
	};
	const size_t n = rect_is_empty(f) ? 0 : (size_t)r.width * r.height;
	int16_t *cells = to->cells;

	if (!n)
		r.width = r.height = 0;
	if (n > *room) {
		cells = realloc(cells, n * sizeof(*cells));
		if (!cells)
			return -ENOMEM;
		*room = n;
	}
	*to = (struct raster){ r, from->bits, from->resolution * factor,
			       cells };
	for (size_t i = 0; i < n; i++)
		cells[i] = block(from,
				 span(f->x, f->width, x0 + (long)(i % r.width),
				      factor),
				 span(f->y, f->height, y0 + (long)(i / r.width),
				      factor), how);
	return 0;
}
