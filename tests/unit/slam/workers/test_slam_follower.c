// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_follower - poses of readings that the filter does not have: in the
 * map of the best particle, and on from there
 */
#include <errno.h>
#include "slam/workers/follower.h"
#include "slam_fixture.h"

enum { KNOWN = 40, READINGS = 300 };

static struct world world;
static struct trip *trip;
static struct trajectory_tree *tree;
static struct own_map *own;
static struct follower f;

/* The map as after @count updates, at the truth */
static void draw(uint32_t count)
{
	struct scans scans = { .count = 0 };
	trajectory_tree_id last = 0;

	for (uint32_t u = 0; u < count; u++) {
		const struct trajectory_step s = { trip->truth[u], u, 0 };

		last = trajectory_tree_add(tree, last, &s);
		if (scans_add(&scans, u, trip->reading + u))
			abort();
	}
	if (own_map_draw(own, tree, last, &scans))
		abort();
	scans_free(&scans);
}

static void begin(uint32_t known, const struct pose *pose)
{
	static const struct prediction none;

	draw(known + 1);
	if (follower_begin(&f, &slam_defaults, own, trip->reading + known,
			   known, pose, &none))
		abort();
}

/* How far off the truth it is, m */
static double off(const struct pose *pose, uint32_t reading)
{
	return hypot(pose->x - trip->truth[reading].x,
		     pose->y - trip->truth[reading].y);
}

/* Readings from @from to before @to. Return: the largest error, m */
static double follow(uint32_t from, uint32_t to, struct pose *pose)
{
	double most = 0, spread[2];

	for (uint32_t i = from; i < to; i++) {
		if (follower_read(&f, trip->reading + i, i, pose, spread))
			return INFINITY;
		most = fmax(most, off(pose, i));
	}
	return most;
}

/* A stall of 26 s: around two corners */
static void test_stall(void)
{
	struct pose pose = trip->truth[KNOWN];
	const struct pose end = pose_between(
		&trip->reading[KNOWN].odometry,
		&trip->reading[READINGS - 1].odometry);
	const struct pose by_odometry = pose_compose(&pose, &end);
	double spread[2];

	begin(KNOWN, &pose);
	ok_range(follow(KNOWN + 1, READINGS, &pose), 0, 0.25,
		 "it follows the robot through places that no map has");
	ok_range(off(&by_odometry, READINGS - 1), 1, INFINITY,
		 "... by odometry it would be lost");
	if (follower_read(&f, trip->reading + READINGS - 1, READINGS, &pose,
			  spread))
		abort();
	ok_range(spread[0], 1e-4, 10, "... the variance grows");
	ok_range(spread[1], 1e-6, 10, "... of the heading, too");
}

/* The filter has a pose that the follower had before, and it was another one */
static void test_correct(void)
{
	const struct pose truth = trip->truth[KNOWN];
	struct pose pose = truth, moved = trip->truth[KNOWN + 3], old;

	begin(KNOWN, &pose);
	follow(KNOWN + 1, KNOWN + 6, &old);
	moved.x += 2;
	follower_correct(&f, KNOWN + 3, &moved);
	follow(KNOWN + 6, KNOWN + 7, &pose);
	ok_near(pose.x - trip->truth[KNOWN + 6].x, 2, 0.1,
		"later poses move with the filter's");
	follower_correct(&f, KNOWN + 3 + FOLLOWER_POSES, &truth);
	follow(KNOWN + 7, KNOWN + 8, &pose);
	ok_near(pose.x - trip->truth[KNOWN + 7].x, 2, 0.1,
		"... not with that of a reading that it does not have");
	moved.x -= 2;
	follower_correct(&f, KNOWN + 3, &moved);
	draw(KNOWN + 4);
	ok_eq(follower_renew(&f), 0, "the map is renewed");
	ok_range(follow(KNOWN + 8, KNOWN + 30, &pose), 0, 0.15,
		 "... and it goes on there");
}

/* A reading without a scan */
static void test_odometry(void)
{
	struct pose pose = trip->truth[KNOWN], before = pose;
	struct reading r = trip->reading[KNOWN + 1];
	double spread[2];

	begin(KNOWN, &pose);
	r.beams = 0;
	r.range = NULL;
	ok_eq(follower_read(&f, &r, KNOWN + 1, &pose, spread), 0,
	      "a reading without a scan");
	ok_near(hypot(pose.x - before.x, pose.y - before.y),
		hypot(r.odometry.x - trip->reading[KNOWN].odometry.x,
		      r.odometry.y - trip->reading[KNOWN].odometry.y), 1e-9,
		"... it moves as odometry says");
}

int main(void)
{
	world_corridors(&world);
	trip = trip_make(&world, 180, READINGS);
	tree = trajectory_tree_create();
	own = own_map_create(&slam_defaults, 1);
	test_stall();
	test_correct();
	test_odometry();
	own_map_destroy(own);
	trajectory_tree_destroy(tree);
	trip_free(trip);
	return tap_done();
}
