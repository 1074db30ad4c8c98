// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter_correction.c - go on in a corrected map
 *
 * The map is drawn again in parts, one after each update, so that no reading
 * waits for it. Then all particles become copies of it.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "slam/filter/det_math.h"
#include "slam/filter/filter_parts.h"

/* Scans that are drawn after an update: about 2 ms */
enum { PART = 48 };
/* The same if a part of the map is joined to the rest: the robot is waiting for its
 * place. About 10 ms
 */
enum { PART_JOINED = 256 };

void filter_correct(struct filter *f, struct pose *history, uint32_t count,
		    bool joins,
		    const struct reading *(*reading)(void *arg,
						     uint64_t update),
		    void *arg)
{
	assert(count && count <= f->update);
	filter_correction_free(f);
	f->correction = (struct correction){
		.pose = history, .poses = count, .room = count,
		.each = joins ? PART_JOINED : PART, .joins = joins,
		.reading = reading, .arg = arg,
	};
}

void filter_correction_free(struct filter *f)
{
	free(f->correction.pose);
	f->correction = (struct correction){ .pose = NULL };
}

/* The motions of the best particle since then are right */
static int follow(struct filter *f)
{
	struct correction *c = &f->correction;
	const uint32_t n = (uint32_t)f->update, known = c->poses;
	trajectory_tree_id id = f->best_step;
	int err = 0;

	while (c->room < n && !err)
		err = array_grow(&c->pose, &c->room, c->room,
				 sizeof(*c->pose));
	if (err)
		return err;
	/* first the motions, from the last one back */
	for (uint32_t i = n; i-- > known;) {
		const trajectory_tree_id before =
			trajectory_tree_parent(f->tree, id);

		c->pose[i] = det_between(
			&trajectory_tree_at(f->tree, before)->pose,
			&trajectory_tree_at(f->tree, id)->pose);
		id = before;
	}
	for (uint32_t i = known; i < n; i++)
		c->pose[i] = det_compose(c->pose + i - 1, c->pose + i);
	c->poses = n;
	return 0;
}

/* @last: the reading of the last update */
static int draw_part(struct filter *f, const struct reading *last)
{
	const struct particle_pool_ops *ops = f->pool->ops;
	struct correction *c = &f->correction;
	int err = 0;

	for (uint32_t i = 0; i < c->each && c->drawn < c->poses && !err; i++) {
		const struct reading *r = c->drawn + 1 == f->update ? last :
					  c->reading(c->arg, c->drawn);

		err = ops->draft(f->pool, c->drawn, r, c->pose + c->drawn);
		c->drawn++;
	}
	return err;
}

/* The corrected history as a branch of the tree. Return: its last step; 0: no
 * memory
 */
static trajectory_tree_id branch(struct filter *f)
{
	const struct correction *c = &f->correction;
	trajectory_tree_id last = 0;

	for (uint32_t i = 0; i < c->poses; i++) {
		const struct trajectory_step step = {
			.pose = c->pose[i], .update = i,
		};
		const trajectory_tree_id next =
			trajectory_tree_add(f->tree, last, &step);

		if (last)
			trajectory_tree_release(f->tree, last);
		if (!next)
			return 0;
		last = next;
	}
	return last;
}

/* All particles become copies of the corrected one */
static int adopt(struct filter *f)
{
	const struct correction *c = &f->correction;
	const trajectory_tree_id last = branch(f);
	struct particle_pool_state state;

	if (!last)
		return -ENOMEM;
	for (uint32_t i = 0; i < f->count; i++) {
		trajectory_tree_hold(f->tree, last);
		trajectory_tree_release(f->tree, f->step[i]);
		f->step[i] = last;
		f->pose[i] = c->pose[c->poses - 1];
		f->recent[i] = f->total[i] = 0;
	}
	trajectory_tree_release(f->tree, f->best_step);
	f->best = 0;
	f->best_step = last;
	f->seen.known = false;
	f->aside &= !c->joins;
	filter_correction_free(f);
	state = filter_state(f);
	return f->pool->ops->adopt(f->pool, &state);
}

int filter_correction_go_on(struct filter *f, const struct reading *reading,
			    struct filter_result *r)
{
	struct correction *c = &f->correction;
	int err;

	if (!c->pose)
		return 0;
	err = follow(f);
	if (!err)
		err = draw_part(f, reading);
	if (err || c->drawn < c->poses || f->hypotheses.open)
		return err;
	r->corrected = r->rewritten = true;
	return adopt(f);
}
