// SPDX-License-Identifier: GPL-2.0-only
/*
 * loop_call - calls from other threads into the loop, which wait for it
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <time.h>
#include <unistd.h>
#include "base/loop_call.h"

enum call_state { CALL_WAITS, CALL_RUNS, CALL_DONE };

/* On the stack of the waiting thread */
struct call {
	void		(*run)(void *arg);
	void		*arg;
	enum call_state	state;
	int		err;
	pthread_cond_t	changed;
	STAILQ_ENTRY(call) next;
};

struct loop_call {
	struct loop	*loop;
	struct loop_fd	watch;
	pthread_mutex_t	lock;
	STAILQ_HEAD(, call) calls;
	bool		cancelled;
};

/* With the lock held */
static void loop_call_finish(struct call *k, int err)
{
	assert(k->state != CALL_DONE);
	k->err = err;
	k->state = CALL_DONE;
	pthread_cond_signal(&k->changed);
}

static struct call *loop_call_take_first(struct loop_call *c)
{
	struct call *k = STAILQ_FIRST(&c->calls);

	if (k)
		STAILQ_REMOVE_HEAD(&c->calls, next);
	return k;
}

static void on_called(void *arg, uint32_t events)
{
	struct loop_call *c = arg;
	struct call *k;
	uint64_t n;

	(void)events;
	if (read(c->watch.fd, &n, sizeof(n)) < 0)
		return;
	pthread_mutex_lock(&c->lock);
	while ((k = loop_call_take_first(c))) {
		k->state = CALL_RUNS;
		pthread_mutex_unlock(&c->lock);
		k->run(k->arg);
		pthread_mutex_lock(&c->lock);
		loop_call_finish(k, 0);
	}
	pthread_mutex_unlock(&c->lock);
}

static void loop_call_give_up(struct loop_call *c, struct call *k)
{
	STAILQ_REMOVE(&c->calls, k, call, next);
	loop_call_finish(k, -ETIMEDOUT);
}

static struct timespec time_in(unsigned int ms)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += ms / 1000;
	t.tv_nsec += ms % 1000 * 1000000L;
	if (t.tv_nsec >= 1000000000L) {
		t.tv_nsec -= 1000000000L;
		t.tv_sec++;
	}
	return t;
}

/* With the lock held */
static void loop_call_wait_for(struct loop_call *c, struct call *k,
			       unsigned int timeout)
{
	const struct timespec until = time_in(timeout);

	while (k->state == CALL_WAITS)
		if (pthread_cond_timedwait(&k->changed, &c->lock, &until) ==
		    ETIMEDOUT && k->state == CALL_WAITS)
			loop_call_give_up(c, k);
	while (k->state != CALL_DONE)
		pthread_cond_wait(&k->changed, &c->lock);
}

int loop_call_run(struct loop_call *c, void (*run)(void *arg), void *arg,
		  unsigned int timeout)
{
	struct call k = { .run = run, .arg = arg, .err = -ECANCELED };
	const uint64_t one = 1;
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&k.changed, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_lock(&c->lock);
	if (!c->cancelled) {
		STAILQ_INSERT_TAIL(&c->calls, &k, next);
		/* a full counter was not read: the loop will wake up */
		if (write(c->watch.fd, &one, sizeof(one)) < 0 &&
		    errno != EAGAIN)
			loop_call_give_up(c, &k);
		loop_call_wait_for(c, &k, timeout);
	}
	pthread_mutex_unlock(&c->lock);
	pthread_cond_destroy(&k.changed);
	return k.err;
}

int loop_call_open(struct loop_call **out, struct loop *l)
{
	struct loop_call *c = calloc(1, sizeof(*c));
	int fd, err;

	if (!c)
		return -ENOMEM;
	c->loop = l;
	STAILQ_INIT(&c->calls);
	c->watch.ready = on_called;
	c->watch.arg = c;
	fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	err = fd < 0 ? -errno : loop_watch(l, &c->watch, fd, EPOLLIN);
	if (err) {
		if (fd >= 0)
			close(fd);
		free(c);
		return err;
	}
	pthread_mutex_init(&c->lock, NULL);
	*out = c;
	return 0;
}

void loop_call_cancel(struct loop_call *c)
{
	struct call *k;

	pthread_mutex_lock(&c->lock);
	c->cancelled = true;
	while ((k = loop_call_take_first(c)))
		loop_call_finish(k, -ECANCELED);
	pthread_mutex_unlock(&c->lock);
}

void loop_call_close(struct loop_call *c)
{
	if (!c)
		return;
	loop_unwatch(c->loop, &c->watch);
	close(c->watch.fd);
	pthread_mutex_destroy(&c->lock);
	free(c);
}
