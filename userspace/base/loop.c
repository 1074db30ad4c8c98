// SPDX-License-Identifier: GPL-2.0-only
/*
 * loop - one epoll loop: file descriptors, timers, and signals that end it
 */
#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/loop.h"

enum { EVENTS = 16 };

#if !__GLIBC_PREREQ(2, 35)
/* glibc has no function for it yet; the number is the same everywhere. */
static int epoll_pwait2(int epoll, struct epoll_event *event, int n,
			const struct timespec *timeout, const sigset_t *mask)
{
	return syscall(441, epoll, event, n, timeout, mask, _NSIG / 8);
}
#endif

struct loop {
	int			epoll;
	struct loop_fd		signals;
	struct loop_timer	*timers, *cursor;
	struct epoll_event	event[EVENTS];
	int			events;
	bool			stopped, coarse;
	int			status;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

uint64_t loop_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t loop_cpu(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void on_signal(void *arg, uint32_t events)
{
	(void)events;
	loop_stop(arg, 0);
}

static int watch_signals(struct loop *l)
{
	sigset_t set;
	int fd, err;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	l->signals.ready = on_signal;
	l->signals.arg = l;
	err = loop_watch(l, &l->signals, fd, EPOLLIN);
	if (err)
		close(fd);
	return err;
}

static struct loop *create(bool signals)
{
	struct loop *l = calloc(1, sizeof(*l));
	int err = 0;

	if (!l)
		return NULL;
	l->signals.fd = -1;
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll < 0)
		err = -errno;
	else if (signals)
		err = watch_signals(l);
	if (!err)
		return l;
	if (l->epoll >= 0)
		close(l->epoll);
	free(l);
	errno = -err;
	return NULL;
}

struct loop *loop_create(void)
{
	return create(true);
}

struct loop *loop_create_quiet(void)
{
	return create(false);
}

void loop_destroy(struct loop *l)
{
	if (!l)
		return;
	if (l->signals.fd >= 0)
		close(l->signals.fd);
	close(l->epoll);
	free(l);
}

static int loop_control(struct loop *l, int op, struct loop_fd *w,
			uint32_t events)
{
	struct epoll_event e = { .events = events, .data.ptr = w };

	assert(w->ready);
	return epoll_ctl(l->epoll, op, w->fd, &e) ? -errno : 0;
}

int loop_watch(struct loop *l, struct loop_fd *w, int fd, uint32_t events)
{
	w->fd = fd;
	return loop_control(l, EPOLL_CTL_ADD, w, events);
}

int loop_rewatch(struct loop *l, struct loop_fd *w, uint32_t events)
{
	return loop_control(l, EPOLL_CTL_MOD, w, events);
}

void loop_unwatch(struct loop *l, struct loop_fd *w)
{
	epoll_ctl(l->epoll, EPOLL_CTL_DEL, w->fd, NULL);
	/* results of epoll_wait() for it are stale */
	for (int i = 0; i < l->events; i++)
		if (l->event[i].data.ptr == w)
			l->event[i].data.ptr = NULL;
}

void loop_add_timer(struct loop *l, struct loop_timer *t)
{
	assert(t->expired);
	t->next = l->timers;
	l->timers = t;
}

void loop_remove_timer(struct loop *l, struct loop_timer *t)
{
	struct loop_timer **at = &l->timers;

	while (*at && *at != t)
		at = &(*at)->next;
	if (*at)
		*at = t->next;
	if (l->cursor == t)
		l->cursor = t->next;
}

static uint64_t first_due(const struct loop *l)
{
	uint64_t due = LOOP_NEVER;

	for (const struct loop_timer *t = l->timers; t; t = t->next)
		if (t->due < due)
			due = t->due;
	return due;
}

static void run_timers(struct loop *l)
{
	uint64_t now = loop_now();
	struct loop_timer *t = l->timers;

	while (t && !l->stopped) {
		l->cursor = t->next;
		if (t->due <= now) {
			t->due = LOOP_NEVER;
			t->expired(t->arg, now);
		}
		t = l->cursor;
	}
	l->cursor = NULL;
}

/* Before Linux 5.11 epoll has a resolution of milliseconds */
static int wait_coarse(struct loop *l, uint64_t left)
{
	uint64_t ms = (left + 999999) / 1000000;

	return epoll_wait(l->epoll, l->event, EVENTS,
			  left == LOOP_NEVER ? -1 :
			  ms > 60000 ? 60000 : (int)ms);
}

static int loop_wait_for(struct loop *l)
{
	uint64_t due = first_due(l), now = loop_now();
	uint64_t left = due > now ? due - now : 0;
	struct timespec t = { left / 1000000000, left % 1000000000 };

	if (!l->coarse)
		l->events = epoll_pwait2(l->epoll, l->event, EVENTS,
					 due == LOOP_NEVER ? NULL : &t, NULL);
	if (!l->coarse && l->events < 0 && errno == ENOSYS)
		l->coarse = true;
	if (l->coarse)
		l->events = wait_coarse(l, due == LOOP_NEVER ? due : left);
	if (l->events < 0) {
		l->events = 0;
		return errno == EINTR ? 0 : -errno;
	}
	return 0;
}

int loop_run(struct loop *l)
{
	int err;

	while (!l->stopped) {
		err = loop_wait_for(l);
		if (err)
			return err;
		for (int i = 0; i < l->events && !l->stopped; i++) {
			struct loop_fd *w = l->event[i].data.ptr;

			if (w)
				w->ready(w->arg, l->event[i].events);
		}
		l->events = 0;
		run_timers(l);
	}
	l->stopped = false;
	return l->status;
}

void loop_stop(struct loop *l, int status)
{
	l->stopped = true;
	l->status = status;
}
