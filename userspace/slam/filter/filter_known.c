// SPDX-License-Identifier: GPL-2.0-only
/*
 * filter_known.c - find the way in a known map, which does not change; and go on
 * elsewhere in a map
 *
 * The map takes the place of the first scan: it is update 0, which the history
 * leaves out.
 */
#include <assert.h>
#include <errno.h>
#include "slam/filter/det_math.h"
#include "slam/filter/filter_parts.h"

/* All particles have this step and stand at its pose */
static void begin_at(struct filter *f, trajectory_tree_id step,
		     const struct pose *pose)
{
	for (uint32_t i = 0; i < f->count; i++) {
		trajectory_tree_hold(f->tree, step);
		if (f->step[i])
			trajectory_tree_release(f->tree, f->step[i]);
		f->step[i] = step;
		f->pose[i] = *pose;
	}
	trajectory_tree_hold(f->tree, step);
	if (f->best_step)
		trajectory_tree_release(f->tree, f->best_step);
	f->best_step = step;
	f->best = 0;
}

/* Updates after which it is known how the robot moves */
enum { LEARN = 10 };

/* How the robot moves: its speed, what its odometry is worth */
static void learn_from(struct filter *f, const struct filter *before)
{
	f->unsure = f->update + LEARN;
	if (!before) {
		f->prediction = (struct prediction){ .use = PREDICT_ODOMETRY };
		/* the odometry of the next reading may have any origin */
		f->odometer.known = false;
		odometer_restart(&f->odometer);
		return;
	}
	f->prediction = before->prediction;
	f->prediction.at = (struct pose){ 0, 0, 0 };
	f->prediction.since = 0;
	f->odometer = before->odometer;
	f->odometer.params = f->params.wall > 0 ? &f->params : NULL;
	odometer_restart(&f->odometer);
}

int filter_know(struct filter *f, const struct walls *w,
		const struct pose *pose, const struct filter *before)
{
	const struct trajectory_step first = { .pose = *pose };
	const trajectory_tree_id step = trajectory_tree_add(f->tree, 0, &first);

	assert(!f->update && f->params.fixed);
	if (!step)
		return -ENOMEM;
	if (!f->pool->ops->know) {
		trajectory_tree_release(f->tree, step);
		return -ENOTSUP;
	}
	begin_at(f, step, pose);
	trajectory_tree_release(f->tree, step);
	f->update = 1;
	learn_from(f, before);
	f->moved = f->placed = true;
	return f->pool->ops->know(f->pool, f->count, w, pose);
}

int filter_place(struct filter *f, const struct pose *pose,
		 const struct filter *before)
{
	assert(f->update);
	if (!f->pool->ops->know)
		return -ENOTSUP;
	for (uint32_t i = 0; i < f->count; i++) {
		f->pose[i] = *pose;
		f->recent[i] = f->total[i] = 0;
	}
	filter_hypotheses_close(f);
	f->seen.known = false;
	f->held = 0;
	f->moved = f->placed = true;
	/* their poses are those of another place */
	last_scans_free(&f->last);
	learn_from(f, before);
	return f->pool->ops->know(f->pool, f->count, NULL, pose);
}
