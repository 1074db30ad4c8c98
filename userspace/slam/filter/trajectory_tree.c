// SPDX-License-Identifier: GPL-2.0-only
/*
 * trajectory_tree.c - nodes with a reference count
 */
#include <assert.h>
#include <stdlib.h>
#include "base/array.h"
#include "slam/filter/trajectory_tree.h"

struct node {
	struct trajectory_step	step;
	trajectory_tree_id parent; /* of free ones, the next */
	uint32_t		depth, users;
};

struct trajectory_tree {
	struct node	*node;
	uint32_t	count, room, used;
	trajectory_tree_id	free;
};

struct trajectory_tree *trajectory_tree_create(void)
{
	struct trajectory_tree *a = calloc(1, sizeof(*a));

	if (a)
		a->count = 1;
	return a;
}

void trajectory_tree_destroy(struct trajectory_tree *a)
{
	if (!a)
		return;
	free(a->node);
	free(a);
}

trajectory_tree_id trajectory_tree_add(struct trajectory_tree *a,
				       trajectory_tree_id parent,
				       const struct trajectory_step *step)
{
	trajectory_tree_id id = a->free;

	if (id) {
		a->free = a->node[id].parent;
	} else {
		if (array_grow(&a->node, &a->room, a->count,
			       sizeof(*a->node)))
			return 0;
		id = a->count++;
	}
	assert(id && id < a->count && parent < a->count);
	a->node[id] = (struct node){
		.step = *step, .parent = parent, .users = 1,
		.depth = parent ? a->node[parent].depth + 1 : 1,
	};
	trajectory_tree_hold(a, parent);
	a->used++;
	assert(a->used < a->count);
	return id;
}

void trajectory_tree_hold(struct trajectory_tree *a, trajectory_tree_id id)
{
	if (id)
		a->node[id].users++;
}

void trajectory_tree_release(struct trajectory_tree *a, trajectory_tree_id id)
{
	while (id && !--a->node[id].users) {
		const trajectory_tree_id parent = a->node[id].parent;

		a->node[id].parent = a->free;
		a->free = id;
		assert(a->used);
		a->used--;
		id = parent;
	}
}

const struct trajectory_step *
trajectory_tree_at(const struct trajectory_tree *a, trajectory_tree_id id)
{
	return &a->node[id].step;
}

trajectory_tree_id trajectory_tree_parent(const struct trajectory_tree *a,
					  trajectory_tree_id id)
{
	return a->node[id].parent;
}

uint32_t trajectory_tree_depth(const struct trajectory_tree *a,
			       trajectory_tree_id id)
{
	return id ? a->node[id].depth : 0;
}

uint32_t trajectory_tree_ids(const struct trajectory_tree *a)
{
	return a->count;
}

uint32_t trajectory_tree_nodes(const struct trajectory_tree *a)
{
	return a->used;
}
