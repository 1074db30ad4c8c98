// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_loops - a filter whose matches follow bad odometry, so that its map
 * is torn, and the pose graph that mends it (loop_closer): here, on workers, and
 * from a checkpoint; two corridors that look alike; and the parts: closures of a
 * submap (loop_search), scans at solved poses (loop_check), and a history that
 * is replaced (filter_correction)
 */
#include <errno.h>
#include <string.h>
#include "slam/filter/det_math.h"
#include "slam/graph/loop_check.h"
#include "slam/graph/loop_closer.h"
#include "slam/graph/loop_support.h"
#include "ride_fixture.h"

enum { BEAMS = 181 };

/* Matches stay next to odometry */
static struct slam_params bound(bool loops)
{
	struct slam_params p = slam_defaults;

	p.particles = p.particles_min = 4;
	p.wall = 0.05;
	p.slip_per_m = 0.02;
	p.turn_per_m = 0.02;
	p.turn_per_rad = 0.02;
	p.loops = loops;
	return p;
}

/* The run ends before the filter is in the corrected map */
static void ended(struct trip *t, const struct slam_params *p,
		  unsigned int count, const char *when)
{
	const unsigned int all = t->count;
	struct ride r;

	t->count = count;
	ride_go(&r, t, p, particle_pool_local(p, 2), NULL, 0);
	ok_eq(r.corrected, 0, "%s: the filter is not corrected", when);
	ok_range(ride_worst(&r, t), 0, 1, "... the history is: %.2f m off",
		 ride_worst(&r, t));
	ok(r.loops.corrected, "... and that counts");
	ride_free(&r);
	t->count = all;
}

/* The end is interrupted, too */
static void cut_short(struct trip *t, const struct slam_params *p,
		      unsigned int count)
{
	const unsigned int all = t->count;
	struct ride r;

	t->count = count;
	ride_interrupt = true;
	ride_go(&r, t, p, particle_pool_local(p, 2), NULL, 0);
	ride_interrupt = false;
	ride_free(&r);
	t->count = all;
}

static void test_torn(void)
{
	static const unsigned int leaves[] = { 1, 900 };
	const struct slam_params off = bound(false), on = bound(true);
	struct trip *t = trip_make(&world, BEAMS, TRIP_READINGS);
	struct ride torn, mended;

	ride_go(&torn, t, &off, particle_pool_local(&off, 2), NULL, 0);
	ok_range(ride_worst(&torn, t), 2, 5, "torn by %.2f m", ride_worst(&torn, t));
	ride_go(&mended, t, &on, particle_pool_local(&on, 2), NULL, 0);
	ok_range(ride_worst(&mended, t), 0, 1, "mended: %.2f m",
		 ride_worst(&mended, t));
	ok(mended.corrected, "... the filter went on in the mended map");
	ok(mended.loops.kept > 2, "... by %u closures of %u",
	   mended.loops.kept, mended.loops.closures);
	ride_on_workers(t, &on, &mended, 0);
	/* it leaves at once, before, during and after a correction */
	for (unsigned int i = 0; i < sizeof(leaves) / sizeof(*leaves); i++)
		ride_on_workers(t, &on, &mended, leaves[i]);
	ride_again(t, &on, &mended, 300);
	ride_again(t, &on, &mended, 690);
	cut_short(t, &on, 400);
	ended(t, &on, mended.first - 3, "ended while the map is drawn");
	ended(t, &on, mended.first - 20, "ended while loops are searched");
	ride_free(&torn);
	ride_free(&mended);
	trip_free(t);
}

/*
 * Corridors that look alike
 */

#define ALIKE_LONG	24.0
#define ALIKE_APART	3.0

/* Walls of a corridor along x, with niches */
static void alike_corridor(struct world *w, double y, uint64_t seed)
{
	uint64_t state = seed;

	world_side(w, 0, y, 1, 0, ALIKE_LONG, -0.35, &state);
	world_side(w, 0, y + 2, 1, 0, ALIKE_LONG, 0.35, &state);
}

/* Two of them, and a way back, between halls at both ends */
static void alike_world(struct world *w)
{
	const double back = 2 * ALIKE_APART + 1, top = back + 2;

	w->walls = 0;
	alike_corridor(w, 0, 5);
	alike_corridor(w, ALIKE_APART, 5);
	alike_corridor(w, back, 9);
	for (int end = 0; end < 2; end++) {
		const double x = end ? ALIKE_LONG : 0, far = end ? 3 : -3;

		world_wall(w, x, 0, far, 0);
		world_wall(w, x + far, 0, 0, top);
		world_wall(w, x, top, far, 0);
		world_wall(w, x, 2, 0, ALIKE_APART - 2);
		world_wall(w, x, ALIKE_APART + 2, 0, back - ALIKE_APART - 2);
	}
}

/* Straight on, then a turn to the left */
static void alike_leg(struct trip *t, const struct world *w, struct pose *pose,
		      struct pose *odometry, double way, uint64_t *state)
{
	const struct pose start = { -1.5, 1, 0 };
	const unsigned int straight = (unsigned int)(way / (2 * TRIP_STEP));

	for (unsigned int i = 0; i < straight + 9; i++) {
		const struct pose move = {
			i < straight ? 2 * TRIP_STEP : 0, 0,
			i < straight ? 0 : M_PI / 18,
		};
		const struct pose said = trip_slip(&move, state);
		struct reading *r = t->reading + t->count;
		float *range = t->range + (size_t)t->count * t->beams;

		*pose = pose_compose(pose, &move);
		*odometry = pose_compose(odometry, &said);
		*r = trip_reading(t->beams);
		r->stamp = 200000000 * (int64_t)(t->count + 10);
		r->odometry = *odometry;
		r->range = range;
		world_scan(w, r, pose, 0.01, state, range);
		t->truth[t->count++] = pose_between(&start, pose);
	}
}

static struct trip *alike_trip(const struct world *w)
{
	static const double legs[] = {
		ALIKE_LONG + 3, 2 * ALIKE_APART + 1, ALIKE_LONG + 3,
		ALIKE_APART + 1, ALIKE_LONG + 3,
	};
	struct trip *t = trip_make(w, BEAMS, 0);
	struct pose pose = { -1.5, 1, 0 }, odometry = { 0, 0, 0 };
	uint64_t state = 11;

	t->range = realloc(t->range, sizeof(float) * BEAMS * TRIP_READINGS);
	for (unsigned int i = 0; i < sizeof(legs) / sizeof(*legs); i++)
		alike_leg(t, w, &pose, &odometry, legs[i], &state);
	return t;
}

static void test_alike(void)
{
	struct slam_params off = slam_defaults, on;
	struct ride without, with;
	struct trip *t;

	off.particles = 10;
	off.loops = 0;
	on = off;
	on.loops = 1;
	alike_world(&world);
	t = alike_trip(&world);
	ride_go(&without, t, &off, particle_pool_local(&off, 2), NULL, 0);
	ride_go(&with, t, &on, particle_pool_local(&on, 2), NULL, 0);
	ok(with.loops.tried > 5, "two corridors that look alike: %llu compared",
	   (unsigned long long)with.loops.tried);
	ok_range(ride_worst(&with, t), 0, ride_worst(&without, t) + 0.02,
		 "... the map is not torn: %.3f m, without closures %.3f",
		 ride_worst(&with, t), ride_worst(&without, t));
	ride_free(&with);
	ride_free(&without);
	trip_free(t);
}

/*
 * The parts
 */

enum { EVERY = 5, NODES = TRIP_READINGS / EVERY, SUBMAP = 12 };

/* Every fifth reading of a trip at its true pose */
struct lap {
	struct loop_node	node[NODES];
	const struct loop_node	*list[NODES];
	struct pose		pose[NODES];
	struct graph_edge	edge[NODES];
	uint32_t		nodes;
};

static void lap_make(struct lap *l, const struct trip *t)
{
	struct scan scan = { .hits = 0 };
	double travel = 0;

	l->nodes = t->count / EVERY;
	for (uint32_t i = 0; i < l->nodes; i++) {
		const struct reading *r = t->reading + EVERY * i;
		struct loop_node *n = l->node + i;

		l->pose[i] = t->truth[EVERY * i];
		if (i)
			travel += hypot(l->pose[i].x - l->pose[i - 1].x,
					l->pose[i].y - l->pose[i - 1].y);
		*n = (struct loop_node){
			.update = i, .travel = travel, .reading = r,
		};
		if (scan_make(&scan, r, &slam_defaults))
			abort();
		fit_points_make(&n->points, &scan,
				FIELD_UNIT / slam_defaults.resolution);
		l->list[i] = n;
	}
	scan_free(&scan);
}

/* The second visit of the start is off by @off */
static void lap_shift(struct lap *l, const struct pose *off)
{
	for (uint32_t i = l->nodes / 2; i < l->nodes; i++)
		l->pose[i] = det_compose(off, l->pose + i);
}

/* Closures of the last submap, when it is off by @off */
static void search(const struct trip *t, const struct pose *off, bool near)
{
	static struct lap truth, l;
	struct pose_graph g = { .pose = l.pose };
	struct loop_search s = { .node = l.list, .graph = &g };
	double worst = 0;

	lap_make(&truth, t);
	lap_make(&l, t);
	lap_shift(&l, off);
	g.nodes = l.nodes;
	ok_eq(loop_search_submap(&s, l.nodes - SUBMAP, l.nodes - 1), 0,
	      "a submap %.1f m off", hypot(off->x, off->y));
	ok_eq(s.added, g.edges, "... %u closures", g.edges);
	ok(near ? g.edges : !g.edges, "... %s", near ? "some" : "none");
	for (uint32_t i = 0; i < g.edges; i++) {
		struct pose_graph right = { .pose = truth.pose };

		worst = fmax(worst, pose_graph_off(&right, g.edge + i));
	}
	ok_range(worst, 0, 0.05, "... right to %.3f m", worst);
	free(g.edge);
	loop_search_free(&s);
}

static void test_search(const struct trip *t)
{
	search(t, &(struct pose){ 0, 0, 0 }, true);
	search(t, &(struct pose){ -0.8, 1.1, 0 }, true);
	search(t, &(struct pose){ 40, 0, 0 }, false);
}

/* Two visits of a straight way, of 10 m each; the second is 2 m aside, by some
 * closures
 */
static void supports(double second, double fit, uint32_t to, bool want,
		     const char *what)
{
	enum { EACH = 20, ALL = 2 * EACH };
	struct loop_node node[ALL];
	const struct loop_node *list[ALL];
	struct pose pose[ALL];
	struct graph_edge edge[2] = {
		{ .from = 25, .to = 5, .move = { 0, -2, 0 }, .closure = true,
		  .fit = fit },
		{ .from = to == 5 ? 35 : 25, .to = to == 5 ? 15 : to,
		  .move = { 0, second, 0 }, .closure = true, .fit = 0.7 },
	};
	struct pose_graph g = { pose, ALL, edge, 2 };
	uint32_t waiting;

	if (to != 5)
		edge[1].move.x = ((double)to - 5) * 0.5;
	for (uint32_t i = 0; i < ALL; i++) {
		pose[i] = (struct pose){ (i % EACH) * 0.5, 0, 0 };
		node[i] = (struct loop_node){ .travel = i * 0.5 };
		list[i] = node + i;
	}
	waiting = loop_support(&g, list);
	ok_eq(!edge[0].waiting, want, "a closure 2 m off: %s", what);
	ok_eq(waiting, edge[0].waiting + edge[1].waiting, "... waiting");
}

static void test_support(void)
{
	supports(-2.1, 0.7, 5, true, "the next submap says the same");
	supports(-4, 0.7, 5, false, "the next submap says something else");
	supports(0.1, 0.7, 5, false, "the next submap is where it is");
	supports(-4, 0.9, 5, true, "its scan fits very well");
	supports(-2.1, 0.7, 13, true, "another scan, 4 m further, too");
	supports(-2.1, 0.7, 7, false, "a scan next to it says nothing new");
}

static void test_check(const struct trip *t)
{
	static struct lap truth, off;
	struct loop_check now, before;

	lap_make(&truth, t);
	lap_make(&off, t);
	lap_shift(&off, &(struct pose){ 0, 1.5, 0 });
	now = loop_check(truth.list, truth.nodes, truth.pose, off.pose);
	before = loop_check(truth.list, truth.nodes, off.pose, truth.pose);
	ok(now.pairs > 5, "%u pairs of scans moved to each other", now.pairs);
	ok_eq(now.against, 0, "... and agree at their true poses");
	ok(before.against > before.pairs / 2, "... %u of %u do not 1.5 m aside",
	   before.against, before.pairs);
	ok(loop_check_passed(&now, &before), "a true solution passes");
	ok(!loop_check_passed(&before, &now), "a wrong one does not");
	now = loop_check(truth.list, truth.nodes, truth.pose, truth.pose);
	ok_eq(now.pairs, 0, "what does not move is not compared");
	ok(loop_check_passed(&(struct loop_check){ 2, 2 },
			     &(struct loop_check){ 0, 0 }),
	   "two pairs decide nothing");
}

static const struct reading *reading_of(void *arg, uint64_t update)
{
	const struct trip *t = arg;

	return t->reading + update;
}

/* A history that is turned by a quarter after half of the readings */
static void test_correction(struct trip *t)
{
	enum { HALF = 100, ALL = 130 };
	const struct pose turn = { 0, 0, M_PI / 2 };
	const struct slam_params p = few();
	struct filter *f = filter_create(&p, particle_pool_local(&p, 1));
	struct filter_result r;
	struct pose *history, last;
	uint32_t count;
	unsigned int corrected = 0;
	double worst = 0;

	for (unsigned int i = 0; i < ALL; i++) {
		if (filter_read(f, t->reading + i, &r) || !r.updated)
			abort();
		if (r.corrected && !corrected)
			corrected = i;
		if (i == HALF) {
			if (filter_history(f, &history, &count))
				abort();
			for (uint32_t k = 0; k < count; k++)
				history[k] = det_compose(&turn, history + k);
			filter_correct(f, history, count, false,
				       reading_of, t);
		}
		last = i > corrected && corrected ?
			det_compose(&turn, t->truth + i) : r.pose;
		worst = fmax(worst, hypot(r.pose.x - last.x,
					  r.pose.y - last.y));
	}
	ok_eq(corrected, HALF + 3, "48 scans an update: corrected after three");
	ok_range(worst, 0, 0.12, "... it goes on in the turned map: %.3f m off",
		 worst);
	if (filter_history(f, &history, &count))
		abort();
	ok_eq(count, ALL, "... its history has all updates");
	worst = 0;
	for (uint32_t k = 0; k < count; k++) {
		last = det_compose(&turn, t->truth + k);
		worst = fmax(worst, hypot(history[k].x - last.x,
					  history[k].y - last.y));
	}
	ok_range(worst, 0, 0.12, "... all of them turned: %.3f m off", worst);
	free(history);
	filter_destroy(f);
}

static void test_parts(void)
{
	struct trip *t = trip_make(&world, BEAMS, TRIP_READINGS);

	test_search(t);
	test_support();
	test_check(t);
	test_correction(t);
	trip_free(t);
}

int main(void)
{
	world_corridors(&world);
	test_parts();
	test_torn();
	test_alike();
	return tap_done();
}
