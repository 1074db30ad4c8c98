/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * submaps_fixture.h - a robot that goes around in a room, and submaps of it
 */
#ifndef UNIT_SUBMAPS_FIXTURE_H
#define UNIT_SUBMAPS_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include "base/error.h"
#include "slam/output/submaps.h"

enum { BEAMS = 90, STEPS = 120 };

static const int64_t second = 1000000000;
static struct error error;

/*
 * A room of 20 m, and a robot that goes around in it: 0.2 m a scan
 */

static inline float to_wall(const struct pose *p, double angle)
{
	const double c = cos(p->yaw + angle), s = sin(p->yaw + angle);
	const double x = fabs(c) > 1e-9 ? ((c > 0 ? 10 : -10) - p->x) / c : 1e9;
	const double y = fabs(s) > 1e-9 ? ((s > 0 ? 10 : -10) - p->y) / s : 1e9;

	return (float)(x < y ? x : y);
}

static inline struct pose way_at(double metres)
{
	const double a = metres / 6;

	return (struct pose){ 6 * cos(a), 6 * sin(a), a + M_PI / 2 };
}

static inline struct reading scan_at(const struct pose *p, int64_t stamp,
			      float range[BEAMS])
{
	for (int i = 0; i < BEAMS; i++)
		range[i] = to_wall(p, -M_PI / 2 + i * (M_PI / BEAMS));
	return (struct reading){
		.stamp = stamp, .beams = BEAMS, .range = range,
		.angle_min = (float)(-M_PI / 2),
		.angle_increment = (float)(M_PI / BEAMS), .range_max = 50,
	};
}

static struct pose history[10000];

static inline struct submaps *make(const struct submaps_config *c)
{
	struct submaps *s;

	if (submaps_create(&s, c, &error)) {
		printf("# %s\n", error.text);
		abort();
	}
	return s;
}

static const struct submaps_config usual = { .grid = { .resolution = 0.1 } };

/* Scans number @from to @to of the way */
static inline void drive(struct submaps *s, int from, int to)
{
	float range[BEAMS];

	for (int i = from; i < to; i++) {
		struct reading r;

		history[i] = way_at(i * 0.2);
		r = scan_at(&history[i], i * second / 10, range);
		if (submaps_add(s, &r, &error))
			abort();
	}
}

/* What is behind scan @from turns around it */
static inline void bend(int from, int to, double angle, double dx)
{
	const struct pose pivot = history[from];
	struct pose moved = pivot;

	moved.yaw += angle;
	moved.x += dx;
	for (int i = from; i < to; i++) {
		const struct pose p = pose_between(&pivot, &history[i]);

		history[i] = pose_compose(&moved, &p);
	}
}

#endif
