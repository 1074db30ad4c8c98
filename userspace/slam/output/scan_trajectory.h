/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scan_trajectory.h - per-scan trajectory of the current best particle
 *
 * The filter's history has the poses of updates. Readings that were tracked in
 * between are relative to the update before them; those with odometry alone are
 * fitted in between.
 */
#ifndef SLAM_OUTPUT_SCAN_TRAJECTORY_H
#define SLAM_OUTPUT_SCAN_TRAJECTORY_H

#include "slam/filter/filter.h"
#include "slam/output/trajectory.h"

/* All zero is empty */
struct scan_trajectory {
	struct scan_trajectory_point	*point;
	uint32_t		count, room;
};

/**
 * struct scan_trajectory_point - a reading
 * @since:	pose in the frame of that of @update, if @scanned
 * @update:	the last one, or this one
 * @carried:	see struct filter_result
 */
struct scan_trajectory_point {
	int64_t		stamp;
	struct pose	odometry, since;
	uint64_t	update;
	bool		scanned, carried;
};

/* Add a reading and its result. Return: 0; -ENOMEM */
int scan_trajectory_add(struct scan_trajectory *j,
			const struct reading *reading,
			const struct filter_result *result);
void scan_trajectory_free(struct scan_trajectory *j);

/**
 * scan_trajectory_get() - a pose for each reading, in their order
 * @history:	filter_history(), of @updates
 * @t:		empty; gets them
 *
 * Between two scans the poses follow odometry; its error at the second scan is
 * distributed by distance and turn. A step that causes most of the error is
 * dropped.
 *
 * Return: 0; -ENOMEM; -ENODATA: no reading was scanned.
 */
int scan_trajectory_get(const struct scan_trajectory *j,
			const struct pose *history, uint32_t updates,
			struct trajectory *t);

#endif
