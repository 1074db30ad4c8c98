// SPDX-License-Identifier: GPL-2.0-only
/*
 * scan_trajectory.c - poses of all readings, from those of some
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include "base/array.h"
#include "slam/filter/det_math.h"
#include "slam/output/scan_trajectory.h"

/* Odometry with a smaller error did not jump, about m */
#define JUMP	0.15

int scan_trajectory_add(struct scan_trajectory *j,
			const struct reading *reading,
			const struct filter_result *result)
{
	const int err = array_grow(&j->point, &j->room, j->count,
				   sizeof(*j->point));

	if (!err)
		j->point[j->count++] = (struct scan_trajectory_point){
			.stamp = reading->stamp,
			.odometry = reading->odometry,
			.since = result->since,
			.update = result->update,
			.scanned = reading->beams > 0 && !result->unmatched,
			.carried = result->carried,
		};
	assert(err || j->count <= j->room);
	return err;
}

void scan_trajectory_free(struct scan_trajectory *j)
{
	free(j->point);
	*j = (struct scan_trajectory){ .count = 0 };
}

/* The pose @to if the robot is at @pose while the odometry says @from */
static struct pose scan_trajectory_follow(const struct pose *pose,
					  const struct pose *from,
					  const struct pose *to)
{
	const struct pose move = det_between(from, to);

	return det_compose(pose, &move);
}

/* Distance plus turn from one reading to the next, about m */
static double way(const struct scan_trajectory_point *a,
		  const struct scan_trajectory_point *b)
{
	return pose_distance(&a->odometry, &b->odometry, 1);
}

/**
 * struct leg - readings between two with known poses
 * @jump:	the step from the reading before this one is dropped; 0: none
 */
struct leg {
	const struct scan_trajectory_point	*p;
	struct pose			start;
	uint32_t			first, jump;
};

/* The pose at reading @i by odometry */
static struct pose leg_at(const struct leg *l, uint32_t i)
{
	const struct scan_trajectory_point *p = l->p;
	struct pose before;

	if (!l->jump || i < l->jump)
		return scan_trajectory_follow(&l->start, &p[l->first].odometry,
					      &p[i].odometry);
	before = scan_trajectory_follow(&l->start, &p[l->first].odometry,
					&p[l->jump - 1].odometry);
	return scan_trajectory_follow(&before, &p[l->jump].odometry,
				      &p[i].odometry);
}

static double step_of(const struct leg *l, uint32_t i)
{
	return i == l->jump ? 0 : way(l->p + i - 1, l->p + i);
}

/* If most of the error at the end comes from one step that is much larger than
 * the others, that step was an error of the odometry
 */
static void find_jump(struct leg *l, uint32_t last, const struct pose *known)
{
	const struct pose as_said = leg_at(l, last);
	const double off = pose_distance(&as_said, known, 1);
	double most = 0, next = 0;
	struct pose without;

	for (uint32_t i = l->first + 1; i <= last; i++) {
		const double step = way(l->p + i - 1, l->p + i);

		next = fmax(next, fmin(step, most));
		if (step > most)
			l->jump = i;
		most = fmax(most, step);
	}
	without = leg_at(l, last);
	if (off < JUMP || most < 2 * next ||
	    pose_distance(&without, known, 1) > off / 2)
		l->jump = 0;
}

/* Fit the readings between @first and @last, whose poses are known */
static void fit_between(const struct scan_trajectory *j, struct trajectory *t,
			uint32_t first, uint32_t last)
{
	const struct pose *known = &t->point[last].pose;
	struct leg l = {
		.p = j->point, .start = t->point[first].pose, .first = first,
	};
	double whole = 0, gone = 0;
	struct pose end;

	find_jump(&l, last, known);
	end = leg_at(&l, last);
	for (uint32_t i = first + 1; i <= last; i++)
		whole += step_of(&l, i);
	for (uint32_t i = first + 1; i < last; i++) {
		struct pose *pose = &t->point[i].pose;
		double share;

		gone += step_of(&l, i);
		share = whole > 0 ? gone / whole : 0;
		*pose = leg_at(&l, i);
		pose->x += share * (known->x - end.x);
		pose->y += share * (known->y - end.y);
		pose->yaw = remainder(pose->yaw + share *
			remainder(known->yaw - end.yaw, 2 * M_PI), 2 * M_PI);
	}
}

/* The readings before the first scan, or after the last one; or those before one
 * that shows that the robot was carried
 */
static void fit_outside(const struct scan_trajectory *j, struct trajectory *t,
			uint32_t known, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		t->point[i].pose = scan_trajectory_follow(
			&t->point[known].pose, &j->point[known].odometry,
			&j->point[i].odometry);
}

int scan_trajectory_get(const struct scan_trajectory *j,
			const struct pose *history, uint32_t updates,
			struct trajectory *t)
{
	uint32_t known = UINT32_MAX;
	int err = 0;

	for (uint32_t i = 0; i < j->count && !err; i++)
		err = trajectory_add(t, j->point[i].stamp,
				     &(struct pose){ 0, 0, 0 });
	if (err)
		return err;
	for (uint32_t i = 0; i < j->count; i++) {
		const struct scan_trajectory_point *p = j->point + i;

		if (!p->scanned || p->update >= updates)
			continue;
		t->point[i].pose = det_compose(history + p->update,
					       &p->since);
		if (known == UINT32_MAX)
			fit_outside(j, t, i, 0, i);
		else if (p->carried)
			fit_outside(j, t, i, known + 1, i);
		else
			fit_between(j, t, known, i);
		known = i;
	}
	if (known == UINT32_MAX)
		return -ENODATA;
	fit_outside(j, t, known, known + 1, j->count);
	return 0;
}
