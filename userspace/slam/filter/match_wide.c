// SPDX-License-Identifier: GPL-2.0-only
/*
 * match_wide.c - a search over all poses of an area, and the test of a pose
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "slam/filter/det_math.h"
#include "slam/filter/match_wide.h"

enum {
	POINTS	= 96,		/* of a scan, for the search over the grid */
	CLIMBS	= 32,		/* headings with a hill climb */
};

/* Steps of the grid, in sigmas of the field: m, and rad for each m of it */
#define STEP		2.0
#define TURN		0.3
/* Cost in fit of the most distant pose */
#define DISTANT		0.03
/* A pose within this is the same place, m and rad */
#define NEAR		0.8
#define NEAR_TURN	0.4
/* A beam that ends so far behind a wall passed through it, m */
#define BEHIND		0.5
/* Above this a wall, below the next one none, of FIELD_MAX */
#define WALL		0.85
#define NO_WALL		0.1

/* The best position at a heading */
struct heading {
	struct pose	pose;
	double		fit;		/* minus the cost of its distance */
};

/**
 * struct job - input of the threads
 * @points:	a subset of those of @scan
 * @side, @turns: grid positions to either side of the middle, and headings
 * @found:	skip poses near it; NULL: skip none
 */
struct job {
	struct matcher		*m;
	const struct scan	*scan;
	struct scan		points;
	const struct likelihood_field	*map;
	struct prior		place;
	double			step, turn;
	int			side, turns;
	struct heading		*heading;
	const struct heading	*found;
};

static double cost(const struct job *j, const struct pose *pose)
{
	const double x = pose->x - j->place.at.x, y = pose->y - j->place.at.y;
	const double turn = remainder(pose->yaw - j->place.at.yaw, 2 * M_PI);

	return DISTANT * (sqrt(x * x + y * y) / j->place.place +
			  fabs(turn) / j->place.turn);
}

static void match_wide_look(struct job *j, struct matcher *m,
			    const struct scan *scan, const struct pose *pose,
			    struct heading *best)
{
	const double fit = matcher_fit(m, scan, j->map, pose) - cost(j, pose);

	if (fit > best->fit)
		*best = (struct heading){ *pose, fit };
}

/* Whether both are about the same place */
static bool match_wide_is_near(const struct pose *a, const struct pose *b)
{
	return fabs(a->x - b->x) < NEAR && fabs(a->y - b->y) < NEAR &&
	       fabs(remainder(a->yaw - b->yaw, 2 * M_PI)) < NEAR_TURN;
}

/* One heading, all positions */
static void look_around(void *arg, uint32_t index, unsigned int thread)
{
	struct job *j = arg;
	struct heading *best = j->heading + index;
	const double yaw = j->place.at.yaw +
		((int)index - j->turns / 2) * j->turn;

	*best = (struct heading){ .fit = -1 };
	for (int y = -j->side; y <= j->side; y++) {
		for (int x = -j->side; x <= j->side; x++) {
			const struct pose p = {
				j->place.at.x + x * j->step,
				j->place.at.y + y * j->step, yaw,
			};

			if (x * x + y * y > j->side * j->side ||
			    (j->found &&
			     match_wide_is_near(&p, &j->found->pose)))
				continue;
			match_wide_look(j, j->m + thread, &j->points, &p, best);
		}
	}
}

/* Climb from one of the best poses, with all points */
static void match_wide_climb(void *arg, uint32_t index, unsigned int thread)
{
	struct job *j = arg;
	struct matcher *m = j->m + thread;
	struct heading *h = j->heading + index;

	m->prior = &j->place;
	h->fit = match_hill(m, j->scan, j->map, &h->pose) - cost(j, &h->pose);
	m->prior = NULL;
}

/* The best first; of equal ones the first */
static int by_fit(const void *a, const void *b)
{
	const struct heading *x = a, *y = b;

	if (x->fit != y->fit)
		return x->fit < y->fit ? 1 : -1;
	return x->pose.yaw < y->pose.yaw ? -1 : x->pose.yaw > y->pose.yaw;
}

/* A subset of a scan's points, evenly. @memory: for these */
static void pick_points(struct scan *to, const struct scan *scan,
			float *memory)
{
	const unsigned int all = scan->match.count;
	const unsigned int count = all < POINTS ? all : POINTS;
	float *x = memory, *y = memory + POINTS;

	memset(memory, 0, 2 * POINTS * sizeof(*memory));
	for (unsigned int i = 0; i < count; i++) {
		x[i] = scan->match.x[(size_t)i * all / count];
		y[i] = scan->match.y[(size_t)i * all / count];
	}
	to->match = (struct endpoints){
		.count = count, .x = x, .y = y,
		.room = (count + SCORE_LANES - 1) / SCORE_LANES * SCORE_LANES,
	};
}

/* Prepare for other points. @spare: see struct matcher. Return: 0; -ENOMEM */
static int restart_matchers(struct job *j, struct thread_pool *threads,
			    int spare)
{
	const unsigned int count = thread_pool_threads(threads);
	int err = 0;

	for (unsigned int i = 0; i < count && !err; i++) {
		j->m[i].spare = spare;
		err = matcher_begin(j->m + i, j->scan);
	}
	return err;
}

/* Return: the best one that did not climb to @j->found */
static struct heading match_wide_search(struct job *j,
					struct thread_pool *threads)
{
	const uint32_t all = (uint32_t)j->turns;
	const uint32_t best = all < CLIMBS ? all : CLIMBS;
	/* the window of the first position covers all of them */
	const int wide = MATCHER_SPARE + (int)(2 * j->place.place *
					       j->m->units) /
			 (TILE_SIDE * FIELD_UNIT);

	if (restart_matchers(j, threads, wide))
		return (struct heading){ .fit = 0 };
	thread_pool_run(threads, all, look_around, j);
	qsort(j->heading, all, sizeof(*j->heading), by_fit);
	if (restart_matchers(j, threads, MATCHER_SPARE))
		return (struct heading){ .fit = 0 };
	thread_pool_run(threads, best, match_wide_climb, j);
	qsort(j->heading, best, sizeof(*j->heading), by_fit);
	for (uint32_t i = 0; i < best; i++)
		if (!j->found ||
		    !match_wide_is_near(&j->heading[i].pose, &j->found->pose))
			return j->heading[i];
	return (struct heading){ .fit = 0 };
}

double match_wide(struct matcher *m, struct thread_pool *threads,
		  const struct scan *scan, const struct likelihood_field *map,
		  const struct prior *place, struct pose *pose)
{
	const double sigma = m->params->sigma;
	struct job j = {
		.m = m, .scan = scan, .map = map, .place = *place,
		.step = STEP * sigma, .turn = TURN * sigma,
	};
	struct heading first = { .fit = 0 }, second = { .fit = 0 };
	float *memory = aligned_alloc(64, 2 * POINTS * sizeof(*memory));

	j.place.place = fmin(place->place, WIDE_REACH);
	j.place.turn = fmin(place->turn, M_PI);
	j.side = (int)ceil(j.place.place / j.step);
	j.turns = 2 * (int)ceil(j.place.turn / j.turn) + 1;
	j.heading = calloc((size_t)j.turns, sizeof(*j.heading));
	if (memory && j.heading && scan->match.count) {
		pick_points(&j.points, scan, memory);
		first = match_wide_search(&j, threads);
		j.found = &first;
		second = match_wide_search(&j, threads);
	}
	if (first.fit > 0)
		*pose = first.pose;
	free(j.heading);
	free(memory);
	return first.fit - second.fit;
}

/* The field at (@x, @y), 1/256 cell; 0..1 */
static double field_at(const struct matcher *m,
		       const struct likelihood_field *map, int x, int y)
{
	const int cx = x >> FIELD_BITS, cy = y >> FIELD_BITS;
	const tile_id id = field_tile(map, cx >> TILE_BITS, cy >> TILE_BITS);

	return tile_at(m->base, id)->field[(cy & (TILE_SIDE - 1)) *
		TILE_STRIDE + (cx & (TILE_SIDE - 1))] / (double)FIELD_MAX;
}

/* Whether a beam from (@x, @y) by (@dx, @dy) passes through a wall and ends in
 * the open: a beam that grazes a wall ends at one
 */
static bool goes_through(const struct matcher *m,
			 const struct likelihood_field *map, double x, double y,
			 double dx, double dy)
{
	const double length = sqrt(dx * dx + dy * dy);
	const double step = 2 * FIELD_UNIT, last = length - BEHIND * m->units;

	if (field_at(m, map, (int)lrint(x + dx), (int)lrint(y + dy)) > NO_WALL)
		return false;
	for (double at = step; at < last; at += step)
		if (field_at(m, map, (int)lrint(x + dx * (at / length)),
			     (int)lrint(y + dy * (at / length))) >= WALL)
			return true;
	return false;
}

double match_against(struct matcher *m, const struct scan *scan,
		     const struct likelihood_field *map,
		     const struct pose *pose)
{
	const unsigned int all = scan->match.count;
	const unsigned int count = all < POINTS ? all : POINTS;
	unsigned int through = 0;
	double s, c, x, y;

	det_sincos(pose->yaw, &s, &c);
	x = pose->x * m->units + c * scan->laser_x - s * scan->laser_y;
	y = pose->y * m->units + s * scan->laser_x + c * scan->laser_y;
	for (unsigned int i = 0; i < count; i++) {
		const size_t k = (size_t)i * all / count;
		const double px = (double)scan->match.x[k] - scan->laser_x;
		const double py = (double)scan->match.y[k] - scan->laser_y;

		through += goes_through(m, map, x, y, c * px - s * py,
					s * px + c * py);
	}
	return count ? (double)through / count : 0;
}
