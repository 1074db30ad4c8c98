// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_fusion - the rules of fusion, against a slow reference and on every kind
 * of CPU; cells of submaps
 */
#include "base/cpu.h"
#include "base/error.h"
#include "fusion_fixture.h"

static void test_rules(void)
{
	static const double ratio[] = { 1, 1.9, 0.6, 1.27, 0.31 };

	for (unsigned int bits = 8; bits <= 16; bits += 8)
		for (int rule = 0; rule < RULES; rule++)
			for (unsigned int i = 0; i < 5; i++) {
				/* each rule at some resolutions */
				if (!thorough() && (rule + i + bits / 8) % 4)
					continue;
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
	ok(same(best, avx2),
	   "%u bits, %s, %s: the same on every CPU, by 1 and 3 threads", bits,
	   rule_get(rule, bits)->name, splat ? "splatted" : "sampled");
	ok(same(best, plain), "... same");
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

	ok_eq(v[0], 0, "floats, some about 0 and 1");
	ok_eq(v[1], 10000, "... v");
	ok_eq(v[2], 10000, "... v");
	ok_eq(v[3], 0, "... v");
	ok_eq(v[4], -1, "... v");
	ok_eq(v[5], -1, "... v");
	ok_eq(c->known, 4, "... known");
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
	ok_eq(few, lround(full * (MANY - ZEROS) / (double)MANY),
	      "%u bits, %s: the mean of %d is %d, at once %d; of %d %d", bits,
	      portable ? "portable" : "best", MANY, few,
	      fused_map_value(all, 0, 0), ZEROS, back);
	ok_eq(fused_map_value(all, 0, 0), few, "... fused map value");
	ok_eq(fused_map_value(all, 2, 0), -1, "... fused map value");
	ok_eq(back, lround(full / (double)ZEROS), "... back");
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
	ok_eq(lost, 0, "splatted walls: %u of %u cells lost (sampled: %u)",
	      lost, cells, lost_sampled);
	ok_range(cells, 1001, INFINITY, "... cells");
	ok_range(lost_sampled, cells / 100, INFINITY, "... lost sampled");
}

static void test_cells(void)
{
	static const int8_t odd[] = { 5, 120, 5, -7, 0, 100, 101, -1 };
	const struct pose origin = { 0 }, bad = { 0, NAN, 0 };
	struct cells *c = cells_create(8, 1, 8, 0.1, &origin, odd), *coarse;
	struct error why;

	ok(c, "values that mean nothing are unknown");
	ok_eq(c->known, 4, "... known");
	ok_eq(cells_at(c, 0, 0), 5, "... cells at");
	ok_eq(cells_at(c, 1, 0), -1, "... cells at");
	ok_eq(cells_at(c, 3, 0), -1, "... cells at");
	ok_eq(cells_at(c, 5, 0), 100, "... cells at");
	ok_eq(cells_at(c, 6, 0), -1, "... cells at");
	coarse = cells_coarser(c, 0.2);
	ok(coarse, "larger cells are the mean of what is known");
	ok_eq(coarse->width, 4, "... width");
	ok_eq(cells_at(coarse, 0, 0), 5, "... cells at");
	ok_eq(cells_at(coarse, 2, 0), 50, "... cells at");
	ok_eq(cells_at(coarse, 3, 0), -1, "... cells at");
	cells_put(c);
	cells_put(coarse);
	ok_eq(cells_check(0, 5, 8, 0.1, &origin, &why), -EINVAL,
	      "impossible grids are refused");
	ok_eq(cells_check(20000, 5, 8, 0.1, &origin, &why), -E2BIG,
	      "... cells check");
	ok_eq(cells_check(10000, 10000, 8, 0.1, &origin, &why), -E2BIG,
	      "... cells check");
	ok_eq(cells_check(5, 5, 8, NAN, &origin, &why), -EINVAL,
	      "... cells check");
	ok_eq(cells_check(5, 5, 8, -1, &origin, &why), -EINVAL,
	      "... cells check");
	ok_eq(cells_check(5, 5, 8, 0.1, &bad, &why), -EINVAL, "... cells check");
	ok_eq(cells_check(5, 5, 12, 0.1, &origin, &why), -EINVAL,
	      "... cells check");
	ok_eq(cells_check(5, 5, 16, 0.1, &origin, &why), 0, "... cells check");
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
	return tap_done();
}
