/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pose_solver.h - sparse least squares over poses, one linear step at a time
 *
 * Each term is a measured motion between two poses. The factorization is
 * CHOLMOD's simplicial one: it uses no BLAS, whose kernels, and so the last
 * bits, depend on the processor.
 */
#ifndef SLAM_GRAPH_POSE_SOLVER_H
#define SLAM_GRAPH_POSE_SOLVER_H

#include <stddef.h>
#include <stdint.h>
#include <suitesparse/cholmod.h>
#include "base/pose.h"

enum { POSE_FREEDOMS = 3 };

/**
 * struct pose_solver
 * @nodes:	poses, of which the first one does not move
 * @move:	the last solution: x, y, yaw of each node
 */
struct pose_solver {
	uint32_t		nodes;
	const double		*move;
	/* private */
	cholmod_common		common;
	cholmod_triplet		*terms;
	cholmod_factor		*factor;
	cholmod_dense		*slope, *solution;
};

/* Symmetric weight of a motion, the inverse of its covariance: 1/m^2, 1/m/rad,
 * 1/rad^2
 */
struct motion_weight {
	double	xx, xy, xt, yy, yt, tt;
};

/**
 * struct motion_slope - derivatives of the motion from one node to another one
 * @from, @to:	[x, y, yaw of the motion][x, y, yaw of the node]
 */
struct motion_slope {
	double	from[POSE_FREEDOMS][POSE_FREEDOMS];
	double	to[POSE_FREEDOMS][POSE_FREEDOMS];
};

/* At poses @a and @b; @move gets the motion: @b in the frame of @a, with a
 * heading that is not within a turn
 */
struct motion_slope motion_slope(const struct pose *a, const struct pose *b,
				 struct pose *move);

/**
 * pose_solver_init() - for a number of poses
 * @motions:	most terms that will be added
 *
 * Return: 0, to be freed with pose_solver_free(), also after an error; -ENOMEM.
 */
int pose_solver_init(struct pose_solver *v, uint32_t nodes, uint32_t motions);
void pose_solver_free(struct pose_solver *v);

/* Forget all terms, but not which nodes they connect: that must not change */
void pose_solver_begin(struct pose_solver *v);

/**
 * pose_solver_add() - a motion
 * @from, @to:	different nodes
 * @scale:	of @w
 * @error:	what the motion is off: x, y, yaw
 */
void pose_solver_add(struct pose_solver *v, uint32_t from, uint32_t to,
		     const struct motion_slope *slope,
		     const struct motion_weight *w, double scale,
		     const double error[POSE_FREEDOMS]);

/**
 * pose_solver_pull() - the error of a motion that was added with error 0
 * @pull:	the weight times the error
 */
void pose_solver_pull(struct pose_solver *v, uint32_t from, uint32_t to,
		      const struct motion_slope *slope,
		      const double pull[POSE_FREEDOMS]);

/**
 * pose_solver_solve() - compute @v->move, which makes the errors least
 *
 * Return: 0; -ENOMEM; -EDOM: the weights are not positive definite.
 */
int pose_solver_solve(struct pose_solver *v);

/* Move the poses, except of the first. Return: the largest move, m or rad; not
 * finite: they are undefined
 */
double pose_solver_apply(const struct pose_solver *v, struct pose *pose);

#endif
