// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_doubt - odometry that is wrong, and scans that say so: what scans
 * say about each other (visibility, last_scans), what is learnt from matches
 * (prediction), two motions at a time (filter_hypotheses), and whole runs
 * (filter_doubt)
 */
#include <stdlib.h>
#include "slam/filter/filter_parts.h"
#include "../../slam_fixture.h"

enum { BEAMS = 181, PART = 260 };

static struct world world;
static struct trip *part;

/*
 * Two scans
 */

static double against(unsigned int a, unsigned int b, const struct pose *off)
{
	const struct pose at = pose_compose(part->truth + b, off);
	struct visibility v = { .agree = 0 };

	visibility_count(&v, part->reading + a, part->truth + a,
			 part->reading + b, &at);
	return visibility_against(&v);
}

static void test_visibility(void)
{
	const struct pose here = { 0, 0, 0 }, aside = { 0, 0.8, 0 };
	const struct pose turned = { 0, 0, 0.6 };
	struct reading blind = part->reading[10];
	struct visibility v = { .agree = 0 };

	ok_range(against(10, 20, &here), 0, 0.03, "two scans agree");
	ok_range(against(20, 10, &here), 0, 0.03, "... and the other way");
	ok_range(against(10, 20, &aside), 0.3, 1, "one is 0.8 m aside");
	ok_range(against(10, 20, &turned), 0.3, 1, "one is turned by 0.6 rad");
	/* counted clockwise, the scan is its own mirror image */
	blind.angle_min = -blind.angle_min;
	blind.angle_increment = -blind.angle_increment;
	visibility_count(&v, &blind, &here, &blind, &here);
	ok_range(visibility_against(&v), 0, 0, "counted clockwise");
	ok(v.agree > 2 * BEAMS - 10, "... %u beams agree", v.agree);
	v = (struct visibility){ 3, 50 };
	ok(isnan(visibility_against(&v)), "53 beams are too few to tell");
	v = (struct visibility){ 30, 90 };
	ok_range(visibility_against(&v), 0.75, 0.75, "120 beams are enough");
	blind.beams = 0;
	v = (struct visibility){ .agree = 0 };
	visibility_count(&v, &blind, &here, part->reading + 3, &here);
	ok_eq(v.agree + v.against, 0, "a scan without beams");
}

/*
 * The last scans
 */

static void test_last_scans(void)
{
	const struct pose aside = { 0, 0.8, 0 };
	struct trajectory_tree *tree = trajectory_tree_create();
	struct last_scans l = { .updates = 0 };
	struct reading narrow = part->reading[0];
	trajectory_tree_id id = 0, next;
	struct pose off;

	narrow.beams = 1;
	ok(isnan(last_scans_against(&l, tree, id, part->reading,
				    part->truth)), "there is no scan yet");
	/* the first one has less room than the one that takes its place */
	for (unsigned int i = 0; i < LAST_SCANS + 4; i++) {
		const struct trajectory_step step = {
			.pose = part->truth[i], .update = i,
		};

		if (last_scans_add(&l, i ? part->reading + i : &narrow))
			abort();
		next = trajectory_tree_add(tree, id, &step);
		trajectory_tree_release(tree, id);
		id = next;
	}
	ok_eq(l.updates, LAST_SCANS + 4, "more scans than are kept");
	ok_range(last_scans_against(&l, tree, id,
				    part->reading + LAST_SCANS + 4,
				    part->truth + LAST_SCANS + 4), 0, 0.03,
		 "the next one agrees with them");
	off = pose_compose(part->truth + LAST_SCANS + 4, &aside);
	ok_range(last_scans_against(&l, tree, id,
				    part->reading + LAST_SCANS + 4, &off),
		 0.3, 1, "not 0.8 m aside");
	trajectory_tree_release(tree, id);
	trajectory_tree_destroy(tree);
	last_scans_free(&l);
}

/*
 * Two motions at a time
 */

enum { FOUR = 4 };

/* Particles 0 and 2 as the odometry said, 1 and 3 not, 5 m apart */
static struct filter undecided(void)
{
	static struct pose pose[FOUR];
	static double recent[FOUR], total[FOUR], weight[FOUR];
	static struct outcome out[FOUR];
	static uint8_t of[FOUR], next[FOUR];
	static uint32_t parent[FOUR];
	struct filter f = {
		.count = FOUR, .room = FOUR, .pose = pose, .recent = recent,
		.total = total, .weight = weight, .out = out,
		.parent = parent, .update = 10,
		.hypotheses = { .of = of, .next = next },
	};

	for (uint32_t i = 0; i < FOUR; i++) {
		pose[i] = (struct pose){ i & 1 ? 5 : 0, 0, 0 };
		recent[i] = total[i] = 0;
		out[i].hypothesis = i & 1 ? HYPOTHESIS_OTHER : HYPOTHESIS_SAID;
	}
	filter_hypotheses_open(&f);
	return f;
}

static void test_hypotheses(void)
{
	struct filter f = undecided();
	struct filter_result r = { .update = 0 };

	ok(f.hypotheses.open, "two motions");
	f.total[1] = 100;
	f.update += 3;
	ok(!filter_hypotheses_decide(&f, &r), "three updates decide nothing");
	f.update++;
	ok(filter_hypotheses_decide(&f, &r) && !f.hypotheses.open,
	   "the fourth one does");
	ok(r.jumped && isinf(f.recent[0]) && isinf(f.recent[2]) &&
	   !isinf(f.recent[1]), "... against the odometry");

	f = undecided();
	f.total[2] = 10;
	f.update += 30;
	ok(!filter_hypotheses_decide(&f, &r), "a lead of 10 is not enough");
	f.update += 30;
	r.jumped = false;
	ok(filter_hypotheses_decide(&f, &r) && !r.jumped &&
	   isinf(f.recent[3]), "... but after 60 updates, for the odometry");

	f = undecided();
	f.pose[1] = f.pose[3] = (struct pose){ 0.05, 0, 0 };
	ok(!filter_hypotheses_decide(&f, &r) && !f.hypotheses.open,
	   "both are at the same place: there is nothing to decide");

	f = undecided();
	for (uint32_t i = 0; i < FOUR; i++)
		f.weight[i] = i & 1 ? 0.01 : 0.49;
	filter_hypotheses_protect(&f);
	ok_range(f.weight[1] + f.weight[3], 0.2499, 0.2501,
		 "2 %% of the weight: a quarter of the particles");
	ok_range(f.weight[0] + f.weight[2], 0.7499, 0.7501, "... and the rest");
	for (uint32_t i = 0; i < FOUR; i++)
		f.parent[i] = i < 3 ? 0 : 1;
	filter_hypotheses_inherit(&f, FOUR);
	ok(f.hypotheses.of[2] == HYPOTHESIS_SAID &&
	   f.hypotheses.of[3] == HYPOTHESIS_OTHER,
	   "children have the hypothesis of their parents");
	ok_range(exp(f.recent[3]) / exp(f.recent[0]), 0.0612, 0.0613,
		 "... and weights that undo it");
}

/*
 * What is learnt
 */

/* @count updates of a robot at 1 m/s whose odometry says @said times that */
static void drive(struct prediction *p, double said, double off,
		  unsigned int count)
{
	const struct slam_params params = slam_defaults;
	const struct pose done = { 0.1, 0, 0 };
	const struct motion m = {
		.move = { 0.1 * said + off, 0, 0 }, .slip = 0.03, .turn = 0.03,
	};

	for (unsigned int i = 0; i < count; i++) {
		prediction_learn(p, &params, &m, &done, 0.1, true);
		prediction_restart(p, &done, 0.1);
	}
}

/* What it says after that if the odometry says @said m, @dt s later */
static double predicted(const struct prediction *p, double said, double dt)
{
	struct motion m = {
		.move = { said, 0, 0 }, .slip = 0.03, .turn = 0.03,
	};

	prediction_make(p, &m, dt);
	return m.move.x;
}

static void test_prediction(void)
{
	struct prediction p = { .use = PREDICT_ODOMETRY };
	struct motion m = { .slip = 0.03, .turn = 0.02 };

	drive(&p, 1, 0, 50);
	ok_eq(p.use, PREDICT_ODOMETRY, "good odometry is believed");
	ok_range(predicted(&p, 0.2, 0.1), 0.2, 0.2, "... as it says");
	drive(&p, -1, 0, 1);
	ok_eq(p.use, PREDICT_ODOMETRY, "also after one wrong step");
	drive(&p, -1, 0, 5);
	ok(p.use != PREDICT_ODOMETRY, "not if it has the wrong sign");
	ok_range(predicted(&p, -0.1, 0.1), 0.09, 0.11,
		 "... the right motion follows");
	drive(&p, 1, 0, 6);
	ok_eq(p.use, PREDICT_ODOMETRY, "again when it is right again");
	drive(&p, 0, 0, 8);
	ok_eq(p.use, PREDICT_SPEED, "wheels are stuck");
	ok_range(predicted(&p, 0, 0.2), 0.19, 0.21,
		 "... the robot goes on at its speed");
	prediction_track(&p, &(struct pose){ 0.05, 0, 0 }, 0.1);
	ok_range(predicted(&p, 0, 0.2), 0.12, 0.13,
		 "... and slower, as a scan between updates says");
	prediction_make(&p, &m, 0.1);
	ok(m.loose, "... and scans are not bound to that");

	p = (struct prediction){ .use = PREDICT_ODOMETRY };
	drive(&p, 1, 0.1, 1);
	ok(p.slip > 1, "a step beyond the noise: it is %.2f times as large",
	   p.slip);
	drive(&p, 1, 0, 100);
	ok_range(p.slip, 1, 1, "... and not after 100 good ones");
	drive(&p, 1, 3, 1);
	ok_range(p.slip, 1, 1, "... nor after a jump of 3 m");
}

/*
 * Whole runs
 */

/* Changes the odometry of readings @from to @to: what their steps become */
static void change(struct trip *t, unsigned int from, unsigned int to,
		   double way, double turn)
{
	struct pose at = t->reading[from].odometry, last = at;

	for (unsigned int i = from + 1; i < t->count; i++) {
		struct pose step = pose_between(&last,
						&t->reading[i].odometry);

		last = t->reading[i].odometry;
		if (i <= to) {
			step.x *= way;
			step.y *= way;
			step.yaw *= turn;
		}
		at = pose_compose(&at, &step);
		t->reading[i].odometry = at;
	}
}

/**
 * struct outcomes - of a run
 * @worst:	error of the poses meanwhile, m
 * @old, @olds:	of each reading: filter_outcomes()
 */
struct outcomes {
	double		worst;
	uint64_t	updates, lost, jumped;
	struct pose	last;
	struct outcome	*old[TRIP_READINGS];
	uint32_t	olds[TRIP_READINGS];
};

/* Readings before @recalled are those of @o */
static void go(struct outcomes *o, const struct trip *t,
	       unsigned int recalled)
{
	const struct slam_params p = slam_defaults;
	struct filter *f = filter_create(&p, particle_pool_local(&p, 2));
	struct filter_result r = { .update = 0 };
	int err = 0;

	o->worst = 0;
	o->updates = o->lost = o->jumped = 0;
	for (unsigned int i = 0; i < t->count && !err; i++) {
		const struct pose *truth = t->truth + i;
		struct reading reading = t->reading[i];
		const struct outcome *out;
		uint32_t count;

		if (i < recalled) {
			/* as a checkpoint keeps it */
			if (o->olds[i] <= 1)
				reading.range = NULL;
			err = filter_recall(f, &reading, o->old[i], o->olds[i],
					    &r);
			continue;
		}
		err = filter_read(f, &reading, &r);
		out = filter_outcomes(f, &count);
		o->worst = fmax(o->worst, hypot(r.pose.x - truth->x,
						r.pose.y - truth->y));
		o->updates += r.updated;
		o->lost += r.lost;
		o->jumped += r.jumped;
		if (recalled)
			continue;
		o->olds[i] = count;
		o->old[i] = realloc(o->old[i], (count + 1) * sizeof(*out));
		memcpy(o->old[i], out, count * sizeof(*out));
	}
	o->last = err ? (struct pose){ NAN, NAN, NAN } : r.pose;
	filter_destroy(f);
}

static struct outcomes o;

/* The same bits if it was begun again at @at */
static void again(const struct trip *t, unsigned int at, const char *name)
{
	const struct pose once = o.last;

	go(&o, t, at);
	ok_mem(&o.last, &once, sizeof(once),
	       "%s, begun again at reading %u: the same bits", name, at);
}

static void test_run(const char *name, unsigned int from, unsigned int to,
		     double way, double turn, double most)
{
	struct trip *t = trip_copy(part);

	change(t, from, to, way, turn);
	go(&o, t, 0);
	ok_range(o.worst, 0, most, "%s: at most %.3f m off", name,
		 o.worst);
	ok(o.updates > PART / 4, "... %llu updates",
	   (unsigned long long)o.updates);
	ok_eq(o.lost, 0, "... never lost");
	again(t, (from + to) / 2, name);
	trip_free(t);
}

/* Odometry does not see that the robot is turned where it stands */
static void test_turned(void)
{
	enum { AT = 60 };
	const struct pose turn = { 0, 0, 1.2 };
	struct trip *t = trip_copy(part);
	uint64_t state = 3;

	for (unsigned int i = AT + 1; i < AT + 8; i++) {
		const struct pose start = { 10, 1, 0 };
		struct pose pose;

		t->reading[i].odometry = t->reading[AT].odometry;
		t->truth[i] = pose_compose(t->truth + AT, &turn);
		pose = pose_compose(&start, t->truth + i);
		world_scan(&world, t->reading + i, &pose, 0.01, &state,
			   t->range + (size_t)i * t->beams);
	}
	t->count = AT + 8;
	go(&o, t, 0);
	ok_range(fabs(remainder(o.last.yaw - t->truth[AT + 7].yaw, 2 * M_PI)),
		 0, 0.03, "turned by 1.2 rad unseen");
	again(t, AT + 4, "turned");
	trip_free(t);
}

int main(void)
{
	world_corridors(&world);
	part = trip_make(&world, BEAMS, PART);
	test_visibility();
	test_last_scans();
	test_hypotheses();
	test_prediction();
	test_run("odometry as it is", 0, 0, 1, 1, 0.21);
	test_run("no odometry at all", 0, PART, 0, 0, 0.3);
	test_run("odometry of the wrong sign", 30, 80, -1, 1, 0.41);
	test_run("wheels stuck", 120, 150, 0, 0, 0.85);
	test_turned();
	for (unsigned int i = 0; i < TRIP_READINGS; i++)
		free(o.old[i]);
	trip_free(part);
	return tap_done();
}
