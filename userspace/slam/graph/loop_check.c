// SPDX-License-Identifier: GPL-2.0-only
/*
 * loop_check.c - compares scans of different visits at their solved poses
 */
#include "slam/filter/det_math.h"
#include "slam/filter/visibility.h"
#include "slam/graph/loop_check.h"

/* Scans this near see the same place, m */
#define NEAR		4.0
/* Pairs that moved less to each other are not the solution's matter, m */
#define MOVED		0.3
/* A solved way is longer than the travel by this factor at most */
#define STRETCH		1.5
/* Every second node is compared */
enum { EVERY = 2 };
/* The share of beams that contradict: people, moved furniture */
#define CONTRADICTS	0.25
/* The share of pairs that may contradict each other, and how many may anyway */
#define AGAINST		0.15
enum { AGAINST_LEAST = 3 };

/* The nearest node of another visit. Return: @i: there is none */
static uint32_t nearest(const struct loop_node *const *node,
			const struct pose *pose, uint32_t i)
{
	double least = NEAR, near_at = 0;
	uint32_t found = i;

	/* each pair once; a robot that is far away is not near at once */
	for (uint32_t k = 0; k < i; k++) {
		double far;

		/* a robot that was carried is */
		if (k && node[k]->part != node[k - 1]->part)
			near_at = 0;
		if (node[i]->travel - node[k]->travel < LOOP_APART)
			break;
		if (node[k]->travel < near_at)
			continue;
		far = hypot(pose[k].x - pose[i].x, pose[k].y - pose[i].y);
		near_at = node[k]->travel + (far - least) / STRETCH;
		if (far >= least)
			continue;
		least = far;
		found = k;
	}
	return found;
}

struct loop_check loop_check(const struct loop_node *const *node,
			     uint32_t nodes, const struct pose *pose,
			     const struct pose *other)
{
	struct loop_check c = { 0, 0 };

	for (uint32_t i = 0; i < nodes; i += EVERY) {
		const uint32_t k = nearest(node, pose, i);
		struct visibility v = { .agree = 0 };
		struct pose now, then;

		if (k == i)
			continue;
		now = det_between(pose + k, pose + i);
		then = det_between(other + k, other + i);
		if (pose_distance(&now, &then, POSE_GRAPH_REACH) < MOVED)
			continue;
		visibility_count(&v, node[k]->reading, pose + k,
				 node[i]->reading, pose + i);
		if (isnan(visibility_against(&v)))
			continue;
		c.pairs++;
		c.against += visibility_against(&v) > CONTRADICTS;
	}
	return c;
}

bool loop_check_passed(const struct loop_check *now,
		       const struct loop_check *before)
{
	return now->against < AGAINST_LEAST ||
	       now->against < AGAINST * now->pairs ||
	       now->against <= before->against;
}
