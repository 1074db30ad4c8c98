// SPDX-License-Identifier: GPL-2.0-only
/*
 * scan_pairs.c - scans that follow each other, and those of other visits
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include "base/array.h"
#include "slam/graph/scan_pairs.h"

/* Scans of a level are this far apart, m and rad. Each is compared with the
 * last ones of its level: few scans tell the shape of a long way, and many tell
 * the next step. So the matrix of all pairs stays sparse
 */
static const double level_apart[] = { 0.5, 1.5, 4.5 };
enum { LEVELS = sizeof(level_apart) / sizeof(*level_apart) };
enum { LEVEL_BACK = 3 };
/* Other visits, for the scans of the first level: how many, how near, m, and
 * the travel to them, m
 */
enum { VISITS = 2 };
#define NEAR		2.5
#define APART		6.0
/* Travel that separates two visits of a place, m */
#define PAUSE		2.0

/* A scan of the first level; it is in a cell of the side NEAR */
struct place {
	int64_t		column, row;
	uint32_t	scan;
};

/**
 * struct around - the search for pairs
 * @travel:	to each scan, m
 * @place:	[@places], by cell and scan
 * @near:	scans of other visits near one, @nears of them
 */
struct around {
	struct scan_pairs	*s;
	const struct pose	*pose;
	double			*travel;
	struct place		*place;
	uint32_t		places;
	uint32_t		*near;
	uint32_t		nears, near_room;
};

static int add_pair(struct scan_pairs *s, uint32_t to, uint32_t from,
		    bool visit)
{
	const int err = array_grow(&s->pair, &s->room, s->count,
				   sizeof(*s->pair));

	if (!err)
		s->pair[s->count++] = (struct scan_pair){ to, from, visit };
	return err;
}

static int by_cell(const void *a, const void *b)
{
	const struct place *p = a, *q = b;

	if (p->column != q->column)
		return p->column < q->column ? -1 : 1;
	if (p->row != q->row)
		return p->row < q->row ? -1 : 1;
	return p->scan < q->scan ? -1 : p->scan > q->scan;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* The first place that is not before a cell */
static uint32_t first_in(const struct around *a, int64_t column, int64_t row)
{
	const struct place cell = { column, row, 0 };
	uint32_t low = 0, high = a->places;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (by_cell(a->place + middle, &cell) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct place place_of(const struct pose *p, uint32_t scan)
{
	return (struct place){ (int64_t)floor(p->x / NEAR),
			       (int64_t)floor(p->y / NEAR), scan };
}

/* How much two scans differ, about m */
static double differ(const struct pose *a, const struct pose *b)
{
	const double x = b->x - a->x, y = b->y - a->y;

	return sqrt(x * x + y * y) + fabs(remainder(b->yaw - a->yaw, 2 * M_PI));
}

/* Earlier scans near scan @i in a column of cells */
static int find_in_column(struct around *a, uint32_t i, int64_t column,
			  int64_t row)
{
	uint32_t k = first_in(a, column, row - 1);
	int err = 0;

	for (; k < a->places && !err; k++) {
		const struct place *p = a->place + k;
		const double x = a->pose[p->scan].x - a->pose[i].x;
		const double y = a->pose[p->scan].y - a->pose[i].y;

		if (p->column != column || p->row > row + 1)
			break;
		if (p->scan >= i || x * x + y * y > NEAR * NEAR ||
		    a->travel[i] - a->travel[p->scan] < APART)
			continue;
		err = array_grow(&a->near, &a->near_room, a->nears,
				 sizeof(*a->near));
		if (!err)
			a->near[a->nears++] = p->scan;
	}
	return err;
}

/* The scans that differ least are kept. Return: how many there are now */
static uint32_t keep(const struct around *a, uint32_t i,
		     uint32_t best[VISITS], uint32_t count, uint32_t scan)
{
	uint32_t worst = 0;

	if (count < VISITS) {
		best[count] = scan;
		return count + 1;
	}
	for (uint32_t k = 1; k < count; k++) {
		if (differ(a->pose + best[k], a->pose + i) >
		    differ(a->pose + best[worst], a->pose + i))
			worst = k;
	}
	if (differ(a->pose + scan, a->pose + i) <
	    differ(a->pose + best[worst], a->pose + i))
		best[worst] = scan;
	return count;
}

/* Pairs of scan @i with the nearest one of each visit */
static int pair_visits(struct around *a, uint32_t i)
{
	const struct place at = place_of(a->pose + i, i);
	uint32_t best[VISITS], count = 0;
	int err = 0;

	a->nears = 0;
	for (int64_t k = -1; k <= 1 && !err; k++)
		err = find_in_column(a, i, at.column + k, at.row);
	if (err || !a->nears)
		return err;
	qsort(a->near, a->nears, sizeof(*a->near), by_number);
	for (uint32_t k = 0, nearest = a->near[0]; k < a->nears; k++) {
		const uint32_t scan = a->near[k];
		const bool last = k + 1 == a->nears ||
			a->travel[a->near[k + 1]] - a->travel[scan] > PAUSE;

		if (differ(a->pose + scan, a->pose + i) <
		    differ(a->pose + nearest, a->pose + i))
			nearest = scan;
		if (!last)
			continue;
		count = keep(a, i, best, count, nearest);
		nearest = k + 1 < a->nears ? a->near[k + 1] : 0;
	}
	for (uint32_t k = 0; k < count && !err; k++)
		err = add_pair(a->s, best[k], i, true);
	return err;
}

/* The travel to each scan */
static void find_travel(struct around *a, uint32_t count)
{
	a->travel[0] = 0;
	for (uint32_t i = 1; i < count; i++) {
		const double x = a->pose[i].x - a->pose[i - 1].x;
		const double y = a->pose[i].y - a->pose[i - 1].y;

		a->travel[i] = a->travel[i - 1] + sqrt(x * x + y * y);
	}
}

/* Whether scan @i is far enough from another one for a level */
static bool is_apart(const struct around *a, uint32_t i, uint32_t from,
		     double apart)
{
	return a->travel[i] - a->travel[from] >= apart ||
	       fabs(remainder(a->pose[i].yaw - a->pose[from].yaw, 2 * M_PI)) >=
	       apart;
}

/* Pairs of scan @i with the last ones of its level, which are in a ring */
static int pair_back(struct around *a, uint32_t i, const uint32_t *last,
		     uint32_t seen)
{
	int err = 0;

	for (uint32_t k = 1; k <= LEVEL_BACK && k <= seen && !err; k++) {
		const uint32_t to = last[(seen - k) % LEVEL_BACK];

		if (to + 1 != i)
			err = add_pair(a->s, to, i, false);
	}
	return err;
}

static int pair_level(struct around *a, uint32_t count, int level)
{
	uint32_t last[LEVEL_BACK], seen = 0;
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++) {
		if (seen && !is_apart(a, i, last[(seen - 1) % LEVEL_BACK],
				      level_apart[level]))
			continue;
		err = pair_back(a, i, last, seen);
		last[seen++ % LEVEL_BACK] = i;
		if (!level)
			a->place[a->places++] = place_of(a->pose + i, i);
	}
	return err;
}

static int find_all(struct around *a, uint32_t count)
{
	int err = 0;

	find_travel(a, count);
	for (uint32_t i = 1; i < count && !err; i++)
		err = add_pair(a->s, i - 1, i, false);
	for (int level = 0; level < LEVELS && !err; level++)
		err = pair_level(a, count, level);
	qsort(a->place, a->places, sizeof(*a->place), by_cell);
	for (uint32_t k = 0; k < a->places && !err; k++)
		err = pair_visits(a, a->place[k].scan);
	return err;
}

static int by_scans(const void *a, const void *b)
{
	const struct scan_pair *p = a, *q = b;

	if (p->from != q->from)
		return p->from < q->from ? -1 : 1;
	return p->to < q->to ? -1 : p->to > q->to;
}

/* Of pairs that are on two levels one stays */
static void drop_twins(struct scan_pairs *s)
{
	uint32_t left = 0;

	qsort(s->pair, s->count, sizeof(*s->pair), by_scans);
	for (uint32_t k = 0; k < s->count; k++) {
		if (!left || by_scans(s->pair + left - 1, s->pair + k))
			s->pair[left++] = s->pair[k];
	}
	s->count = left;
}

int scan_pairs_find(struct scan_pairs *s, const struct pose *pose,
		    uint32_t count)
{
	struct around a = { .s = s, .pose = pose };
	int err = -ENOMEM;

	s->count = 0;
	if (!count)
		return 0;
	a.travel = malloc(count * sizeof(*a.travel));
	a.place = malloc(count * sizeof(*a.place));
	if (a.travel && a.place)
		err = find_all(&a, count);
	if (!err && s->count)
		drop_twins(s);
	free(a.travel);
	free(a.place);
	free(a.near);
	return err;
}

void scan_pairs_free(struct scan_pairs *s)
{
	free(s->pair);
	*s = (struct scan_pairs){ .count = 0 };
}
