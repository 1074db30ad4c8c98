// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_occupancy - scans to a grid: against a slow tracer that is exact, by
 * hand, at all limits; and the map as files
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "base/error.h"
#include "folder.h"
#include "map/fusion/cells.h"
#include "slam/filter/det_math.h"
#include "slam/output/map_out.h"
#include "slam/output/occupancy.h"
#include "tap.h"

enum { UNIT = 256, SIDE = 640, HALF = SIDE / 2, BEAMS = 60 };

static const struct occupancy_config plain = { .resolution = 0.05 };
static struct error error;

static struct occupancy *make(const struct occupancy_config *c)
{
	struct occupancy *o;

	if (occupancy_create(&o, c, &error))
		abort();
	return o;
}

/* A scan of @beams, from 0 on all around */
static struct reading scan_of(const float *range, unsigned int beams)
{
	return (struct reading){
		.beams = beams, .range = range, .range_max = 50,
		.angle_increment = (float)(2 * M_PI) / (float)beams,
	};
}

static bool counted(const struct occupancy *o, int x, int y,
		    unsigned int hits, unsigned int visits)
{
	const struct occupancy_cell c = occupancy_at(o, x, y);

	if (c.hits == hits && c.visits == visits)
		return true;
	printf("# cell %d, %d: %u hits of %u, not %u of %u\n", x, y, c.hits,
	       c.visits, hits, visits);
	return false;
}

/*
 * The slow one: a cell is crossed if a point of the beam is in it. Where the
 * beam meets a border, and half way between such places, all that there are
 * can be seen; in fractions, so that nothing is rounded.
 */

struct fraction {
	int64_t	above, below;
};

static int by_value(const void *a, const void *b)
{
	const struct fraction *p = a, *q = b;
	const __int128 d = (__int128)p->above * q->below -
			   (__int128)q->above * p->below;

	return d < 0 ? -1 : d > 0;
}

static struct reference {
	uint32_t	hits[SIDE][SIDE], visits[SIDE][SIDE];
	bool		free[SIDE][SIDE], hit[SIDE][SIDE];
} ref;

static int cell_along(int64_t from, int64_t d, struct fraction t)
{
	const __int128 n = (__int128)from * t.below + (__int128)d * t.above;
	const __int128 below = (__int128)UNIT * t.below;
	__int128 q = n / below;

	return (int)(n % below < 0 ? q - 1 : q);
}

static void mark(const int64_t a[2], const int64_t b[2], struct fraction t)
{
	const int x = cell_along(a[0], b[0] - a[0], t) + HALF;
	const int y = cell_along(a[1], b[1] - a[1], t) + HALF;

	if (x < 0 || y < 0 || x >= SIDE || y >= SIDE)
		abort();
	ref.free[y][x] = true;
}

/* Of axis @k, where between 0 and 1 borders of cells are met */
static unsigned int crossings(const int64_t a[2], const int64_t b[2], int k,
			      struct fraction *t)
{
	const int64_t d = b[k] - a[k], low = d < 0 ? b[k] : a[k];
	unsigned int n = 0;

	for (int64_t i = low / UNIT - 1; i <= (low + llabs(d)) / UNIT + 1; i++)
		if (d && i * UNIT >= low && i * UNIT <= low + llabs(d))
			t[n++] = (struct fraction){
				llabs(i * UNIT - a[k]), llabs(d) };
	return n;
}

static void slow_trace(const int64_t a[2], const int64_t b[2])
{
	static struct fraction t[4 * SIDE];
	unsigned int n = crossings(a, b, 0, t);

	n += crossings(a, b, 1, t + n);
	t[n++] = (struct fraction){ 0, 1 };
	t[n++] = (struct fraction){ 1, 1 };
	qsort(t, n, sizeof(*t), by_value);
	for (unsigned int i = 0; i < n; i++) {
		mark(a, b, t[i]);
		if (i + 1 == n)
			break;
		mark(a, b, (struct fraction){
			t[i].above * t[i + 1].below +
			t[i + 1].above * t[i].below,
			2 * t[i].below * t[i + 1].below });
	}
}

static void slow_point(double x, double y, int64_t to[2])
{
	to[0] = (int64_t)floor(x * (UNIT / 0.05) + 0.5);
	to[1] = (int64_t)floor(y * (UNIT / 0.05) + 0.5);
}

static int cell_of(int64_t v)
{
	return (int)((v - (v % UNIT + UNIT) % UNIT) / UNIT) + HALF;
}

static void slow_add(const struct reading *r, const struct pose *robot)
{
	const struct pose laser = det_compose(robot, &r->laser);
	int64_t a[2], b[2];

	memset(ref.free, 0, sizeof(ref.free));
	memset(ref.hit, 0, sizeof(ref.hit));
	slow_point(laser.x, laser.y, a);
	for (unsigned int i = 0; i < r->beams; i++) {
		double s, c;

		if (!(r->range[i] > 0 && r->range[i] < r->range_max))
			continue;
		det_sincos(remainder(laser.yaw + r->angle_min +
			   (double)r->angle_increment * i, 2 * M_PI), &s, &c);
		slow_point(laser.x + r->range[i] * c,
			   laser.y + r->range[i] * s, b);
		slow_trace(a, b);
		ref.hit[cell_of(b[1])][cell_of(b[0])] = true;
	}
	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++) {
			ref.hits[y][x] += ref.hit[y][x];
			ref.visits[y][x] += ref.free[y][x];
		}
}

static unsigned int differences(const struct occupancy *o, struct rect *known)
{
	struct raster r = { 0 };
	unsigned int n = 0;

	for (int y = 0; y < SIDE; y++)
		for (int x = 0; x < SIDE; x++)
			n += !counted(o, x - HALF, y - HALF, ref.hits[y][x],
				      ref.visits[y][x]);
	if (!occupancy_raster(o, &r))
		*known = raster_known(&r);
	free(r.cells);
	return n;
}

/* Lasers on the grid's corners and lines, and beams along them, as well */
static struct pose odd_pose(uint64_t *state, unsigned int round)
{
	struct pose p = { (rnd(state, 4001) - 2000.0) / 1000,
			  (rnd(state, 4001) - 2000.0) / 1000,
			  (rnd(state, 6284) - 3142.0) / 1000 };

	if (round % 3 == 1) {
		p.x = (int)(p.x / 0.05) * 0.05;
		p.y = (int)(p.y / 0.05) * 0.05;
	}
	if (round % 4 == 1)
		p.yaw = (rnd(state, 8) - 4.0) * M_PI / 4;
	return p;
}

static void test_reference(void)
{
	struct occupancy *o = make(&plain);
	uint64_t state = 7;
	float range[BEAMS];
	struct rect known, k;
	bool good = true;

	for (unsigned int round = 0; round < 60; round++) {
		struct pose robot = odd_pose(&state, round);
		struct reading r = scan_of(range, BEAMS);

		for (int i = 0; i < BEAMS; i++)
			range[i] = round % 3 == 1 ? rnd(&state, 200) * 0.05f :
				   rnd(&state, 10000) * 0.001f;
		if (round % 4 == 1)
			r.angle_increment = (float)(M_PI / 4);
		if (round % 5 == 1)
			r.angle_increment = -r.angle_increment;
		if (round % 4 == 3)
			r.laser = (struct pose){ 0.1, -0.05, 0.3 };
		good = good && !occupancy_add(o, &r, &robot, &error);
		slow_add(&r, &robot);
	}
	ok(good, "60 scans");
	ok_eq(occupancy_count(o).scans, 60, "... scans");
	ok(!differences(o, &known), "counts are those of the slow tracer");
	k = occupancy_known(o);
	ok(!memcmp(&known, &k, sizeof(k)),
	   "what is known is all that is known");
	occupancy_destroy(o);
}

/*
 * By hand
 */

static void test_hand(void)
{
	const struct pose robot = { 0.025, 0.025, 0 };
	const struct pose turned = { 0.025, 0.025, M_PI / 2 };
	const float one[] = { 0.2f }, two[] = { 0.2f, 1 };
	struct occupancy *o = make(&plain);
	struct reading r = scan_of(one, 1);
	bool good;

	good = !occupancy_add(o, &r, &robot, &error);
	for (int x = 0; x < 4; x++)
		good = good && counted(o, x, 0, 0, 1);
	ok(good, "a beam: free, then hit");
	ok(counted(o, 4, 0, 1, 1), "... counted");
	ok(counted(o, 5, 0, 0, 0), "... counted");
	ok(counted(o, 0, 1, 0, 0), "... counted");
	ok_eq(occupancy_known(o).width, 5, "... width");
	ok_eq(occupancy_known(o).height, 1, "... height");
	occupancy_add(o, &r, &turned, &error);
	ok(counted(o, 0, 4, 1, 1), "the robot turned");
	ok(counted(o, 0, 0, 0, 2), "... counted");
	ok(counted(o, 0, 3, 0, 1), "... counted");
	occupancy_clear(o);
	ok_eq(occupancy_known(o).width, 0, "clear");
	ok(counted(o, 0, 0, 0, 0), "... counted");
	r.laser = (struct pose){ 0.1, 0, M_PI };
	occupancy_add(o, &r, &turned, &error);
	ok(counted(o, 0, 2, 0, 1), "a laser that looks back, in front");
	ok(counted(o, 0, -2, 1, 1), "... counted");
	ok(counted(o, 0, 3, 0, 0), "... counted");
	occupancy_clear(o);
	r = scan_of(two, 2);
	r.angle_increment = 1e-6f;
	occupancy_add(o, &r, &robot, &error);
	ok(counted(o, 4, 0, 1, 1), "what is hit is not freed by a neighbour");
	ok(counted(o, 5, 0, 0, 1), "... counted");
	ok(counted(o, 20, 0, 1, 1), "... counted");
	occupancy_destroy(o);
}

static void test_ranges(void)
{
	const float range[] = { INFINITY, NAN, 0, -1, 8, 3, -INFINITY, 50 };
	struct occupancy_config c = plain;
	const struct pose robot = { 0.025, 0.025, 0 };
	struct occupancy *o = make(&c);
	struct reading r = scan_of(range, 8);

	r.angle_increment = 1e-6f;
	occupancy_add(o, &r, &robot, &error);
	ok(counted(o, 60, 0, 1, 1), "beams that hit nothing leave no trace");
	ok(counted(o, 160, 0, 1, 1), "... counted");
	ok_eq(occupancy_known(o).width, 161, "... width");
	occupancy_destroy(o);
	c.range_max = 5;
	o = make(&c);
	occupancy_add(o, &r, &robot, &error);
	ok(counted(o, 60, 0, 1, 1), "a long beam: only its free part");
	ok(counted(o, 100, 0, 0, 1), "... counted");
	ok(counted(o, 101, 0, 0, 0), "... counted");
	occupancy_destroy(o);
	c = (struct occupancy_config){ 0.05, 0, 10 };
	o = make(&c);
	r.beams = 1;
	occupancy_add(o, &r, &robot, &error);
	ok(counted(o, 200, 0, 0, 1), "free range of beams that hit nothing");
	ok(counted(o, 201, 0, 0, 0), "... counted");
	r.range = range + 1;
	r.beams = 3;
	occupancy_add(o, &r, &robot, &error);
	r.range_max = 4;
	r.range = range + 7;
	r.beams = 1;
	occupancy_add(o, &r, &robot, &error);
	ok(counted(o, 150, 0, 0, 1), "but not what is nothing at all, and "
				     "not beyond the laser's range");
	ok(counted(o, 80, 0, 0, 2), "... counted");
	ok(counted(o, 81, 0, 0, 1), "... counted");
	occupancy_destroy(o);
}

static void test_growth(void)
{
	static const double at[][2] = { { 0, 0 }, { 100, 3 }, { -100, 3 },
					{ 7, 120 }, { 9, -120 }, { 50, 50 } };
	const float range[] = { 0.2f };
	struct occupancy *o = make(&plain);
	struct reading r = scan_of(range, 1);
	bool good = true;
	struct rect k;

	for (int i = 0; i < 6; i++) {
		const struct pose p = { at[i][0] + 0.025, at[i][1] + 0.025, 0 };

		good = good && !occupancy_add(o, &r, &p, &error);
	}
	for (int i = 0; i < 6; i++)
		good = good && counted(o, (int)lround(at[i][0] / 0.05) + 4,
				       (int)lround(at[i][1] / 0.05), 1, 1);
	k = occupancy_known(o);
	ok(good, "it grows in all directions");
	ok_eq(k.x, -2000, "... x");
	ok_eq(k.width, 4005, "... width");
	ok_eq(k.y, -2400, "... y");
	ok_eq(k.height, 4801, "... height");
	ok(occupancy_count(o).bytes < 4 << 20, "where nothing is known there "
	   "is no memory: %zu KB", occupancy_count(o).bytes >> 10);
	occupancy_destroy(o);
}

static void test_saturation(void)
{
	struct occupancy_config c = { .resolution = 1 };
	const float far[] = { 3 }, near[] = { 2 };
	const struct pose robot = { 0.5, 0.5, 0 };
	struct occupancy *o = make(&c);
	uint32_t hits[2] = { 0 }, visits[2] = { 0 };
	bool good = true;

	for (unsigned int i = 0; i < 140000; i++) {
		struct reading r = scan_of(i % 3 ? far : near, 1);

		good = good && !occupancy_add(o, &r, &robot, &error);
		for (int k = 0; k < 2; k++) {
			if (visits[k] == OCCUPANCY_COUNT_MAX) {
				visits[k] /= 2;
				hits[k] /= 2;
			}
			visits[k] += k == 0 || i % 3;
			hits[k] += k == (i % 3 ? 1 : 0);
		}
	}
	ok(good, "counts that are full");
	ok(counted(o, 2, 0, hits[0], visits[0]), "... counted");
	ok(counted(o, 3, 0, hits[1], visits[1]), "... counted");
	ok(abs(occupancy_value(occupancy_at(o, 2, 0)) - 60) <= 1,
	   "and shares that stay");
	occupancy_destroy(o);
}

/* What becomes of values in map_server: free below 19.6, occupied above 65 */
static void test_values(void)
{
	static const struct { unsigned int hits, visits; int value; } v[] = {
		{ 0, 0, -1 }, { 0, 1, 0 }, { 1, 1, 100 }, { 1, 4, 50 },
		{ 2, 5, 67 }, { 1, 13, 20 }, { 1, 14, 19 },
		{ 65535, 65535, 100 }, { 0, 65535, 0 }, { 1, 65535, 0 },
	};
	bool good = true;

	for (unsigned int i = 0; i < sizeof(v) / sizeof(*v); i++)
		good = good && occupancy_value((struct occupancy_cell){
			v[i].hits, v[i].visits }) == v[i].value;
	ok(good, "values");
}

/*
 * Sameness, and a map that is as before
 */

static void random_scans(struct occupancy *o, uint64_t state, int count)
{
	float range[180];

	while (count--) {
		const struct pose p = { rnd(&state, 3000) * 0.01,
					rnd(&state, 3000) * -0.01,
					rnd(&state, 6283) * 0.001 };
		const struct reading r = scan_of(range, 180);

		for (int i = 0; i < 180; i++)
			range[i] = rnd(&state, 20000) * 0.001f;
		occupancy_add(o, &r, &p, &error);
	}
}

static bool same(const struct occupancy *a, const struct occupancy *b)
{
	const struct rect r = occupancy_known(a), s = occupancy_known(b);
	bool is = !memcmp(&r, &s, sizeof(r));

	for (int y = 0; is && y < (int)r.height; y++)
		for (int x = 0; is && x < (int)r.width; x++) {
			const struct occupancy_cell c =
				occupancy_at(a, r.x + x, r.y + y);
			const struct occupancy_cell d =
				occupancy_at(b, r.x + x, r.y + y);

			is = c.hits == d.hits && c.visits == d.visits;
		}
	return is;
}

static void test_same(void)
{
	struct occupancy *a = make(&plain), *b = make(&plain);
	size_t bytes;

	random_scans(a, 1, 40);
	random_scans(b, 2, 30);
	ok(!same(a, b), "other scans, another map");
	bytes = occupancy_count(b).bytes;
	occupancy_clear(b);
	random_scans(b, 1, 40);
	ok(same(a, b), "the same scans, the same bits, also after another map");
	ok(occupancy_count(b).bytes < 2 * bytes, "memory is used again");
	occupancy_destroy(a);
	occupancy_destroy(b);
}

static int try_scan(struct occupancy *o, const struct reading *r, double x,
		    double y, double yaw)
{
	const struct pose p = { x, y, yaw };
	int err;

	*error.text = 0;
	err = occupancy_add(o, r, &p, &error);
	if (err && (!*error.text || strchr(error.text, '\n')))
		return 1;
	return err;
}

static void test_bad(void)
{
	struct occupancy *o = make(&plain), *before = make(&plain);
	const float range[] = { 2, 3, 4 };
	const struct reading good = scan_of(range, 3);
	struct reading bad[6];
	int refused = 0;

	random_scans(o, 3, 5);
	random_scans(before, 3, 5);
	for (int i = 0; i < 6; i++)
		bad[i] = good;
	bad[0].range_max = NAN;
	bad[1].angle_min = INFINITY;
	bad[2].angle_increment = 0;
	bad[3].laser.x = 101;
	bad[4].beams = READING_BEAMS_MAX + 1;
	bad[5].stamp = -1;
	for (int i = 0; i < 6; i++)
		refused += try_scan(o, &bad[i], 0, 0, 0) == -EINVAL;
	refused += try_scan(o, &good, NAN, 0, 0) == -EINVAL;
	refused += try_scan(o, &good, 0, INFINITY, 0) == -EINVAL;
	refused += try_scan(o, &good, 0, 0, NAN) == -EINVAL;
	refused += try_scan(o, &good, 2 * POSE_MAX, 0, 0) == -EINVAL;
	ok_eq(refused, 10, "scans and poses that cannot be");
	ok_eq(occupancy_count(o).refused, 10, "... refused");
	ok_eq(try_scan(o, &good, 5e5, 0, 0), -ERANGE, "poses too far away: %s",
	      error.text);
	ok_eq(try_scan(o, &good, -POSE_MAX, POSE_MAX, 0), -ERANGE,
	      "... try scan");
	ok_eq(try_scan(o, &good, 0, 0.05 * CELLS_SIDE_MAX, 0), -ERANGE,
	      "... try scan");
	bad[0] = good;
	bad[0].range = (float[]){ 99000, 1, 1 };
	bad[0].range_max = READING_RANGE_MAX;
	ok(try_scan(o, &bad[0], 0, 0, 0) == -ERANGE, "a beam too long: %s",
	   error.text);
	bad[0].beams = 0;
	ok(!try_scan(o, &bad[0], 5e5, 0, 1e300), "no beams: nothing to do");
	ok(same(o, before), "and the map is as before");
	ok_eq(occupancy_count(o).refused, 14, "... refused");
	bad[0] = good;
	bad[0].laser.x = 0.7;
	try_scan(before, &bad[0], 1, 1, remainder(1e15, 2 * M_PI));
	ok_eq(try_scan(o, &bad[0], 1, 1, 1e15), 0, "any yaw is one");
	ok(same(o, before), "... same");
	ok_eq(try_scan(o, &bad[0], 1, 1, 1e300), 0, "... try scan");
	ok_eq(same(o, before), 0, "... same");
	occupancy_destroy(o);
	occupancy_destroy(before);
}

static void test_limit(void)
{
	const float range[] = { 1 };
	struct occupancy *o = make(&plain);
	const struct reading r = scan_of(range, 1);
	struct raster raster;

	ok(occupancy_raster(o, &raster) == -ENODATA, "nothing is known");
	ok_eq(try_scan(o, &r, 0.025, 0.025, 0), 0, "the longest side");
	ok_eq(try_scan(o, &r, 0.025 + 0.05 * (CELLS_SIDE_MAX - 21), 0.025, 0),
	      0, "... try scan");
	ok_eq(occupancy_known(o).width, CELLS_SIDE_MAX, "... width");
	ok_eq(try_scan(o, &r, 0.075 + 0.05 * (CELLS_SIDE_MAX - 21), 0.025, 0),
	      -ERANGE, "and not a cell more");
	ok_eq(try_scan(o, &r, -0.025, 0.025, 0), -ERANGE, "... try scan");
	ok(counted(o, -1, 0, 0, 0), "... counted");
	ok(!occupancy_raster(o, &raster), "a raster of it");
	free(raster.cells);
	ok_eq(try_scan(o, &r, 1, 500, 0), 0, "and none that is too large");
	ok_eq(occupancy_raster(o, &raster), -E2BIG, "... occupancy raster");
	ok(!raster.cells, "... cells");
	occupancy_destroy(o);
	ok_eq(occupancy_create(&o, &(struct occupancy_config){ 0, 0, 0 },
			       &error),
	      -EINVAL, "grids that is not valid: %s", error.text);
	ok_eq(occupancy_create(&o, &(struct occupancy_config){ NAN, 0, 0 },
			       &error),
	      -EINVAL, "... occupancy create");
	ok_eq(occupancy_create(&o, &(struct occupancy_config){ 0.05, -1, 0 },
			       &error),
	      -EINVAL, "... occupancy create");
}

/* A window that is partly beyond the map */
static void test_read(void)
{
	int16_t cells[200 * 30];
	struct raster r = { .rect = { -3, -20, 200, 30 }, .cells = cells };
	struct occupancy *o = make(&plain);
	bool good = true;

	random_scans(o, 5, 3);
	occupancy_read(o, &r);
	for (int y = 0; y < 30; y++)
		for (int x = 0; x < 200; x++)
			good = good && cells[y * 200 + x] == occupancy_value(
				occupancy_at(o, x - 3, y - 20));
	ok(good, "a window of a map");
	ok_eq(r.bits, 8, "... bits");
	ok_near(r.resolution, 0.05, 0, "... resolution");
	occupancy_destroy(o);
}

/*
 * Files
 */

static size_t size_of(const char *name)
{
	struct stat st;

	return stat(in_folder(name), &st) ? 0 : st.st_size;
}

static void test_files(void)
{
	static const struct pose way[] = { { 1, -1, 0 }, { 20, -2, 0 },
					   { 20, -20, 0 } };
	struct map_out m = { .mode = MAP_TRINARY_GREY, .way = way, .poses = 3,
			     .path = in_folder("map.pgm") };
	char path[160];
	struct error why = { "" };
	struct occupancy *o = make(&plain);
	struct raster r = { .bits = 8, .resolution = 0.05 };
	struct map_file read = { 0 };
	unsigned int wrong = 0;

	snprintf(path, sizeof(path), "%s", m.path);
	m.path = path;
	m.raster = &r;
	ok_eq(map_out_write(&m, &why), -EINVAL, "files: no cells: %s", why.text);
	ok(*why.text, "... why");
	ok_eq(size_of("map.pgm"), 0, "... size of");
	random_scans(o, 9, 20);
	occupancy_raster(o, &r);
	ok_eq(map_out_write(&m, &why), 0, "files: written");
	ok_range(size_of("map.png"), 1001, INFINITY, "... size of");
	ok_eq(map_file_values(in_folder("map.yaml"), -1, &read, &why), 0,
	      "files: read again");
	ok_eq(read.width, r.rect.width, "... width");
	ok_eq(read.height, r.rect.height, "... height");
	ok_range(fabs(read.origin.x - r.rect.x * 0.05), -INFINITY, 1e-9,
		 "... how far off");
	ok_range(fabs(read.origin.y - r.rect.y * 0.05), -INFINITY, 1e-9,
		 "... how far off");
	for (size_t i = 0; i < (size_t)read.width * read.height; i++)
		wrong += abs(read.cells[i] - r.cells[i]) > 1;
	ok(!wrong, "files: and the values");
	map_file_free(&read);
	m.way = NULL;
	m.mode = MAP_TRINARY;
	ok(!map_out_write(&m, &why), "files: without a way, over the others");
	free(r.cells);
	occupancy_destroy(o);
}

static void test_bad_files(void)
{
	int16_t cells[4] = { 0, 100, -1, 50 };
	const struct raster r = { { 0, 0, 2, 2 }, 8, 0.05, cells };
	const char *const names[] = { "map.pbm", "pgm", ".pgm", "no/map.pgm" };
	struct map_out m = { .mode = MAP_TRINARY, .raster = &r };
	char path[160];
	struct error why;

	for (int i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s", in_folder(names[i]));
		m.path = path;
		*why.text = 0;
		ok_range(map_out_write(&m, &why), -INFINITY, -1, "files: %s: %s",
			 names[i], why.text);
		ok(*why.text, "... why");
		ok(!strchr(why.text, '\n'), "... why is one line");
	}
	mkdir(in_folder("a.png"), 0777);
	mkdir(in_folder("b.yaml"), 0777);
	snprintf(path, sizeof(path), "%s", in_folder("a.pgm"));
	ok_range(map_out_write(&m, &why), -INFINITY, -1,
		 "files: no map without a figure: %s", why.text);
	ok_eq(size_of("a.pgm"), 0, "... size of");
	snprintf(path, sizeof(path), "%s", in_folder("b.pgm"));
	ok_range(map_out_write(&m, &why), -INFINITY, -1,
		 "files: no figure without a map: %s", why.text);
	ok_eq(size_of("b.png"), 0, "... size of");
}

static unsigned int files_in_folder(void)
{
	DIR *d = opendir(folder);
	unsigned int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* Of @size bytes a file: the figure fits or does not, the map never does */
static void full(const struct map_out *m, size_t size)
{
	const struct rlimit small = { size, RLIM_INFINITY };
	const unsigned int files = files_in_folder();
	const size_t figure = size_of("map.png"), map = size_of("map.pgm");
	struct error why = { "" };
	struct rlimit was;
	int err;

	getrlimit(RLIMIT_FSIZE, &was);
	setrlimit(RLIMIT_FSIZE, &small);
	err = map_out_write(m, &why);
	setrlimit(RLIMIT_FSIZE, &was);
	ok_eq(err, -EFBIG, "files: all is as before: %s", why.text);
	ok_eq(files_in_folder(), files, "... files in folder");
	ok_eq(size_of("map.png"), figure, "... size of");
	ok_eq(size_of("map.pgm"), map, "... size of");
}

static void test_full(void)
{
	struct occupancy *o = make(&plain);
	struct map_out m = { .mode = MAP_TRINARY };
	struct raster r;
	char path[160];

	random_scans(o, 9, 300);
	occupancy_raster(o, &r);
	snprintf(path, sizeof(path), "%s", in_folder("map.pgm"));
	m.path = path;
	m.raster = &r;
	signal(SIGXFSZ, SIG_IGN);
	full(&m, 5000);
	full(&m, (size_t)r.rect.width * r.rect.height);
	free(r.cells);
	occupancy_destroy(o);
}

int main(void)
{
	make_folder();
	test_reference();
	test_hand();
	test_ranges();
	test_growth();
	test_saturation();
	test_values();
	test_same();
	test_bad();
	test_limit();
	test_read();
	test_files();
	test_bad_files();
	test_full();
	remove_folder();
	return tap_done();
}
