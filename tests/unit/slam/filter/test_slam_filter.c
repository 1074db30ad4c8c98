// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_filter - the whole filter on a robot that goes around a block: how
 * far from the truth it is, that its bits depend on nothing but the seed, what
 * its maps take, and scans and odometry that are not as they should be
 */
#include <errno.h>
#include "slam/filter/score.h"
#include "slam/output/scan_trajectory.h"
#include "slam_fixture.h"

/**
 * struct session - what became of a trip
 * @t:		at the end
 * @live:	of each reading, when it was there
 * @least, @most: particles
 * @lost, @held, @found: readings at which it was so
 * @wide:	of those at which it is lost, how many have a covariance that
 *		says so
 * @spread:	the largest variance of its yaw while it is not lost, rad2
 * @changed:	the history changed though the filter did not say so
 */
struct session {
	struct trajectory	t;
	struct pose		live[TRIP_READINGS];
	unsigned int		updates, resamplings, jumps;
	unsigned int		lost, held, found, wide;
	uint32_t		least, most;
	uint64_t		evaluations;
	struct particles_use	use;
	double			spread;
	bool			changed;
	int			err;
};

static struct world world;
/* around the block; around two of its corners; one; a part of that */
static struct trip *around, *some, *part, *corner;

static struct slam_params few(void)
{
	struct slam_params p = slam_defaults;

	p.particles = 12;
	return p;
}

static void take(struct session *r, unsigned int i,
		 const struct filter_result *f)
{
	r->live[i] = f->pose;
	r->updates += f->updated;
	r->resamplings += f->resampled;
	r->jumps += f->jumped;
	r->lost += f->lost;
	r->held += f->held;
	r->found += f->found;
	r->wide += f->lost && f->covariance[0] > 1 && f->covariance[5] > 1;
	if (!f->lost)
		r->spread = fmax(r->spread, f->covariance[5]);
	r->evaluations += f->evaluations;
	r->least = !i || f->particles < r->least ? f->particles : r->least;
	r->most = f->particles > r->most ? f->particles : r->most;
}

/* Whether the filter's history goes on from @old, of @count */
static bool goes_on(const struct filter *f, struct pose **old, uint32_t *count)
{
	struct pose *history;
	uint32_t updates;
	bool same;

	if (filter_history(f, &history, &updates))
		abort();
	same = updates >= *count &&
		!memcmp(history, *old, *count * sizeof(*history));
	free(*old);
	*old = history;
	*count = updates;
	return same;
}

static void finish(struct session *r, const struct filter *f,
		   const struct scan_trajectory *j)
{
	struct particle_pool *team = filter_pool(f);
	struct pose *history;
	uint32_t updates;

	team->ops->use(team, &r->use);
	if (filter_history(f, &history, &updates))
		abort();
	if (!r->err)
		r->err = scan_trajectory_get(j, history, updates, &r->t);
	r->changed = r->changed || updates != r->updates;
	free(history);
}

/* To be freed with session_free() */
static struct session *run(const struct trip *trip, const struct slam_params *p,
			   unsigned int threads)
{
	struct filter *f = filter_create(p, particle_pool_local(p, threads));
	struct session *r = calloc(1, sizeof(*r));
	struct pose *old = malloc(sizeof(*old));
	struct scan_trajectory j = { 0 };
	uint32_t count = 0;

	if (!f || !r || !old)
		abort();
	for (unsigned int i = 0; i < trip->count && !r->err; i++) {
		struct filter_result result;

		r->err = filter_read(f, trip->reading + i, &result);
		if (r->err)
			break;
		take(r, i, &result);
		r->changed |= !goes_on(f, &old, &count) && !result.rewritten;
		if (scan_trajectory_add(&j, trip->reading + i, &result))
			abort();
	}
	finish(r, f, &j);
	free(old);
	scan_trajectory_free(&j);
	filter_destroy(f);
	return r;
}

static void session_free(struct session *r)
{
	trajectory_free(&r->t);
	free(r);
}

static double off(const struct pose *a, const struct pose *b)
{
	return hypot(a->x - b->x, a->y - b->y);
}

/* Of all readings, m: root mean square; INFINITY: something is missing */
static double session_error(const struct session *r, const struct trip *trip)
{
	double square = 0;

	if (r->err || r->changed || r->t.count != trip->count)
		return INFINITY;
	for (unsigned int i = 0; i < trip->count; i++)
		square += pow(off(&r->t.point[i].pose, trip->truth + i), 2);
	return sqrt(square / trip->count);
}

/* While it went on, m: the largest */
static double live_error(const struct session *r, const struct trip *trip)
{
	double most = r->err ? INFINITY : 0;

	for (unsigned int i = 0; i < trip->count; i++)
		most = fmax(most, off(r->live + i, trip->truth + i));
	return most;
}

/*
 * Accuracy
 */

static void test_accuracy(void)
{
	double odometry = 0;

	for (unsigned int i = 0; i < around->count; i++) {
		const struct pose p = pose_between(&around->reading[0].odometry,
						&around->reading[i].odometry);

		odometry = fmax(odometry, off(&p, around->truth + i));
	}
	ok(odometry > 5.2, "odometry alone is off by up to %.1f m", odometry);
	for (int k = 0; k < (thorough() ? 6 : 1); k++) {
		struct slam_params p = slam_defaults;
		double error, live;
		struct session *r;

		p.matcher = k & 1 ? SLAM_GAUSS_NEWTON : SLAM_HILL;
		p.seed = (uint64_t)(1 + k / 2);
		r = run(around, &p, 2);
		error = session_error(r, around);
		live = live_error(r, around);
		ok_range(error, -INFINITY, 0.27,
			 "%s, seed %u: %.3f m, at most %.3f m meanwhile",
			 k & 1 ? "Gauss-Newton" : "hill climb", 1 + k / 2,
			 error, live);
		ok_range(live, -INFINITY, 0.55, "... live");
		ok_range(r->resamplings, 4, INFINITY, "... resamplings");
		ok_eq(r->jumps, 0, "... jumps");
		/* also where its yaw goes from pi to -pi */
		ok_range(r->spread, 1e-9, 0.01, "... sure of its yaw");
		ok_eq(r->lost, 0, "a robot that goes around a block is not lost");
		ok_eq(r->found, 0, "nor found");
		session_free(r);
	}
}

static void test_variants(void)
{
	struct slam_params p = few();
	struct session *r = run(part, &p, 2), *other;

	ok_range(session_error(r, part), -INFINITY, 0.052,
		 "12 particles: %.3f m", session_error(r, part));
	ok_range(r->resamplings, -INFINITY, r->updates / 2, "... resamplings");
	ok_eq(r->least, 12, "... least");
	ok_eq(r->most, 12, "... most");
	p.resample = 1;
	other = run(part, &p, 2);
	ok_range(session_error(other, part), -INFINITY, 0.031,
		 "resampled at each update: %.3f m",
		 session_error(other, part));
	ok_eq(other->resamplings, other->updates, "... resamplings");
	session_free(other);
	p.resample = 0;
	other = run(part, &p, 2);
	ok_range(session_error(other, part), -INFINITY, 0.052,
		 "never resampled: %.3f m", session_error(other, part));
	ok_eq(other->resamplings, 0, "... resamplings");
	session_free(other);
	p = few();
	p.sharpness = 0;
	other = run(part, &p, 2);
	ok_range(session_error(other, part), -INFINITY, 0.059,
		 "the best pose is taken: %.3f m", session_error(other, part));
	ok_range(other->evaluations, -INFINITY, r->evaluations,
		 "... evaluations");
	session_free(other);
	p = few();
	p.cutoff = 40;
	other = run(part, &p, 2);
	ok_range(session_error(other, part), -INFINITY, 0.024,
		 "cut off: %.3f m", session_error(other, part));
	ok_range(other->evaluations, -INFINITY, r->evaluations * 9 / 10,
		 "... evaluations");
	session_free(other);
	p = few();
	p.particles = 1;
	other = run(part, &p, 2);
	ok(session_error(other, part) < 0.032, "one particle: %.3f m",
	   session_error(other, part));
	session_free(other);
	session_free(r);
}

static void test_kld(void)
{
	struct slam_params p = slam_defaults;
	struct session *r;

	p.particles = 60;
	p.particles_min = 5;
	p.kld_error = 0.3;
	p.resample = 1;
	r = run(part, &p, 2);
	ok_range(session_error(r, part), -INFINITY, 0.06,
		 "KLD: %u to %u particles, %.3f m", r->least, r->most,
		 session_error(r, part));
	ok_range(r->least, 5, INFINITY, "... least");
	ok_range(r->most, r->least, 60, "... most");
	session_free(r);
	p.kld_error = 0;
	r = run(corner, &p, 2);
	ok(r->least == 60, "without KLD their number stays");
	session_free(r);
}

/*
 * Bits
 */

static bool same_bits(const struct session *a, const struct session *b)
{
	return !a->err && !b->err && a->t.count == b->t.count &&
		!memcmp(a->live, b->live, sizeof(a->live)) &&
		!memcmp(a->t.point, b->t.point,
			a->t.count * sizeof(*a->t.point)) &&
		a->evaluations == b->evaluations &&
		a->resamplings == b->resamplings;
}

static void test_bits_of(struct slam_params p, const char *name)
{
	/* both scores by hill climb; others use the same */
	const bool paths = p.matcher == SLAM_HILL || thorough();
	struct session *first = run(corner, &p, 1), *r;

	for (unsigned int threads = 1; threads <= 3; threads++) {
		r = run(corner, &p, threads);
		ok(same_bits(first, r), "%s: the same bits with %u threads",
		   name, threads);
		ok_eq(r->use.bytes, first->use.bytes, "... bytes");
		session_free(r);
	}
	for (int path = SCORE_PLAIN; path < SCORE_PATHS; path++) {
		if (!paths || !score_use(path))
			continue;
		r = run(corner, &p, 2);
		ok(same_bits(first, r), "%s: the same bits on path %d", name,
		   path);
		session_free(r);
	}
	score_use(SCORE_BEST);
	p.seed++;
	r = run(corner, &p, 1);
	ok(!same_bits(first, r), "%s: others with another seed", name);
	session_free(r);
	session_free(first);
}

static void test_bits(void)
{
	struct slam_params p = few();

	test_bits_of(p, "hill climb");
	p.matcher = SLAM_GAUSS_NEWTON;
	test_bits_of(p, "Gauss-Newton");
	p.kld_error = 0.1;
	p.resample = 1;
	test_bits_of(p, "KLD");
	p = slam_gmapping;
	p.particles = 12;
	p.distance = p.angle = 0.15;
	p.resample = 0.95;
	test_bits_of(p, "GMapping");
}

/*
 * Memory
 */

static void test_memory(void)
{
	struct slam_params p = slam_defaults;
	struct session *one, *all;

	p.particles = 1;
	one = run(some, &p, 1);
	p.particles = 30;
	p.resample = 1;
	all = run(some, &p, 2);
	ok_range(one->use.bytes, 100001, INFINITY,
		 "maps are shared after a resampling: one %u kB, 30 %u kB",
		 (unsigned int)(one->use.bytes >> 10),
		 (unsigned int)(all->use.bytes >> 10));
	ok_range(all->use.peak, all->use.bytes, INFINITY, "... peak");
	ok_range(all->use.bytes, -INFINITY, 30 * one->use.bytes * 2 / 3,
		 "... bytes");
	session_free(all);
	p.resample = 0;
	all = run(some, &p, 2);
	ok(all->use.bytes > 30 * one->use.bytes * 8 / 10,
	   "without one there is nothing to share: %u kB",
	   (unsigned int)(all->use.bytes >> 10));
	session_free(all);
	session_free(one);
}

/*
 * Readings between updates
 */

static void test_tracking(void)
{
	struct slam_params p = few();
	struct trip *t;
	struct session *r;

	p.distance = 0.45;
	p.angle = 0.4;
	r = run(some, &p, 2);
	ok_range(
		session_error(r, some), -INFINITY, 0.146,
		"tracked: %u updates of %u readings, %.3f m, at most %.3f m meanwhile",
		r->updates, some->count, session_error(r, some),
		live_error(r, some));
	ok_range(live_error(r, some), -INFINITY, 0.307, "... live error");
	ok_range(r->updates, -INFINITY, some->count / 3, "... updates");
	session_free(r);
	t = trip_copy(part);
	for (unsigned int i = 0; i < t->count; i++)
		if (i % 4)
			t->reading[i].beams = 0;
	p = few();
	r = run(t, &p, 2);
	ok_range(session_error(r, t), -INFINITY, 0.037,
		 "odometry alone in between: %.3f m", session_error(r, t));
	ok_eq(r->updates, (t->count + 3) / 4, "... updates");
	session_free(r);
	trip_free(t);
}

static void test_first_scan_late(void)
{
	struct trip *t = trip_copy(part);
	struct slam_params p = few();
	struct session *r;
	double worst = 0;

	for (unsigned int i = 0; i < 20; i++)
		t->reading[i].beams = 0;
	r = run(t, &p, 2);
	/* the map begins at the first scan */
	for (unsigned int i = 0; i < t->count && r->t.count; i++) {
		const struct pose truth = pose_between(t->truth + 20,
						       t->truth + i);

		worst = fmax(worst, off(&r->t.point[i].pose, &truth));
	}
	ok_eq(r->err, 0, "scans that begin late: %.3f m", worst);
	ok_eq(r->t.count, t->count, "... count");
	ok_range(worst, -INFINITY, 0.071, "... worst");
	session_free(r);
	trip_free(t);
}

/*
 * What should not be
 */

static void test_bad_ranges(void)
{
	static const float bad[] = { NAN, INFINITY, -INFINITY, 0, -0.f, -1,
				     TRIP_RANGE, 1e30f };
	struct trip *t = trip_copy(part);
	struct slam_params p = few();
	uint64_t state = 2;
	struct session *r;

	for (size_t i = 0; i < (size_t)t->count * t->beams; i++)
		if (!rnd(&state, 3))
			t->range[i] = bad[rnd(&state, 8)];
	r = run(t, &p, 2);
	ok(session_error(r, t) < 0.065,
	   "a third of the beams is of no use: %.3f m", session_error(r, t));
	session_free(r);
	trip_free(t);
}

/* Scans @from to @to see nothing, or have no beams. Return: what is off */
static double blind(unsigned int from, unsigned int to, bool beams)
{
	struct trip *t = trip_copy(part);
	struct slam_params p = few();
	struct session *r;
	double error;

	for (unsigned int i = from; i < to; i++) {
		if (!beams)
			t->reading[i].beams = 0;
		for (unsigned int k = 0; k < t->beams; k++)
			t->range[(size_t)i * t->beams + k] = INFINITY;
	}
	r = run(t, &p, 2);
	error = session_error(r, t);
	session_free(r);
	trip_free(t);
	return error;
}

static void test_blind(void)
{
	struct slam_params p = few();
	struct trip *t;
	struct session *r;
	double error;

	error = blind(50, 65, true);
	ok(error < 0.059, "scans that see nothing: %.3f m", error);
	error = blind(50, 65, false);
	ok(error < 0.052, "scans without beams: %.3f m", error);
	error = blind(0, 20, true);
	ok(error < 0.184, "at first nothing is seen: %.3f m", error);
	error = blind(0, part->count, true);
	ok(error < 0.523, "nothing at all is seen: %.3f m", error);
	for (unsigned int beams = 0; beams < 2; beams++) {
		t = trip_make(&world, beams, 60);
		r = run(t, &p, 2);
		error = off(r->live + t->count - 1, t->truth + t->count - 1);
		ok_eq(r->err, (beams ? 0 : -ENODATA), "%u beams: %.3f m", beams,
		      error);
		ok_range(error, -INFINITY, 0.251, "... error");
		session_free(r);
		trip_free(t);
	}
}

static void test_many_beams(void)
{
	struct trip *t = trip_make(&world, 2000, 40);
	struct slam_params p = few();
	struct session *r = run(t, &p, 2);

	ok(session_error(r, t) < 0.0145, "2000 beams: %.3f m",
	   session_error(r, t));
	session_free(r);
	t->reading[20].beams = READING_BEAMS_MAX + 1;
	r = run(t, &p, 2);
	ok(r->err == -EINVAL, "more beams than there can be are refused");
	session_free(r);
	trip_free(t);
}

static void test_far(void)
{
	struct trip *t = trip_copy(part);
	struct slam_params p = few();
	struct session *r;

	for (unsigned int i = 0; i < t->count; i++)
		t->reading[i].range_max = 1e5f;
	t->range[(size_t)60 * t->beams + 90] = 9e4f;
	t->range[(size_t)61 * t->beams + 91] = 3e3f;
	r = run(t, &p, 2);
	ok(session_error(r, t) < 0.051,
	   "a beam of 90 km and one of 3 km: %.3f m", session_error(r, t));
	session_free(r);
	p.range_max = 20;
	r = run(t, &p, 2);
	ok(session_error(r, t) < 0.051, "beams that are not usable: %.3f m",
	   session_error(r, t));
	session_free(r);
	trip_free(t);
}

/* From the middle on, all that odometry says is moved by @jump. Return: error */
static double session_jumped(const struct pose *jump, struct slam_params *p,
			     unsigned int *jumps)
{
	struct trip *t = trip_copy(some);
	const unsigned int half = t->count / 2 + 20;
	const struct pose at = t->reading[half].odometry;
	const struct pose moved = pose_compose(&at, jump);
	struct session *r;
	double error;

	for (unsigned int i = half; i < t->count; i++) {
		const struct pose since = pose_between(&at,
						&some->reading[i].odometry);

		t->reading[i].odometry = pose_compose(&moved, &since);
	}
	r = run(t, p, 2);
	error = session_error(r, t);
	*jumps = r->jumps;
	session_free(r);
	trip_free(t);
	return error;
}

static void test_small_jumps(void)
{
	static const struct pose jump[] = {
		{ 3, 0, 0 }, { 0, 0, 1.5 }, { 1, 1, -1 }, { 0.3, 0, 0 },
		{ 0, 0.5, 0 }, { -1, 0, 0 }, { 2, -4.5, 0 }, { 0, 0, 0.2 },
		{ 0, 0, -0.5 },
	};
	struct slam_params p = thorough() ? slam_defaults : few();

	for (unsigned int i = 0; i < (thorough() ? 9 : 3); i++) {
		unsigned int jumps;
		const double error = session_jumped(jump + i, &p, &jumps);

		ok(error < 0.14, "odometry that jumps by %.1f, %.1f m and %.1f rad: %.3f m, noticed %u times",
		   jump[i].x, jump[i].y, jump[i].yaw, error, jumps);
		if (i)
			continue;
		p.wall = 0;
		ok(session_jumped(jump + i, &p, &jumps) > 1,
		   "without a wall it is believed");
		p.wall = slam_defaults.wall;
	}
}

/*
 * A robot that is carried: odometry says nothing of it
 */

static void test_carried(void)
{
	struct trip *t = trip_carried(some);
	struct slam_params p = slam_defaults;
	struct session *r = run(t, &p, 2);
	double last = INFINITY;

	if (r->t.count == t->count)
		last = off(&r->t.point[t->count - 1].pose,
			   t->truth + t->count - 1);
	ok(r->lost,
	   "a robot that is carried: lost at %u readings, %u left out, found %u times, %.3f m off in the end",
	   r->lost, r->held, r->found, last);
	ok(r->held, "... held");
	ok_eq(r->lost, r->wide, "... lost");
	ok_eq(r->found, 1, "... found");
	ok_range(last, -INFINITY, 0.244, "... last");
	session_free(r);
	trip_free(t);
}

/* @from: this reading on is matched, those before are recalled out of @old */
static struct pose last_pose(const struct trip *t, const struct slam_params *p,
			     unsigned int from, struct outcome **old,
			     uint32_t *olds)
{
	struct filter *f = filter_create(p, particle_pool_local(p, 2));
	struct filter_result r = { 0 };
	int err = 0;

	for (unsigned int i = 0; i < t->count && !err; i++) {
		const struct outcome *out;
		uint32_t count;

		if (i < from) {
			err = filter_recall(f, t->reading + i, old[i], olds[i],
					    &r);
			continue;
		}
		err = filter_read(f, t->reading + i, &r);
		out = filter_outcomes(f, &count);
		if (from)
			continue;
		olds[i] = count;
		old[i] = malloc((count + 1) * sizeof(*out));
		memcpy(old[i], out, count * sizeof(*out));
	}
	filter_destroy(f);
	return err ? (struct pose){ NAN, NAN, NAN } : r.pose;
}

static void test_carried_again(void)
{
	static struct outcome *old[TRIP_READINGS];
	static uint32_t olds[TRIP_READINGS];
	const struct slam_params p = slam_defaults;
	struct trip *t = trip_carried(some);
	const struct pose once = last_pose(t, &p, 0, old, olds);

	for (unsigned int i = thorough() ? 1 : 6; i < 9; i += thorough() ? 1 : 3) {
		const struct pose again = last_pose(t, &p, TRIP_CARRIED_FROM + i,
						    old, olds);

		ok(!memcmp(&again, &once, sizeof(once)),
		   "begun again %u readings after it was carried: the same bits",
		   i);
	}
	for (unsigned int i = 0; i < t->count; i++)
		free(old[i]);
	trip_free(t);
}

static void test_jump(void)
{
	const struct pose carried = { 100, 30, 1 };
	struct trip *t = trip_copy(some);
	struct slam_params p = few();
	struct session *r;

	for (unsigned int i = t->count / 2; i < t->count; i++)
		t->reading[i].odometry = pose_compose(&carried,
						&t->reading[i].odometry);
	r = run(t, &p, 2);
	ok_eq(r->jumps, 1, "odometry that jumps by 100 m: %.3f m",
	      session_error(r, t));
	ok_range(session_error(r, t), -INFINITY, 0.2, "... session error");
	session_free(r);
	trip_free(t);
}

/* The link was away: readings @from..@until did not come */
static struct trip *without(const struct trip *all, unsigned int from,
			    unsigned int until)
{
	struct trip *t = trip_copy(all);
	const unsigned int rest = all->count - until;

	memmove(t->reading + from, t->reading + until,
		rest * sizeof(*t->reading));
	memmove(t->truth + from, t->truth + until, rest * sizeof(*t->truth));
	t->count = from + rest;
	return t;
}

static void test_outage(void)
{
	static const unsigned int from[] = { 60, 20, 150, 400 };
	static const unsigned int until[] = { 85, 90, 290, 520 };
	struct slam_params p = slam_defaults;

	for (unsigned int i = 0; i < (thorough() ? 4 : 2); i++) {
		struct trip *t = without(thorough() ? around : some, from[i],
					 until[i]);
		struct session *r = run(t, &p, 2);

		ok_eq(r->jumps, 0,
		      "readings %u..%u did not come: %.3f m, %u jumps, lost at %u readings, found %u times",
		      from[i], until[i], session_error(r, t), r->jumps, r->lost,
		      r->found);
		ok_range(session_error(r, t), -INFINITY, i < 3 ? 0.25 : 0.63,
			 "... session error");
		session_free(r);
		trip_free(t);
	}
}

/* Less than what its error would be worth as a way */
static void test_short_outage(void)
{
	struct trip *t = without(part, 60, 67);
	struct slam_params p = slam_defaults;
	unsigned int all;
	struct session *r;

	p.distance = p.angle = 0.4;
	/* it stands behind the pause */
	for (unsigned int i = 61; i < t->count; i++) {
		t->reading[i].odometry = t->reading[60].odometry;
		t->reading[i].range = t->reading[60].range;
		t->truth[i] = t->truth[60];
	}
	t->count = 60;
	r = run(t, &p, 2);
	all = r->updates;
	session_free(r);
	t->count = 70;
	for (unsigned int i = 60; i < t->count; i++)
		t->reading[i].stamp += 10000000000;
	r = run(t, &p, 2);
	ok(r->updates == all + 1, "a robot that went 0.8 m in a pause is matched: %u updates, %u before",
	   r->updates, all);
	session_free(r);
	trip_free(t);
}

static void test_rest(void)
{
	struct trip *t = trip_make(&world, 180, 60);
	struct slam_params p = few();
	struct session *r;

	for (unsigned int i = 1; i < t->count; i++) {
		t->reading[i].odometry = t->reading[0].odometry;
		t->reading[i].range = t->range;
		t->truth[i] = t->truth[0];
	}
	r = run(t, &p, 2);
	ok_eq(r->updates, 1, "a robot that stands still: %u update, %.4f m",
	      r->updates, live_error(r, t));
	ok_range(live_error(r, t), -INFINITY, 0.0104, "... live error");
	session_free(r);
	p.distance = p.angle = 0;
	r = run(t, &p, 2);
	ok_eq(r->updates, t->count,
	      "and with an update at each reading: %.3f m", live_error(r, t));
	ok_range(live_error(r, t), -INFINITY, 0.022, "... live error");
	session_free(r);
	trip_free(t);
}

static void test_early_end(void)
{
	const struct slam_params p = few();
	struct filter *f = filter_create(&p, particle_pool_local(&p, 2));
	struct pose *history;
	uint32_t count = 7;

	ok_eq(filter_history(f, &history, &count), 0,
	      "no history before the first reading");
	ok_eq(count, 0, "... count");
	free(history);
	filter_destroy(f);
	filter_destroy(NULL);
}

int main(void)
{
	world_corridors(&world);
	around = trip_make(&world, 180, TRIP_READINGS);
	some = trip_make(&world, 180, 260);
	part = trip_make(&world, 180, 150);
	corner = trip_make(&world, 180, thorough() ? 150 : 50);
	test_accuracy();
	test_variants();
	test_kld();
	test_bits();
	test_memory();
	test_tracking();
	test_first_scan_late();
	test_bad_ranges();
	test_blind();
	test_many_beams();
	test_far();
	test_jump();
	test_small_jumps();
	test_outage();
	test_short_outage();
	test_carried();
	test_carried_again();
	test_rest();
	test_early_end();
	trip_free(around);
	trip_free(some);
	trip_free(part);
	trip_free(corner);
	return tap_done();
}
