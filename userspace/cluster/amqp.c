// SPDX-License-Identifier: GPL-2.0-only
/*
 * The engine over a RabbitMQ broker: a thread that receives, monitors the
 * other members, and reconnects.
 *
 * One connection, guarded by the lock of the bus: the caller's thread sends,
 * this one receives; it waits for the socket without the lock. A worker that
 * left begins with a new connection: pending messages to it are deleted with
 * its queue.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include "base/error.h"
#include "base/thread.h"
#include "cluster/broker.h"
#include "cluster/member.h"

#define MS	1000000ull

enum {
	PAUSE_MS	= 100,		/* before the first reconnect */
	PAUSE_MOST_MS	= 2000,
};

/**
 * struct amqp - what e->link is
 * @wake:	wakes the thread
 * @resets:	the worker left, and reconnects
 */
struct amqp {
	struct broker_address	address;
	struct broker		broker;
	pthread_t		thread;
	int			wake;
	bool			stop;
	bool			resets;
};

/* For a time, or until the wake event */
static void amqp_pause_ms(struct amqp *a, int ms)
{
	struct pollfd p = { .fd = a->wake, .events = POLLIN };
	uint64_t n;

	if (poll(&p, 1, ms) > 0 && read(a->wake, &n, sizeof(n)) < 0)
		return;
}

static bool stopped(struct bus *e)
{
	struct amqp *a = e->link;
	bool stop;

	pthread_mutex_lock(&e->lock);
	stop = a->stop;
	pthread_mutex_unlock(&e->lock);
	return stop;
}

/* Without the lock: it takes time, and the caller can go on meanwhile */
static void connect_again(struct bus *e)
{
	struct amqp *a = e->link;
	struct error error;
	unsigned int ms = PAUSE_MS;
	struct broker b;

	while (!stopped(e)) {
		if (!broker_connect(&b, &a->address, e, &error)) {
			pthread_mutex_lock(&e->lock);
			a->broker = b;
			a->resets = false;
			e->up->connected(e, b.address, 0);
			pthread_mutex_unlock(&e->lock);
			return;
		}
		pthread_mutex_lock(&e->lock);
		memcpy(e->error.text, error.text, sizeof(e->error.text));
		pthread_mutex_unlock(&e->lock);
		amqp_pause_ms(a, ms);
		ms = 2 * ms < PAUSE_MOST_MS ? 2 * ms : PAUSE_MOST_MS;
	}
}

/* With the lock */
static void disconnect(struct bus *e)
{
	struct amqp *a = e->link;
	char text[ERROR_TEXT];

	if (!a->broker.broken) {
		/* the worker was removed, and knows it */
		broker_close(&a->broker, false);
		return;
	}
	snprintf(text, sizeof(text), "%.80s: %.150s", a->address.text,
		 a->broker.why);
	broker_close(&a->broker, false);
	e->up->lost(e, text);
}

/**
 * amqp_turn() - do all pending work
 * Return: time of the next call, ns; 0: the connection is lost.
 */
static uint64_t amqp_turn(struct bus *e)
{
	struct amqp *a = e->link;
	uint64_t due = 0;
	bool more;

	do {
		pthread_mutex_lock(&e->lock);
		more = broker_receive(&a->broker, e) && !a->resets;
		/* silence only counts after all input was read */
		if (!more && !a->broker.broken && !a->resets)
			due = e->up->tick(e, member_now());
		if (a->broker.broken || a->resets) {
			disconnect(e);
			due = 0;
		}
		pthread_mutex_unlock(&e->lock);
	} while (more);
	return due;
}

/* Until the socket is readable, the wake event, or @due */
static void sleep_until(struct amqp *a, int fd, uint64_t due)
{
	struct pollfd p[2] = {
		{ .fd = fd, .events = POLLIN },
		{ .fd = a->wake, .events = POLLIN },
	};
	const uint64_t now = member_now();
	const uint64_t ns = due > now ? due - now : 0;
	const struct timespec t = { ns / 1000000000, ns % 1000000000 };
	uint64_t n;

	if (ppoll(p, 2, &t, NULL) > 0 && (p[1].revents & POLLIN) &&
	    read(a->wake, &n, sizeof(n)) < 0)
		return;
}

static void *amqp_work(void *arg)
{
	struct bus *e = arg;
	struct amqp *a = e->link;
	uint64_t due;

	while (!stopped(e)) {
		if (!a->broker.c) {
			connect_again(e);
			continue;
		}
		due = amqp_turn(e);
		if (due && !stopped(e))
			sleep_until(a, a->broker.fd, due);
	}
	return NULL;
}

/* Retry, if the user wants that; permanent errors are not retried */
static int connect_first(struct bus *e, const struct bus_config *config,
			 struct error *error)
{
	const uint64_t end = member_now() + config->connect_ms * MS;
	struct amqp *a = e->link;
	char last[ERROR_TEXT] = "";
	unsigned int ms = PAUSE_MS;
	int err;

	for (;;) {
		err = broker_connect(&a->broker, &a->address, e, error);
		if (!err || err == -EACCES || err == -ENOMEM)
			return err;
		if (config->connect_ms != UINT32_MAX && member_now() >= end)
			return err;
		if (config->notice && strcmp(error->text, last))
			config->notice(config->arg, error->text);
		memcpy(last, error->text, sizeof(last));
		amqp_pause_ms(a, ms);
		ms = 2 * ms < PAUSE_MOST_MS ? 2 * ms : PAUSE_MOST_MS;
	}
}

static int amqp_start(struct bus *e)
{
	struct amqp *a = e->link;

	return thread_start(&a->thread, amqp_work, e);
}

static void free_link(struct bus *e)
{
	struct amqp *a = e->link;

	broker_free_address(&a->address);
	if (a->wake >= 0)
		close(a->wake);
	free(a);
	e->link = NULL;
}

static int open_link(struct bus *e, const struct bus_config *config,
		     struct error *error)
{
	struct amqp *a = e->link;
	int err = connect_first(e, config, error);

	if (err)
		return err;
	e->up->connected(e, a->broker.address, 0);
	err = amqp_start(e);
	if (err) {
		error_set(error, 0, "thread: %s", strerror(-err));
		broker_close(&a->broker, false);
	}
	return err;
}

static int amqp_engine_open(struct bus *e, const char *spec,
			    const struct bus_config *config,
			    struct error *error)
{
	struct amqp *a = calloc(1, sizeof(*a));
	int err = -ENOMEM;

	if (!a)
		goto no_memory;
	e->link = a;
	a->broker.fd = -1;
	a->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (a->wake < 0)
		goto err_link;
	err = broker_parse(&a->address, spec, error);
	if (!err)
		err = open_link(e, config, error);
	if (!err)
		return 0;
	free_link(e);
	return err;
err_link:
	free_link(e);
no_memory:
	return error_set(error, err, "out of memory or file descriptors");
}

static void amqp_wake(struct amqp *a)
{
	eventfd_write(a->wake, 1);
}

static void amqp_engine_close(struct bus *e)
{
	struct amqp *a = e->link;

	pthread_mutex_lock(&e->lock);
	a->stop = true;
	pthread_mutex_unlock(&e->lock);
	amqp_wake(a);
	pthread_join(a->thread, NULL);
	broker_close(&a->broker, true);
	free_link(e);
}

static int amqp_engine_send(struct bus *e, const struct frame *f,
			    uint64_t joining, const struct iovec *iov,
			    int count, size_t len)
{
	struct amqp *a = e->link;
	const int err = broker_send(&a->broker, f, joining, iov, count, len);

	/* frames that came during the send, or the end of the connection */
	if (a->broker.c && (a->broker.broken ||
			    amqp_frames_enqueued(a->broker.c) ||
			    amqp_data_in_buffer(a->broker.c)))
		amqp_wake(a);
	return err;
}

static void amqp_engine_reset(struct bus *e)
{
	struct amqp *a = e->link;

	a->resets = true;
	amqp_wake(a);
}

static void amqp_engine_wait(struct bus *e, int timeout_ms)
{
	struct timespec t;

	if (timeout_ms < 0) {
		pthread_cond_wait(&e->news, &e->lock);
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += timeout_ms / 1000;
	t.tv_nsec += timeout_ms % 1000 * (long)MS;
	if (t.tv_nsec >= 1000000000) {
		t.tv_sec++;
		t.tv_nsec -= 1000000000;
	}
	pthread_cond_timedwait(&e->news, &e->lock, &t);
}

const struct bus_transport bus_amqp = {
	.abi = BUS_ABI,
	.name = "amqp",
	.broadcast = true,
	.rejoins = true,
	.open = amqp_engine_open,
	.close = amqp_engine_close,
	.send = amqp_engine_send,
	.reset = amqp_engine_reset,
	.wait = amqp_engine_wait,
};
