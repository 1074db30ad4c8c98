// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_wire - numbers in messages of peers, and sums of what workers did
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "slam/workers/wire_check.h"
#include "slam/workers/workload.h"
#include "tap.h"

static const double bad[] = { NAN, INFINITY, -INFINITY, 1e300 };

enum { BAD = sizeof(bad) / sizeof(*bad) };

/* @v is one of the numbers of @m: which values of it are refused */
static void check_number(const struct motion *m, double *v, bool signed_too,
			 const char *name)
{
	const double was = *v;

	for (int i = 0; i < BAD; i++) {
		*v = bad[i];
		ok(!wire_motion_valid(m, &slam_defaults), "motion, %s: %g",
		   name, bad[i]);
	}
	*v = -0.5;
	ok_eq(wire_motion_valid(m, &slam_defaults), signed_too,
	      "motion, %s: -0.5", name);
	*v = was;
}

static void test_motion(void)
{
	struct motion m = { .slip = 0, .turn = 0.1, .other_slip = 0.2,
			    .other_turn = 0.3, .reach = 1 };

	ok(wire_motion_valid(&m, &slam_defaults), "a motion");
	check_number(&m, &m.move.x, true, "x");
	check_number(&m, &m.move.yaw, true, "yaw");
	check_number(&m, &m.other.y, true, "the other y");
	check_number(&m, &m.slip, false, "slip");
	check_number(&m, &m.turn, false, "turn");
	check_number(&m, &m.other_slip, false, "the other slip");
	check_number(&m, &m.other_turn, false, "the other turn");
	check_number(&m, &m.reach, false, "reach");
	check_number(&m, &m.drift[0], true, "the first drift");
	check_number(&m, &m.drift[5], true, "the last drift");
	ok(wire_motion_valid(&m, &slam_defaults), "it is as before");
}

static void test_steps(void)
{
	struct wire_rebuild *b = calloc(1, sizeof(*b) +
					3 * sizeof(struct wire_step));
	struct wire_step *step = (struct wire_step *)(b + 1);

	b->steps = 3;
	ok(wire_steps_valid(b, &slam_defaults), "three steps");
	step[2].pose.x = NAN;
	ok(!wire_steps_valid(b, &slam_defaults), "the last one is nowhere");
	b->steps = 2;
	ok(wire_steps_valid(b, &slam_defaults), "two steps");
	step[0].pose.yaw = INFINITY;
	ok(!wire_steps_valid(b, &slam_defaults), "the first one is nowhere");
	free(b);
}

/* Three workers, then two */
static void test_workload(void)
{
	static const struct particle_pool_work first[] = {
		{ 5000000, 1000000, 10, 3, 400 },
		{ 9000000, 8000000, 30, 2, 100 },
		{ 4000000, 500000, 20, 1, 900 },
	}, second[] = {
		{ 1000000, 0, 7, 1, 10 }, { 2000000, 0, 5, 1, 20 },
	};
	const struct particle_pool_work now = { 9, 8, 7, 6, 5 },
					before = { 1, 2, 3, 4, 5 };
	struct particle_pool_work d = workload_since(&now, &before);
	struct workload l = { .workers = 0 };
	const struct particle_pool_traffic *t = &l.traffic;

	ok_eq(d.cpu, 8, "the difference of two reports: cpu");
	ok_eq(d.early, 6, "... early");
	ok_eq(d.evaluations, 4, "... evaluations");
	ok_eq(d.messages, 2, "... messages");
	ok_eq(d.bytes, 0, "... bytes");
	ok_eq(workload_begin(&l, 3), 0, "an update of three workers");
	for (int i = 0; i < 3; i++)
		workload_add(&l, &first[i]);
	workload_end(&l);
	ok_eq(workload_begin(&l, 2), 0, "one of two");
	for (int i = 0; i < 2; i++)
		workload_add(&l, &second[i]);
	workload_end(&l);
	ok_eq(t->updates, 2, "updates");
	ok_eq(t->ranks, 3, "ranks");
	ok_eq(t->all.cpu, 21000000, "all: cpu");
	ok_eq(t->all.early, 9500000, "... early");
	ok_eq(t->all.evaluations, 72, "... evaluations");
	ok_eq(t->all.messages, 8, "... messages");
	ok_eq(t->all.bytes, 1430, "... bytes");
	ok_eq(t->most.cpu, 11000000, "the most of each update: cpu");
	ok_eq(t->most.early, 8000000, "... early");
	ok_eq(t->most.evaluations, 37, "... evaluations");
	ok_eq(t->most.messages, 4, "... messages");
	ok_eq(t->most.bytes, 920, "... bytes");
	/* cpu without early, ms */
	ok_near(l.slowest[0], 4, 1e-6, "others waited for the first");
	ok_near(l.slowest[1], 2, 1e-6, "... for the second");
	ok_eq(l.ranked[0], 30 + 7, "evaluations of those with the most");
	ok_eq(l.ranked[1], 20 + 5, "... the second most");
	ok_eq(l.ranked[2], 10, "... the third");
	workload_add_lost(&l, &first[0]);
	ok_eq(t->all.evaluations, 82, "those of a lost worker count");
	ok_eq(t->most.evaluations, 37, "... for all alone");
	workload_free(&l);
	ok(!l.slowest, "nothing is left");
}

int main(void)
{
	test_motion();
	test_steps();
	test_workload();
	return tap_done();
}
