// SPDX-License-Identifier: GPL-2.0-only
/*
 * room_values - statistics of the cells within the walls of a room
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "map/site/room_values.h"

enum { ROOM_CELLS = 1 << 24 };	/* limit for a room, in one layer */

unsigned int room_outline(const struct room *room,
			  double corner[ROOM_CORNERS][2])
{
	const double half = sqrt(room->size) / 2;
	static const int8_t sides[4][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 },
					    { -1, 1 } };

	if (room->corners >= 3) {
		memcpy(corner, room->corner,
		       room->corners * sizeof(*room->corner));
		return room->corners;
	}
	for (int i = 0; i < 4; i++) {
		corner[i][0] = room->x + sides[i][0] * half;
		corner[i][1] = room->y + sides[i][1] * half;
	}
	return 4;
}

static struct site_area room_values_area_of(double (*corner)[2], unsigned int n)
{
	struct site_area a = { INFINITY, INFINITY, -INFINITY, -INFINITY };

	for (unsigned int i = 0; i < n; i++) {
		a.x0 = fmin(a.x0, corner[i][0]);
		a.x1 = fmax(a.x1, corner[i][0]);
		a.y0 = fmin(a.y0, corner[i][1]);
		a.y1 = fmax(a.y1, corner[i][1]);
	}
	return a;
}

void room_area(const struct room *room, struct site_area *area)
{
	double corner[ROOM_CORNERS][2];

	*area = room_values_area_of(corner, room_outline(room, corner));
}

/* Return: false: none, or too large */
static bool room_values_bounds_of(double (*corner)[2], unsigned int n,
				  double resolution, struct rect *r)
{
	const struct site_area a = room_values_area_of(corner, n);
	const double width = a.x1 - a.x0, height = a.y1 - a.y0;

	if (!(width > 0 && height > 0) || fabs(a.x0) > POSE_MAX ||
	    fabs(a.x1) > POSE_MAX || fabs(a.y0) > POSE_MAX ||
	    fabs(a.y1) > POSE_MAX ||
	    width / resolution * (height / resolution) > ROOM_CELLS)
		return false;
	r->x = floor(a.x0 / resolution);
	r->y = floor(a.y0 / resolution);
	r->width = ceil(a.x1 / resolution) - r->x;
	r->height = ceil(a.y1 / resolution) - r->y;
	return true;
}

static int by_value(const void *a, const void *b)
{
	const double d = *(const double *)a - *(const double *)b;

	return d < 0 ? -1 : d > 0;
}

/* Where walls cross the middle of a row, from left to right; m */
static unsigned int crossings(double (*corner)[2], unsigned int n, double y,
			      double *x)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < n; i++) {
		const double *a = corner[i], *b = corner[(i + 1) % n];

		if ((a[1] <= y) == (b[1] <= y))
			continue;
		x[count++] = a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
	}
	assert(count <= n && !(count & 1));
	qsort(x, count, sizeof(*x), by_value);
	return count;
}

struct sum {
	uint64_t	known;
	double		value;
	int		max;
};

static void add_row(const struct raster *r, unsigned int row, double from,
		    double to, struct sum *sum)
{
	const int16_t *cells = r->cells + (size_t)row * r->rect.width;
	const double first = ceil(from / r->resolution - 0.5) - r->rect.x;
	const double end = ceil(to / r->resolution - 0.5) - r->rect.x;

	for (int x = fmax(first, 0); x < fmin(end, r->rect.width); x++) {
		if (cells[x] < 0)
			continue;
		sum->known++;
		sum->value += cells[x];
		sum->max = cells[x] > sum->max ? cells[x] : sum->max;
	}
}

static int layer_values(struct site *s, unsigned int layer,
			double (*corner)[2], unsigned int n, struct sum *sum)
{
	struct raster r = { .resolution = site_resolution(s, layer) };
	double x[ROOM_CORNERS];

	*sum = (struct sum){ 0, 0, -1 };
	if (r.resolution <= 0)
		return 0;
	if (!room_values_bounds_of(corner, n, r.resolution, &r.rect))
		return -EINVAL;
	r.cells = malloc(((size_t)r.rect.width * r.rect.height + 1) *
			 sizeof(*r.cells));
	if (!r.cells)
		return -ENOMEM;
	if (site_read(s, layer, &r) == -ENODATA)
		r.rect.height = 0;
	for (unsigned int row = 0; row < r.rect.height; row++) {
		const double y = (r.rect.y + (int)row + 0.5) * r.resolution;
		const unsigned int walls = crossings(corner, n, y, x);

		for (unsigned int i = 0; i + 1 < walls; i += 2)
			add_row(&r, row, x[i], x[i + 1], sum);
	}
	free(r.cells);
	return 0;
}

int room_values(struct site *s, const struct room *room,
		struct room_values *v)
{
	double corner[ROOM_CORNERS][2];
	const unsigned int n = room_outline(room, corner);
	const unsigned int layers = site_layers(s);
	int err = 0;

	v->layers = 0;
	for (unsigned int i = 0; i < layers && v->layers < ROOM_LAYERS && !err;
	     i++) {
		struct layer l;
		struct sum sum;

		site_layer(s, i, &l);
		if (modality_get(l.modality)->report == MODALITY_UNREPORTED ||
		    site_layer_removed(s, i))
			continue;
		err = layer_values(s, i, corner, n, &sum);
		assert(v->layers < ROOM_LAYERS);
		v->of[v->layers].layer = i;
		v->of[v->layers].known = sum.known;
		v->of[v->layers].mean = sum.known ? sum.value / sum.known : NAN;
		v->of[v->layers++].max = sum.max;
	}
	return err;
}
