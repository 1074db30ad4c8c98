// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_match - maps and scans: tiles that are shared, fields against a
 * slow reference, scores with the same bits on every path, and matchers that
 * find where a scan was taken
 */
#include <errno.h>
#include <limits.h>
#include "base/thread_pool.h"
#include "slam/filter/match.h"
#include "slam/filter/particles.h"
#include "field_fixture.h"
#include "slam_fixture.h"

#define SIGMA	2.0	/* cells */
#define RATIO	10.0

enum { LAST = TILE_SIDE + 1, POINTS = 2000 };

static struct field_kernel kernel;

/*
 * Tiles
 */

static void test_tiles(void)
{
	struct tiles *pool = tiles_create(&field_tiles, 3);
	const uint8_t *base = tiles_base(pool);
	tile_id a = 0, b, c = 0, d = 0;

	ok(!tiles_own(pool, &a) && a && tiles_used(pool) == 1,
	   "tiles: a new one");
	tile_at(base, a)->field[5] = 123;
	tile_at(base, a)->occupied[3] = 9;
	tile_at(base, a)->head.version = 77;
	b = a;
	ok(!tiles_own(pool, &b) && b == a, "tiles: one's own stays");
	tiles_hold(pool, b);
	ok(!tiles_own(pool, &b) && b != a && tiles_used(pool) == 2 &&
	   tile_at(base, b)->field[5] == 123 &&
	   tile_at(base, b)->occupied[3] == 9 &&
	   tile_at(base, b)->head.version == 77,
	   "tiles: a copy of a shared one");
	tile_at(base, b)->field[5] = 1;
	ok(tile_at(base, a)->field[5] == 123 &&
	   tile_at(base, a)->head.users == 1 &&
	   tile_at(base, b)->head.users == 1,
	   "tiles: writing to a copy leaves the other");
	tiles_own(pool, &c);
	ok(tiles_own(pool, &d) == -ENOMEM && !d && tiles_used(pool) == 3,
	   "tiles: no more than there may be");
	d = a;
	tiles_hold(pool, d);
	ok(tiles_own(pool, &d) == -ENOMEM && d == a &&
	   tile_at(base, a)->head.users == 2, "tiles: no copy then, either");
	tiles_release(pool, d);
	tiles_release(pool, a);
	ok(tiles_used(pool) == 2 && tiles_peak(pool) == 3,
	   "tiles: used and peak");
	a = 0;
	ok(!tiles_own(pool, &a) && !tile_at(base, a)->field[5] &&
	   !tile_at(base, a)->occupied[3], "tiles: one used before is empty");
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
	ok(good && last == TILE_FAR,
	   "tiles: one ends before 2 GB, the next one begins there");
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
	struct thread_pool *crew = thread_pool_create(4);

	tiles_own(s.pool, &s.shared);
	tile_at(tiles_base(s.pool), s.shared)->field[0] = 7;
	for (int round = 0; round < 20; round++)
		thread_pool_run(crew, 1000, share, &s);
	ok(!s.wrong && tiles_used(s.pool) == 1 &&
	   tile_at(tiles_base(s.pool), s.shared)->head.users == 1 &&
	   tiles_peak(s.pool) <= 5, "tiles: four threads copy one");
	thread_pool_destroy(crew);
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
	ok(good && !tiles_used(pool), "field: grows in each direction");
	tiles_destroy(pool);
}

static void test_field_random(void)
{
	static struct hits h;
	struct tiles *pool = tiles_create(&field_tiles, 0);
	struct likelihood_field f, copy;
	unsigned int bits = 0;
	uint64_t state = 3;
	size_t used;
	int x, y;

	field_init(&f);
	field_init(&copy);
	for (int i = 0; i < 400; i++)
		hit(&f, pool, &h, (int)rnd(&state, 40000) - 25000,
		    (int)rnd(&state, 30000) - 9000);
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
	ok(!field_copy(&copy, &f, pool) && tiles_used(pool) == used &&
	   !field_wrong(&copy, tiles_base(pool), &h),
	   "field: a copy takes no tiles");
	hit(&copy, pool, NULL, 3 * 256, -200 * 256);
	hit(&copy, pool, NULL, -20000, 3000);
	ok(!field_wrong(&f, tiles_base(pool), &h) &&
	   tiles_used(pool) > used && tiles_used(pool) <= used + 8,
	   "field: writing to the copy leaves it alone");
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
	ok(copies == (size_t)f.width * (size_t)f.height *
	   sizeof(struct field_page *) && copies < 30000 &&
	   written >= sizeof(struct field_page) + sizeof(struct tile) &&
	   written <= sizeof(struct field_page) + 4 * sizeof(struct tile),
	   "field: of a campus of 1.5 km a copy takes %zu bytes, and %zu more once it is written to",
	   copies, written);
	for (int i = 0; i < 100; i++)
		field_free(copy + i, pool);
	ok(tiles_bytes(pool) == bytes && tiles_bytes_peak(pool) >=
	   bytes + 100 * (copies + written), "field: it is all counted");
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
	ok(field_hit(&f, pool, &kernel, side, 0, 1) == -ERANGE &&
	   field_hit(&f, pool, &kernel, 0, -side, 1) == -ERANGE &&
	   field_hit(&f, pool, &kernel, INT_MAX, INT_MIN, 1) == -ERANGE &&
	   !field_wrong(&f, tiles_base(pool), &h),
	   "field: not farther than a map reaches");
	field_free(&f, pool);
	field_init(&g);
	ok(!field_hit(&g, small, &kernel, 0, 0, 1) &&
	   field_hit(&g, small, &kernel, 100000, 0, 1) == -ENOMEM,
	   "field: no tiles");
	field_free(&g, small);
	tiles_destroy(pool);
	tiles_destroy(small);
}

/*
 * Scores
 */

struct points {
	struct endpoints	e;
	struct rotated		r;
	_Alignas(64) float	x[POINTS + 16], y[POINTS + 16];
	_Alignas(64) int32_t	rx[POINTS + 16], ry[POINTS + 16];
};

static void points_make(struct points *p, unsigned int count, float reach,
			uint64_t *state)
{
	p->e = (struct endpoints){
		.count = count, .room = (count + 15) / 16 * 16,
		.x = p->x, .y = p->y,
	};
	p->r = (struct rotated){ .x = p->rx, .y = p->ry };
	for (unsigned int i = 0; i < p->e.room; i++) {
		p->x[i] = (float)rnd_signed(state) * reach;
		p->y[i] = (float)rnd_signed(state) * reach;
	}
}

static int cell_value(const struct likelihood_field *f, const uint8_t *base,
		      int64_t x, int64_t y)
{
	return tile_at(base, field_tile(f, (int)(x >> TILE_BITS),
					(int)(y >> TILE_BITS)))
		->field[(y & 15) * TILE_STRIDE + (x & 15)];
}

/* Each of the four values from the tile that it is in */
static int64_t slow_score(const struct likelihood_field *f, const uint8_t *base,
			  const struct rotated *p, int x, int y)
{
	int64_t sum = 0;

	for (unsigned int i = 0; i < p->count; i++) {
		const int64_t px = (int64_t)p->x[i] + x - 128;
		const int64_t py = (int64_t)p->y[i] + y - 128;
		const int64_t cx = px >> 8, cy = py >> 8;
		const int wx = px & 255, wy = py & 255;
		const int a = (cell_value(f, base, cx, cy) * (256 - wx) +
			       cell_value(f, base, cx + 1, cy) * wx) / 2;
		const int b = (cell_value(f, base, cx, cy + 1) * (256 - wx) +
			       cell_value(f, base, cx + 1, cy + 1) * wx) / 2;

		sum += (a * (256 - wy) + b * wy) / 256;
	}
	return sum;
}

/* Return: how many of 400 scans differ from the reference */
static unsigned int score_wrong(const struct likelihood_field *f,
				const uint8_t *base, bool *some)
{
	static const int reach[] = { 1000, 30000, 1 << 24, 1 << 29 };
	struct field_window w = window_of(f);
	static struct points p;
	uint64_t state = 5;
	unsigned int wrong = 0;

	for (int i = 0; i < 400; i++) {
		const double span = reach[rnd(&state, 4)];
		const int x = (int)(rnd_signed(&state) * span);
		const int y = (int)(rnd_signed(&state) * span);
		int64_t score;

		points_make(&p, i < 70 ? (unsigned int)i :
			    rnd(&state, POINTS + 1),
			    (float)reach[rnd(&state, 3)], &state);
		score_rotate(&p.r, &p.e, 10 * rnd_signed(&state));
		score = score_at(&w, base, &p.r, x, y);
		*some = *some || score > 0;
		wrong += score != slow_score(f, base, &p.r, x, y);
	}
	field_window_free(&w);
	return wrong;
}

/* A map whose tiles are near and far, beyond what 31 bits can name. Return:
 * false: this process has not as many addresses
 */
static bool scatter(struct likelihood_field *f, struct tiles *pool,
		    uint64_t state)
{
	static const uint64_t start[] = { 0, TILE_FAR - 1, TILE_FAR, 1U << 30,
					  UINT32_MAX - (1U << 20) };

	for (unsigned int i = 0; i < 1500; i++) {
		if (i && i % 300 == 0 && !tiles_skip(pool, start[i / 300] <<
						     TILE_UNIT_BITS))
			return false;
		hit(f, pool, NULL, (int)rnd(&state, 60000) - 40000,
		    (int)rnd(&state, 50000) - 20000);
	}
	return true;
}

/* Tiles are found wherever they are: without memory for all before them */
static void test_far_scores(void)
{
	static const char * const name[] = { "best", "plain", "AVX2",
					     "AVX-512" };
	struct tiles *pool = tiles_create(&field_tiles, 0);
	struct likelihood_field f;

	field_init(&f);
	if (!scatter(&f, pool, 8)) {
		ok(true, "score: tiles far away # SKIP no addresses");
		field_free(&f, pool);
		tiles_destroy(pool);
		return;
	}
	for (int path = SCORE_BEST; path <= SCORE_AVX512; path++) {
		bool some = false;

		if (!score_use(path))
			continue;
		ok(!score_wrong(&f, tiles_base(pool), &some) && some,
		   "score: %s is as the reference, tiles beyond 2 and 255 GB",
		   name[path]);
	}
	score_use(SCORE_BEST);
	field_free(&f, pool);
	ok(!tiles_used(pool), "tiles: those far away are free again");
	tiles_destroy(pool);
}

/* Return: whether both turn points into the same integers */
static bool same_rotation(enum score_path path)
{
	static struct points p, q;
	uint64_t state = 6;
	bool same = true;

	for (int i = 0; i < 100; i++) {
		const double yaw = 4 * rnd_signed(&state);

		points_make(&p, rnd(&state, POINTS + 1), 1e6f, &state);
		q.r = (struct rotated){ .x = q.rx, .y = q.ry };
		score_use(SCORE_PLAIN);
		score_rotate(&q.r, &p.e, yaw);
		score_use(path);
		score_rotate(&p.r, &p.e, yaw);
		same = same && p.r.count == p.e.count &&
			!memcmp(p.rx, q.rx, p.e.room * sizeof(*p.rx)) &&
			!memcmp(p.ry, q.ry, p.e.room * sizeof(*p.ry));
	}
	return same;
}

static void test_scores(void)
{
	static const char * const name[] = { "best", "plain", "AVX2",
					     "AVX-512" };
	struct tiles *pool = tiles_create(&field_tiles, 0);
	uint64_t state = 8;
	struct likelihood_field f, none;

	field_init(&f);
	field_init(&none);
	for (int i = 0; i < 1500; i++)
		hit(&f, pool, NULL, (int)rnd(&state, 60000) - 40000,
		    (int)rnd(&state, 50000) - 20000);
	for (int path = SCORE_BEST; path <= SCORE_AVX512; path++) {
		bool some = false, any = false;

		if (!score_use(path)) {
			ok(true, "score: %s # SKIP not on this CPU",
			   name[path]);
			continue;
		}
		ok(!score_wrong(&f, tiles_base(pool), &some) && some,
		   "score: %s is as the reference", name[path]);
		ok(!score_wrong(&none, tiles_base(pool), &any) && !any,
		   "score: %s, of an empty map", name[path]);
		ok(same_rotation(path), "score: %s turns as plain C does",
		   name[path]);
	}
	score_use(SCORE_BEST);
	field_free(&f, pool);
	tiles_destroy(pool);
}

static double score_turned(const struct field_window *f, const uint8_t *base,
			   struct points *p, double yaw, int x, int y)
{
	score_rotate(&p->r, &p->e, yaw);
	return (double)score_at(f, base, &p->r, x, y) / SCORE_MAX;
}

static void test_slope(void)
{
	const double units = FIELD_UNIT / 0.05, turn = 5e-4;
	const int h = 4;
	static struct points p;
	struct tiles *pool = tiles_create(&field_tiles, 0);
	const uint8_t *base = tiles_base(pool);
	uint64_t state = 9;
	double worst[3] = { 0 }, most[3] = { 0 };
	struct field_window w;
	struct likelihood_field f;

	field_init(&f);
	for (int i = 0; i < 300; i++)
		hit(&f, pool, NULL, (int)rnd(&state, 60000) - 30000,
		    (int)rnd(&state, 60000) - 30000);
	w = window_of(&f);
	for (int i = 0; i < 40; i++) {
		const int x = (int)(rnd_signed(&state) * 4000);
		const int y = (int)(rnd_signed(&state) * 4000);
		const double yaw = 3 * rnd_signed(&state);
		struct score_slope slope;
		double g[3];

		points_make(&p, 999, 25000, &state);
		score_rotate(&p.r, &p.e, yaw);
		score_slope(&w, base, &p.r, x, y, units, 0.1, &slope);
		g[0] = (score_turned(&w, base, &p, yaw, x + h, y) -
			score_turned(&w, base, &p, yaw, x - h, y)) /
			(2 * h / units);
		g[1] = (score_turned(&w, base, &p, yaw, x, y + h) -
			score_turned(&w, base, &p, yaw, x, y - h)) /
			(2 * h / units);
		g[2] = (score_turned(&w, base, &p, yaw + turn, x, y) -
			score_turned(&w, base, &p, yaw - turn, x, y)) /
			(2 * turn);
		for (int k = 0; k < 3; k++) {
			worst[k] = fmax(worst[k], fabs(g[k] - slope.g[k]));
			most[k] = fmax(most[k], fabs(g[k]));
		}
	}
	/* the field bends between the two places that a difference is of */
	for (int k = 0; k < 3; k++)
		ok(most[k] > 50 && worst[k] < 0.0585 * most[k],
		   "slope: as the score changes by %s: off by %.1f of %.0f",
		   &"x\0y\0yaw"[2 * k], worst[k], most[k]);
	field_window_free(&w);
	field_free(&f, pool);
	tiles_destroy(pool);
}

/*
 * Matchers
 */

/**
 * struct place - a scan, and the map that it and others near it make
 */
struct place {
	struct slam_params	params;
	struct particles	*particles;
	const struct likelihood_field	*map;
	struct tiles		*pool;
	struct scan		scan;
	struct matcher		matcher;
};

/* A robot that goes and turns while its laser goes around: where walls are */
static void test_sweep(void)
{
	enum { BEAMS = 360 };
	static struct world w;
	const struct slam_params p = slam_defaults;
	const double units = FIELD_UNIT / p.resolution;
	struct reading r = trip_reading(BEAMS);
	struct scan scan = { 0 };
	float range[BEAMS];
	double off[2] = { 0, 0 };

	world_corridors(&w);
	r.range = range;
	r.laser = (struct pose){ 0.2, -0.1, 0.3 };
	r.sweep = (struct pose){ 0.15, 0.02, 0.4 };
	for (int still = 0; still < 2; still++) {
		for (unsigned int i = 0; i < BEAMS; i++) {
			const struct pose start = { 10, 1, 0.2 };
			const struct pose swept = reading_swept(&r, i);
			const struct pose robot = pose_compose(&start, &swept);
			const struct pose laser = pose_compose(&robot,
							       &r.laser);

			range[i] = (float)world_range(&w, laser.x, laser.y,
				laser.yaw + (double)r.angle_min +
				i * (double)r.angle_increment);
		}
		if (still)
			r.sweep = (struct pose){ 0, 0, 0 };
		if (scan_make(&scan, &r, &p))
			abort();
		for (unsigned int i = 0; i < scan.hits; i++) {
			/* how far from a wall, along the beam from the start */
			const double x = (double)scan.x[i] / units;
			const double y = (double)scan.y[i] / units;
			const double wx = 10 + cos(0.2) * x - sin(0.2) * y;
			const double wy = 1 + sin(0.2) * x + cos(0.2) * y;
			const double a = atan2(wy - 1, wx - 10);
			const double there = world_range(&w, 10, 1, a);

			off[still] += fabs(there - hypot(wx - 10, wy - 1)) >
				      0.05;
		}
	}
	/* some see a niche from the side */
	ok(scan.hits == BEAMS && off[0] <= 13 &&
	   off[1] >= 289, "a scan of a robot that moves: %.0f of %u endpoints are off, %.0f if all are of one moment",
	   off[0], BEAMS, off[1]);
	scan_free(&scan);
}

static void place_make(struct place *p, const struct trip *t)
{
	*p = (struct place){ .params = slam_defaults };
	p->particles = particles_create(&p->params, 1);
	particles_add(p->particles, 0, &(struct pose){ 0, 0, 0 });
	for (unsigned int i = 0; i < 20; i++) {
		scan_make(&p->scan, t->reading + i, &p->params);
		particles_redo(p->particles, 0, i, 0, &p->scan, t->truth + i);
	}
	scan_make(&p->scan, t->reading + 10, &p->params);
	p->map = particles_field(p->particles, 0, &p->pool);
	matcher_init(&p->matcher, &p->params, tiles_base(p->pool));
	if (matcher_begin(&p->matcher, &p->scan))
		abort();
}

static void place_free(struct place *p)
{
	matcher_free(&p->matcher);
	scan_free(&p->scan);
	particles_destroy(p->particles);
}

/* Return: how far off the matcher is at most, from 50 places around */
static double match_error(struct place *p, const struct pose *truth,
			  bool gauss_newton, uint64_t *evaluations)
{
	const uint64_t before = p->matcher.evaluations;
	uint64_t state = 10;
	double worst = 0;

	for (int i = 0; i < 50; i++) {
		struct pose pose = {
			truth->x + 0.15 * rnd_signed(&state),
			truth->y + 0.15 * rnd_signed(&state),
			truth->yaw + 0.1 * rnd_signed(&state),
		};
		const double from = matcher_fit(&p->matcher, &p->scan, p->map,
						&pose);
		const double fit = gauss_newton ?
			match_gauss_newton(&p->matcher, &p->scan, p->map,
					   &pose) :
			match_hill(&p->matcher, &p->scan, p->map, &pose);

		worst = fmax(worst, pose_distance(&pose, truth, 1));
		if (fit < from || fit != matcher_fit(&p->matcher, &p->scan,
						     p->map, &pose))
			worst = INFINITY;
	}
	*evaluations = (p->matcher.evaluations - before) / 50;
	return worst;
}

static void test_matchers(const struct trip *t)
{
	const struct pose *truth = t->truth + 10;
	uint64_t hill, newton, cut;
	struct place p;
	double off;

	place_make(&p, t);
	off = match_error(&p, truth, false, &hill);
	ok(off < 0.0155, "hill climb: finds the place (%.3f)", off);
	off = match_error(&p, truth, true, &newton);
	ok(off < 0.033, "Gauss-Newton: finds the place (%.3f)", off);
	ok(newton < hill, "Gauss-Newton: fewer evaluations: %u, not %u",
	   (unsigned int)newton, (unsigned int)hill);
	for (uint32_t k = 20; k <= 80; k += 30) {
		p.params.cutoff = k;
		match_error(&p, truth, false, &cut);
		/* two more are match_error()'s, and each halving has a round */
		ok(cut < hill && cut <= k + 6 * p.params.refinements + 3,
		   "hill climb: cut off after %u: %u", k, (unsigned int)cut);
	}
	p.params.cutoff = UINT32_MAX;
	match_error(&p, truth, false, &cut);
	ok(cut == hill, "hill climb: not cut off");
	place_free(&p);
}

/* The window moves with the poses: it never changes what a scan fits like */
static void test_window(const struct trip *t)
{
	struct field_window all;
	unsigned int wrong = 0, some = 0;
	uint64_t state = 11;
	struct place p;

	place_make(&p, t);
	all = window_of(p.map);
	for (int i = 0; i < 3000; i++) {
		const double reach = i % 3 ? 0.5 : i % 2 ? 40 : 4;
		const struct pose pose = {
			reach * rnd_signed(&state), reach * rnd_signed(&state),
			i % 7 ? 0.3 * rnd_signed(&state) :
				4 * rnd_signed(&state),
		};
		const double fit = matcher_fit(&p.matcher, &p.scan, p.map,
					       &pose);
		const int x = (int)lrint(pose.x * p.matcher.units);
		const int y = (int)lrint(pose.y * p.matcher.units);

		some += fit > 0;
		wrong += fit != (double)score_at(&all, p.matcher.base,
						 &p.matcher.rotated, x, y) /
				((double)SCORE_MAX * p.scan.match.count);
	}
	ok(!wrong && some > 2000, "window: %u of 3000 fits are others than with the whole map",
	   wrong);
	field_window_free(&all);
	place_free(&p);
}

static void test_draw(const struct trip *t)
{
	const struct pose *truth = t->truth + 10;
	double square[3] = { 0 }, fit;
	struct pose pose = *truth;
	struct random random = random_of(1, 2, 3);
	struct place p;

	place_make(&p, t);
	fit = match_hill(&p.matcher, &p.scan, p.map, &pose);
	for (int i = 0; i < 300; i++) {
		struct pose drawn = pose;

		match_draw(&p.matcher, &p.scan, p.map, &drawn, fit, 0.2, 0.1,
			   &random);
		square[0] += pow(drawn.x - pose.x, 2) / 300;
		square[1] += pow(drawn.y - pose.y, 2) / 300;
		square[2] += pow(drawn.yaw - pose.yaw, 2) / 300;
	}
	ok(square[0] > 0 && square[0] < 0.004 * 0.004 && square[1] > 0 &&
	   square[1] < 0.0029 * 0.0029 && square[2] > 0 &&
	   square[2] < 0.00091 * 0.00091, "draw: nearer than the odometry says: %.5f, %.5f m, %.5f rad",
	   sqrt(square[0]), sqrt(square[1]), sqrt(square[2]));
	p.params.sharpness = 0;
	ok(match_draw(&p.matcher, &p.scan, p.map, &pose, fit, 0.2, 0.1,
		      &random) == fit, "draw: the best one");
	place_free(&p);
}

/* Which direction a scan of two walls, or of a room, is blind to, at any yaw */
static void test_blind(void)
{
	static struct world corridor, room;
	static const unsigned int beams[] = { 180, 1080, 4320,
					      READING_BEAMS_MAX };
	static float range[READING_BEAMS_MAX];
	const struct slam_params *params = &slam_defaults;
	bool along = true, nothing = true, all = true;
	uint64_t state = 3;
	struct scan s = { 0 };

	world_wall(&corridor, -50, 1, 100, 0);
	world_wall(&corridor, -50, -1, 100, 0);
	world_wall(&room, -3, -2, 6, 0);
	world_wall(&room, 3, -2, 0, 5);
	world_wall(&room, 3, 3, -6, 0);
	world_wall(&room, -3, 3, 0, -5);
	for (int i = 0; i < 40; i++) {
		const struct pose at = { rnd_signed(&state),
					 0.5 * rnd_signed(&state),
					 M_PI * rnd_signed(&state) };
		struct reading r = trip_reading(beams[i % 4]);

		r.range = range;
		r.range_max = 8;
		world_scan(&corridor, &r, &at, 0.01, &state, range);
		if (scan_make(&s, &r, params))
			abort();
		nothing = nothing && s.told == 0;
		along = along && fabs(cos(at.yaw) * s.blind_y +
				      sin(at.yaw) * s.blind_x) < 0.01 &&
			fabs(hypot(s.blind_x, s.blind_y) - 1) < 1e-9;
		world_scan(&room, &r, &at, 0.01, &state, range);
		if (scan_make(&s, &r, params))
			abort();
		all = all && s.told > 10;
	}
	ok(nothing && along, "scan: of a plain corridor it is blind along it");
	ok(all, "scan: of a room it is blind to nothing");
	memset(range, 0, sizeof(range));
	for (unsigned int i = 0; i < 180; i++)
		range[i] = i == 90 ? 2 : 0;
	{
		struct reading r = trip_reading(180);

		r.range = range;
		ok(!scan_make(&s, &r, params) && s.hits == 1 && isinf(s.told) &&
		   fabs(hypot(s.blind_x, s.blind_y) - 1) < 1e-9,
		   "scan: of one endpoint nothing is known");
	}
	scan_free(&s);
}

/* The end of a corridor tells of the way along it: so many endpoints, whatever
 * part of them is looked at
 */
static void test_told(void)
{
	static struct world world;
	static float range[READING_BEAMS_MAX];
	static const unsigned int beams[] = { 1080, 2160, 4320, 8640,
					      READING_BEAMS_MAX };
	const struct pose at = { 0, 0, 0 };
	struct scan s = { 0 };
	uint64_t state = 4;

	world_wall(&world, -50, 0.8, 72, 0);
	world_wall(&world, -50, -0.8, 72, 0);
	world_wall(&world, 22, -0.8, 0, 1.6);
	for (unsigned int i = 0; i < sizeof(beams) / sizeof(*beams); i++) {
		struct reading r = trip_reading(beams[i]);
		double part;

		r.range = range;
		r.range_max = 25;
		world_scan(&world, &r, &at, 0.01, &state, range);
		if (scan_make(&s, &r, &slam_defaults))
			abort();
		part = s.told / s.hits;
		ok(part > 0.0397 / 1.1 && part < 0.0495 * 1.1,
		   "scan: of %u beams %.4f of the endpoints tell of the way",
		   beams[i], part);
	}
	scan_free(&s);
}

int main(void)
{
	static struct world world;
	struct trip *trip;

	world_corridors(&world);
	test_sweep();
	trip = trip_make(&world, 180, 30);
	field_kernel_init(&kernel, SIGMA, RATIO);
	test_tiles();
	test_tiles_border();
	test_tiles_threads();
	test_field_growth();
	test_field_random();
	test_field_draw();
	test_field_campus();
	test_field_limits();
	test_scores();
	test_far_scores();
	test_slope();
	test_matchers(trip);
	test_window(trip);
	test_draw(trip);
	trip_free(trip);
	test_blind();
	test_told();
	return tap_done();
}
