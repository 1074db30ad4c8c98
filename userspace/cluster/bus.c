// SPDX-License-Identifier: GPL-2.0-only
/*
 * The interface for callers: choice of the engine, sending within windows,
 * receiving.
 */
#include <assert.h>
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "base/error.h"
#include "base/installed.h"
#include "cluster/member.h"

enum {
	HEARTBEAT_MS		= 5000,
	LEAST_HEARTBEAT_MS	= 200,
	WINDOW			= 16 << 20,
};

static const struct bus_upcalls upcalls = {
	.connected = member_connected,
	.lost = member_lost,
	.frame = member_frame,
	.returned = member_returned,
	.gone = member_gone,
	.tick = member_tick,
	.buffer = message_queue_buffer,
	.release = message_queue_release,
	.write = frame_write,
	.read = frame_read,
};

bool bus_valid_job(const char *s)
{
	size_t i;

	for (i = 0; s[i]; i++)
		if (!isalnum((unsigned char)s[i]) && !strchr("._-", s[i]))
			return false;
	return i > 0 && i < BUS_JOB;
}

static int bus_configure(struct bus *e, const struct bus_config *c,
			 struct error *error)
{
	const uint32_t ms = c->heartbeat_ms ? c->heartbeat_ms : HEARTBEAT_MS;
	char host[40] = "";

	if (!c->job || !bus_valid_job(c->job))
		return error_set(error, -EINVAL,
				 "job '%.80s' must have 1 to %d letters, "
				 "digits, '.', '_' or '-'",
				 c->job ? c->job : "", BUS_JOB - 1);
	if (c->build && strlen(c->build) >= BUS_BUILD)
		return error_set(error, -EINVAL, "build '%.80s...' must have "
				 "at most %d characters",
				 c->build, BUS_BUILD - 1);
	if (ms < LEAST_HEARTBEAT_MS)
		return error_set(error, -EINVAL,
				 "heartbeat of %u ms must be at least %d ms",
				 ms,
				 LEAST_HEARTBEAT_MS);
	strcpy(e->job, c->job);
	strcpy(e->build, c->build ? c->build : "");
	e->protocol = c->protocol;
	e->heartbeat_ns = ms * 1000000ull;
	e->window = c->window ? c->window : WINDOW;
	gethostname(host, sizeof(host) - 1);
	snprintf(e->name, sizeof(e->name), "%s:%d", host, getpid());
	return 0;
}

static int load_mpi(struct bus *e, struct error *error)
{
	char path[PATH_MAX];

	if (installed_find("OPTSAMPLE_ENGINES", "engine", "engine-mpi.so",
			   path))
		return error_set(error, -EOPNOTSUPP,
				 "mpi: engine-mpi.so not found");
	/* Open MPI's own plug-ins want to see its symbols */
	e->plugin = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (!e->plugin)
		return error_set(error, -EOPNOTSUPP, "mpi: %.200s", dlerror());
	e->transport = dlsym(e->plugin, "bus_mpi");
	if (!e->transport || e->transport->abi != BUS_ABI)
		return error_set(error, -EOPNOTSUPP,
				 "mpi: engine-mpi.so has another version");
	return 0;
}

static int bus_choose_amqp(struct bus *e, struct error *error)
{
#ifdef WITHOUT_RABBITMQ
	(void)e;
	return error_set(error, -EOPNOTSUPP, "amqp: built without RabbitMQ");
#else
	(void)error;
	e->transport = &bus_amqp;
	return 0;
#endif
}

static int bus_choose(struct bus *e, const char *spec, enum bus_role role,
		      struct error *error)
{
	e->role = role;
	if (!strcmp(spec, "mpi"))
		return load_mpi(e, error);
	if (role == BUS_BY_RANK)
		return error_set(error, -EINVAL,
				 "role by rank is only supported with mpi");
	if (!strcmp(spec, "threads"))
		e->transport = &bus_threads;
	else if (!strncmp(spec, "amqp:", 5) || !strncmp(spec, "amqps:", 6))
		return bus_choose_amqp(e, error);
	else
		return error_set(error, -EINVAL, "engine '%.*s' must be "
				 "threads, amqp://... or mpi",
				 (int)strcspn(spec, ":/"),
				 spec);
	return 0;
}

static struct bus *bus_new(void)
{
	struct bus *e = calloc(1, sizeof(*e));
	pthread_condattr_t a;

	if (!e)
		return NULL;
	e->up = &upcalls;
	e->event = -1;
	message_queue_init(&e->inbox);
	message_queue_init(&e->early);
	pthread_mutex_init(&e->lock, NULL);
	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_cond_init(&e->news, &a);
	pthread_condattr_destroy(&a);
	return e;
}

/* A plug-in stays loaded: its libraries (Open MPI) cannot be unloaded */
static void bus_free(struct bus *e)
{
	free(e->current);
	message_queue_free(&e->inbox);
	message_queue_free(&e->early);
	peers_free(&e->peers);
	if (e->event >= 0)
		close(e->event);
	pthread_cond_destroy(&e->news);
	pthread_mutex_destroy(&e->lock);
	free(e);
}

int bus_open(struct bus **out, const char *spec, enum bus_role role,
	     const struct bus_config *config, struct error *error)
{
	struct bus *e = bus_new();
	int err;

	if (!e)
		return error_set(error, -ENOMEM, "no memory");
	err = bus_configure(e, config, error);
	if (!err)
		err = bus_choose(e, spec, role, error);
	if (!err)
		err = e->transport->open(e, spec, config, error);
	if (err) {
		bus_free(e);
		return err;
	}
	*out = e;
	return 0;
}

void bus_close(struct bus *e)
{
	if (!e)
		return;
	pthread_mutex_lock(&e->lock);
	member_leave(e);
	pthread_mutex_unlock(&e->lock);
	e->transport->close(e);
	bus_free(e);
}

static int bus_check(uint16_t type, const struct iovec *iov, int count,
		     size_t *len)
{
	int i;

	if (type >= BUS_EVENT || count < 0)
		return -EINVAL;
	for (*len = 0, i = 0; i < count; i++) {
		if (iov[i].iov_len > BUS_MESSAGE - *len)
			return -EMSGSIZE;
		*len += iov[i].iov_len;
	}
	return 0;
}

/* Return: NULL: @err says why */
static struct peer *addressee(struct bus *e, uint32_t to, int *err)
{
	struct peer *p;

	if (e->role == BUS_COORDINATOR) {
		p = peers_find(&e->peers, to);
		*err = -EHOSTUNREACH;
		return p && p->present ? p : NULL;
	}
	*err = e->state == BUS_FAILED ? -EPROTO : -ENOTCONN;
	if (e->state != BUS_IN)
		return NULL;
	p = peers_add(&e->peers, to);
	*err = p ? -EHOSTUNREACH : -ENOMEM;
	return p && !p->gone ? p : NULL;
}

static int starve(struct bus *e)
{
	e->starved = true;
	e->relieved = false;
	return -EAGAIN;
}

static void bus_count(struct bus_traffic *t, uint64_t messages, size_t len)
{
	t->messages += messages;
	t->bytes += messages * len;
}

static int bus_send_one(struct bus *e, uint32_t to, uint16_t type,
			const struct iovec *iov, int pieces, size_t len)
{
	struct frame f = { .kind = FRAME_DATA, .type = type, .to = to };
	struct peer *p;
	int err;

	p = addressee(e, to, &err);
	if (p && peer_full(p, e->window) && e->transport->progress) {
		e->transport->progress(e);
		p = addressee(e, to, &err);
	}
	if (!p)
		return err;
	if (peer_full(p, e->window))
		return starve(e);
	f.from = e->id;
	f.epoch = e->epoch;
	err = e->transport->send(e, &f, 0, iov, pieces, len);
	if (err)
		return err;
	p->sent += peer_cost(len);
	bus_count(to ? &e->counters.to_workers : &e->counters.to_coordinator, 1,
		  len);
	return 0;
}

int bus_send(struct bus *e, uint32_t to, uint16_t type,
	     const struct iovec *iov, int pieces)
{
	size_t len;
	int err = bus_check(type, iov, pieces, &len);

	if (err)
		return err;
	pthread_mutex_lock(&e->lock);
	if (to == e->id && (to || e->role == BUS_COORDINATOR))
		err = -EINVAL;
	else
		err = bus_send_one(e, to, type, iov, pieces, len);
	pthread_mutex_unlock(&e->lock);
	return err;
}

static bool any_full(const struct bus *e)
{
	uint32_t i;

	for (i = 0; i < e->peers.count; i++)
		if (e->peers.list[i].present &&
		    peer_full(&e->peers.list[i], e->window))
			return true;
	return false;
}

/* Counts in the window of each worker; one that is not in drops it */
static int bus_send_all(struct bus *e, uint16_t type,
			const struct iovec *iov, int pieces, size_t len)
{
	struct frame f = {
		.kind = FRAME_DATA, .type = type, .to = FRAME_ALL,
		.epoch = e->epoch,
	};
	uint32_t i, present = 0;
	int err = 0;

	for (i = 0; i < e->peers.count && !err; i++) {
		struct peer *p = &e->peers.list[i];

		if (!p->present)
			continue;
		f.to = p->id;
		if (!e->transport->broadcast)
			err = e->transport->send(e, &f, 0, iov, pieces, len);
		if (err)
			break;
		p->sent += peer_cost(len);
		present++;
	}
	assert(present <= e->peers.count);
	f.to = FRAME_ALL;
	if (!err && present && e->transport->broadcast)
		err = e->transport->send(e, &f, 0, iov, pieces, len);
	if (err)
		return err;
	bus_count(&e->counters.to_workers, present, len);
	e->counters.broadcasts++;
	return 0;
}

int bus_broadcast(struct bus *e, uint16_t type, const struct iovec *iov,
		  int pieces)
{
	size_t len;
	int err = bus_check(type, iov, pieces, &len);

	if (err)
		return err;
	if (e->role != BUS_COORDINATOR)
		return -EPERM;
	pthread_mutex_lock(&e->lock);
	if (any_full(e) && e->transport->progress)
		e->transport->progress(e);
	if (any_full(e))
		err = starve(e);
	else
		err = bus_send_all(e, type, iov, pieces, len);
	pthread_mutex_unlock(&e->lock);
	return err;
}

static void count_received(struct bus *e, const struct bus_buffer *b)
{
	if (b->type < BUS_EVENT)
		bus_count(b->from ? &e->counters.from_workers :
			  &e->counters.from_coordinator, 1, b->len);
}

/* The descriptor has to be readable exactly if there is a message */
static void clear_event(struct bus *e)
{
	uint64_t n;

	if (e->event >= 0 && read(e->event, &n, sizeof(n)) < 0)
		return;
}

static bool something(struct bus *e)
{
	return e->inbox.first || e->relieved || e->state == BUS_FAILED;
}

/* Until there is a message; -1: no limit. Return: whether there is one. */
static bool await(struct bus *e, int timeout_ms)
{
	const uint64_t end = member_now() + timeout_ms * 1000000ull;
	uint64_t now;
	int left = timeout_ms;

	for (;;) {
		if (e->transport->progress)
			e->transport->progress(e);
		if (something(e))
			return true;
		if (timeout_ms >= 0) {
			now = member_now();
			if (now >= end)
				return false;
			left = (end - now + 999999) / 1000000;
		}
		e->transport->wait(e, left);
	}
}

static int bus_take(struct bus *e, struct bus_message *m)
{
	struct bus_buffer *b = message_queue_pop(&e->inbox);

	if (!b)
		return e->state == BUS_FAILED ? -EPROTO : 0;
	assert(!e->current && b->start + b->len <= b->room);
	e->current = b;
	count_received(e, b);
	member_took(e, b);
	*m = (struct bus_message){
		.from = b->from, .type = b->type,
		.data = b->data + b->start, .len = b->len,
	};
	return 1;
}

/* Until a send may be tried again. Return: false: timeout. */
static bool await_room(struct bus *e, uint64_t end, bool for_ever)
{
	uint64_t now;

	for (;;) {
		if (e->transport->progress)
			e->transport->progress(e);
		now = member_now();
		if (e->relieved || e->state == BUS_FAILED)
			return true;
		if (!for_ever && now >= end)
			return false;
		e->transport->wait(e, for_ever ? -1 :
				   (int)((end - now + 999999) / 1000000));
	}
}

int bus_send_wait(struct bus *e, uint32_t to, uint16_t type,
		  const struct iovec *iov, int pieces, int timeout_ms)
{
	const uint64_t end = member_now() + timeout_ms * 1000000ull;
	int err = bus_send(e, to, type, iov, pieces);
	size_t len = 0;

	if (err != -EAGAIN)
		return err;
	bus_check(type, iov, pieces, &len);
	pthread_mutex_lock(&e->lock);
	member_lend(e);
	do
		err = bus_send_one(e, to, type, iov, pieces, len);
	while (err == -EAGAIN && await_room(e, end, timeout_ms < 0));
	e->lends = false;
	pthread_mutex_unlock(&e->lock);
	return err;
}

int bus_receive(struct bus *e, struct bus_message *m, int timeout_ms)
{
	int ret;

	pthread_mutex_lock(&e->lock);
	message_queue_release(&e->inbox, e->current);
	e->current = NULL;
	clear_event(e);
	e->relieved = false;
	await(e, timeout_ms);
	ret = bus_take(e, m);
	if (e->event >= 0 && something(e))
		member_notify(e);
	pthread_mutex_unlock(&e->lock);
	return ret;
}

int bus_wait(struct bus *e, int timeout_ms)
{
	bool some;

	pthread_mutex_lock(&e->lock);
	some = await(e, timeout_ms);
	e->relieved = false;
	pthread_mutex_unlock(&e->lock);
	return some;
}

int bus_fd(struct bus *e)
{
	int fd;

	if (e->transport->fd)
		return e->transport->fd(e);
	pthread_mutex_lock(&e->lock);
	if (e->event < 0)
		e->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	fd = e->event < 0 ? -errno : e->event;
	if (fd >= 0 && something(e))
		member_notify(e);
	pthread_mutex_unlock(&e->lock);
	return fd;
}

uint32_t bus_id(struct bus *e)
{
	uint32_t id;

	pthread_mutex_lock(&e->lock);
	id = e->state == BUS_IN ? e->id : 0;
	pthread_mutex_unlock(&e->lock);
	return id;
}

uint32_t bus_seats(const struct bus *e)
{
	return e->transport->seats ? e->transport->seats(e) : BUS_WORKERS;
}

enum bus_role bus_role(const struct bus *e)
{
	return e->role;
}

void bus_error(struct bus *e, struct error *error)
{
	pthread_mutex_lock(&e->lock);
	*error = e->error;
	pthread_mutex_unlock(&e->lock);
}

void bus_counters(struct bus *e, struct bus_counters *c)
{
	pthread_mutex_lock(&e->lock);
	*c = e->counters;
	pthread_mutex_unlock(&e->lock);
}
