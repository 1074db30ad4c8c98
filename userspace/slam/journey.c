// SPDX-License-Identifier: GPL-2.0-only
/*
 * journey.c - poses of all readings, out of those of some
 */
#include <errno.h>
#include <stdlib.h>
#include "common/array.h"
#include "slam/exact.h"
#include "slam/journey.h"

int journey_add(struct journey *j, const struct reading *reading,
		const struct filter_result *result)
{
	const int err = array_grow(&j->point, &j->room, j->count,
				   sizeof(*j->point));

	if (!err)
		j->point[j->count++] = (struct journey_point){
			.stamp = reading->stamp,
			.odometry = reading->odometry,
			.since = result->since,
			.update = result->update,
			.scanned = reading->beams > 0 && !result->unmatched,
		};
	return err;
}

void journey_free(struct journey *j)
{
	free(j->point);
	*j = (struct journey){ .count = 0 };
}

/* Where @to is if the robot is at @pose while the odometry says @from */
static struct pose follow(const struct pose *pose, const struct pose *from,
			  const struct pose *to)
{
	const struct pose move = exact_between(from, to);

	return exact_compose(pose, &move);
}

/* By how much is gone and turned from one reading to the next, about m */
static double way(const struct journey_point *a, const struct journey_point *b)
{
	return pose_distance(&a->odometry, &b->odometry, 1);
}

/* The readings between @first and @last, whose poses are known */
static void fit_between(const struct journey *j, struct trajectory *t,
			uint32_t first, uint32_t last)
{
	const struct journey_point *p = j->point;
	const struct pose *start = &t->point[first].pose;
	const struct pose end = follow(start, &p[first].odometry,
				       &p[last].odometry);
	const struct pose *known = &t->point[last].pose;
	double whole = 0, gone = 0;

	for (uint32_t i = first; i < last; i++)
		whole += way(p + i, p + i + 1);
	for (uint32_t i = first + 1; i < last; i++) {
		struct pose *pose = &t->point[i].pose;
		double share;

		gone += way(p + i - 1, p + i);
		share = whole > 0 ? gone / whole : 0;
		*pose = follow(start, &p[first].odometry, &p[i].odometry);
		pose->x += share * (known->x - end.x);
		pose->y += share * (known->y - end.y);
		pose->yaw = remainder(pose->yaw + share *
			remainder(known->yaw - end.yaw, 2 * M_PI), 2 * M_PI);
	}
}

/* The readings before the first scan, or after the last one */
static void fit_outside(const struct journey *j, struct trajectory *t,
			uint32_t known, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		t->point[i].pose = follow(&t->point[known].pose,
					  &j->point[known].odometry,
					  &j->point[i].odometry);
}

int journey_trajectory(const struct journey *j, const struct pose *history,
		       uint32_t updates, struct trajectory *t)
{
	uint32_t known = UINT32_MAX;
	int err = 0;

	for (uint32_t i = 0; i < j->count && !err; i++)
		err = trajectory_add(t, j->point[i].stamp,
				     &(struct pose){ 0, 0, 0 });
	if (err)
		return err;
	for (uint32_t i = 0; i < j->count; i++) {
		const struct journey_point *p = j->point + i;

		if (!p->scanned || p->update >= updates)
			continue;
		t->point[i].pose = exact_compose(history + p->update,
						 &p->since);
		if (known == UINT32_MAX)
			fit_outside(j, t, i, 0, i);
		else
			fit_between(j, t, known, i);
		known = i;
	}
	if (known == UINT32_MAX)
		return -ENODATA;
	fit_outside(j, t, known, known + 1, j->count);
	return 0;
}
