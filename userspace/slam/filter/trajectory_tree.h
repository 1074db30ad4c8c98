/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trajectory_tree.h - where particles were: a tree, for they have ancestors in common
 *
 * One node for each particle and update; nodes without living descendants are
 * used again. Trajectories are only here, never with the particles.
 */
#ifndef SLAM_FILTER_TRAJECTORY_TREE_H
#define SLAM_FILTER_TRAJECTORY_TREE_H

#include <stdint.h>
#include "base/pose.h"

struct trajectory_tree;

/* A node of the tree; 0: none */
typedef uint32_t trajectory_tree_id;

/**
 * struct trajectory_step - what a particle was at an update
 * @number:	that it had then
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
 * @parent: the step before, 0 at the first; the caller keeps it
 *
 * Return: the step, of which the caller has one; 0: no memory.
 */
trajectory_tree_id trajectory_tree_add(struct trajectory_tree *a,
				       trajectory_tree_id parent,
				       const struct trajectory_step *step);

/* One more has it, or one fewer: who nobody has is forgotten */
void trajectory_tree_hold(struct trajectory_tree *a, trajectory_tree_id id);
void trajectory_tree_release(struct trajectory_tree *a, trajectory_tree_id id);

const struct trajectory_step *
trajectory_tree_at(const struct trajectory_tree *a, trajectory_tree_id id);

/* The step before, 0: there is none */
trajectory_tree_id trajectory_tree_parent(const struct trajectory_tree *a,
					  trajectory_tree_id id);

/* Every id is less than that */
uint32_t trajectory_tree_ids(const struct trajectory_tree *a);

/* Steps up to @id, with it */
uint32_t trajectory_tree_depth(const struct trajectory_tree *a,
			       trajectory_tree_id id);

/* Steps there are in all */
uint32_t trajectory_tree_nodes(const struct trajectory_tree *a);

#endif
