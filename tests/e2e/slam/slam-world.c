// SPDX-License-Identifier: GPL-2.0-only
/*
 * slam-world - a CARMEN log of a robot that goes around a block
 *
 * usage: slam-world BEAMS [TRUTH.tum [WIDTH HEIGHT STEP]]
 *        slam-world BEAMS TRUTH.tum corridor LENGTH RANGE SEED
 *
 * The block is 20 m x 14 m, or WIDTH x HEIGHT m; then a reading comes each
 * STEP m, at 1 m/s, and the robot goes 20 m further than once around.
 *
 * The corridor has plain walls, LENGTH m long, and a room of 8 m at either
 * end. The laser sees RANGE m: in the middle of it two parallel lines. The
 * robot goes from one room into the other, turns around, and comes back.
 */
#include <stdio.h>
#include <stdlib.h>
#include "../../unit/slam_fixture.h"

static void print_reading(const struct reading *r)
{
	printf("ROBOTLASER1 0 %.9f %.9f %.9f %.2f 0.01 0 %u",
	       (double)r->angle_min,
	       (double)r->angle_increment * r->beams,
	       (double)r->angle_increment, (double)r->range_max, r->beams);
	for (unsigned int i = 0; i < r->beams; i++)
		printf(" %.4f", (double)r->range[i]);
	printf(" 0");
	for (int i = 0; i < 2; i++)
		printf(" %.9f %.9f %.9f", r->odometry.x, r->odometry.y,
		       r->odometry.yaw);
	printf(" 0 0 0 0 0 %.6f world %.6f\n", (double)r->stamp * 1e-9,
	       (double)r->stamp * 1e-9);
}

static void print_truth(FILE *f, const struct reading *r, const struct pose *p)
{
	fprintf(f, "%.9f %.9f %.9f 0 0 0 %.12f %.12f\n",
		(double)r->stamp * 1e-9, p->x, p->y, sin(p->yaw / 2),
		cos(p->yaw / 2));
}

static void print_block(unsigned int beams, FILE *truth)
{
	static struct world world;
	struct trip *trip;

	world_corridors(&world);
	trip = trip_make(&world, beams, TRIP_READINGS);
	for (unsigned int i = 0; i < trip->count; i++) {
		print_reading(trip->reading + i);
		if (truth)
			print_truth(truth, trip->reading + i, trip->truth + i);
	}
	trip_free(trip);
}

/**
 * struct way - once around a large block, and 20 m further
 * @walls:	all, and those that the laser may see
 * @leg:	how far to go straight on, five times
 * @reach:	of the laser, m
 */
struct way {
	struct world	*walls, *near;
	double		leg[5], step;
	struct pose	start, pose, odometry;
	float		reach;
	uint64_t	state;
	int64_t		stamp;
	float		*range;
	FILE		*truth;
};

static void see_near(struct way *w)
{
	const double reach = (double)TRIP_RANGE + 5;

	w->near->walls = 0;
	for (unsigned int i = 0; i < w->walls->walls; i++) {
		const struct wall *v = w->walls->wall + i;

		/* no side is longer than from one niche to the next */
		if (fabs(v->x - w->pose.x) < reach &&
		    fabs(v->y - w->pose.y) < reach)
			w->near->wall[w->near->walls++] = *v;
	}
}

static void print_here(struct way *w, unsigned int beams)
{
	const struct pose truth = pose_between(&w->start, &w->pose);
	struct reading r = trip_reading(beams);

	r.stamp = w->stamp;
	r.odometry = w->odometry;
	r.range = w->range;
	r.range_max = w->reach;
	if (w->reach == TRIP_RANGE)
		see_near(w);
	world_scan(w->near, &r, &w->pose, 0.01, &w->state, w->range);
	for (unsigned int i = 0; i < beams; i++)
		w->range[i] = fminf(w->range[i], w->reach);
	print_reading(&r);
	if (w->truth)
		print_truth(w->truth, &r, &truth);
}

static void go(struct way *w, const struct pose *move, double seconds)
{
	const struct pose slip = trip_slip(move, &w->state);

	w->pose = pose_compose(&w->pose, move);
	w->odometry = pose_compose(&w->odometry, &slip);
	w->stamp += (int64_t)(seconds * 1e9);
}

static void print_way(struct way *w, unsigned int beams)
{
	const struct pose ahead = { w->step, 0, 0 }, left = { 0, 0, TRIP_TURN };

	for (int k = 0; k < 5; k++) {
		for (double gone = 0; gone < w->leg[k]; gone += w->step) {
			print_here(w, beams);
			go(w, &ahead, w->step);
		}
		for (int i = 0; i < 15 && k < 4; i++) {
			print_here(w, beams);
			go(w, &left, 0.1);
		}
	}
}

/* Return: whether it could be */
static bool print_large(unsigned int beams, FILE *truth, double width,
			double height, double step)
{
	static struct world walls, near;
	struct way w = {
		.walls = &walls, .near = &near, .step = step,
		.leg = { width / 2 - 1, height - 2, width - 2, height - 2,
			 width / 2 + 19 },
		.start = { width / 2, 1, 0 }, .odometry = { 3, -2, 1 },
		.state = 42, .stamp = 1000000000, .truth = truth,
		.reach = TRIP_RANGE,
	};
	uint64_t state = 7;

	/* both sides have a niche of four walls about each 2 m */
	if (!(width >= 10 && height >= 10 && step > 0 &&
	      9 * (width + height) < WORLD_WALLS))
		return false;
	w.range = calloc(beams, sizeof(*w.range));
	if (!w.range)
		return false;
	world_ring(&walls, 0, 0, width, height, -0.35, &state);
	world_ring(&walls, 2, 2, width - 4, height - 4, 0.35, &state);
	w.pose = w.start;
	print_way(&w, beams);
	free(w.range);
	return true;
}

/* A room of 8 m, with niches, that is left through the side at @x */
static void add_room(struct world *w, double x, double away, uint64_t *state)
{
	const double depth = away > 0 ? -0.35 : 0.35;

	world_side(w, x, 1, 0, 1, 3, -depth, state);
	world_side(w, x, -1, 0, -1, 3, depth, state);
	world_side(w, x, 4, away, 0, 8, -depth, state);
	world_side(w, x, -4, away, 0, 8, depth, state);
	world_side(w, x + 8 * away, -4, 0, 1, 8, depth, state);
}

static void go_ahead(struct way *w, unsigned int beams, double length)
{
	const struct pose ahead = { w->step, 0, 0 };

	for (double gone = 0; gone < length - w->step / 2; gone += w->step) {
		print_here(w, beams);
		go(w, &ahead, w->step);
	}
}

/* Return: whether it could be */
static bool print_corridor(unsigned int beams, FILE *truth, double length,
			   double range, uint64_t seed)
{
	static struct world walls, near;
	const struct pose left = { 0, 0, TRIP_TURN };
	struct way w = {
		.walls = &walls, .near = &near, .step = TRIP_STEP,
		.start = { -4, 0, 0 }, .odometry = { 3, -2, 1 },
		.state = seed, .stamp = 1000000000, .truth = truth,
		.reach = (float)range,
	};
	uint64_t state = 7;

	if (!(length > 0 && length <= 10000 && range > 0 && range <= 30))
		return false;
	w.range = calloc(beams, sizeof(*w.range));
	if (!w.range)
		return false;
	world_wall(&walls, 0, 1, length, 0);
	world_wall(&walls, 0, -1, length, 0);
	add_room(&walls, 0, -1, &state);
	add_room(&walls, length, 1, &state);
	near = walls;
	w.pose = w.start;
	go_ahead(&w, beams, length + 8);
	for (int i = 0; i < 30; i++) {
		print_here(&w, beams);
		go(&w, &left, 0.1);
	}
	go_ahead(&w, beams, length + 8);
	print_here(&w, beams);
	free(w.range);
	return true;
}

int main(int argc, char **argv)
{
	const unsigned int beams = argc > 1 ?
		(unsigned int)strtoul(argv[1], NULL, 10) : 0;
	FILE *truth = argc > 2 ? fopen(argv[2], "w") : NULL;
	const bool corridor = argc == 7 && !strcmp(argv[3], "corridor");
	bool good = beams >= 1 && beams <= READING_BEAMS_MAX &&
		    (argc <= 3 || argc == 6 || corridor);

	if (argc > 2 && !truth) {
		perror(argv[2]);
		return EXIT_FAILURE;
	}
	if (good && corridor)
		good = print_corridor(beams, truth, strtod(argv[4], NULL),
				      strtod(argv[5], NULL),
				      strtoull(argv[6], NULL, 10));
	else if (good && argc == 6)
		good = print_large(beams, truth, strtod(argv[3], NULL),
				   strtod(argv[4], NULL), strtod(argv[5], NULL));
	else if (good)
		print_block(beams, truth);
	if (!good) {
		fprintf(stderr, "usage: slam-world BEAMS "
			"[TRUTH.tum [WIDTH HEIGHT STEP | corridor LENGTH RANGE SEED]]\n");
		return EXIT_FAILURE;
	}
	return (truth && fclose(truth)) || fflush(stdout) ? EXIT_FAILURE :
		EXIT_SUCCESS;
}
