// SPDX-License-Identifier: GPL-2.0-only
/*
 * visibility.c - compares scans beam by beam
 */
#include "slam/filter/det_math.h"
#include "slam/filter/visibility.h"

/* Shorter beams hit the robot itself, m */
#define OWN		0.05f
/* visibility_count() looks at about this many endpoints of a scan, and
 * at the beams to either side of them
 */
enum { POINTS = 200, ASIDE = 2 };

static bool is_hit(const struct reading *r, uint32_t i)
{
	return r->range[i] > OWN && r->range[i] < r->range_max;
}

/* The beam of @r towards (@x, @y), in the frame of its laser; below 0 or
 * beyond the last one: outside of what it sees
 */
static double beam_towards(const struct reading *r, double x, double y)
{
	const double step = (double)r->angle_increment;
	const double middle = (double)r->angle_min +
			      step * (r->beams - 1) / 2;

	return (r->beams - 1) / 2.0 +
	       remainder(atan2(y, x) - middle, 2 * M_PI) / step;
}

enum visibility_sight visibility_seen(const struct reading *r, double x, double y)
{
	const double far = sqrt(x * x + y * y);
	const double tolerance = VISIBILITY_NEAR(far);
	const double beam = beam_towards(r, x, y);
	double nearest = INFINITY;
	bool left_out = false;
	int middle;

	if (!(beam >= 0 && beam <= r->beams - 1))
		return SEEN_NOT;
	middle = (int)(beam + 0.5);
	for (int i = middle - ASIDE; i <= middle + ASIDE; i++) {
		if (i < 0 || i >= (int)r->beams)
			continue;
		/* a beam without an echo may have met glass; behind something
		 * that moves there may be a wall
		 */
		if (!is_hit(r, (uint32_t)i)) {
			const double end = fmax(-(double)r->range[i], 0);

			nearest = fmin(nearest, end);
			left_out |= end > 0 && fabs(end - far) < tolerance;
			continue;
		}
		nearest = fmin(nearest, (double)r->range[i]);
		if (fabs((double)r->range[i] - far) < tolerance)
			return SEEN_WALL;
	}
	if (left_out)
		return SEEN_LEFT_OUT;
	return far < nearest - tolerance ? SEEN_THROUGH : SEEN_NOT;
}

struct pose visibility_laser(const struct reading *a, const struct pose *at,
			     const struct reading *b, const struct pose *from)
{
	const struct pose first = det_compose(at, &a->laser);
	const struct pose second = det_compose(from, &b->laser);

	return det_between(&first, &second);
}

/* Beam @i of @b, whose laser is at @laser, seen by @a */
static enum visibility_sight beam_seen(const struct reading *a, const struct reading *b,
			   const struct pose *laser, uint32_t i)
{
	double s, c;

	if (!is_hit(b, i))
		return SEEN_NOT;
	det_sincos(laser->yaw + (double)b->angle_min +
		   i * (double)b->angle_increment, &s, &c);
	return visibility_seen(a, laser->x + c * (double)b->range[i],
			       laser->y + s * (double)b->range[i]);
}

static void count_one_way(struct visibility *v, const struct reading *a,
			  const struct reading *b, const struct pose *laser)
{
	for (uint32_t i = 0; a->beams && i < b->beams;
	     i += b->beams / POINTS + 1) {
		const enum visibility_sight seen = beam_seen(a, b, laser, i);

		v->agree += seen == SEEN_WALL;
		v->against += seen == SEEN_THROUGH;
	}
}

void visibility_count(struct visibility *v, const struct reading *a,
		      const struct pose *at, const struct reading *b,
		      const struct pose *from)
{
	const struct pose there = visibility_laser(a, at, b, from);
	const struct pose back = visibility_laser(b, from, a, at);

	count_one_way(v, a, b, &there);
	count_one_way(v, b, a, &back);
}
