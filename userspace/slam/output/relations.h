/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * relations.h - compare a trajectory with known relations: pairs of times, and
 * the pose at the second in the frame of the first
 *
 * The metric of Kuemmerle et al., "On measuring the accuracy of SLAM
 * algorithms" (Autonomous Robots 27, 2009), by its description. Global drift
 * does not count, only errors between places that were close together.
 * A file has a relation per line: t1 t2 x y z roll pitch yaw (s, m, rad).
 */
#ifndef SLAM_OUTPUT_RELATIONS_H
#define SLAM_OUTPUT_RELATIONS_H

#include "base/error.h"
#include "slam/output/trajectory.h"

enum { RELATIONS_MAX = 1 << 22 };

/* @from, @to: ns; @pose: at @to, in the frame of the robot at @from */
struct relation {
	int64_t		from, to;
	struct pose	pose;
};

/* All zero is empty */
struct relations {
	struct relation	*relation;
	uint32_t	count;
	/* private */
	uint32_t	room;
};

/**
 * struct relation_error - the error of one relation
 * @used:	the trajectory covers both times
 * @translation, @rotation: m, rad, not negative
 */
struct relation_error {
	bool	used;
	double	translation, rotation;
};

/* Mean and standard deviation over those used, m and rad */
struct relations_result {
	uint32_t	used, left_out;
	double		translation_mean, translation_std;
	double		rotation_mean, rotation_std;
};

/**
 * relations_read() - read a file
 * @error:	gets one line
 *
 * Return: 0, the caller frees @r; a negative errno, -ENODATA: an empty file.
 */
int relations_read(struct relations *r, const char *path,
		   struct error *error);

void relations_free(struct relations *r);

/**
 * relations_evaluate() - compare
 * @reach: ns, as for trajectory_at()
 * @errors: gets one for each relation; may be NULL
 *
 * If none is used, the result is 0.
 */
void relations_evaluate(const struct relations *r, const struct trajectory *t,
			int64_t reach, struct relation_error *errors,
			struct relations_result *result);

#endif
