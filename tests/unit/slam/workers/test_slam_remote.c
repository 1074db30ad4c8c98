// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_remote - workers and their coordinator, with messages in an order
 * and of a size that a run has only now and then: a map before SETUP, a map in
 * many parts, a worker that has no memory
 */
#include <errno.h>
#include "pool_fixture.h"
#include "slam/workers/map_reassembly.h"
#include "slam/workers/scans.h"

/*
 * By hand, one message at a time
 */

static void work(struct worker *w)
{
	while (worker_turn(w, 0) == 1)
		;
}

/* All around, a stroke from @near to @far m at each step */
static struct wire_reading *star(float near, float far)
{
	enum { BEAMS = 16384, STROKE = 8 };
	static float ranges[BEAMS];
	const struct reading r = {
		.beams = BEAMS, .range_max = 200, .angle_min = 0,
		.angle_increment = (float)(2 * M_PI / BEAMS), .range = ranges,
	};

	for (unsigned int i = 0; i < BEAMS; i++)
		ranges[i] = near + (far - near) * (float)(i % STROKE) / STROKE;
	return scans_copy(&r);
}

struct scene {
	struct bus	*robot, *engine[2];
	struct worker	*worker[2];
};

/* Until the robot gets a message of this type; the others go on meanwhile */
static struct bus_message await(struct scene *s, uint16_t type)
{
	struct bus_message m;

	for (int ms = 0; ms < PATIENCE; ms += 5) {
		if (bus_receive(s->robot, &m, 5) == 1 && m.type == type)
			return m;
		for (int i = 0; i < 2 && s->engine[i]; i++)
			bus_wait(s->engine[i], 0);
	}
	fprintf(stderr, "no message %u came\n", type);
	abort();
}

static void scene_open(struct scene *s)
{
	*s = (struct scene){ 0 };
	hub = bus_hub_create();
	s->robot = member(BUS_COORDINATOR);
	for (int i = 0; i < 2; i++) {
		s->engine[i] = member(BUS_WORKER);
		s->worker[i] = worker_create(s->engine[i], 1, NULL, NULL);
		await(s, BUS_JOINED);
	}
}

static void scene_close(struct scene *s)
{
	for (int i = 0; i < 2; i++) {
		worker_destroy(s->worker[i]);
		bus_close(s->engine[i]);
	}
	bus_close(s->robot);
	bus_hub_destroy(hub);
}

static void settle(struct scene *s, uint32_t to, uint32_t owner)
{
	const struct wire_settle head = { .update = 0, .count = 1 };
	const struct wire_child child = {
		.from = 1, .owner = owner, .base = WIRE_NONE,
	};

	tell(s->robot, to, WIRE_SETTLE, &head, sizeof(head), &child,
	     sizeof(child));
}

enum when { STAYS, AFTER_SETUP, BEFORE_SETUP, AFTER_MATCH };

/* The second update */
static void match_second(struct scene *s, uint32_t to, const struct wire_reading *r)
{
	const struct wire_match match = {
		.update = 1, .again = -INFINITY,
		.motion = { .move = { .2, .1, .01 } , .slip = .1, .turn = .1 },
	};

	tell(s->robot, to, WIRE_MATCH, &match, sizeof(match), r, scans_size(r));
}

/* A particle of worker 1 goes to worker 2, or stays; where it then is. @maps:
 * messages that took
 */
static struct outcome matched(float far, enum when when, uint64_t *maps)
{
	struct wire_reading *reading = star(5, far);
	const struct wire_rebuild particle = { 0 };
	const struct wire_match match = { .update = 0 };
	const uint32_t owner = when == STAYS ? 1 : 2;
	struct slam_params params = slam_defaults;
	struct bus_counters counters;
	const struct wire_result *answer;
	const struct wire_outcome *o;
	struct bus_message m;
	struct outcome out;
	struct scene s;

	params.range_max = 200;
	params.spacing = 0;
	scene_open(&s);
	tell(s.robot, 1, WIRE_SETUP, &params, sizeof(params), NULL, 0);
	if (when == AFTER_SETUP || when == AFTER_MATCH)
		tell(s.robot, 2, WIRE_SETUP, &params, sizeof(params), NULL, 0);
	if (when == AFTER_MATCH) {
		settle(&s, 2, owner);
		match_second(&s, 2, reading);
		work(s.worker[1]);
	}
	tell(s.robot, 1, WIRE_REBUILD, &particle, sizeof(particle), NULL, 0);
	tell(s.robot, 1, WIRE_MATCH, &match, sizeof(match), reading,
	     scans_size(reading));
	settle(&s, 1, owner);
	work(s.worker[0]);
	work(s.worker[1]);
	bus_counters(s.engine[0], &counters);
	*maps = counters.to_workers.messages;
	if (when == BEFORE_SETUP)
		tell(s.robot, 2, WIRE_SETUP, &params, sizeof(params), NULL, 0);
	if (when == AFTER_SETUP || when == BEFORE_SETUP)
		settle(&s, 2, owner);
	if (when != AFTER_MATCH)
		match_second(&s, owner, reading);
	work(s.worker[0]);
	work(s.worker[1]);
	do {
		m = await(&s, WIRE_RESULT);
		answer = m.data;
	} while (answer->update != 1 || !answer->count);
	o = (const struct wire_outcome *)(answer + 1);
	out = (struct outcome){ o->pose, o->fit, o->evaluations };
	scene_close(&s);
	free(reading);
	return out;
}

static bool same(const struct outcome *a, const struct outcome *b)
{
	return !memcmp(&a->pose, &b->pose, sizeof(a->pose)) &&
		a->evaluations == b->evaluations &&
		!memcmp(&a->fit, &b->fit, sizeof(a->fit));
}

static void test_moves(void)
{
	uint64_t maps;
	const struct outcome at_home = matched(6, STAYS, &maps);
	struct outcome o;

	ok_eq(maps, 0, "a particle that stays is found: %.4g m off",
	      hypot(at_home.pose.x, at_home.pose.y));
	ok_range(hypot(at_home.pose.x, at_home.pose.y), 0, 0.02,
		 "... hypot");
	o = matched(6, AFTER_SETUP, &maps);
	ok_eq(maps, 1, "it goes to another worker: the same");
	ok(same(&o, &at_home), "... same");
	o = matched(6, BEFORE_SETUP, &maps);
	ok_eq(maps, 1, "its map is there before SETUP: the same");
	ok(same(&o, &at_home), "... same");
	o = matched(6, AFTER_MATCH, &maps);
	ok_eq(maps, 1, "its map comes after MATCH: the same");
	ok(same(&o, &at_home), "... same");
}

static void test_wide(void)
{
	uint64_t maps, none;
	const struct outcome at_home = matched(190, STAYS, &none);
	struct outcome o = matched(190, AFTER_SETUP, &maps);

	ok_range(maps, 4, INFINITY, "a wide map goes in %u parts: the same",
		 (unsigned int)maps);
	ok(same(&o, &at_home), "... same");
	o = matched(190, BEFORE_SETUP, &maps);
	ok_range(maps, 4, INFINITY, "before SETUP: the same");
	ok(same(&o, &at_home), "... same");
}

/*
 * Parcels
 */

struct piece {
	struct wire_map	head;
	char		tiles[8];
};

/* Of number @number, bytes @at to @end of @total. Return: of map_reassembly_take() */
static int take(struct map_reassembly *p, uint32_t from, uint32_t number,
		uint64_t at, uint64_t end, uint64_t total, size_t *len)
{
	static struct piece piece;
	const void *data = &piece;
	int ret;

	piece = (struct piece){ .head = { .update = number, .number = number,
					  .at = at, .total = total } };
	for (uint64_t i = at; i < end && i < at + sizeof(piece.tiles); i++)
		piece.tiles[i - at] = (char)('a' + i);
	*len = sizeof(struct wire_map) + end - at;
	ret = map_reassembly_take(p, from, &data, len);
	if (ret != 1)
		return ret;
	*len -= sizeof(struct wire_map);
	return memcmp((const struct wire_map *)data + 1, "abcdefghijklmnop",
		      *len) ? -EIO : 1;
}

static void test_parcels(void)
{
	struct map_reassembly p = { 0 };
	size_t len;

	ok_eq(take(&p, 1, 0, 0, 5, 5, &len), 1, "one part");
	ok_eq(len, 5, "... len");
	ok_eq(take(&p, 1, 0, 0, 0, 0, &len), 1, "no tiles");
	ok_eq(len, 0, "... len");
	ok_eq(take(&p, 1, 3, 0, 5, 12, &len), 0, "parts of two workers, mixed");
	ok_eq(take(&p, 2, 4, 0, 8, 9, &len), 0, "... take");
	ok_eq(take(&p, 1, 3, 5, 9, 12, &len), 0, "... take");
	ok_eq(take(&p, 2, 4, 8, 9, 9, &len), 1, "... take");
	ok_eq(len, 9, "... len");
	ok_eq(take(&p, 1, 3, 9, 12, 12, &len), 1, "... take");
	ok_eq(len, 12, "... len");
	ok_eq(take(&p, 1, 3, 0, 6, 5, &len), -EBADMSG,
	      "more than there is to be");
	ok_eq(take(&p, 1, 3, 6, 6, 5, &len), -EBADMSG, "... take");
	map_reassembly_free(&p);
	ok(!take(&p, 1, 3, 0, 5, 12, &len), "a part");
	map_reassembly_drop(&p, 3);
	ok(take(&p, 1, 3, 5, 12, 12, &len) == 1, "of this update, is kept");
	ok(!take(&p, 1, 3, 0, 5, 12, &len), "another one");
	map_reassembly_drop(&p, 4);
	ok(take(&p, 1, 3, 5, 12, 12, &len) == -EBADMSG,
	   "of before, is forgotten");
	map_reassembly_free(&p);
}

/*
 * Workers that cannot go on
 */

/* A worker that fails with @code at the first message of a type */
struct hand {
	int32_t		code;
	uint16_t	at;
};

static void *fail(void *arg)
{
	const struct hand *h = arg;
	struct bus *e = member(BUS_WORKER);
	struct bus_message m = { .type = 0 };

	while (!over && m.type != h->at)
		bus_receive(e, &m, 20);
	if (!over)
		tell(e, 0, WIRE_FAILED, &h->code, sizeof(h->code), NULL, 0);
	bus_close(e);
	return NULL;
}

/* A lost robot is searched for by the worker of its best particle */
static void test_lost(void)
{
	const struct slam_params p = few();
	struct particle_pool_remote_config config = { .workers = 2,
						      .fixed = 2 };
	struct trip *all = trip_make(&world, 90, 210), *usual = part;
	static struct pose alone[TRIP_READINGS], poses[TRIP_READINGS];
	struct filter *f = filter_create(&p, particle_pool_local(&p, 1));
	struct crew crew;

	part = trip_carried(all);
	ok_eq(drive(f, alone), 0, "a robot that is carried");
	ok_range(lost, 1, 20, "... is lost for a while");
	filter_destroy(f);
	crew = crew_open();
	config.engine = crew.engine;
	for (int i = 0; i < 2; i++)
		crew_add(&crew, go_on, NULL);
	f = filter_create(&p, particle_pool_remote(&p, &config));
	ok_eq(drive(f, poses), 0, "... by two workers");
	ok_mem(poses, alone, part->count * sizeof(*poses), "... the same bits");
	filter_destroy(f);
	crew_close(&crew);
	trip_free(part);
	trip_free(all);
	part = usual;
}

/* With a worker that fails, and @others that do not */
static int fails(int32_t code, uint16_t at, uint32_t others,
		 struct pose *poses)
{
	const struct slam_params p = few();
	struct particle_pool_remote_config config = {
		.workers = others + 1, .fixed = others + 1,
	};
	struct hand hand = { .code = code, .at = at };
	struct crew crew = crew_open();
	struct filter *f;
	int err;

	config.engine = crew.engine;
	crew_add(&crew, fail, &hand);
	for (uint32_t i = 0; i < others; i++)
		crew_add(&crew, go_on, NULL);
	f = filter_create(&p, particle_pool_remote(&p, &config));
	err = drive(f, poses);
	filter_destroy(f);
	crew_close(&crew);
	return err;
}

static void test_failures(void)
{
	const struct slam_params p = few();
	struct filter *f = filter_create(&p, particle_pool_local(&p, 1));
	struct pose alone[TRIP_READINGS], poses[TRIP_READINGS];

	if (drive(f, alone))
		abort();
	filter_destroy(f);
	ok_eq(fails(-ENOMEM, WIRE_MATCH, 2, poses), 0,
	      "a worker without memory leaves: the same bits by others");
	ok_mem(alone, poses, part->count * sizeof(*poses), "... alone");
	ok_eq(fails(-ENOMEM, WIRE_SETUP, 2, poses), 0,
	      "before it has done anything: the same");
	ok_mem(alone, poses, part->count * sizeof(*poses), "... alone");
	ok_eq(fails(-EBADMSG, WIRE_MATCH, 1, poses), 0,
	      "one that does not understand, likewise");
	ok_mem(alone, poses, part->count * sizeof(*poses), "... alone");
	ok(fails(-ERANGE, WIRE_MATCH, 1, poses) == -ERANGE,
	   "a map that is too large would be everywhere");
	ok(fails(-ENOMEM, WIRE_MATCH, 0, poses) == -ENOMEM,
	   "no worker is left, and none will come");
}

/* One of two workers leaves late */
static struct particle_pool_traffic leave_late(const struct slam_params *p,
					       const struct pose *alone)
{
	struct particle_pool_remote_config config = { .workers = 2,
						      .fixed = 2 };
	static struct pose poses[TRIP_READINGS];
	struct particle_pool_traffic traffic;
	struct crew crew = crew_open();
	unsigned int messages = 310;
	struct particle_pool *pool;
	struct filter *f;

	config.engine = crew.engine;
	crew_add(&crew, go_on, NULL);
	crew_add(&crew, go_on_until, &messages);
	pool = particle_pool_remote(p, &config);
	f = filter_create(p, pool);
	ok_eq(drive(f, poses), 0, "a worker leaves late");
	ok_mem(poses, alone, part->count * sizeof(*poses), "... the same bits");
	particle_pool_remote_traffic(pool, &traffic);
	ok_eq(traffic.left, 1, "... one left");
	filter_destroy(f);
	crew_close(&crew);
	return traffic;
}

/* Its particles are built again from their steps, of which there are many. On a
 * busy machine it may seem so slow that it has none: then another one leaves
 */
static void test_rebuilt(void)
{
	enum { TRIES = 20 };
	const struct slam_params p = few();
	struct trip *all = trip_make(&world, 90, 320), *usual = part;
	static struct pose alone[TRIP_READINGS];
	struct filter *f = filter_create(&p, particle_pool_local(&p, 1));
	struct particle_pool_traffic traffic = { .rebuilt = 0 };

	part = all;
	if (drive(f, alone))
		abort();
	filter_destroy(f);
	for (int i = 0; i < TRIES && !traffic.rebuilt; i++)
		traffic = leave_late(&p, alone);
	ok_range(traffic.rebuilt, 1, p.particles,
		 "... its particles are rebuilt");
	ok_range(traffic.moved, 1, (double)p.particles * part->count,
		 "... others had moved before");
	trip_free(all);
	part = usual;
}

/* Worker 1 gets a message that it cannot take; the next is not of interest */
static void refuses(enum wire_type type, const void *head, size_t len, bool setup,
		    const char *what)
{
	const struct slam_params params = slam_defaults;
	struct bus_message m;
	struct scene s;

	scene_open(&s);
	if (setup)
		tell(s.robot, 1, WIRE_SETUP, &params, sizeof(params), NULL, 0);
	work(s.worker[0]);
	tell(s.robot, 1, type, head, len, NULL, 0);
	ok_eq(worker_turn(s.worker[0], 0), -EBADMSG, "%s is refused", what);
	m = await(&s, WIRE_FAILED);
	ok_eq(m.from, 1, "... the robot hears of it");
	ok_eq(*(const int32_t *)m.data, -EBADMSG, "... and why");
	scene_close(&s);
}

/* A message with a reading of two beams */
struct look {
	struct wire_match	head;
	struct wire_reading	reading;
	float			range[2];
};

static const struct look look = {
	.head.again = -INFINITY,
	.reading = { .beams = 2, .angle_increment = .1f, .range_max = 10 },
	.range = { 3, 3 },
};

/* The scan of an update is kept until the next MATCH */
static void test_scan_is_dropped(void)
{
	const struct slam_params params = slam_defaults;
	struct wire_rebuild b = { .total = 1, .steps = 1 };
	const struct wire_step step = { .update = 0 };
	struct look second = look;
	struct scene s;

	second.head.update = 1;
	scene_open(&s);
	tell(s.robot, 1, WIRE_SETUP, &params, sizeof(params), NULL, 0);
	tell(s.robot, 1, WIRE_SCAN, &look, sizeof(look), NULL, 0);
	work(s.worker[0]);
	tell(s.robot, 1, WIRE_REBUILD, &b, sizeof(b), &step, sizeof(step));
	ok_eq(worker_turn(s.worker[0], 0), 1, "a particle is built of a scan");
	tell(s.robot, 1, WIRE_MATCH, &second, sizeof(second), NULL, 0);
	ok_eq(worker_turn(s.worker[0], 0), 1, "the next update");
	b.number = 1;
	tell(s.robot, 1, WIRE_REBUILD, &b, sizeof(b), &step, sizeof(step));
	ok_eq(worker_turn(s.worker[0], 0), -EBADMSG, "... drops the scan");
	scene_close(&s);
}

/* A worker does not write early while it waits for a particle */
static void test_setup_again(void)
{
	const struct slam_params params = slam_defaults;
	const struct wire_rebuild b = { .number = 1 };
	const struct wire_result *r;
	struct look again = look;
	struct bus_message m;
	struct scene s;

	again.head.early = 1;
	scene_open(&s);
	tell(s.robot, 2, WIRE_SETUP, &params, sizeof(params), NULL, 0);
	settle(&s, 2, 2);
	tell(s.robot, 2, WIRE_SETUP, &params, sizeof(params), NULL, 0);
	tell(s.robot, 2, WIRE_REBUILD, &b, sizeof(b), NULL, 0);
	tell(s.robot, 2, WIRE_MATCH, &again, sizeof(again), NULL, 0);
	again.head.update = 1;
	tell(s.robot, 2, WIRE_MATCH, &again, sizeof(again), NULL, 0);
	work(s.worker[1]);
	m = await(&s, WIRE_RESULT);
	r = m.data;
	ok_eq(r->early, 0, "the first update");
	m = await(&s, WIRE_RESULT);
	r = m.data;
	ok_range(r->early, 1, INFINITY,
		 "SETUP ends the wait for a particle: it is written early");
	scene_close(&s);
}

static void test_refused(void)
{
	struct slam_params params = slam_defaults;
	struct look still = look;
	const struct wire_map map = { .update = 0 };
	struct wire_rebuild none = { .total = 1, .at = 2 };
	struct wire_rebuild short_of = { .total = 2, .steps = 1 };
	struct wire_settle children = { .count = 1 };
	struct scene s;

	refuses(WIRE_SETUP, &params, sizeof(params) - 1, false, "a short SETUP");
	params.range_max = NAN;
	refuses(WIRE_SETUP, &params, sizeof(params), false, "SETUP without sense");
	refuses(WIRE_REBUILD, &none, sizeof(none), true, "a step behind the last");
	refuses(WIRE_REBUILD, &short_of, sizeof(short_of), true,
		"a step that is not there");
	refuses(WIRE_REBUILD, &none, sizeof(none) - 1, true, "a short REBUILD");
	refuses(WIRE_SETTLE, &children, sizeof(children), true,
		"a child that is not there");
	refuses(WIRE_MATCH, &look, sizeof(look) - 1, true,
		"a MATCH that is cut");
	still.head.motion.slip = -1;
	refuses(WIRE_MATCH, &still, sizeof(still), true,
		"a slip below nothing");
	refuses(WIRE_SCAN, &look, sizeof(look) - 1, true, "a SCAN that is cut");
	refuses(WIRE_NEED, &map, sizeof(map) - 1, true, "a short NEED");
	scene_open(&s);
	work(s.worker[0]);
	tell(s.robot, 1, WIRE_REBUILD, &none, sizeof(none), NULL, 0);
	ok_eq(worker_turn(s.worker[0], 0), 1, "before SETUP nothing matters");
	ok_eq(worker_turn(s.worker[0], 0), 0, "... and nothing waits");
	params = slam_defaults;
	tell(s.robot, 1, WIRE_SETUP, &params, sizeof(params), NULL, 0);
	work(s.worker[0]);
	tell(s.robot, 1, WIRE_NEED, &map, sizeof(map), NULL, 0);
	ok_eq(worker_turn(s.worker[0], 0), 1,
	      "after it, NEED of no places is fine");
	scene_close(&s);
}

int main(void)
{
	world_corridors(&world);
	part = trip_make(&world, 90, 60);
	test_moves();
	test_wide();
	test_parcels();
	test_lost();
	test_failures();
	test_rebuilt();
	trip_free(part);
	test_scan_is_dropped();
	test_setup_again();
	test_refused();
	return tap_done();
}
