/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fusion_fixture.h - submaps as scans leave them, fused, next to the reference
 */
#ifndef UNIT_FUSION_FIXTURE_H
#define UNIT_FUSION_FIXTURE_H

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fusion_ref.h"
#include "map/fusion/fused_map.h"
#include "tap.h"

enum { SUBMAPS = 24, SIDE = 90 };

static struct ref_submap submap[SUBMAPS];
static unsigned int missing;	/* submaps whose cells fail to load, as bits */

static inline int fetch(void *arg, int64_t id, struct cells **c, struct cells **w)
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
static inline struct cells *make_cells(uint64_t *seed, unsigned int bits,
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

static inline void make_site(unsigned int bits, double resolution, bool weights)
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

static inline struct fused_map *make_fused_map(unsigned int bits, double resolution,
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

static inline void put(struct fused_map *m, unsigned int i)
{
	const struct fused_map_submap s = { i, submap[i].pose,
					    submap[i].source };

	fused_map_put(m, &s);
}

static inline struct fused_map *fuse(unsigned int bits, double resolution,
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
static inline struct raster read_all(struct fused_map *m)
{
	struct raster r = { .rect = fused_map_bounds(m) };

	r.cells = malloc(((size_t)r.rect.width * r.rect.height + 1) *
			 sizeof(*r.cells));
	fused_map_read(m, &r);
	return r;
}

static inline bool same(struct fused_map *a, struct fused_map *b)
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
static inline unsigned int wrong(struct fused_map *m, enum rule_id rule, bool splat,
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

static inline void test_rule(enum rule_id rule, unsigned int bits, bool splat,
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

#endif
