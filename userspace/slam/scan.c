// SPDX-License-Identifier: GPL-2.0-only
/*
 * scan.c - polar to Cartesian, once for all particles
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "slam/exact.h"
#include "slam/scan.h"

static int make_room(struct scan *s, unsigned int beams)
{
	const unsigned int room = (beams / SCORE_LANES + 1) * SCORE_LANES;
	float *memory;

	if (room <= s->room)
		return 0;
	memory = aligned_alloc(64, 4 * sizeof(float) * room);
	if (!memory)
		return -ENOMEM;
	free(s->memory);
	s->memory = memory;
	s->room = room;
	return 0;
}

/* Points that are too close to the last one are left out; the rest are zeros */
static void thin(struct scan *s, float spacing)
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
	s->match = (struct endpoints){
		.count = count,
		.room = (count + SCORE_LANES - 1) / SCORE_LANES * SCORE_LANES,
		.x = x, .y = y,
	};
	memset(x + count, 0, (s->match.room - count) * sizeof(*x));
	memset(y + count, 0, (s->match.room - count) * sizeof(*y));
}

int scan_make(struct scan *s, const struct reading *r,
	      const struct slam_params *params)
{
	const double units = FIELD_UNIT / params->resolution;
	/* what is farther away than a quarter of a map is no wall of it */
	float limit = fminf(r->range_max, (float)(FIELD_TILES_MAX / 4 *
				TILE_SIDE * params->resolution));
	int err;

	if (r->beams > READING_BEAMS_MAX)
		return -EINVAL;
	err = make_room(s, r->beams);
	if (err)
		return err;
	if (params->range_max > 0 && !(limit < params->range_max))
		limit = (float)params->range_max;
	s->x = s->memory + 2 * s->room;
	s->y = s->x + s->room;
	s->hits = 0;
	for (unsigned int i = 0; i < r->beams; i++) {
		const double range = r->range[i];
		double sine, cosine;

		if (!(range > 0 && range < limit))
			continue;
		exact_sincos(r->laser.yaw + r->angle_min +
			     i * (double)r->angle_increment, &sine, &cosine);
		s->x[s->hits] = (float)((r->laser.x + cosine * range) * units);
		s->y[s->hits++] = (float)((r->laser.y + sine * range) * units);
	}
	thin(s, (float)(params->spacing * units));
	return 0;
}

void scan_free(struct scan *s)
{
	free(s->memory);
	*s = (struct scan){ .hits = 0 };
}
