// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_adjust - scans that are compared point to line (scan_lines), which
 * ones are (scan_pairs), corrections between poses (pose_spread), and a history
 * whose noise the scans take away (adjust)
 */
#include "slam/filter/det_math.h"
#include "slam/graph/adjust.h"
#include "slam/graph/pose_spread.h"
#include "slam/graph/scan_lines.h"
#include "slam/graph/scan_pairs.h"
#include "slam_fixture.h"

enum { BEAMS = 181, EVERY = 2, MOST = (TRIP_READINGS + EVERY - 1) / EVERY };

/* A tenth of a cell, m; and what it is in 2.5 m, rad */
#define FINE		0.005
#define FINE_TURN	0.002

static struct world world;
static struct trip *trip;

/*
 * Two scans
 */

/* Least squares from @at. Return: the last step, m or rad */
static double climb(const struct scan_lines *walls,
		    const struct scan_lines *scan, struct pose *at)
{
	static const double none[POSE_FREEDOMS];
	struct pose pose[2] = { { 0, 0, 0 }, *at };
	double moved = INFINITY;

	for (int i = 0; i < 10; i++) {
		const struct line_match m = {
			.near = i < 3 ? 0.3 : 0.1, .scale = 0.04, .points = 181,
		};
		struct pose motion;
		const struct motion_slope slope = motion_slope(pose, pose + 1,
							       &motion);
		struct pose_solver v;
		struct line_fit f;

		scan_lines_fit(walls, scan, &motion, &m, &f);
		if (pose_solver_init(&v, 2, 1))
			abort();
		pose_solver_begin(&v);
		pose_solver_add(&v, 0, 1, &slope, &f.weight, 1, none);
		pose_solver_pull(&v, 0, 1, &slope, f.pull);
		if (!pose_solver_solve(&v))
			moved = pose_solver_apply(&v, pose);
		pose_solver_free(&v);
	}
	*at = pose[1];
	return moved;
}

/* Two scans, of which the second one is @off from where it was made */
static void try_offset(unsigned int a, unsigned int b, double *place,
		       double *turn, double *left)
{
	static const struct pose off = { 0.06, -0.04, 0.02 };
	const struct pose truth = det_between(trip->truth + a, trip->truth + b);
	struct scan_lines *walls = scan_lines_make(trip->reading + a,
						   TRIP_RANGE);
	struct scan_lines *scan = scan_lines_make(trip->reading + b,
						  TRIP_RANGE);
	struct pose at = {
		truth.x + off.x, truth.y + off.y, truth.yaw + off.yaw,
	};

	*left = fmax(*left, climb(walls, scan, &at));
	*place += hypot(at.x - truth.x, at.y - truth.y);
	*turn += fabs(remainder(at.yaw - truth.yaw, 2 * M_PI));
	free(walls);
	free(scan);
}

static void test_offset(void)
{
	double place = 0, turn = 0, left = 0;
	unsigned int n = 0;

	for (unsigned int i = 0; i + 5 < trip->count; i += 20, n++)
		try_offset(i, i + 5, &place, &turn, &left);
	ok_range(left, 0, 1e-3, "%u pairs of scans: least squares end", n);
	ok_range(place / n, 0, FINE, "... within a tenth of a cell: %.4f m",
		 place / n);
	ok_range(turn / n, 0, FINE_TURN, "... and the heading: %.4f rad",
		 turn / n);
}

/* A laser that sees @beams of a plain wall 2 m in front of it */
static void look_at_wall(struct reading *r, float *range, uint32_t beams,
			 double distance)
{
	*r = (struct reading){
		.beams = beams, .range_max = 30, .range = range,
		.angle_min = -0.5f, .angle_increment = 1.0f / (float)beams,
	};
	for (uint32_t i = 0; i < beams; i++)
		range[i] = (float)(distance / cos(-0.5 + i / (double)beams));
}

static void test_wall(void)
{
	static float near[1000], far[1000];
	const struct line_match m = { .near = 0.5, .scale = 1, .points = 50 };
	static const struct pose here = { 0, 0, 0 };
	struct reading a, b;
	struct scan_lines *walls, *scan;
	struct line_fit f;

	look_at_wall(&a, near, 1000, 2);
	look_at_wall(&b, far, 1000, 2.1);
	walls = scan_lines_make(&a, 30);
	scan = scan_lines_make(&b, 30);
	ok_eq(walls->beams, 334, "1000 beams: every third one is used");
	ok_near((double)walls->line[100].nx, -1, 1e-4,
		"the wall is seen from the front");
	scan_lines_fit(walls, scan, &here, &m, &f);
	ok_near(sqrt(f.sum / f.weights), 0.1, 1e-3, "it is 0.1 m off");
	ok_near(f.pull[0] / f.weights, 0.1, 1e-3, "... behind it");
	ok_near(f.weight.yy, 0, 1e-3 * f.weight.xx,
		"... and nothing is known along it");
	scan_lines_fit(scan, walls, &(struct pose){ -1, 0, 0 }, &m, &f);
	ok_eq(f.hits, 0, "1 m in front of a wall there is none");
	ok(f.through && f.through == f.seen, "... it was seen through");
	free(walls);
	free(scan);
}

static void test_no_beams(void)
{
	const struct line_match m = { .near = 0.5, .scale = 1, .points = 50 };
	static const struct pose here = { 0, 0, 0 };
	const struct reading none = { .beams = 0 };
	struct scan_lines *walls = scan_lines_make(&none, 30);
	struct line_fit f;

	scan_lines_fit(walls, walls, &here, &m, &f);
	ok_eq(f.seen, 0, "a reading without a scan: nothing is seen");
	free(walls);
}

/*
 * Pairs
 */

static bool has_pair(const struct scan_pairs *s, uint32_t to, uint32_t from)
{
	for (uint32_t k = 0; k < s->count; k++) {
		if (s->pair[k].to == to && s->pair[k].from == from)
			return true;
	}
	return false;
}

/* Along a line, and back beside it */
static void test_pairs(void)
{
	enum { ONE_WAY = 100 };
	struct pose pose[2 * ONE_WAY];
	struct scan_pairs s = { .count = 0 };
	bool sorted = true, next = true;

	for (uint32_t i = 0; i < ONE_WAY; i++) {
		pose[i] = (struct pose){ 0.2 * i, 0, 0 };
		pose[2 * ONE_WAY - 1 - i] = (struct pose){ 0.2 * i, 0.5, 0 };
	}
	ok_eq(scan_pairs_find(&s, pose, 2 * ONE_WAY), 0, "to and fro");
	for (uint32_t k = 0; k < s.count; k++) {
		const struct scan_pair *p = s.pair + k;

		sorted &= p->to < p->from;
		if (k)
			sorted &= p->from > p[-1].from ||
				  (p->from == p[-1].from && p->to > p[-1].to);
	}
	for (uint32_t i = 1; i < 2 * ONE_WAY; i++)
		next &= has_pair(&s, i - 1, i);
	ok(sorted, "no pair is there twice");
	ok(next, "each scan is compared with the one before it");
	ok(has_pair(&s, 0, 23), "... and one with a scan 4.5 m before it");
	ok(!has_pair(&s, 0, 50), "... but not with one 10 m before it");
	ok(has_pair(&s, 9, 190), "... and with the other visit of the place");
	scan_pairs_free(&s);
	ok_eq(scan_pairs_find(&s, pose, 0), 0, "no scans");
	ok_eq(s.count, 0, "... no pairs");
	scan_pairs_free(&s);
}

/*
 * Corrections
 */

static void test_spread(void)
{
	static const uint32_t at[] = { 1, 5 };
	static const struct pose from[] = { { 1, 0, 0 }, { 5, 0, 0 } };
	static const struct pose to[] = { { 1, 1, 0 }, { 5, 3, 0 } };
	const struct pose_correction c = { at, from, to, 2 };
	struct pose p[7];

	for (int i = 0; i < 7; i++)
		p[i] = (struct pose){ i, 0, 0 };
	pose_spread(&c, p, 7);
	ok_near(p[0].y, 1, 1e-12, "before the first one: as the first one");
	ok_near(p[1].y, 1, 1e-12, "the first one");
	ok_near(p[3].y, 2, 1e-12, "in the middle: the mean");
	ok_near(p[5].y, 3, 1e-12, "the last one");
	ok_near(p[6].y, 3, 1e-12, "after it: as the last one");
	ok_near(p[3].x, 3, 1e-12, "... and nothing else moves");
}

/*
 * A history
 */

/**
 * struct walk - every second reading of the trip, and poses of them
 * @own:	readings that are not those of the trip
 */
struct walk {
	const struct reading	*reading[MOST];
	struct reading		own[MOST];
	struct pose		truth[MOST], pose[MOST];
	uint32_t		count;
};

/* Independent noise of each pose, standard deviations of @place and @turn */
static void walk_make(struct walk *w, double place, double turn)
{
	uint64_t state = 11;

	w->count = 0;
	for (unsigned int i = 0; i < trip->count; i += EVERY) {
		const struct pose *t = trip->truth + i;
		const double s = w->count ? 1 : 0;

		w->own[w->count] = trip->reading[i];
		w->reading[w->count] = w->own + w->count;
		w->truth[w->count] = *t;
		w->pose[w->count++] = (struct pose){
			t->x + s * place * rnd_normal(&state),
			t->y + s * place * rnd_normal(&state),
			remainder(t->yaw + s * turn * rnd_normal(&state),
				  2 * M_PI),
		};
	}
}

/* The mean error of the motions between two poses, m; without those of pose
 * @but
 */
static double mean_step_error(const struct walk *w, uint32_t but)
{
	double sum = 0;

	for (uint32_t i = 1; i < w->count; i++) {
		const struct pose is = det_between(w->pose + i - 1,
						   w->pose + i);
		const struct pose was = det_between(w->truth + i - 1,
						    w->truth + i);

		if (i != but && i != but + 1)
			sum += hypot(is.x - was.x, is.y - was.y);
	}
	return sum / w->count;
}

static double worst(const struct walk *w, uint32_t but)
{
	double most = 0;

	for (uint32_t i = 0; i < w->count; i++) {
		if (i != but)
			most = fmax(most, hypot(w->pose[i].x - w->truth[i].x,
						w->pose[i].y - w->truth[i].y));
	}
	return most;
}

static struct adjust_counts adjust(struct walk *w)
{
	struct adjust_counts c;

	ok_eq(adjust_history(w->reading, w->pose, w->count, &slam_defaults, &c,
			     NULL),
	      0, "%u poses", w->count);
	return c;
}

/* No pose is left out */
#define NONE	(UINT32_MAX - 1)

static struct walk walk, other;

/* Without pose @but */
static void is_fine(const struct walk *w, uint32_t but, double near, double far)
{
	ok_range(mean_step_error(w, but), 0, near,
		 "... from one to the next %.4f m in the mean",
		 mean_step_error(w, but));
	ok_range(worst(w, but), 0, far, "... and no pose is off by more: %.3f m",
		 worst(w, but));
}

static void test_noise(void)
{
	struct adjust_counts c;

	walk_make(&walk, 0.03, 0.015);
	other = walk;
	ok_range(mean_step_error(&walk, NONE), 0.04, 0.08,
		 "poses with noise: %.3f m off from one to the next",
		 mean_step_error(&walk, NONE));
	c = adjust(&walk);
	is_fine(&walk, NONE, 0.02, 0.06);
	ok(!c.refused && c.agreeing > 0.9 * c.pairs && c.poses == walk.count,
	   "... %u of %u pairs agree", c.agreeing, c.pairs);
	ok(c.after > c.before + 0.2, "... and the scans: %.2f instead of %.2f",
	   c.after, c.before);
	ok_range(c.off, 0.005, 0.02, "... the noise of the laser: %.4f m",
		 c.off);
	for (uint32_t i = 0; i < other.count; i++)
		other.reading[i] = other.own + i;
	adjust(&other);
	ok_mem(other.pose, walk.pose, walk.count * sizeof(*walk.pose),
	       "... once more: the same bits");
}

/* Scans of a good history say nothing else */
static void test_good(void)
{
	walk_make(&walk, 0, 0);
	adjust(&walk);
	is_fine(&walk, NONE, FINE, 0.03);
}

/* Odometry counts backwards from pose @first to @end */
static void turn_around(struct walk *w, uint32_t first, uint32_t end)
{
	const struct pose start = w->own[first].odometry;

	for (uint32_t i = first; i < end; i++) {
		const struct pose move = det_between(&start,
			&trip->reading[i * EVERY].odometry);

		w->own[i].odometry = det_compose(&start,
			&(struct pose){ -move.x, -move.y, -move.yaw });
	}
}

/* The wheels slip by 3 m, count backwards, and stand still */
static void test_odometry(void)
{
	walk_make(&walk, 0.03, 0.015);
	for (uint32_t i = 100; i < walk.count; i++)
		walk.own[i].odometry.x += 3;
	turn_around(&walk, 150, 200);
	for (uint32_t i = 250; i < 300; i++)
		walk.own[i].odometry = walk.own[249].odometry;
	adjust(&walk);
	is_fine(&walk, NONE, 0.025, 0.12);
}

/* A laser that sees 90 degrees often sees little of use. Then the history is
 * what the filter found, whatever odometry says
 */
static void test_narrow(void)
{
	static float range[MOST][BEAMS];
	struct adjust_counts c;

	walk_make(&walk, 0.01, 0.005);
	for (uint32_t i = 0; i < walk.count; i++) {
		memcpy(range[i] + BEAMS / 4, walk.own[i].range + BEAMS / 4,
		       BEAMS / 2 * sizeof(float));
		walk.own[i].range = range[i];
	}
	turn_around(&walk, 20, 320);
	c = adjust(&walk);
	ok_eq(c.refused, 0, "... not refused");
	is_fine(&walk, NONE, 0.015, 0.05);
}

/* A scan of another place */
static void test_wrong_scan(void)
{
	enum { WRONG = 120 };
	struct adjust_counts c;

	walk_make(&walk, 0.03, 0.015);
	walk.own[WRONG].range = walk.own[WRONG + 60].range;
	c = adjust(&walk);
	is_fine(&walk, WRONG, 0.02, 0.06);
	ok(c.agreeing < c.pairs, "... %u of %u pairs agree", c.agreeing,
	   c.pairs);
}

/* No echo at all, or only one pose */
static void test_nothing(void)
{
	static const float dark[BEAMS];
	struct adjust_counts c;

	walk_make(&walk, 0.03, 0.015);
	for (uint32_t i = 0; i < walk.count; i++)
		walk.own[i].range = dark;
	other = walk;
	c = adjust(&walk);
	ok(c.refused, "... no scans agree: refused");
	ok_mem(walk.pose, other.pose, walk.count * sizeof(*walk.pose),
	       "... nothing moved");
	walk.count = 1;
	c = adjust(&walk);
	ok(!c.poses && !c.refused, "... nothing to do");
	walk.count = 0;
	c = adjust(&walk);
	ok(!c.poses, "... nothing to do");
}

/* More poses than are adjusted */
static void test_long(void)
{
	enum { COUNT = 20000 };
	static struct pose pose[COUNT];
	static const struct reading *reading[COUNT];
	const struct reading none = { .beams = 0 };
	struct adjust_counts c;

	for (uint32_t i = 0; i < COUNT; i++) {
		reading[i] = &none;
		pose[i] = (struct pose){ 0.1 * i, 0, 0 };
	}
	ok_eq(adjust_history(reading, pose, COUNT, &slam_defaults, &c, NULL), 0,
	      "%d poses", COUNT);
	ok_eq(c.poses, COUNT / 2, "... every second one is adjusted");
}

int main(void)
{
	world_corridors(&world);
	trip = trip_make(&world, BEAMS, TRIP_READINGS);
	test_offset();
	test_wall();
	test_no_beams();
	test_pairs();
	test_spread();
	test_noise();
	test_good();
	test_odometry();
	test_narrow();
	test_wrong_scan();
	test_nothing();
	test_long();
	free(trip->range);
	free(trip);
	return tap_done();
}
