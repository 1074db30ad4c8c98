// SPDX-License-Identifier: GPL-2.0-only
/*
 * jobs - slow work in threads of its own
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "base/jobs.h"

/* @done: it has finished; protected by the lock */
struct job {
	struct jobs	*jobs;
	pthread_t	thread;
	void		(*run)(void *arg), (*end)(void *arg);
	void		*arg;
	bool		done;
	struct job	*next;
};

struct jobs {
	struct loop	*loop;
	struct loop_fd	watch;
	pthread_mutex_t	lock;
	struct job	*first;		/* of the loop */
	unsigned int	count;
};

static void *run(void *arg)
{
	const uint64_t one = 1;
	struct job *k = arg;
	struct jobs *j = k->jobs;

	k->run(k->arg);
	pthread_mutex_lock(&j->lock);
	k->done = true;
	pthread_mutex_unlock(&j->lock);
	/* full: the loop was already notified */
	if (write(j->watch.fd, &one, sizeof(one)) < 0)
		return NULL;
	return NULL;
}

static void jobs_finish(struct jobs *j, struct job *k)
{
	assert(j->count);
	pthread_join(k->thread, NULL);
	j->count--;
	k->end(k->arg);
	free(k);
}

static bool is_done(struct jobs *j, const struct job *k)
{
	bool done;

	pthread_mutex_lock(&j->lock);
	done = k->done;
	pthread_mutex_unlock(&j->lock);
	return done;
}

static void jobs_on_done(void *arg, uint32_t events)
{
	struct jobs *j = arg;
	struct job **at = &j->first;
	uint64_t n;

	(void)events;
	if (read(j->watch.fd, &n, sizeof(n)) < 0)
		return;
	while (*at) {
		struct job *k = *at;

		if (is_done(j, k)) {
			*at = k->next;
			jobs_finish(j, k);
			/* done() may have started others */
			at = &j->first;
		} else {
			at = &k->next;
		}
	}
}

int jobs_run(struct jobs *j, void (*run_it)(void *arg), void (*done)(void *arg),
	     void *arg)
{
	struct job *k;
	int err;

	if (j->count == JOBS_MAX)
		return -EBUSY;
	k = calloc(1, sizeof(*k));
	if (!k)
		return -ENOMEM;
	*k = (struct job){ .jobs = j, .run = run_it, .end = done, .arg = arg,
			   .next = j->first };
	err = -pthread_create(&k->thread, NULL, run, k);
	if (err) {
		free(k);
		return err;
	}
	j->first = k;
	j->count++;
	return 0;
}

int jobs_open(struct jobs **jobs, struct loop *loop)
{
	struct jobs *j = calloc(1, sizeof(*j));
	int fd, err;

	if (!j)
		return -ENOMEM;
	j->loop = loop;
	j->watch.ready = jobs_on_done;
	j->watch.arg = j;
	fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	err = fd < 0 ? -errno : loop_watch(loop, &j->watch, fd, EPOLLIN);
	if (err) {
		if (fd >= 0)
			close(fd);
		free(j);
		return err;
	}
	pthread_mutex_init(&j->lock, NULL);
	*jobs = j;
	return 0;
}

void jobs_close(struct jobs *j)
{
	if (!j)
		return;
	while (j->first) {
		struct job *k = j->first;

		j->first = k->next;
		jobs_finish(j, k);
	}
	loop_unwatch(j->loop, &j->watch);
	close(j->watch.fd);
	pthread_mutex_destroy(&j->lock);
	free(j);
}
