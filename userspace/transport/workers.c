// SPDX-License-Identifier: GPL-2.0-only
/*
 * workers - threads that encode and decode, so that the loop is never blocked
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "base/thread.h"
#include "transport/workers.h"

/* Jobs in order */
STAILQ_HEAD(queue, job);

struct workers {
	struct loop	*loop;
	struct loop_fd	watch;		/* an eventfd: jobs have finished */
	unsigned int	threads;	/* for long jobs */
	unsigned int	made;
	pthread_t	thread[WORKERS_MOST + 1];
	pthread_mutex_t	lock;		/* of all fields below */
	pthread_cond_t	work;
	struct queue	shorts, longs, finished;
	unsigned int	running;	/* long jobs */
	uint64_t	cpu;
	bool		end;
};

static struct job *queue_take(struct queue *q)
{
	struct job *j = STAILQ_FIRST(q);

	if (j)
		STAILQ_REMOVE_HEAD(q, next);
	return j;
}

/* The next job that may begin, or NULL */
static struct job *next_job(struct workers *w)
{
	struct job *j = queue_take(&w->shorts);

	assert(w->running <= w->threads);
	if (j || w->running == w->threads)
		return j;
	j = queue_take(&w->longs);
	w->running += j != NULL;
	return j;
}

static void workers_finish(struct workers *w, struct job *j)
{
	static const uint64_t one = 1;

	assert(j->state == JOB_RUNNING);
	assert(!j->is_long || w->running);
	w->cpu += j->cpu;
	w->running -= j->is_long;
	j->state = JOB_FINISHED;
	STAILQ_INSERT_TAIL(&w->finished, j, next);
	/* this thread may take a short job first */
	if (j->is_long && !STAILQ_EMPTY(&w->longs))
		pthread_cond_signal(&w->work);
	/* it is full only if the loop never reads it */
	if (write(w->watch.fd, &one, sizeof(one)) < 0)
		return;
}

static void *workers_work(void *arg)
{
	struct workers *w = arg;
	struct job *j;

	pthread_mutex_lock(&w->lock);
	while (!w->end) {
		uint64_t begun;

		j = next_job(w);
		if (!j) {
			pthread_cond_wait(&w->work, &w->lock);
			continue;
		}
		assert(j->state == JOB_WAITING);
		j->state = JOB_RUNNING;
		pthread_mutex_unlock(&w->lock);
		begun = loop_cpu();
		j->run(j->arg);
		j->cpu = loop_cpu() - begun;
		pthread_mutex_lock(&w->lock);
		workers_finish(w, j);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static struct job *take_finished(struct workers *w, bool *more)
{
	struct job *j;

	pthread_mutex_lock(&w->lock);
	j = queue_take(&w->finished);
	assert(!j || j->state == JOB_FINISHED);
	if (j)
		j->state = JOB_IDLE;
	*more = !STAILQ_EMPTY(&w->finished);
	pthread_mutex_unlock(&w->lock);
	return j;
}

/* One at a time, so that sockets and timers are served in between */
static void on_finished(void *arg, uint32_t events)
{
	struct workers *w = arg;
	uint64_t count;
	struct job *j;
	bool more;

	(void)events;
	if (read(w->watch.fd, &count, sizeof(count)) < 0)
		return;
	j = take_finished(w, &more);
	count = 1;
	if (more && write(w->watch.fd, &count, sizeof(count)) < 0)
		return;
	if (j)
		j->done(j->arg, j->cpu);
}

/* Processors available to this process */
static unsigned int workers_processors(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
}

static unsigned int workers_usual(void)
{
	unsigned int n = workers_processors();

	return n < WORKERS_USUAL ? n : WORKERS_USUAL;
}

/* Return: 0 or a negative errno if no thread could be created */
static int make_threads(struct workers *w)
{
	int err = 0;

	while (!err && w->made < w->threads + 1) {
		err = thread_start(&w->thread[w->made], workers_work, w);
		w->made += !err;
	}
	return err;
}

int workers_create(struct workers **out, struct loop *l, unsigned int threads)
{
	struct workers *w = calloc(1, sizeof(*w));
	int err, fd;

	if (!w)
		return -ENOMEM;
	w->loop = l;
	w->threads = threads ? threads : workers_usual();
	if (w->threads > WORKERS_MOST)
		w->threads = WORKERS_MOST;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->work, NULL);
	STAILQ_INIT(&w->shorts);
	STAILQ_INIT(&w->longs);
	STAILQ_INIT(&w->finished);
	w->watch.ready = on_finished;
	w->watch.arg = w;
	w->watch.fd = -1;
	fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = fd < 0 ? -errno : loop_watch(l, &w->watch, fd, EPOLLIN);
	if (err && fd >= 0) {
		close(fd);
		w->watch.fd = -1;
	}
	if (!err)
		err = make_threads(w);
	if (err) {
		workers_destroy(w);
		return err;
	}
	*out = w;
	return 0;
}

void workers_destroy(struct workers *w)
{
	struct job *j;
	bool more;

	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->end = true;
	pthread_cond_broadcast(&w->work);
	pthread_mutex_unlock(&w->lock);
	for (unsigned int i = 0; i < w->made; i++)
		pthread_join(w->thread[i], NULL);
	while ((j = take_finished(w, &more)))
		j->done(j->arg, j->cpu);
	if (w->watch.fd >= 0) {
		loop_unwatch(w->loop, &w->watch);
		close(w->watch.fd);
	}
	pthread_cond_destroy(&w->work);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

void workers_begin(struct workers *w, struct job *j)
{
	if (!w) {
		uint64_t begun = loop_cpu();

		j->run(j->arg);
		j->done(j->arg, loop_cpu() - begun);
		return;
	}
	j->is_long = !j->expected || j->expected > WORKERS_SHORT;
	pthread_mutex_lock(&w->lock);
	assert(j->state == JOB_IDLE);
	j->state = JOB_WAITING;
	STAILQ_INSERT_TAIL(j->is_long ? &w->longs : &w->shorts, j, next);
	pthread_cond_signal(&w->work);
	pthread_mutex_unlock(&w->lock);
}

bool workers_cancel(struct workers *w, struct job *j)
{
	bool runs;

	if (!w)
		return true;
	pthread_mutex_lock(&w->lock);
	assert(j->state != JOB_IDLE);
	runs = j->state == JOB_RUNNING;
	if (j->state == JOB_WAITING)
		STAILQ_REMOVE(j->is_long ? &w->longs : &w->shorts, j, job,
			      next);
	else if (j->state == JOB_FINISHED)
		STAILQ_REMOVE(&w->finished, j, job, next);
	if (!runs)
		j->state = JOB_IDLE;
	pthread_mutex_unlock(&w->lock);
	return !runs;
}

unsigned int workers_cores(const struct workers *w)
{
	unsigned int cores = workers_processors();

	return !w ? 1 : w->threads < cores ? w->threads : cores;
}

uint64_t workers_cpu(struct workers *w)
{
	uint64_t cpu;

	pthread_mutex_lock(&w->lock);
	cpu = w->cpu;
	pthread_mutex_unlock(&w->lock);
	return cpu;
}

uint64_t workers_expect(uint64_t expected, uint64_t cpu)
{
	uint64_t less = expected - expected / 8;

	return cpu > less ? cpu : less ? less : 1;
}
