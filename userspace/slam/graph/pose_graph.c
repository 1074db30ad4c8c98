// SPDX-License-Identifier: GPL-2.0-only
/*
 * pose_graph.c - robust least squares over poses: Gauss-Newton
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "slam/filter/det_math.h"
#include "slam/graph/pose_graph.h"
#include "slam/graph/pose_solver.h"

enum { ROUNDS_MAX = 60 };

/* By how much the bound falls from one round to the next */
#define NARROWER	0.5
/* The rounds end when no node moves further, m and rad */
#define STILL		1e-4

static double square(const struct edge_weight *w, double x, double y, double t)
{
	return w->xx * x * x + 2 * w->xy * x * y + w->yy * y * y + w->tt * t * t;
}

double edge_error(const struct graph_edge *e, const struct pose *move)
{
	return square(&e->weight, move->x - e->move.x, move->y - e->move.y,
		      remainder(move->yaw - e->move.yaw, 2 * M_PI));
}

double pose_graph_error(const struct pose_graph *g, const struct graph_edge *e)
{
	const struct pose move = det_between(g->pose + e->from,
					     g->pose + e->to);

	return edge_error(e, &move);
}

double pose_graph_off(const struct pose_graph *g, const struct graph_edge *e)
{
	const struct pose move = det_between(g->pose + e->from,
					     g->pose + e->to);

	return pose_distance(&move, &e->move, POSE_GRAPH_REACH);
}

/* The weight of a closure of this error, when those of @bound count in full */
static double trust(double error, double bound)
{
	const double s = 2 * bound / (bound + error);

	return s < 1 ? s * s : 1;
}

static void add_edge(struct pose_solver *v, const struct graph_edge *e,
		     const struct pose *pose, double bound)
{
	const struct motion_weight w = {
		.xx = e->weight.xx, .xy = e->weight.xy, .yy = e->weight.yy,
		.tt = e->weight.tt,
	};
	struct pose m;
	const struct motion_slope slope = motion_slope(pose + e->from,
						       pose + e->to, &m);
	const double error[POSE_FREEDOMS] = {
		m.x - e->move.x, m.y - e->move.y,
		remainder(m.yaw - e->move.yaw, 2 * M_PI),
	};
	double scale = 1;

	/* it stays in the matrix: without it CHOLMOD orders the nodes in another
	 * way, and the last bits change
	 */
	if (e->waiting)
		scale = 0;
	else if (e->closure)
		scale = trust(square(&e->weight, error[0], error[1], error[2]),
			      bound);
	pose_solver_add(v, e->from, e->to, &slope, &w, scale, error);
}

/* One step. Return: 0 and how far a node @moved at most; a negative errno */
static int pose_graph_step(struct pose_solver *v, const struct pose_graph *g,
			   struct pose *pose, double bound, double *moved)
{
	int err;

	pose_solver_begin(v);
	for (uint32_t i = 0; i < g->edges; i++)
		add_edge(v, g->edge + i, pose, bound);
	err = pose_solver_solve(v);
	if (err)
		return err;
	*moved = pose_solver_apply(v, pose);
	return isfinite(*moved) ? 0 : -EDOM;
}

/* The largest error of a closure */
static double widest(const struct pose_graph *g)
{
	double most = EDGE_AGREES;

	for (uint32_t i = 0; i < g->edges; i++) {
		if (g->edge[i].closure && !g->edge[i].waiting)
			most = fmax(most, pose_graph_error(g, g->edge + i));
	}
	return most;
}

static int pose_graph_rounds(struct pose_solver *v,
			     const struct pose_graph *g, struct pose *pose)
{
	double bound = widest(g);

	for (int i = 0; i < ROUNDS_MAX; i++) {
		double moved;
		const int err = pose_graph_step(v, g, pose, bound, &moved);

		if (err)
			return err;
		if (bound <= EDGE_AGREES && moved < STILL)
			break;
		bound = fmax(EDGE_AGREES, bound * NARROWER);
	}
	return 0;
}

int pose_graph_solve(struct pose_graph *g)
{
	struct pose_solver v;
	struct pose *pose;
	int err;

	if (!g->nodes)
		return 0;
	pose = malloc(g->nodes * sizeof(*pose));
	err = pose_solver_init(&v, g->nodes, g->edges);
	if (!pose)
		err = -ENOMEM;
	if (!err) {
		memcpy(pose, g->pose, g->nodes * sizeof(*pose));
		err = pose_graph_rounds(&v, g, pose);
	}
	if (!err)
		memcpy(g->pose, pose, g->nodes * sizeof(*pose));
	free(pose);
	pose_solver_free(&v);
	return err;
}
