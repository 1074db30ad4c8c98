// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_field - maps: tiles that are shared, and fields against a slow
 * reference
 */
#include <errno.h>
#include <limits.h>
#include "base/thread_pool.h"
#include "slam/filter/match.h"
#include "field_fixture.h"
#include "slam_fixture.h"

#define SIGMA	2.0	/* cells */
#define RATIO	10.0

enum { LAST = TILE_SIDE + 1 };

static struct field_kernel kernel;

/*
 * Tiles
 */

static void test_tiles(void)
{
	struct tiles *pool = tiles_create(&field_tiles, 3);
	const uint8_t *base = tiles_base(pool);
	tile_id a = 0, b, c = 0, d = 0;

	ok_eq(tiles_own(pool, &a), 0, "tiles: a new one");
	ok(a, "... a");
	ok_eq(tiles_used(pool), 1, "... tiles used");
	tile_at(base, a)->field[5] = 123;
	tile_at(base, a)->occupied[3] = 9;
	tile_at(base, a)->head.version = 77;
	b = a;
	ok_eq(tiles_own(pool, &b), 0, "tiles: one's own stays");
	ok_eq(b, a, "... b");
	tiles_hold(pool, b);
	ok_eq(tiles_own(pool, &b), 0, "tiles: a copy of a shared one");
	ok(b != a, "... b");
	ok_eq(tiles_used(pool), 2, "... tiles used");
	ok_eq(tile_at(base, b)->field[5], 123, "... field");
	ok_eq(tile_at(base, b)->occupied[3], 9, "... occupied");
	ok_eq(tile_at(base, b)->head.version, 77, "... version");
	tile_at(base, b)->field[5] = 1;
	ok_eq(tile_at(base, a)->field[5], 123,
	      "tiles: writing to a copy leaves the other");
	ok_eq(tile_at(base, a)->head.users, 1, "... users");
	ok_eq(tile_at(base, b)->head.users, 1, "... users");
	tiles_own(pool, &c);
	ok_eq(tiles_own(pool, &d), -ENOMEM, "tiles: no more than there may be");
	ok_eq(d, 0, "... d");
	ok_eq(tiles_used(pool), 3, "... tiles used");
	d = a;
	tiles_hold(pool, d);
	ok_eq(tiles_own(pool, &d), -ENOMEM, "tiles: no copy then, either");
	ok_eq(d, a, "... d");
	ok_eq(tile_at(base, a)->head.users, 2, "... users");
	tiles_release(pool, d);
	tiles_release(pool, a);
	ok_eq(tiles_used(pool), 2, "tiles: used and peak");
	ok_eq(tiles_peak(pool), 3, "... tiles peak");
	a = 0;
	ok_eq(tiles_own(pool, &a), 0, "tiles: one used before is empty");
	ok_eq(tile_at(base, a)->field[5], 0, "... field");
	ok_eq(tile_at(base, a)->occupied[3], 0, "... occupied");
	tiles_hold(pool, 0);
	tiles_release(pool, 0);
	ok(tiles_used(pool) == 3, "tiles: that of the unknown is left alone");
	tiles_destroy(pool);
	tiles_destroy(NULL);
}

/* No tile lies across the border from which on offsets have more than 31 bits */
static void test_tiles_border(void)
{
	const uint64_t border = (uint64_t)TILE_FAR << TILE_UNIT_BITS;
	struct tiles *pool = tiles_create(&field_tiles, 0);
	bool good = tiles_skip(pool, border - 1), past = !good;
	tile_id last = 0;

	while (good && !past) {
		tile_id id = 0;
		uint64_t begin;

		good = !tiles_own(pool, &id) && id > last;
		begin = (uint64_t)id << TILE_UNIT_BITS;
		past = begin >= border;
		good = good && (past || begin + sizeof(struct tile) <= border);
		last = id;
	}
	ok(good, "tiles: one ends before 2 GB, the next one begins there");
	ok_eq(last, TILE_FAR, "... last");
	ok(tiles_bytes(pool) < (size_t)64 << 20,
	   "tiles: those that were skipped are not counted");
	tiles_destroy(pool);
}

struct sharing {
	struct tiles	*pool;
	tile_id		shared;
	_Atomic int	wrong;
};

static void share(void *arg, uint32_t number, unsigned int thread)
{
	struct sharing *s = arg;
	const uint8_t *base = tiles_base(s->pool);
	tile_id id = s->shared;

	(void)thread;
	tiles_hold(s->pool, id);
	if (tiles_own(s->pool, &id) || id == s->shared ||
	    tile_at(base, id)->field[0] != 7)
		s->wrong++;
	tile_at(base, id)->field[0] = (uint8_t)number;
	if (tile_at(base, id)->field[0] != (uint8_t)number)
		s->wrong++;
	tiles_release(s->pool, id);
}

static void test_tiles_threads(void)
{
	struct sharing s = { .pool = tiles_create(&field_tiles, 0) };
	struct thread_pool *threads = thread_pool_create(4);

	tiles_own(s.pool, &s.shared);
	tile_at(tiles_base(s.pool), s.shared)->field[0] = 7;
	for (int round = 0; round < 20; round++)
		thread_pool_run(threads, 1000, share, &s);
	ok_eq(s.wrong, 0, "tiles: four threads copy one");
	ok_eq(tiles_used(s.pool), 1, "... tiles used");
	ok_eq(tile_at(tiles_base(s.pool), s.shared)->head.users, 1,
	      "... users");
	ok_range(tiles_peak(s.pool), -INFINITY, 5, "... tiles peak");
	thread_pool_destroy(threads);
	tiles_destroy(s.pool);
}

/*
 * Fields
 */

struct hit {
	int	x, y;		/* cell */
	int	phase;
};

struct hits {
	unsigned int	count;
	struct hit	hit[4000];
};

/* As field_hit(): only the first one in a cell counts */
static void note(struct hits *h, int x, int y)
{
	struct hit *hit = h->hit + h->count;

	for (unsigned int i = 0; i < h->count; i++)
		if (h->hit[i].x == x >> 8 && h->hit[i].y == y >> 8)
			return;
	*hit = (struct hit){ x >> 8, y >> 8,
			     (x & 128 ? 1 : 0) + (y & 128 ? 2 : 0) };
	h->count++;
}

static int slow_value(const struct hits *h, int x, int y)
{
	double best = 0;

	for (unsigned int i = 0; i < h->count; i++) {
		const struct hit *p = h->hit + i;
		const double dx = x + 0.5 - (p->x + (p->phase & 1 ? .75 : .25));
		const double dy = y + 0.5 - (p->y + (p->phase & 2 ? .75 : .25));

		if (abs(x - p->x) <= FIELD_RADIUS &&
		    abs(y - p->y) <= FIELD_RADIUS)
			best = fmax(best, log1p(RATIO *
				exp(-(dx * dx + dy * dy) / 2 / SIGMA / SIGMA)));
	}
	return (int)lrint(FIELD_MAX * best / log1p(RATIO));
}

/* From cell (@x, @y) on */
static unsigned int tile_wrong(const struct tile *t, const struct hits *h,
			       int x, int y)
{
	unsigned int wrong = 0;

	for (int k = 0; k < LAST * LAST; k++)
		wrong += t->field[k / LAST * TILE_STRIDE + k % LAST] !=
			slow_value(h, x + k % LAST, y + k / LAST);
	return wrong;
}

/* Each value of each tile, its neighbours' ones too */
static unsigned int field_wrong(const struct likelihood_field *f,
				const uint8_t *base, const struct hits *h)
{
	unsigned int wrong = 0;

	const int first = f->x * FIELD_PAGE_SIDE, low = f->y * FIELD_PAGE_SIDE;

	for (int ty = low; ty < low + f->height * FIELD_PAGE_SIDE; ty++) {
		for (int tx = first; tx < first + f->width * FIELD_PAGE_SIDE;
		     tx++)
			wrong += tile_wrong(tile_at(base, field_tile(f, tx,
								     ty)),
					    h, tx * TILE_SIDE, ty * TILE_SIDE);
	}
	return wrong;
}

static void hit(struct likelihood_field *f, struct tiles *pool, struct hits *h,
		int x, int y)
{
	if (field_hit(f, pool, &kernel, x, y, 1))
		abort();
	if (h)
		note(h, x, y);
}

static void test_field_growth(void)
{
	static const int way[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 },
				       { 0, -1 } };
	struct tiles *pool = tiles_create(&field_tiles, 0);
	struct likelihood_field f;
	bool good = true;

	for (int k = 0; k < 4; k++) {
		static struct hits h;

		h.count = 0;
		field_init(&f);
		for (int i = 0; i < 6; i++)
			hit(&f, pool, &h, i * i * 3000 * way[k][0] - 100,
			    i * i * 3000 * way[k][1] - 300);
		good = good && !field_wrong(&f, tiles_base(pool), &h);
		field_free(&f, pool);
	}
	ok(good, "field: grows in each direction");
	ok_eq(tiles_used(pool), 0, "... tiles used");
	tiles_destroy(pool);
}

static void test_field_random(void)
{
	static struct hits h;
	struct tiles *pool = tiles_create(&field_tiles, 0);
	const int hits = thorough() ? 400 : 80;
	struct likelihood_field f, copy;
	unsigned int bits = 0;
	uint64_t state = 3;
	size_t used;
	int x, y;

	field_init(&f);
	field_init(&copy);
	for (int i = 0; i < hits; i++)
		hit(&f, pool, &h, (int)rnd(&state, 100 * hits) - 60 * hits,
		    (int)rnd(&state, 75 * hits) - 22 * hits);
	/* on the borders of tiles, where neighbours have them too */
	for (int i = -3; i < 3; i++)
		for (int k = -1; k < 17; k++)
			hit(&f, pool, &h, (i * 16 + k) * 256, k * 256 + 255);
	ok(!field_wrong(&f, tiles_base(pool), &h),
	   "field: the best of all that is occupied");
	for (size_t i = field_next(&f, 0, &x, &y); i != SIZE_MAX;
	     i = field_next(&f, i + 1, &x, &y))
		for (int row = 0; row < TILE_SIDE; row++)
			bits += (unsigned int)__builtin_popcount(
				tile_at(tiles_base(pool), field_tile(&f, x, y))
				->occupied[row]);
	ok(bits == h.count, "field: %u cells are occupied", h.count);
	used = tiles_used(pool);
	ok_eq(field_copy(&copy, &f, pool), 0, "field: a copy takes no tiles");
	ok_eq(tiles_used(pool), used, "... tiles used");
	ok_eq(field_wrong(&copy, tiles_base(pool), &h), 0, "... field wrong");
	hit(&copy, pool, NULL, 3 * 256, -200 * 256);
	hit(&copy, pool, NULL, -20000, 3000);
	ok_eq(field_wrong(&f, tiles_base(pool), &h), 0,
	      "field: writing to the copy leaves it alone");
	ok_range(tiles_used(pool), used, used + 8, "... tiles used");
	field_free(&copy, pool);
	ok(tiles_used(pool) == used, "field: what the copy had is free");
	field_copy(&f, &f, pool);
	ok(!field_wrong(&f, tiles_base(pool), &h), "field: copied to itself");
	field_free(&f, pool);
	ok(!tiles_used(pool), "field: nothing is left");
	tiles_destroy(pool);
}

static void test_field_draw(void)
{
	struct tiles *pool = tiles_create(&field_tiles, 0);
	const uint8_t *base = tiles_base(pool);
	unsigned int wrong = 0;
	struct likelihood_field f, drawn;
	uint64_t state = 4;
	tile_id *slot;
	int x, y;

	field_init(&f);
	field_init(&drawn);
	for (int i = 0; i < 500; i++)
		hit(&f, pool, NULL, (int)rnd(&state, 30000) - 15000,
		    (int)rnd(&state, 30000) - 15000);
	for (size_t i = field_next(&f, 0, &x, &y); i != SIZE_MAX;
	     i = field_next(&f, i + 1, &x, &y)) {
		const struct tile *t = tile_at(base, field_tile(&f, x, y));

		if (field_slot(&drawn, pool, x, y, &slot) ||
		    tiles_own(pool, slot))
			abort();
		memcpy(tile_at(base, *slot)->occupied, t->occupied,
		       sizeof(t->occupied));
		memcpy(tile_at(base, *slot)->phase, t->phase,
		       sizeof(t->phase));
	}
	for (size_t i = field_next(&f, 0, &x, &y); i != SIZE_MAX;
	     i = field_next(&f, i + 1, &x, &y)) {
		field_draw(&drawn, pool, &kernel, x, y);
		wrong += memcmp(tile_at(base, field_tile(&drawn, x, y))->field,
				tile_at(base, field_tile(&f, x, y))->field,
				sizeof(((struct tile *)0)->field)) != 0;
	}
	ok(!wrong, "field: drawn from what is occupied it is the same");
	field_free(&f, pool);
	field_free(&drawn, pool);
	tiles_destroy(pool);
}

/* Two buildings, 1.5 km apart: what is between them costs nothing */
static void test_field_campus(void)
{
	const int far = 30000 * FIELD_UNIT;
	struct tiles *pool = tiles_create(&field_tiles, 0);
	struct likelihood_field f, copy[100];
	size_t bytes, copies, written;

	field_init(&f);
	for (int i = 0; i < 400; i++) {
		hit(&f, pool, NULL, i * 640, -i * 64);
		hit(&f, pool, NULL, far + i * 64, far + i * 640);
	}
	bytes = tiles_bytes(pool);
	for (int i = 0; i < 100; i++) {
		field_init(copy + i);
		field_copy(copy + i, &f, pool);
	}
	copies = (tiles_bytes(pool) - bytes) / 100;
	for (int i = 0; i < 100; i++)
		hit(copy + i, pool, NULL, far / 2, far / 3);
	written = (tiles_bytes(pool) - bytes) / 100 - copies;
	/* pointers to pages; a tile in one of these, or at borders more */
	ok_eq(copies,
	      (size_t)f.width * (size_t)f.height * sizeof(struct field_page *),
	      "field: of a campus of 1.5 km a copy takes %zu bytes, and %zu more once it is written to",
	      copies, written);
	ok_range(copies, -INFINITY, 29999, "... copies");
	ok_range(written, sizeof(struct field_page) + sizeof(struct tile),
		 sizeof(struct field_page) + 4 * sizeof(struct tile),
		 "... written");
	for (int i = 0; i < 100; i++)
		field_free(copy + i, pool);
	ok_eq(tiles_bytes(pool), bytes, "field: it is all counted");
	ok_range(tiles_bytes_peak(pool), bytes + 100 * (copies + written),
		 INFINITY, "... tiles bytes peak");
	field_free(&f, pool);
	ok(!tiles_bytes(pool), "field: down to the last byte");
	tiles_destroy(pool);
}

static void test_field_limits(void)
{
	static struct hits h;
	struct tiles *pool = tiles_create(&field_tiles, 0);
	struct tiles *small = tiles_create(&field_tiles, 4);
	const int side = FIELD_PAGES_MAX * FIELD_PAGE_SIDE * TILE_SIDE *
			 FIELD_UNIT;
	struct likelihood_field f, g;

	field_init(&f);
	hit(&f, pool, &h, 100, 100);
	ok_eq(field_hit(&f, pool, &kernel, side, 0, 1), -ERANGE,
	      "field: not farther than a map reaches");
	ok_eq(field_hit(&f, pool, &kernel, 0, -side, 1), -ERANGE,
	      "... field hit");
	ok_eq(field_hit(&f, pool, &kernel, INT_MAX, INT_MIN, 1), -ERANGE,
	      "... field hit");
	ok_eq(field_wrong(&f, tiles_base(pool), &h), 0, "... field wrong");
	field_free(&f, pool);
	field_init(&g);
	ok_eq(field_hit(&g, small, &kernel, 0, 0, 1), 0, "field: no tiles");
	ok_eq(field_hit(&g, small, &kernel, 100000, 0, 1), -ENOMEM,
	      "... field hit");
	field_free(&g, small);
	tiles_destroy(pool);
	tiles_destroy(small);
}

int main(void)
{
	field_kernel_init(&kernel, SIGMA, RATIO);
	test_tiles();
	test_tiles_border();
	test_tiles_threads();
	test_field_growth();
	test_field_random();
	test_field_draw();
	test_field_campus();
	test_field_limits();
	return tap_done();
}
