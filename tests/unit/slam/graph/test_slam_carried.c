// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_carried - a robot that is carried while it maps: to a place that it
 * knows, and to one that it does not know (filter_carried, part_search); and what
 * only looks like that
 */
#include "slam/filter/filter_parts.h"
#include "ride_fixture.h"

enum { BEAMS = 181, SECOND = 10 };

static struct world world;
static struct trip *all;

static struct slam_params params(bool loops)
{
	struct slam_params p = slam_defaults;

	p.particles = p.particles_min = 6;
	p.loops = loops;
	return p;
}

/* From reading @start to @from; then the robot is where it was at reading @to, and
 * its odometry does not say so. @count: readings from there on
 */
static struct trip *carry(unsigned int start, unsigned int from,
			  unsigned int to, unsigned int count)
{
	const unsigned int before = from + 1 - start;
	const struct pose at = all->reading[from].odometry;
	struct trip *t = calloc(1, sizeof(*t));

	*t = (struct trip){ .count = before + count, .beams = BEAMS };
	t->range = malloc(sizeof(float) * BEAMS * t->count);
	for (unsigned int i = 0; i < t->count; i++) {
		const unsigned int n = i < before ? start + i : to + i - before;
		struct reading *r = t->reading + i;
		float *range = t->range + (size_t)i * BEAMS;
		struct pose since;

		*r = all->reading[n];
		r->stamp = all->reading[i].stamp;
		r->range = range;
		memcpy(range, all->reading[n].range, BEAMS * sizeof(*range));
		t->truth[i] = pose_between(all->truth + start, all->truth + n);
		if (i < before)
			continue;
		since = pose_between(&all->reading[to].odometry, &r->odometry);
		r->odometry = pose_compose(&at, &since);
	}
	return t;
}

/* The largest error of the poses from @first on, when they were read, m */
static double later(const struct ride *r, const struct trip *t,
		    unsigned int first)
{
	double most = 0;

	for (unsigned int i = first; i < t->count; i++)
		most = fmax(most, hypot(r->poses[i].x - t->truth[i].x,
					r->poses[i].y - t->truth[i].y));
	return most;
}

static void test_known(void)
{
	enum { FROM = 420, TO = 30 };
	const struct slam_params p = params(true);
	struct trip *t = carry(0, FROM, TO, 160);
	struct ride r;

	ride_go(&r, t, &p, particle_pool_local(&p, 2), NULL, 0);
	ok_range(r.lost, FROM + 1, FROM + 2 * SECOND,
		 "carried to a known place: lost at reading %u", r.lost);
	ok_range(r.carried, r.lost, r.lost + SECOND,
		 "... mapped apart from reading %u on", r.carried);
	ok_eq(r.loops.joined, 1, "... found");
	ok_range(r.first, r.carried, FROM + 10 * SECOND,
		 "... at reading %u", r.first);
	ok_range(ride_worst(&r, t), 0, 0.4, "... the map is right: %.2f m off",
		 ride_worst(&r, t));
	ok_range(later(&r, t, r.first + 1), 0, 0.3,
		 "... the poses from then on, too: %.2f m off",
		 later(&r, t, r.first + 1));
	ride_on_workers(t, &p, &r, 0);
	ride_again(t, &p, &r, FROM + 3);
	ride_again(t, &p, &r, r.carried);
	ride_again(t, &p, &r, r.carried + 1);
	ride_again(t, &p, &r, r.first - 2);
	ride_free(&r);
	trip_free(t);
}

static void test_unknown(void)
{
	enum { START = 150, FROM = 425, TO = 0 };
	const struct slam_params off = params(false), on = params(true);
	struct trip *t = carry(START, FROM, TO, 400);
	struct ride r;

	ride_go(&r, t, &off, particle_pool_local(&off, 2), NULL, 0);
	ok(r.carried, "carried to an unknown place, without loops: mapped apart");
	ok_range(later(&r, t, r.carried), FILTER_CARRIED_GAP - 30,
		 FILTER_CARRIED_GAP + 30, "... %.0f m away",
		 later(&r, t, r.carried));
	ride_free(&r);
	ride_go(&r, t, &on, particle_pool_local(&on, 2), NULL, 0);
	ok_eq(r.loops.joined, 1, "with loops: found in the place that it knows");
	ok_range(ride_worst(&r, t), 0, 0.5, "... the map is right: %.2f m off",
		 ride_worst(&r, t));
	ride_again(t, &on, &r, r.carried + 100);
	ride_free(&r);
	trip_free(t);
}

/* Something stands in front of the laser of a robot that stands, too */
static void test_covered(void)
{
	enum { AT = 120, LONG = 12 };
	const struct slam_params p = params(true);
	struct trip *t = carry(0, AT + LONG, AT, 100);
	struct ride r;

	for (unsigned int i = AT; i <= AT + LONG; i++) {
		float *range = t->range + (size_t)i * BEAMS;

		t->reading[i].odometry = t->reading[AT].odometry;
		t->truth[i] = t->truth[AT];
		for (unsigned int k = 0; k < BEAMS; k++)
			range[k] = 0.4f;
	}
	for (unsigned int i = AT + LONG + 1; i < t->count; i++) {
		const struct pose since = pose_between(
			&all->reading[AT].odometry,
			&all->reading[AT + i - AT - LONG - 1].odometry);

		t->reading[i].odometry = pose_compose(
			&t->reading[AT].odometry, &since);
	}
	ride_go(&r, t, &p, particle_pool_local(&p, 2), NULL, 0);
	ok_eq(r.carried, 0, "a covered laser: not carried");
	ok_range(later(&r, t, AT), 0, 0.3, "... it goes on: %.2f m off",
		 later(&r, t, AT));
	ride_free(&r);
	trip_free(t);
}

int main(void)
{
	world_corridors(&world);
	all = trip_make(&world, BEAMS, TRIP_READINGS);
	test_known();
	test_unknown();
	test_covered();
	trip_free(all);
	return tap_done();
}
