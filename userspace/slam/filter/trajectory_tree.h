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

struct ancestry;

/* A node of the tree; 0: none */
typedef uint32_t ancestry_id;

/**
 * struct ancestry_step - what a particle was at an update
 * @number:	that it had then
 */
struct ancestry_step {
	struct pose	pose;
	uint64_t	update;
	uint32_t	number;
};

/* Return: to be freed with ancestry_destroy(); NULL: no memory */
struct ancestry *ancestry_create(void);
void ancestry_destroy(struct ancestry *a);

/**
 * ancestry_add() - a step of a particle
 * @parent: the step before, 0 at the first; the caller keeps it
 *
 * Return: the step, of which the caller has one; 0: no memory.
 */
ancestry_id ancestry_add(struct ancestry *a, ancestry_id parent,
			 const struct ancestry_step *step);

/* One more has it, or one fewer: who nobody has is forgotten */
void ancestry_hold(struct ancestry *a, ancestry_id id);
void ancestry_release(struct ancestry *a, ancestry_id id);

const struct ancestry_step *ancestry_at(const struct ancestry *a,
					ancestry_id id);

/* The step before, 0: there is none */
ancestry_id ancestry_parent(const struct ancestry *a, ancestry_id id);

/* Every id is less than that */
uint32_t ancestry_ids(const struct ancestry *a);

/* Steps up to @id, with it */
uint32_t ancestry_depth(const struct ancestry *a, ancestry_id id);

/* Steps there are in all */
uint32_t ancestry_nodes(const struct ancestry *a);

#endif
