// SPDX-License-Identifier: GPL-2.0-only
/*
 * follower.c - a filter of one particle beside the filter
 */
#include <math.h>
#include "slam/filter/det_math.h"
#include "slam/workers/follower.h"

int follower_begin(struct follower *f, const struct slam_params *params,
		   struct own_map *own, const struct reading *reading,
		   uint64_t number, const struct pose *pose,
		   const struct prediction *prediction)
{
	*f = (struct follower){
		.params = params, .own = own, .prediction = *prediction,
		.pose = *pose, .anchor = *pose, .number = number,
	};
	if (params->wall > 0)
		f->odometer.params = params;
	odometer_move(&f->odometer, &reading->odometry, reading->stamp);
	odometer_restart(&f->odometer);
	f->prediction.at = (struct pose){ 0, 0, 0 };
	f->prediction.since = 0;
	return own_map_fork(own);
}

/* After the scan at f->pose was found, or without a scan */
static int follower_add(struct follower *f, const struct reading *reading,
			const struct motion *m)
{
	const struct pose since = det_between(&f->anchor, &f->pose);
	const struct slam_params *p = f->params;
	int err;

	if (!reading->beams)
		return 0;
	prediction_track(&f->prediction, &since, f->odometer.time);
	if (motion_length(&since) < p->distance && fabs(since.yaw) < p->angle)
		return 0;
	err = own_map_fork_write(f->own, reading, &f->pose);
	prediction_restart(&f->prediction, &since, f->odometer.time);
	odometer_restart(&f->odometer);
	f->anchor = f->pose;
	f->spread[0] += m->slip * m->slip;
	f->spread[1] += m->turn * m->turn;
	return err;
}

/* Where the robot is after a motion: by its scan, if it has one */
static int follower_find(struct follower *f, const struct reading *reading,
			 const struct motion *m)
{
	const struct seek seek = {
		.prior = motion_prior(m, &f->anchor, f->params->wall),
	};
	struct sighting s = { .outcome = { .pose = seek.prior.at } };
	int err = 0;

	if (reading->beams && f->params->compat != SLAM_GMAPPING)
		err = own_map_fork_track(f->own, reading, &seek, &s);
	f->pose = s.outcome.pose;
	return err;
}

int follower_read(struct follower *f, const struct reading *reading,
		  uint64_t number, struct pose *pose, double spread[2])
{
	struct motion m;
	int err;

	odometer_move(&f->odometer, &reading->odometry, reading->stamp);
	m = odometer_motion(&f->odometer, f->params);
	prediction_make(&f->prediction, &m, f->odometer.time);
	err = follower_find(f, reading, &m);
	spread[0] = f->spread[0] + m.slip * m.slip;
	spread[1] = f->spread[1] + m.turn * m.turn;
	if (!err)
		err = follower_add(f, reading, &m);
	f->number = number;
	f->last[number % FOLLOWER_POSES] = (struct followed){ number, f->pose };
	*pose = det_compose(&f->shift, &f->pose);
	return err;
}

void follower_correct(struct follower *f, uint64_t number,
		      const struct pose *pose)
{
	const struct followed *last = f->last + number % FOLLOWER_POSES;
	const struct pose origin = { 0, 0, 0 };
	struct pose back;

	if (last->number != number)
		return;
	back = det_between(&last->pose, &origin);
	f->shift = det_compose(pose, &back);
}

int follower_renew(struct follower *f)
{
	f->pose = det_compose(&f->shift, &f->pose);
	f->anchor = det_compose(&f->shift, &f->anchor);
	/* the filter has the others */
	for (uint64_t n = f->number; n && n + FOLLOWER_LEAD > f->number; n--) {
		struct followed *last = f->last + n % FOLLOWER_POSES;

		last->pose = det_compose(&f->shift, &last->pose);
	}
	f->shift = (struct pose){ 0, 0, 0 };
	f->spread[0] = f->spread[1] = 0;
	return own_map_fork(f->own);
}
