// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_own_map - the coordinator's map of any particle, drawn from what is
 * there of others: the same bits as from nothing
 */
#include <errno.h>
#include "slam/workers/own_map.h"
#include "slam_fixture.h"

enum { UPDATES = 150, PARTICLES = 6 };

static struct world world;
static struct trip *trip;
static struct scans scans;
static struct trajectory_tree *tree;
static trajectory_tree_id step[PARTICLES];

/* Each particle's pose at this update: near the truth */
static void add_steps(uint32_t update, uint64_t *state)
{
	for (uint32_t i = 0; i < PARTICLES; i++) {
		struct trajectory_step s = { trip->truth[update], update, i };
		trajectory_tree_id next;

		s.pose.x += 0.03 * rnd_signed(state);
		s.pose.y += 0.03 * rnd_signed(state);
		next = trajectory_tree_add(tree, step[i], &s);
		trajectory_tree_release(tree, step[i]);
		step[i] = next;
	}
}

/* All become children of the first @parents */
static void resample(uint32_t parents)
{
	for (uint32_t i = parents; i < PARTICLES; i++) {
		trajectory_tree_release(tree, step[i]);
		step[i] = step[i % parents];
		trajectory_tree_hold(tree, step[i]);
	}
}

static struct sighting look(struct own_map *o, uint32_t update)
{
	const struct seek seek = {
		.prior = { .at = trip->truth[update], .place = 1, .turn = 1 },
	};
	struct sighting s = { .against = -1 };

	if (own_map_track(o, trip->reading + update, &seek, &s))
		abort();
	return s;
}

/* As drawn from nothing */
static struct sighting look_fresh(trajectory_tree_id id, uint32_t update)
{
	struct own_map *o = own_map_create(&slam_defaults, 1);
	struct sighting s;

	if (own_map_draw(o, tree, id, &scans))
		abort();
	s = look(o, update);
	own_map_destroy(o);
	return s;
}

static bool same(const struct sighting *a, const struct sighting *b)
{
	return !memcmp(&a->outcome.pose, &b->outcome.pose,
		       sizeof(a->outcome.pose)) &&
	       !memcmp(&a->outcome.fit, &b->outcome.fit,
		       sizeof(a->outcome.fit)) &&
	       a->outcome.evaluations == b->outcome.evaluations;
}

/* The best particle is another one at most updates */
static void test_best(struct own_map *o)
{
	unsigned int failed = 0, other = 0, off = 0;
	uint64_t state = 5;

	for (uint32_t u = 0; u < UPDATES; u++) {
		const uint32_t best = rnd(&state, PARTICLES);
		struct sighting s, fresh;

		add_steps(u, &state);
		if (!rnd(&state, 25))
			resample(1 + rnd(&state, PARTICLES - 1));
		failed += own_map_draw(o, tree, step[best], &scans) != 0;
		s = look(o, u);
		off += s.outcome.fit < 0.8;
		if (rnd(&state, 4))
			continue;
		fresh = look_fresh(step[best], u);
		other += !same(&s, &fresh);
	}
	ok(!failed, "a map at each update");
	ok(!off, "... which has the scans");
	ok(!other, "... with the same bits as drawn from nothing");
}

/* Steps of a replaced history have the numbers of the old ones */
static void test_adopted(struct own_map *o)
{
	trajectory_tree_id last = 0;
	struct sighting s, fresh;

	for (uint32_t u = 0; u < UPDATES; u++) {
		struct trajectory_step step = { trip->truth[u], u, 0 };

		step.pose.x += 1;
		last = trajectory_tree_add(tree, last, &step);
		if (own_map_draft(o, u, trip->reading + u, &step.pose))
			abort();
	}
	ok_eq(own_map_adopt(o, tree, last), 0, "another history");
	ok_eq(own_map_draw(o, tree, last, &scans), 0, "... is drawn");
	s = look(o, UPDATES - 1);
	fresh = look_fresh(last, UPDATES - 1);
	ok(same(&s, &fresh), "... the same bits");
	ok_range(s.outcome.pose.x - trip->truth[UPDATES - 1].x, 0.9, 1.1,
		 "... and no more the old one");
	last = trajectory_tree_parent(tree, last);
	ok_eq(own_map_draw(o, tree, last, &scans), 0, "a step before it");
	s = look(o, UPDATES - 1);
	fresh = look_fresh(last, UPDATES - 1);
	ok(same(&s, &fresh), "... the same bits");
}

static void test_none(struct own_map *o)
{
	struct scans none = { .count = 0 };
	struct own_map *empty = own_map_create(&slam_defaults, 1);
	struct particles_use use;

	ok_eq(own_map_draw(empty, tree, step[0], &none), -EBADMSG,
	      "without the scans there is no map");
	ok_eq(own_map_draw(empty, tree, 0, &none), 0, "before the first step");
	ok_near(look(empty, 0).outcome.fit, 0, 0, "... it is empty");
	own_map_use(o, &use);
	ok_range(use.bytes, 1, 1e8, "maps take memory");
	own_map_destroy(empty);
	own_map_destroy(NULL);
}

int main(void)
{
	struct own_map *o = own_map_create(&slam_defaults, 1);

	world_corridors(&world);
	trip = trip_make(&world, 90, UPDATES);
	tree = trajectory_tree_create();
	for (uint32_t u = 0; u < UPDATES; u++)
		if (scans_add(&scans, u, trip->reading + u))
			abort();
	test_best(o);
	test_adopted(o);
	test_none(o);
	own_map_destroy(o);
	trajectory_tree_destroy(tree);
	scans_free(&scans);
	trip_free(trip);
	return tap_done();
}
