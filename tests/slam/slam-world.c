// SPDX-License-Identifier: GPL-2.0-only
/*
 * slam-world - a CARMEN log of a robot that goes around a block
 *
 * usage: slam-world BEAMS [TRUTH.tum]
 */
#include <stdio.h>
#include <stdlib.h>
#include "../unit/slam_fixture.h"

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

static int write_truth(const struct trip *t, const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return -1;
	for (unsigned int i = 0; i < t->count; i++) {
		const struct pose *p = t->truth + i;

		fprintf(f, "%.9f %.9f %.9f 0 0 0 %.12f %.12f\n",
			(double)t->reading[i].stamp * 1e-9, p->x, p->y,
			sin(p->yaw / 2), cos(p->yaw / 2));
	}
	return fclose(f);
}

int main(int argc, char **argv)
{
	const unsigned int beams = argc > 1 ?
		(unsigned int)strtoul(argv[1], NULL, 10) : 0;
	static struct world world;
	struct trip *trip;
	int err = 0;

	if (beams < 1 || beams > READING_BEAMS_MAX) {
		fprintf(stderr, "usage: slam-world BEAMS [TRUTH.tum]\n");
		return EXIT_FAILURE;
	}
	world_corridors(&world);
	trip = trip_make(&world, beams, TRIP_READINGS);
	for (unsigned int i = 0; i < trip->count; i++)
		print_reading(trip->reading + i);
	if (argc > 2)
		err = write_truth(trip, argv[2]);
	trip_free(trip);
	return err || fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
