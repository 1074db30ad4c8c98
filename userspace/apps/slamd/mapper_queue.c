// SPDX-License-Identifier: GPL-2.0-only
/*
 * mapper_queue.c - scans and a history, under a lock
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "apps/slamd/mapper_queue.h"
#include "base/array.h"
#include "slam/workers/scans.h"

/**
 * struct mapper_queue
 * @idle:	signalled when the mapper waits
 * @ready:	number of scans that have a pose in the history
 */
struct mapper_queue {
	pthread_mutex_t	lock;
	pthread_cond_t	changed, idle;
	struct mapper_update	now;
	uint32_t	ready, room;
	bool		waits, end;
};

struct mapper_queue *mapper_queue_create(void)
{
	struct mapper_queue *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->changed, NULL);
	pthread_cond_init(&h->idle, NULL);
	return h;
}

void mapper_update_free(struct mapper_update *handed)
{
	for (uint32_t i = 0; i < handed->scans; i++)
		free(handed->scan[i]);
	free(handed->scan);
	free(handed->history);
	free(handed->edge);
	*handed = (struct mapper_update){ .scans = 0 };
}

void mapper_queue_destroy(struct mapper_queue *h)
{
	if (!h)
		return;
	pthread_mutex_destroy(&h->lock);
	pthread_cond_destroy(&h->changed);
	pthread_cond_destroy(&h->idle);
	mapper_update_free(&h->now);
	free(h);
}

int mapper_queue_scan(struct mapper_queue *h, const struct reading *r)
{
	struct wire_reading *w = scans_copy(r);
	int err;

	if (!w)
		return -ENOMEM;
	pthread_mutex_lock(&h->lock);
	err = array_grow(&h->now.scan, &h->room, h->now.scans,
			 sizeof(*h->now.scan));
	if (!err) {
		assert(h->now.scans < h->room);
		h->now.scan[h->now.scans++] = w;
	}
	assert(h->ready <= h->now.scans);
	pthread_mutex_unlock(&h->lock);
	if (err)
		free(w);
	return err;
}

void mapper_queue_history(struct mapper_queue *h, struct pose *history,
			  uint32_t count)
{
	pthread_mutex_lock(&h->lock);
	assert(history || !count);
	free(h->now.history);
	h->now.history = history;
	h->now.count = count;
	h->ready = h->now.scans;
	pthread_cond_signal(&h->changed);
	pthread_mutex_unlock(&h->lock);
}

void mapper_queue_graph(struct mapper_queue *h, struct graph_edge *edge,
			uint32_t edges)
{
	pthread_mutex_lock(&h->lock);
	free(h->now.edge);
	h->now.edge = edge;
	h->now.edges = edges;
	pthread_mutex_unlock(&h->lock);
}

void mapper_queue_replace(struct mapper_queue *h, struct mapper_queue *from)
{
	pthread_mutex_lock(&h->lock);
	mapper_update_free(&h->now);
	while (!h->waits && !h->end)
		pthread_cond_wait(&h->idle, &h->lock);
	/* no other thread has @from */
	h->now = from->now;
	h->room = from->room;
	h->ready = from->ready;
	from->now = (struct mapper_update){ .scans = 0 };
	from->room = from->ready = 0;
	pthread_mutex_unlock(&h->lock);
}

bool mapper_queue_idle(struct mapper_queue *h)
{
	bool idle;

	pthread_mutex_lock(&h->lock);
	idle = h->waits && !h->now.history;
	pthread_mutex_unlock(&h->lock);
	return idle;
}

/* Take the scans of the history. Return: 0, -ENOMEM: nothing is taken */
static int take_ready(struct mapper_queue *h, struct mapper_update *handed)
{
	const uint32_t rest = h->now.scans - h->ready;
	struct wire_reading **scan = NULL;

	assert(h->ready <= h->now.scans && h->now.scans <= h->room);
	if (rest) {
		scan = malloc(rest * sizeof(*scan));
		if (!scan)
			return -ENOMEM;
		memcpy(scan, h->now.scan + h->ready, rest * sizeof(*scan));
	}
	*handed = h->now;
	handed->scans = h->ready;
	h->now = (struct mapper_update){ .scan = scan, .scans = rest };
	h->ready = 0;
	h->room = rest;
	return 0;
}

bool mapper_queue_take(struct mapper_queue *h, struct mapper_update *handed)
{
	bool more;

	pthread_mutex_lock(&h->lock);
	h->waits = true;
	pthread_cond_signal(&h->idle);
	while (!h->now.history && !h->end)
		pthread_cond_wait(&h->changed, &h->lock);
	h->waits = false;
	more = !h->end;
	/* the last call: take all scans, to free them */
	if (!more)
		h->ready = h->now.scans;
	if (!more && h->now.history) {
		free(h->now.history);
		h->now.history = NULL;
	}
	*handed = (struct mapper_update){ .scans = 0 };
	take_ready(h, handed);
	pthread_mutex_unlock(&h->lock);
	return more;
}

void mapper_queue_end(struct mapper_queue *h)
{
	pthread_mutex_lock(&h->lock);
	h->end = true;
	pthread_cond_signal(&h->changed);
	pthread_mutex_unlock(&h->lock);
}
