/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * moving.h - the beams of a scan that end at something that moves
 *
 * People around a robot are seen from everywhere at the same place: in front of
 * it, say. Scans that are matched to them say that the robot stands still. So
 * endpoints at small objects where the last scans saw through are neither matched
 * nor drawn into the map. Where many objects move, a new small object has to
 * prove that it stands first: most of the last scans saw it at its place.
 *
 * Walls are never left out, whatever the pose is: an object is at most a metre
 * wide, and what is beside it is farther.
 */
#ifndef SLAM_FILTER_MOVING_H
#define SLAM_FILTER_MOVING_H

#include "slam/filter/last_scans.h"

/**
 * struct moving_object - beams @first to @last, which end side by side
 * @sights:	its endpoints, as many times as there are scans from before
 * @through, @wall, @left_out: of these, what was seen there
 */
struct moving_object {
	uint32_t	first, last;
	uint32_t	sights, through, wall, left_out;
};

/**
 * struct moving - all zeros: nothing moved yet
 * @still:	the last reading; ranges of beams that end at something that moves
 *		are negative, invalid ones 0
 * @beams:	how many beams that are
 * @share:	of the endpoints that the last scans saw through: 0..1, running mean
 */
struct moving {
	struct reading		still;
	uint32_t		beams;
	double			share;
	/* private */
	uint32_t		hits, through, objects, room;
	float			*range;
	struct moving_object	*object;
};

/**
 * moving_mark() - make the reading without what moves: m->still
 * @l:		the last scans, as they were made by this
 * @id:		the step of a particle at the last update; 0: none
 * @pose:	of the robot at @r, in the map of that particle
 *
 * Return: 0; -ENOMEM.
 */
int moving_mark(struct moving *m, const struct last_scans *l,
		const struct trajectory_tree *tree, trajectory_tree_id id,
		const struct reading *r, const struct pose *pose);

/* The last reading is one of the last scans now: learn m->share */
void moving_learn(struct moving *m);
void moving_free(struct moving *m);

#endif
