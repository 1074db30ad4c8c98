// SPDX-License-Identifier: GPL-2.0-only
/*
 * poller.c - file descriptors and deadlines of one node, in an epoll of its own
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <time.h>
#include <unistd.h>
#include "poller.h"

uint64_t poller_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

int poller_open(struct poller *l)
{
	l->first = NULL;
	l->n = 0;
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	return l->epoll < 0 ? -errno : 0;
}

void poller_close(struct poller *l)
{
	close(l->epoll);
}

int poller_add(struct poller *l, struct watch *w, int fd, uint32_t events,
	     void (*ready)(struct watch *w, uint32_t events))
{
	struct epoll_event e = { .events = events, .data.ptr = w };
	int err;

	if (fd >= 0 && epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e)) {
		err = -errno;
		close(fd);
		return err;
	}
	w->fd = fd;
	w->ready = ready;
	w->deadline = 0;
	w->next = l->first;
	w->link = &l->first;
	if (w->next)
		w->next->link = &w->next;
	l->first = w;
	return 0;
}

void poller_want(struct poller *l, struct watch *w, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.ptr = w };

	epoll_ctl(l->epoll, EPOLL_CTL_MOD, w->fd, &e);
}

void poller_remove(struct poller *l, struct watch *w)
{
	int i;

	if (!w->link)
		return;
	*w->link = w->next;
	if (w->next)
		w->next->link = w->link;
	w->link = NULL;
	if (w->fd >= 0)
		close(w->fd);
	/* Drop its events that are not handled yet. */
	for (i = 0; i < l->n; i++)
		if (l->batch[i].data.ptr == w)
			l->batch[i].data.ptr = NULL;
}

static struct watch *poller_expired(const struct poller *l, uint64_t now)
{
	struct watch *w;

	for (w = l->first; w; w = w->next)
		if (w->deadline && w->deadline <= now)
			return w;
	return NULL;
}

void poller_run(struct poller *l)
{
	uint64_t now = poller_now();
	struct watch *w;
	int i;

	assert(!l->n);
	l->n = epoll_wait(l->epoll, l->batch, POLLER_BATCH, 0);
	for (i = 0; i < l->n; i++) {
		w = l->batch[i].data.ptr;
		if (w)
			w->ready(w, l->batch[i].events);
	}
	l->n = 0;
	while ((w = poller_expired(l, now))) {
		w->deadline = 0;
		w->ready(w, 0);
	}
}

int poller_timeout(const struct poller *l)
{
	uint64_t now = poller_now(), next = UINT64_MAX;
	const struct watch *w;

	for (w = l->first; w; w = w->next)
		if (w->deadline && w->deadline < next)
			next = w->deadline;
	if (next == UINT64_MAX)
		return -1;
	if (next <= now)
		return 0;
	return next - now > INT_MAX ? INT_MAX : (int)(next - now);
}
