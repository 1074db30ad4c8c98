/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * scan_pairs.h - which scans of a trajectory see the same walls
 */
#ifndef SLAM_GRAPH_SCAN_PAIRS_H
#define SLAM_GRAPH_SCAN_PAIRS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/pose.h"

/* @to is before @from; @visit: it is another visit of the place */
struct scan_pair {
	uint32_t	to, from;
	bool		visit;
};

/* All zero is empty */
struct scan_pairs {
	struct scan_pair	*pair;
	uint32_t		count;
	/* private */
	uint32_t		room;
};

/**
 * scan_pairs_find() - for each pose some other ones
 * @pose:	of the scans, in the order in which they were made, m
 *
 * The one before it; after 0.5 m or 0.5 rad, 1.5 and 4.5 also the last three
 * that were as far apart; and after 0.5 also the nearest ones of two other
 * visits of the place. The time grows with the number of poses, times those
 * within 2.5 m.
 *
 * Return: 0, and @s is freed with scan_pairs_free(); -ENOMEM, likewise.
 */
int scan_pairs_find(struct scan_pairs *s, const struct pose *pose,
		    uint32_t count);
void scan_pairs_free(struct scan_pairs *s);

#endif
