// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_pose_graph - poses from odometry that drifts, and closures of which
 * some are wrong
 */
#include <errno.h>
#include "slam/filter/det_math.h"
#include "slam/graph/pose_graph.h"
#include "slam_fixture.h"

/* Nodes of a lap: a square of 10 m, and a turn at each corner */
enum { SIDE = 10, LAP = 4 * SIDE, NODES = 2 * LAP, EDGES = 2 * NODES };

/* Standard deviations of odometry, and of closures, m and rad */
#define SLIP		0.02
#define TURN		0.02
#define CLOSE		0.03
#define CLOSE_TURN	0.01

/* A graph, and where its nodes are in truth */
struct lap {
	struct pose_graph	g;
	struct pose		truth[NODES], pose[NODES];
	struct graph_edge	edge[EDGES];
};

static const struct edge_weight odometry = {
	1 / (SLIP * SLIP), 0, 1 / (SLIP * SLIP), 1 / (TURN * TURN),
};

static const struct edge_weight known = {
	1 / (CLOSE * CLOSE), 0, 1 / (CLOSE * CLOSE),
	1 / (CLOSE_TURN * CLOSE_TURN),
};

static void add(struct lap *l, const struct graph_edge *e)
{
	if (l->g.edges == EDGES)
		abort();
	l->edge[l->g.edges++] = *e;
}

/* A closure that is wrong by @off, in the frame of @from */
static void add_closure(struct lap *l, uint32_t from, uint32_t to,
			const struct pose *off)
{
	struct graph_edge e = {
		.from = from, .to = to, .weight = known, .closure = true,
		.move = pose_between(l->truth + from, l->truth + to),
	};

	e.move.x += off->x;
	e.move.y += off->y;
	e.move.yaw = remainder(e.move.yaw + off->yaw, 2 * M_PI);
	add(l, &e);
}

static const struct pose right = { 0, 0, 0 };

/* Another node @move from the last one. Odometry says @said */
static void go(struct lap *l, const struct pose *move, const struct pose *said)
{
	const uint32_t last = l->g.nodes - 1;
	const struct graph_edge e = {
		.from = last, .to = last + 1, .move = *said, .weight = odometry,
	};

	l->truth[last + 1] = pose_compose(l->truth + last, move);
	l->pose[last + 1] = det_compose(l->pose + last, said);
	l->g.nodes++;
	add(l, &e);
}

static void start(struct lap *l, const struct pose *at)
{
	l->g = (struct pose_graph){ l->pose, 1, l->edge, 0 };
	l->truth[0] = l->pose[0] = *at;
}

/* Around the square, @nodes of them. Odometry pulls to the left by @pull rad
 * each metre, and has @noise of its standard deviations
 */
static void drive(struct lap *l, uint32_t nodes, double pull, double noise)
{
	const struct pose at = { 5, -3, 2.5 };
	uint64_t state = 5;

	start(l, &at);
	while (l->g.nodes < nodes) {
		const struct pose move = {
			1, 0, l->g.nodes % SIDE ? 0 : M_PI / 2,
		};
		const struct pose said = {
			move.x + noise * SLIP * rnd_normal(&state),
			noise * SLIP * rnd_normal(&state),
			move.yaw + pull + noise * TURN * rnd_normal(&state),
		};

		go(l, &move, &said);
	}
}

/* A straight corridor along the heading of its first node, in which odometry
 * is right, and its heading known well
 */
static void drive_straight(struct lap *l, uint32_t nodes, double heading)
{
	const struct pose at = { 1, 2, heading }, move = { 1, 0, 0 };

	start(l, &at);
	while (l->g.nodes < nodes) {
		go(l, &move, &move);
		l->edge[l->g.edges - 1].weight.tt *= 100;
	}
}

/* How far the node is that is farthest from where it is in @from, m */
static double worst(const struct lap *l, const struct pose *from)
{
	double most = 0;

	for (uint32_t i = 0; i < l->g.nodes; i++)
		most = fmax(most, pose_distance(l->pose + i, from + i, 0.5));
	return most;
}

/* How far it is off after the solver has run, m */
static double solved(struct lap *l)
{
	return pose_graph_solve(&l->g) ? INFINITY : worst(l, l->truth);
}

static struct lap lap, other;

/*
 * Errors
 */

static void test_errors(void)
{
	const struct graph_edge e = {
		.from = 1, .to = 0, .move = { 1, 2, 3 },
		.weight = { 4, 1, 9, 16 },
	};
	const struct pose off = { 1.5, 1, 3.25 };
	const struct pose wrapped = { 1, 2, 3.5 - 2 * M_PI };
	struct pose pose[] = { { 4, 4, -2 }, { 0, 0, 0 } };
	struct pose_graph g = { .pose = pose, .nodes = 2 };

	ok_near(edge_error(&e, &e.move), 0, 0, "an edge that agrees");
	ok_near(edge_error(&e, &off), 1 - 1 + 9 + 1, 1e-12,
		"... one that does not");
	ok_near(edge_error(&e, &wrapped), 4, 1e-9, "... by a turn across pi");
	pose[1] = pose_compose(&off, &right);
	pose[0] = pose_compose(pose + 1, &e.move);
	ok_near(pose_graph_error(&g, &e), 0, 1e-12, "... between two poses");
	pose[0] = pose_compose(pose + 1, &off);
	ok_near(pose_graph_error(&g, &e), 10, 1e-9, "... that disagree");
}

/*
 * Nothing to do
 */

static void test_still(void)
{
	struct pose_graph none = { .nodes = 0 };
	struct pose alone = { 3, 4, 3 }, apart[3] = { { 1, 2, 3 } };
	const struct pose at = { 3, 4, 3 }, there = { -7, 8, 1 };
	struct pose_graph g = { .pose = &alone, .nodes = 1 };

	ok_eq(pose_graph_solve(&none), 0, "no nodes");
	ok_eq(pose_graph_solve(&g), 0, "a node without edges");
	ok_mem(&alone, &at, sizeof(at), "... stays where it is");
	g = (struct pose_graph){ .pose = apart, .nodes = 3 };
	apart[2] = there;
	ok_eq(pose_graph_solve(&g), 0, "three nodes that nothing holds");
	ok_mem(apart + 2, &there, sizeof(there),
	       "... stay where they are");

	drive(&lap, NODES, 0.02, 1);
	other = lap;
	ok_eq(pose_graph_solve(&lap.g), 0, "odometry alone");
	ok_range(worst(&lap, other.pose), 0, 1e-9, "... moves no node");
}

/*
 * True closures
 */

static void test_loop(void)
{
	struct pose first;

	drive(&lap, LAP, 0.02, 0.1);
	first = lap.pose[0];
	add_closure(&lap, 0, LAP - 1, &right);
	ok_range(worst(&lap, lap.truth), 3, 10, "a lap of odometry: %.2f m off",
		 worst(&lap, lap.truth));
	ok_eq(pose_graph_solve(&lap.g), 0, "... a closure");
	ok_range(worst(&lap, lap.truth), 0, 0.1, "... %.3f m off",
		 worst(&lap, lap.truth));
	ok_range(pose_graph_error(&lap.g, lap.edge + LAP - 1), 0, 1,
		 "... and it agrees");
	ok_near(pose_distance(lap.pose, &first, 1), 0, 1e-12,
		"... the first node stays");
}

/* From a later node to an earlier one: the same motion the other way */
static void test_backward(void)
{
	drive(&lap, LAP, 0.02, 0.1);
	other = lap;
	other.g.pose = other.pose;
	other.g.edge = other.edge;
	add_closure(&lap, 0, LAP - 1, &right);
	add_closure(&other, LAP - 1, 0, &right);
	solved(&lap);
	ok_eq(pose_graph_solve(&other.g), 0, "a closure from the last node");
	ok_range(worst(&other, lap.pose), 0, 0.01,
		 "... does what one from the first does");

	drive(&lap, LAP, 0.02, 0.1);
	add_closure(&lap, 0, LAP - 1, &right);
	for (uint32_t i = 0; i < lap.g.edges; i++) {
		struct graph_edge *e = lap.edge + i;
		const uint32_t from = e->from;

		e->from = e->to;
		e->to = from;
		e->move = pose_between(&e->move, &right);
	}
	ok_range(solved(&lap), 0, 0.3, "all edges are: %.3f m off",
		 worst(&lap, lap.truth));
}

static void two_laps(struct lap *l)
{
	drive(l, NODES, 0.01, 0.1);
	for (uint32_t i = 0; i < LAP; i += 2)
		add_closure(l, i, i + LAP, &right);
}

static void test_bits(void)
{
	static struct pose once[NODES];

	two_laps(&lap);
	pose_graph_solve(&lap.g);
	memcpy(once, lap.pose, sizeof(once));
	two_laps(&lap);
	pose_graph_solve(&lap.g);
	ok_mem(lap.pose, once, sizeof(once), "twice: the same bits");
}

/*
 * False ones
 */

static void test_false(void)
{
	static const struct {
		uint32_t	from, to;
		struct pose	off;
	} wrong[] = {
		{ 3, 47, { 3, 0, 0 } },
		{ 12, 71, { -2, 4, 0.5 } },
		{ 25, 66, { 0, -5, 0 } },
		{ 38, 60, { 3, 3, -1 } },
		/* these two agree */
		{ 8, 51, { 0, 4, 0 } },
		{ 9, 52, { 0, 4, 0 } },
	};
	static struct pose without[NODES];
	static const char *const name[] = {
		"one false closure", "two", "three", "four",
		"... and one", "... and another one that agrees with it",
	};

	two_laps(&lap);
	ok_range(solved(&lap), 0, 0.2, "two laps, 20 true closures: %.3f m off",
		 worst(&lap, lap.truth));
	memcpy(without, lap.pose, sizeof(without));
	two_laps(&lap);
	for (uint32_t i = 0; i < 6; i++) {
		const uint32_t true_ones = lap.g.edges;

		add_closure(&lap, wrong[i].from, wrong[i].to, &wrong[i].off);
		/* from odometry alone */
		for (uint32_t k = 0; k < NODES - 1; k++)
			lap.pose[k + 1] = det_compose(lap.pose + k,
						      &lap.edge[k].move);
		ok_eq(pose_graph_solve(&lap.g), 0, "%s", name[i]);
			ok_range(worst(&lap, without), 0, 0.001,
			 "... the poses are as without");
		ok_range(pose_graph_error(&lap.g, lap.edge + true_ones), 100,
			 INFINITY, "... it disagrees");
	}
}

/* Until it is confirmed */
static void test_waiting(void)
{
	drive(&lap, LAP, 0.02, 0.1);
	add_closure(&lap, 0, LAP - 1, &right);
	lap.edge[lap.g.edges - 1].waiting = true;
	other = lap;
	ok_eq(pose_graph_solve(&lap.g), 0, "a closure that waits");
	ok_range(worst(&lap, other.pose), 0, 1e-9, "... moves no node");
	lap.edge[lap.g.edges - 1].waiting = false;
	ok_range(solved(&lap), 0, 0.1, "... it closes the loop later");
}

/*
 * One direction
 */

/* A closure says that the last node is 0.5 m back, and 0.5 m aside: @w is what
 * it knows. Return: by how much that node moved, in the frame of the first one.
 *
 * Odometry has variances of 0.008 m^2 ahead, and 0.0179 m^2 aside after 20
 * nodes, and the closure 0.0009 m^2: they share the 0.5 m accordingly
 */
static struct pose pulled(const struct edge_weight *w, double heading,
			  bool backward)
{
	const struct pose off = { -0.5, 0.5, 0 }, off_back = { 0.5, -0.5, 0 };
	const uint32_t last = 20;
	struct pose went;

	drive_straight(&lap, last + 1, heading);
	if (backward)
		add_closure(&lap, last, 0, &off_back);
	else
		add_closure(&lap, 0, last, &off);
	lap.edge[lap.g.edges - 1].weight = *w;
	if (pose_graph_solve(&lap.g))
		return (struct pose){ NAN, NAN, NAN };
	went = pose_between(lap.pose, lap.pose + last);
	return (struct pose){ went.x - last, went.y, went.yaw };
}

static void test_direction(void)
{
	const double full = 1 / (CLOSE * CLOSE), some = 1e-3;
	const struct edge_weight along = { full, 0, some, some };
	const struct edge_weight aside = { some, 0, full, some };
	const struct edge_weight both = { full, 0, full, some };
	/* 45 degrees to the right of ahead is known, or to the left */
	const struct edge_weight right_of = {
		full / 2, -full / 2, full / 2, some,
	}, left_of = { full / 2, full / 2, full / 2, some };
	struct pose went;

	for (int i = 0; i < 4; i++) {
		const double heading = (i & 1) * 2.0;

		went = pulled(&along, heading, i & 2);
			ok_near(went.x, -0.4494, 0.001,
			"heading %.0f rad, %s: what lies ahead is known",
			heading, i & 2 ? "backward" : "forward");
		ok_near(went.y, 0, 0.001, "... not aside");
		if (i & 2)
			continue;
		went = pulled(&aside, heading, false);
			ok_near(went.y, 0.476, 0.001, "... aside is");
		ok_near(went.x, 0, 0.003, "... not what lies ahead");
	}
	went = pulled(&both, 1, false);
	ok_near(went.x, -0.4494, 0.001, "both are known: back");
	ok_near(went.y, 0.476, 0.001, "... and aside");
	went = pulled(&left_of, 1, false);
	ok_near(hypot(went.x, went.y), 0, 0.001,
		"a slanted direction is known, in which it is right");
	went = pulled(&right_of, 1, false);
	ok_near((went.x - went.y) * M_SQRT1_2, -0.661, 0.002,
		"... in which it is not");
}

/*
 * Weights that are none
 */

static void test_broken(void)
{
	static const struct {
		const char		*name;
		struct edge_weight	weight;
		struct pose		off;
	} broken[] = {
		{ "a weight of NAN", { NAN, 0, 1, 1 }, { 0, 0, 0 } },
		{ "a weight of infinity", { INFINITY, 0, 1, 1 }, { 0, 0, 0 } },
		{ "a motion of NAN", { 1, 0, 1, 1 }, { NAN, 0, 0 } },
		{ "a heading of NAN", { 1, 0, 1, 1 }, { 0, 0, NAN } },
		{ "a motion of infinity", { 1, 0, 1, 1 }, { INFINITY, 0, 0 } },
	};
	const struct pose off = { 3, 1, 1 };

	for (uint32_t i = 0; i < 2 * sizeof(broken) / sizeof(*broken); i++) {
		two_laps(&lap);
		add_closure(&lap, 4, 60, &broken[i / 2].off);
		lap.edge[lap.g.edges - 1].weight = broken[i / 2].weight;
		lap.edge[lap.g.edges - 1].closure = !(i & 1);
		other = lap;
		ok_eq(pose_graph_solve(&lap.g), -EDOM, "%s, %s closure",
		      broken[i / 2].name, i & 1 ? "not a" : "a");
		ok_mem(lap.pose, other.pose, sizeof(lap.pose),
		       "... the poses are as before");
	}
	two_laps(&lap);
	solved(&lap);
	other = lap;
	two_laps(&lap);
	add_closure(&lap, 4, 60, &off);
	lap.edge[lap.g.edges - 1].weight = (struct edge_weight){ .xx = 0 };
	ok_eq(pose_graph_solve(&lap.g), 0, "a closure without weight");
	ok_range(worst(&lap, other.pose), 0, 1e-9, "... does nothing");

	drive(&lap, LAP, 0.02, 0.1);
	for (uint32_t i = 0; i < lap.g.edges; i++)
		lap.edge[i].weight = (struct edge_weight){ .xx = 0 };
	other = lap;
	ok_eq(pose_graph_solve(&lap.g), 0, "no edge has weight");
	ok_mem(lap.pose, other.pose, sizeof(lap.pose), "... no node moves");
}

int main(void)
{
	test_errors();
	test_still();
	test_loop();
	test_backward();
	test_bits();
	test_false();
	test_waiting();
	test_direction();
	test_broken();
	return tap_done();
}
