// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_thread_pool - every job once, on all threads, and on those of other
 * pools that have nothing to do
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include "base/thread_pool.h"
#include "tap.h"

enum { JOBS = 1000, POOLS = 4, ROUNDS = 200 };

/**
 * struct work
 * @done:	times that job i was run
 * @by:		jobs of each thread
 * @helped:	jobs by threads from @own on
 */
struct work {
	_Atomic unsigned int	done[JOBS];
	_Atomic unsigned int	by[THREAD_POOL_MAX];
	unsigned int		own;
	_Atomic unsigned int	helped;
};

static void work(void *arg, uint32_t number, unsigned int thread)
{
	struct work *w = arg;

	w->done[number]++;
	w->by[thread]++;
	w->helped += thread >= w->own;
}

static bool all_once(const struct work *w, uint32_t count)
{
	for (uint32_t i = 0; i < JOBS; i++)
		if (w->done[i] != (i < count))
			return false;
	return true;
}

static void test_alone(void)
{
	static struct work w;
	struct thread_pool *c = thread_pool_create(3);

	w.own = 3;
	ok_eq(thread_pool_threads(c), 3, "three threads");
	thread_pool_run(c, 0, work, &w);
	ok(all_once(&w, 0), "no jobs");
	thread_pool_run(c, JOBS, work, &w);
	ok(all_once(&w, JOBS), "each job once");
	ok_eq(w.helped, 0, "... by threads of the pool");
	thread_pool_destroy(c);
}

/*
 * A group
 */

static struct thread_pool_group *group;
static _Atomic bool over;

/* The first job takes until another thread has run one */
static void slow(void *arg, uint32_t number, unsigned int thread)
{
	struct work *w = arg;

	work(arg, number, thread);
	while (!number && !w->helped)
		usleep(100);
}

static void *help(void *arg)
{
	const unsigned int member = *(const unsigned int *)arg;

	while (!over)
		if (!thread_pool_help(group, member))
			usleep(100);
	return NULL;
}

/* A pool whose own thread is slow is helped */
static void test_helped(void)
{
	static struct work w;
	const unsigned int other = 1;
	struct thread_pool *c = thread_pool_create(1);
	pthread_t thread;

	over = false;
	group = thread_pool_group_create(2);
	thread_pool_join(c, group, 0);
	ok_eq(thread_pool_threads(c), 3, "its thread, and those of the group");
	ok(!thread_pool_help(group, 1), "no pool needs help");
	w.own = 1;
	if (pthread_create(&thread, NULL, help, (void *)&other))
		abort();
	thread_pool_run(c, JOBS, slow, &w);
	ok(all_once(&w, JOBS), "each job once");
	ok_range(w.helped, 1, JOBS, "... by the other member, too");
	ok_eq(w.by[0] + w.by[2], JOBS, "... which has a number of its own");
	over = true;
	pthread_join(thread, NULL);
	thread_pool_destroy(c);
	thread_pool_group_destroy(group);
}

/* All run their own jobs, and then those of others */
static void *run_and_help(void *arg)
{
	const unsigned int member = *(const unsigned int *)arg;
	struct thread_pool *c = thread_pool_create(1);
	unsigned int *wrong = calloc(1, sizeof(*wrong));

	thread_pool_join(c, group, member);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		struct work *w = calloc(1, sizeof(*w));
		const uint32_t count = 1 + (member * 7 + i) % 50;

		w->own = 1;
		thread_pool_run(c, count, work, w);
		*wrong += !all_once(w, count);
		free(w);
		thread_pool_help(group, member);
	}
	thread_pool_destroy(c);
	return wrong;
}

static void test_all_help(void)
{
	unsigned int number[POOLS], sum = 0;
	pthread_t thread[POOLS];

	group = thread_pool_group_create(POOLS);
	for (unsigned int i = 0; i < POOLS; i++) {
		number[i] = i;
		if (pthread_create(thread + i, NULL, run_and_help, number + i))
			abort();
	}
	for (unsigned int i = 0; i < POOLS; i++) {
		void *wrong;

		pthread_join(thread[i], &wrong);
		sum += *(unsigned int *)wrong;
		free(wrong);
	}
	ok_eq(sum, 0, "all help each other: each job once, before run() ends");
	thread_pool_group_destroy(group);
	thread_pool_group_destroy(NULL);
}

int main(void)
{
	test_alone();
	test_helped();
	test_all_help();
	return tap_done();
}
