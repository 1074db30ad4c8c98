// SPDX-License-Identifier: GPL-2.0-only
/*
 * relatives.c - the nearest relatives in the trajectory tree
 */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include "slam/workers/relatives.h"

/* @next: [trajectory_tree_ids()] of ancestors of particles that are here, and of
 * 0, the ancestor of all: one such particle, from 1
 */
static void mark_ancestors(const struct particle_pool_state *s,
			   const uint8_t *here, uint32_t *next)
{
	for (uint32_t i = 0; i < s->count; i++) {
		trajectory_tree_id id = s->step[i];

		if (!here[i])
			continue;
		while (id && !next[id]) {
			next[id] = i + 1;
			id = trajectory_tree_parent(s->tree, id);
		}
		if (!next[0])
			next[0] = i + 1;
	}
}

static bool descends(const struct particle_pool_state *s, uint32_t number,
		     trajectory_tree_id from)
{
	const uint32_t depth = trajectory_tree_depth(s->tree, from);
	trajectory_tree_id id = s->step[number];

	while (trajectory_tree_depth(s->tree, id) > depth)
		id = trajectory_tree_parent(s->tree, id);
	return id == from;
}

/* The next one that is here and descends from @id, in a circle */
static uint32_t relatives_next(const struct particle_pool_state *s,
			       const uint8_t *here, trajectory_tree_id id,
			       uint32_t after)
{
	uint32_t i = after;

	do
		i = i + 1 < s->count ? i + 1 : 0;
	while (!here[i] || !descends(s, i, id));
	return i;
}

int relatives_find(const struct particle_pool_state *s, const uint8_t *here,
		   uint32_t *relative)
{
	uint32_t *next = calloc((size_t)trajectory_tree_ids(s->tree) + 1,
				sizeof(*next));

	if (!next)
		return -ENOMEM;
	mark_ancestors(s, here, next);
	assert(next[0]);
	for (uint32_t i = 0; i < s->count; i++) {
		trajectory_tree_id id = s->step[i];

		if (here[i])
			continue;
		while (id && !next[id])
			id = trajectory_tree_parent(s->tree, id);
		relative[i] = next[id] - 1;
		next[id] = 1 + relatives_next(s, here, id, relative[i]);
	}
	free(next);
	return 0;
}
