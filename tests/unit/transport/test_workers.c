// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_workers - threads and their jobs: which begin, in which order, and what
 * becomes of them at the end
 *
 * A job waits at its gate until the test opens it.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include "steps.h"
#include "tap.h"
#include "transport/workers.h"

enum { JOBS = 8 };

/**
 * struct work - a job
 * @gate:	it waits there, if it is @shut
 * @place:	in the order in which jobs began; 0: it did not
 * @done:	how often that was called
 */
struct work {
	struct job	job;
	sem_t		gate;
	bool		shut;
	atomic_uint	place;
	unsigned int	done;
	uint64_t	cpu;
	pthread_t	thread;
};

struct test {
	struct loop	*loop;
	struct steps	steps;
	struct workers	*workers;
	struct work	work[JOBS];
	unsigned int	wanted;
};

static atomic_uint begun;

static void on_run(void *arg)
{
	struct work *w = arg;
	volatile unsigned int n = 0;

	w->thread = pthread_self();
	atomic_store(&w->place, atomic_fetch_add(&begun, 1) + 1);
	while (w->shut && sem_wait(&w->gate))
		;
	while (n < 1000000)
		n++;
}

static void on_done(void *arg, uint64_t cpu)
{
	struct work *w = arg;

	w->done++;
	w->cpu = cpu;
}

static void open_gate(struct work *w)
{
	sem_post(&w->gate);
}

/* Begin job @i, that is expected to take @expected ns */
static void put(struct test *t, unsigned int i, uint64_t expected, bool shut)
{
	struct work *w = &t->work[i];

	w->job = (struct job){ .run = on_run, .done = on_done, .arg = w,
			       .expected = expected };
	w->shut = shut;
	atomic_store(&w->place, 0);
	w->done = 0;
	workers_begin(t->workers, &w->job);
}

static bool has_begun(struct test *t)
{
	return atomic_load(&t->work[t->wanted].place);
}

static bool is_done(struct test *t)
{
	return t->work[t->wanted].done;
}

/* Return: whether it began in time */
static bool begins(struct test *t, unsigned int i)
{
	t->wanted = i;
	return steps_until(&t->steps, has_begun, NULL);
}

static bool ends(struct test *t, unsigned int i)
{
	t->wanted = i;
	return steps_until(&t->steps, is_done, NULL);
}

static void begin(struct test *t, unsigned int threads)
{
	memset(t, 0, sizeof(*t));
	atomic_store(&begun, 0);
	for (unsigned int i = 0; i < JOBS; i++)
		sem_init(&t->work[i].gate, 0, 0);
	t->loop = loop_create();
	steps_begin(&t->steps, t->loop, t);
	if (workers_create(&t->workers, t->loop, threads))
		abort();
}

static void end(struct test *t)
{
	workers_destroy(t->workers);
	steps_end(&t->steps);
	loop_destroy(t->loop);
	for (unsigned int i = 0; i < JOBS; i++)
		sem_destroy(&t->work[i].gate);
}

/* Without threads */
static void test_none(void)
{
	static struct test t;

	atomic_store(&begun, 0);
	put(&t, 0, 0, false);
	ok_eq(t.work[0].done, 1, "without threads a job is done at once");
	ok(t.work[0].cpu > 0, "its time is known");
	ok(pthread_equal(t.work[0].thread, pthread_self()), "by the caller");
	ok_eq(workers_cores(NULL), 1, "on one processor");
	ok(workers_cancel(NULL, &t.work[0].job), "nothing runs");
}

static void test_order(void)
{
	static struct test t;
	uint64_t cpu;

	begin(&t, 1);
	put(&t, 0, 0, true);
	ok(begins(&t, 0), "a job of which nothing is known begins");
	ok(!pthread_equal(t.work[0].thread, pthread_self()), "on a thread");
	for (unsigned int i = 1; i < 4; i++)
		put(&t, i, WORKERS_SHORT + 1, false);
	put(&t, 4, WORKERS_SHORT, false);
	put(&t, 5, 1, false);
	ok(ends(&t, 5), "short ones do not wait for it");
	ok_eq(t.work[4].done, 1, "one after the other");
	ok(atomic_load(&t.work[4].place) < atomic_load(&t.work[5].place),
	   "in their order");
	ok_eq(atomic_load(&t.work[1].place), 0, "a long one waits");
	ok_eq(t.work[0].done, 0, "as the first one goes on");
	ok(workers_cpu(t.workers) >= t.work[4].cpu + t.work[5].cpu,
	   "the time of both counts");
	open_gate(&t.work[0]);
	ok(ends(&t, 3), "then the long ones are done");
	ok_eq(atomic_load(&t.work[1].place), 4, "in their order, too");
	ok_eq(atomic_load(&t.work[2].place), 5, "the second");
	ok_eq(atomic_load(&t.work[3].place), 6, "and the third");
	cpu = 0;
	for (unsigned int i = 0; i < 6; i++)
		cpu += t.work[i].cpu;
	ok_eq(workers_cpu(t.workers), cpu, "the time of all is that of each");
	put(&t, 0, 0, false);
	ok(ends(&t, 0), "a job may run again");
	end(&t);
}

/* As many long jobs at once as there are threads for them */
static void test_threads(void)
{
	static struct test t;

	begin(&t, 3);
	for (unsigned int i = 0; i < 4; i++)
		put(&t, i, 0, true);
	for (unsigned int i = 0; i < 3; i++)
		ok(begins(&t, i), "three threads have three jobs: %u", i);
	put(&t, 4, 1, true);
	ok(begins(&t, 4), "and a short one");
	ok_eq(atomic_load(&t.work[3].place), 0, "but no fourth");
	ok_range(workers_cores(t.workers), 1, 3, "on as many processors");
	open_gate(&t.work[1]);
	ok(begins(&t, 3), "until one of them is done");
	for (unsigned int i = 0; i < 5; i++)
		open_gate(&t.work[i]);
	for (unsigned int i = 0; i < 5; i++)
		ok(ends(&t, i), "job %u is done", i);
	end(&t);
}

static void test_cancel(void)
{
	static struct test t;

	begin(&t, 1);
	put(&t, 0, 0, true);
	begins(&t, 0);
	for (unsigned int i = 1; i < 4; i++)
		put(&t, i, 0, false);
	ok(workers_cancel(t.workers, &t.work[2].job), "a job that waits");
	ok(!workers_cancel(t.workers, &t.work[0].job), "one that runs");
	put(&t, 5, 1, true);
	begins(&t, 5);
	put(&t, 4, 1, false);
	ok(workers_cancel(t.workers, &t.work[4].job), "a short one");
	open_gate(&t.work[5]);
	open_gate(&t.work[0]);
	ok(ends(&t, 3), "the others are done");
	ok_eq(t.work[0].done, 1, "the one that ran");
	ok_eq(t.work[1].done, 1, "the one before");
	ok_eq(t.work[2].done, 0, "not the one that was cancelled");
	ok_eq(atomic_load(&t.work[2].place), 0, "which never began");
	ok_eq(atomic_load(&t.work[4].place), 0, "nor did the short one");
	end(&t);
}

/* What runs at the end is done, too */
static void *open_late(void *arg)
{
	open_gate(arg);
	return NULL;
}

static void test_end(void)
{
	static struct test t;
	pthread_t thread;

	begin(&t, 2);
	put(&t, 0, 0, true);
	put(&t, 1, 0, true);
	begins(&t, 0);
	begins(&t, 1);
	open_gate(&t.work[1]);
	if (pthread_create(&thread, NULL, open_late, &t.work[0]))
		abort();
	end(&t);
	pthread_join(thread, NULL);
	ok_eq(t.work[0].done, 1, "a job that runs at the end is done");
	ok_eq(t.work[1].done, 1, "each of them");
}

static void test_counts(void)
{
	struct loop *l = loop_create();
	struct workers *w;
	cpu_set_t set;
	unsigned int cores;

	sched_getaffinity(0, sizeof(set), &set);
	cores = CPU_COUNT(&set);
	ok_eq(workers_create(&w, l, WORKERS_MOST + 100), 0, "too many threads");
	ok_eq(workers_cores(w), cores < WORKERS_MOST ? cores : WORKERS_MOST,
	      "are as many as may be");
	workers_destroy(w);
	ok_eq(workers_create(&w, l, 0), 0, "as many as are usual");
	ok_eq(workers_cores(w), cores < WORKERS_USUAL ? cores : WORKERS_USUAL,
	      "one for each processor");
	workers_destroy(w);
	ok_eq(workers_create(&w, l, 1), 0, "a single one");
	ok_eq(workers_cores(w), 1, "for a single processor");
	workers_destroy(w);
	workers_destroy(NULL);
	loop_destroy(l);
	ok_eq(workers_expect(0, 0), 1, "something is expected of any job");
	ok_eq(workers_expect(0, 500), 500, "as much as the last one took");
	ok_eq(workers_expect(800, 900), 900, "or more");
	ok_eq(workers_expect(800, 500), 700, "if it took less, a bit less");
	ok_eq(workers_expect(800, 701), 701, "but no less than it took");
}

int main(void)
{
	test_none();
	test_order();
	test_threads();
	test_cancel();
	test_end();
	test_counts();
	return tap_done();
}
