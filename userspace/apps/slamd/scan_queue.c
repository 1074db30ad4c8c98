// SPDX-License-Identifier: GPL-2.0-only
/*
 * scan_queue.c - a ring of readings, with or without scans
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "apps/slamd/scan_queue.h"
#include "base/log.h"

/* Memory for the ranges of a scan */
struct buffer {
	float		*range;
	uint32_t	room;
	struct buffer	*next;
};

struct entry {
	struct reading	reading;
	uint64_t	number;		/* from 1 on */
	struct buffer	*buffer;	/* NULL: only odometry */
};

/**
 * struct scan_queue
 * @entry:	ring of @count entries, from @first on
 * @scans:	entries with a scan
 * @newest:	last entry with a scan; NULL: none
 * @number:	of the last reading; @last_taken: of the last one taken
 * @taken:	buffer of the last scan_queue_take()
 * @free:	list of free buffers
 * @woken:	scan_queue_wake() was called
 * @from:	odometry at the scan before @newest; @has_from: it is valid
 */
struct scan_queue {
	pthread_mutex_t		lock;
	pthread_cond_t		came;
	struct entry		entry[SCAN_QUEUE_MAX];
	uint32_t		first, count, scans;
	uint64_t		number, last_taken;
	struct entry		*newest;
	struct buffer		buffer[SCAN_QUEUE_SCANS + 2];
	struct buffer		*taken, *free;
	struct pose		from;
	bool			has_from, end, woken;
	uint64_t		logged;		/* replaced scans, ns */
	struct scan_queue_count	counts;
};

struct scan_queue *scan_queue_create(void)
{
	struct scan_queue *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->came, NULL);
	for (unsigned int i = 0; i < SCAN_QUEUE_SCANS + 2; i++) {
		w->buffer[i].next = w->free;
		w->free = &w->buffer[i];
	}
	return w;
}

void scan_queue_destroy(struct scan_queue *w)
{
	if (!w)
		return;
	pthread_mutex_destroy(&w->lock);
	pthread_cond_destroy(&w->came);
	for (unsigned int i = 0; i < SCAN_QUEUE_SCANS + 2; i++)
		free(w->buffer[i].range);
	free(w);
}

static void give_back(struct scan_queue *w, struct buffer *b)
{
	b->next = w->free;
	w->free = b;
}

static struct entry *last(struct scan_queue *w)
{
	return &w->entry[(w->first + w->count - 1) % SCAN_QUEUE_MAX];
}

/* Remove the scan, keep the odometry */
static void strip(struct scan_queue *w, struct entry *e)
{
	give_back(w, e->buffer);
	e->buffer = NULL;
	e->reading.beams = 0;
	e->reading.range = NULL;
	assert(w->scans && w->scans <= w->count + 1);
	w->scans--;
	if (w->newest == e)
		w->newest = NULL;
}

static struct entry *drop_first(struct scan_queue *w)
{
	struct entry *e = &w->entry[w->first];

	w->first = (w->first + 1) % SCAN_QUEUE_MAX;
	assert(w->count && w->first < SCAN_QUEUE_MAX);
	w->count--;
	return e;
}

static struct entry *scan_queue_add(struct scan_queue *w,
				    const struct reading *r)
{
	struct entry *e;

	if (w->count == SCAN_QUEUE_MAX) {
		e = drop_first(w);
		if (e->buffer)
			strip(w, e);
		w->counts.lost++;
	}
	assert(w->count < SCAN_QUEUE_MAX);
	w->count++;
	e = last(w);
	e->reading = *r;
	e->number = ++w->number;
	e->buffer = NULL;
	return e;
}

static bool is_far(const struct pose *a, const struct pose *b)
{
	return hypot(a->x - b->x, a->y - b->y) > SCAN_QUEUE_GAP ||
	       fabs(remainder(a->yaw - b->yaw, 2 * M_PI)) > SCAN_QUEUE_TURN;
}

/* Whether a scan at @now may replace the last queued one; never the first */
static bool can_go(const struct scan_queue *w, const struct pose *now)
{
	return w->scans == SCAN_QUEUE_SCANS ||
	       (w->has_from && !is_far(&w->from, now));
}

/* At most one line a second: the filter may be behind all the time */
static void log_replaced(struct scan_queue *w)
{
	uint64_t now;

	if (!log_shows(LOG_DEBUG))
		return;
	now = loop_now();
	if (now - w->logged < UINT64_C(1000000000))
		return;
	w->logged = now;
	log_debug("scan left out, after %llu: the filter is behind, and %s",
		  (unsigned long long)w->counts.replaced,
		  w->scans == SCAN_QUEUE_SCANS ? "the queue is full" :
		  "the robot has hardly moved since");
}

static int put_scan(struct scan_queue *w, const struct reading *r)
{
	struct buffer *b = w->free;
	struct entry *e;
	float *range;

	assert(b && w->scans <= SCAN_QUEUE_SCANS);
	if (r->beams > b->room) {
		range = realloc(b->range, r->beams * sizeof(*range));
		if (!range)
			return -ENOMEM;
		b->range = range;
		b->room = r->beams;
	}
	w->free = b->next;
	memcpy(b->range, r->range, r->beams * sizeof(*b->range));
	e = w->newest;
	if (e) {
		if (can_go(w, &r->odometry)) {
			log_replaced(w);
			strip(w, e);
			w->counts.replaced++;
		} else {
			w->from = e->reading.odometry;
			w->has_from = true;
		}
	}
	e = scan_queue_add(w, r);
	e->reading.range = b->range;
	e->buffer = b;
	w->newest = e;
	w->scans++;
	return 0;
}

int scan_queue_put(struct scan_queue *w, const struct reading *r)
{
	int err = 0;

	pthread_mutex_lock(&w->lock);
	if (r->beams)
		err = put_scan(w, r);
	else
		scan_queue_add(w, r);
	w->counts.came += !err;
	assert(w->count <= SCAN_QUEUE_MAX && w->scans <= w->count);
	pthread_cond_signal(&w->came);
	pthread_mutex_unlock(&w->lock);
	return err;
}

bool scan_queue_take(struct scan_queue *w, struct reading *r)
{
	const struct entry *e;

	pthread_mutex_lock(&w->lock);
	while (!w->count && !w->end)
		pthread_cond_wait(&w->came, &w->lock);
	if (!w->count) {
		pthread_mutex_unlock(&w->lock);
		return false;
	}
	e = drop_first(w);
	*r = e->reading;
	w->last_taken = e->number;
	if (e->buffer) {
		if (w->taken)
			give_back(w, w->taken);
		w->taken = e->buffer;
		assert(w->scans);
		if (!--w->scans) {
			w->newest = NULL;
			w->from = r->odometry;
			w->has_from = true;
		}
	}
	pthread_mutex_unlock(&w->lock);
	return true;
}

enum scan_queue_event scan_queue_wait(struct scan_queue *w)
{
	enum scan_queue_event event;

	pthread_mutex_lock(&w->lock);
	while (!w->count && !w->end && !w->woken)
		pthread_cond_wait(&w->came, &w->lock);
	event = w->woken ? SCAN_QUEUE_WOKEN :
		w->count ? SCAN_QUEUE_READING : SCAN_QUEUE_ENDED;
	w->woken = false;
	pthread_mutex_unlock(&w->lock);
	return event;
}

void scan_queue_wake(struct scan_queue *w)
{
	pthread_mutex_lock(&w->lock);
	w->woken = true;
	pthread_cond_signal(&w->came);
	pthread_mutex_unlock(&w->lock);
}

uint64_t scan_queue_taken(struct scan_queue *w)
{
	uint64_t number;

	pthread_mutex_lock(&w->lock);
	number = w->last_taken;
	pthread_mutex_unlock(&w->lock);
	return number;
}

/* NULL: none */
static const struct entry *scan_queue_after(const struct scan_queue *w,
					    uint64_t after)
{
	for (uint32_t i = 0; i < w->count; i++) {
		const struct entry *e = &w->entry[(w->first + i) %
						  SCAN_QUEUE_MAX];

		if (e->number > after)
			return e;
	}
	return NULL;
}

static bool scan_queue_copy(const struct entry *e, struct reading *r,
			    float **range, uint32_t *room)
{
	if (e->reading.beams > *room) {
		float *more = realloc(*range, e->reading.beams *
					      sizeof(*more));

		if (!more)
			return false;
		*range = more;
		*room = e->reading.beams;
	}
	*r = e->reading;
	if (!r->beams)
		return true;
	memcpy(*range, e->reading.range, r->beams * sizeof(**range));
	r->range = *range;
	return true;
}

uint64_t scan_queue_peek(struct scan_queue *w, uint64_t after,
			 struct reading *r, float **range, uint32_t *room)
{
	const struct entry *e;
	uint64_t number = 0;

	pthread_mutex_lock(&w->lock);
	e = scan_queue_after(w, after);
	if (e && scan_queue_copy(e, r, range, room))
		number = e->number;
	pthread_mutex_unlock(&w->lock);
	return number;
}

void scan_queue_end(struct scan_queue *w)
{
	pthread_mutex_lock(&w->lock);
	w->end = true;
	pthread_cond_signal(&w->came);
	pthread_mutex_unlock(&w->lock);
}

struct scan_queue_count scan_queue_count(struct scan_queue *w)
{
	struct scan_queue_count c;

	pthread_mutex_lock(&w->lock);
	c = w->counts;
	pthread_mutex_unlock(&w->lock);
	return c;
}
