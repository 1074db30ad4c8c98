// SPDX-License-Identifier: GPL-2.0-only
/*
 * submaps - a trajectory of scans, cut into submaps
 *
 * Two grids are enough: one for the open submap, which is only added to, and
 * one to draw any other submap on demand.
 */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/error.h"
#include "map/fusion/cells.h"
#include "slam/filter/det_math.h"
#include "slam/output/submaps.h"

enum { NONE = -1, SCANS_MAX = 1 << 28 };

/**
 * struct kept - a scan
 * @reading:	with its own copy of the ranges
 * @reach:	distance of its farthest cell from the robot, m
 * @last:	pose in the map at the last update
 * @drawn:	pose in the submap when that was drawn
 */
struct kept {
	struct reading	reading;
	double		reach;
	struct pose	last, drawn;
};

/**
 * struct part - a submap and its scans
 * @scan:	@submap.scans of them, NULL: not kept any more
 * @drawn:	number of scans in the last drawing
 * @shown:	the pose that was published
 * @placed:	@shown is valid
 * @radius:	of the drawing around the origin of the frame, m
 */
struct part {
	struct submap	submap;
	struct kept	*scan;
	uint32_t	room, drawn;
	struct pose	shown;
	bool		placed;
	double		radius;
};

/* A grid, its submap and the number of scans drawn; NONE: empty */
struct grid {
	struct occupancy	*o;
	int64_t			part;
	uint32_t		scans;
};

/**
 * struct submaps
 * @waiting:	scans without a pose yet, @scans of them in all
 * @path:	length of the open submap, m
 * @oldest:	the first part whose scans are kept
 * @stamp:	the latest
 */
struct submaps {
	struct submaps_config	config;
	struct part		*part;
	uint32_t		parts, part_room;
	struct kept		*waiting;
	uint32_t		waits, wait_room, scans;
	double			path;
	uint32_t		oldest;
	int64_t			stamp;
	uint32_t		*list;
	uint32_t		listed, list_room;
	struct grid		open, other;
	uint64_t		drawn, left_out, lost;
	size_t			bytes;
};

static int submaps_no_memory(struct error *error)
{
	return error_set(error, -ENOMEM, "out of memory");
}

int submaps_create(struct submaps **to, const struct submaps_config *config,
		   struct error *error)
{
	struct submaps *s;
	int err;

	if (!(config->distance >= 0 && config->distance <= POSE_MAX) ||
	    !(config->tolerance >= 0 && config->tolerance <= POSE_MAX))
		return error_set(error, -EINVAL,
				 "invalid submap interval %g m or tolerance %g "
				 "m",
				 config->distance, config->tolerance);
	s = calloc(1, sizeof(*s));
	if (!s)
		return submaps_no_memory(error);
	s->config = *config;
	s->open.part = s->other.part = NONE;
	if (!s->config.distance)
		s->config.distance = SUBMAPS_DISTANCE;
	if (!s->config.tolerance)
		s->config.tolerance = config->grid.resolution / 2;
	if (!s->config.memory)
		s->config.memory = SUBMAPS_MEMORY;
	err = occupancy_create(&s->open.o, &config->grid, error);
	if (!err)
		err = occupancy_create(&s->other.o, &config->grid, error);
	if (err) {
		submaps_destroy(s);
		return err;
	}
	*to = s;
	return 0;
}

static size_t submaps_bytes_of(const struct kept *k)
{
	return sizeof(*k) + k->reading.beams * sizeof(float);
}

/* Free the scans of a part, which stays */
static void submaps_drop(struct submaps *s, struct part *p)
{
	for (uint32_t i = 0; p->scan && i < p->submap.scans; i++) {
		assert(submaps_bytes_of(&p->scan[i]) <= s->bytes);
		s->bytes -= submaps_bytes_of(&p->scan[i]);
		free((float *)p->scan[i].reading.range);
	}
	free(p->scan);
	p->scan = NULL;
	p->room = 0;
}

void submaps_destroy(struct submaps *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->parts; i++)
		submaps_drop(s, &s->part[i]);
	for (uint32_t i = 0; i < s->waits; i++)
		free((float *)s->waiting[i].reading.range);
	occupancy_destroy(s->open.o);
	occupancy_destroy(s->other.o);
	free(s->waiting);
	free(s->part);
	free(s->list);
	free(s);
}

/*
 * Scans
 */

/* Largest distance that a scan can draw at, m */
static double reach_of(const struct occupancy_config *c,
		       const struct reading *r)
{
	double most = 0;

	for (unsigned int i = 0; i < r->beams; i++) {
		double d = r->range[i];

		if (!(d > 0))
			continue;
		if (!(d < r->range_max))
			d = c->range_free;
		if (c->range_max && d > c->range_max)
			d = c->range_max;
		if (d > most)
			most = d;
	}
	return most + hypot(r->laser.x, r->laser.y) +
	       hypot(r->sweep.x, r->sweep.y);
}

int submaps_add(struct submaps *s, const struct reading *r,
		struct error *error)
{
	struct kept k = { .reading = *r };
	float *range = NULL;

	if (!reading_valid(r))
		return error_set(error, -EINVAL,
				 "invalid scan values");
	if (s->scans == SCANS_MAX)
		return error_set(error, -E2BIG, "more than %d scans",
				 SCANS_MAX);
	if (array_grow(&s->waiting, &s->wait_room, s->waits, sizeof(k)))
		return submaps_no_memory(error);
	if (r->beams) {
		range = malloc(r->beams * sizeof(float));
		if (!range)
			return submaps_no_memory(error);
		memcpy(range, r->range, r->beams * sizeof(float));
		k.reach = reach_of(&s->config.grid, r);
	}
	k.reading.range = range;
	s->waiting[s->waits++] = k;
	s->bytes += submaps_bytes_of(&k);
	assert(s->waits <= s->wait_room && s->scans < SCANS_MAX);
	s->scans++;
	return 0;
}

uint32_t submaps_scans(const struct submaps *s)
{
	return s->scans;
}

/*
 * Cutting
 */

/* Begin with scan number @n; closes the open submap */
static int submaps_begin(struct submaps *s, const struct kept *k, uint32_t n)
{
	int64_t stamp = k->reading.stamp;
	struct part *p;

	if (array_grow(&s->part, &s->part_room, s->parts, sizeof(*p)))
		return -ENOMEM;
	if (s->parts) {
		s->part[s->parts - 1].submap.open = false;
		if (stamp <= s->stamp)
			stamp = s->stamp + 1;
	}
	assert(!s->parts || stamp > s->stamp);
	s->stamp = stamp;
	s->part[s->parts++] = (struct part){ .submap = {
		.stamp = stamp, .pose = k->last, .open = true, .first = n,
	} };
	return 0;
}

/* Undo submaps_begin() */
static void submaps_undo(struct submaps *s)
{
	if (--s->parts)
		s->part[s->parts - 1].submap.open = true;
}

static int submaps_append(struct part *p, const struct kept *k)
{
	if (array_grow(&p->scan, &p->room, p->submap.scans, sizeof(*k)))
		return -ENOMEM;
	assert(p->submap.scans < p->room);
	p->scan[p->submap.scans++] = *k;
	p->submap.changed |= k->reading.beams > 0;
	return 0;
}

/* Add scan number @n to the open submap or to a new one; @path: up to there */
static int submaps_place(struct submaps *s, const struct kept *k, uint32_t n,
			 double path)
{
	const bool is_first = !s->parts || path >= s->config.distance ||
		s->part[s->parts - 1].submap.scans == SUBMAPS_SCANS_MAX;
	int err = is_first ? submaps_begin(s, k, n) : 0;

	if (err)
		return err;
	err = submaps_append(&s->part[s->parts - 1], k);
	if (!err)
		s->path = is_first ? 0 : path;
	else if (is_first)
		submaps_undo(s);
	return err;
}

/*
 * All steps are from the current history, which has no jump. Return: 0;
 * -ENOMEM: the remaining scans wait for the next update
 */
static int submaps_cut(struct submaps *s, const struct pose *history)
{
	uint32_t done = 0;
	int err = 0;

	while (done < s->waits && !err) {
		struct kept *k = &s->waiting[done];
		const uint32_t n = s->scans - s->waits + done;
		double path = s->path;

		k->last = history[n];
		if (n)
			path += hypot(history[n].x - history[n - 1].x,
				      history[n].y - history[n - 1].y);
		err = submaps_place(s, k, n, path);
		done += !err;
	}
	assert(done <= s->waits && s->waits <= s->scans);
	s->waits -= done;
	if (s->waits)
		memmove(s->waiting, s->waiting + done,
			s->waits * sizeof(*s->waiting));
	return err;
}

/* Drop the scans of the oldest submaps */
static void save_memory(struct submaps *s)
{
	for (; s->bytes > s->config.memory && s->oldest + 1 < s->parts;
	     s->oldest++) {
		struct part *p = &s->part[s->oldest];

		submaps_drop(s, p);
		s->lost += p->submap.changed;
		p->submap.changed = false;
		if (s->other.part == s->oldest)
			s->other.part = NONE;
	}
}

/*
 * Changes
 */

/* Scans of a drawn submap moved relative to each other */
static bool is_bent(const struct submaps *s, const struct part *p)
{
	for (uint32_t i = 0; i < p->drawn; i++) {
		const struct kept *k = &p->scan[i];
		const struct pose now = pose_between(&p->scan[0].last,
						     &k->last);

		if (pose_distance(&k->drawn, &now, k->reach) >
		    s->config.tolerance)
			return true;
	}
	return false;
}

static void submaps_compare(const struct submaps *s, struct part *p,
			    const struct pose *history)
{
	bool same = true;

	p->submap.pose = history[0];
	if (!p->placed || pose_distance(&p->shown, &history[0], p->radius) >
			  s->config.tolerance)
		p->submap.moved = true;
	if (!p->scan)
		return;
	/* most updates change nothing in most submaps */
	for (uint32_t i = 0; i < p->submap.scans && same; i++)
		same = !memcmp(&p->scan[i].last, &history[i],
			       sizeof(*history));
	if (same)
		return;
	for (uint32_t i = 0; i < p->submap.scans; i++)
		p->scan[i].last = history[i];
	if (!p->submap.changed && is_bent(s, p))
		p->submap.changed = true;
}

/* Make room for the list first, to fail before any change */
static int make_list(struct submaps *s)
{
	uint32_t *list;

	s->listed = 0;
	if (s->list_room < s->parts) {
		list = realloc(s->list, 2 * s->parts * sizeof(*list));
		if (!list)
			return -ENOMEM;
		s->list = list;
		s->list_room = 2 * s->parts;
	}
	for (uint32_t i = 0; i < s->parts; i++) {
		const struct submap *m = &s->part[i].submap;

		if (m->moved || m->changed)
			s->list[s->listed++] = i;
	}
	assert(s->listed <= s->parts);
	return s->listed;
}

int submaps_update(struct submaps *s, const struct pose *history,
		   uint32_t count, struct error *error)
{
	int err;

	if (count != s->scans)
		return error_set(error, -EINVAL, "%u poses for %u scans",
				 count, s->scans);
	for (uint32_t i = 0; i < count; i++)
		if (!pose_valid(&history[i]))
			return error_set(error, -EINVAL,
					 "scan %u: invalid pose: %g m, %g m, "
					 "%g rad",
					 i, history[i].x, history[i].y,
					 history[i].yaw);
	err = submaps_cut(s, history);
	if (err)
		return submaps_no_memory(error);
	save_memory(s);
	for (uint32_t i = 0; i < s->parts; i++)
		submaps_compare(s, &s->part[i],
				history + s->part[i].submap.first);
	err = make_list(s);
	return err < 0 ? submaps_no_memory(error) : err;
}

const uint32_t *submaps_list(const struct submaps *s)
{
	return s->list;
}

uint32_t submaps_count(const struct submaps *s)
{
	return s->parts;
}

const struct submap *submaps_at(const struct submaps *s, uint32_t i)
{
	return &s->part[i].submap;
}

const struct reading *submaps_scan(const struct submaps *s, uint32_t n)
{
	uint32_t low = 0, high = s->parts;

	while (high - low > 1) {
		const uint32_t mid = low + (high - low) / 2;

		if (s->part[mid].submap.first <= n)
			low = mid;
		else
			high = mid;
	}
	if (low == high || !s->part[low].scan ||
	    n - s->part[low].submap.first >= s->part[low].submap.scans)
		return NULL;
	return &s->part[low].scan[n - s->part[low].submap.first].reading;
}

/*
 * Drawing
 */

/* Return: 0, -ENOMEM; a scan outside the largest grid is left out */
static int draw_scan(struct submaps *s, struct grid *g, struct part *p,
		     uint32_t i, struct error *error)
{
	struct pose first = p->scan[0].last;
	struct kept *k = &p->scan[i];
	double reach;
	int err;

	/* for the same bits on every machine */
	first.yaw = remainder(first.yaw, 2 * M_PI);
	k->drawn = det_between(&first, &k->last);
	err = occupancy_add(g->o, &k->reading, &k->drawn, error);
	if (err == -ENOMEM)
		return err;
	if (err)
		s->left_out++;
	reach = hypot(k->drawn.x, k->drawn.y) + k->reach;
	if (reach > p->radius)
		p->radius = reach;
	g->scans = i + 1;
	return 0;
}

static int draw(struct submaps *s, struct grid *g, uint32_t number,
		struct error *error)
{
	struct part *p = &s->part[number];
	int err = 0;

	if (g->part != number || is_bent(s, p)) {
		occupancy_clear(g->o);
		g->part = number;
		g->scans = 0;
		p->radius = 0;
	}
	if (g->scans < p->submap.scans)
		s->drawn++;
	for (uint32_t i = g->scans; i < p->submap.scans && !err; i++)
		err = draw_scan(s, g, p, i, error);
	p->drawn = g->scans;
	if (err)
		g->part = NONE;
	return err;
}

int submaps_draw(struct submaps *s, uint32_t i, const struct occupancy **o,
		 struct error *error)
{
	struct part *p = &s->part[i];
	struct grid *g = s->open.part == i || p->submap.open ? &s->open :
							       &s->other;
	struct rect known;
	int err;

	if (!p->scan)
		return error_set(error, -ENODATA,
				 "submap %u: scans no longer in memory",
				 i);
	err = draw(s, g, i, error);
	if (err)
		return err;
	known = occupancy_known(g->o);
	if (rect_is_empty(&known))
		return error_set(error, -ENODATA, "submap %u is empty",
				 i);
	if ((uint64_t)known.width * known.height > CELLS_MAX)
		return error_set(
			error, -E2BIG,
			"submap %u of %u x %u cells exceeds %d cells: limit "
			"the range of the laser",
			i, known.width, known.height, CELLS_MAX);
	*o = g->o;
	return 0;
}

void submaps_published(struct submaps *s, uint32_t i, bool pose, bool cells)
{
	struct part *p = &s->part[i];

	if (pose) {
		p->shown = p->submap.pose;
		p->placed = true;
		p->submap.moved = false;
	}
	if (cells)
		p->submap.changed = false;
}

struct submaps_counts submaps_counts(const struct submaps *s)
{
	return (struct submaps_counts){
		s->parts, s->oldest, s->drawn, s->left_out, s->lost, s->bytes,
	};
}
