// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_slam_pool - the coordinator of workers: scans it keeps, members that
 * send nonsense, what it counts and logs, and waiting that a user ends
 */
#include <errno.h>
#include <syslog.h>
#include <unistd.h>
#include "base/thread_pool.h"
#include "pool_fixture.h"
#include "slam/workers/scans.h"

enum { WORKERS = 2 };

/*
 * Scans by their update
 */

static void test_scans(void)
{
	float range[4] = { 1, 2, 3, 4 };
	const struct reading r = {
		.stamp = 5, .beams = 4, .range_max = 10, .angle_increment = .1f,
		.range = range,
	};
	struct reading bad = r;
	struct scans s = { .count = 0 };
	struct wire_reading *copy = scans_copy(&r);
	const size_t len = scans_size(copy);

	ok(!scans_at(&s, 0), "no scan");
	ok_eq(scans_add(&s, 3, &r), 0, "a scan");
	ok(!scans_at(&s, 2), "... none before it");
	ok(!scans_at(&s, 4), "... none after it");
	ok(scans_at(&s, 3), "... is kept");
	ok_near(scans_reading(scans_at(&s, 3)).range[3], 4, 0, "... whole");
	range[3] = 7;
	ok_near(scans_reading(scans_at(&s, 3)).range[3], 4, 0, "... a copy");
	ok_eq(scans_add(&s, 3, &r), 0, "another one for this update");
	ok_near(scans_reading(scans_at(&s, 3)).range[3], 7, 0, "... is new");
	ok_eq(scans_put(&s, 2000, copy, len), 0, "one much later");
	ok_eq(scans_at(&s, 2000)->stamp, 5, "... is kept");
	ok(!scans_at(&s, 1999), "... alone");
	ok(scans_at(&s, 3), "... and the first one, too");
	ok_eq(scans_add(&s, SCANS_MAX, &r), -E2BIG, "too many");
	ok_eq(scans_put(&s, SCANS_MAX, copy, len), -E2BIG, "... from others");
	ok_eq(scans_put(&s, 1, copy, len - 1), -EBADMSG, "a short one");
	ok_eq(scans_put(&s, 1, copy, sizeof(*copy) - 1), -EBADMSG,
	      "... without its head");
	copy->beams = READING_BEAMS_MAX + 1;
	ok_eq(scans_put(&s, 1, copy, len), -EBADMSG, "too many beams");
	bad.laser.yaw = 1e302;
	ok_eq(scans_add(&s, 1, &bad), -EBADMSG, "a laser that turned on");
	bad.laser.yaw = 0;
	bad.range_max = NAN;
	ok_eq(scans_add(&s, 1, &bad), -EBADMSG, "a range that is none");
	ok(!scans_at(&s, 1), "... is not kept");
	free(copy);
	scans_free(&s);
	ok(!scans_at(&s, 3), "all are freed");
}

/*
 * The coordinator
 */

static char said[4096];		/* its log */
static unsigned int warnings;

static void on_log(void *arg, int priority, const char *line)
{
	const size_t used = strlen(said);

	(void)arg;
	warnings += priority == LOG_WARNING;
	snprintf(said + used, sizeof(said) - used, "%s\n", line);
}

/* As tell() to the coordinator, unless it has no room */
static void try_tell(struct bus *e, enum wire_type type, const void *data,
		     size_t len)
{
	const struct iovec iov = { (void *)data, len };

	bus_send(e, 0, type, &iov, 1);
}

/* Nonsense to the coordinator, which none of the particles must heed */
static void lie(struct bus *e)
{
	static const struct {
		struct wire_result	head;
		struct wire_outcome	outcome[3];
	} late = { { .update = UINT64_MAX, .count = 3 },
		   { { .number = 0 }, { .number = 1 }, { .number = 2 } } },
	  other = { { .round = 77, .count = 3 },
		    { { .number = 0 }, { .number = 1 }, { .number = 2 } } },
	  huge = { { .count = UINT32_MAX }, { { .number = 0 } } },
	  beyond = { { .count = 1 }, { { .number = UINT32_MAX } } };
	static const int32_t failed = -ENOMEM;

	try_tell(e, WIRE_RESULT, &late, sizeof(late));
	try_tell(e, WIRE_RESULT, &other, sizeof(other));
	try_tell(e, WIRE_RESULT, &huge, sizeof(huge));
	try_tell(e, WIRE_RESULT, &beyond, sizeof(beyond));
	try_tell(e, WIRE_RESULT, &late, sizeof(late.head) - 1);
	try_tell(e, WIRE_FAILED, &failed, 1);
	try_tell(e, WIRE_MAP, NULL, 0);
}

/* A worker that works, and lies before each message that it takes */
static void *go_on_lying(void *arg)
{
	struct bus *e = member(BUS_WORKER);
	struct worker *w = worker_create(e, 1, NULL, NULL);
	int ret = 0;

	(void)arg;
	while (!over && ret >= 0) {
		ret = worker_turn(w, 20);
		if (ret > 0)
			lie(e);
	}
	worker_destroy(w);
	bus_close(e);
	return NULL;
}

/* A worker that waits for a processor before each message */
static void *go_on_slowly(void *arg)
{
	struct bus *e = member(BUS_WORKER);
	struct worker *w = worker_create(e, 1, NULL, NULL);
	int ret = 0;

	(void)arg;
	while (!over && ret >= 0) {
		if (bus_wait(e, 20))
			usleep(100000);
		ret = worker_turn(w, 0);
	}
	worker_destroy(w);
	bus_close(e);
	return NULL;
}

struct run {
	struct pose			pose[TRIP_READINGS];
	struct particle_pool_traffic	traffic;
	struct particles_use		use;
	uint32_t			slow;	/* updates that took time */
	uint64_t			ranked[2];
	int				err;
};

static void run(struct run *r, void *(*second)(void *arg))
{
	const struct slam_params p = few();
	struct particle_pool_remote_config config = {
		.workers = WORKERS, .log = on_log,
	};
	struct particle_pool *pool;
	struct crew crew = crew_open();
	struct filter *f;

	memset(r, 0, sizeof(*r));
	*said = 0;
	warnings = 0;
	config.engine = crew.engine;
	crew_add(&crew, go_on, NULL);
	crew_add(&crew, second, NULL);
	pool = particle_pool_remote(&p, &config);
	f = filter_create(&p, pool);
	r->err = drive(f, r->pose);
	particle_pool_remote_traffic(pool, &r->traffic);
	pool->ops->use(pool, &r->use);
	for (uint32_t i = 0; i < r->traffic.updates; i++)
		r->slow += r->traffic.slowest[i] > 0;
	for (uint32_t i = 0; i < r->traffic.ranks && i < 2; i++)
		r->ranked[i] = r->traffic.ranked[i];
	filter_destroy(f);
	crew_close(&crew);
}

static void test_counts(const struct pose *alone)
{
	const struct slam_params p = few();
	struct run r;

	run(&r, go_on);
	ok_eq(r.err, 0, "two workers");
	ok_mem(r.pose, alone, part->count * sizeof(*alone), "... the same bits");
	ok_eq(r.traffic.joined, WORKERS, "both joined");
	ok_eq(r.traffic.left, 0, "and stayed");
	ok_eq(r.traffic.rebuilt, 0, "so that nothing was rebuilt");
	ok_range(r.traffic.moved, 1, (double)p.particles * part->count,
		 "particles moved");
	ok_eq(r.traffic.updates, part->count, "each reading is an update");
	ok_eq(r.slow, part->count, "which took time");
	ok_eq(r.traffic.ranks, WORKERS, "ranks of two");
	ok_eq(r.ranked[0] + r.ranked[1], r.traffic.all.evaluations,
	      "which evaluated all poses");
	ok(r.ranked[0] >= r.ranked[1], "the busier one first");
	ok(r.ranked[1] > 0, "both did work");
	ok_eq(r.traffic.most.evaluations, r.ranked[0], "the most at each update");
	ok(r.traffic.all.messages > 0, "maps went between workers");
	ok(r.traffic.all.bytes > r.traffic.all.messages, "with their bytes");
	ok(r.traffic.all.cpu > r.traffic.all.early, "time of all");
	ok(r.traffic.all.cpu >= r.traffic.most.cpu, "and the most");
	ok(r.use.bytes > 0, "memory in use");
	ok(r.use.peak >= r.use.bytes, "was at its peak at least that");
	ok(r.use.peak < 1ULL << 40, "and not more than there is");
	ok(r.use.cpu >= r.traffic.all.cpu, "processor time");
	ok(strstr(said, "waiting for 2 workers\n") != NULL, "it logs: waiting");
	ok(strstr(said, " joined: 1 workers\n") != NULL, "... the first one");
	ok(strstr(said, " joined: 2 workers\n") != NULL, "... the second one");
	ok_eq(warnings, 0, "without a warning");
}

static void test_lies(const struct pose *alone)
{
	struct run r;

	run(&r, go_on_lying);
	ok_eq(r.err, 0, "a worker that also sends nonsense");
	ok_mem(r.pose, alone, part->count * sizeof(*alone), "... the same bits");
	ok_eq(r.traffic.left, 0, "... stays");
}

static void test_slow(const struct pose *alone)
{
	struct run r;

	run(&r, go_on_slowly);
	ok_eq(r.err, 0, "a worker that is slow");
	ok_mem(r.pose, alone, part->count * sizeof(*alone), "... the same bits");
	ok_range(r.traffic.shared, 1, part->count, "others take its particles");
	ok(r.ranked[1] < r.ranked[0] / 4, "... most of the time all of them");
}

static struct thread_pool_group *group;

/* Workers of one process */
static void *go_on_helping(void *arg)
{
	const unsigned int *number = arg;
	struct bus *e = member(BUS_WORKER);
	struct worker *w = worker_create(e, 1, NULL, NULL);
	int ret = 0;

	worker_join(w, group, *number);
	while (!over && ret >= 0) {
		ret = worker_turn(w, 0);
		if (!ret && !thread_pool_help(group, *number))
			ret = worker_turn(w, 20);
	}
	worker_destroy(w);
	bus_close(e);
	return NULL;
}

static void test_helping(const struct pose *alone)
{
	const struct slam_params p = few();
	struct particle_pool_remote_config config = { .workers = WORKERS };
	static const unsigned int number[WORKERS] = { 0, 1 };
	static struct pose pose[TRIP_READINGS];
	struct crew crew = crew_open();
	struct filter *f;

	group = thread_pool_group_create(WORKERS);
	config.engine = crew.engine;
	for (int i = 0; i < WORKERS; i++)
		crew_add(&crew, go_on_helping, (void *)(number + i));
	f = filter_create(&p, particle_pool_remote(&p, &config));
	ok_eq(drive(f, pose), 0, "workers of one process help each other");
	ok_mem(pose, alone, part->count * sizeof(*alone), "... the same bits");
	filter_destroy(f);
	crew_close(&crew);
	thread_pool_group_destroy(group);
}

static bool at_once(void *arg)
{
	++*(unsigned int *)arg;
	return true;
}

/* No worker comes, and the user ends it */
static void test_interrupted(void)
{
	const struct slam_params p = few();
	unsigned int asked = 0;
	struct particle_pool_remote_config config = {
		.workers = 1, .interrupted = at_once, .log = on_log,
		.arg = &asked,
	};
	struct crew crew = crew_open();
	struct filter_result result;
	struct filter *f;

	*said = 0;
	config.engine = crew.engine;
	f = filter_create(&p, particle_pool_remote(&p, &config));
	ok_eq(filter_read(f, part->reading, &result), -EINTR,
	      "waiting for workers ends with a signal");
	ok_eq(asked, 1, "which is looked for");
	ok_str(said, "waiting for 1 workers\n", "it says what it waits for");
	filter_destroy(f);
	crew_close(&crew);
}

int main(void)
{
	const struct slam_params p = few();
	static struct pose alone[TRIP_READINGS];
	struct filter *f;

	test_scans();
	world_corridors(&world);
	part = trip_make(&world, 90, 320);
	f = filter_create(&p, particle_pool_local(&p, 1));
	if (drive(f, alone))
		abort();
	filter_destroy(f);
	test_counts(alone);
	test_lies(alone);
	test_slow(alone);
	test_helping(alone);
	test_interrupted();
	trip_free(part);
	return tap_done();
}
