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
static struct trip *empty, *one, *crowd;

/* People 0.5 m wide who walk with the robot, and now and then change places */
static void add_people(struct trip *t, unsigned int people)
{
	double angle[PEOPLE] = { -0.7, 0.1, 0.9 }, far[PEOPLE] = { 0.8, 0.9, 0.7 };
	uint64_t state = 5;

	for (unsigned int i = COME; i < t->count; i++) {
		const struct reading *r = t->reading + i;
		float *range = t->range + (size_t)i * t->beams;

		for (unsigned int p = 0; p < people; p++) {
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

/* Readings up to @last of a trip; the last one at @at. Return: to be freed */
static struct moving run_marks(const struct trip *t, unsigned int last,
			       const struct pose *at)
{
	struct trajectory_tree *tree = trajectory_tree_create();
	struct last_scans l = { .updates = 0 };
	struct moving m = { .share = 0 };
	trajectory_tree_id id = 0, next;

	for (unsigned int i = 0; i <= last; i++) {
		const struct trajectory_step step = {
			.pose = t->truth[i], .update = i,
		};

		if (moving_mark(&m, &l, tree, id, t->reading + i,
				i < last ? t->truth + i : at) ||
		    last_scans_add(&l, &m.still))
			abort();
		moving_learn(&m);
		next = trajectory_tree_add(tree, id, &step);
		trajectory_tree_release(tree, id);
		id = next;
	}
	trajectory_tree_release(tree, id);
	trajectory_tree_destroy(tree);
	last_scans_free(&l);
	return m;
}

/* The same; the last one at @off from where it was */
static struct marks mark(const struct trip *t, unsigned int last,
			 const struct pose *off)
{
	const struct pose at = pose_compose(t->truth + last, off);
	struct moving m = run_marks(t, last, &at);
	struct marks marks = { .all = 0 };

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

/* A pillar in the corridor, which is seen from some reading on */
enum { PILLAR = 25 };
#define PILLAR_X	16.5
#define PILLAR_Y	1.4
#define PILLAR_SIDE	0.3

static void add_pillar(struct trip *t, const struct pose *start)
{
	struct world *w = calloc(1, sizeof(*w));

	world_wall(w, PILLAR_X, PILLAR_Y, 0, PILLAR_SIDE);
	world_wall(w, PILLAR_X, PILLAR_Y, PILLAR_SIDE, 0);
	for (unsigned int i = PILLAR; i < t->count; i++) {
		const struct reading *r = t->reading + i;
		const struct pose at = pose_compose(start, t->truth + i);
		float *range = t->range + (size_t)i * t->beams;

		for (unsigned int b = 0; b < t->beams; b++)
			range[b] = fminf(range[b], (float)world_range(w, at.x,
				at.y, at.yaw + (double)r->angle_min +
				b * (double)r->angle_increment));
	}
	free(w);
}

/* Beams of a scan that end at the pillar; @marked: of them */
static unsigned int count_pillar(const struct trip *with, const struct trip *t,
				 unsigned int at, unsigned int *marked)
{
	struct moving m = run_marks(with, at, with->truth + at);
	unsigned int all = 0;

	for (unsigned int b = 0; b < t->beams; b++) {
		if (with->reading[at].range[b] == t->reading[at].range[b])
			continue;
		all++;
		*marked += m.still.range[b] < 0;
	}
	moving_free(&m);
	return all;
}

/* What was new in a crowd, and stands, comes into the map */
static void test_pillar(const struct trip *t, const char *where)
{
	const struct pose start = { 10, 1, 0 };
	const unsigned int stood = PILLAR + LAST_SCANS + 4, some = 12;
	struct trip *with = trip_copy(t);
	unsigned int all = 0, marked = 0;

	add_pillar(with, &start);
	for (unsigned int i = PILLAR + 1; i <= PILLAR + 6; i++)
		all += count_pillar(with, t, i, &marked);
	ok(all > 5 && marked > 0.8 * all,
	   "%s: %u of %u beams at a new pillar are left out", where, marked,
	   all);
	all = marked = 0;
	for (unsigned int i = stood; i < stood + some; i++)
		all += count_pillar(with, t, i, &marked);
	ok(all > 30 && marked < 0.3 * all,
	   "... %u of %u when it stood for a while", marked, all);
	trip_free(with);
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
	add_people(crowd, PEOPLE);
	one = trip_copy(empty);
	add_people(one, 1);
	test_marks();
	test_invalid();
	test_pillar(empty, "without people");
	test_pillar(one, "beside a person");
	worst = run(crowd);
	ok_range(worst, 0, 0.3, "people all around: at most %.3f m off", worst);
	trip_free(crowd);
	trip_free(one);
	trip_free(empty);
	return tap_done();
}
