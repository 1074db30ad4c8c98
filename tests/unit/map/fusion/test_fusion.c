// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fusion - submaps to one map: against a slow reference, on every kind of
 * CPU, and when submaps come, change, move and go
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/cpu.h"
#include "base/error.h"
#include "fusion_ref.h"
#include "map/fusion/fused_map.h"
#include "tap.h"

enum { SUBMAPS = 24, SIDE = 90 };

static struct ref_submap submap[SUBMAPS];
static unsigned int missing;	/* submaps that cannot be fetched, as bits */

static int fetch(void *arg, int64_t id, struct cells **c, struct cells **w)
{
	(void)arg;
	if (missing >> id & 1)
		return -EIO;
	*c = cells_get((struct cells *)submap[id].cells);
	*w = submap[id].weights ?
	     cells_get((struct cells *)submap[id].weights) : NULL;
	return 0;
}

/* Walls, free space in fans, a lot of unknown, as scans leave it */
static struct cells *make_cells(uint64_t *seed, unsigned int bits,
				double resolution, const struct pose *origin,
				unsigned int width, unsigned int height)
{
	int16_t *v16 = malloc(width * height * sizeof(*v16));
	int8_t *v8 = (int8_t *)v16;
	struct cells *c;

	for (unsigned int i = 0; i < width * height; i++) {
		const double x = i % width - width / 2.0;
		const double y = i / width - height / 2.0;
		const int ray = (int)floor(atan2(y, x) * 40) & 7;
		int v = -1;

		if (hypot(x, y) < width / 2.2 && ray < 6)
			v = (int)rnd(seed, 40);
		if (i % width == width / 3 || i / width == height / 4)
			v = 100 - (int)rnd(seed, 20);
		if (bits == 8)
			v8[i] = v;
		else
			v16[i] = v < 0 ? v : 100 * v;
	}
	c = cells_create(width, height, bits, resolution, origin, v16);
	free(v16);
	return c;
}

static void make_site(unsigned int bits, double resolution, bool weights)
{
	uint64_t seed = 1;

	for (unsigned int i = 0; i < SUBMAPS; i++) {
		const struct pose origin = { -2.3, -1.9, i % 3 ? 0 : 0.4 };
		struct ref_submap *s = &submap[i];

		cells_put((struct cells *)s->cells);
		cells_put((struct cells *)s->weights);
		s->cells = make_cells(&seed, bits, resolution, &origin, SIDE,
				      SIDE - 7);
		s->weights = weights && i % 2 ? make_cells(&seed, 8, resolution,
				&origin, SIDE, SIDE - 7) : NULL;
		s->pose = (struct pose){ rnd(&seed, 9000) * 1e-3 - 5,
			rnd(&seed, 9000) * 1e-3 - 3, i * 0.37 };
		s->source = (struct rule_source){ (i * 7 % 5) * 1000000000LL,
			rnd(&seed, 101) };
	}
}

static struct fused_map *make_fused_map(unsigned int bits, double resolution,
				     enum rule_id rule, bool splat,
				     unsigned int threads, size_t memory)
{
	const struct fused_map_config config = {
		.resolution = resolution, .bits = bits, .rule = rule,
		.splat = splat, .threads = threads, .memory = memory,
		.fetch = fetch,
	};

	return fused_map_create(&config);
}

static void put(struct fused_map *m, unsigned int i)
{
	const struct fused_map_submap s = { i, submap[i].pose,
					    submap[i].source };

	fused_map_put(m, &s);
}

static struct fused_map *fuse(unsigned int bits, double resolution,
			      enum rule_id rule, bool splat,
			      unsigned int threads)
{
	struct fused_map *m =
		make_fused_map(bits, resolution, rule, splat, threads, SIZE_MAX);

	for (unsigned int i = 0; i < SUBMAPS; i++)
		put(m, i);
	fused_map_update(m, UINT64_MAX, NULL);
	return m;
}

/* All of a fused map; to be freed */
static struct raster read_all(struct fused_map *m)
{
	struct raster r = { .rect = fused_map_bounds(m) };

	r.cells = malloc(((size_t)r.rect.width * r.rect.height + 1) *
			 sizeof(*r.cells));
	fused_map_read(m, &r);
	return r;
}

static bool same(struct fused_map *a, struct fused_map *b)
{
	struct raster x = read_all(a), y = { .rect = x.rect };
	const size_t n = (size_t)x.rect.width * x.rect.height;
	bool good;

	y.cells = malloc((n + 1) * sizeof(*y.cells));
	fused_map_read(b, &y);
	good = n && !memcmp(x.cells, y.cells, n * sizeof(*x.cells));
	free(x.cells);
	free(y.cells);
	return good;
}

/* What it should be, cell by cell. Return: cells that are not */
static unsigned int wrong(struct fused_map *m, enum rule_id rule, bool splat,
			  double resolution, unsigned int *known,
			  unsigned int *doubt)
{
	struct raster r = read_all(m);
	const size_t n = (size_t)r.rect.width * r.rect.height;
	int *want = malloc(n * sizeof(*want));
	unsigned int bad = 0;

	ref_fuse(submap, SUBMAPS, rule, splat, resolution, &r.rect, want);
	*known = *doubt = 0;
	for (size_t i = 0; i < n; i++) {
		*known += want[i] >= 0;
		*doubt += want[i] == -2;
		bad += want[i] != -2 && want[i] != r.cells[i];
	}
	free(want);
	free(r.cells);
	return bad;
}

static void test_rule(enum rule_id rule, unsigned int bits, bool splat,
		      double resolution)
{
	struct fused_map *m = fuse(bits, resolution, rule, splat, 1);
	unsigned int known, doubt, bad;

	bad = wrong(m, rule, splat, resolution, &known, &doubt);
	ok(!bad && known > 2000 && doubt < known / 5,
	   "%s, %u bits, %s, %.3f m: %u cells as the reference has them, %u not, %u in doubt",
	   rule_get(rule, bits)->name, bits, splat ? "splatted" : "sampled",
	   resolution, known, bad, doubt);
	fused_map_destroy(m);
}

static void test_rules(void)
{
	static const double ratio[] = { 1, 1.9, 0.6, 1.27, 0.31 };

	for (unsigned int bits = 8; bits <= 16; bits += 8)
		for (int rule = 0; rule < RULES; rule++)
			for (unsigned int i = 0; i < 5; i++) {
				make_site(bits, 0.05 * ratio[i],
					  rule == RULE_WEIGHTED);
				/* finer ones are made coarser to sample them */
				if (ratio[i] >= 1)
					test_rule(rule, bits, false, 0.05);
				if (ratio[i] >= 1 || rule != RULE_WEIGHTED)
					test_rule(rule, bits, true, 0.05);
			}
}

static void test_cpu(unsigned int bits, enum rule_id rule, bool splat)
{
	struct fused_map *best, *avx2, *plain;

	best = fuse(bits, 0.05, rule, splat, 1);
	cpu_no_avx512 = true;
	avx2 = fuse(bits, 0.05, rule, splat, 1);
	cpu_portable = true;
	plain = fuse(bits, 0.05, rule, splat, 3);
	cpu_portable = cpu_no_avx512 = false;
	ok(same(best, avx2) && same(best, plain),
	   "%u bits, %s, %s: the same on every CPU, by 1 and 3 threads", bits,
	   rule_get(rule, bits)->name, splat ? "splatted" : "sampled");
	fused_map_destroy(best);
	fused_map_destroy(avx2);
	fused_map_destroy(plain);
}

static void test_cpus(void)
{
	make_site(8, 0.05, true);
	for (unsigned int bits = 8; bits <= 16; bits += 8) {
		make_site(bits, 0.06, true);
		for (int splat = 0; splat < 2; splat++) {
			test_cpu(bits, RULE_WEIGHTED, splat);
			test_cpu(bits, RULE_MEAN, splat);
		}
	}
}

static void test_floats(void)
{
	const float in[6] = { 0, 1, 1.0000001f, -0.00001f, 1.001f, NAN };
	const struct pose origin = { 0, 0, 0 };
	struct cells *c = cells_from_floats(6, 1, 0.05, &origin, in);
	const int16_t *v = c->data;

	ok(!v[0] && v[1] == 10000 && v[2] == 10000 && !v[3] && v[4] == -1 &&
	   v[5] == -1 && c->known == 4, "floats, some about 0 and 1");
	cells_put(c);
}

/*
 * More submaps than small accumulators can count, those with zeros first: the
 * mean is that of all of them, whether they came one by one or all at once
 */
enum { MANY = 8000, ZEROS = 4095 };

static struct cells *constant[2];

static int fetch_constant(void *arg, int64_t id, struct cells **c,
			  struct cells **w)
{
	(void)arg;
	*c = cells_get(constant[id >= ZEROS]);
	*w = NULL;
	return 0;
}

static void put_constant(struct fused_map *m, unsigned int i)
{
	const struct fused_map_submap s = { i, { 0, 0, 0 }, { 0, 0 } };

	fused_map_put(m, &s);
}

static void test_many(bool portable, unsigned int bits)
{
	const struct fused_map_config config = {
		.resolution = 0.05, .bits = bits, .rule = RULE_MEAN,
		.threads = 2, .memory = SIZE_MAX, .fetch = fetch_constant,
	};
	const struct pose origin = { 0, 0, 0 };
	const int full = cells_full(bits);
	struct fused_map *one = fused_map_create(&config);
	struct fused_map *all = fused_map_create(&config);
	int16_t data[2][4];
	int few, back;

	for (int k = 0; k < 4; k++) {
		data[0][k] = 0;
		data[1][k] = bits == 8 ? full << 8 | full : full;
	}
	for (int i = 0; i < 2; i++)
		constant[i] = cells_create(2, 2, bits, 0.05, &origin, data[i]);
	cpu_portable = portable;
	for (unsigned int i = 0; i < MANY; i++) {
		put_constant(all, i);
		put_constant(one, i);
		fused_map_update(one, UINT64_MAX, NULL);
	}
	fused_map_update(all, UINT64_MAX, NULL);
	few = fused_map_value(one, 0, 0);
	for (unsigned int i = ZEROS; i < MANY; i++)
		fused_map_remove(one, i);
	fused_map_remove(one, 0);
	put_constant(one, MANY - 1);
	fused_map_update(one, UINT64_MAX, NULL);
	back = fused_map_value(one, 0, 0);
	cpu_portable = false;
	/* 3905 of 8000 are full: 48.8 % */
	ok(few == lround(full * (MANY - ZEROS) / (double)MANY) &&
	   fused_map_value(all, 0, 0) == few &&
	   fused_map_value(all, 2, 0) == -1 &&
	   back == lround(full / (double)ZEROS),
	   "%u bits, %s: the mean of %d is %d, at once %d; of %d %d", bits,
	   portable ? "portable" : "best", MANY, few,
	   fused_map_value(all, 0, 0), ZEROS, back);
	fused_map_destroy(one);
	fused_map_destroy(all);
	cells_put(constant[0]);
	cells_put(constant[1]);
}

/* D4.1's reason for submaps: nothing of a wall is lost however it is turned */
static void test_lossless(void)
{
	struct fused_map *m;
	struct raster r;
	unsigned int lost = 0, cells = 0, lost_sampled = 0;

	make_site(8, 0.05, false);
	for (int splat = 0; splat < 2; splat++) {
		m = fuse(8, 0.05, RULE_MAX, splat, 1);
		r = read_all(m);
		for (unsigned int k = 0; k < SUBMAPS; k++) {
			const struct cells *c = submap[k].cells;
			const struct pose at = pose_compose(&submap[k].pose,
							    &c->origin);

			for (unsigned int i = 0; i < c->width * c->height;
			     i++) {
				const struct pose p = {
					(i % c->width + 0.5) * 0.05,
					(i / c->width + 0.5) * 0.05, 0 };
				const struct pose q = pose_compose(&at, &p);
				const double x = q.x / 0.05, y = q.y / 0.05;
				const int v = cells_at(c, i % c->width,
						       i / c->width);

				if (v < 80 || ref_border(x) || ref_border(y))
					continue;
				cells += splat;
				if (fused_map_value(m, floor(x), floor(y)) >= v)
					continue;
				if (splat)
					lost++;
				else
					lost_sampled++;
			}
		}
		free(r.cells);
		fused_map_destroy(m);
	}
	ok(!lost && cells > 1000 && lost_sampled > cells / 100,
	   "splatted walls: %u of %u cells lost (sampled: %u)", lost, cells,
	   lost_sampled);
}

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
	ok(moved == tries && small && !bad,
	   "%s: come, change, move (%u) and go: as if fused anew; %u small moves stay",
	   rule_get(rule, 8)->name, moved, small);
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
	ok(work.tiles && work.tiles <= 16 && work.drawn < 8 &&
	   some.cells == work.tiles * 4096.0 && some.cells < all.cells / 8,
	   "one of a corridor moves: %.0f of %.0f tiles are fused and told of",
	   some.cells / 4096, all.cells / 4096);
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
	ok(!bad && forgotten > 3 && most <= 20 * 4096 * 4 &&
	   fused_map_size(all).bytes > 2 * most,
	   "a site of %zu tiles in the memory of 20: the same map",
	   fused_map_size(all).bytes / 4096 / 4);
	fused_map_destroy(m);
	fused_map_destroy(all);
}

/* What nobody looks at does not take turns in memory */
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
	ok(!fused_map_is_stale(m) && fused_map_size(m).tiles > ROOM + 20 &&
	   work.tiles && work.tiles <= ROOM &&
	   fused_map_size(m).bytes <= ROOM * 4096 * 4,
	   "of %u tiles %llu are fused in the memory of %d, %llu drawn for %d",
	   fused_map_size(m).tiles, (unsigned long long)work.tiles, ROOM,
	   (unsigned long long)work.drawn, SUBMAPS);
	fused_map_destroy(m);
}

/* Submaps that are larger than the windows they are splatted in, and others */
static void test_large(void)
{
	const struct pose origin = { -20, -21, 0 };
	uint64_t seed = 3;

	make_site(8, 0.05, false);
	for (unsigned int i = 0; i < 3; i++) {
		cells_put((struct cells *)submap[4 * i].cells);
		submap[4 * i].cells = make_cells(&seed, 8, 0.05, &origin, 900,
						 850);
	}
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
	ok(wild.width > 100000 && wild.height > 100000 &&
	   !memcmp(&before, &after, sizeof(after)),
	   "one was far away for a while: %u x %u cells again", after.width,
	   after.height);
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
	ok(work.failed == 1 && work.drawn == 1 && fused_map_size(m).tiles < 50,
	   "a submap that would be millions of tiles is left out");
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
	ok(errs[0] == -ERANGE && errs[1] == -ERANGE && errs[2] == -ENOENT &&
	   !fused_map_size(m).submaps,
	   "poses that are none, submaps that are unknown: nothing is put");
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
	ok(work.failed && work.drawn && fused_map_bounds(m).width,
	   "one that cannot be fetched when it is to be drawn is left out");
	fused_map_destroy(m);
}

static void test_cells(void)
{
	static const int8_t odd[] = { 5, 120, 5, -7, 0, 100, 101, -1 };
	const struct pose origin = { 0 }, bad = { 0, NAN, 0 };
	struct cells *c = cells_create(8, 1, 8, 0.1, &origin, odd), *coarse;
	char why[ERROR_TEXT];

	ok(c && c->known == 4 && cells_at(c, 0, 0) == 5 &&
	   cells_at(c, 1, 0) == -1 && cells_at(c, 3, 0) == -1 &&
	   cells_at(c, 5, 0) == 100 && cells_at(c, 6, 0) == -1,
	   "values that mean nothing are unknown");
	coarse = cells_coarser(c, 0.2);
	ok(coarse && coarse->width == 4 && cells_at(coarse, 0, 0) == 5 &&
	   cells_at(coarse, 2, 0) == 50 && cells_at(coarse, 3, 0) == -1,
	   "larger cells are the mean of what is known");
	cells_put(c);
	cells_put(coarse);
	ok(cells_check(0, 5, 8, 0.1, &origin, why) == -EINVAL &&
	   cells_check(20000, 5, 8, 0.1, &origin, why) == -E2BIG &&
	   cells_check(10000, 10000, 8, 0.1, &origin, why) == -E2BIG &&
	   cells_check(5, 5, 8, NAN, &origin, why) == -EINVAL &&
	   cells_check(5, 5, 8, -1, &origin, why) == -EINVAL &&
	   cells_check(5, 5, 8, 0.1, &bad, why) == -EINVAL &&
	   cells_check(5, 5, 12, 0.1, &origin, why) == -EINVAL &&
	   cells_check(5, 5, 16, 0.1, &origin, why) == 0,
	   "grids that cannot be are told apart");
}

int main(void)
{
	test_cells();
	test_rules();
	test_cpus();
	test_floats();
	test_many(false, 8);
	test_many(false, 16);
	test_many(true, 8);
	test_lossless();
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
