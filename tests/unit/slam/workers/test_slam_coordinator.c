// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_coordinator - the coordinator's particles, with workers that the
 * test plays message by message
 */
#include <errno.h>
#include <unistd.h>
#include "pool_fixture.h"

enum { MOST = 8, BEAMS = 90, LINES = 64 };

/* The coordinator, whose calls wait in a thread of their own */
static struct robot {
	struct bus			*bus;
	struct particle_pool		*pool;
	struct trajectory_tree		*tree;
	trajectory_tree_id		step[MOST];
	struct particle_pool_state	state;
	struct particle_pool_order	order;
	struct outcome			out[MOST];
	pthread_t			thread;
	int				err;
	_Atomic unsigned int		asked;	/* whether to stop */
	char				line[LINES][256];
	unsigned int			lines;
} robot;

static float ranges[BEAMS];

static struct reading reading(void)
{
	struct reading r = trip_reading(BEAMS);

	for (unsigned int i = 0; i < BEAMS; i++)
		ranges[i] = 4;
	r.range = ranges;
	return r;
}

static bool interrupted(void *arg)
{
	(void)arg;
	robot.asked++;
	return false;
}

static void note(void *arg, int priority, const char *line)
{
	(void)arg;
	(void)priority;
	if (robot.lines < LINES)
		snprintf(robot.line[robot.lines++], sizeof(*robot.line), "%s",
			 line);
}

/* How many lines of the log contain this */
static unsigned int said(const char *text)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < robot.lines; i++)
		n += strstr(robot.line[i], text) != NULL;
	return n;
}

static uint32_t deadline;	/* ms */

static void robot_open(uint32_t particles, uint32_t workers)
{
	struct particle_pool_remote_config config = {
		.workers = workers, .interrupted = interrupted, .log = note,
		.deadline = deadline,
	};

	memset(&robot, 0, sizeof(robot));
	hub = bus_hub_create();
	robot.bus = config.engine = member(BUS_COORDINATOR);
	robot.pool = particle_pool_remote(&slam_defaults, &config);
	robot.tree = trajectory_tree_create();
	robot.state = (struct particle_pool_state){
		particles, 0, robot.step, robot.tree,
	};
	robot.order.again = -INFINITY;
}

static void robot_close(void)
{
	robot.pool->ops->destroy(robot.pool);
	trajectory_tree_destroy(robot.tree);
	bus_close(robot.bus);
	bus_hub_destroy(hub);
}

static void *do_match(void *arg)
{
	const struct reading r = reading();

	(void)arg;
	robot.err = robot.pool->ops->match(robot.pool, &robot.state,
					   &robot.order, &r, robot.out);
	return NULL;
}

static void begin(void *(*call)(void *arg))
{
	pthread_create(&robot.thread, NULL, call, NULL);
}

static int end(void)
{
	pthread_join(robot.thread, NULL);
	return robot.err;
}

static struct particle_pool_traffic traffic(void)
{
	struct particle_pool_traffic t;

	particle_pool_remote_traffic(robot.pool, &t);
	return t;
}

/* The first step of all particles */
static void step(void)
{
	for (uint32_t i = 0; i < robot.state.count; i++) {
		const struct trajectory_step s = { { 0, 0, 0 }, 0, i };

		robot.step[i] = trajectory_tree_add(robot.tree, 0, &s);
	}
}

/* The next message of a worker */
static struct bus_message next(struct bus *e)
{
	struct bus_message m;

	if (bus_receive(e, &m, PATIENCE) != 1) {
		fprintf(stderr, "no message came\n");
		abort();
	}
	return m;
}

static bool next_is(struct bus *e, uint16_t type, struct bus_message *m)
{
	*m = next(e);
	return m->type == type;
}

/* Only while the coordinator receives: in a call */
static struct bus *join(void)
{
	struct bus *e = member(BUS_WORKER);

	if (next(e).type != BUS_JOINED)
		abort();
	return e;
}

static void skip(struct bus *e, uint16_t type, struct bus_message *m)
{
	while (!next_is(e, type, m))
		;
}

static void answer(struct bus *e, uint16_t type, const void *data, size_t len)
{
	if (bus_send_data(e, 0, type, data, len))
		abort();
}

struct result {
	struct wire_result	head;
	struct wire_outcome	one;
};

/* Particle @number was matched, at @x; @cut: bytes that are missing */
static void result(struct bus *e, uint32_t number, double x, uint32_t round,
		   uint64_t update, size_t cut)
{
	const struct result r = {
		.head = { .update = update, .round = round, .count = 1,
			  .bytes = 100, .peak = 200, .cpu = 300,
			  .busy = 1000 },
		.one = { { x, 0, 0 }, -1, number, 7 },
	};

	answer(e, WIRE_RESULT, &r, sizeof(r) - cut);
}

/* What only a worker that is wrong or late says */
static void send_junk(struct bus *e)
{
	const int32_t code = -ENOMEM;

	result(e, 0, 8, 0, 0, sizeof(struct wire_outcome));
	result(e, 0, 8, 0, 0, sizeof(struct result) - 1);
	result(e, 0, 8, 0, 1, 0);
	result(e, 0, 8, 1, 0, 0);
	result(e, 1, 8, 0, 0, 0);
	result(e, 4, 8, 0, 0, 0);
	answer(e, WIRE_FAILED, &code, sizeof(code) - 1);
	answer(e, 999, NULL, 0);
}

static void check_first_match(struct bus *w[2])
{
	struct particles_use use;
	struct bus_message m;

	for (int i = 0; i < 2; i++) {
		ok(next_is(w[i], WIRE_SETUP, &m), "worker %d is set up", i);
		ok_eq(m.len, sizeof(struct slam_params), "... with parameters");
		for (int k = 0; k < 2; k++) {
			ok(next_is(w[i], WIRE_REBUILD, &m),
			   "... gets a particle");
			ok_eq(((const struct wire_rebuild *)m.data)->number,
			      2 * k + i, "... the worker with the fewest");
		}
		ok(next_is(w[i], WIRE_MATCH, &m), "... is to match");
	}
	send_junk(w[0]);
	for (uint32_t i = 0; i < 4; i++) {
		result(w[i % 2], i, i, 0, 0, 0);
		result(w[i % 2], i, 9, 0, 0, 0);
	}
	ok_eq(end(), 0, "matched");
	for (int i = 0; i < 4; i++)
		ok_near(robot.out[i].pose.x, i, 0,
			"the first result of particle %d counts", i);
	robot.pool->ops->use(robot.pool, &use);
	ok_eq(use.bytes, 200, "memory of both workers");
	ok_eq(use.peak, 400, "... at most");
	ok_eq(use.cpu, 600, "... their time");
	ok_eq(traffic().all.evaluations, 28, "evaluations count once");
}

/* Between two updates: in the coordinator's own map */
static void check_track(struct bus *w[2])
{
	const struct reading r = reading();
	const struct seek seek = { .prior = { .place = 1, .turn = 1 } };
	struct bus_message m;
	struct sighting s;

	for (int i = 0; i < 2; i++)
		ok(next_is(w[i], WIRE_SETTLE, &m),
		   "new workers get their particles, worker %d", i);
	ok_eq(robot.pool->ops->track(robot.pool, &robot.state, 1, &r, &seek,
				     &s), 0, "a search");
	ok_range(s.outcome.fit, 0.9, 1, "... finds the robot");
	ok_range(hypot(s.outcome.pose.x, s.outcome.pose.y), 0, 0.05,
		 "... where it is");
	ok(!bus_wait(w[0], 0), "... without a message to worker 0");
	ok(!bus_wait(w[1], 0), "... or to worker 1");
}

/* A worker is lost while it matches: the other one does it */
static void check_lost(struct bus *w[2])
{
	const struct wire_rebuild *b;
	struct bus_message m;

	robot.order.update = 1;
	begin(do_match);
	ok(next_is(w[0], WIRE_MATCH, &m), "the next update at once");
	ok(next_is(w[1], WIRE_MATCH, &m), "... at both workers");
	bus_close(w[0]);
	ok(next_is(w[1], WIRE_SCAN, &m),
	   "one is lost: the other gets the first scan");
	for (uint32_t i = 0; i < 2; i++) {
		ok(next_is(w[1], WIRE_REBUILD, &m), "... once, and a particle");
		b = m.data;
		ok_eq(b->number, 2 * i, "... one of the lost");
		ok_eq(b->total, 1, "... with its step");
	}
	for (uint32_t i = 0; i < 4; i++)
		result(w[1], i, 7, 0, 1, 0);
	ok_eq(end(), 0, "... it answers");
	ok_near(robot.out[2].pose.x, 7, 0, "... what it found");
	ok_eq(traffic().left, 1, "one left");
	ok_eq(traffic().rebuilt, 2, "... two particles were rebuilt");
	ok_eq(said("2 particles are rebuilt by 1 other workers"), 1,
	      "... as the log says");
}

static void test_first_update(void)
{
	const struct reading r = reading();
	struct particles_use use;
	struct bus *w[2];

	robot_open(4, 2);
	begin(do_match);
	w[0] = join();
	/* intervals without a message must not repeat the last one */
	for (unsigned int n = robot.asked; robot.asked < n + 2;)
		usleep(1000);
	w[1] = join();
	check_first_match(w);
	ok_eq(said("waiting for 2 workers"), 1, "the log says what it waits for");
	ok_eq(said("joined: 1 workers"), 1, "a worker joins once");
	ok_eq(said("joined: 2 workers"), 1, "... and another one");
	ok_eq(traffic().joined, 2, "two joined");
	step();
	ok_eq(robot.pool->ops->settle(robot.pool, &robot.state, 0, NULL, 4), 0,
	      "no resampling");
	check_track(w);
	check_lost(w);
	robot.pool->ops->use(robot.pool, &use);
	ok_range(use.bytes, 101, 1e6,
		 "memory of the one that is left, and of the own map");
	ok_eq(use.cpu, 600, "... time of both");
	ok_eq(robot.pool->ops->recall(robot.pool, &robot.state, 1, &r,
				      robot.out), -EINVAL,
	      "recalls are over");
	bus_close(w[1]);
	robot_close();
}

/* Return: the only worker, which was asked to match two particles */
static struct bus *one_matches(void)
{
	struct bus_message m;
	struct bus *w;

	robot_open(2, 1);
	begin(do_match);
	w = join();
	skip(w, WIRE_MATCH, &m);
	return w;
}

/* A worker that came after MATCH takes the particles of a lost one */
static void test_newcomer(void)
{
	struct bus_message m;
	struct bus *w[2];

	w[0] = one_matches();
	w[1] = join();
	ok(next_is(w[1], WIRE_SETUP, &m), "a worker joins during a match");
	result(w[0], 0, 3, 0, 0, 0);
	bus_close(w[0]);
	ok(next_is(w[1], WIRE_MATCH, &m),
	   "the other one is lost: it is asked to match");
	ok(next_is(w[1], WIRE_REBUILD, &m), "... a particle");
	ok(next_is(w[1], WIRE_REBUILD, &m), "... and the next");
	result(w[1], 1, 4, 0, 0, 0);
	ok_eq(end(), 0, "all are matched");
	ok_near(robot.out[0].pose.x, 3, 0, "the lost one's result is kept");
	ok_near(robot.out[1].pose.x, 4, 0, "... the other is new");
	ok_eq(traffic().rebuilt, 0, "none had a step to repeat");
	bus_close(w[1]);
	robot_close();
}

/* A particle that is rebuilt after a loss is waited for */
static void test_not_late(void)
{
	struct bus_message m;
	struct bus *w[2];

	deadline = 1;
	w[0] = one_matches();
	w[1] = join();
	bus_close(w[0]);
	skip(w[1], WIRE_REBUILD, &m);
	skip(w[1], WIRE_REBUILD, &m);
	result(w[1], 0, 3, 0, 0, 0);
	usleep(50000);
	result(w[1], 1, 4, 0, 0, 0);
	ok_eq(end(), 0, "a loss, and a deadline");
	ok_near(robot.out[1].pose.x, 4, 0, "what is rebuilt is waited for");
	ok_eq(robot.out[1].relative, 0, "... not replaced");
	ok_eq(traffic().overdue, 1, "... it is counted");
	bus_close(w[1]);
	robot_close();
	deadline = 0;
}

/* The log says what would help if the maps are too large for all workers */
static void test_no_memory(void)
{
	const int32_t code = -ENOMEM;
	struct bus_message m;
	struct bus *w[2];

	w[0] = one_matches();
	answer(w[0], WIRE_FAILED, &code, sizeof(code));
	bus_close(w[0]);
	w[1] = join();
	skip(w[1], WIRE_REBUILD, &m);
	result(w[1], 0, 3, 0, 0, 0);
	result(w[1], 1, 4, 0, 0, 0);
	ok_eq(end(), 0, "the only worker has no memory: another one matches");
	ok_eq(said("no memory for its maps"), 1, "... the log says why");
	ok_eq(said("the maps of 2 particles exceeded the memory"), 1,
	      "... and what there was to do");
	ok_eq(said("exceeded"), 1, "... once");
	bus_close(w[1]);
	robot_close();
}

/* Each worker is asked to match update 1, of particles with a common step */
static void match_second(struct bus **w, uint32_t workers)
{
	const struct trajectory_step first = { { 0, 0, 0 }, 0, 0 };
	const struct reading r = reading();
	struct bus_message m;

	if (robot.pool->ops->recall(robot.pool, &robot.state, 0, &r, robot.out))
		abort();
	for (uint32_t i = 0; i < robot.state.count; i++)
		robot.step[i] = i ? robot.step[0] :
			trajectory_tree_add(robot.tree, 0, &first);
	robot.order.update = 1;
	begin(do_match);
	for (uint32_t i = 0; i < workers; i++)
		w[i] = join();
	for (uint32_t i = 0; i < workers; i++)
		skip(w[i], WIRE_MATCH, &m);
	for (uint32_t i = 0; i < robot.state.count; i++)
		result(w[i % workers], i, i, 0, 1, 0);
	ok_eq(end(), 0, "all workers match");
	for (uint32_t i = 0; i < robot.state.count; i++) {
		const struct trajectory_step s = { { 0, 0, 0 }, 1, i };

		robot.step[i] = trajectory_tree_add(robot.tree,
						    robot.step[i], &s);
	}
}

/* One of two workers is late */
static void check_late(struct bus *w[2])
{
	struct bus_message m;

	robot.order.update = 2;
	begin(do_match);
	for (int i = 0; i < 2; i++)
		skip(w[i], WIRE_MATCH, &m);
	result(w[0], 0, 5, 0, 2, 0);
	result(w[0], 2, 6, 0, 2, 0);
	ok_eq(end(), 0, "one of two workers is late");
	for (uint32_t i = 1; i < 4; i += 2)
		ok(robot.out[i].relative == 1 || robot.out[i].relative == 3,
		   "... a relative replaces its particle %u", i);
	ok_near(robot.out[1].pose.x + robot.out[3].pose.x, 11, 0,
		"... another one each");
	ok_eq(robot.out[0].relative, 0, "... others are not replaced");
	ok_eq(traffic().replaced, 2, "... it is counted");
}

static void test_late(void)
{
	static const uint32_t parent[4] = { 0, 0, 2, 2 };
	const struct wire_child *child;
	struct bus_message m;
	struct bus *w[2];

	deadline = 1000;
	robot_open(4, 2);
	match_second(w, 2);
	if (robot.pool->ops->settle(robot.pool, &robot.state, 1, NULL, 4))
		abort();
	check_late(w);
	ok_eq(robot.pool->ops->settle(robot.pool, &robot.state, 2, parent, 4),
	      0, "they become children of these");
	do
		skip(w[0], WIRE_SETTLE, &m);
	while (((const struct wire_settle *)m.data)->update != 2);
	child = (const struct wire_child *)((const struct wire_settle *)
					    m.data + 1);
	for (uint32_t i = 0; i < 4; i++)
		ok_eq(child[i].owner, 1, "child %u is not for the late one", i);
	result(w[1], 1, 9, 0, 2, 0);
	deadline = 0;
	bus_close(w[0]);
	bus_close(w[1]);
	robot_close();
}

/*
 * The map of particle 5 does not come to its worker in time. What is there of it
 * is no base for other maps
 */
static void test_late_map(void)
{
	static const uint32_t parent[6] = { 0, 1, 2, 3, 4, 1 };
	const struct wire_child *child;
	struct bus_message m;
	struct bus *w[3];

	deadline = 1000;
	robot_open(6, 3);
	match_second(w, 3);
	ok_eq(robot.pool->ops->settle(robot.pool, &robot.state, 1, parent, 6),
	      0, "a resampling");
	robot.step[5] = robot.step[1];
	robot.order.update = 2;
	begin(do_match);
	for (int i = 0; i < 3; i++)
		skip(w[i], WIRE_MATCH, &m);
	for (uint32_t i = 0; i < 5; i++)
		result(w[i % 3], i, i, 0, 2, 0);
	ok_eq(end(), 0, "the map of particle 5 is late");
	ok_eq(robot.out[5].relative, 2, "... its parent replaces it");
	ok_eq(robot.pool->ops->settle(robot.pool, &robot.state, 2, parent, 6),
	      0, "... it becomes its child again");
	skip(w[0], WIRE_SETTLE, &m);
	child = (const struct wire_child *)((const struct wire_settle *)
					    m.data + 1);
	ok(child[5].owner != child[5].from, "... and moves again");
	ok_eq(child[5].base, 2, "... with a particle that is there as its base");
	deadline = 0;
	for (int i = 0; i < 3; i++)
		bus_close(w[i]);
	robot_close();
}

/* Worker 0 is lost when one of the two maps has come from it */
static void check_sender_lost(struct bus *w[2])
{
	static const uint32_t again[] = { 0, 1, 3 };
	struct bus_message m;

	for (uint32_t i = 1; i < robot.state.count; i++)
		robot.step[i] = robot.step[0];
	robot.order.update = 2;
	begin(do_match);
	skip(w[1], WIRE_MATCH, &m);
	result(w[1], 2, 2, 0, 2, 0);
	bus_close(w[0]);
	for (int i = 0; i < 3; i++) {
		skip(w[1], WIRE_REBUILD, &m);
		ok_eq(((const struct wire_rebuild *)m.data)->number, again[i],
		      "its worker, or the sender of its map, is lost: rebuilt");
		result(w[1], again[i], 5, 0, 2, 0);
	}
	ok_eq(end(), 0, "the other worker matches them");
	ok_near(robot.out[2].pose.x, 2, 0, "the one whose map came is kept");
	ok_eq(said("3 particles are rebuilt by 1 other workers"), 1,
	      "... as the log says");
}

/* All children are of the first particle, which is at worker 0 */
static void test_children(void)
{
	static const uint32_t parent[4];
	const struct wire_settle *head;
	const struct wire_child *child;
	uint32_t moved = 0;
	struct bus_message m;
	struct bus *w[2];

	robot_open(4, 2);
	match_second(w, 2);
	ok_eq(robot.pool->ops->settle(robot.pool, &robot.state, 1, parent, 4),
	      0, "a resampling");
	skip(w[1], WIRE_SETTLE, &m);
	head = m.data;
	child = (const struct wire_child *)(head + 1);
	ok_eq(head->count, 4, "the workers get four children");
	for (uint32_t i = 0; i < 4; i++) {
		const bool moves = child[i].owner != child[i].from;

		moved += moves;
		ok_eq(child[i].base, moves ? 1 : WIRE_NONE,
		      "child %u %s", i, moves ? "has kin at its worker" :
		      "stays, and needs none");
		ok_eq(child[i].since, moves ? tile_version(1, 0) : 0,
		      "... %s", moves ? "tiles since the common step" :
		      "no tiles");
	}
	ok_eq(moved, 2, "two go to the other worker");
	ok_eq(traffic().moved, 2, "... which is counted");
	check_sender_lost(w);
	bus_close(w[1]);
	robot_close();
}

int main(void)
{
	test_first_update();
	test_newcomer();
	test_not_late();
	test_no_memory();
	test_late();
	test_late_map();
	test_children();
	return tap_done();
}
