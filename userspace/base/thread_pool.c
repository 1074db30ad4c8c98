// SPDX-License-Identifier: GPL-2.0-only
/*
 * thread_pool.c - a pool of threads that stays
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>
#include "base/thread.h"
#include "base/thread_pool.h"

struct crew {
	unsigned int	threads, made;
	pthread_t	thread[CREW_MAX];
	pthread_mutex_t	lock;		/* of those below */
	pthread_cond_t	work, done;
	uint64_t	round;
	unsigned int	busy;
	bool		end;
	void		(*job)(void *arg, uint32_t number, unsigned int thread);
	void		*arg;
	uint32_t	count;
	_Atomic uint32_t next;
	_Atomic uint64_t cpu;
};

/* What a thread begins with */
struct hand {
	struct crew	*crew;
	unsigned int	number;
};

uint64_t crew_own_cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void take_jobs(struct crew *c, unsigned int thread)
{
	const uint64_t start = crew_own_cpu();
	uint32_t number;

	while ((number = atomic_fetch_add(&c->next, 1)) < c->count)
		c->job(c->arg, number, thread);
	if (thread)
		atomic_fetch_add(&c->cpu, crew_own_cpu() - start);
}

static void *thread_pool_work(void *arg)
{
	struct hand *h = arg;
	struct crew *c = h->crew;
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
		if (!--c->busy)
			pthread_cond_signal(&c->done);
	}
	pthread_mutex_unlock(&c->lock);
	free(h);
	return NULL;
}

static bool add_thread(struct crew *c)
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

struct crew *crew_create(unsigned int threads)
{
	struct crew *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->threads = threads ? threads : thread_pool_processors();
	if (c->threads > CREW_MAX)
		c->threads = CREW_MAX;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->work, NULL);
	pthread_cond_init(&c->done, NULL);
	while (c->made + 1 < c->threads && add_thread(c))
		;
	if (c->made + 1 < c->threads) {
		crew_destroy(c);
		return NULL;
	}
	return c;
}

void crew_destroy(struct crew *c)
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

unsigned int crew_threads(const struct crew *c)
{
	return c->threads;
}

void crew_run(struct crew *c, uint32_t count,
	      void (*job)(void *arg, uint32_t number, unsigned int thread),
	      void *arg)
{
	pthread_mutex_lock(&c->lock);
	c->job = job;
	c->arg = arg;
	c->count = count;
	atomic_store(&c->next, 0);
	c->busy = c->made;
	c->round++;
	if (c->made)
		pthread_cond_broadcast(&c->work);
	pthread_mutex_unlock(&c->lock);
	take_jobs(c, 0);
	pthread_mutex_lock(&c->lock);
	while (c->busy)
		pthread_cond_wait(&c->done, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

uint64_t crew_cpu(const struct crew *c)
{
	return atomic_load(&c->cpu);
}
