// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_site_memory - fused maps of a site in little memory, in larger cells,
 * and while others change it
 */
#include <pthread.h>
#include "map/site/cache.h"
#include "map/site/level.h"
#include "site_fixture.h"

enum { SIDE = 60 };

/* Many layers have no more than one: what it has too much it gives back */
static void test_shares(void)
{
	const char *path = in_folder("shares");
	struct site *s = open_site_of(path, STORE_CREATE, 4 << 20);
	struct site_counts one, all = { 0 };
	char name[8], frame[8];
	struct raster a, b;
	size_t most = 0;

	for (unsigned int l = 0; l < 12; l++) {
		snprintf(name, sizeof(name), "m%u", l);
		add_layer(s, name, "rule=mean");
	}
	for (unsigned int i = 0; i < 30; i++) {
		const struct pose at = { i % 6 * 9, i / 6 * 9, i };

		snprintf(frame, sizeof(frame), "f%u", i);
		put(s, frame, i, &at, 0, patch(200, 8, 0.05, i, 0, 100));
	}
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	one = site_counts(s);
	for (unsigned int i = 0; i < 30 * 11; i++) {
		snprintf(frame, sizeof(frame), "f%u", i % 30);
		put(s, frame, i, NULL, 1 + i / 30,
		    patch(200, 8, 0.05, i % 30, 0, 100));
		if (i % 10)
			continue;
		site_fuse(s, -1, UINT64_MAX, NULL, NULL);
		all = site_counts(s);
		most = all.tile_bytes > most ? all.tile_bytes : most;
	}
	ok_range(
		one.tile_bytes, 1 << 20, INFINITY,
		"one layer may have all memory, %zu bytes, twelve no more: %zu",
		one.tile_bytes, most);
	ok_range(most, -INFINITY, 2 << 20, "... most");
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	site_raster(s, 0, -1, &a);
	site_raster(s, 11, -1, &b);
	ok(same_raster(&a, &b), "and the same map");
	free(a.cells);
	free(b.cells);
	site_close(s);
}

static void test_memory(void)
{
	const char *path = in_folder("memory");
	struct site *s = open_site_of(path, STORE_CREATE, 1 << 20);
	struct site_counts c;
	size_t most = 0, cells = 0;
	struct site *big;
	struct raster a, b;

	add_layer(s, "m", "rule=latest");
	for (unsigned int i = 0; i < 60; i++) {
		const struct pose at = { i % 10 * 9, i / 10 * 9, i };
		char frame[16];

		snprintf(frame, sizeof(frame), "f%u", i);
		put(s, frame, i, &at, 0, patch(200, 8, 0.05, i, 0, 100));
		if (i % 5)
			continue;
		site_fuse(s, -1, UINT64_MAX, NULL, NULL);
		c = site_counts(s);
		most = c.tile_bytes > most ? c.tile_bytes : most;
		cells = c.cell_bytes > cells ? c.cell_bytes : cells;
	}
	site_fuse(s, -1, UINT64_MAX, NULL, NULL);
	big = open_site(path, STORE_READ);
	site_fuse(big, -1, UINT64_MAX, NULL, NULL);
	site_raster(s, 0, -1, &a);
	site_raster(big, 0, -1, &b);
	ok(same_raster(&a, &b), "a site in little memory: the same map");
	ok_range(most, -INFINITY, 1 << 19,
		 "%zu bytes of tiles, %zu of cells; all would be %zu", most,
		 cells, site_counts(big).tile_bytes);
	ok_range(cells, -INFINITY, 1 << 19, "... cells");
	ok_range(site_counts(big).tile_bytes, 2 * most, INFINITY,
		 "... tile bytes");
	free(a.cells);
	free(b.cells);
	site_raster(s, 0, RULE_MIN, &a);
	site_raster(big, 0, RULE_MIN, &b);
	ok(same_raster(&a, &b), "and with another rule");
	free(a.cells);
	free(b.cells);
	site_close(big);
	site_close(s);
}

/* Cells that were read before newer ones came must not take their place */
static void test_cache(void)
{
	struct cache *c = cache_create(1 << 20);
	struct cells *old = patch(9, 8, 0.1, 1, 1, 1), *found, *late;
	const uint64_t before = cache_drops(c);

	cache_drop(c, 7);
	cache_add_since(c, 7, old, before);
	late = cache_find(c, 7);
	cache_add_since(c, 7, old, cache_drops(c));
	found = cache_find(c, 7);
	ok(!late, "cells that are out of date are not kept");
	ok(found == old, "... found");
	cells_put(old);
	cells_put(found);
	cache_destroy(c);
}

struct watch {
	struct site	*s;
	bool		stop;
	unsigned int	looks, wrong;
};

static void *look(void *arg)
{
	struct watch *w = arg;
	int16_t *cells = malloc(256 * 256 * sizeof(*cells));

	while (!__atomic_load_n(&w->stop, __ATOMIC_ACQUIRE)) {
		struct raster r = { .rect = { -128, -128, 256, 256 } };
		struct rect b;
		int v;

		r.cells = cells;
		for (unsigned int i = 0; i < site_layers(w->s); i++) {
			v = site_value(w->s, i, 0.3, 0.2);
			w->wrong += v > 100 || (v < -1 && v != -EAGAIN);
			b = site_bounds(w->s, i);
			w->wrong += b.width > 100000;
			site_read(w->s, i, &r);
			site_resolution(w->s, i);
		}
		w->wrong += site_counts(w->s).nodes > 1000;
		site_has_frame(w->s, "f1");
		w->looks++;
	}
	free(cells);
	return NULL;
}

static void *fuse(void *arg)
{
	struct watch *w = arg;
	struct raster r;

	while (!__atomic_load_n(&w->stop, __ATOMIC_ACQUIRE)) {
		site_fuse(w->s, -1, 0, NULL, NULL);
		if (w->looks++ % 8 == 0 && site_layers(w->s)) {
			site_raster(w->s, 0, RULE_MEAN, &r);
			free(r.cells);
		}
	}
	return NULL;
}

static void test_threads(void)
{
	const char *path = in_folder("threads");
	struct site *s = open_site(path, STORE_CREATE);
	struct watch w[3] = { { .s = s }, { .s = s }, { .s = s } };
	pthread_t id[3];
	unsigned int bad = 0;

	pthread_create(&id[0], NULL, fuse, &w[0]);
	pthread_create(&id[1], NULL, look, &w[1]);
	pthread_create(&id[2], NULL, look, &w[2]);
	for (unsigned int i = 0; i < 120; i++) {
		const struct pose at = { i % 7 - 3.0, i % 5 - 2.0, i };
		char name[32];

		if (i % 10 == 0) {
			snprintf(name, sizeof(name), "l%u", i / 10);
			add_layer(s, name, "rule=latest");
		}
		snprintf(name, sizeof(name), "f%u", i % 20);
		bad += put(s, name, i, &at, i / 10, patch(SIDE, 8, 0.05, i, 0,
							  100)) != 0;
		if (i % 6 == 5)
			bad += move(s, "f1", "f0", i * 0.1, 0, 0) != 0;
		if (i % 9 == 8)
			add_layer(s, "l0", i & 1 ? "rule=max" : "rule=mean");
	}
	for (unsigned int i = 0; i < 3; i++)
		__atomic_store_n(&w[i].stop, true, __ATOMIC_RELEASE);
	for (unsigned int i = 0; i < 3; i++)
		pthread_join(id[i], NULL);
	ok_eq(bad, 0, "others look and fuse while something comes");
	ok_eq(w[1].wrong, 0, "... wrong");
	ok_eq(w[2].wrong, 0, "... wrong");
	ok(w[0].looks, "... looks");
	ok(w[1].looks, "... looks");
	ok(is_on_disk(s, path, true), "and all is there");
	site_close(s);
}

/*
 * Maps in larger cells: tiles here and there, far apart, against what is found
 * cell by cell
 */
enum { LEVEL_TILES = 12, LEVEL_SIDE = 64 };

struct level_map {
	struct rect	tile[LEVEL_TILES];
	int16_t		cells[LEVEL_TILES][LEVEL_SIDE * LEVEL_SIDE];
	unsigned int	reads;
};

static int read_level_tile(void *arg, struct raster *r)
{
	struct level_map *m = arg;

	for (int i = 0; i < LEVEL_TILES; i++)
		if (m->tile[i].x == r->rect.x && m->tile[i].y == r->rect.y)
			memcpy(r->cells, m->cells[i], sizeof(m->cells[i]));
	r->bits = 8;
	r->resolution = 0.05;
	m->reads++;
	return 0;
}

static void each_level_tile(void *arg, void (*each)(void *arg,
						    const struct rect *tile),
			    void *to)
{
	struct level_map *m = arg;

	for (int i = 0; i < LEVEL_TILES; i++)
		each(to, &m->tile[i]);
}

/* Return: cells of @r that are not as they should be */
static unsigned int wrong_levels(const struct level_map *m, unsigned int factor,
				 enum reduce_how how, const struct raster *r)
{
	const size_t n = (size_t)r->rect.width * r->rect.height;
	int *most = malloc(4 * n * sizeof(int)), *least = most + n;
	int *known = least + n, *sum = known + n;
	unsigned int bad = 0;

	for (size_t i = 0; i < n; i++) {
		most[i] = -1;
		least[i] = INT16_MAX;
		known[i] = sum[i] = 0;
	}
	for (int i = 0; i < LEVEL_TILES; i++)
		for (int k = 0; k < LEVEL_SIDE * LEVEL_SIDE; k++) {
			const long x = m->tile[i].x + k % LEVEL_SIDE;
			const long y = m->tile[i].y + k / LEVEL_SIDE;
			const size_t at = (size_t)(floor(y / (double)factor) -
				r->rect.y) * r->rect.width +
				(size_t)(floor(x / (double)factor) -
					 r->rect.x);
			const int v = m->cells[i][k];

			if (v < 0)
				continue;
			known[at]++;
			sum[at] += v;
			most[at] = v > most[at] ? v : most[at];
			least[at] = v < least[at] ? v : least[at];
		}
	for (size_t i = 0; i < n; i++) {
		const int v = r->cells[i];

		if (!known[i])
			bad += v != -1;
		else if (how == REDUCE_MEAN && factor > LEVEL_SIDE)
			bad += v < least[i] || v > most[i];
		else if (how == REDUCE_MEAN)
			bad += v != (2 * sum[i] + known[i]) / (2 * known[i]);
		else
			bad += v != (how == REDUCE_MAX ? most[i] : least[i]);
	}
	free(most);
	return bad;
}

static void test_levels(void)
{
	static struct level_map m;
	const struct level_source from = { read_level_tile, each_level_tile,
					   &m };
	struct rect all = { 0 };
	uint64_t seed = 3;
	unsigned int bad = 0, levels = 0;

	for (int i = 0; i < LEVEL_TILES; i++) {
		const int x = (int)rnd(&seed, 40) - 20;

		m.tile[i] = (struct rect){ x * LEVEL_SIDE, (i - 6) * LEVEL_SIDE,
					   LEVEL_SIDE, LEVEL_SIDE };
		all = rect_union(&all, &m.tile[i]);
		for (int k = 0; k < LEVEL_SIDE * LEVEL_SIDE; k++)
			m.cells[i][k] = rnd(&seed, 50) ? -1 :
					(int)rnd(&seed, 101);
	}
	for (unsigned int factor = 1; factor <= 512; factor *= 2)
		for (int how = REDUCE_MEAN; how <= REDUCE_MIN; how++) {
			struct raster r = { .rect = level_rect(&all, factor) };

			r.cells = malloc((size_t)r.rect.width * r.rect.height *
					 sizeof(*r.cells));
			bad += level_read(&from, factor, how, &r) ||
			       r.resolution != 0.05 * factor;
			bad += wrong_levels(&m, factor, how, &r);
			free(r.cells);
			levels++;
		}
	ok_eq(bad, 0, "%u levels of a map, %u cells wrong", levels, bad);
	ok_eq(levels, 30, "... levels");
	ok(m.reads == levels * LEVEL_TILES, "only tiles that are there are read");
	all = (struct rect){ -(1 << 28), 0, 1U << 29, 1000 };
	ok_eq(level_factor(&all, 1, 1 << 26), 128,
	      "the finest level that fits");
	ok_eq(level_factor(&all, 2, 1 << 26), 128, "... level factor");
	ok_eq(level_factor(&(struct rect){ 0, 0, 8192, 8192 }, 1, 1 << 26), 1,
	      "... level factor");
	ok_eq(level_factor(&(struct rect){ 0, 0, 8192, 8193 }, 1, 1 << 26), 2,
	      "... level factor");
}

/* Four tiles, each of one value, in one cell of 128 */
static int square_of(const int v[4], enum reduce_how how)
{
	static struct level_map m;
	const struct level_source from = { read_level_tile, each_level_tile,
					   &m };
	int16_t cell = -2;
	struct raster r = { .rect = { 0, 0, 1, 1 }, .cells = &cell };

	for (int i = 0; i < LEVEL_TILES; i++) {
		/* the others are elsewhere, and higher and lower */
		m.tile[i] = i < 4 ?
			(struct rect){ i % 2 * LEVEL_SIDE, i / 2 * LEVEL_SIDE,
				       LEVEL_SIDE, LEVEL_SIDE } :
			(struct rect){ i * 2 * LEVEL_SIDE, 0, LEVEL_SIDE,
				       LEVEL_SIDE };
		for (int k = 0; k < LEVEL_SIDE * LEVEL_SIDE; k++)
			m.cells[i][k] = i < 4 ? v[i] : i & 1 ? 100 : 0;
	}
	return level_read(&from, 2 * LEVEL_SIDE, how, &r) ? -3 : cell;
}

static void test_square(void)
{
	static const int v[4] = { 8, 3, -1, 6 }, half[4] = { 8, 3, -1, -1 };
	static const int none[4] = { -1, -1, -1, -1 };

	ok_eq(square_of(v, REDUCE_MAX), 8, "the most of four tiles");
	ok_eq(square_of(v, REDUCE_MIN), 3, "the least of those that are known");
	ok_eq(square_of(v, REDUCE_MEAN), 6, "their mean, to the nearest");
	ok_eq(square_of(half, REDUCE_MEAN), 6, "... a half is rounded up");
	ok_eq(square_of(none, REDUCE_MEAN), -1, "... of nothing");
}

/* Walls and hazards must not get lost in a mean, whatever the rule is */
static void test_reduce_how(void)
{
	static const struct {
		enum rule_id	rule;
		enum modality	modality;
		enum reduce_how	how;
	} rows[] = {
		{ RULE_MAX, MODALITY_SMOKE, REDUCE_MAX },
		{ RULE_LOG_ODDS, MODALITY_SMOKE, REDUCE_MAX },
		{ RULE_MEAN, MODALITY_OBSTACLE, REDUCE_MAX },
		{ RULE_MIN, MODALITY_HAZARD, REDUCE_MAX },
		{ RULE_MIN, MODALITY_SMOKE, REDUCE_MIN },
		{ RULE_MEAN, MODALITY_SMOKE, REDUCE_MEAN },
		{ RULE_LATEST, MODALITY_SMOKE, REDUCE_MEAN },
	};

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct layer l = { .rule = rows[i].rule,
					 .modality = rows[i].modality };

		ok_eq(reduce_how(&l), rows[i].how,
		      "how cells of rule %d and modality %d are reduced",
		      rows[i].rule, rows[i].modality);
	}
}

int main(void)
{
	make_folder();
	test_levels();
	test_square();
	test_reduce_how();
	test_memory();
	test_shares();
	test_cache();
	test_threads();
	remove_folder();
	return tap_done();
}
