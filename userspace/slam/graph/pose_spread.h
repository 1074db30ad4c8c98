/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pose_spread.h - spread corrections of some poses over those between them
 */
#ifndef SLAM_GRAPH_POSE_SPREAD_H
#define SLAM_GRAPH_POSE_SPREAD_H

#include <stdint.h>
#include "base/pose.h"

/**
 * struct pose_correction - @count poses of a history that moved
 * @at:	their numbers, ascending
 * @from, @to: before and after
 */
struct pose_correction {
	const uint32_t		*at;
	const struct pose	*from, *to;
	uint32_t		count;
};

/**
 * pose_spread() - move all poses of a history along
 * @c:	at least one
 *
 * A pose between two of them moves by the mean of what each of the two does to
 * it, weighted by how near it is in the count of poses. Those before the first
 * one and after the last one move as these do.
 */
void pose_spread(const struct pose_correction *c, struct pose *history,
		 uint32_t poses);

#endif
