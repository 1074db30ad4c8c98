/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trajectory.h - where a robot was, and when: TUM's text format
 *
 *	stamp x y z qx qy qz qw
 *
 * a line each (s, m), lines with # in front are comments. z and what the
 * quaternion says beside the yaw are left out when reading, and 0 when written.
 */
#ifndef SLAM_OUTPUT_TRAJECTORY_H
#define SLAM_OUTPUT_TRAJECTORY_H

#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"
#include "base/pose.h"

enum {
	TRAJECTORY_MAX		= 1 << 24,	/* poses */
};

/* @stamp: ns, not negative */
struct trajectory_point {
	int64_t		stamp;
	struct pose	pose;
};

/* All zero is an empty one */
struct trajectory {
	struct trajectory_point	*point;
	uint32_t		count;
	/* private */
	uint32_t		room;
};

/* At the end, whatever its time. Return: 0, -ENOMEM, -E2BIG */
int trajectory_add(struct trajectory *t, int64_t stamp,
		   const struct pose *pose);

/* By time; those of the same time stay in their order. Return: 0 or -ENOMEM */
int trajectory_sort(struct trajectory *t);

/**
 * trajectory_at() - where it was at some time
 * @t:		in the order of time
 * @reach:	ns, not negative: so much before the first and after the last
 *		pose these count
 *
 * In between straight on, and turning the shorter way.
 *
 * Return: false if @stamp is not covered.
 */
bool trajectory_at(const struct trajectory *t, int64_t stamp, int64_t reach,
		   struct pose *pose);

/**
 * trajectory_fill() - between key poses by odometry
 * @keys:	some poses, in the order of time
 * @odometry:	of the same robot, in the order of time
 * @spread:	odometry leads from one key to the next one, and what it is off
 *		there is spread over the time between them; else it is followed
 *		from the key that is nearest in time, as the evaluator of
 *		Kuemmerle et al. does
 * @filled:	empty; gets a pose for each of @odometry
 *
 * Before the first and behind the last key odometry is followed as it is.
 *
 * Return: 0; -ENODATA: no keys, or odometry that does not reach from the first
 * to the last one; -ENOMEM.
 */
int trajectory_fill(const struct trajectory *keys,
		    const struct trajectory *odometry, bool spread,
		    struct trajectory *filled);

/**
 * trajectory_read() - read a file
 * @t:		gets the poses by time; to be freed with trajectory_free()
 * @error:	gets one line
 *
 * Return: 0 or a negative errno; then there is nothing to free.
 */
int trajectory_read(struct trajectory *t, const char *path,
		    char error[ERROR_TEXT]);

/**
 * trajectory_write() - write a file, as a whole or not at all
 * @error:	gets one line
 *
 * In the order of @t. Stamps are exact, poses to a nanometre.
 *
 * Return: 0 or a negative errno; then what had the name before stays.
 */
int trajectory_write(const struct trajectory *t, const char *path,
		     char error[ERROR_TEXT]);

void trajectory_free(struct trajectory *t);

#endif
