// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_place - a robot in a known map (localiser): found from anywhere, with
 * and without odometry, by a hint, and after it was carried; not found between
 * twins; and the filter whose map does not change (filter_known)
 */
#include <errno.h>
#include <string.h>
#include "slam/filter/likelihood_field.h"
#include "slam/graph/localiser.h"
#include "slam_fixture.h"

enum { BEAMS = 181, WALLS_MAX = 100000 };

/* Where trip_make() starts in the world */
static const struct pose start = { 10, 1, 0 };

static struct world world;
static struct trip *trip;
static struct walls walls;

/* Points on all walls, @apart from each other */
static struct walls sample(const struct world *w, double apart)
{
	struct walls to = {
		.x = malloc(WALLS_MAX * sizeof(*to.x)),
		.y = malloc(WALLS_MAX * sizeof(*to.y)),
	};

	for (unsigned int i = 0; i < w->walls; i++) {
		const struct wall *v = w->wall + i;
		const double length = hypot(v->dx, v->dy);

		for (double at = 0; at < length; at += apart) {
			if (to.count == WALLS_MAX)
				abort();
			to.x[to.count] = (float)(v->x + v->dx * at / length);
			to.y[to.count++] = (float)(v->y + v->dy * at / length);
		}
	}
	return to;
}

static void walls_free(struct walls *w)
{
	free(w->x);
	free(w->y);
}

static struct pose truth_of(const struct trip *t, unsigned int i)
{
	return pose_compose(&start, t->truth + i);
}

static struct slam_params fixed(void)
{
	struct slam_params p = slam_defaults;

	p.particles = p.particles_min = 4;
	p.loops = 0;
	p.fixed = 1;
	return p;
}

/**
 * struct search - a localiser and its filter
 * @updates: of the filter
 */
struct search {
	struct localiser	*l;
	struct filter		*f;
	struct filter_result	result;
	uint32_t		updates;
};

static struct search search_open(const struct walls *w)
{
	const struct slam_params p = fixed();
	struct search s = { .updates = 0 };

	s.f = filter_create(&p, particle_pool_local(&p, 1));
	if (!s.f || localiser_create(&s.l, &p, w, NULL))
		abort();
	return s;
}

static void search_close(struct search *s)
{
	localiser_destroy(s->l);
	filter_destroy(s->f);
}

static int search_read(struct search *s, const struct reading *r)
{
	const int ret = localiser_read(s->l, s->f, r, &s->result);

	s->updates += ret > 0 && s->result.updated;
	return ret;
}

/* Readings from @from on until the robot is found. Return: how many were
 * needed; 0: not found
 */
static unsigned int find(struct search *s, const struct trip *t,
			 unsigned int from, unsigned int most)
{
	for (unsigned int i = from; i < from + most && i < t->count; i++) {
		const int ret = search_read(s, t->reading + i);

		if (ret < 0)
			abort();
		if (ret)
			return i - from + 1;
	}
	return 0;
}

static double off(const struct search *s, const struct trip *t, unsigned int i)
{
	const struct pose truth = truth_of(t, i);

	return pose_distance(&s->result.pose, &truth, 1);
}

/* From all over the building, and then it is tracked */
static void test_anywhere(const struct trip *t, const char *name,
			  unsigned int most)
{
	for (unsigned int from = 20; from < 600; from += 65) {
		struct search s = search_open(&walls);
		const unsigned int needed = find(&s, t, from, most);
		double worst = 0;

		ok_range(needed, 1, most, "%s: found from reading %u", name,
			 from);
		if (!needed) {
			search_close(&s);
			continue;
		}
		ok_range(off(&s, t, from + needed - 1), 0, 0.1,
			 "... where it is, m");
		for (unsigned int i = from + needed; i < from + needed + 40;
		     i++) {
			if (search_read(&s, t->reading + i) != 1)
				abort();
			worst = fmax(worst, off(&s, t, i));
		}
		ok_range(worst, 0, 0.1, "... and tracked, m");
		ok_eq(localiser_counts(s.l).unplaced, needed - 1,
		      "... unplaced");
		search_close(&s);
	}
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

/* A search that is interrupted finds nothing; a robot that was found is
 * tracked
 */
static void test_interrupted(void)
{
	struct search s = search_open(&walls);
	const struct place_hint hint = { { 0, 0, 0 }, 1, 0.3 };
	unsigned int i = 60;

	localiser_interrupt(s.l, always);
	ok_eq(find(&s, trip, 20, 40), 0, "searches are interrupted");
	ok_eq(localiser_counts(s.l).found, 0, "... the robot is not found");
	localiser_interrupt(s.l, NULL);
	i += find(&s, trip, i, 60);
	ok_range(i, 61, 119, "... but afterwards");
	localiser_interrupt(s.l, always);
	localiser_hint(s.l, &hint);
	ok_eq(search_read(&s, trip->reading + i), 1, "... and tracked");
	ok_range(off(&s, trip, i), 0, 0.1, "... where it is, m");
	search_close(&s);
}

static struct trip *without_odometry(void)
{
	struct trip *t = trip_copy(trip);

	for (unsigned int i = 0; i < t->count; i++)
		t->reading[i].odometry = (struct pose){ 0, 0, 0 };
	return t;
}

static void test_hint(void)
{
	const struct pose truth = truth_of(trip, 100);
	struct place_hint hint = {
		{ truth.x + 0.5, truth.y - 0.3, truth.yaw + 0.2 }, 1, 0.4,
	};
	struct search s = search_open(&walls);
	struct localiser_counts want, have;

	localiser_hint(s.l, &hint);
	ok_eq(find(&s, trip, 100, 1), 1, "a hint: found at the first scan");
	ok_range(off(&s, trip, 100), 0, 0.1, "... where it is, m");
	ok_eq(localiser_counts(s.l).missed, 0, "... missed");
	/* RViz: the robot is elsewhere, says its user */
	hint.pose = truth_of(trip, 300);
	localiser_hint(s.l, &hint);
	ok_eq(find(&s, trip, 300, 1), 1, "another hint while it is tracked");
	ok_range(off(&s, trip, 300), 0, 0.1, "... where it is, m");
	ok(s.result.found, "... found elsewhere");
	search_close(&s);

	s = search_open(&walls);
	find(&s, trip, 100, 1);
	want = localiser_counts(s.l);
	search_close(&s);
	s = search_open(&walls);
	/* some walls fit here, too */
	hint.pose = truth_of(trip, 430);
	localiser_hint(s.l, &hint);
	find(&s, trip, 100, 1);
	have = localiser_counts(s.l);
	ok_eq(have.missed, 1, "a hint that misses, as the scan fits elsewhere");
	ok(want.fit > 0 && have.fit == want.fit,
	   "... the scan fits there as without a hint, %.3f", have.fit);
	ok_near(pose_distance(&have.best, &want.best, 1), 0, 0,
		"... at the same place");
	search_close(&s);

	s = search_open(&walls);
	hint.pose = (struct pose){ -20, -20, 0 };
	localiser_hint(s.l, &hint);
	ok_range(find(&s, trip, 100, 60), 1, 60,
		 "a wrong hint: the whole map is searched");
	ok_range(off(&s, trip, 100), 0, 6, "... where it is, m");
	ok_eq(localiser_counts(s.l).missed, 1, "... missed");
	search_close(&s);
}

/* The robot is carried from one corridor to another one */
static void test_carried(void)
{
	const struct pose before = trip->reading[120].odometry;
	struct search s = search_open(&walls);
	unsigned int found = 0, said = 0;

	for (unsigned int i = 60; i <= 120; i++)
		search_read(&s, trip->reading + i);
	ok_range(off(&s, trip, 120), 0, 0.1, "carried: before, m");
	for (unsigned int i = 400; i < 480; i++) {
		struct reading r = trip->reading[i];
		const struct pose since =
			pose_between(&trip->reading[400].odometry, &r.odometry);

		r.odometry = pose_compose(&before, &since);
		r.stamp -= trip->reading[400].stamp - trip->reading[121].stamp;
		if (search_read(&s, &r) != 1)
			abort();
		if ((s.result.lost || s.result.found) && !said)
			said = i - 399;
		if (s.result.found && !found)
			found = i - 399;
	}
	ok_range(said, 1, 20, "carried: said, readings");
	ok_range(found, 1, 40, "carried: found, readings");
	ok_range(off(&s, trip, 479), 0, 0.1, "... where it is, m");
	ok(!s.result.lost, "... and not lost any more");
	search_close(&s);
}

/* Two buildings that are the same: no scan tells which one it is */
static void test_twins(void)
{
	struct world two = world;
	struct search s;
	struct walls w;

	for (unsigned int i = 0; i < world.walls; i++) {
		const struct wall *v = world.wall + i;

		world_wall(&two, v->x + 30, v->y, v->dx, v->dy);
	}
	w = sample(&two, 0.05);
	s = search_open(&w);
	ok_eq(find(&s, trip, 20, 100), 0, "twins: not found");
	ok_range(localiser_counts(s.l).searched, 10, 100, "... searched");
	ok_range(localiser_counts(s.l).next, 0.6, 1, "... the other one fits");
	search_close(&s);
	walls_free(&w);
}

/* Another building */
static void test_elsewhere(void)
{
	static struct world other;
	uint64_t state = 99;
	struct search s;
	struct walls w;

	world_ring(&other, 0, 0, 9, 31, 0.8, &state);
	world_ring(&other, 3, 5, 3, 20, -0.6, &state);
	w = sample(&other, 0.05);
	s = search_open(&w);
	ok_eq(find(&s, trip, 20, 150), 0, "another building: not found: %.3f, %.3f",
	      localiser_counts(s.l).fit, localiser_counts(s.l).next);
	search_close(&s);
	walls_free(&w);
}

static uint64_t bytes_of(struct filter *f)
{
	struct particle_pool *pool = filter_pool(f);
	struct particles_use use;

	pool->ops->use(pool, &use);
	return use.bytes;
}

/* The map stays, and the history has the updates alone */
static void test_fixed(void)
{
	struct search s = search_open(&walls);
	struct pose *history;
	uint64_t bytes;
	uint32_t count;

	if (filter_history(s.f, &history, &count))
		abort();
	ok_eq(count, 0, "no history before the robot is found");
	free(history);
	find(&s, trip, 20, 60);
	bytes = bytes_of(s.f);
	for (unsigned int i = 100; i < 200; i++)
		search_read(&s, trip->reading + i);
	ok_eq(bytes_of(s.f), bytes, "the map does not change");
	if (filter_history(s.f, &history, &count))
		abort();
	ok_eq(count, s.updates, "a pose of each update");
	ok_eq(s.result.update, s.updates - 1, "... counted from 0");
	free(history);
	search_close(&s);
}

/* Beams in a room of 2 m x 1 m, whose right half was never seen */
static void test_check(void)
{
	enum { WIDE = 40, HIGH = 22 };
	int8_t known[WIDE * HIGH];
	const struct map_file c = {
		WIDE, HIGH, 0.1, { 5, 6, M_PI / 2 }, known,
	};
	/* in the frame of the room, from its middle */
	static const struct {
		double	x, y;
		int	agree, against;
		const char *what;
	} beam[] = {
		{ -1, 0, 1, 0, "ends at the wall" },
		{ 0, 1.05, 1, 0, "ends at another wall" },
		{ -1.7, 0, 0, 1, "ends behind the wall" },
		{ -0.5, 0.1, 0, 1, "ends where the map is free" },
		{ 1.5, 0, 0, 0, "ends in the unknown" },
		{ 30, 0, 0, 0, "ends beyond the map" },
	};
	const struct map_file none = { .resolution = 0.1 };
	struct place_beams b = { .agree = 0 };
	struct fit_points one = { .count = 1 };

	for (int y = 0; y < HIGH; y++) {
		for (int x = 0; x < WIDE; x++)
			known[y * WIDE + x] = x > 20 ? -1 :
				x == 0 || y == 0 || y == HIGH - 1 ? 100 : 0;
	}
	for (size_t i = 0; i < sizeof(beam) / sizeof(*beam); i++) {
		/* the robot looks along -y of the room, which is turned itself */
		const struct pose here = { 1.05, 1.1, -M_PI / 2 };
		const struct pose at = pose_compose(&c.origin, &here);
		const struct pose end = { 1.05 + beam[i].x, 1.1 + beam[i].y, 0 };
		const struct pose seen = pose_between(&here, &end);

		b = (struct place_beams){ .agree = 0 };
		one.x[0] = (float)seen.x;
		one.y[0] = (float)seen.y;
		place_check(&c, &one, &at, &b);
		ok_eq(b.agree, beam[i].agree, "a beam that %s", beam[i].what);
		ok_eq(b.against, beam[i].against, "... against");
	}
	b = (struct place_beams){ .agree = 0 };
	place_check(&none, &one, &start, &b);
	ok_eq(b.agree + b.against, 0, "an empty map");
}

static void test_refused(void)
{
	const struct slam_params p = fixed();
	const struct walls none = { .count = 0 };
	float x[2] = { 0, 500 }, y[2] = { 0, 0 };
	const struct walls wide = { x, y, 2 };
	struct localiser *l;

	ok_eq(localiser_create(&l, &p, &none, NULL), -ENODATA, "no walls");
	ok_eq(localiser_create(&l, &p, &wide, NULL), -E2BIG, "too wide");
}

int main(void)
{
	struct trip *still;

	world_corridors(&world);
	trip = trip_make(&world, BEAMS, TRIP_READINGS);
	walls = sample(&world, 0.05);
	still = without_odometry();
	test_anywhere(trip, "with odometry", 80);
	test_anywhere(still, "without odometry", 80);
	test_interrupted();
	test_hint();
	test_carried();
	test_twins();
	test_elsewhere();
	test_fixed();
	test_check();
	test_refused();
	walls_free(&walls);
	trip_free(still);
	trip_free(trip);
	return tap_done();
}
