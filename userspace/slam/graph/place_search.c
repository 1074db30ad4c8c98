// SPDX-License-Identifier: GPL-2.0-only
/*
 * place_search.c - the last scans together, in the whole map
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "slam/filter/det_math.h"
#include "slam/graph/loop_search.h"
#include "slam/graph/place_search.h"

/* Motion from one scan to the next one that shows something new, m and rad */
#define MOVED		0.25
#define TURNED		0.25
/* Fit of a place: furniture moves, and maps have holes */
#define FITS		0.6
/* and how much better it fits than any other: at once, if it fits well; or summed
 * over searches that find the same place. A search counts if it is ahead by this
 * share of what does not fit, and as far as the robot moved: m, or rad
 */
#define FITS_WELL	0.85
#define AHEAD		0.12
#define AHEAD_SHARE	0.1
#define AHEAD_MOVED	0.5
/* What fits less needs more: for each 1 of fit. Corridors look alike */
#define AHEAD_MORE	2.0
/* A climb adds so much to the fit of the best cell */
#define CLIMBS		0.02
/* Two searches found the same place, m and rad */
#define SAME		0.5
#define SAME_TURN	0.2
/* The share of the beams that may contradict the map: people, moved furniture */
#define AGAINST		0.2
/* A hint is wrong if its best pose fits worse */
#define FITS_NEAR	0.5
/* or if another place fits so much better */
#define BETTER		0.1
enum {
	/* scans with fewer endpoints fit anywhere */
	POINTS_LEAST	= 30,
	/* after so many scans only each second one is searched, and so on */
	SEARCH_LESS	= 12,
};

/* The walls, in portions of a scan */
static struct fit_points *cut_walls(const struct walls *w, uint32_t parts)
{
	struct fit_points *p = calloc(parts, sizeof(*p));

	for (uint32_t i = 0; i < w->count && p; i++) {
		struct fit_points *to = p + i / FIT_POINTS_MAX;

		to->x[to->count] = w->x[i];
		to->y[to->count++] = w->y[i];
	}
	return p;
}

static int draw_walls(struct place_search *s, const struct walls *w)
{
	const uint32_t parts = (w->count + FIT_POINTS_MAX - 1) / FIT_POINTS_MAX;
	struct fit_points *part = cut_walls(w, parts);
	const struct fit_points **list = calloc(parts, sizeof(*list));
	struct pose *origin = calloc(parts, sizeof(*origin));
	int err = -ENOMEM;

	if (part && list && origin) {
		for (uint32_t i = 0; i < parts; i++)
			list[i] = part + i;
		err = fit_grid_draw(&s->grid, list, origin, parts);
	}
	free(part);
	free(list);
	free(origin);
	return err;
}

/* Search everywhere in the grid */
static void search_all(struct place_search *s)
{
	s->middle = (struct pose){
		s->grid.left + s->grid.width * FIT_CELL / 2,
		s->grid.low + s->grid.height * FIT_CELL / 2, 0,
	};
	s->reach = fmax(s->grid.width, s->grid.height) * FIT_CELL / 2;
}

int place_search_map(struct place_search *s, const struct walls *w,
		     const struct map_file *cells)
{
	int err;

	s->cells = cells;
	if (!w->count)
		return -ENODATA;
	err = draw_walls(s, w);
	if (!err)
		search_all(s);
	return err;
}

int place_search_scans(struct place_search *s,
		       const struct fit_points *const *scan,
		       const struct pose *pose, uint32_t count)
{
	const int err = fit_grid_draw(&s->grid, scan, pose, count);

	s->cells = NULL;
	if (!err)
		search_all(s);
	return err;
}

void place_search_free(struct place_search *s)
{
	fit_grid_free(&s->grid);
}

void place_search_interrupt(struct place_search *s,
			    bool (*interrupted)(void *arg))
{
	s->grid.interrupted = interrupted;
}

void place_search_restart(struct place_search *s)
{
	s->scans = 0;
	s->ahead = 0;
	s->fit = s->next = 0;
	s->is_elsewhere = false;
}

static uint32_t kept(const struct place_search *s)
{
	return s->scans < PLACE_SCANS ? s->scans : PLACE_SCANS;
}

/* The scan @age scans ago; 0: the last one */
static const struct place_scan *scan_at(const struct place_search *s,
					uint32_t age)
{
	assert(age < kept(s));
	return s->scan + (s->scans - 1 - age) % PLACE_SCANS;
}

static bool is_new(const struct place_search *s, const struct pose *own)
{
	struct pose move;

	if (!s->scans)
		return true;
	move = det_between(&scan_at(s, 0)->pose, own);
	return hypot(move.x, move.y) >= MOVED || fabs(move.yaw) >= TURNED;
}

/* All kept scans as one, in the frame of the last robot */
static void join(const struct place_search *s, struct fit_points *all)
{
	const struct pose *last = &scan_at(s, 0)->pose;
	const uint32_t scans = kept(s);
	uint32_t whole = 0, taken = 0, seen = 0;

	for (uint32_t age = 0; age < scans; age++)
		whole += scan_at(s, age)->points.count;
	all->count = 0;
	for (uint32_t age = 0; age < scans; age++) {
		const struct place_scan *p = scan_at(s, age);
		const struct pose at = det_between(last, &p->pose);
		double sine, c;

		det_sincos(at.yaw, &sine, &c);
		for (uint32_t k = 0; k < p->points.count; k++, seen++) {
			struct pose end;

			/* evenly, as many as fit */
			if (whole > FIT_POINTS_MAX &&
			    (uint64_t)seen * FIT_POINTS_MAX / whole < taken)
				continue;
			if (all->count == FIT_POINTS_MAX)
				return;
			end = fit_point_at(&p->points, k, &at, sine, c);
			all->x[all->count] = (float)end.x;
			all->y[all->count++] = (float)end.y;
			taken++;
		}
	}
}

/* Whether the last search found the same place. @pose: of the robot that is now
 * at @own
 */
static bool is_same(const struct place_search *s, const struct pose *pose,
		    const struct pose *own)
{
	const struct pose move = det_between(&s->own, own);
	const struct pose there = det_compose(&s->last, &move);
	const struct pose off = det_between(&there, pose);

	return hypot(off.x, off.y) <= SAME && fabs(off.yaw) <= SAME_TURN;
}

/* Sum up by how much a place is ahead of all others */
static bool believe(struct place_search *s, const struct pose *pose,
		    const struct pose *own)
{
	const struct pose move = det_between(&s->own, own);
	const double moved = hypot(move.x, move.y) + fabs(move.yaw);
	const double ahead = s->fit - s->next;
	const double need = AHEAD + AHEAD_MORE * fmax(FITS_WELL - s->fit, 0);
	double weight = fmin(moved / AHEAD_MOVED, 1);

	if (!(s->ahead > 0) || !is_same(s, pose, own)) {
		s->ahead = 0;
		weight = 0.5;
	}
	if (ahead >= AHEAD_SHARE * (1 - s->fit))
		s->ahead += weight * ahead;
	s->last = *pose;
	s->own = *own;
	return s->ahead >= need || (s->fit >= FITS_WELL && ahead >= AHEAD);
}

/* Whether all kept scans can be true if the last one is from @pose */
static bool is_possible(struct place_search *s, const struct pose *pose)
{
	struct place_beams b = { .agree = 0 };

	for (uint32_t age = 0; s->cells && age < kept(s); age++) {
		const struct place_scan *p = scan_at(s, age);
		const struct pose move = det_between(&scan_at(s, 0)->pose,
						     &p->pose);
		const struct pose at = det_compose(pose, &move);

		place_check(s->cells, &p->points, &at, &b);
	}
	s->against = b.against ? (double)b.against / (b.agree + b.against) : 0;
	return s->against <= AGAINST;
}

/* Search the whole map. @best: its best place; NULL: not known. Return: as
 * fit_grid_search()
 */
static int find_best(struct place_search *s, const struct fit_points *all,
		     const struct pose *best, struct pose *pose)
{
	const struct fit_window w = {
		.reach = s->reach, .turn = M_PI,
		.least = s->least > 0 ? s->least : FITS, .left = s->left,
	};

	if (!best)
		return fit_grid_search(&s->grid, all, pose, &w);
	*pose = *best;
	return 1;
}

/* Search the whole map; @known: as find_best(). Return: 1: a place that no other
 * is like; 0; -ENOMEM; -EINTR
 */
static int search(struct place_search *s, const struct pose *own,
		  const struct pose *known, struct pose *pose)
{
	struct fit_window w = {
		.reach = s->reach, .turn = M_PI, .left = s->left,
	};
	struct pose other = s->middle, best = s->middle;
	struct fit_points all;
	int ret;

	join(s, &all);
	s->fit = s->next = 0;
	s->searched++;
	ret = find_best(s, &all, known, &best);
	if (ret <= 0)
		return ret;
	s->fit = fit_grid_climb(&s->grid, &all, &best);
	w.apart = &best;
	s->next = s->fit - AHEAD;
	/* before a climb it may fit a little worse */
	w.least = s->next - CLIMBS;
	ret = fit_grid_search(&s->grid, &all, &other, &w);
	if (ret < 0)
		return ret;
	if (ret)
		s->next = fmax(s->next, fit_grid_climb(&s->grid, &all,
						       &other));
	/* other places were not looked at */
	if (s->left && !*s->left)
		s->next = s->fit;
	*pose = s->best = best;
	if (!is_possible(s, pose)) {
		s->ahead = 0;
		return 0;
	}
	return believe(s, pose, own);
}

/* @known: of this scan alone, so not of several together */
static int search_next(struct place_search *s, const struct fit_points *points,
		       const struct pose *own, bool known, struct pose *pose)
{
	struct place_scan *p = s->scan + s->scans % PLACE_SCANS;

	if (points->count < POINTS_LEAST)
		return 0;
	p->points = *points;
	p->pose = *own;
	s->scans++;
	if (s->scans % (1 + s->scans / (s->rarer ? s->rarer : SEARCH_LESS)))
		return 0;
	return search(s, own, known ? &s->elsewhere : NULL, pose);
}

int place_search_points(struct place_search *s, const struct fit_points *points,
			const struct pose *own, struct pose *pose)
{
	return is_new(s, own) ? search_next(s, points, own, false, pose) : 0;
}

int place_search_add(struct place_search *s, const struct scan *scan,
		     double units, const struct pose *own, struct pose *pose)
{
	const bool known = s->is_elsewhere && !s->scans;
	struct fit_points points;

	s->is_elsewhere = false;
	if (!is_new(s, own))
		return 0;
	fit_points_make(&points, scan, units);
	return search_next(s, &points, own, known, pose);
}

int place_search_near(struct place_search *s, const struct scan *scan,
		      double units, const struct place_hint *hint,
		      struct pose *pose)
{
	const struct fit_window w = {
		.reach = hint->reach, .turn = fmin(hint->turn, M_PI),
		.least = FITS_NEAR,
	};
	struct fit_window whole = { .reach = s->reach, .turn = M_PI };
	struct pose other = s->middle;
	struct fit_points points;
	int ret;

	*pose = hint->pose;
	fit_points_make(&points, scan, units);
	s->searched++;
	ret = fit_grid_search(&s->grid, &points, pose, &w);
	if (ret <= 0)
		return ret;
	s->fit = fit_grid_climb(&s->grid, &points, pose);
	s->next = fmin(s->fit + BETTER, 1);
	s->best = *pose;
	whole.least = s->next;
	ret = fit_grid_search(&s->grid, &points, &other, &whole);
	if (ret > 0) {
		*pose = hint->pose;
		s->elsewhere = other;
		s->is_elsewhere = true;
	}
	return ret < 0 ? ret : !ret;
}
