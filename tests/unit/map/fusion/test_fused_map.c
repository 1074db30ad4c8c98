// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fused_map - a fused map whose submaps come, change, move and go: what is
 * fused again, its memory, its size, and invalid input
 */
#include "fusion_fixture.h"

static void test_changes(enum rule_id rule, bool splat)
{
	struct fused_map *m = make_fused_map(8, 0.05, rule, splat, 2, SIZE_MAX);
	struct fused_map *fresh;
	uint64_t seed = 5;
	unsigned int moved = 0, small = 0, tries = 0, bad = 0;

	make_site(8, 0.05, false);
	for (unsigned int i = 0; i < SUBMAPS; i++) {
		put(m, i);
		if (i % 3 == 0)
			fused_map_update(m, UINT64_MAX, NULL);
	}
	for (unsigned int step = 0; step < 60; step++) {
		const unsigned int i = rnd(&seed, SUBMAPS);
		const struct pose origin = { -1.1, -2, 0 };
		struct pose p = submap[i].pose;
		int ret;

		switch (rnd(&seed, 4)) {
		case 0:
			fused_map_remove(m, i);
			put(m, i);
			break;
		case 1:
			cells_put((struct cells *)submap[i].cells);
			submap[i].cells = make_cells(&seed, 8, 0.05, &origin,
						     60, 70);
			put(m, i);
			break;
		case 2:
			p.x += 0.4;
			p.yaw -= 0.2;
			moved += fused_map_move(m, i, &p) == 1;
			tries++;
			submap[i].pose = p;
			break;
		case 3:
			p.x += 0.02;
			ret = fused_map_move(m, i, &p);
			small += ret == 0;
			tries += ret != 0;
			break;
		}
		if (rnd(&seed, 3) == 0)
			while (fused_map_update(m, 0, NULL) == 1)
				;
	}
	fused_map_update(m, UINT64_MAX, NULL);
	fresh = fuse(8, 0.05, rule, splat, 1);
	bad = !same(m, fresh);
	ok_eq(moved, tries,
	      "%s: come, change, move (%u) and go: as if fused from scratch; %u small moves stay",
	      rule_get(rule, 8)->name, moved, small);
	ok(small, "... small");
	ok_eq(bad, 0, "... bad");
	fused_map_destroy(m);
	fused_map_destroy(fresh);
}

struct area {
	double	cells;
};

static void add_area(void *arg, const struct rect *tile)
{
	((struct area *)arg)->cells += tile->width * tile->height;
}

static void test_only_what_moved(void)
{
	struct fused_map *m;
	struct fused_map_work work = { 0 };
	struct area all = { 0 }, some = { 0 };
	struct pose p;
	uint64_t since;

	make_site(8, 0.05, false);
	for (unsigned int i = 0; i < SUBMAPS; i++)
		submap[i].pose.x += 8.0 * i;	/* a corridor */
	m = fuse(8, 0.05, RULE_MAX, true, 1);
	since = fused_map_changes(m, 0, add_area, &all);
	p = submap[3].pose;
	p.y += 0.3;
	fused_map_move(m, 3, &p);
	fused_map_update(m, UINT64_MAX, &work);
	fused_map_changes(m, since, add_area, &some);
	ok(work.tiles,
	   "one of a corridor moves: %.0f of %.0f tiles are fused and reported",
	   some.cells / 4096, all.cells / 4096);
	ok_range(work.tiles, -INFINITY, 16, "... tiles");
	ok_range(work.drawn, -INFINITY, 7, "... drawn");
	ok_near(some.cells, work.tiles * 4096.0, 0, "... cells");
	ok_range(some.cells, -INFINITY, all.cells / 8, "... cells");
	fused_map_destroy(m);
}

static void test_memory(void)
{
	struct fused_map *all, *m = make_fused_map(8, 0.05, RULE_MEAN, false, 1,
						20 * 4096 * 4);
	struct rect bounds;
	unsigned int forgotten = 0, bad = 0;
	size_t most = 0;

	make_site(8, 0.05, false);
	for (unsigned int i = 0; i < SUBMAPS; i++)
		submap[i].pose.x += 3.0 * i;
	all = fuse(8, 0.05, RULE_MEAN, false, 1);
	for (unsigned int i = 0; i < SUBMAPS; i++) {
		put(m, i);
		fused_map_update(m, UINT64_MAX, NULL);
		most = fused_map_size(m).bytes > most ?
			       fused_map_size(m).bytes :
			       most;
	}
	bounds = fused_map_bounds(m);
	for (int x = bounds.x; x < bounds.x + (int)bounds.width; x += 64) {
		const struct rect r = { x, bounds.y, 64, bounds.height };
		struct raster a = { .rect = r }, b = { .rect = r };
		const size_t n = (size_t)r.width * r.height;

		a.cells = malloc(n * sizeof(*a.cells));
		b.cells = malloc(n * sizeof(*b.cells));
		if (fused_map_read(m, &a) == -EAGAIN)
			forgotten++;
		fused_map_ensure(m, &r);
		bad += fused_map_read(m, &a) != 0;
		fused_map_read(all, &b);
		bad += memcmp(a.cells, b.cells, n * sizeof(*a.cells)) != 0;
		most = fused_map_size(m).bytes > most ?
			       fused_map_size(m).bytes :
			       most;
		free(a.cells);
		free(b.cells);
	}
	ok_eq(bad, 0, "a site of %zu tiles in the memory of 20: the same map",
	      fused_map_size(all).bytes / 4096 / 4);
	ok_range(forgotten, 4, INFINITY, "... forgotten");
	ok_range(most, -INFINITY, 20 * 4096 * 4, "... most");
	ok_range(fused_map_size(all).bytes, 2 * most, INFINITY, "... bytes");
	fused_map_destroy(m);
	fused_map_destroy(all);
}

/* Tiles that are not watched do not take turns in memory */
static void test_unwatched(void)
{
	enum { ROOM = 70 };		/* tiles */
	struct fused_map *m = make_fused_map(8, 0.05, RULE_MEAN, false, 1,
					  ROOM * 4096 * 4);
	struct fused_map_work work = { 0 };

	make_site(8, 0.05, false);
	for (unsigned int i = 0; i < SUBMAPS; i++) {
		submap[i].pose.x += 6.0 * i;
		put(m, i);
	}
	while (fused_map_update(m, 1, &work) > 0)
		;
	ok_eq(fused_map_is_stale(m), 0,
	      "of %u tiles %llu are fused in the memory of %d, %llu drawn for %d",
	      fused_map_size(m).tiles, (unsigned long long)work.tiles, ROOM,
	      (unsigned long long)work.drawn, SUBMAPS);
	ok_range(fused_map_size(m).tiles, ROOM + 20, INFINITY, "... tiles");
	ok(work.tiles, "... tiles");
	ok_range(work.tiles, -INFINITY, ROOM, "... tiles");
	ok_range(fused_map_size(m).bytes, -INFINITY, ROOM * 4096 * 4,
		 "... bytes");
	fused_map_destroy(m);
}

/* A submap that is larger than the windows it is splatted in, and others */
static void test_large(void)
{
	const struct pose origin = { -20, -21, 0 };
	uint64_t seed = 3;

	make_site(8, 0.05, false);
	cells_put((struct cells *)submap[4].cells);
	submap[4].cells = make_cells(&seed, 8, 0.05, &origin, 900, 850);
	for (int splat = 0; splat < 2; splat++)
		test_rule(splat ? RULE_MAX : RULE_MEAN, 8, splat, 0.05);
}

/* A wild pose is put right: the map is as large as before */
static void test_far_away(void)
{
	const struct pose far = { 30000, -20000, 1 };
	struct rect before, wild, after;
	struct fused_map *m;

	make_site(8, 0.05, false);
	m = fuse(8, 0.05, RULE_MAX, true, 1);
	before = fused_map_bounds(m);
	fused_map_move(m, 3, &far);
	fused_map_update(m, UINT64_MAX, NULL);
	wild = fused_map_bounds(m);
	fused_map_move(m, 3, &submap[3].pose);
	fused_map_update(m, UINT64_MAX, NULL);
	after = fused_map_bounds(m);
	ok_range(wild.width, 100001, INFINITY,
		 "one was far away for a while: %u x %u cells again",
		 after.width, after.height);
	ok_range(wild.height, 100001, INFINITY, "... height");
	ok_mem(&before, &after, sizeof(after), "... before");
	fused_map_destroy(m);
}

/* Cells as large as a room, in a map of millimetres */
static void test_too_large(void)
{
	struct fused_map *m =
		make_fused_map(8, 0.001, RULE_MAX, true, 1, SIZE_MAX);
	const struct pose origin = { 0 };
	struct fused_map_work work = { 0 };
	uint64_t seed = 4;

	make_site(8, 0.001, false);
	cells_put((struct cells *)submap[1].cells);
	submap[1].cells = make_cells(&seed, 8, 50, &origin, 400, 400);
	put(m, 0);
	put(m, 1);
	fused_map_update(m, UINT64_MAX, &work);
	ok_eq(work.failed, 1,
	      "a submap that would be millions of tiles is left out");
	ok_eq(work.drawn, 1, "... drawn");
	ok_range(fused_map_size(m).tiles, -INFINITY, 49, "... tiles");
	fused_map_destroy(m);
}

static void test_bad_input(void)
{
	struct fused_map *m = make_fused_map(8, 0.05, RULE_MAX, true, 1, SIZE_MAX);
	const struct pose nan = { NAN, 0, 0 }, far = { 9e5, 0, 0 },
			  turned = { 0, 0, INFINITY };
	struct fused_map_work work = { 0 };
	struct fused_map_submap s = { 0, { 0 }, { 0 } };
	int errs[3];

	make_site(8, 0.001, false);
	s.pose = nan;
	errs[0] = fused_map_put(m, &s);
	s.pose = turned;
	errs[1] = fused_map_put(m, &s);
	s.pose = submap[0].pose;
	errs[2] = fused_map_move(m, 17, &s.pose);
	ok_eq(errs[0], -ERANGE,
	      "poses that are none, submaps that are unknown: nothing is put");
	ok_eq(errs[1], -ERANGE, "... errs");
	ok_eq(errs[2], -ENOENT, "... errs");
	ok_eq(fused_map_size(m).submaps, 0, "... submaps");
	fused_map_destroy(m);

	make_site(8, 0.05, false);
	m = make_fused_map(8, 0.001, RULE_MAX, true, 1, SIZE_MAX);
	s.pose = far;
	ok(fused_map_put(m, &s) == -ERANGE,
	   "too far away for cells of a millimetre");
	fused_map_destroy(m);

	m = make_fused_map(8, 0.05, RULE_MAX, true, 1, SIZE_MAX);
	put(m, 0);
	put(m, 1);
	missing = 2;
	fused_map_update(m, UINT64_MAX, &work);
	missing = 0;
	ok(work.failed,
	   "one that cannot be fetched when it is to be drawn is skipped");
	ok(work.drawn, "... drawn");
	ok(fused_map_bounds(m).width, "... width");
	fused_map_destroy(m);
}

int main(void)
{
	for (int rule = 0; rule < RULES; rule++)
		test_changes(rule, rule == RULE_MAX || rule == RULE_LOG_ODDS);
	test_only_what_moved();
	test_memory();
	test_unwatched();
	test_large();
	test_far_away();
	test_too_large();
	test_bad_input();
	return tap_done();
}
