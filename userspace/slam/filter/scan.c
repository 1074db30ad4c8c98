// SPDX-License-Identifier: GPL-2.0-only
/*
 * scan.c - polar to Cartesian, once for all particles
 */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "slam/filter/det_math.h"
#include "slam/filter/scan.h"

/* From an endpoint to the place before it: a diagonal, cells */
#define BEHIND		1.41421356237309505

static int scan_make_room(struct scan *s, unsigned int beams)
{
	const unsigned int room = (beams / SCORE_LANES + 1) * SCORE_LANES;
	float *memory;

	if (room <= s->room)
		return 0;
	memory = aligned_alloc(64, 7 * sizeof(float) * room);
	if (!memory)
		return -ENOMEM;
	free(s->memory);
	s->memory = memory;
	s->room = room;
	return 0;
}

static void find_box(struct scan *s)
{
	const struct endpoints *e = &s->match;
	struct scan_box box = { 0, 0, 0, 0 };

	for (unsigned int i = 0; i < e->count; i++) {
		box.left = fminf(box.left, e->x[i]);
		box.right = fmaxf(box.right, e->x[i]);
		box.low = fminf(box.low, e->y[i]);
		box.high = fmaxf(box.high, e->y[i]);
	}
	s->box = box;
}

/* Drop points too close to the last one; fill up with zeros */
static void scan_thin(struct scan *s, float spacing)
{
	float *x = s->memory, *y = x + s->room;
	unsigned int count = 0;

	for (unsigned int i = 0; i < s->hits; i++) {
		if (count) {
			const float dx = s->x[i] - x[count - 1];
			const float dy = s->y[i] - y[count - 1];

			if (dx * dx + dy * dy < spacing * spacing)
				continue;
		}
		x[count] = s->x[i];
		y[count++] = s->y[i];
	}
	assert(count <= s->hits && s->hits <= s->room);
	s->match = (struct endpoints){
		.count = count,
		.room = (count + SCORE_LANES - 1) / SCORE_LANES * SCORE_LANES,
		.x = x, .y = y,
	};
	memset(x + count, 0, (s->match.room - count) * sizeof(*x));
	memset(y + count, 0, (s->match.room - count) * sizeof(*y));
	find_box(s);
}

/* The pose of the laser at beam @i: the robot may move during a scan */
static struct pose laser_at(const struct reading *r, unsigned int i)
{
	struct pose swept;

	if (!reading_sweeps(r))
		return r->laser;
	swept = reading_swept(r, i);
	return det_compose(&swept, &r->laser);
}

/* The endpoint of beam @i with length @range */
static void add_end(struct scan *s, unsigned int at, const struct reading *r,
		    unsigned int i, double range, double units)
{
	const struct pose laser = laser_at(r, i);
	double sine, cosine;

	det_sincos(laser.yaw + r->angle_min +
		   i * (double)r->angle_increment, &sine, &cosine);
	s->x[at] = (float)((laser.x + cosine * range) * units);
	s->y[at] = (float)((laser.y + sine * range) * units);
}

/* More for GMapping's maps: all endpoints are matched */
static void add_beams(struct scan *s, const struct reading *r, float limit,
		      double units)
{
	float *x = s->memory + 4 * s->room, *y = x + s->room;
	const double back = BEHIND * FIELD_UNIT;

	s->behind = s->match;
	s->behind.x = x;
	s->behind.y = y;
	for (unsigned int i = 0, hit = 0; i < r->beams; i++) {
		double sine, cosine;

		if (r->range[i] > 0 && r->range[i] < limit) {
			det_sincos(laser_at(r, i).yaw + r->angle_min + i *
				   (double)r->angle_increment, &sine,
				   &cosine);
			x[hit] = (float)(-cosine * back);
			y[hit++] = (float)(-sine * back);
		} else if (r->range[i] >= limit &&
			   r->range[i] < r->range_max) {
			add_end(s, s->hits + s->cuts++, r, i, (double)limit,
				units);
		}
	}
	assert(s->hits + s->cuts <= s->room);
	memset(x + s->match.count, 0,
	       (s->match.room - s->match.count) * sizeof(*x));
	memset(y + s->match.count, 0,
	       (s->match.room - s->match.count) * sizeof(*y));
}

/* Longer beams do not fit into a map */
double scan_reach(const struct slam_params *params)
{
	const double most = FIELD_REACH * TILE_SIDE *
			    params->resolution;

	return params->range_max > 0 && params->range_max < most ?
	       params->range_max : most;
}

int scan_make(struct scan *s, const struct reading *r,
	      const struct slam_params *params)
{
	const double units = FIELD_UNIT / params->resolution;
	const float limit = fminf(r->range_max, (float)scan_reach(params));
	uint32_t *beam;
	int err;

	if (r->beams > READING_BEAMS_MAX)
		return -EINVAL;
	err = scan_make_room(s, r->beams);
	if (err)
		return err;
	s->x = s->memory + 2 * s->room;
	s->y = s->x + s->room;
	beam = (uint32_t *)(s->memory + 6 * s->room);
	s->hits = s->cuts = 0;
	s->laser_x = r->laser.x * units;
	s->laser_y = r->laser.y * units;
	for (unsigned int i = 0; i < r->beams; i++) {
		const double range = r->range[i];

		if (range > 0 && range < limit) {
			beam[s->hits] = i;
			add_end(s, s->hits++, r, i, range, units);
		}
	}
	if (params->compat != SLAM_GMAPPING) {
		scan_thin(s, (float)(params->spacing * units));
		scan_find_blind(s, beam, units);
		return 0;
	}
	scan_thin(s, 0);
	add_beams(s, r, limit, units);
	return 0;
}

void scan_free(struct scan *s)
{
	free(s->memory);
	*s = (struct scan){ .hits = 0 };
}
