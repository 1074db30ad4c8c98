// SPDX-License-Identifier: GPL-2.0-only
/*
 * place_check.c - follows beams through the cells of a map
 */
#include "slam/filter/det_math.h"
#include "slam/filter/walls.h"
#include "slam/graph/place_check.h"

/* An endpoint this near to a wall agrees with it, m; walls nearer to the end of a
 * beam do not stop it
 */
#define NEAR	0.2

static int value_at(const struct map_file *c, double x, double y)
{
	const double u = x / c->resolution, v = y / c->resolution;

	if (!(u >= 0 && v >= 0 && u < c->width && v < c->height))
		return -1;
	return c->cells[(size_t)v * c->width + (size_t)u];
}

static bool is_near_wall(const struct map_file *c, double x, double y)
{
	const int reach = (int)ceil(NEAR / c->resolution);

	for (int i = -reach; i <= reach; i++) {
		for (int k = -reach; k <= reach; k++) {
			if (value_at(c, x + i * c->resolution,
				     y + k * c->resolution) >= WALL_LEAST)
				return true;
		}
	}
	return false;
}

/* From @from to @to, in the frame of the cells */
static void follow(const struct map_file *c, const struct pose *from,
		   const struct pose *to, struct place_beams *beams)
{
	const double dx = to->x - from->x, dy = to->y - from->y;
	const double length = hypot(dx, dy);
	const int steps = (int)((length - NEAR) / c->resolution);

	for (int i = 1; i <= steps; i++) {
		const double share = i * c->resolution / length;
		const int v = value_at(c, from->x + share * dx,
				       from->y + share * dy);

		beams->against += v >= WALL_LEAST;
		if (v < 0 || v >= WALL_LEAST)
			return;
	}
	if (is_near_wall(c, to->x, to->y))
		beams->agree++;
	else
		beams->against += value_at(c, to->x, to->y) >= 0;
}

void place_check(const struct map_file *c, const struct fit_points *scan,
		 const struct pose *at, struct place_beams *beams)
{
	const struct pose from = det_between(&c->origin, at);
	double sine, cosine;

	det_sincos(from.yaw, &sine, &cosine);
	for (uint32_t k = 0; k < scan->count; k++) {
		const struct pose to = fit_point_at(scan, k, &from, sine,
						    cosine);

		follow(c, &from, &to, beams);
	}
}
