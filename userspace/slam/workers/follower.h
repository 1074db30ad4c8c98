/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * follower.h - poses of readings that the filter does not have yet
 *
 * While workers match an update, or do not answer at all, readings wait. Their
 * poses are found in a copy of the best particle's map, to which the scans are
 * added: a filter of one particle, whose results are only published. As soon as
 * the filter has a reading, the poses after it move with its result.
 */
#ifndef SLAM_WORKERS_FOLLOWER_H
#define SLAM_WORKERS_FOLLOWER_H

#include "slam/filter/prediction.h"
#include "slam/workers/own_map.h"

enum {
	FOLLOWER_POSES	= 4096,	/* that can be corrected */
	FOLLOWER_LEAD	= 8,	/* readings: see follower_correct() */
};

/* A pose of reading @number */
struct followed {
	uint64_t	number;
	struct pose	pose;
};

/**
 * struct follower
 * @own:	has the map
 * @pose:	of the last reading, in the frame of the map, as all below
 * @anchor:	where the last scan was added
 * @shift:	from that frame to the filter's map, which moved since
 * @spread:	variances of what was added up since the map was copied: m^2,
 *		rad^2
 * @last:	reading i % FOLLOWER_POSES
 * @number:	of the last one
 */
struct follower {
	const struct slam_params *params;
	struct own_map		*own;
	struct odometer		odometer;
	struct prediction	prediction;
	struct pose		pose, anchor, shift;
	double			spread[2];
	struct followed		last[FOLLOWER_POSES];
	uint64_t		number;
};

/**
 * follower_begin() - begin after a reading that the filter has
 * @own:	with the map of the best particle
 * @reading:	its odometry and stamp count; @number: of it
 * @pose:	of the robot there
 * @prediction: what the odometry is worth
 *
 * Return: 0; -ENOMEM.
 */
int follower_begin(struct follower *f, const struct slam_params *params,
		   struct own_map *own, const struct reading *reading,
		   uint64_t number, const struct pose *pose,
		   const struct prediction *prediction);

/**
 * follower_read() - the next reading
 * @number: above that of the reading before
 * @pose: gets that of the robot in the filter's map
 * @spread: [2] gets the variances that it has in addition, m^2 and rad^2
 *
 * Return: 0 or a negative errno.
 */
int follower_read(struct follower *f, const struct reading *reading,
		  uint64_t number, struct pose *pose, double spread[2]);

/* The filter has a reading: its pose is this one. Later poses move with it */
void follower_correct(struct follower *f, uint64_t number,
		      const struct pose *pose);

/**
 * follower_renew() - continue in the map that the filter has by now
 *
 * For a lead of FOLLOWER_LEAD readings at most: the scans that were added to the
 * copy are not in it.
 *
 * Return: 0; -ENOMEM.
 */
int follower_renew(struct follower *f);

#endif
