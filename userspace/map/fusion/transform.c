// SPDX-License-Identifier: GPL-2.0-only
/*
 * transform - between cells of a submap and those of the map
 */
#include <math.h>
#include "map/fusion/tile.h"
#include "map/fusion/transform.h"

/* Bounds of a rotated grid of @w x @h map cells, with its corner at (@x, @y) */
static struct rect transform_bounds_of(double x, double y, double w, double h,
				       double cs, double sn)
{
	const int left = floor(x + smaller(w * cs, 0) + smaller(-h * sn, 0));
	const int right = ceil(x + larger(w * cs, 0) + larger(-h * sn, 0));
	const int low = floor(y + smaller(w * sn, 0) + smaller(h * cs, 0));
	const int high = ceil(y + larger(w * sn, 0) + larger(h * cs, 0));

	return (struct rect){ left, low, right - left + 1, high - low + 1 };
}

static int64_t fixed(double v)
{
	return llrint(v * (1LL << TRANSFORM_BITS));
}

struct transform transform_find(const struct cells *c, const struct pose *frame,
				double resolution)
{
	const struct pose at = pose_compose(frame, &c->origin);
	const double k = c->resolution / resolution;
	const double cs = cos(at.yaw), sn = sin(at.yaw);
	double x = at.x / resolution, y = at.y / resolution;
	struct transform way = {
		.c = c,
		.ratio = k,
		.bounds = transform_bounds_of(x, y, c->width * k, c->height * k,
					      cs, sn),
	};

	way.x0 = tile_of(way.bounds.x) * TILE_SIDE;
	way.y0 = tile_of(way.bounds.y) * TILE_SIDE;
	x -= way.x0;
	y -= way.y0;
	way.du = fixed(cs / k);
	way.dv = fixed(-sn / k);
	way.u = fixed(((0.5 - x) * cs + (0.5 - y) * sn) / k);
	way.v = fixed(((0.5 - y) * cs - (0.5 - x) * sn) / k);
	way.dx = fixed(cs * k);
	way.dy = fixed(sn * k);
	way.x = fixed(x + 0.5 * k * (cs - sn));
	way.y = fixed(y + 0.5 * k * (sn + cs));
	return way;
}
