// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_submaps - a way cut into submaps, and histories that change
 */
#include <errno.h>
#include <string.h>
#include "submaps_fixture.h"
#include "tap.h"

/* All is taken. Return: how many moved, and how many cells there were */
static unsigned int take(struct submaps *s, int listed, unsigned int *cells)
{
	unsigned int moved = 0;

	*cells = 0;
	for (int i = 0; i < listed; i++) {
		const uint32_t n = submaps_list(s)[i];
		const struct occupancy *o;

		moved += submaps_at(s, n)->moved;
		*cells += submaps_at(s, n)->changed;
		if (submaps_at(s, n)->changed &&
		    submaps_draw(s, n, &o, &error))
			printf("# %s\n", error.text);
		submaps_published(s, n, true, true);
	}
	return moved;
}

/* The submap's grid, made by hand from what the history says */
static bool is_drawn(struct submaps *s, uint32_t n)
{
	const struct submap *m = submaps_at(s, n);
	const struct occupancy *o;
	struct occupancy *mine;
	struct raster a = { 0 }, b = { 0 };
	float range[BEAMS];
	bool same;

	if (occupancy_create(&mine, &usual.grid, &error) ||
	    submaps_draw(s, n, &o, &error))
		return false;
	for (uint32_t i = m->first; i < m->first + m->scans; i++) {
		const struct pose truth = way_at(i * 0.2);
		const struct reading r = scan_at(&truth, 0, range);
		const struct pose p = pose_between(&history[m->first],
						   &history[i]);

		occupancy_add(mine, &r, &p, &error);
	}
	same = !occupancy_raster(o, &a) && !occupancy_raster(mine, &b) &&
	       !memcmp(&a.rect, &b.rect, sizeof(a.rect)) &&
	       !memcmp(a.cells, b.cells, (size_t)a.rect.width *
					 a.rect.height * sizeof(*a.cells));
	free(a.cells);
	free(b.cells);
	occupancy_destroy(mine);
	return same;
}

static void test_cuts(void)
{
	struct submaps *s = make(&usual);
	unsigned int cells, moved;
	bool good = true;
	int n;

	ok_eq(submaps_count(s), 0, "nothing yet");
	ok_eq(submaps_update(s, history, 0, &error), 0, "... submaps update");
	drive(s, 0, STEPS);
	n = submaps_update(s, history, STEPS, &error);
	/* chords are a little shorter than arcs: 26 steps for 5 m */
	ok_eq(n, 5, "a way of 24 m: %d submaps", n);
	ok_eq(submaps_count(s), 5, "... submaps count");
	for (uint32_t i = 0; i < submaps_count(s); i++) {
		const struct submap *m = submaps_at(s, i);

		good = good && m->first == i * 26 && m->scans ==
		       (i < 4 ? 26 : 16) && m->open == (i == 4) && m->moved &&
		       m->changed && m->stamp == m->first * second / 10 &&
		       !memcmp(&m->pose, &history[m->first], sizeof(m->pose));
	}
	ok(good, "each begins at the pose and the time of its first scan");
	for (uint32_t i = 5; i--; )
		good = good && is_drawn(s, i);
	ok(good, "each has the cells of its scans, in its own frame");
	moved = take(s, n, &cells);
	ok_eq(moved, 5, "reported once");
	ok_eq(cells, 5, "... cells");
	ok_eq(submaps_update(s, history, STEPS, &error), 0,
	      "... submaps update");
	drive(s, STEPS, STEPS + 5);
	n = submaps_update(s, history, STEPS + 5, &error);
	ok_eq(n, 1, "the open one grows");
	ok_eq(submaps_at(s, 4)->moved, 0, "... moved");
	ok(submaps_at(s, 4)->changed, "... changed");
	ok(is_drawn(s, 4), "... is drawn");
	submaps_destroy(s);
}

/* Stamps: of a log whose time jumps back, and of scans all at one time */
static void test_stamps(void)
{
	struct submaps_config c = usual;
	struct submaps *s;
	float range[BEAMS];
	bool good = true;

	c.distance = 1;
	s = make(&c);
	for (int i = 0; i < 40; i++) {
		struct reading r;

		history[i] = way_at(i * 0.6);
		r = scan_at(&history[i], i < 20 ? i + 100 : 7, range);
		submaps_add(s, &r, &error);
	}
	submaps_update(s, history, 40, &error);
	for (uint32_t i = 1; i < submaps_count(s); i++)
		good = good && submaps_at(s, i)->stamp >
			       submaps_at(s, i - 1)->stamp;
	ok(good, "stamps rise");
	ok_eq(submaps_count(s), 20, "... submaps count");
	submaps_destroy(s);
}

static void test_standing(void)
{
	const float range[] = { 3 };
	const struct reading r = { .beams = 1, .range = range, .range_max = 50,
				   .angle_increment = 1 };
	struct submaps *s = make(&usual);

	for (int i = 0; i < SUBMAPS_SCANS_MAX + 10; i++) {
		history[i] = (struct pose){ 1, 1, i * 0.1 };
		submaps_add(s, &r, &error);
		if (i == 500)
			submaps_update(s, history, i + 1, &error);
	}
	submaps_update(s, history, SUBMAPS_SCANS_MAX, &error);
	ok(submaps_count(s) == 1, "a robot that turns on the spot: one submap");
	submaps_update(s, history, SUBMAPS_SCANS_MAX + 10, &error);
	ok_eq(submaps_count(s), 2, "but with so many scans and no more");
	ok_eq(submaps_at(s, 1)->scans, 10, "... scans");
	submaps_destroy(s);
}

/*
 * Histories that change
 */

static void test_history(void)
{
	struct submaps *s = make(&usual);
	unsigned int cells, moved;
	int n;

	drive(s, 0, STEPS);
	take(s, submaps_update(s, history, STEPS, &error), &cells);
	bend(78, STEPS, 0.05, 0.2);
	n = submaps_update(s, history, STEPS, &error);
	ok_eq(n, 2, "another particle: those behind where it branched off");
	ok_eq(submaps_list(s)[0], 3, "... submaps list");
	ok_eq(submaps_list(s)[1], 4, "... submaps list");
	moved = take(s, n, &cells);
	ok_eq(moved, 2, "they move, but keep their cells");
	ok_eq(cells, 0, "... cells");
	ok(is_drawn(s, 3), "... is drawn");
	bend(40, STEPS, 0.05, 0);
	n = submaps_update(s, history, STEPS, &error);
	ok_eq(n, 4, "a bend within a submap: it is drawn again");
	ok(submaps_at(s, 1)->changed, "... changed");
	ok_eq(submaps_at(s, 1)->moved, 0, "... moved");
	ok_eq(submaps_at(s, 2)->changed, 0, "... changed");
	ok(submaps_at(s, 2)->moved, "... moved");
	ok(is_drawn(s, 1), "and is right");
	ok(is_drawn(s, 2), "... is drawn");
	ok(is_drawn(s, 4), "... is drawn");
	take(s, n, &cells);
	n = submaps_update(s, history, STEPS, &error);
	ok(!n, "and reported once");
	bend(112, STEPS, 0.05, 0);
	n = submaps_update(s, history, STEPS, &error);
	ok_eq(n, 1, "also the open one");
	ok(submaps_at(s, 4)->changed, "... changed");
	ok(is_drawn(s, 4), "... is drawn");
	submaps_destroy(s);
}

/* Many small steps in one direction are reported in the end */
static void test_tolerance(void)
{
	struct submaps *s = make(&usual);
	unsigned int cells, updates = 0;
	double far = 0;

	drive(s, 0, STEPS);
	take(s, submaps_update(s, history, STEPS, &error), &cells);
	bend(0, STEPS, 0, 0.02);
	ok(!submaps_update(s, history, STEPS, &error),
	   "less than the tolerance");
	for (int i = 0; i < 20; i++) {
		bend(0, STEPS, 0, 0.02);
		far += 0.02;
		if (submaps_update(s, history, STEPS, &error) == 5) {
			take(s, 5, &cells);
			updates++;
		}
	}
	ok_eq(updates, 7, "what creeps is reported, %u times in %g m", updates,
	      far);
	ok_eq(cells, 0, "... cells");
	bend(90, STEPS, 0.001, 0);
	ok(!submaps_update(s, history, STEPS, &error), "a small bend");
	for (int i = 0; i < 10; i++)
		bend(90, STEPS, 0.001, 0);
	ok_eq(submaps_update(s, history, STEPS, &error), 2, "and many of them");
	ok(submaps_at(s, 3)->changed, "... changed");
	submaps_destroy(s);
}

static void test_memory(void)
{
	struct submaps_config c = usual;
	const struct occupancy *o;
	struct submaps_counts counts;
	struct submaps *s;
	unsigned int cells, moved;
	int n;

	c.memory = 40 * (BEAMS * sizeof(float) + 200);
	s = make(&c);
	drive(s, 0, 60);
	take(s, submaps_update(s, history, 60, &error), &cells);
	drive(s, 60, STEPS);
	n = submaps_update(s, history, STEPS, &error);
	counts = submaps_counts(s);
	ok_range(counts.bytes, -INFINITY, c.memory,
		 "memory: %zu bytes, %u submaps are as they are, "
		 "%u of them were never reported",
		 counts.bytes, counts.fixed, (unsigned int)counts.lost);
	ok_eq(counts.fixed, 3, "... fixed");
	ok_eq(counts.lost, 2, "... lost");
	take(s, n, &cells);
	bend(10, STEPS, 0.1, 0);
	n = submaps_update(s, history, STEPS, &error);
	moved = take(s, n, &cells);
	ok_eq(n, 4, "those still move");
	ok_eq(moved, 4, "... moved");
	ok_eq(cells, 0, "... cells");
	ok(submaps_draw(s, 0, &o, &error) == -ENODATA, "%s", error.text);
	submaps_destroy(s);
}

static void test_bad(void)
{
	struct submaps *s = make(&usual);
	const struct submaps_config bad[] = {
		{ .distance = -1, .grid.resolution = 0.1 },
		{ .distance = 2 * POSE_MAX, .grid.resolution = 0.1 },
		{ .distance = NAN, .grid.resolution = 0.1 },
		{ .tolerance = -1, .grid.resolution = 0.1 },
		{ .tolerance = 2 * POSE_MAX, .grid.resolution = 0.1 },
		{ .tolerance = NAN, .grid.resolution = 0.1 },
		{ .grid.resolution = 0 },
	};
	const struct occupancy *o;
	struct submaps *none;
	struct reading r = { .stamp = -1 };
	struct pose keep;

	for (int i = 0; i < 7; i++)
		ok_eq(submaps_create(&none, &bad[i], &error), -EINVAL,
		      "settings that cannot be, %d: %s", i, error.text);
	drive(s, 0, 30);
	ok_eq(submaps_add(s, &r, &error), -EINVAL, "a scan that is not valid: %s",
	      error.text);
	ok_eq(submaps_scans(s), 30, "... submaps scans");
	ok(submaps_update(s, history, 29, &error) == -EINVAL, "%s", error.text);
	keep = history[12];
	history[12].x = NAN;
	ok(submaps_update(s, history, 30, &error) == -EINVAL, "%s", error.text);
	history[12] = (struct pose){ 0, 2 * POSE_MAX, 0 };
	ok_eq(submaps_update(s, history, 30, &error), -EINVAL,
	      "and nothing is changed");
	ok_eq(submaps_count(s), 0, "... submaps count");
	history[12] = keep;
	ok(submaps_update(s, history, 30, &error) == 2, "until it is right");
	r.stamp = 5 * second;
	history[30] = (struct pose){ 9e5, 0, 1e30 };
	ok_eq(submaps_add(s, &r, &error), 0, "%s", error.text);
	ok_eq(submaps_update(s, history, 31, &error), 3, "... submaps update");
	ok_eq(submaps_draw(s, 2, &o, &error), -ENODATA, "... submaps draw");
	submaps_destroy(s);
}

/* A laser without an end */
static void test_large(void)
{
	const float range[] = { 230, 230, 230, 230 };
	const struct reading r = { .beams = 4, .range = range,
		.range_max = 500, .angle_increment = (float)(M_PI / 2) };
	const struct submaps_config c = { .grid = { .resolution = 0.05 } };
	const struct occupancy *o;
	struct submaps *s = make(&c);

	history[0] = (struct pose){ 0 };
	submaps_add(s, &r, &error);
	submaps_update(s, history, 1, &error);
	ok(submaps_draw(s, 0, &o, &error) == -E2BIG, "%s", error.text);
	submaps_destroy(s);
}

int main(void)
{
	test_cuts();
	test_stamps();
	test_standing();
	test_history();
	test_tolerance();
	test_memory();
	test_bad();
	test_large();
	return tap_done();
}
