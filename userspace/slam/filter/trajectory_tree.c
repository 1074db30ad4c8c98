// SPDX-License-Identifier: GPL-2.0-only
/*
 * trajectory_tree.c - nodes with a count of those who have them
 */
#include <stdlib.h>
#include "base/array.h"
#include "slam/filter/trajectory_tree.h"

struct node {
	struct ancestry_step	step;
	ancestry_id		parent;	/* of those that are free, the next */
	uint32_t		depth, users;
};

struct ancestry {
	struct node	*node;
	uint32_t	count, room, used;
	ancestry_id	free;
};

struct ancestry *ancestry_create(void)
{
	struct ancestry *a = calloc(1, sizeof(*a));

	if (a)
		a->count = 1;
	return a;
}

void ancestry_destroy(struct ancestry *a)
{
	if (!a)
		return;
	free(a->node);
	free(a);
}

ancestry_id ancestry_add(struct ancestry *a, ancestry_id parent,
			 const struct ancestry_step *step)
{
	ancestry_id id = a->free;

	if (id) {
		a->free = a->node[id].parent;
	} else {
		if (array_grow(&a->node, &a->room, a->count,
			       sizeof(*a->node)))
			return 0;
		id = a->count++;
	}
	a->node[id] = (struct node){
		.step = *step, .parent = parent, .users = 1,
		.depth = parent ? a->node[parent].depth + 1 : 1,
	};
	ancestry_hold(a, parent);
	a->used++;
	return id;
}

void ancestry_hold(struct ancestry *a, ancestry_id id)
{
	if (id)
		a->node[id].users++;
}

void ancestry_release(struct ancestry *a, ancestry_id id)
{
	while (id && !--a->node[id].users) {
		const ancestry_id parent = a->node[id].parent;

		a->node[id].parent = a->free;
		a->free = id;
		a->used--;
		id = parent;
	}
}

const struct ancestry_step *ancestry_at(const struct ancestry *a,
					ancestry_id id)
{
	return &a->node[id].step;
}

ancestry_id ancestry_parent(const struct ancestry *a, ancestry_id id)
{
	return a->node[id].parent;
}

uint32_t ancestry_depth(const struct ancestry *a, ancestry_id id)
{
	return id ? a->node[id].depth : 0;
}

uint32_t ancestry_ids(const struct ancestry *a)
{
	return a->count;
}

uint32_t ancestry_nodes(const struct ancestry *a)
{
	return a->used;
}
