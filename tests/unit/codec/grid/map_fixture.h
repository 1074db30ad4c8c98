/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * map_fixture.h - generated maps for tests
 */
#ifndef MAP_FIXTURE_H
#define MAP_FIXTURE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "codec/grid/map.h"
#include "tap.h"

static inline struct map new_map(unsigned int w, unsigned int h)
{
	struct map m = { .width = w, .height = h, .resolution = 0.05f,
			 .x = -3.5, .y = 7.25 };

	m.cells = malloc((size_t)w * h);
	memset(m.cells, MAP_UNKNOWN, (size_t)w * h);
	return m;
}

/* Rooms of free space within walls, somewhat ragged */
static inline void draw_rooms(struct map *m, uint64_t *rng, unsigned int rooms)
{
	for (unsigned int i = 0; i < rooms; i++) {
		unsigned int w = 10 + rnd(rng, m->width / 3);
		unsigned int h = 10 + rnd(rng, m->height / 3);
		unsigned int x0 = rnd(rng, m->width - w);
		unsigned int y0 = rnd(rng, m->height - h);

		for (unsigned int y = 0; y < h; y++)
			for (unsigned int x = 0; x < w; x++)
				m->cells[(y0 + y) * m->width + x0 + x] =
					!x || !y || x == w - 1 || y == h - 1 ?
					100 : rnd(rng, 20) ? 0 : -1;
	}
}

static inline void draw_noise(struct map *m, uint64_t *rng, unsigned int values)
{
	for (unsigned int i = 0; i < m->width * m->height; i++)
		m->cells[i] = rnd(rng, values) - (values > 128 ? 128 : 1);
}

/* Costs that fall with the distance from a few obstacles */
static inline void draw_costs(struct map *m, uint64_t *rng)
{
	int at[8][2];

	for (int i = 0; i < 8; i++) {
		at[i][0] = rnd(rng, m->width);
		at[i][1] = rnd(rng, m->height);
	}
	for (int i = 0; i < (int)(m->width * m->height); i++) {
		double most = 0;

		for (int k = 0; k < 8; k++) {
			double d = hypot(i % (int)m->width - at[k][0],
					 i / (int)m->width - at[k][1]);

			most = fmax(most, 100 * exp(-d / 20));
		}
		m->cells[i] = most;
	}
}

#endif
