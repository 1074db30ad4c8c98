// SPDX-License-Identifier: GPL-2.0-only
/*
 * fit_search.c - branch and bound over places and headings
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include "slam/filter/det_math.h"
#include "slam/graph/fit_grid.h"

/* Headings differ by what moves the farthest endpoint by a cell, but not less
 * than this, rad
 */
#define TURN_LEAST	0.0025
/* The least gain of fit that counts: fewer blocks need a look */
#define GAIN		0.005

/* Endpoints after which a block may be given up */
enum { PART = 32 };

/* A scan turned by one of the headings: cells of the grid */
struct turned {
	int32_t	x[FIT_POINTS_MAX], y[FIT_POINTS_MAX];
};

/* A block of places at a heading, and the bound of its fit, 0..255 * points */
struct block {
	int32_t		x, y;
	uint32_t	heading, bound;
};

/**
 * struct search
 * @turned:	@headings of them
 * @reach:	cells to either side of the middle
 * @block:	of the coarsest level, @blocks of them
 * @best:	the bound that others must exceed; @found: where
 */
struct search {
	const struct fit_grid	*g;
	uint32_t		points, headings;
	struct turned		*turned;
	int32_t			reach;
	unsigned int		top;
	struct block		*block;
	uint32_t		blocks;
	uint32_t		best, gain;
	struct block		found;
	bool			is_found;
};

static uint32_t sum_at(const struct search *s, const struct block *b,
		       unsigned int level)
{
	const struct fit_grid *g = s->g;
	const uint8_t *cell = g->level[level];
	const struct turned *t = s->turned + b->heading;
	uint32_t sum = 0;

	for (uint32_t k = 0; k < s->points;) {
		const uint32_t end = k + PART < s->points ? k + PART :
							    s->points;

		for (; k < end; k++) {
			const uint32_t x = (uint32_t)(t->x[k] + b->x);
			const uint32_t y = (uint32_t)(t->y[k] + b->y);

			if (x < g->width && y < g->height)
				sum += cell[(size_t)y * g->width + x];
		}
		/* the rest cannot make up for it */
		if (sum + 255 * (s->points - k) <= s->best)
			return 0;
	}
	return sum;
}

/* The best first; of equal ones the first by place, for the same result
 * whatever the library's sort does
 */
static int by_bound(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->bound != y->bound)
		return x->bound > y->bound ? -1 : 1;
	if (x->heading != y->heading)
		return x->heading < y->heading ? -1 : 1;
	if (x->y != y->y)
		return x->y < y->y ? -1 : 1;
	return x->x < y->x ? -1 : x->x > y->x;
}

static void split(struct search *s, const struct block *b, unsigned int level)
{
	struct block child[4];
	int32_t half;
	int count = 0;

	if (!level) {
		s->best = b->bound + s->gain;
		s->found = *b;
		s->is_found = true;
		return;
	}
	half = (int32_t)1 << (level - 1);
	for (int i = 0; i < 4; i++) {
		struct block *c = child + count;

		*c = *b;
		c->x += i & 1 ? half : 0;
		c->y += i & 2 ? half : 0;
		if (c->x > s->reach || c->y > s->reach)
			continue;
		c->bound = sum_at(s, c, level - 1);
		count += c->bound > s->best;
	}
	qsort(child, (size_t)count, sizeof(*child), by_bound);
	for (int i = 0; i < count && child[i].bound > s->best; i++)
		split(s, child + i, level - 1);
}

/* Each level from the one below: the maximum over two cells across, then over
 * two rows
 */
static void raise_level(struct fit_grid *g, unsigned int level)
{
	const size_t half = (size_t)1 << (level - 1);
	const size_t width = g->width, height = g->height;
	const uint8_t *below = g->level[level - 1];
	uint8_t *cell = g->level[level];

	for (size_t y = 0; y < height; y++) {
		const uint8_t *row = below + y * width;
		const uint8_t *next = y + half < height ? row + half * width :
							  row;
		uint8_t *out = cell + y * width;
		const size_t end = width > half ? width - half : 0;

		for (size_t x = 0; x < width; x++)
			out[x] = row[x] > next[x] ? row[x] : next[x];
		for (size_t x = 0; x < end; x++)
			out[x] = out[x] > out[x + half] ? out[x] :
							  out[x + half];
	}
}

static int make_levels(struct fit_grid *g, unsigned int top)
{
	for (; g->levels <= top; g->levels++) {
		if (fit_grid_make_level(g, g->levels))
			return -ENOMEM;
		raise_level(g, g->levels);
	}
	return 0;
}

static void turn_scan(struct search *s, const struct fit_points *scan,
		      const struct pose *middle, double step)
{
	const double cells = 1 / FIT_CELL;

	for (uint32_t i = 0; i < s->headings; i++) {
		struct turned *t = s->turned + i;
		double sine, c;

		det_sincos(middle->yaw + ((double)i - s->headings / 2) * step,
			   &sine, &c);
		for (uint32_t k = 0; k < scan->count; k++) {
			const struct pose at = fit_point_at(scan, k, middle,
							    sine, c);

			t->x[k] = (int32_t)floor(cells * (at.x - s->g->left));
			t->y[k] = (int32_t)floor(cells * (at.y - s->g->low));
		}
	}
}

static void bound_blocks(struct search *s)
{
	const int32_t side = (int32_t)1 << s->top;
	struct block *b = s->block;

	for (uint32_t h = 0; h < s->headings; h++) {
		for (int32_t y = -s->reach; y <= s->reach; y += side) {
			for (int32_t x = -s->reach; x <= s->reach; x += side) {
				*b = (struct block){ x, y, h, 0 };
				b->bound = sum_at(s, b, s->top);
				b += b->bound > s->best;
			}
		}
	}
	s->blocks = (uint32_t)(b - s->block);
	qsort(s->block, s->blocks, sizeof(*s->block), by_bound);
}

/* The widest blocks that are not wider than the window */
static unsigned int coarsest(int32_t reach)
{
	unsigned int level = 0;

	while (level + 1 < FIT_LEVELS && (1 << (level + 1)) <= reach)
		level++;
	return level;
}

static double farthest(const struct fit_points *scan)
{
	double far = 1;

	for (uint32_t k = 0; k < scan->count; k++)
		far = fmax(far, hypot((double)scan->x[k], (double)scan->y[k]));
	return far;
}

int fit_grid_search(struct fit_grid *g, const struct fit_points *scan,
		    struct pose *pose, double reach, double turn, double least)
{
	const double step = fmax(FIT_CELL / farthest(scan), TURN_LEAST);
	struct search s = {
		.g = g, .points = scan->count,
		.headings = 2 * (uint32_t)ceil(turn / step) + 1,
		.reach = (int32_t)ceil(reach / FIT_CELL),
		.best = (uint32_t)(least * 255 * scan->count),
		.gain = (uint32_t)(GAIN * 255 * scan->count),
	};
	uint32_t across;
	int err;

	if (!g->levels || !scan->count)
		return 0;
	s.top = coarsest(s.reach);
	err = make_levels(g, s.top);
	across = 2 * (uint32_t)s.reach / (1U << s.top) + 1;
	s.turned = malloc(s.headings * sizeof(*s.turned));
	s.block = malloc((size_t)s.headings * across * across *
			 sizeof(*s.block));
	if (!s.turned || !s.block)
		err = -ENOMEM;
	if (!err) {
		turn_scan(&s, scan, pose, step);
		bound_blocks(&s);
	}
	for (uint32_t i = 0; i < s.blocks && s.block[i].bound > s.best; i++)
		split(&s, s.block + i, s.top);
	free(s.turned);
	free(s.block);
	if (err || !s.is_found)
		return err;
	*pose = (struct pose){
		pose->x + s.found.x * FIT_CELL, pose->y + s.found.y * FIT_CELL,
		pose->yaw + ((double)s.found.heading - s.headings / 2) * step,
	};
	return 1;
}
