// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_moving - people around the robot are found in its scans (moving),
 * and do not hold it back (filter)
 */
#include <stdlib.h>
#include "slam/filter/filter_parts.h"
#include "../../slam_fixture.h"

/* People come up to the robot after some readings */
enum { BEAMS = 181, PART = 260, PEOPLE = 3, COME = 15 };

static struct world world;
static struct trip *empty, *crowd;

/* People 0.5 m wide who walk with the robot, and now and then change places */
static void add_people(struct trip *t)
{
	double angle[PEOPLE] = { -0.7, 0.1, 0.9 }, far[PEOPLE] = { 0.8, 0.9, 0.7 };
	uint64_t state = 5;

	for (unsigned int i = COME; i < t->count; i++) {
		const struct reading *r = t->reading + i;
		float *range = t->range + (size_t)i * t->beams;

		for (unsigned int p = 0; p < PEOPLE; p++) {
			angle[p] += 0.1 * rnd_normal(&state);
			angle[p] = fmin(fmax(angle[p], -1.4), 1.4);
			far[p] += 0.1 * rnd_normal(&state);
			far[p] = fmin(fmax(far[p], 0.6), 1.2);
			for (unsigned int b = 0; b < t->beams; b++) {
				const double a = (double)r->angle_min +
					b * (double)r->angle_increment;

				if (fabs(a - angle[p]) < 0.25 / far[p] &&
				    (float)far[p] < range[b])
					range[b] = (float)far[p];
			}
		}
	}
}

/* Beam @b of reading @i ends at somebody */
static bool is_person(unsigned int i, unsigned int b)
{
	return crowd->reading[i].range[b] < empty->reading[i].range[b];
}

/**
 * struct marks - of the last scan
 * @people, @others: beams that were marked
 * @all: beams that end at people
 */
struct marks {
	unsigned int	people, all, others;
};

/* Readings up to @last of a trip; the last one at @off from where it was */
static struct marks mark(const struct trip *t, unsigned int last,
			 const struct pose *off)
{
	struct trajectory_tree *tree = trajectory_tree_create();
	struct last_scans l = { .updates = 0 };
	struct moving m = { .share = 0 };
	struct marks marks = { .all = 0 };
	trajectory_tree_id id = 0, next;

	for (unsigned int i = 0; i <= last; i++) {
		const struct trajectory_step step = {
			.pose = t->truth[i], .update = i,
		};
		const struct pose at = i < last ? t->truth[i] :
			pose_compose(t->truth + i, off);

		if (moving_mark(&m, &l, tree, id, t->reading + i, &at) ||
		    last_scans_add(&l, &m.still))
			abort();
		moving_learn(&m);
		next = trajectory_tree_add(tree, id, &step);
		trajectory_tree_release(tree, id);
		id = next;
	}
	for (unsigned int b = 0; b < t->beams; b++) {
		const bool marked = m.still.range[b] < 0;

		marks.all += is_person(last, b);
		marks.people += marked && is_person(last, b);
		marks.others += marked && !is_person(last, b);
		if (fabsf(m.still.range[b]) != t->reading[last].range[b])
			abort();
	}
	ok_eq(m.beams, marks.people + marks.others, "%u beams are counted",
	      m.beams);
	trajectory_tree_release(tree, id);
	trajectory_tree_destroy(tree);
	last_scans_free(&l);
	moving_free(&m);
	return marks;
}

static void test_marks(void)
{
	const struct pose here = { 0, 0, 0 }, ahead = { 0.5, 0, 0 };
	const struct pose turned = { 0, 0, 0.5 };
	struct marks m = mark(crowd, 60, &here);

	ok(m.all > 30 && m.people > 0.8 * m.all, "%u of %u beams at people",
	   m.people, m.all);
	ok(m.others < BEAMS / 5, "... %u others", m.others);
	m = mark(crowd, 0, &here);
	ok_eq(m.people + m.others, 0, "one scan tells nothing");
	m = mark(empty, 60, &here);
	ok(m.others < 5, "without people %u beams are left out", m.others);
	m = mark(empty, 60, &ahead);
	ok(m.others < BEAMS / 5, "... at a wrong place %u", m.others);
	m = mark(empty, 60, &turned);
	ok(m.others < BEAMS / 5, "... turned the wrong way %u", m.others);
}

/* Invalid ranges do not mean that something moves */
static void test_invalid(void)
{
	float range[5] = { NAN, -3, INFINITY, 0, 2 };
	const struct reading r = {
		.beams = 5, .range = range, .range_max = 30,
		.angle_increment = 0.1f,
	};
	const struct pose here = { 0, 0, 0 };
	const struct last_scans none = { .updates = 0 };
	struct moving m = { .share = 0 };

	ok_eq(moving_mark(&m, &none, NULL, 0, &r, &here), 0, "invalid ranges");
	ok(m.still.range[0] == 0 && m.still.range[1] == 0 &&
	   isinf(m.still.range[2]) && m.still.range[4] == 2,
	   "... are none, and none of them moves");
	moving_free(&m);
	moving_learn(&m);
	ok_range(m.share, 0, 0, "a scan without endpoints tells nothing");
}

/* The largest error of a whole run, m */
static double run(const struct trip *t)
{
	const struct slam_params p = slam_defaults;
	struct filter *f = filter_create(&p, particle_pool_local(&p, 2));
	struct filter_result r;
	double worst = 0;

	for (unsigned int i = 0; i < t->count; i++) {
		if (filter_read(f, t->reading + i, &r))
			abort();
		worst = fmax(worst, hypot(r.pose.x - t->truth[i].x,
					  r.pose.y - t->truth[i].y));
	}
	filter_destroy(f);
	return worst;
}

int main(void)
{
	double worst;

	world_corridors(&world);
	empty = trip_make(&world, BEAMS, PART);
	crowd = trip_copy(empty);
	add_people(crowd);
	test_marks();
	test_invalid();
	worst = run(crowd);
	ok_range(worst, 0, 0.3, "people all around: at most %.3f m off", worst);
	trip_free(crowd);
	trip_free(empty);
	return tap_done();
}
