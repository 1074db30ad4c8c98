// SPDX-License-Identifier: GPL-2.0-only
/*
 * sink_thread - a thread that writes to a sink, so that the disk does not block
 * the loop
 *
 * It also compresses images. Its queue is bounded.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <syslog.h>
#include <time.h>
#include "base/error.h"
#include "base/thread.h"
#include "ros/io/sink_ops.h"

enum order_kind { ORDER_ADD, ORDER_PUBLISH, ORDER_REMOVE };

struct order {
	STAILQ_ENTRY(order)	next;
	enum order_kind		kind;
	struct written		*topic;
	int64_t			received;
	size_t			len;
	uint8_t			message[];	/* MESSAGE_CDR */
};

/**
 * struct written - a topic, as the thread has it
 * @inner:	NULL: could not be added
 * @removal:	allocated in advance
 */
struct written {
	struct sink_topic	*inner;
	struct order		*removal;
	char			name[IO_NAME];
	enum message_kind	kind;
	bool			latched;
};

struct thread_sink {
	struct sink		s;
	struct sink		*inner;
	pthread_t		thread;
	pthread_mutex_t		lock;		/* of all below */
	pthread_cond_t		more;
	STAILQ_HEAD(, order)	orders;
	size_t			waiting;	/* bytes of orders */
	bool			end;
	bool			behind;		/* logged; the loop's */
};

struct thread_topic {
	struct sink_topic	t;
	struct written		*written;
};

static struct thread_sink *thread_of(struct sink *s)
{
	return (struct thread_sink *)s;
}

/* ---- on the thread ---- */

static void sink_thread_add(struct thread_sink *s, struct written *w)
{
	int err = sink_add(s->inner, w->name, w->kind, w->latched, &w->inner);

	assert(err || w->inner);
	if (!err)
		return;
	w->inner = NULL;
	sink_log(&s->s, LOG_ERR, "%s: cannot advertise: %s", w->name,
		 strerror(-err));
}

static int sink_thread_write_message(const struct order *o)
{
	const struct written *w = o->topic;
	union message msg;
	int err;

	if (!w->inner)
		return -ENODEV;
	err = message_read(w->kind, MESSAGE_CDR, o->message, o->len, &msg);
	return err ?: sink_publish(w->inner, o->received, &msg);
}

static void carry_out(struct thread_sink *s, struct order *o)
{
	switch (o->kind) {
	case ORDER_ADD:
		sink_thread_add(s, o->topic);
		break;
	case ORDER_PUBLISH:
		if (sink_thread_write_message(o))
			sink_drop(&s->s);
		break;
	case ORDER_REMOVE:
		sink_remove(o->topic->inner);
		free(o->topic);
		break;
	}
}

static struct timespec a_second_later(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec++;
	return t;
}

static bool is_past(const struct timespec *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > t->tv_sec ||
	       (now.tv_sec == t->tv_sec && now.tv_nsec >= t->tv_nsec);
}

/* With the lock held. Return: NULL at the end, or when @flush is due */
static struct order *wait_for_order(struct thread_sink *s,
				    const struct timespec *flush)
{
	struct order *o;

	while (STAILQ_EMPTY(&s->orders) && !s->end)
		if (pthread_cond_timedwait(&s->more, &s->lock, flush) ==
		    ETIMEDOUT)
			return NULL;
	o = STAILQ_FIRST(&s->orders);
	if (o)
		STAILQ_REMOVE_HEAD(&s->orders, next);
	return o;
}

/* Orders that are queued at the end are carried out */
static void *sink_thread_work(void *arg)
{
	struct thread_sink *s = arg;
	struct timespec flush = a_second_later();

	pthread_mutex_lock(&s->lock);
	while (!s->end || !STAILQ_EMPTY(&s->orders)) {
		struct order *o = wait_for_order(s, &flush);

		pthread_mutex_unlock(&s->lock);
		if (o)
			carry_out(s, o);
		if (is_past(&flush)) {
			sink_flush(s->inner);
			flush = a_second_later();
		}
		pthread_mutex_lock(&s->lock);
		if (o) {
			assert(s->waiting >= sizeof(*o) + o->len);
			s->waiting -= sizeof(*o) + o->len;
		}
		free(o);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* ---- in the loop ---- */

static void sink_thread_give(struct thread_sink *s, struct order *o,
			     enum order_kind kind, struct written *w)
{
	assert(kind == ORDER_PUBLISH || !o->len);
	o->kind = kind;
	o->topic = w;
	pthread_mutex_lock(&s->lock);
	assert(!s->end);
	s->waiting += sizeof(*o) + o->len;
	STAILQ_INSERT_TAIL(&s->orders, o, next);
	pthread_cond_signal(&s->more);
	pthread_mutex_unlock(&s->lock);
}

static int thread_sink_add(struct sink *sink, struct sink_topic *t)
{
	struct written *w = calloc(1, sizeof(*w));
	struct order *o = calloc(1, sizeof(*o));
	struct order *removal = calloc(1, sizeof(*o));

	if (!w || !o || !removal) {
		free(w);
		free(o);
		free(removal);
		return -ENOMEM;
	}
	w->removal = removal;
	strcpy(w->name, t->name);
	w->kind = t->kind;
	w->latched = t->latched;
	((struct thread_topic *)t)->written = w;
	sink_thread_give(thread_of(sink), o, ORDER_ADD, w);
	return 0;
}

static void thread_sink_remove(struct sink_topic *t)
{
	struct written *w = ((struct thread_topic *)t)->written;

	assert(w && w->removal);
	sink_thread_give(thread_of(t->sink), w->removal, ORDER_REMOVE, w);
}

/* One message always fits. Logged again after it caught up */
static bool sink_thread_has_room(struct thread_sink *s, size_t len)
{
	size_t waiting;

	pthread_mutex_lock(&s->lock);
	waiting = s->waiting;
	pthread_mutex_unlock(&s->lock);
	if (!waiting)
		s->behind = false;
	if (!waiting || waiting + len <= SINK_WAITING)
		return true;
	if (!s->behind)
		sink_log(
			&s->s, LOG_WARNING,
			"%s: writing is slower than the input: messages beyond "
			"%d MB are dropped",
			s->s.config.spec, SINK_WAITING >> 20);
	s->behind = true;
	return false;
}

static int thread_sink_publish(struct sink_topic *t, int64_t received,
			       const union message *msg)
{
	struct thread_sink *s = thread_of(t->sink);
	long len = message_size(t->kind, MESSAGE_CDR, msg);
	struct order *o;

	if (len < 0)
		return len;
	if (!sink_thread_has_room(s, sizeof(*o) + len))
		return -ENOBUFS;
	o = malloc(sizeof(*o) + len);
	if (!o)
		return -ENOMEM;
	len = message_write(t->kind, MESSAGE_CDR, msg, o->message, len);
	if (len < 0) {
		free(o);
		return len;
	}
	assert(len >= 0);
	o->len = len;
	o->received = received;
	sink_thread_give(s, o, ORDER_PUBLISH,
			 ((struct thread_topic *)t)->written);
	return 0;
}

static void sink_thread_release(struct thread_sink *s)
{
	assert(STAILQ_EMPTY(&s->orders) && !s->waiting);
	sink_close(s->inner);
	pthread_cond_destroy(&s->more);
	pthread_mutex_destroy(&s->lock);
	free((char *)s->s.config.spec);
	free(s);
}

static void thread_sink_close(struct sink *sink)
{
	struct thread_sink *s = thread_of(sink);

	pthread_mutex_lock(&s->lock);
	s->end = true;
	pthread_cond_signal(&s->more);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	sink_thread_release(s);
}

static int thread_sink_open(struct sink **result, struct loop *loop,
			    const char *rest, const struct sink_config *config,
			    struct error *error)
{
	struct sink_config plain = *config;
	struct thread_sink *s;
	struct sink *inner;
	pthread_condattr_t attr;
	int err;

	plain.threaded = false;
	err = sink_open(&inner, NULL, &plain, error);
	if (err)
		return err;
	s = calloc(1, sizeof(*s));
	if (!s) {
		sink_close(inner);
		return error_set(error, -ENOMEM, "no memory");
	}
	s->inner = inner;
	s->s.ops = &thread_sink_ops;
	s->s.loop = loop;
	s->s.config = *config;
	s->s.config.spec = strdup(rest);
	STAILQ_INIT(&s->orders);
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->more, &attr);
	pthread_condattr_destroy(&attr);
	err = s->s.config.spec ? thread_start(&s->thread, sink_thread_work, s) :
				 -ENOMEM;
	if (err) {
		sink_thread_release(s);
		return error_set(error, err, "%.200s: %s", rest,
				 strerror(-err));
	}
	*result = &s->s;
	return 0;
}

const struct sink_ops thread_sink_ops = {
	.topic_size	= sizeof(struct thread_topic),
	.open		= thread_sink_open,
	.add		= thread_sink_add,
	.remove		= thread_sink_remove,
	.publish	= thread_sink_publish,
	.close		= thread_sink_close,
};
