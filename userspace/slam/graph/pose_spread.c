// SPDX-License-Identifier: GPL-2.0-only
/*
 * pose_spread.c - interpolate corrections along a history
 */
#include <assert.h>
#include "slam/filter/det_math.h"
#include "slam/graph/pose_spread.h"

/* What the correction of pose @k makes of @pose */
static struct pose corrected(const struct pose_correction *c, uint32_t k,
			     const struct pose *pose)
{
	const struct pose move = det_between(c->from + k, pose);

	return det_compose(c->to + k, &move);
}

void pose_spread(const struct pose_correction *c, struct pose *history,
		 uint32_t poses)
{
	uint32_t k = 0;

	assert(c->count);
	for (uint32_t u = 0; u < poses; u++) {
		struct pose a, b;
		double share;

		while (k + 1 < c->count && c->at[k + 1] <= u)
			k++;
		a = corrected(c, k, history + u);
		if (k + 1 < c->count && u > c->at[k]) {
			b = corrected(c, k + 1, history + u);
			share = (double)(u - c->at[k]) /
				(double)(c->at[k + 1] - c->at[k]);
			a.x += share * (b.x - a.x);
			a.y += share * (b.y - a.y);
			a.yaw += share * remainder(b.yaw - a.yaw, 2 * M_PI);
		}
		history[u] = a;
	}
}
