/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trajectory_tree.h - trajectories of particles: a tree of common ancestors
 *
 * One node for each particle and update; nodes without living descendants are
 * reused. Trajectories are only stored here, not with the particles.
 */
#ifndef SLAM_FILTER_TRAJECTORY_TREE_H
#define SLAM_FILTER_TRAJECTORY_TREE_H

#include <stdint.h>
#include "base/pose.h"

struct trajectory_tree;

/* A node of the tree; 0: none */
typedef uint32_t trajectory_tree_id;

/**
 * struct trajectory_step - a particle at an update
 * @number:	of the particle then
 */
struct trajectory_step {
	struct pose	pose;
	uint64_t	update;
	uint32_t	number;
};

/* Return: to be freed with trajectory_tree_destroy(); NULL: no memory */
struct trajectory_tree *trajectory_tree_create(void);
void trajectory_tree_destroy(struct trajectory_tree *a);

/**
 * trajectory_tree_add() - a step of a particle
 * @parent: the step before, 0 for the first; the caller keeps its reference
 *
 * Return: the step, with one reference for the caller; 0: no memory.
 */
trajectory_tree_id trajectory_tree_add(struct trajectory_tree *a,
				       trajectory_tree_id parent,
				       const struct trajectory_step *step);

/* Add or drop a reference: a step without references is freed */
void trajectory_tree_hold(struct trajectory_tree *a, trajectory_tree_id id);
void trajectory_tree_release(struct trajectory_tree *a, trajectory_tree_id id);

const struct trajectory_step *
trajectory_tree_at(const struct trajectory_tree *a, trajectory_tree_id id);

/* The step before, 0: there is none */
trajectory_tree_id trajectory_tree_parent(const struct trajectory_tree *a,
					  trajectory_tree_id id);

/* Every id is less than this */
uint32_t trajectory_tree_ids(const struct trajectory_tree *a);

/* Number of steps up to @id, inclusive */
uint32_t trajectory_tree_depth(const struct trajectory_tree *a,
			       trajectory_tree_id id);

/* Number of all steps */
uint32_t trajectory_tree_nodes(const struct trajectory_tree *a);

#endif
