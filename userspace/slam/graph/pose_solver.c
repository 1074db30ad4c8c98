// SPDX-License-Identifier: GPL-2.0-only
/*
 * pose_solver.c - normal equations over poses, and their solution by CHOLMOD
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include "slam/filter/det_math.h"
#include "slam/graph/pose_solver.h"

enum {
	N	= POSE_FREEDOMS,
	/* terms of a motion: two upper triangles, and one block between them */
	TERMS	= 6 + 6 + N * N,
};

/* Weight that keeps the first node, and one that nothing else holds */
#define FIXED	1e12
#define HOLD	1e-6

struct motion_slope motion_slope(const struct pose *a, const struct pose *b,
				 struct pose *move)
{
	const double x = b->x - a->x, y = b->y - a->y;
	double s, c;

	det_sincos(a->yaw, &s, &c);
	*move = (struct pose){ c * x + s * y, c * y - s * x, b->yaw - a->yaw };
	return (struct motion_slope){
		.from = {
			{ -c, -s, c * y - s * x },
			{ s, -c, -c * x - s * y },
			{ 0, 0, -1 },
		},
		.to = { { c, s, 0 }, { -s, c, 0 }, { 0, 0, 1 } },
	};
}

static void add_term(struct pose_solver *v, uint32_t row, uint32_t column,
		     double value)
{
	cholmod_triplet *t = v->terms;

	assert(t->nnz < t->nzmax && row <= column);
	((int *)t->i)[t->nnz] = (int)row;
	((int *)t->j)[t->nnz] = (int)column;
	((double *)t->x)[t->nnz++] = value;
}

/* Add the product of derivatives by nodes @a and @b, @a before @b or the same:
 * @wdb has the weight of the motion
 */
static void add_block(struct pose_solver *v, uint32_t a, uint32_t b,
		      const double da[N][N], double wdb[N][N])
{
	for (uint32_t i = 0; i < N; i++) {
		for (uint32_t k = a == b ? i : 0; k < N; k++) {
			double sum = 0;

			for (int row = 0; row < N; row++)
				sum += da[row][i] * wdb[row][k];
			add_term(v, N * a + i, N * b + k, sum);
		}
	}
}

/* @w times a matrix */
static void weigh(const struct motion_weight *w, double scale,
		  const double m[N][N], double out[N][N])
{
	for (int k = 0; k < N; k++) {
		const double x = m[0][k], y = m[1][k], t = m[2][k];

		out[0][k] = scale * (w->xx * x + w->xy * y + w->xt * t);
		out[1][k] = scale * (w->xy * x + w->yy * y + w->yt * t);
		out[2][k] = scale * (w->xt * x + w->yt * y + w->tt * t);
	}
}

static void add_slope(struct pose_solver *v, uint32_t node,
		      const double error[N], double wd[N][N])
{
	double *slope = (double *)v->slope->x + (size_t)N * node;

	for (int k = 0; k < N; k++) {
		for (int row = 0; row < N; row++)
			slope[k] -= wd[row][k] * error[row];
	}
}

void pose_solver_add(struct pose_solver *v, uint32_t from, uint32_t to,
		     const struct motion_slope *slope,
		     const struct motion_weight *w, double scale,
		     const double error[N])
{
	double wf[N][N], wt[N][N];

	assert(from != to && from < v->nodes && to < v->nodes);
	weigh(w, scale, slope->from, wf);
	weigh(w, scale, slope->to, wt);
	add_slope(v, from, error, wf);
	add_slope(v, to, error, wt);
	add_block(v, from, from, slope->from, wf);
	add_block(v, to, to, slope->to, wt);
	if (from < to)
		add_block(v, from, to, slope->from, wt);
	else
		add_block(v, to, from, slope->to, wf);
}

void pose_solver_pull(struct pose_solver *v, uint32_t from, uint32_t to,
		      const struct motion_slope *slope, const double pull[N])
{
	double *a = (double *)v->slope->x + (size_t)N * from;
	double *b = (double *)v->slope->x + (size_t)N * to;

	for (int k = 0; k < N; k++) {
		for (int row = 0; row < N; row++) {
			a[k] -= slope->from[row][k] * pull[row];
			b[k] -= slope->to[row][k] * pull[row];
		}
	}
}

void pose_solver_begin(struct pose_solver *v)
{
	v->terms->nnz = 0;
	memset(v->slope->x, 0, (size_t)N * v->nodes * sizeof(double));
}

static void hold(struct pose_solver *v)
{
	for (uint32_t i = 0; i < N * v->nodes; i++)
		add_term(v, i, i, i < N ? FIXED : HOLD);
}

int pose_solver_solve(struct pose_solver *v)
{
	cholmod_common *c = &v->common;
	cholmod_sparse *matrix;

	hold(v);
	cholmod_free_dense(&v->solution, c);
	matrix = cholmod_triplet_to_sparse(v->terms, 0, c);
	if (matrix && !v->factor)
		v->factor = cholmod_analyze(matrix, c);
	if (matrix && v->factor && cholmod_factorize(matrix, v->factor, c) &&
	    c->status == CHOLMOD_OK)
		v->solution = cholmod_solve(CHOLMOD_A, v->factor, v->slope, c);
	cholmod_free_sparse(&matrix, c);
	if (!v->solution)
		return c->status == CHOLMOD_OUT_OF_MEMORY ? -ENOMEM : -EDOM;
	v->move = v->solution->x;
	return 0;
}

double pose_solver_apply(const struct pose_solver *v, struct pose *pose)
{
	double most = 0;

	for (uint32_t i = 1; i < v->nodes; i++) {
		const double *d = v->move + (size_t)N * i;
		struct pose *p = pose + i;

		*p = (struct pose){ p->x + d[0], p->y + d[1],
				    remainder(p->yaw + d[2], 2 * M_PI) };
		if (!isfinite(d[0] + d[1] + d[2]))
			most = INFINITY;
		most = fmax(most, fmax(fmax(fabs(d[0]), fabs(d[1])),
				       fabs(d[2])));
	}
	return most;
}

static void start(cholmod_common *c)
{
	cholmod_start(c);
	c->supernodal = CHOLMOD_SIMPLICIAL;
	c->nmethods = 1;
	c->method[0].ordering = CHOLMOD_AMD;
	/* unlike LDL', this fails unless the weights are positive */
	c->final_ll = 1;
	c->print = 0;
	c->error_handler = NULL;
}

int pose_solver_init(struct pose_solver *v, uint32_t nodes, uint32_t motions)
{
	const size_t rows = (size_t)N * nodes;

	*v = (struct pose_solver){ .nodes = nodes };
	start(&v->common);
	v->terms = cholmod_allocate_triplet(rows, rows,
		(size_t)TERMS * motions + rows, 1, CHOLMOD_REAL, &v->common);
	v->slope = cholmod_zeros(rows, 1, CHOLMOD_REAL, &v->common);
	return v->terms && v->slope ? 0 : -ENOMEM;
}

void pose_solver_free(struct pose_solver *v)
{
	cholmod_free_triplet(&v->terms, &v->common);
	cholmod_free_dense(&v->slope, &v->common);
	cholmod_free_dense(&v->solution, &v->common);
	cholmod_free_factor(&v->factor, &v->common);
	cholmod_finish(&v->common);
}
