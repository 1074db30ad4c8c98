/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lidar_fixture.h - a lidar that looks into scenes of planes and boxes
 */
#ifndef LIDAR_FIXTURE_H
#define LIDAR_FIXTURE_H

#include <math.h>
#include <stdint.h>
#include "codec/cloud/organised.h"

#define RAD (M_PI / 180)

enum { COLUMNS = 1800, BOXES = 4 };

/* A wall to wall floor at 0 */
struct scene {
	double	room[2];	/* half its sides; 0: none, and no walls */
	double	ceiling;	/* 0: none */
	double	ramp, at;	/* degrees, from this x on */
	double	box[BOXES][6];	/* x, y, z: from, to */
	unsigned int boxes;
	double	roll, pitch;	/* of the sensor */
};

static uint16_t ranges[ORGANISED_RINGS * COLUMNS], azimuths[COLUMNS];

static inline struct organised new_sensor(unsigned int rings, double lowest,
				   double step)
{
	struct organised o = { .rings = rings, .columns = COLUMNS,
			       .unit = 0.002f, .range = ranges,
			       .azimuth = azimuths };

	for (unsigned int r = 0; r < rings; r++)
		o.elevation[r] = lround((lowest + r * step) * 100);
	for (unsigned int c = 0; c < COLUMNS; c++)
		/* not on the border of a bin */
		azimuths[c] = c * 36000 / COLUMNS + 5;
	return o;
}

static inline void nearer(double *least, double t)
{
	if (t > 1e-6 && t < *least)
		*least = t;
}

static inline void hit_box(double *least, const double b[6], const double o[3],
		    const double d[3])
{
	double in = -1e9, out = 1e9;

	for (int i = 0; i < 3; i++) {
		double s = (b[2 * i] - o[i]) / d[i];
		double t = (b[2 * i + 1] - o[i]) / d[i];

		in = fmax(in, fmin(s, t));
		out = fmin(out, fmax(s, t));
	}
	if (in < out)
		nearer(least, in);
}

/* How far it is from @o in direction @d, of length 1 */
static inline double look(const struct scene *s, const double o[3],
		   const double d[3])
{
	double least = 1e9, slope = tan(s->ramp * RAD), t;

	t = -o[2] / d[2];
	if (!s->ramp || o[0] + t * d[0] <= s->at)
		nearer(&least, t);
	if (s->ramp) {
		t = (slope * (o[0] - s->at) - o[2]) / (d[2] - slope * d[0]);
		if (o[0] + t * d[0] >= s->at)
			nearer(&least, t);
	}
	if (s->ceiling)
		nearer(&least, (s->ceiling - o[2]) / d[2]);
	for (int i = 0; i < 2 && s->room[0] != 0; i++) {
		nearer(&least, (s->room[i] - o[i]) / d[i]);
		nearer(&least, (-s->room[i] - o[i]) / d[i]);
	}
	for (unsigned int i = 0; i < s->boxes; i++)
		hit_box(&least, s->box[i], o, d);
	return least;
}

/* As ROS: first roll, then pitch */
static inline void tilt(const struct scene *s, const double d[3],
			double out[3])
{
	double cr = cos(s->roll), sr = sin(s->roll);
	double cp = cos(s->pitch), sp = sin(s->pitch);
	double y = cr * d[1] - sr * d[2], z = sr * d[1] + cr * d[2];

	out[0] = cp * d[0] + sp * z;
	out[1] = y;
	out[2] = -sp * d[0] + cp * z;
}

static inline void scan(struct organised *o, const struct scene *s,
			double height)
{
	const double origin[3] = { 0, 0, height };

	for (unsigned int i = 0; i < o->rings * COLUMNS; i++) {
		double w = o->elevation[i / COLUMNS] * RAD / 100;
		double a = -azimuths[i % COLUMNS] * RAD / 100;
		double d[3] = { cos(w) * cos(a) + 1e-12,
				cos(w) * sin(a) + 1e-12, sin(w) + 1e-12 };
		double level[3], t;

		tilt(s, d, level);
		t = look(s, origin, level);
		ranges[i] = t < 120 ? lround(t / 0.002) : 0;
	}
}

#endif
