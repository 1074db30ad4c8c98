// SPDX-License-Identifier: GPL-2.0-only
/*
 * action - what clients want of the loop
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <unistd.h>
#include "view/action.h"

struct waiting {
	STAILQ_ENTRY(waiting)	next;
	struct action		action;
};

struct actions {
	struct loop		*loop;
	struct loop_fd		event;
	pthread_mutex_t		lock;
	STAILQ_HEAD(, waiting)	list;
	unsigned int		count;
	void			(*take)(void *arg, const struct action *action);
	void			*arg;
};

static struct waiting *actions_pop(struct actions *a)
{
	struct waiting *w;

	pthread_mutex_lock(&a->lock);
	w = STAILQ_FIRST(&a->list);
	if (w) {
		STAILQ_REMOVE_HEAD(&a->list, next);
		assert(a->count && a->count <= ACTIONS_MAX);
		a->count--;
	}
	pthread_mutex_unlock(&a->lock);
	return w;
}

static void waiting_free(struct waiting *w)
{
	free(w->action.message);
	free(w);
}

static void actions_ready(void *arg, uint32_t events)
{
	struct actions *a = arg;
	struct waiting *w;
	uint64_t n;

	(void)events;
	if (read(a->event.fd, &n, sizeof(n)) < 0)
		return;
	while ((w = actions_pop(a))) {
		a->take(a->arg, &w->action);
		waiting_free(w);
	}
}

int actions_open(struct actions **out, struct loop *l,
		 void (*take)(void *arg, const struct action *action),
		 void *arg)
{
	struct actions *a = calloc(1, sizeof(*a));
	int fd, err;

	*out = NULL;
	if (!a)
		return -ENOMEM;
	a->loop = l;
	a->take = take;
	a->arg = arg;
	STAILQ_INIT(&a->list);
	pthread_mutex_init(&a->lock, NULL);
	a->event = (struct loop_fd){ -1, actions_ready, a };
	fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = fd < 0 ? -errno : loop_watch(l, &a->event, fd, EPOLLIN);
	if (err) {
		if (fd >= 0)
			close(fd);
		pthread_mutex_destroy(&a->lock);
		free(a);
		return err;
	}
	*out = a;
	return 0;
}

void actions_close(struct actions *a)
{
	struct waiting *w;
	int fd;

	if (!a)
		return;
	fd = a->event.fd;
	loop_unwatch(a->loop, &a->event);
	close(fd);
	while ((w = actions_pop(a)))
		waiting_free(w);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

int actions_put(struct actions *a, const struct action *action)
{
	struct waiting *w = malloc(sizeof(*w));
	const uint64_t one = 1;
	bool full;

	if (!w) {
		free(action->message);
		return -ENOMEM;
	}
	w->action = *action;
	pthread_mutex_lock(&a->lock);
	full = a->count == ACTIONS_MAX;
	if (!full) {
		STAILQ_INSERT_TAIL(&a->list, w, next);
		a->count++;
	}
	pthread_mutex_unlock(&a->lock);
	if (full) {
		waiting_free(w);
		return -ENOSPC;
	}
	return write(a->event.fd, &one, sizeof(one)) < 0 ? -errno : 0;
}
