// SPDX-License-Identifier: GPL-2.0-only
/*
 * A worker sends hello, is welcomed with an id, makes itself reachable by it
 * (ready), and is in. The coordinator decides who is in; a worker that hears
 * otherwise resets its state and begins again.
 */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>
#include "cluster/member.h"

#define MS	1000000ull

enum {
	HELLO_MS	= 100,		/* between two, at first */
	HELLO_MOST_MS	= 2000,
	BEAT_MS		= 250,		/* at most */
	BEATS		= 4,		/* in a heartbeat */
};

uint64_t member_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

void member_notify(struct bus *e)
{
	const uint64_t one = 1;

	pthread_cond_signal(&e->news);
	/* a full counter is readable, too */
	if (e->event >= 0 && write(e->event, &one, sizeof(one)) < 0)
		return;
}

static void member_fail(struct bus *e, const char *what, const char *why)
{
	snprintf(e->error.text, sizeof(e->error.text), "%s%.200s", what, why);
	e->state = BUS_FAILED;
	member_notify(e);
}

/* A message of the bus itself to its caller */
__attribute__((format(printf, 4, 5)))
static void event(struct bus *e, enum bus_event type, uint32_t from,
		  const char *format, ...)
{
	char text[FRAME_TEXT];
	struct bus_buffer *b;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (n >= (int)sizeof(text))
		n = sizeof(text) - 1;
	b = message_queue_buffer(&e->inbox, n + 1);
	if (!b) {
		member_fail(e, "no memory", "");
		return;
	}
	memcpy(b->data, text, n + 1);
	b->from = from;
	b->type = type;
	b->incarnation = 0;
	message_queue_push(&e->inbox, b);
	member_notify(e);
}

static int control_to(struct bus *e, struct frame *f, uint64_t joining,
		      const void *data, size_t len)
{
	const struct iovec iov = { (void *)data, len };

	f->from = e->id;
	e->counters.control++;
	return e->transport->send(e, f, joining, &iov, len ? 1 : 0, len);
}

static void member_control(struct bus *e, enum frame_kind kind, uint32_t to,
			   uint64_t value)
{
	struct frame f = {
		.kind = kind, .to = to, .epoch = e->epoch, .value = value,
	};

	control_to(e, &f, 0, NULL, 0);
}

/* From the coordinator to all workers that are in */
static void control_all(struct bus *e, enum frame_kind kind, uint64_t value)
{
	uint32_t i;

	if (e->transport->broadcast) {
		if (e->peers.count)
			member_control(e, kind, FRAME_ALL, value);
		return;
	}
	for (i = 0; i < e->peers.count; i++)
		if (e->peers.list[i].present)
			member_control(e, kind, e->peers.list[i].id, value);
}

static void relieve(struct bus *e)
{
	if (!e->starved)
		return;
	e->starved = false;
	e->relieved = true;
	member_notify(e);
}

/* The coordinator removes a worker */
static void member_drop(struct bus *e, struct peer *p, const char *why)
{
	const uint32_t id = p->id;
	const bool present = p->present;

	peers_remove(&e->peers, p);
	if (!present)
		return;
	event(e, BUS_LEFT, id, "%s", why);
	control_all(e, FRAME_GONE, id);
	relieve(e);
}

static void member_send_out(struct bus *e, uint64_t epoch, uint32_t id,
			    const char *why)
{
	struct frame f = { .kind = FRAME_OUT, .to = id, .epoch = epoch };

	control_to(e, &f, 0, why, strlen(why));
}

/* A worker learns that another one left */
static void be_gone(struct bus *e, uint32_t id)
{
	struct peer *p = peers_add(&e->peers, id);

	if (p)
		p->gone = true;
	relieve(e);
}

/* A worker resets its membership */
static void member_forget(struct bus *e)
{
	struct bus_buffer *b;

	if (e->id) {
		e->old_id = e->id;
		e->old_epoch = e->epoch;
	}
	e->id = 0;
	e->epoch = 0;
	e->incarnation++;
	e->peers.count = 0;
	while ((b = message_queue_pop(&e->early)))
		message_queue_release(&e->inbox, b);
	if (e->state != BUS_FAILED)
		e->state = BUS_UNLINKED;
	relieve(e);
}

static void be_out(struct bus *e, enum bus_event type, const char *why)
{
	const uint32_t id = type == BUS_LEFT ? e->id : 0;

	if (e->state == BUS_IN)
		event(e, type, id, "%s", why);
	member_forget(e);
	if (e->transport->rejoins)
		e->transport->reset(e);
	else
		member_fail(e, "", why);
}

static void send_hello(struct bus *e, uint64_t now)
{
	uint8_t bytes[FRAME_HELLO_SIZE];
	struct hello h = {
		.protocol = e->protocol, .id = e->wish,
		.old_epoch = e->old_epoch, .old_id = e->old_id,
	};
	struct frame f = { .kind = FRAME_HELLO, .value = e->address };

	memcpy(h.build, e->build, sizeof(h.build));
	memcpy(h.name, e->name, sizeof(h.name));
	frame_write_hello(bytes, &h);
	e->hello_due = now + HELLO_MOST_MS * MS;
	control_to(e, &f, 0, bytes, sizeof(bytes));
}

void member_connected(struct bus *e, uint64_t address, uint32_t id)
{
	const uint64_t now = member_now();

	/* a refusal is final, also after a new connection */
	if (e->state == BUS_FAILED)
		return;
	e->error.text[0] = '\0';
	e->incarnation++;
	e->heard = e->ticked = e->beat_due = now;
	if (e->role == BUS_COORDINATOR) {
		if (getrandom(&e->epoch, sizeof(e->epoch), 0) < 0)
			e->epoch = now;
		e->state = BUS_IN;
		return;
	}
	assert(e->role == BUS_WORKER && !e->peers.count);
	e->address = address;
	e->wish = id;
	e->state = BUS_LINKED;
	e->hello_pause = HELLO_MS * MS;
	send_hello(e, now);
}

void member_lost(struct bus *e, const char *why)
{
	uint32_t i;

	if (e->role == BUS_COORDINATOR) {
		for (i = 0; i < e->peers.count; i++)
			if (e->peers.list[i].present)
				event(e, BUS_LEFT, e->peers.list[i].id, "%s",
				      why);
		e->peers.count = 0;
		e->incarnation++;
		e->state = BUS_UNLINKED;
		relieve(e);
	} else {
		if (e->state == BUS_IN)
			event(e, BUS_COORDINATOR_GONE, 0, "%s", why);
		member_forget(e);
	}
	if (e->state != BUS_FAILED)
		snprintf(e->error.text, sizeof(e->error.text), "%s", why);
}

__attribute__((format(printf, 4, 5))) static void
member_refuse(struct bus *e, uint64_t address, const struct hello *h,
	      const char *format, ...)
{
	struct frame f = { .kind = FRAME_REFUSED, .epoch = e->epoch };
	char why[FRAME_TEXT / 2];
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, sizeof(why), format, ap);
	va_end(ap);
	control_to(e, &f, address, why, strlen(why));
	event(e, BUS_REFUSED, 0, "worker %s refused: %s", h->name, why);
}

static bool acceptable(struct bus *e, uint64_t address,
		       const struct hello *h)
{
	if (h->protocol != e->protocol)
		member_refuse(e, address, h,
			      "protocol %u, this job has %u", h->protocol,
			      e->protocol);
	else if (strcmp(h->build, e->build))
		member_refuse(e, address, h,
			      "build '%.24s', this job has '%.24s'", h->build,
			      e->build);
	else if (e->peers.count >= BUS_WORKERS)
		member_refuse(e, address, h, "already %u workers",
			      e->peers.count);
	else if (h->id == FRAME_ALL || e->next_id >= FRAME_ALL - 1)
		member_refuse(e, address, h, "no more worker ids");
	else if (h->id && peers_find(&e->peers, h->id))
		member_refuse(e, address, h, "worker %u already exists", h->id);
	else
		return true;
	return false;
}

static void welcome(struct bus *e, const struct peer *p)
{
	struct frame f = {
		.kind = FRAME_WELCOME, .to = p->id, .epoch = e->epoch,
		.value = e->window,
	};

	control_to(e, &f, p->address, NULL, 0);
}

static void hear_hello(struct bus *e, const struct frame *f,
		       const struct bus_buffer *b)
{
	struct peer *p = peers_find_address(&e->peers, f->value);
	struct hello h;

	if (frame_read_hello(b->data + b->start, b->len, &h))
		return;
	if (p) {
		if (!p->present)
			welcome(e, p);
		return;
	}
	if (h.old_id && h.old_epoch == e->epoch) {
		p = peers_find(&e->peers, h.old_id);
		if (p)
			member_drop(e, p, "replaced by a new connection");
	}
	if (!acceptable(e, f->value, &h))
		return;
	p = peers_add(&e->peers, h.id ? h.id : e->next_id + 1);
	if (!p)
		return;
	if (p->id > e->next_id)
		e->next_id = p->id;
	p->address = f->value;
	p->heard = member_now();
	welcome(e, p);
}

/* A credit outside of what was sent, or lower than before, is invalid */
static void hear_credit(struct bus *e, struct peer *p, uint64_t taken)
{
	if (taken > p->sent || taken < p->taken_there)
		return;
	p->taken_there = taken;
	relieve(e);
}

void member_took(struct bus *e, struct bus_buffer *b)
{
	struct peer *p;

	if (b->type >= BUS_EVENT || b->incarnation != e->incarnation)
		return;
	p = peers_find(&e->peers, b->from);
	if (!p)
		return;
	p->taken += peer_cost(b->len);
	/* only once */
	b->incarnation = 0;
	if (!peer_to_be_told(p, e->window))
		return;
	p->reported_bytes = p->taken;
	member_control(e, FRAME_CREDIT, p->id, p->reported_bytes);
}

static void lend(struct bus *e, struct bus_buffer *b)
{
	if (e->lent >= (uint64_t)BUS_LENT * e->window)
		return;
	e->lent += peer_cost(b->len);
	member_took(e, b);
}

void member_lend(struct bus *e)
{
	struct bus_buffer *b;

	e->lent = 0;
	for (b = e->inbox.first; b; b = b->next)
		lend(e, b);
	e->lends = true;
}

static void member_deliver(struct bus *e, struct message_queue *in,
			   const struct frame *f, struct bus_buffer *b)
{
	b->from = f->from;
	b->type = f->type;
	b->incarnation = e->incarnation;
	message_queue_push(in, b);
	if (in != &e->inbox)
		return;
	if (e->lends)
		lend(e, b);
	member_notify(e);
}

/* Of a worker that believes it is in; other frames could be our own */
static bool expects_answer(const struct frame *f)
{
	return f->from && f->from != FRAME_ALL &&
	       (f->kind == FRAME_DATA || f->kind == FRAME_BEAT ||
		f->kind == FRAME_READY || f->kind == FRAME_CREDIT);
}

/* Return: whether the buffer was taken over */
static bool coordinator_frame(struct bus *e, const struct frame *f,
			      struct bus_buffer *b)
{
	struct peer *p;

	if (f->kind == FRAME_HELLO) {
		hear_hello(e, f, b);
		return false;
	}
	p = f->epoch == e->epoch ? peers_find(&e->peers, f->from) : NULL;
	if (!p) {
		if (expects_answer(f))
			member_send_out(e, f->epoch, f->from, "removed");
		return false;
	}
	p->heard = member_now();
	if (f->kind == FRAME_READY && !p->present) {
		p->present = true;
		member_control(e, FRAME_IN, p->id, 0);
		event(e, BUS_JOINED, p->id, "joined");
	} else if (f->kind == FRAME_LEAVE) {
		member_drop(e, p, "left");
	} else if (f->kind == FRAME_CREDIT) {
		hear_credit(e, p, f->value);
	} else if (f->kind == FRAME_DATA && p->present &&
		   f->type < BUS_EVENT) {
		member_deliver(e, &e->inbox, f, b);
		return true;
	}
	return false;
}

static void be_welcomed(struct bus *e, const struct frame *f)
{
	if (e->state != BUS_LINKED || !f->to || !f->value ||
	    !peers_add(&e->peers, 0))
		return;
	e->id = f->to;
	e->epoch = f->epoch;
	e->window = f->value > UINT32_MAX ? UINT32_MAX : f->value;
	e->state = BUS_READY;
	e->heard = member_now();
	member_control(e, FRAME_READY, 0, 0);
}

static void be_in(struct bus *e)
{
	if (e->state != BUS_READY)
		return;
	e->state = BUS_IN;
	e->error.text[0] = '\0';
	event(e, BUS_JOINED, e->id, "joined");
	assert(e->id);
	message_queue_move(&e->inbox, &e->early);
}

/* From another worker, or the coordinator: before be_in() for an old id */
static bool worker_data(struct bus *e, const struct frame *f,
			struct bus_buffer *b)
{
	struct peer *p;

	if (f->type >= BUS_EVENT ||
	    (f->to != e->id && (f->to != FRAME_ALL || f->from)) ||
	    (e->state != BUS_IN && !f->from))
		return false;
	p = peers_add(&e->peers, f->from);
	if (!p || p->gone)
		return false;
	member_deliver(e, e->state == BUS_IN ? &e->inbox : &e->early, f, b);
	return true;
}

static void coordinator_message(struct bus *e, const struct frame *f,
				const struct bus_buffer *b)
{
	char why[FRAME_TEXT];

	e->heard = member_now();
	if (f->kind == FRAME_IN) {
		be_in(e);
	} else if (f->kind == FRAME_OUT && f->to == e->id) {
		frame_text(why, sizeof(why), b->data + b->start, b->len);
		be_out(e, BUS_LEFT, why);
	} else if (f->kind == FRAME_BYE) {
		be_out(e, BUS_COORDINATOR_GONE, "the coordinator left");
	} else if (f->kind == FRAME_GONE && f->value && f->value < FRAME_ALL &&
		   f->value != e->id) {
		be_gone(e, f->value);
	}
}

static bool worker_frame(struct bus *e, const struct frame *f,
			 struct bus_buffer *b)
{
	char why[FRAME_TEXT];
	struct peer *p;

	if (f->kind == FRAME_WELCOME) {
		be_welcomed(e, f);
		return false;
	}
	if (f->kind == FRAME_REFUSED && e->state == BUS_LINKED) {
		frame_text(why, sizeof(why), b->data + b->start, b->len);
		member_fail(e, "refused by the coordinator: ", why);
		return false;
	}
	/* for an earlier membership */
	if (f->epoch != e->epoch ||
	    (e->state != BUS_READY && e->state != BUS_IN))
		return false;
	if (f->kind == FRAME_DATA)
		return worker_data(e, f, b);
	if (f->kind == FRAME_CREDIT) {
		p = peers_find(&e->peers, f->from);
		if (p)
			hear_credit(e, p, f->value);
	}
	if (!f->from)
		coordinator_message(e, f, b);
	return false;
}

void member_frame(struct bus *e, const struct frame *f,
		  struct bus_buffer *b)
{
	bool taken = false;

	if (f->kind != FRAME_DATA)
		e->counters.control++;
	if (e->role == BUS_WORKER)
		taken = worker_frame(e, f, b);
	else if (e->state == BUS_IN)
		taken = coordinator_frame(e, f, b);
	if (!taken)
		message_queue_release(&e->inbox, b);
}

void member_gone(struct bus *e, uint32_t id, const char *why)
{
	struct peer *p = peers_find(&e->peers, id);

	if (e->role == BUS_WORKER && !id) {
		be_out(e, BUS_COORDINATOR_GONE, why);
	} else if (p && e->role == BUS_COORDINATOR) {
		member_drop(e, p, why);
	} else if (e->role == BUS_WORKER && id != e->id) {
		be_gone(e, id);
	}
}

void member_returned(struct bus *e, const struct frame *f)
{
	if (f->kind == FRAME_HELLO && e->state == BUS_LINKED) {
		e->hello_due = member_now() + e->hello_pause;
		e->hello_pause *= 2;
		if (e->hello_pause > HELLO_MOST_MS * MS)
			e->hello_pause = HELLO_MOST_MS * MS;
		snprintf(e->error.text, sizeof(e->error.text),
			 "job '%s' has no coordinator yet", e->job);
	} else if (f->epoch == e->epoch && e->epoch && f->to != FRAME_ALL) {
		member_gone(e, f->to, f->to ? "connection closed" :
			    "connection of the coordinator closed");
	}
}

static void look_at_workers(struct bus *e, uint64_t now)
{
	char why[FRAME_TEXT];
	uint32_t i;

	snprintf(why, sizeof(why), "no message for %.1f s",
		 e->heartbeat_ns * 1e-9);
	for (i = e->peers.count; i-- > 0;) {
		struct peer *p = &e->peers.list[i];

		if (now - p->heard <= e->heartbeat_ns)
			continue;
		member_send_out(e, e->epoch, p->id,
				"removed: heartbeat timeout");
		member_drop(e, p, why);
	}
	/* a worker that is not in yet cannot be reached by its id */
	for (i = 0; i < e->peers.count; i++)
		if (e->peers.list[i].present)
			member_control(e, FRAME_BEAT, e->peers.list[i].id, 0);
}

static void look_at_coordinator(struct bus *e, uint64_t now)
{
	char why[FRAME_TEXT];

	if (now - e->heard > e->heartbeat_ns) {
		snprintf(why, sizeof(why),
			 "no message from the coordinator for %.1f s",
			 e->heartbeat_ns * 1e-9);
		be_out(e, BUS_COORDINATOR_GONE, why);
		return;
	}
	member_control(e, FRAME_BEAT, 0, 0);
}

/* This process was stopped, not the others: give them another heartbeat */
static void forgive(struct bus *e, uint64_t now)
{
	uint32_t i;

	for (i = 0; i < e->peers.count; i++)
		e->peers.list[i].heard = now;
	e->heard = now;
}

uint64_t member_tick(struct bus *e, uint64_t now)
{
	uint64_t beat = e->heartbeat_ns / BEATS;

	if (beat > BEAT_MS * MS)
		beat = BEAT_MS * MS;
	if (now - e->ticked > 2 * beat)
		forgive(e, now);
	e->ticked = now;
	if (e->state == BUS_LINKED && now >= e->hello_due)
		send_hello(e, now);
	if (now >= e->beat_due) {
		e->beat_due = now + beat;
		if (e->role == BUS_COORDINATOR)
			look_at_workers(e, now);
		else if (e->state == BUS_READY || e->state == BUS_IN)
			look_at_coordinator(e, now);
	}
	if (e->state == BUS_LINKED && e->hello_due < e->beat_due)
		return e->hello_due;
	return e->beat_due;
}

void member_leave(struct bus *e)
{
	if (e->role == BUS_COORDINATOR && e->state == BUS_IN)
		control_all(e, FRAME_BYE, 0);
	else if (e->state == BUS_READY || e->state == BUS_IN)
		member_control(e, FRAME_LEAVE, 0, 0);
}
