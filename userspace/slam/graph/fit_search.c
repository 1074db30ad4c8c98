// SPDX-License-Identifier: GPL-2.0-only
/*
 * fit_search.c - branch and bound over places and headings
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "slam/filter/det_math.h"
#include "slam/graph/fit_grid.h"

/* Headings differ by what moves the farthest endpoint by a cell, but in a narrow
 * search not less than this, rad
 */
#define TURN_LEAST	0.0025
/* Beyond this turn a search is wide: a block has several headings, too, rad */
#define WIDE		FIT_APART_TURN
/* The least gain of fit that counts: fewer blocks need a look */
#define GAIN		0.005

/* Endpoints after which a block may be given up */
enum { PART = 32 };

/* A scan turned by one of the headings: cells of the grid */
struct turned {
	int32_t	x[FIT_POINTS_MAX], y[FIT_POINTS_MAX];
};

/* A block of places at a heading of its level, and the bound of its fit, 0..255 *
 * points
 */
struct block {
	int32_t		x, y;
	uint32_t	heading, bound;
};

/**
 * struct search
 * @pad:	cells before the first one of the grid; @width, @height: with these
 * @headings:	at level 0; @turned: of each level
 * @wide:	of level 2 blocks have 2 headings, of level 3 they have 4, ...
 * @reach:	cells to either side of the middle
 * @block:	of the coarsest level, @blocks of them
 * @apart:	the middle of the poses that are not wanted, cells and the
 *		number of its heading; @apart_turn: headings to either side of
 *		it, -1: all are wanted; @around: headings of a whole turn
 * @left:	blocks that may be looked at
 * @best:	the bound that others must exceed; @found: where
 * @ended:	interrupted: nothing exceeds @best any more
 */
struct search {
	const struct fit_grid	*g;
	uint32_t		pad, width, height;
	uint32_t		points, headings;
	struct turned		*turned[FIT_LEVELS];
	bool			wide;
	int32_t			reach;
	unsigned int		top;
	struct block		*block;
	uint32_t		blocks;
	double			apart_x, apart_y, apart_heading;
	uint64_t		left;
	double			apart_turn, around;
	uint32_t		best, gain;
	struct block		found;
	bool			is_found, ended;
};

/* The headings of a block, log2 */
static unsigned int headings_log(const struct search *s, unsigned int level)
{
	return s->wide && level ? level - 1 : 0;
}

/* By so many cells its headings move an endpoint to either side */
static int32_t margin(const struct search *s, unsigned int level)
{
	return s->wide && level > 1 ? 1 << (level - 2) : 0;
}

static uint32_t headings_of(const struct search *s, unsigned int level)
{
	return ((s->headings - 1) >> headings_log(s, level)) + 1;
}

static uint32_t sum_at(const struct search *s, const struct block *b,
		       unsigned int level)
{
	const uint8_t *cell = s->g->level[s->wide][level];
	const struct turned *t = s->turned[level] + b->heading;
	const int32_t aside = margin(s, level) - (int32_t)s->pad;
	uint32_t sum = 0;

	for (uint32_t k = 0; k < s->points;) {
		const uint32_t end = k + PART < s->points ? k + PART :
							    s->points;

		for (; k < end; k++) {
			const uint32_t x = (uint32_t)(t->x[k] + b->x - aside);
			const uint32_t y = (uint32_t)(t->y[k] + b->y - aside);

			if (x < s->width && y < s->height)
				sum += cell[(size_t)y * s->width + x];
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

/* Whether no pose of a block is wanted. Headings may wrap around */
static bool is_apart(const struct search *s, const struct block *b,
		     unsigned int level)
{
	const double reach = FIT_APART / FIT_CELL, side = (1 << level) - 1;
	const double far_x = fmax(fabs(b->x - s->apart_x),
				  fabs(b->x + side - s->apart_x));
	const double far_y = fmax(fabs(b->y - s->apart_y),
				  fabs(b->y + side - s->apart_y));
	const unsigned int log = headings_log(s, level);
	const double half = ((1 << log) - 1) / 2.0;
	const double heading = (double)(b->heading << log) + half;
	const double turn = fabs(remainder(heading - s->apart_heading,
					   s->around));

	return turn + half <= s->apart_turn && hypot(far_x, far_y) <= reach;
}

static bool is_interrupted(struct search *s)
{
	if (!s->ended && s->g->interrupted && s->g->interrupted(NULL)) {
		s->ended = true;
		s->best = UINT32_MAX;
	}
	return s->ended;
}

static void split(struct search *s, const struct block *b, unsigned int level)
{
	struct block child[8];
	unsigned int twice;
	int32_t half;
	int count = 0;

	if (is_interrupted(s))
		return;
	if (!s->left || (s->apart_turn >= 0 && is_apart(s, b, level)))
		return;
	s->left--;
	if (!level) {
		s->best = b->bound + s->gain;
		s->found = *b;
		s->is_found = true;
		return;
	}
	half = (int32_t)1 << (level - 1);
	twice = headings_log(s, level) - headings_log(s, level - 1);
	for (unsigned int i = 0; i < 4U << twice; i++) {
		struct block *c = child + count;

		*c = *b;
		c->x += i & 1 ? half : 0;
		c->y += i & 2 ? half : 0;
		c->heading = (b->heading << twice) + (i >> 2);
		if (c->x > s->reach || c->y > s->reach ||
		    c->heading >= headings_of(s, level - 1))
			continue;
		c->bound = sum_at(s, c, level - 1);
		count += c->bound > s->best;
	}
	qsort(child, (size_t)count, sizeof(*child), by_bound);
	for (int i = 0; i < count && child[i].bound > s->best; i++)
		split(s, child + i, level - 1);
}

/* The maximum over a window @by cells wider and higher, in place */
static void widen(const struct search *s, uint8_t *cell, size_t by)
{
	const size_t width = s->width, height = s->height;
	const size_t end = width > by ? width - by : 0;

	for (size_t y = 0; y < height; y++) {
		uint8_t *row = cell + y * width;
		const uint8_t *next = y + by < height ? row + by * width : row;

		for (size_t x = 0; x < width; x++)
			row[x] = row[x] > next[x] ? row[x] : next[x];
		for (size_t x = 0; x < end; x++)
			row[x] = row[x] > row[x + by] ? row[x] : row[x + by];
	}
}

/* The side of the window of a level: a block, and what its headings add */
static size_t window_of(const struct search *s, unsigned int level)
{
	return ((size_t)1 << level) + 2 * (size_t)margin(s, level);
}

/* The cells, with those before the first one */
static void pad_cells(const struct search *s, struct fit_grid *g)
{
	uint8_t *to = g->level[s->wide][0];

	memset(to, 0, (size_t)s->width * s->height);
	for (size_t y = 0; y < g->height; y++)
		memcpy(to + (y + s->pad) * s->width + s->pad,
		       g->level[0][0] + y * g->width, g->width);
}

/* Each level from the one below: windows that overlap */
static int make_levels(const struct search *s, struct fit_grid *g)
{
	for (unsigned int l = g->levels[s->wide]; l <= s->top; l++) {
		const size_t side = window_of(s, l);
		size_t have = l ? window_of(s, l - 1) : 1;

		if (fit_grid_make_level(g, s->wide, l))
			return -ENOMEM;
		if (l)
			memcpy(g->level[s->wide][l], g->level[s->wide][l - 1],
			       (size_t)s->width * s->height);
		else
			pad_cells(s, g);
		while (have < side) {
			const size_t by = have < side - have ? have :
							       side - have;

			widen(s, g->level[s->wide][l], by);
			have += by;
		}
		g->levels[s->wide] = l + 1;
	}
	return 0;
}

/* The scan at all headings of a level: of several, at the middle one */
static int turn_scan(struct search *s, const struct fit_points *scan,
		     const struct pose *middle, double step, unsigned int level)
{
	const unsigned int log = headings_log(s, level);
	const double cells = 1 / FIT_CELL, half = ((1 << log) - 1) / 2.0;
	const uint32_t count = headings_of(s, level);

	s->turned[level] = malloc(count * sizeof(struct turned));
	if (!s->turned[level])
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		const double heading = (double)((uint64_t)i << log) + half;
		struct turned *t = s->turned[level] + i;
		double sine, c;

		det_sincos(middle->yaw + (heading - s->headings / 2) * step,
			   &sine, &c);
		for (uint32_t k = 0; k < scan->count; k++) {
			const struct pose at = fit_point_at(scan, k, middle,
							    sine, c);

			t->x[k] = (int32_t)floor(cells * (at.x - s->g->left));
			t->y[k] = (int32_t)floor(cells * (at.y - s->g->low));
		}
	}
	return 0;
}

/* In a narrow search all levels have the same headings */
static int turn_all(struct search *s, const struct fit_points *scan,
		    const struct pose *middle, double step)
{
	int err = turn_scan(s, scan, middle, step, 0);

	for (unsigned int l = 1; l <= s->top && !err; l++) {
		if (headings_log(s, l) == headings_log(s, l - 1))
			s->turned[l] = s->turned[l - 1];
		else
			err = turn_scan(s, scan, middle, step, l);
	}
	return err;
}

static void forget_turned(struct search *s)
{
	for (unsigned int l = 0; l <= s->top; l++) {
		if (!l || s->turned[l] != s->turned[l - 1])
			free(s->turned[l]);
	}
}

static void bound_blocks(struct search *s)
{
	const int32_t side = (int32_t)1 << s->top;
	struct block *b = s->block;

	for (uint32_t h = 0; h < headings_of(s, s->top) && !is_interrupted(s);
	     h++) {
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

static void keep_apart(struct search *s, const struct pose *middle,
		       const struct pose *apart, double step)
{
	s->around = 2 * M_PI / step;
	s->apart_turn = apart ? FIT_APART_TURN / step : -1;
	if (!apart)
		return;
	s->apart_x = (apart->x - middle->x) / FIT_CELL;
	s->apart_y = (apart->y - middle->y) / FIT_CELL;
	s->apart_heading = s->headings / 2 +
			   remainder(apart->yaw - middle->yaw, 2 * M_PI) / step;
}

int fit_grid_search(struct fit_grid *g, const struct fit_points *scan,
		    struct pose *pose, const struct fit_window *w)
{
	const bool wide = w->turn > WIDE;
	const double each = FIT_CELL / farthest(scan);
	const double step = wide ? each : fmax(each, TURN_LEAST);
	struct search s = {
		.g = g, .points = scan->count, .wide = wide,
		.pad = wide ? FIT_PAD_WIDE : 0,
		.width = g->width + (wide ? FIT_PAD_WIDE : 0),
		.height = g->height + (wide ? FIT_PAD_WIDE : 0),
		.headings = 2 * (uint32_t)ceil(w->turn / step) + 1,
		.reach = (int32_t)ceil(w->reach / FIT_CELL),
		.best = (uint32_t)(w->least * 255 * scan->count),
		.gain = (uint32_t)(GAIN * 255 * scan->count),
		.left = w->left ? *w->left : UINT64_MAX,
	};
	uint32_t across;
	int err;

	if (!g->levels[0] || !scan->count)
		return 0;
	if (is_interrupted(&s))
		return -EINTR;
	keep_apart(&s, pose, w->apart, step);
	s.top = coarsest(s.reach);
	err = make_levels(&s, g);
	across = 2 * (uint32_t)s.reach / (1U << s.top) + 1;
	s.block = malloc((size_t)headings_of(&s, s.top) * across * across *
			 sizeof(*s.block));
	if (!s.block)
		err = -ENOMEM;
	if (!err)
		err = turn_all(&s, scan, pose, step);
	if (!err)
		bound_blocks(&s);
	for (uint32_t i = 0; i < s.blocks && s.block[i].bound > s.best; i++)
		split(&s, s.block + i, s.top);
	forget_turned(&s);
	free(s.block);
	if (w->left)
		*w->left = s.left;
	if (s.ended && !err)
		err = -EINTR;
	if (err || !s.is_found)
		return err;
	*pose = (struct pose){
		pose->x + s.found.x * FIT_CELL, pose->y + s.found.y * FIT_CELL,
		pose->yaw + ((double)s.found.heading - s.headings / 2) * step,
	};
	return 1;
}
