// SPDX-License-Identifier: GPL-2.0-only
/*
 * A loop over neigh.c and keep.c, see link_thread.h.
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/thread.h"
#include "netdev/link_thread.h"
#include "netdev/neigh.h"

enum { LINK_TICK_MS = 500 };

/**
 * struct link_thread - the thread and its objects
 * @stop:	event: end
 * @lock:	protects @report and @fresh
 */
struct link_thread {
	pthread_t		thread;
	int			stop;
	struct neigh_table	*neigh;
	struct keep		*keep;
	pthread_mutex_t		lock;
	struct link_report	report;
	bool			fresh;
};

static void link_turn(struct link_thread *t)
{
	uint64_t now = monotonic_ms();
	struct link_report r = { 0 };

	/* Addresses first: a new one may change the path. */
	keep_turn(t->keep, now);
	neigh_turn(t->neigh, keep_ifindex(t->keep), now);
	r.crowded = neigh_is_full(t->neigh);
	keep_text(t->keep, r.kept);
	pthread_mutex_lock(&t->lock);
	if (r.crowded != t->report.crowded || strcmp(r.kept, t->report.kept)) {
		t->report = r;
		t->fresh = true;
	}
	pthread_mutex_unlock(&t->lock);
}

static void *link_loop(void *arg)
{
	struct link_thread *t = arg;
	struct pollfd p[] = {
		{ .fd = t->stop, .events = POLLIN },
		{ .fd = neigh_fd(t->neigh), .events = POLLIN },
		{ .fd = keep_fd(t->keep), .events = POLLIN },
	};

	assert(p[0].fd >= 0 && p[1].fd >= 0 && p[2].fd >= 0);
	do {
		link_turn(t);
		poll(p, 3, LINK_TICK_MS);
	} while (!(p[0].revents & POLLIN));
	return NULL;
}

static void link_thread_free(struct link_thread *t)
{
	if (t->neigh)
		neigh_close(t->neigh);
	keep_close(t->keep);
	if (t->stop >= 0)
		close(t->stop);
	pthread_mutex_destroy(&t->lock);
	free(t);
}

struct link_thread *link_thread_start(const char *dev, const char *link,
				      int flows, int recent,
				      const struct netdev_log *log)
{
	struct link_thread *t = calloc(1, sizeof(*t));

	if (!t)
		abort();
	pthread_mutex_init(&t->lock, NULL);
	t->stop = eventfd(0, EFD_CLOEXEC);
	t->neigh = neigh_open(dev, link, flows, recent, log);
	t->keep = keep_open(dev, log);
	if (t->stop < 0 || !t->neigh || !t->keep) {
		link_thread_free(t);
		return NULL;
	}
	if (thread_start(&t->thread, link_loop, t)) {
		link_thread_free(t);
		return NULL;
	}
	return t;
}

bool link_thread_report(struct link_thread *t, struct link_report *report)
{
	bool fresh;

	pthread_mutex_lock(&t->lock);
	fresh = t->fresh;
	t->fresh = false;
	*report = t->report;
	pthread_mutex_unlock(&t->lock);
	return fresh;
}

void link_thread_stop(struct link_thread *t)
{
	uint64_t one = 1;

	if (write(t->stop, &one, sizeof(one)) == sizeof(one))
		pthread_join(t->thread, NULL);
	link_thread_free(t);
}
