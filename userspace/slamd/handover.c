// SPDX-License-Identifier: GPL-2.0-only
/*
 * handover.c - a list and a history, under a lock
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "common/array.h"
#include "slam/scans.h"
#include "slamd/handover.h"

struct handover {
	pthread_mutex_t	lock;
	pthread_cond_t	changed;
	struct handed	now;
	uint32_t	room;
	bool		waits, end;
};

struct handover *handover_create(void)
{
	struct handover *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->changed, NULL);
	return h;
}

void handed_free(struct handed *handed)
{
	for (uint32_t i = 0; i < handed->scans; i++)
		free(handed->scan[i]);
	free(handed->scan);
	free(handed->history);
	*handed = (struct handed){ .scans = 0 };
}

void handover_destroy(struct handover *h)
{
	if (!h)
		return;
	pthread_mutex_destroy(&h->lock);
	pthread_cond_destroy(&h->changed);
	handed_free(&h->now);
	free(h);
}

int handover_scan(struct handover *h, const struct reading *r)
{
	const size_t ranges = r->beams * sizeof(float);
	struct wire_reading *w = malloc(sizeof(*w) + ranges);
	int err;

	if (!w)
		return -ENOMEM;
	*w = scans_wire(r);
	memcpy(w + 1, r->range, ranges);
	pthread_mutex_lock(&h->lock);
	err = array_grow(&h->now.scan, &h->room, h->now.scans,
			 sizeof(*h->now.scan));
	if (!err)
		h->now.scan[h->now.scans++] = w;
	pthread_mutex_unlock(&h->lock);
	if (err)
		free(w);
	return err;
}

void handover_history(struct handover *h, struct pose *history,
		      uint32_t count)
{
	pthread_mutex_lock(&h->lock);
	free(h->now.history);
	h->now.history = history;
	h->now.count = count;
	pthread_cond_signal(&h->changed);
	pthread_mutex_unlock(&h->lock);
}

bool handover_idle(struct handover *h)
{
	bool idle;

	pthread_mutex_lock(&h->lock);
	idle = h->waits && !h->now.history;
	pthread_mutex_unlock(&h->lock);
	return idle;
}

bool handover_take(struct handover *h, struct handed *handed)
{
	bool more;

	pthread_mutex_lock(&h->lock);
	h->waits = true;
	while (!h->now.history && !h->end)
		pthread_cond_wait(&h->changed, &h->lock);
	h->waits = false;
	*handed = h->now;
	h->now = (struct handed){ .scans = 0 };
	h->room = 0;
	more = !h->end;
	pthread_mutex_unlock(&h->lock);
	return more;
}

void handover_end(struct handover *h)
{
	pthread_mutex_lock(&h->lock);
	h->end = true;
	pthread_cond_signal(&h->changed);
	pthread_mutex_unlock(&h->lock);
}
