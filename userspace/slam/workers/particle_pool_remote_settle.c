// SPDX-License-Identifier: GPL-2.0-only
/*
 * particle_pool_remote_settle.c - distribute the children after a resampling
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "slam/workers/balance.h"
#include "slam/workers/particle_pool_remote_parts.h"

/* @kin: [trajectory_tree_ids()] gets, for each step that is an ancestor of
 * particles of @owner, the first of these, counted from 1; 0: none. A particle
 * that was not matched in time may not have arrived there
 */
static void find_kin(const struct remote *r, uint32_t owner, uint32_t *kin)
{
	const struct particle_pool_state *s = r->state;

	memset(kin, 0, trajectory_tree_ids(s->tree) * sizeof(*kin));
	for (uint32_t i = 0; i < s->count; i++) {
		const bool there = r->owner[i] == owner && r->done[i];
		trajectory_tree_id id = there ? s->step[i] : 0;

		for (; id && !kin[id];
		     id = trajectory_tree_parent(s->tree, id))
			kin[id] = i + 1;
	}
}

/* Among the particles of the child's owner, the one with the latest common
 * ancestor with its parent
 */
static void settle_find_base(const struct remote *r, const uint32_t *kin,
			     struct wire_child *c)
{
	const struct particle_pool_state *s = r->state;
	trajectory_tree_id id = s->step[c->parent];

	while (id && !kin[id])
		id = trajectory_tree_parent(s->tree, id);
	if (!id)
		return;
	c->base = kin[id] - 1;
	c->since = tile_version(trajectory_tree_at(s->tree, id)->update + 1,
				0);
}

/* @first: see balance_first() */
static void find_bases(const struct remote *r, struct wire_child *child,
		       uint32_t count, const uint32_t *first, uint32_t *kin)
{
	for (uint32_t m = 0; m < r->members; m++) {
		const uint32_t owner = r->member[m].id;
		bool found = false;

		for (uint32_t i = 0; i < count; i++) {
			if (child[i].owner != owner ||
			    child[i].from == owner || first[i] != i)
				continue;
			if (!found)
				find_kin(r, owner, kin);
			found = true;
			settle_find_base(r, kin, child + i);
		}
	}
	for (uint32_t i = 0; i < count; i++)
		child[i] = child[first[i]];
}

/* Of each worker; one that has not answered yet gets nothing */
static void settle_shares(const struct remote *r, double *share)
{
	double sum = 0;

	for (uint32_t i = 0; i < r->members; i++) {
		const struct member *m = r->member + i;

		share[i] = remote_is_behind(r, m) ? 0 : m->share;
		sum += share[i];
	}
	for (uint32_t i = 0; i < r->members; i++)
		share[i] = sum > 0 ? share[i] / sum : 1.0 / r->members;
}

static int settle_plan(struct remote *r, const uint32_t *parent, uint32_t count)
{
	uint32_t *home = malloc((size_t)r->count * sizeof(*home));
	double *share = malloc((size_t)r->members * sizeof(*share));
	int moves = -ENOMEM;

	if (!home || !share)
		goto out;
	for (uint32_t i = 0; i < r->count; i++) {
		const struct member *m = remote_member(r, r->owner[i]);

		home[i] = m ? (uint32_t)(m - r->member) : 0;
	}
	settle_shares(r, share);
	moves = balance_share(parent, count, home, r->members, share,
			      r->next_owner);
	for (uint32_t i = 0; moves >= 0 && i < count; i++)
		r->next_owner[i] = r->member[r->next_owner[i]].id;
out:
	free(share);
	free(home);
	return moves;
}

/* Parent, owner and sender of each child */
static int list_children(struct remote *r, const uint32_t *parent,
			 uint32_t count)
{
	struct wire_child *child;
	uint32_t *first;
	int err = bytes_reserve(&r->bytes, count * sizeof(*child));

	if (err)
		return err;
	child = (struct wire_child *)r->bytes.data;
	r->bytes.len = count * sizeof(*child);
	for (uint32_t i = 0; i < count; i++)
		child[i] = (struct wire_child){
			.parent = parent[i], .from = r->owner[parent[i]],
			.owner = r->next_owner[i], .base = WIRE_NONE,
		};
	first = malloc(
		((size_t)count + trajectory_tree_ids(r->state->tree)) *
		sizeof(*first));
	err = first ? balance_first(child, count, r->count, first) : -ENOMEM;
	if (!err)
		find_bases(r, child, count, first, first + count);
	free(first);
	return err;
}

static void become(struct remote *r, uint32_t count)
{
	const struct wire_child *child =
		(const struct wire_child *)r->bytes.data;

	for (uint32_t i = 0; i < r->members; i++)
		r->member[i].load = 0;
	for (uint32_t i = 0; i < count; i++) {
		r->from[i] = child[i].from;
		r->owner[i] = child[i].owner;
		r->done[i] = 0;
		assert(child[i].parent < r->count);
		remote_member(r, r->owner[i])->load++;
	}
	r->count = count;
}

/* Before there were any workers. No worker has the particles yet: they are
 * built from their steps at the first match
 */
static int settle_nowhere(struct remote *r, uint32_t count)
{
	int err = remote_make_room(r, count);

	if (!err)
		r->count = count;
	return err;
}

/* Each particle is its own child: only to redistribute them */
static uint32_t *all_stay(uint32_t count)
{
	uint32_t *same = malloc((size_t)count * sizeof(*same));

	for (uint32_t i = 0; same && i < count; i++)
		same[i] = i;
	return same;
}

static int settle_settle(struct remote *r, const uint32_t *parent,
			 uint32_t count)
{
	struct wire_settle head = { .update = r->order.update };
	int moves, err;

	r->resampled = parent;
	r->unsettled = !parent;
	r->settled = r->order.update;
	if (!parent)
		return 0;
	err = remote_make_room(r, count);
	if (err)
		return err;
	moves = settle_plan(r, parent, count);
	err = moves < 0 ? moves : list_children(r, parent, count);
	if (err)
		return err;
	head.count = count;
	r->load.traffic.moved += (uint64_t)moves;
	r->moves = (uint32_t)moves;
	err = remote_send_all(r, WIRE_SETTLE, &head, sizeof(head),
			      r->bytes.data, r->bytes.len);
	become(r, count);
	return err;
}

int remote_settle(struct particle_pool *t,
		  const struct particle_pool_state *state, uint64_t update,
		  const uint32_t *parent, uint32_t count)
{
	struct remote *r = (struct remote *)t;
	uint32_t *same = NULL;
	int err, shared;

	(void)update;
	r->state = state;
	r->open = false;
	if (!r->begun)
		return settle_nowhere(r, count);
	shared = remote_share(r, false);
	if (shared < 0)
		return shared;
	if (!parent && (r->changed || shared)) {
		parent = same = all_stay(count);
		if (!same)
			return -ENOMEM;
	}
	r->changed = false;
	err = settle_settle(r, parent, count);
	/* no worker waits for a map: no particle moves */
	if (!parent)
		memcpy(r->from, r->owner, r->count * sizeof(*r->from));
	free(same);
	return err;
}
