/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * storey.h - is a node on the storey of the map?
 *
 * A map is one storey, seen from above. What is a storey higher, or leans,
 * would lie upon other rooms in it. Heights and slopes follow the pose graph as
 * poses do.
 */
#ifndef MAP_SITE_STOREY_H
#define MAP_SITE_STOREY_H

#include <stdbool.h>
#include "base/pose.h"

#define STOREY_HEIGHT	1.5	/* m, above or below the first node: default */
#define STOREY_LEAN	15	/* degrees */

/**
 * struct storey_link - the part of a transform that struct pose has not
 * @height:	m
 * @turn:	quaternion (x, y, z, w); all 0: only the yaw of the pose
 */
struct storey_link {
	float	height, turn[4];
};

/**
 * struct storey - of a node; zero-initialised: level, at the height 0
 * @height:	in the map's frame, m
 * @up:		the map's vertical in the node's frame, less (0, 0, 1)
 */
struct storey {
	float	height, up[3];
};

/* Where a transform @pose with @link leads from @from */
struct storey storey_follow(const struct storey *from, const struct pose *pose,
			    const struct storey_link *link);

/* Degrees from the horizontal plane, 0..180 */
double storey_lean(const struct storey *s);

/* Must it be kept apart? @limit: m; 0: heights do not count */
bool storey_is_apart(const struct storey *s, double ground, double limit);

#endif
