// SPDX-License-Identifier: GPL-2.0-only
/*
 * The engine between threads of one process: a mailbox for each member.
 *
 * The hub's lock is only held for moments: bytes are copied before. A worker
 * that joins again keeps its mailbox and gets another number, so that messages
 * to the earlier one are undeliverable. The coordinator's mailbox exists before
 * the coordinator: hellos wait in it.
 */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include "base/error.h"
#include "cluster/member.h"

/**
 * struct mailbox - messages to a member
 * @queue:	headers and payloads
 * @event:	of the bus, -1: not in use
 */
struct mailbox {
	struct mailbox	*next;
	uint32_t	id;
	pthread_cond_t	news;
	struct message_queue	queue;
	int		event;
};

struct bus_hub {
	pthread_mutex_t	lock;
	struct mailbox	coordinator;
	bool		has_coordinator;
	uint32_t	last_id;
};

struct threads {
	struct bus_hub	*hub;
	struct mailbox		*own;
};

static void mailbox_init(struct mailbox *m)
{
	pthread_condattr_t a;

	*m = (struct mailbox){ .event = -1 };
	message_queue_init(&m->queue);
	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_cond_init(&m->news, &a);
	pthread_condattr_destroy(&a);
}

static void mailbox_end(struct mailbox *m)
{
	message_queue_free(&m->queue);
	pthread_cond_destroy(&m->news);
}

struct bus_hub *bus_hub_create(void)
{
	struct bus_hub *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	pthread_mutex_init(&h->lock, NULL);
	mailbox_init(&h->coordinator);
	return h;
}

void bus_hub_destroy(struct bus_hub *h)
{
	if (!h)
		return;
	mailbox_end(&h->coordinator);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

static struct mailbox *threads_find(struct bus_hub *h, uint32_t id)
{
	struct mailbox *m = &h->coordinator;

	while (m && m->id != id)
		m = m->next;
	return m;
}

static int be_coordinator(struct threads *t)
{
	int err = 0;

	pthread_mutex_lock(&t->hub->lock);
	if (t->hub->has_coordinator)
		err = -EBUSY;
	else
		t->hub->has_coordinator = true;
	pthread_mutex_unlock(&t->hub->lock);
	t->own = &t->hub->coordinator;
	return err;
}

static int be_worker(struct threads *t)
{
	struct mailbox *m = malloc(sizeof(*m));

	if (!m)
		return -ENOMEM;
	mailbox_init(m);
	pthread_mutex_lock(&t->hub->lock);
	m->id = ++t->hub->last_id;
	m->next = t->hub->coordinator.next;
	t->hub->coordinator.next = m;
	pthread_mutex_unlock(&t->hub->lock);
	t->own = m;
	return 0;
}

static int threads_open(struct bus *e, const char *spec,
			const struct bus_config *config,
			struct error *error)
{
	struct threads *t;
	int err;

	(void)spec;
	if (!config->hub)
		return error_set(error, -EINVAL, "threads: no hub");
	t = calloc(1, sizeof(*t));
	err = t ? 0 : -ENOMEM;
	if (t) {
		t->hub = config->hub;
		err = e->role == BUS_COORDINATOR ? be_coordinator(t) :
		      be_worker(t);
	}
	if (err) {
		error_set(error, 0, "threads: %s", err == -EBUSY ?
			 "the hub already has a coordinator" : "no memory");
		free(t);
		return err;
	}
	e->link = t;
	member_connected(e, t->own->id, t->own->id);
	return 0;
}

/* Hellos are for the next coordinator, the rest was for this one */
static void keep_hellos(struct bus *e, struct mailbox *m)
{
	struct message_queue all;
	struct bus_buffer *b;
	struct frame f;

	message_queue_init(&all);
	message_queue_move(&all, &m->queue);
	while ((b = message_queue_pop(&all))) {
		if (!frame_read(b->data, b->len, &f) && f.kind == FRAME_HELLO)
			message_queue_push(&m->queue, b);
		else
			message_queue_release(&e->inbox, b);
	}
}

static void threads_close(struct bus *e)
{
	struct threads *t = e->link;
	struct mailbox **p;

	pthread_mutex_lock(&t->hub->lock);
	t->own->event = -1;
	if (e->role == BUS_COORDINATOR) {
		keep_hellos(e, t->own);
		t->hub->has_coordinator = false;
	} else {
		for (p = &t->hub->coordinator.next; *p != t->own;)
			p = &(*p)->next;
		*p = t->own->next;
	}
	pthread_mutex_unlock(&t->hub->lock);
	if (e->role == BUS_WORKER) {
		mailbox_end(t->own);
		free(t->own);
	}
	free(t);
}

static struct bus_buffer *threads_pack(struct bus *e,
				       const struct frame *f,
				       const struct iovec *iov, int count,
				       size_t len)
{
	struct bus_buffer *b =
		message_queue_buffer(&e->inbox, FRAME_SIZE + len);
	uint8_t *at;
	int i;

	if (!b)
		return NULL;
	frame_write(b->data, f);
	at = b->data + FRAME_SIZE;
	for (i = 0; i < count; i++) {
		if (iov[i].iov_len)
			memcpy(at, iov[i].iov_base, iov[i].iov_len);
		at += iov[i].iov_len;
	}
	return b;
}

/* With the hub's lock */
static void threads_put(struct mailbox *m, struct bus_buffer *b)
{
	message_queue_push(&m->queue, b);
	pthread_cond_signal(&m->news);
	if (m->event >= 0)
		eventfd_write(m->event, 1);
}

static int threads_send(struct bus *e, const struct frame *f,
			uint64_t joining, const struct iovec *iov, int count,
			size_t len)
{
	struct threads *t = e->link;
	struct bus_buffer *b = threads_pack(e, f, iov, count, len);
	struct mailbox *m;

	if (!b)
		return -ENOMEM;
	pthread_mutex_lock(&t->hub->lock);
	m = threads_find(t->hub, joining ? joining : f->to);
	if (m)
		threads_put(m, b);
	pthread_mutex_unlock(&t->hub->lock);
	if (!m)
		message_queue_release(&e->inbox, b);
	return 0;
}

static struct bus_buffer *threads_take(struct threads *t)
{
	struct bus_buffer *b;

	pthread_mutex_lock(&t->hub->lock);
	b = message_queue_pop(&t->own->queue);
	pthread_mutex_unlock(&t->hub->lock);
	return b;
}

static void threads_progress(struct bus *e)
{
	struct threads *t = e->link;
	struct bus_buffer *b;
	struct frame f;

	while ((b = threads_take(t))) {
		if (frame_read(b->data, b->len, &f)) {
			message_queue_release(&e->inbox, b);
			continue;
		}
		assert(b->len >= FRAME_SIZE && !b->start);
		b->start = FRAME_SIZE;
		b->len -= FRAME_SIZE;
		member_frame(e, &f, b);
	}
}

static void threads_reset(struct bus *e)
{
	struct threads *t = e->link;
	struct bus_buffer *b;

	while ((b = threads_take(t)))
		message_queue_release(&e->inbox, b);
	pthread_mutex_lock(&t->hub->lock);
	t->own->id = ++t->hub->last_id;
	pthread_mutex_unlock(&t->hub->lock);
	member_connected(e, t->own->id, t->own->id);
}

static void deadline(struct timespec *t, int timeout_ms)
{
	clock_gettime(CLOCK_MONOTONIC, t);
	t->tv_sec += timeout_ms / 1000;
	t->tv_nsec += timeout_ms % 1000 * 1000000l;
	if (t->tv_nsec >= 1000000000l) {
		t->tv_sec++;
		t->tv_nsec -= 1000000000l;
	}
}

static void threads_wait(struct bus *e, int timeout_ms)
{
	struct threads *t = e->link;
	struct timespec end;
	int err = 0;

	if (timeout_ms >= 0)
		deadline(&end, timeout_ms);
	pthread_mutex_lock(&t->hub->lock);
	while (!t->own->queue.first && !err)
		err = timeout_ms < 0 ?
		      pthread_cond_wait(&t->own->news, &t->hub->lock) :
		      pthread_cond_timedwait(&t->own->news, &t->hub->lock,
					     &end);
	pthread_mutex_unlock(&t->hub->lock);
}

static int threads_fd(struct bus *e)
{
	struct threads *t = e->link;

	if (e->event < 0)
		e->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (e->event < 0)
		return -errno;
	pthread_mutex_lock(&t->hub->lock);
	t->own->event = e->event;
	pthread_mutex_unlock(&t->hub->lock);
	/* there may be messages already */
	eventfd_write(e->event, 1);
	return e->event;
}

const struct bus_transport bus_threads = {
	.abi = BUS_ABI,
	.name = "threads",
	.rejoins = true,
	.open = threads_open,
	.close = threads_close,
	.send = threads_send,
	.reset = threads_reset,
	.progress = threads_progress,
	.wait = threads_wait,
	.fd = threads_fd,
};
