// SPDX-License-Identifier: GPL-2.0-only
/*
 * thread_pool.c - a pool of permanent threads
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include "base/thread.h"
#include "base/thread_pool.h"

/**
 * struct thread_pool_group
 * @left:	a helper left
 * @open:	[@pools] the pool, while it runs jobs; NULL: it does not
 */
struct thread_pool_group {
	pthread_mutex_t		lock;
	pthread_cond_t		left;
	unsigned int		pools;
	struct thread_pool	*open[THREAD_POOL_MAX];
};

/**
 * struct thread_pool
 * @group:	NULL: none; @member: number in it
 * @helpers:	other owners that run its jobs, under the group's lock
 */
struct thread_pool {
	unsigned int	threads, made;
	pthread_t	thread[THREAD_POOL_MAX];
	pthread_mutex_t	lock;		/* of the fields below */
	pthread_cond_t	work, done;
	uint64_t	round;
	unsigned int	busy;
	bool		end;
	void		(*job)(void *arg, uint32_t number, unsigned int thread);
	void		*arg;
	uint32_t	count;
	_Atomic uint32_t next;
	_Atomic uint64_t cpu;
	struct thread_pool_group *group;
	unsigned int	member, helpers;
};

/* Argument of a new thread */
struct hand {
	struct thread_pool	*pool;
	unsigned int	number;
};

uint64_t thread_pool_own_cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void take_jobs(struct thread_pool *c, unsigned int thread)
{
	const uint64_t start = thread_pool_own_cpu();
	uint32_t number;

	while ((number = atomic_fetch_add(&c->next, 1)) < c->count)
		c->job(c->arg, number, thread);
	if (thread)
		atomic_fetch_add(&c->cpu, thread_pool_own_cpu() - start);
}

static void *thread_pool_work(void *arg)
{
	struct hand *h = arg;
	struct thread_pool *c = h->pool;
	uint64_t round = 0;

	pthread_mutex_lock(&c->lock);
	for (;;) {
		while (c->round == round && !c->end)
			pthread_cond_wait(&c->work, &c->lock);
		if (c->end)
			break;
		round = c->round;
		pthread_mutex_unlock(&c->lock);
		take_jobs(c, h->number);
		pthread_mutex_lock(&c->lock);
		assert(c->busy && c->busy <= c->made);
		if (!--c->busy)
			pthread_cond_signal(&c->done);
	}
	pthread_mutex_unlock(&c->lock);
	free(h);
	return NULL;
}

static bool add_thread(struct thread_pool *c)
{
	struct hand *h = malloc(sizeof(*h));

	if (!h)
		return false;
	*h = (struct hand){ c, c->made + 1 };
	if (thread_start(c->thread + c->made, thread_pool_work, h)) {
		free(h);
		return false;
	}
	c->made++;
	return true;
}

static unsigned int thread_pool_processors(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	return (unsigned int)CPU_COUNT(&set);
}

struct thread_pool *thread_pool_create(unsigned int threads)
{
	struct thread_pool *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->threads = threads ? threads : thread_pool_processors();
	if (c->threads > THREAD_POOL_MAX)
		c->threads = THREAD_POOL_MAX;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->work, NULL);
	pthread_cond_init(&c->done, NULL);
	while (c->made + 1 < c->threads && add_thread(c))
		;
	if (c->made + 1 < c->threads) {
		thread_pool_destroy(c);
		return NULL;
	}
	return c;
}

void thread_pool_destroy(struct thread_pool *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->end = true;
	pthread_cond_broadcast(&c->work);
	pthread_mutex_unlock(&c->lock);
	for (unsigned int i = 0; i < c->made; i++)
		pthread_join(c->thread[i], NULL);
	pthread_cond_destroy(&c->work);
	pthread_cond_destroy(&c->done);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

unsigned int thread_pool_threads(const struct thread_pool *c)
{
	return c->threads + (c->group ? c->group->pools : 0);
}

/*
 * Groups
 */

struct thread_pool_group *thread_pool_group_create(unsigned int pools)
{
	struct thread_pool_group *g = calloc(1, sizeof(*g));

	assert(pools && pools <= THREAD_POOL_MAX);
	if (!g)
		return NULL;
	g->pools = pools;
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->left, NULL);
	return g;
}

void thread_pool_group_destroy(struct thread_pool_group *g)
{
	if (!g)
		return;
	pthread_cond_destroy(&g->left);
	pthread_mutex_destroy(&g->lock);
	free(g);
}

void thread_pool_join(struct thread_pool *c, struct thread_pool_group *g,
		      unsigned int member)
{
	assert(member < g->pools);
	c->group = g;
	c->member = member;
}

static void group_open(struct thread_pool *c)
{
	struct thread_pool_group *g = c->group;

	if (!g)
		return;
	pthread_mutex_lock(&g->lock);
	assert(!g->open[c->member] && !c->helpers);
	g->open[c->member] = c;
	pthread_mutex_unlock(&g->lock);
}

static void group_close(struct thread_pool *c)
{
	struct thread_pool_group *g = c->group;

	if (!g)
		return;
	pthread_mutex_lock(&g->lock);
	g->open[c->member] = NULL;
	while (c->helpers)
		pthread_cond_wait(&g->left, &g->lock);
	pthread_mutex_unlock(&g->lock);
}

bool thread_pool_help(struct thread_pool_group *g, unsigned int member)
{
	bool helped = false;

	pthread_mutex_lock(&g->lock);
	for (unsigned int i = 1; i < g->pools; i++) {
		struct thread_pool *c = g->open[(member + i) % g->pools];

		if (!c || atomic_load(&c->next) >= c->count)
			continue;
		c->helpers++;
		pthread_mutex_unlock(&g->lock);
		take_jobs(c, c->threads + member);
		pthread_mutex_lock(&g->lock);
		assert(c->helpers);
		if (!--c->helpers)
			pthread_cond_broadcast(&g->left);
		helped = true;
	}
	pthread_mutex_unlock(&g->lock);
	return helped;
}

void thread_pool_run(struct thread_pool *c, uint32_t count,
		     void (*job)(void *arg, uint32_t number,
				 unsigned int thread),
		     void *arg)
{
	pthread_mutex_lock(&c->lock);
	c->job = job;
	c->arg = arg;
	c->count = count;
	atomic_store(&c->next, 0);
	assert(!c->busy);
	c->busy = c->made;
	c->round++;
	if (c->made)
		pthread_cond_broadcast(&c->work);
	pthread_mutex_unlock(&c->lock);
	group_open(c);
	take_jobs(c, 0);
	group_close(c);
	pthread_mutex_lock(&c->lock);
	while (c->busy)
		pthread_cond_wait(&c->done, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

uint64_t thread_pool_cpu(const struct thread_pool *c)
{
	return atomic_load(&c->cpu);
}
