// SPDX-License-Identifier: GPL-2.0-only
/*
 * pose_graph.c - robust least squares over poses: Gauss-Newton with CHOLMOD
 *
 * CHOLMOD's simplicial factorisation uses no BLAS, whose kernels, and so the
 * last bits, depend on the processor.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>
#include "slam/filter/det_math.h"
#include "slam/graph/pose_graph.h"

enum {
	FREEDOMS	= 3,		/* of a node */
	BLOCK		= FREEDOMS * FREEDOMS,
	/* terms of an edge: two upper triangles, and one block between them */
	TERMS		= 6 + 6 + BLOCK,
	ROUNDS_MAX	= 60,
};

/* By how much the bound falls from one round to the next */
#define NARROWER	0.5
/* The rounds end when no node moves further, m and rad */
#define STILL		1e-4
/* A node that nothing holds stays where it is */
#define HOLD		1e-6

struct solver {
	struct pose_graph	*g;
	cholmod_common		common;
	cholmod_triplet		*terms;
	cholmod_factor		*factor;
	cholmod_dense		*slope;
	struct pose		*pose;
};

/**
 * struct linear_edge - the error of an edge and its derivatives
 * @error:	x, y, yaw
 * @from, @to:	[row][column] by the two nodes
 */
struct linear_edge {
	double	error[FREEDOMS], from[FREEDOMS][FREEDOMS];
	double	to[FREEDOMS][FREEDOMS];
};

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

static struct linear_edge linearise(const struct graph_edge *e,
				    const struct pose *a, const struct pose *b)
{
	const double x = b->x - a->x, y = b->y - a->y;
	double s, c;

	det_sincos(a->yaw, &s, &c);
	return (struct linear_edge){
		.error = {
			c * x + s * y - e->move.x,
			c * y - s * x - e->move.y,
			remainder(b->yaw - a->yaw - e->move.yaw, 2 * M_PI),
		},
		.from = {
			{ -c, -s, c * y - s * x },
			{ s, -c, -c * x - s * y },
			{ 0, 0, -1 },
		},
		.to = { { c, s, 0 }, { -s, c, 0 }, { 0, 0, 1 } },
	};
}

/* The weight of a closure of this error, when those of @bound count in full */
static double trust(double error, double bound)
{
	const double s = 2 * bound / (bound + error);

	return s < 1 ? s * s : 1;
}

static void add_term(struct solver *v, uint32_t row, uint32_t column,
		     double value)
{
	cholmod_triplet *t = v->terms;

	assert(t->nnz < t->nzmax && row <= column);
	((int *)t->i)[t->nnz] = (int)row;
	((int *)t->j)[t->nnz] = (int)column;
	((double *)t->x)[t->nnz++] = value;
}

/* Add the product of derivatives by nodes @a and @b, @a before @b or the same:
 * @w is the weight of the edge
 */
static void add_block(struct solver *v, uint32_t a, uint32_t b,
		      double da[FREEDOMS][FREEDOMS],
		      double wdb[FREEDOMS][FREEDOMS])
{
	for (uint32_t i = 0; i < FREEDOMS; i++) {
		for (uint32_t k = a == b ? i : 0; k < FREEDOMS; k++) {
			double sum = 0;

			for (int row = 0; row < FREEDOMS; row++)
				sum += da[row][i] * wdb[row][k];
			add_term(v, FREEDOMS * a + i, FREEDOMS * b + k, sum);
		}
	}
}

/* @w times a matrix */
static void weigh(const struct edge_weight *w, double scale,
		  double m[FREEDOMS][FREEDOMS], double out[FREEDOMS][FREEDOMS])
{
	for (int k = 0; k < FREEDOMS; k++) {
		out[0][k] = scale * (w->xx * m[0][k] + w->xy * m[1][k]);
		out[1][k] = scale * (w->xy * m[0][k] + w->yy * m[1][k]);
		out[2][k] = scale * w->tt * m[2][k];
	}
}

static void add_slope(struct solver *v, uint32_t node, const double *error,
		      double wd[FREEDOMS][FREEDOMS])
{
	double *slope = (double *)v->slope->x + (size_t)FREEDOMS * node;

	for (int k = 0; k < FREEDOMS; k++) {
		for (int row = 0; row < FREEDOMS; row++)
			slope[k] -= wd[row][k] * error[row];
	}
}

static void add_edge(struct solver *v, const struct graph_edge *e, double bound)
{
	struct linear_edge l = linearise(e, v->pose + e->from,
					 v->pose + e->to);
	double from[FREEDOMS][FREEDOMS], to[FREEDOMS][FREEDOMS];
	double scale = 1;

	if (e->closure)
		scale = trust(square(&e->weight, l.error[0], l.error[1],
				     l.error[2]), bound);
	weigh(&e->weight, scale, l.from, from);
	weigh(&e->weight, scale, l.to, to);
	add_slope(v, e->from, l.error, from);
	add_slope(v, e->to, l.error, to);
	add_block(v, e->from, e->from, l.from, from);
	add_block(v, e->to, e->to, l.to, to);
	if (e->from < e->to)
		add_block(v, e->from, e->to, l.from, to);
	else
		add_block(v, e->to, e->from, l.to, from);
}

/* The normal equations at these poses */
static void make_equations(struct solver *v, double bound)
{
	const uint32_t rows = FREEDOMS * v->g->nodes;

	v->terms->nnz = 0;
	memset(v->slope->x, 0, rows * sizeof(double));
	for (uint32_t i = 0; i < v->g->edges; i++)
		add_edge(v, v->g->edge + i, bound);
	/* the first node stays */
	for (uint32_t i = 0; i < rows; i++)
		add_term(v, i, i, i < FREEDOMS ? 1e12 : HOLD);
}

/* Return: how far a node moved at most, m or rad; below 0: it failed */
static double pose_graph_step(struct solver *v)
{
	cholmod_sparse *matrix = cholmod_triplet_to_sparse(v->terms, 0,
							   &v->common);
	cholmod_dense *move = NULL;
	double most = -1;

	if (matrix && !v->factor)
		v->factor = cholmod_analyze(matrix, &v->common);
	if (matrix && v->factor &&
	    cholmod_factorize(matrix, v->factor, &v->common) &&
	    v->common.status == CHOLMOD_OK)
		move = cholmod_solve(CHOLMOD_A, v->factor, v->slope,
				     &v->common);
	if (move)
		most = 0;
	/* the first node stays */
	for (uint32_t i = 1; move && i < v->g->nodes; i++) {
		const double *d = (double *)move->x + (size_t)FREEDOMS * i;
		struct pose *p = v->pose + i;

		*p = (struct pose){ p->x + d[0], p->y + d[1],
				    remainder(p->yaw + d[2], 2 * M_PI) };
		if (!isfinite(d[0] + d[1] + d[2]))
			most = INFINITY;
		most = fmax(most, fmax(fmax(fabs(d[0]), fabs(d[1])),
				       fabs(d[2])));
	}
	cholmod_free_dense(&move, &v->common);
	cholmod_free_sparse(&matrix, &v->common);
	return most;
}

/* The largest error of a closure */
static double widest(const struct pose_graph *g)
{
	double most = EDGE_AGREES;

	for (uint32_t i = 0; i < g->edges; i++) {
		if (g->edge[i].closure)
			most = fmax(most, pose_graph_error(g, g->edge + i));
	}
	return most;
}

static int pose_graph_rounds(struct solver *v)
{
	double bound = widest(v->g);

	for (int i = 0; i < ROUNDS_MAX; i++) {
		double moved;

		make_equations(v, bound);
		moved = pose_graph_step(v);
		if (moved < 0 || !isfinite(moved))
			return v->common.status == CHOLMOD_OUT_OF_MEMORY ?
				-ENOMEM : -EDOM;
		if (bound <= EDGE_AGREES && moved < STILL)
			break;
		bound = fmax(EDGE_AGREES, bound * NARROWER);
	}
	return 0;
}

static void solver_start(struct solver *v)
{
	cholmod_start(&v->common);
	v->common.supernodal = CHOLMOD_SIMPLICIAL;
	v->common.nmethods = 1;
	v->common.method[0].ordering = CHOLMOD_AMD;
	/* unlike LDL', this fails unless the weights are positive */
	v->common.final_ll = 1;
	v->common.print = 0;
	v->common.error_handler = NULL;
}

int pose_graph_solve(struct pose_graph *g)
{
	const size_t rows = (size_t)FREEDOMS * g->nodes;
	struct solver v = { .g = g };
	int err = -ENOMEM;

	if (!g->nodes)
		return 0;
	solver_start(&v);
	v.pose = malloc(g->nodes * sizeof(*v.pose));
	v.terms = cholmod_allocate_triplet(rows, rows,
		(size_t)TERMS * g->edges + rows, 1, CHOLMOD_REAL, &v.common);
	v.slope = cholmod_zeros(rows, 1, CHOLMOD_REAL, &v.common);
	if (v.pose && v.terms && v.slope) {
		memcpy(v.pose, g->pose, g->nodes * sizeof(*v.pose));
		err = pose_graph_rounds(&v);
	}
	if (!err)
		memcpy(g->pose, v.pose, g->nodes * sizeof(*v.pose));
	free(v.pose);
	cholmod_free_triplet(&v.terms, &v.common);
	cholmod_free_dense(&v.slope, &v.common);
	cholmod_free_factor(&v.factor, &v.common);
	cholmod_finish(&v.common);
	return err;
}
