/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * slam_fixture.h - a robot that goes around a block: a plan of walls, a ray
 * caster, and odometry that drifts, with the truth. The same at every run
 *
 * The corridors are 2 m wide and go around a block of 16 m x 10 m; niches in
 * their walls tell how far along the robot is. It goes around once, 64 m, and
 * a little further, turning on the spot at corners, 0.1 m or 6 degrees from
 * one reading to the next.
 */
#ifndef UNIT_SLAM_FIXTURE_H
#define UNIT_SLAM_FIXTURE_H

#include <stdlib.h>
#include <string.h>
#include "base/pose.h"
#include "laser/reading.h"
#include "tap.h"

#define TRIP_STEP	0.1		/* m */
#define TRIP_TURN	(M_PI / 30)
#define TRIP_RANGE	30.0f		/* of its laser, m */

enum { WORLD_WALLS = 32768, TRIP_READINGS = 740 };

struct wall {
	double	x, y, dx, dy;
};

struct world {
	unsigned int	walls;
	struct wall	wall[WORLD_WALLS];
};

/**
 * struct trip - readings, and where the robot was in truth
 * @truth: in the frame of the first one
 * @range: of all readings, @beams of each
 */
struct trip {
	unsigned int	count, beams;
	struct reading	reading[TRIP_READINGS];
	struct pose	truth[TRIP_READINGS];
	float		*range;
};

/* -1..1 */
static inline double rnd_signed(uint64_t *state)
{
	return (double)(rnd64(state) >> 11) * 0x1p-52 - 1;
}

/* Mean 0, variance 1, about Gaussian */
static inline double rnd_normal(uint64_t *state)
{
	return rnd_signed(state) + rnd_signed(state) + rnd_signed(state);
}

static inline void world_wall(struct world *w, double x, double y, double dx,
			      double dy)
{
	if (w->walls == WORLD_WALLS)
		abort();
	w->wall[w->walls++] = (struct wall){ x, y, dx, dy };
}

/* From (@x, @y), @length along (@ux, @uy), with niches to the left if @depth
 * is above 0, else to the right
 */
static inline void world_side(struct world *w, double x, double y, double ux,
			      double uy, double length, double depth,
			      uint64_t *state)
{
	const double width = 0.8, nx = -uy * depth, ny = ux * depth;

	while (length > 3) {
		const double gap = 1.25 + 0.75 * rnd_signed(state);

		world_wall(w, x, y, gap * ux, gap * uy);
		x += gap * ux;
		y += gap * uy;
		world_wall(w, x, y, nx, ny);
		world_wall(w, x + nx, y + ny, width * ux, width * uy);
		x += width * ux;
		y += width * uy;
		world_wall(w, x, y, nx, ny);
		length -= gap + width;
	}
	world_wall(w, x, y, length * ux, length * uy);
}

static inline void world_ring(struct world *w, double x, double y,
			      double width, double height, double depth,
			      uint64_t *state)
{
	world_side(w, x, y, 1, 0, width, depth, state);
	world_side(w, x + width, y, 0, 1, height, depth, state);
	world_side(w, x + width, y + height, -1, 0, width, depth, state);
	world_side(w, x, y + height, 0, -1, height, depth, state);
}

static inline void world_corridors(struct world *w)
{
	uint64_t state = 7;

	w->walls = 0;
	world_ring(w, 0, 0, 20, 14, -0.35, &state);
	world_ring(w, 2, 2, 16, 10, 0.35, &state);
}

/* How far it is to the next wall; INFINITY: there is none */
static inline double world_range(const struct world *w, double x, double y,
				 double angle)
{
	const double ux = cos(angle), uy = sin(angle);
	double best = INFINITY;

	for (unsigned int i = 0; i < w->walls; i++) {
		const struct wall *v = w->wall + i;
		const double cross = ux * v->dy - uy * v->dx;
		const double ax = v->x - x, ay = v->y - y;
		const double t = (ax * v->dy - ay * v->dx) / cross;
		const double s = (ax * uy - ay * ux) / cross;

		if (t > 0 && t < best && s >= 0 && s <= 1)
			best = t;
	}
	return best;
}

/* @to: the ranges of @r from @pose, and noise of @sigma, m */
static inline void world_scan(const struct world *w, const struct reading *r,
			      const struct pose *pose, double sigma,
			      uint64_t *state, float *to)
{
	for (unsigned int i = 0; i < r->beams; i++)
		to[i] = (float)(world_range(w, pose->x, pose->y, pose->yaw +
			(double)r->angle_min + i * (double)r->angle_increment) +
			sigma * rnd_normal(state));
}

static inline struct reading trip_reading(unsigned int beams)
{
	const float view = (float)M_PI;

	return (struct reading){
		.beams = beams, .range_max = TRIP_RANGE,
		.angle_min = beams > 1 ? -view / 2 : 0,
		.angle_increment = beams > 1 ? view / (float)(beams - 1) : 0,
	};
}

/* One more step of the truth. Return: whether it is not the last one */
static inline bool trip_step(unsigned int *at, struct pose *move)
{
	static const unsigned int straight[] = { 90, 120, 180, 120, 130 };
	const unsigned int turn = 15;
	unsigned int left = (*at)++;

	for (unsigned int i = 0; i < 5; i++) {
		*move = (struct pose){ TRIP_STEP, 0, 0 };
		if (left < straight[i])
			return true;
		left -= straight[i];
		*move = (struct pose){ 0, 0, TRIP_TURN };
		if (left < turn)
			return i < 4;
		left -= turn;
	}
	return false;
}

/* What the wheels make of a move: 2 % too long, and they pull to the left */
static inline struct pose trip_slip(const struct pose *move, uint64_t *state)
{
	return (struct pose){
		move->x * (1.02 + 0.05 * rnd_normal(state)), 0,
		move->yaw * (1.01 + 0.02 * rnd_normal(state)) +
			move->x * (0.01 + 0.02 * rnd_normal(state)),
	};
}

/* @count: readings, TRIP_READINGS: all there are */
static inline struct trip *trip_make(const struct world *w, unsigned int beams,
				     unsigned int count)
{
	const struct pose start = { 10, 1, 0 };
	struct trip *t = calloc(1, sizeof(*t));
	struct pose pose = start, odometry = { 3, -2, 1 }, move;
	uint64_t state = 42;
	unsigned int at = 0;

	if (!t)
		abort();
	t->beams = beams;
	t->range = calloc((size_t)beams * count + 1, sizeof(*t->range));
	for (; t->count < count; t->count++) {
		struct reading *r = t->reading + t->count;
		float *range = t->range + (size_t)t->count * beams;

		*r = trip_reading(beams);
		r->stamp = 100000000 * (int64_t)(t->count + 10);
		r->odometry = odometry;
		r->range = range;
		t->truth[t->count] = pose_between(&start, &pose);
		world_scan(w, r, &pose, 0.01, &state, range);
		if (!trip_step(&at, &move))
			break;
		pose = pose_compose(&pose, &move);
		move = trip_slip(&move, &state);
		odometry = pose_compose(&odometry, &move);
	}
	return t;
}

/* A trip of its own, to be changed */
static inline struct trip *trip_copy(const struct trip *from)
{
	const size_t floats = (size_t)from->count * from->beams;
	struct trip *t = malloc(sizeof(*t));

	*t = *from;
	t->range = malloc((floats + 1) * sizeof(*t->range));
	memcpy(t->range, from->range, floats * sizeof(*t->range));
	for (unsigned int i = 0; i < t->count; i++)
		t->reading[i].range = t->range + (size_t)i * t->beams;
	return t;
}

/* A robot that is carried from behind a corner to before it: its odometry does
 * not say so. Of a trip of 210 readings or more
 */
enum { TRIP_CARRIED_FROM = 145, CARRIED_TO = 95, CARRIED_ON = 60 };

static inline struct trip *trip_carried(const struct trip *some)
{
	struct trip *t = trip_copy(some);
	const unsigned int left = CARRIED_ON;

	for (unsigned int i = 0; i < left; i++) {
		struct reading *r = t->reading + TRIP_CARRIED_FROM + 1 + i;
		const struct pose since = pose_between(
			&some->reading[CARRIED_TO].odometry,
			&some->reading[CARRIED_TO + i].odometry);

		r->odometry = pose_compose(&t->reading[TRIP_CARRIED_FROM].odometry,
					   &since);
		r->range = t->range + (size_t)(CARRIED_TO + i) * t->beams;
		t->truth[TRIP_CARRIED_FROM + 1 + i] = some->truth[CARRIED_TO + i];
	}
	t->count = TRIP_CARRIED_FROM + 1 + left;
	return t;
}

static inline void trip_free(struct trip *t)
{
	free(t->range);
	free(t);
}

#endif
