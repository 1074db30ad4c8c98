// SPDX-License-Identifier: GPL-2.0-only
/*
 * team_remote_settle.c - after a resampling: who has which child, and from whom
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "slam/placement.h"
#include "slam/team_remote_parts.h"

/* Of the particles that @owner has, who has the latest ancestor in common with
 * @parent
 */
static void find_base(const struct remote *r, uint32_t owner,
		      struct wire_child *c)
{
	const struct team_state *s = r->state;
	uint64_t best = 0;

	c->base = WIRE_NONE;
	c->since = 0;
	for (uint32_t i = 0; i < s->count; i++) {
		ancestry_id id;
		uint64_t since;

		if (r->owner[i] != owner)
			continue;
		id = ancestry_common(s->ancestry, s->step[c->parent],
				     s->step[i]);
		if (!id)
			continue;
		since = ancestry_at(s->ancestry, id)->update + 1;
		if (since <= best)
			continue;
		best = since;
		c->base = i;
		c->since = tile_version(since, 0);
	}
}

static int plan(struct remote *r, const uint32_t *parent, uint32_t count)
{
	uint32_t *home = malloc((size_t)r->count * sizeof(*home));
	int moves = -ENOMEM;

	if (!home)
		return moves;
	for (uint32_t i = 0; i < r->count; i++) {
		const struct member *m = remote_member(r, r->owner[i]);

		home[i] = m ? (uint32_t)(m - r->member) : 0;
	}
	moves = placement_share(parent, count, home, r->members,
			       r->next_owner);
	for (uint32_t i = 0; moves >= 0 && i < count; i++)
		r->next_owner[i] = r->member[r->next_owner[i]].id;
	free(home);
	return moves;
}

/* Who is whose child, and who gives it to whom */
static int list_children(struct remote *r, const uint32_t *parent,
			 uint32_t count)
{
	struct wire_child *child;
	int err = bytes_reserve(&r->bytes, count * sizeof(*child));

	if (err)
		return err;
	child = (struct wire_child *)r->bytes.data;
	r->bytes.len = count * sizeof(*child);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t k = 0;

		child[i] = (struct wire_child){
			.parent = parent[i], .from = r->owner[parent[i]],
			.owner = r->next_owner[i], .base = WIRE_NONE,
		};
		if (child[i].from == child[i].owner)
			continue;
		while (child[k].parent != child[i].parent ||
		       child[k].owner != child[i].owner)
			k++;
		if (k < i)
			child[i] = child[k];
		else
			find_base(r, child[i].owner, child + i);
	}
	return 0;
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
		remote_member(r, r->owner[i])->load++;
	}
	r->count = count;
}

/* Before there were any workers. Nobody has the particles yet: they are built
 * by their steps when somebody matches them
 */
static int settle_nowhere(struct remote *r, uint32_t count)
{
	int err = remote_make_room(r, count);

	if (!err)
		r->count = count;
	return err;
}

/* All stay, but for those that are to be shared out anew */
static uint32_t *all_stay(uint32_t count)
{
	uint32_t *same = malloc((size_t)count * sizeof(*same));

	for (uint32_t i = 0; same && i < count; i++)
		same[i] = i;
	return same;
}

static int settle(struct remote *r, const uint32_t *parent, uint32_t count)
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
	moves = plan(r, parent, count);
	err = moves < 0 ? moves : list_children(r, parent, count);
	if (err)
		return err;
	head.count = count;
	r->load.traffic.moved += (uint64_t)moves;
	err = remote_send_all(r, WIRE_SETTLE, &head, sizeof(head),
			      r->bytes.data, r->bytes.len);
	become(r, count);
	return err;
}

int remote_settle(struct team *t, const struct team_state *state,
		  uint64_t update, const uint32_t *parent, uint32_t count)
{
	struct remote *r = (struct remote *)t;
	uint32_t *same = NULL;
	int err;

	(void)update;
	r->state = state;
	r->open = false;
	if (!r->begun)
		return settle_nowhere(r, count);
	if (!parent && r->changed) {
		parent = same = all_stay(count);
		if (!same)
			return -ENOMEM;
	}
	r->changed = false;
	err = settle(r, parent, count);
	/* nobody waits for a map: all are where they were */
	if (!parent)
		memcpy(r->from, r->owner, r->count * sizeof(*r->from));
	free(same);
	return err;
}
