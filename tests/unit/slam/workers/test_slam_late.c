// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_late - the deadline of an update: which relatives stand in for the
 * particles of a late worker, and that a run with them repeats bit by bit
 */
#include <errno.h>
#include <syslog.h>
#include <unistd.h>
#include "pool_fixture.h"
#include "slam/workers/relatives.h"

enum { PARTICLES = 40, READINGS = 150, FROM = 60, FOR = 8 };

/*
 * Relatives
 */

/* The depth of the last common ancestor */
static uint32_t kinship(const struct trajectory_tree *tree,
			trajectory_tree_id a, trajectory_tree_id b)
{
	while (a != b) {
		if (trajectory_tree_depth(tree, a) <
		    trajectory_tree_depth(tree, b))
			b = trajectory_tree_parent(tree, b);
		else
			a = trajectory_tree_parent(tree, a);
	}
	return trajectory_tree_depth(tree, a);
}

/* Particles that branch off from each other at random */
static void grow(struct trajectory_tree *tree, trajectory_tree_id *step,
		 uint32_t updates, uint64_t *state)
{
	for (uint32_t u = 0; u < updates; u++) {
		for (uint32_t i = 0; i < PARTICLES; i++) {
			const struct trajectory_step s = { { 0, 0, 0 }, u, i };
			const uint32_t parent = u && !rnd(state, 4) ?
						rnd(state, PARTICLES) : i;

			step[i] = trajectory_tree_add(tree, step[parent], &s);
		}
	}
}

static void test_relatives(void)
{
	unsigned int wrong = 0, far = 0;
	uint64_t state = 9;

	for (int round = 0; round < 200; round++) {
		struct trajectory_tree *tree = trajectory_tree_create();
		trajectory_tree_id step[PARTICLES] = { 0 };
		const struct particle_pool_state s = {
			PARTICLES, 0, step, tree,
		};
		uint32_t relative[PARTICLES];
		uint8_t here[PARTICLES];

		grow(tree, step, rnd(&state, 30), &state);
		for (uint32_t i = 0; i < PARTICLES; i++)
			here[i] = rnd(&state, 3) > 0;
		here[rnd(&state, PARTICLES)] = 1;
		wrong += relatives_find(&s, here, relative) != 0;
		for (uint32_t i = 0; i < PARTICLES; i++) {
			uint32_t best = 0;

			if (here[i])
				continue;
			wrong += !here[relative[i]];
			for (uint32_t k = 0; k < PARTICLES; k++) {
				const uint32_t kin = kinship(tree, step[i],
							     step[k]);

				if (here[k] && kin > best)
					best = kin;
			}
			far += kinship(tree, step[i], step[relative[i]]) < best;
		}
		trajectory_tree_destroy(tree);
	}
	ok(!wrong, "a particle that is here");
	ok(!far, "... with the latest common ancestor");
}

/* Of no kin: each is taken once before one is twice */
static void test_in_turn(void)
{
	struct trajectory_tree *tree = trajectory_tree_create();
	trajectory_tree_id step[PARTICLES] = { 0 };
	const struct particle_pool_state s = { PARTICLES, 0, step, tree };
	uint32_t relative[PARTICLES], uses[PARTICLES] = { 0 }, twice = 0;
	uint8_t here[PARTICLES];

	for (uint32_t i = 0; i < PARTICLES; i++)
		here[i] = i % 2;
	ok_eq(relatives_find(&s, here, relative), 0, "without any step");
	for (uint32_t i = 0; i < PARTICLES; i += 2)
		twice += uses[relative[i]]++;
	ok_eq(twice, 0, "... each stands in once");
	trajectory_tree_destroy(tree);
}

/*
 * A worker that is late
 */

static _Atomic unsigned int driven;	/* readings */
static char said[4096];

static void note(void *arg, int priority, const char *line)
{
	const size_t used = strlen(said);

	(void)arg;
	if (priority == LOG_WARNING)
		snprintf(said + used, sizeof(said) - used, "%s\n", line);
}

/* It stops from reading FROM on, until others went on without it: that is not
 * possible if they wait for its maps, so not for ever
 */
static void *go_on_late(void *arg)
{
	struct bus *e = member(BUS_WORKER);
	struct worker *w = worker_create(e, 1, NULL, NULL);
	unsigned int naps = 5000;

	(void)arg;
	while (!over && worker_turn(w, 20) >= 0)
		while (!over && driven >= FROM && driven < FROM + FOR &&
		       naps && naps--)
			usleep(1000);
	worker_destroy(w);
	bus_close(e);
	return NULL;
}

/**
 * struct record - what a checkpoint keeps
 * @out:	of reading i, @count of them
 */
struct record {
	struct outcome	out[READINGS][PARTICLES];
	uint32_t	count[READINGS];
	struct pose	pose[READINGS];
	uint32_t	replaced, updates_late;
};

static struct slam_params some(void)
{
	struct slam_params p = slam_defaults;

	p.particles = PARTICLES;
	p.distance = 0;
	p.resample = 0.8;
	return p;
}

static int drive_late(struct filter *f, struct record *t)
{
	struct filter_result r;
	int err = 0;

	for (driven = 0; driven < READINGS && !err; driven++) {
		const unsigned int i = driven;
		const struct outcome *out;

		err = filter_read(f, part->reading + i, &r);
		out = filter_outcomes(f, t->count + i);
		memcpy(t->out[i], out, t->count[i] * sizeof(*out));
		t->pose[i] = r.pose;
		t->replaced += r.replaced;
		t->updates_late += r.replaced > 0;
	}
	return err;
}

/* @second: of three workers */
static int run_late(struct record *t, struct particle_pool_traffic *traffic,
		    uint32_t deadline, void *(*second)(void *arg))
{
	const struct slam_params p = some();
	struct particle_pool_remote_config config = {
		.workers = 3, .deadline = deadline, .log = note,
	};
	struct crew crew = crew_open();
	struct particle_pool *pool;
	struct filter *f;
	int err;

	config.engine = crew.engine;
	crew_add(&crew, go_on, NULL);
	crew_add(&crew, second, NULL);
	crew_add(&crew, go_on, NULL);
	pool = particle_pool_remote(&p, &config);
	f = filter_create(&p, pool);
	err = drive_late(f, t);
	particle_pool_remote_traffic(pool, traffic);
	filter_destroy(f);
	crew_close(&crew);
	return err;
}

/* Without workers, from the record */
static void test_recall(const struct record *t)
{
	const struct slam_params p = some();
	struct filter *f = filter_create(&p, particle_pool_local(&p, 1));
	unsigned int other = 0, failed = 0;
	uint32_t replaced = 0;

	for (unsigned int i = 0; i < READINGS; i++) {
		struct filter_result r;

		failed += filter_recall(f, part->reading + i, t->out[i],
					t->count[i], &r) != 0;
		other += memcmp(&r.pose, t->pose + i, sizeof(r.pose)) != 0;
		replaced += r.replaced;
	}
	ok(!failed, "the same again, from its outcomes");
	ok(!other, "... the same bits");
	ok_eq(replaced, t->replaced, "... the same particles are replaced");
	filter_destroy(f);
}

/* Outcomes of relatives that do not exist */
static void test_bad(const struct record *t)
{
	const struct slam_params p = some();
	struct outcome out[PARTICLES];
	struct filter_result r;

	for (int i = 0; i < 2; i++) {
		struct filter *f = filter_create(&p, particle_pool_local(&p, 1));

		memcpy(out, t->out[0], sizeof(out));
		out[3].relative = i ? PARTICLES + 1 : 4;
		ok_eq(filter_recall(f, part->reading, out, PARTICLES, &r),
		      -EBADMSG, i ? "a relative that is none" :
		      "a particle that is its own relative");
		filter_destroy(f);
	}
}

static void test_late(void)
{
	static struct record t;
	struct particle_pool_traffic traffic;
	struct pose off;

	ok_eq(run_late(&t, &traffic, 20, go_on_late), 0,
	      "a worker that is late");
	ok_range(t.replaced, 1, INFINITY, "its particles are replaced");
	ok_eq(traffic.replaced, t.replaced, "... which is counted");
	ok_eq(traffic.late, t.updates_late, "... and at how many updates");
	ok_eq(traffic.left, 0, "... it does not leave");
	ok(strstr(said, "workers are late: ") != NULL, "... a line says so");
	ok(strstr(strstr(said, "late: ") + 1, "late: ") == NULL, "... once");
	off = pose_between(&part->truth[READINGS - 1],
			   &t.pose[READINGS - 1]);
	ok_range(hypot(off.x, off.y), 0, 0.3, "the robot is where it should be");
	test_recall(&t);
	test_bad(&t);
}

/* No worker is done in 1 ms; maps on the way are late, too */
static void test_always_late(void)
{
	static struct record t;
	struct particle_pool_traffic traffic;

	for (int i = 0; i < 3; i++) {
		memset(&t, 0, sizeof(t));
		ok_eq(run_late(&t, &traffic, 1, go_on), 0,
		      "a deadline that is too short");
		ok_eq(traffic.left, 0, "... no worker leaves");
		test_recall(&t);
	}
}

int main(void)
{
	test_relatives();
	test_in_turn();
	world_corridors(&world);
	part = trip_make(&world, 90, READINGS);
	test_late();
	test_always_late();
	trip_free(part);
	return tap_done();
}
