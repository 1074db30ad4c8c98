// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_match - scans: scores with the same bits on every path, and
 * matchers that find where a scan was taken. Maps: test_slam_field
 */
#include "slam/filter/match.h"
#include "slam/filter/match_wide.h"
#include "slam/filter/particles.h"
#include "field_fixture.h"
#include "slam_fixture.h"

enum { POINTS = 2000 };

static struct field_kernel kernel;

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

/* Somewhere in an area with its corner at (-@x, -@y) */
static void hit_any(struct likelihood_field *f, struct tiles *pool, int x,
		    unsigned int width, int y, unsigned int height,
		    uint64_t *state)
{
	/* arguments of one call would be in any order */
	const int at_y = (int)rnd(state, height) - y;
	const int at_x = (int)rnd(state, width) - x;

	if (field_hit(f, pool, &kernel, at_x, at_y, 1))
		abort();
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
		hit_any(f, pool, 40000, 60000, 20000, 50000, &state);
	}
	return true;
}

/* Tiles are found wherever they are: without memory for all before them */
static void test_far_scores(void)
{
	static const char * const name[] = { "best", "plain", "AVX2",
					     "AVX-512", "NEON" };
	struct tiles *pool = tiles_create(&field_tiles, 0);
	struct likelihood_field f;

	field_init(&f);
	if (!scatter(&f, pool, 8)) {
		ok(true, "score: tiles far away # SKIP no addresses");
		field_free(&f, pool);
		tiles_destroy(pool);
		return;
	}
	for (int path = SCORE_BEST; path < SCORE_PATHS; path++) {
		bool some = false;

		if (!score_use(path))
			continue;
		ok_eq(score_wrong(&f, tiles_base(pool), &some), 0,
		      "score: %s is as the reference, tiles beyond 2 and 255 GB",
		      name[path]);
		ok(some, "... some");
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
					     "AVX-512", "NEON" };
	struct tiles *pool = tiles_create(&field_tiles, 0);
	uint64_t state = 8;
	struct likelihood_field f, none;

	field_init(&f);
	field_init(&none);
	for (int i = 0; i < 1500; i++)
		hit_any(&f, pool, 40000, 60000, 20000, 50000, &state);
	for (int path = SCORE_BEST; path < SCORE_PATHS; path++) {
		bool some = false, any = false;

		if (!score_use(path)) {
			ok(true, "score: %s # SKIP not on this CPU",
			   name[path]);
			continue;
		}
		ok_eq(score_wrong(&f, tiles_base(pool), &some), 0,
		      "score: %s is as the reference", name[path]);
		ok(some, "... some");
		ok_eq(score_wrong(&none, tiles_base(pool), &any), 0,
		      "score: %s, of an empty map", name[path]);
		ok_eq(any, 0, "... any");
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
		hit_any(&f, pool, 30000, 60000, 30000, 60000, &state);
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
	for (int k = 0; k < 3; k++) {
		ok_range(
			most[k], 51, INFINITY,
			"slope: as the score changes by %s: off by %.1f of %.0f",
			&"x\0y\0yaw"[2 * k], worst[k], most[k]);
		ok_range(worst[k], -INFINITY, 0.0585 * most[k], "... worst");
	}
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
	ok_eq(scan.hits, BEAMS,
	      "a scan of a robot that moves: %.0f of %u endpoints are off, %.0f if all are of one moment",
	      off[0], BEAMS, off[1]);
	ok_range(off[0], -INFINITY, 13, "... off");
	ok_range(off[1], 289, INFINITY, "... off");
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
		ok_range(cut, -INFINITY, hill,
			 "hill climb: cut off after %u: %u", k,
			 (unsigned int)cut);
		ok_range(cut, -INFINITY, k + 6 * p.params.refinements + 3,
			 "... cut");
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
	ok_eq(wrong, 0,
	      "window: %u of 3000 fits are others than with the whole map",
	      wrong);
	ok_range(some, 2001, INFINITY, "... some");
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
	ok_range(square[0], 1e-12, 0.004 * 0.004,
		 "draw: nearer than the odometry says: %.5f, %.5f m, %.5f rad",
		 sqrt(square[0]), sqrt(square[1]), sqrt(square[2]));
	ok_range(square[1], 1e-12, 0.0029 * 0.0029, "... square");
	ok_range(square[2], 1e-12, 0.00091 * 0.00091, "... square");
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
		nothing = nothing && s.evidence == 0;
		along = along && fabs(cos(at.yaw) * s.blind_y +
				      sin(at.yaw) * s.blind_x) < 0.01 &&
			fabs(hypot(s.blind_x, s.blind_y) - 1) < 1e-9;
		world_scan(&room, &r, &at, 0.01, &state, range);
		if (scan_make(&s, &r, params))
			abort();
		all = all && s.evidence > 10;
	}
	ok(nothing, "scan: of a plain corridor it is blind along it");
	ok(along, "... along");
	ok(all, "scan: of a room it is blind to nothing");
	memset(range, 0, sizeof(range));
	for (unsigned int i = 0; i < 180; i++)
		range[i] = i == 90 ? 2 : 0;
	{
		struct reading r = trip_reading(180);

		r.range = range;
		ok_eq(scan_make(&s, &r, params), 0,
		      "scan: of one endpoint nothing is known");
		ok_eq(s.hits, 1, "... hits");
		ok(isinf(s.evidence), "... evidence is infinite");
		ok_range(fabs(hypot(s.blind_x, s.blind_y) - 1), -INFINITY, 1e-9,
			 "... how far off");
	}
	scan_free(&s);
}

/* The end of a corridor tells of the way along it: so many endpoints, whatever
 * part of them is looked at
 */
static void test_reported(void)
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
		part = s.evidence / s.hits;
		ok_range(
			part, 0.0397 / 1.1, 0.0495 * 1.1,
			"scan: of %u beams %.4f of the endpoints tell of the way",
			beams[i], part);
	}
	scan_free(&s);
}

/*
 * The search of an area
 */

enum { THREADS = 3 };

/* Return: by how much it is ahead. @pose: what was found, from @at on */
static double search(struct place *p, unsigned int threads,
		     const struct pose *at, double place, double turn,
		     struct pose *pose)
{
	const struct prior prior = { .at = *at, .place = place, .turn = turn };
	struct thread_pool *pool = thread_pool_create(threads);
	struct matcher m[THREADS];
	double ahead;

	for (unsigned int i = 0; i < threads; i++)
		matcher_init(m + i, &p->params, tiles_base(p->pool));
	*pose = (struct pose){ 77, 77, 0 };
	ahead = match_wide(m, pool, &p->scan, p->map, &prior, pose);
	for (unsigned int i = 0; i < threads; i++)
		matcher_free(m + i);
	thread_pool_destroy(pool);
	return ahead;
}

static void test_wide(const struct trip *t)
{
	const struct pose *truth = t->truth + 10;
	struct pose at = { truth->x + 2.5, truth->y - 1.5, truth->yaw + 0.9 };
	struct pose pose, again;
	struct place p;
	double ahead;

	place_make(&p, t);
	ahead = search(&p, 1, &at, 4, 1.5, &pose);
	ok_range(pose_distance(&pose, truth, 1), 0, 0.03,
		 "wide: the place is found in an area");
	/* what is near it does not count as elsewhere */
	ok_range(ahead, 0.1, 1, "wide: it fits better than elsewhere");
	ok_near(search(&p, THREADS, &at, 4, 1.5, &again), ahead, 0,
		"wide: as much by three threads");
	ok_mem(&again, &pose, sizeof(pose), "... and the same pose");
	search(&p, 1, &at, 4, 0.5, &pose);
	ok_range(fabs(remainder(pose.yaw - truth->yaw, 2 * M_PI)), 0.25, 1,
		 "wide: not beyond its turn");
	at = (struct pose){ truth->x + 3, truth->y, truth->yaw };
	search(&p, 1, &at, 1, 0.1, &pose);
	ok_range(hypot(pose.x - at.x, pose.y - at.y), 0, 1.6,
		 "wide: not beyond its area");
	/* 2.26 m away, in the corner of the square around a circle of 1.8 m */
	at = (struct pose){ truth->x + 1.6, truth->y + 1.6, truth->yaw };
	search(&p, 1, &at, 1.8, 0.1, &pose);
	ok_range(pose_distance(&pose, truth, 1), 0.1, 4,
		 "wide: the area is a circle");
	search(&p, 1, &at, 2.6, 0.1, &pose);
	ok_range(pose_distance(&pose, truth, 1), 0, 0.03,
		 "wide: a larger one has it");
	at = (struct pose){ truth->x + WIDE_REACH + 1.5, truth->y, truth->yaw };
	search(&p, 1, &at, 50, 0.1, &pose);
	ok_range(pose_distance(&pose, truth, 1), 0.1, INFINITY,
		 "wide: it has a limit");
	at = (struct pose){ 5000, 5000, 0 };
	/* the cost of its distance alone: 0.03 at the border */
	ok_range(search(&p, 1, &at, 1, 0.1, &pose), 0, 0.06,
		 "wide: where nothing is, nothing is better");
	ok_near(pose.x, 77, 0, "... and the pose stays");
	place_free(&p);
}

/* Beams through walls: the true pose has none, one behind a wall has */
static void test_against(const struct trip *t)
{
	const struct pose *truth = t->truth + 10;
	const struct pose wrong = { truth->x, truth->y + 1.3, truth->yaw };
	const struct pose far = { 5000, 5000, 0 };
	struct place p;

	place_make(&p, t);
	ok_range(match_against(&p.matcher, &p.scan, p.map, truth), 0, 0.05,
		 "against: nothing is against the truth");
	ok_range(match_against(&p.matcher, &p.scan, p.map, &wrong), 0.1, 1,
		 "against: walls are against a wrong one");
	ok_near(match_against(&p.matcher, &p.scan, p.map, &far), 0, 0,
		"against: nothing is where no walls are");
	place_free(&p);
}

int main(void)
{
	static struct world world;
	struct trip *trip;

	world_corridors(&world);
	test_sweep();
	trip = trip_make(&world, 180, 30);
	field_kernel_init(&kernel, 2, 10);
	test_scores();
	test_far_scores();
	test_slope();
	test_matchers(trip);
	test_window(trip);
	test_draw(trip);
	test_wide(trip);
	test_against(trip);
	trip_free(trip);
	test_blind();
	test_reported();
	return tap_done();
}
