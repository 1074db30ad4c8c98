/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trajectory.h - the poses of a robot over time: TUM's text format
 *
 *	stamp x y z qx qy qz qw
 *
 * one per line (s, m); lines with # in front are comments. Only x, y and yaw
 * are read; z, roll and pitch are ignored, and written as 0.
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

/* All zero is empty */
struct trajectory {
	struct trajectory_point	*point;
	uint32_t		count;
	/* private */
	uint32_t		room;
};

/* Append, whatever its time. Return: 0, -ENOMEM, -E2BIG */
int trajectory_add(struct trajectory *t, int64_t stamp,
		   const struct pose *pose);

/* By time; stable. Return: 0 or -ENOMEM */
int trajectory_sort(struct trajectory *t);

/**
 * trajectory_at() - the pose at some time
 * @t:		sorted by time
 * @reach:	ns, not negative: how long before the first and after the last
 *		pose these are used
 *
 * Linear interpolation, with the shorter turn.
 *
 * Return: false if @stamp is not covered.
 */
bool trajectory_at(const struct trajectory *t, int64_t stamp, int64_t reach,
		   struct pose *pose);

/**
 * trajectory_fill() - interpolate between key poses by odometry
 * @keys:	some poses, sorted by time
 * @odometry:	of the same robot, sorted by time
 * @spread:	odometry leads from one key to the next one, and its error there
 *		is distributed over the time between them; otherwise each pose
 *		is relative to the key nearest in time, as in the evaluator of
 *		Kuemmerle et al.
 * @filled:	empty; gets a pose for each of @odometry
 *
 * Before the first and after the last key the poses follow odometry.
 *
 * Return: 0; -ENODATA: no keys, or odometry that does not cover the time from
 * the first to the last one; -ENOMEM.
 */
int trajectory_fill(const struct trajectory *keys,
		    const struct trajectory *odometry, bool spread,
		    struct trajectory *filled);

/**
 * trajectory_read() - read a file
 * @t:		gets the poses sorted by time; freed with trajectory_free()
 * @error:	gets one line
 *
 * Return: 0 or a negative errno; then there is nothing to free.
 */
int trajectory_read(struct trajectory *t, const char *path,
		    struct error *error);

/**
 * trajectory_write() - write a file atomically
 * @error:	gets one line
 *
 * In the order of @t. Stamps are exact, poses to a nanometre.
 *
 * Return: 0 or a negative errno; an existing file is then unchanged.
 */
int trajectory_write(const struct trajectory *t, const char *path,
		     struct error *error);

void trajectory_free(struct trajectory *t);

#endif
