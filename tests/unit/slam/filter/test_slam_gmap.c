// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_gmap - maps as GMapping has them: which cells a beam goes through,
 * scores against a slow reference and on every path, maps on their way to
 * other workers, weights, and motions
 */
#include <errno.h>
#include "base/error.h"
#include "slam/filter/filter.h"
#include "slam/filter/gmapping_grid.h"
#include "slam/filter/map_code.h"
#include "slam/filter/match.h"
#include "slam/filter/motion.h"
#include "field_fixture.h"
#include "slam_fixture.h"

#define UNITS	(FIELD_UNIT / 0.05)

enum { SIDE = 400, MIDDLE = 200, BEAMS = 700 };

/* A map of cells, without tiles: what the other one is to be */
struct plain {
	uint32_t	visits, hits, x, y;
};

static struct plain plain[SIDE][SIDE];
static struct slam_params params;

static const struct gmapping_tile *tile_of(const struct likelihood_field *f,
					   const struct tiles *pool, int x,
					   int y)
{
	return gmapping_tile_at(tiles_base(pool), field_tile(f, x >> TILE_BITS,
							     y >> TILE_BITS));
}

static struct gmapping_count count_at(const struct likelihood_field *f,
				      const struct tiles *pool, int x, int y)
{
	return tile_of(f, pool, x, y)->count[(y & 15) * 16 + (x & 15)];
}

/*
 * Beams
 */

/* One beam, along x if @angle is 0 */
static struct reading one_beam(const float *range, double angle)
{
	return (struct reading){
		.beams = 1, .range_max = 30, .angle_min = (float)angle,
		.range = range,
	};
}

/* From the middle of cell (0, 0) */
static void add_beam(struct likelihood_field *f, struct tiles *pool,
		     float range, double angle)
{
	const struct pose pose = { 0.025, 0.025, 0 };
	const struct reading r = one_beam(&range, angle);
	struct scan scan = { 0 };

	if (scan_make(&scan, &r, &params) ||
	    gmapping_write(f, pool, &scan, &pose, UNITS, 1))
		abort();
	scan_free(&scan);
}

static bool counts(const struct likelihood_field *f, const struct tiles *pool,
		   int x, int y, unsigned int visits, unsigned int hits)
{
	const struct gmapping_count c = count_at(f, pool, x, y);

	return c.visits == visits && c.hits == hits;
}

static void test_beams(void)
{
	struct tiles *pool = tiles_create(&gmapping_tiles, 0);
	struct likelihood_field f;
	bool good = true;

	field_init(&f);
	add_beam(&f, pool, 2, 0);
	for (int x = 0; x < 40; x++)
		good = good && counts(&f, pool, x, 0, 1, 0);
	ok(good, "beam: passes 40 cells, hits one");
	ok(counts(&f, pool, 40, 0, 1, 1), "... counts");
	ok(counts(&f, pool, 41, 0, 0, 0), "... counts");
	ok(counts(&f, pool, -1, 0, 0, 0), "... counts");
	ok(counts(&f, pool, 20, 1, 0, 0), "... counts");
	add_beam(&f, pool, 3, M_PI);
	add_beam(&f, pool, 1, -M_PI / 2);
	add_beam(&f, pool, (float)(sqrt(2) * 0.5), M_PI / 4);
	ok(counts(&f, pool, -60, 0, 1, 1), "beam: to other sides");
	ok(counts(&f, pool, -59, 0, 1, 0), "... counts");
	ok(counts(&f, pool, 0, -20, 1, 1), "... counts");
	ok(counts(&f, pool, 0, -19, 1, 0), "... counts");
	ok(counts(&f, pool, 10, 10, 1, 1), "... counts");
	ok(counts(&f, pool, 9, 9, 1, 0), "... counts");
	ok(counts(&f, pool, 0, 0, 4, 0), "... counts");
	add_beam(&f, pool, 30, 1);
	add_beam(&f, pool, INFINITY, 1);
	add_beam(&f, pool, NAN, 1);
	add_beam(&f, pool, 0, 1);
	ok(counts(&f, pool, 0, 0, 4, 0), "beam: what is none is none");
	params.range_max = 1.5;
	add_beam(&f, pool, 29, M_PI / 2);
	params.range_max = 80;
	ok(counts(&f, pool, 0, 29, 1, 0),
	   "beam: what is too long is cut, and hits nothing");
	ok(counts(&f, pool, 0, 30, 0, 0), "... counts");
	field_free(&f, pool);
	tiles_destroy(pool);
}

static bool full(const struct likelihood_field *f, const struct tiles *pool,
		 int x, int y)
{
	const uint32_t look = tile_of(f, pool, x, y)->look[(y & 15) * 16 +
							   (x & 15)];

	return look & GMAPPING_SELF;
}

static void test_full(void)
{
	struct tiles *pool = tiles_create(&gmapping_tiles, 0);
	struct likelihood_field f;
	bool good;

	field_init(&f);
	add_beam(&f, pool, 2, 0);
	good = full(&f, pool, 40, 0) && !full(&f, pool, 39, 0);
	for (int i = 0; i < 8; i++)
		add_beam(&f, pool, 3, 0);
	ok(good, "full: one hit of nine");
	ok(full(&f, pool, 40, 0), "... full");
	add_beam(&f, pool, 3, 0);
	ok_eq(full(&f, pool, 40, 0), 0, "full: not one hit of ten");
	ok(counts(&f, pool, 40, 0, 10, 1), "... counts");
	add_beam(&f, pool, 2, 0);
	ok(full(&f, pool, 40, 0), "full: two hits of eleven");
	for (int i = 0; i < GMAPPING_COUNT_MAX; i++)
		add_beam(&f, pool, 0.2f, 0);
	ok_range(count_at(&f, pool, 0, 0).visits, 30001, 39999,
		 "full: more beams than can be counted");
	ok_range(count_at(&f, pool, 4, 0).hits, 30001, INFINITY, "... hits");
	ok(full(&f, pool, 4, 0), "... full");
	field_free(&f, pool);
	tiles_destroy(pool);
}

/*
 * Scores
 */

static uint64_t state = 5;

/* Rooms of all sizes around the robot: so cells are hit and passed */
static void random_reading(struct reading *r, float range[BEAMS])
{
	*r = (struct reading){
		.beams = BEAMS, .range_max = 8, .range = range,
		.angle_min = (float)-M_PI,
		.angle_increment = (float)(2 * M_PI / BEAMS),
		.laser = { 0.1, -0.05, 0.2 },
	};
	for (int i = 0; i < BEAMS; i++)
		range[i] = 2 + 0.3f * (float)sin(i * 0.05) +
			0.2f * (float)rnd_signed(&state) +
			(rnd(&state, 9) ? 0 : 3);
}

static struct pose random_pose(double reach)
{
	return (struct pose){ reach * rnd_signed(&state),
			      reach * rnd_signed(&state),
			      0.2 * rnd_signed(&state) };
}

static void random_map(struct likelihood_field *f, struct tiles *pool,
		       int scans, uint64_t update)
{
	struct scan scan = { 0 };
	float range[BEAMS];
	struct reading r;

	for (int i = 0; i < scans; i++) {
		const struct pose pose = random_pose(0.2);

		random_reading(&r, range);
		if (scan_make(&scan, &r, &params) ||
		    gmapping_write(f, pool, &scan, &pose, UNITS,
				   tile_version(update, 3)))
			abort();
	}
	scan_free(&scan);
}

/* The same in a plain array */
static void flatten(const struct likelihood_field *f, const struct tiles *pool)
{
	memset(plain, 0, sizeof(plain));
	for (int y = 0; y < SIDE; y++) {
		for (int x = 0; x < SIDE; x++) {
			const int mx = x - MIDDLE, my = y - MIDDLE;
			const struct gmapping_tile *t =
				tile_of(f, pool, mx, my);
			const int i = (my & 15) * 16 + (mx & 15);

			plain[y][x] = (struct plain){
				t->count[i].visits, t->count[i].hits,
				t->sum[i].x, t->sum[i].y,
			};
		}
	}
}

/* Of a cell; outside nothing is known */
static const struct plain *at(int x, int y)
{
	static const struct plain unknown;

	if (abs(x) >= MIDDLE || abs(y) >= MIDDLE)
		return &unknown;
	return &plain[y + MIDDLE][x + MIDDLE];
}

static bool is_full(const struct plain *c)
{
	return c->visits && (double)c->hits / c->visits > 0.1;
}

static int mean(uint32_t sum, uint32_t count)
{
	return (int)floor((double)sum / count + 0.5);
}

/* To the nearest mean endpoint, 1/256^2 cell; INFINITY: there is none */
static double slow_square(int x, int y, int bx, int by)
{
	const int cx = x >> 8, cy = y >> 8;
	const int ox = (bx >> 8) - cx, oy = (by >> 8) - cy;
	double best = INFINITY;

	for (int i = -1; i <= 1; i++) {
		for (int k = -1; k <= 1; k++) {
			const struct plain *c = at(cx + i, cy + k);
			double dx, dy;

			if (!is_full(c) || is_full(at(cx + i + ox,
						      cy + k + oy)))
				continue;
			dx = (cx + i) * 256 + mean(c->x, c->hits) - x;
			dy = (cy + k) * 256 + mean(c->y, c->hits) - y;
			best = fmin(best, dx * dx + dy * dy);
		}
	}
	return best;
}

/* Return: whether score, likelihood and what was found are right */
static bool right(const struct likelihood_field *f, const struct tiles *pool,
		  const struct rotated *p, const struct rotated *b, int x,
		  int y, const struct gmapping_decay *decay, bool *some)
{
	struct field_window w = window_of(f);
	const struct gmapping_score s =
		gmapping_score_at(&w, tiles_base(pool), p, b, x, y, decay);
	double score = 0, square = 0;
	uint32_t found = 0;

	for (unsigned int i = 0; i < p->count; i++) {
		const double d = slow_square(p->x[i] + x, p->y[i] + y,
			p->x[i] + x + b->x[i], p->y[i] + y + b->y[i]);

		if (isinf(d))
			continue;
		found++;
		square += d;
		score += exp(-d * pow(params.resolution / 256, 2) /
			     params.sigma);
	}
	field_window_free(&w);
	*some = *some || (found > 30 && found < p->count);
	return s.found == found && (double)s.square == square &&
		fabs((double)s.score / GMAPPING_SCORE_MAX - score) <=
		1e-4 * found + 1e-9;
}

/**
 * struct place - a map, and a scan that is compared with it
 */
struct place {
	struct tiles		*pool;
	struct likelihood_field	f;
	struct scan		scan;
	struct reading		reading;
	float			range[BEAMS];
	struct matcher		m;
};

/* @far: most tiles of it are beyond what 31 bits can name. Return: false: this
 * process has not as many addresses
 */
static bool place_make(struct place *p, int scans, bool far)
{
	bool good = true;

	memset(p, 0, sizeof(*p));
	p->pool = tiles_create(&gmapping_tiles, 0);
	field_init(&p->f);
	random_map(&p->f, p->pool, 1, 1);
	if (far)
		good = tiles_skip(p->pool, UINT64_C(250) << 30);
	random_map(&p->f, p->pool, scans - 1, 1);
	random_reading(&p->reading, p->range);
	if (scan_make(&p->scan, &p->reading, &params) ||
	    matcher_init(&p->m, &params, tiles_base(p->pool)) ||
	    matcher_begin(&p->m, &p->scan))
		abort();
	return good;
}

static void place_free(struct place *p)
{
	matcher_free(&p->m);
	scan_free(&p->scan);
	field_free(&p->f, p->pool);
	tiles_destroy(p->pool);
}

static void test_scores(bool far)
{
	static const char * const name[] = { "best", "plain", "AVX2",
					     "AVX-512", "NEON" };
	const char *where = far ? ", tiles beyond 2 GB" : "";
	static struct place p;

	if (!place_make(&p, 20, far)) {
		ok(true, "score: tiles far away # SKIP no addresses");
		place_free(&p);
		return;
	}
	flatten(&p.f, p.pool);
	for (int path = SCORE_BEST; path < SCORE_PATHS; path++) {
		bool good = true, some = false;

		if (!score_use(path)) {
			ok(true, "score: %s # SKIP not on this CPU",
			   name[path]);
			continue;
		}
		for (int i = 0; i < 40; i++) {
			/* the last ones are off the map, or partly */
			const struct pose pose = random_pose(i < 30 ? 0.3 : 9);

			/* which rotates the endpoints */
			matcher_score(&p.m, &p.scan, &p.f, &pose);
			good = good && right(&p.f, p.pool, &p.m.rotated,
				&p.m.behind, (int)lrint(pose.x * UNITS),
				(int)lrint(pose.y * UNITS), p.m.decay, &some);
		}
		ok(good, "score: %s is as the reference%s", name[path], where);
		ok(some, "... some");
	}
	score_use(SCORE_BEST);
	place_free(&p);
}

/* A scan of one beam of 2 m, from the middle of cell (0, 0) */
static double beam_score(const struct likelihood_field *f,
			 const struct tiles *pool, double x, double y,
			 double angle, double *likelihood)
{
	struct pose pose = { 0.025 + x, 0.025 + y, 0 };
	const float range = 2;
	const struct reading r = one_beam(&range, angle);
	struct slam_params still = params;
	struct scan scan = { 0 };
	struct matcher m;
	double score;

	/* one round of steps that lead nowhere */
	still.step = still.turn = 2e-4;
	still.refinements = 1;
	if (scan_make(&scan, &r, &params) ||
	    matcher_init(&m, &still, tiles_base(pool)) ||
	    matcher_begin(&m, &scan))
		abort();
	score = matcher_score(&m, &scan, f, &pose);
	*likelihood = match_gmapping(&m, &scan, f, &pose);
	matcher_free(&m);
	scan_free(&scan);
	return score;
}

static bool close_to(double a, double b)
{
	return fabs(a - b) < 2e-3;
}

static void test_known(void)
{
	struct tiles *pool = tiles_create(&gmapping_tiles, 0);
	const double off = 0.03, none = -0.5 / 0.075;
	struct likelihood_field f;
	double l, s;

	field_init(&f);
	s = beam_score(&f, pool, 0, 0, 0, &l);
	ok_near(s, 0, 0, "known: an empty map");
	ok(close_to(l, none), "... close to");
	add_beam(&f, pool, 2, 0);
	s = beam_score(&f, pool, 0, 0, 0, &l);
	ok(close_to(s, 1), "known: the same beam again");
	ok(close_to(l, 0), "... close to");
	s = beam_score(&f, pool, 0, off, 0, &l);
	ok(close_to(s, exp(-off * off / 0.05)), "known: 3 cm away");
	ok_range(fabs(l + off * off / 0.075), -INFINITY, 0.02, "... how far off");
	s = beam_score(&f, pool, 0, 0.2, 0, &l);
	ok_near(s, 0, 0, "known: too far away");
	ok(close_to(l, none), "... close to");
	field_free(&f, pool);
	/* a wall of two cells, one behind the other: its front counts */
	add_beam(&f, pool, 2, 0);
	add_beam(&f, pool, 2.05f, 0);
	add_beam(&f, pool, 2.05f, 0);
	s = beam_score(&f, pool, 0.05, 0, 0, &l);
	ok(close_to(s, exp(-0.05 * 0.05 / 0.05)),
	   "known: what is behind a full cell does not count");
	field_free(&f, pool);
	/* from the other side, where the map ends: at -40 + 2 m */
	add_beam(&f, pool, 2, M_PI);
	s = beam_score(&f, pool, -4, 0, 0, &l);
	ok(close_to(s, 1), "known: a cell off the map is not full");
	field_free(&f, pool);
	ok(!tiles_used(pool), "known: nothing is left");
	tiles_destroy(pool);
}

/*
 * Maps on their way
 */

static unsigned int differ(const struct likelihood_field *a,
			   const struct tiles *pa,
			   const struct likelihood_field *b,
			   const struct tiles *pb)
{
	unsigned int tiles = 0;

	for (int y = -20; y < 20; y++) {
		for (int x = -20; x < 20; x++) {
			const struct gmapping_tile *s = tile_of(a, pa, x * 16,
								y * 16);
			const struct gmapping_tile *t = tile_of(b, pb, x * 16,
								y * 16);

			tiles += s->head.version != t->head.version ||
				memcmp(s->look, t->look, sizeof(s->look)) ||
				memcmp(s->count, t->count, sizeof(s->count)) ||
				memcmp(s->sum, t->sum, sizeof(s->sum));
		}
	}
	return tiles;
}

static void test_codes(void)
{
	struct tiles *here = tiles_create(&gmapping_tiles, 0);
	struct tiles *there = tiles_create(&gmapping_tiles, 0);
	struct likelihood_field own, copy, other;
	struct map_place *place = NULL;
	struct bytes full_code = { 0 }, part = { 0 };
	size_t used;
	int stale;

	field_init(&own);
	field_init(&copy);
	field_init(&other);
	random_map(&own, here, 5, 1);
	ok_range(map_encode(&own, here, 0, &full_code), 1, INFINITY,
		 "code: a whole map");
	ok_eq(map_decode(&other, there, NULL, full_code.data, full_code.len), 0,
	      "... map decode");
	ok_eq(differ(&own, here, &other, there), 0, "... differ");
	used = tiles_used(here);
	field_copy(&copy, &own, here);
	ok(tiles_used(here) == used, "code: a copy takes no tiles");
	random_map(&own, here, 3, 2);
	random_map(&other, there, 2, 2);
	ok_eq(map_decode(&copy, here, NULL, full_code.data, full_code.len), 0,
	      "code: writing leaves the copy alone");
	ok_range(differ(&own, here, &other, there), 11, INFINITY, "... differ");
	ok_range(differ(&own, here, &copy, here), 11, INFINITY, "... differ");
	ok(map_encode(&own, here, tile_version(2, 0), &part) > 0,
	   "code: what changed");
	stale = map_stale(&other, there, tile_version(2, 0), part.data,
			  part.len, &place);
	ok_range(stale, 0, INFINITY, "code: makes it the same map");
	ok_eq(map_encode_places(&own, here, place, (uint32_t)stale, &part),
	      stale, "... map encode places");
	ok_eq(map_decode(&other, there, NULL, part.data, part.len), 0,
	      "... map decode");
	ok_eq(differ(&own, here, &other, there), 0, "... differ");
	free(place);
	ok(map_decode(&copy, here, NULL, part.data, part.len - 1) == -EBADMSG,
	   "code: one that is cut short is seen");
	for (int i = 0; i < 2000; i++) {
		part.data[rnd(&state, (uint32_t)part.len)] ^=
			(uint8_t)(1 << rnd(&state, 8));
		map_decode(&copy, here, NULL, part.data, part.len);
		if (i % 20 == 19)
			field_free(&copy, here);
	}
	field_free(&copy, here);
	field_free(&own, here);
	field_free(&other, there);
	ok_eq(tiles_used(here), 0, "code: nothing is left");
	ok_eq(tiles_used(there), 0, "... tiles used");
	bytes_free(&full_code);
	bytes_free(&part);
	tiles_destroy(here);
	tiles_destroy(there);
}

static void test_limits(void)
{
	struct tiles *small = tiles_create(&gmapping_tiles, 4);
	const struct pose far = { 1e5, 0, 0 }, zero = { 0, 0, 0 };
	struct scan scan = { 0 };
	struct reading r;
	float range[BEAMS];
	struct likelihood_field f;

	field_init(&f);
	random_reading(&r, range);
	if (scan_make(&scan, &r, &params))
		abort();
	ok(gmapping_write(&f, small, &scan, &zero, UNITS, 1) == -ENOMEM,
	   "limits: no tiles");
	ok(gmapping_write(&f, small, &scan, &far, UNITS, 1) == -ERANGE,
	   "limits: not farther than a map reaches");
	field_free(&f, small);
	scan_free(&scan);
	tiles_destroy(small);
}

/*
 * The filter
 */

/* Of weights by GMapping's rule, out of what matching found */
static double effective(const struct outcome *out, uint32_t count)
{
	double sum = 0, squares = 0, top = -INFINITY;

	for (uint32_t i = 0; i < count; i++)
		top = fmax(top, out[i].fit);
	for (uint32_t i = 0; i < count; i++) {
		const double w = exp((out[i].fit - top) / (3.0 * count));

		sum += w;
		squares += w * w;
	}
	return sum * sum / squares;
}

static void test_gain(const struct trip *t)
{
	for (uint32_t n = 8; n <= 32; n *= 2) {
		struct slam_params p = slam_gmapping;
		const struct outcome *out;
		struct filter_result r;
		struct filter *f;
		uint32_t count;
		bool tracked;

		p.particles = n;
		p.resample = 0;
		p.distance = 0.15;
		f = filter_create(&p, particle_pool_local(&p, 1));
		if (!f || filter_read(f, t->reading, &r) ||
		    filter_read(f, t->reading + 1, &r))
			abort();
		filter_outcomes(f, &count);
		tracked = count || r.evaluations || !r.unmatched;
		if (filter_read(f, t->reading + 2, &r))
			abort();
		out = filter_outcomes(f, &count);
		ok_eq(tracked, 0,
		      "gain: %u particles, 1 / (3 * %u): %.2f are effective", n,
		      n, r.effective);
		ok(r.updated, "... updated");
		ok_eq(count, n, "... count");
		ok_range(out[0].fit, -INFINITY, -1, "... fit");
		ok_range(r.effective, -INFINITY, n, "... effective");
		ok_range(fabs(r.effective - effective(out, n)), -INFINITY, 1e-6,
			 "... how far off");
		filter_destroy(f);
	}
}

/* Standard deviations of draws, after @steps of @step each */
static void spread(const struct pose *step, int steps, double sigma[3])
{
	struct odometer o = { .model = &params };
	struct pose odometry = { 0, 0, 0 }, mean = { 0, 0, 0 };
	double square[3] = { 0 };
	struct motion m;

	odometer_move(&o, &odometry, 0);
	for (int i = 0; i < steps; i++) {
		odometry = pose_compose(&odometry, step);
		odometer_move(&o, &odometry, 0);
		odometer_scan(&o);
		mean = pose_compose(&mean, step);
	}
	m = odometer_motion(&o, &params);
	for (int i = 0; i < 20000; i++) {
		struct random random = random_of(1, 1, (uint32_t)i);
		const struct pose start = { 0, 0, 0 };
		const struct pose p = motion_draw(&m, &start, &random);

		square[0] += pow(p.x - mean.x, 2) / 20000;
		square[1] += pow(p.y - mean.y, 2) / 20000;
		square[2] += pow(remainder(p.yaw - mean.yaw, 2 * M_PI), 2) /
			20000;
	}
	for (int k = 0; k < 3; k++)
		sigma[k] = sqrt(square[k]);
}

/* The same, redrawn at each step, as GMapping does */
static void slow_spread(const struct pose *d, int steps, double sigma[3])
{
	const double t = fabs(d->yaw);
	const double nx = 0.1 * fabs(d->x) + 0.1 * t + 0.03 * fabs(d->y);
	const double ny = 0.1 * fabs(d->y) + 0.1 * t + 0.03 * fabs(d->x);
	const double nt = 0.1 * t + 0.1 * hypot(d->x, d->y);
	double square[3] = { 0 };
	struct random random = random_of(2, 2, 2);

	for (int i = 0; i < 20000; i++) {
		struct pose p = { 0, 0, 0 }, mean = { 0, 0, 0 };

		for (int k = 0; k < steps; k++) {
			const struct pose noisy = {
				d->x + nx * random_normal(&random),
				d->y + ny * random_normal(&random),
				d->yaw + nt * random_normal(&random),
			};

			p = pose_compose(&p, &noisy);
			mean = pose_compose(&mean, d);
		}
		square[0] += pow(p.x - mean.x, 2) / 20000;
		square[1] += pow(p.y - mean.y, 2) / 20000;
		square[2] += pow(remainder(p.yaw - mean.yaw, 2 * M_PI), 2) /
			20000;
	}
	for (int k = 0; k < 3; k++)
		sigma[k] = sqrt(square[k]);
}

static void test_motion(void)
{
	static const struct pose step[] = {
		{ 0.05, 0, 0 }, { 0.05, 0, 0.03 }, { 0, 0, 0.1 },
		{ 1, 0.2, 0.5 }, { 0, 0, 0 },
	};

	for (int i = 0; i < 5; i++) {
		const int steps = i == 3 ? 1 : 20;
		double s[3], slow[3];
		bool good = true;

		spread(step + i, steps, s);
		slow_spread(step + i, steps, slow);
		for (int k = 0; k < 3; k++)
			good = good && fabs(s[k] - slow[k]) <=
				0.06 * slow[k] + 1e-9;
		ok(good, "motion: %d times %g m and %g rad: %.4f %.4f m, %.4f",
		   steps, step[i].x, step[i].yaw, s[0], s[1], s[2]);
	}
}

static void test_params(void)
{
	struct slam_params p = slam_gmapping;
	struct error error;

	ok(!slam_params_check(&p, &error), "params: GMapping's can be");
	p.matcher = SLAM_GAUSS_NEWTON;
	ok(slam_params_check(&p, &error) == -EINVAL,
	   "params: it has no Gauss-Newton");
	p = slam_gmapping;
	p.compat = SLAM_COMPATS;
	ok(slam_params_check(&p, &error) == -EINVAL, "params: nor others");
}

int main(void)
{
	static struct world world;
	struct trip *trip;

	params = slam_gmapping;
	world_corridors(&world);
	trip = trip_make(&world, 180, 10);
	test_beams();
	test_full();
	test_scores(false);
	test_scores(true);
	test_known();
	test_codes();
	test_limits();
	test_gain(trip);
	test_motion();
	test_params();
	trip_free(trip);
	return tap_done();
}
