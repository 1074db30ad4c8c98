// SPDX-License-Identifier: GPL-2.0-only
/*
 * outbox - a topic's frames on their way out, evenly over the time they have
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include "bridge/outbox.h"
#include "lib/wire.h"

enum {
	LEFT	= offsetof(struct optsample_segment_timed, left),
	SLOT	= OPTSAMPLE_SEGMENT_MAX,
	STEP	= 1000000,		/* ns */
	FRAMES	= OUTBOX_FRAMES + 1,	/* and the one that is encoded */
};

/**
 * struct leaving - a frame on its way out
 * @slots:	NULL: there was no need for it yet
 * @number:	frames before it
 * @next:	datagram to leave, of @total with copies; all: it has left
 * @start, @span: ns
 */
struct leaving {
	uint8_t		*slots;
	struct payloads	payloads;
	uint64_t	number;
	unsigned int	next, total;
	uint64_t	start, span;
};

struct outbox {
	struct loop		*loop;
	struct uplink		*uplink;
	struct loop_timer	timer;
	unsigned int		max;
	struct leaving		frame[FRAMES];
	struct leaving		*filling;	/* by the encoder */
	uint64_t		number;
};

/* When number @n of all leaves */
static uint64_t due_of(const struct leaving *f, unsigned int n)
{
	return f->start + ((uint64_t)n * f->span + f->total - 1) / f->total;
}

/* @end: the first one that has to wait. All that go now say when the last does */
static void send_until(struct outbox *o, struct leaving *f, unsigned int end,
		       uint64_t now)
{
	uint64_t last = end < f->total ? due_of(f, f->total - 1) : now;
	uint32_t left = last > now ? (last - now) / 1000 : 0;
	const struct payloads *p = &f->payloads;

	while (f->next < end) {
		unsigned int count = p->count;
		unsigned int i = f->next % count, n = end - f->next;

		if (n > count - i)
			n = count - i;
		for (unsigned int k = i; k < i + n; k++)
			put_le32(f->slots + (size_t)k * SLOT + LEFT, left);
		uplink_send(o->uplink, f->slots + (size_t)i * SLOT, SLOT,
			    p->len + i, n);
		f->next += n;
	}
}

/* What is due of it. Return: when more of it is, or LOOP_NEVER */
static uint64_t send_due(struct outbox *o, struct leaving *f, uint64_t now)
{
	uint64_t gone = now - f->start;

	if (f->next == f->total)
		return LOOP_NEVER;
	send_until(o, f, gone >= f->span ? f->total :
		   (unsigned int)(gone * f->total / f->span) + 1, now);
	return f->next < f->total ? due_of(f, f->next) : LOOP_NEVER;
}

static void on_time(void *arg, uint64_t now)
{
	struct outbox *o = arg;
	uint64_t first = LOOP_NEVER;

	for (unsigned int i = 0; i < FRAMES; i++) {
		uint64_t due = send_due(o, &o->frame[i], now);

		if (due < first)
			first = due;
	}
	o->timer.due = first < now + STEP ? now + STEP : first;
}

/* Return: whether there is memory for its datagrams */
static bool make(struct outbox *o, struct leaving *f)
{
	uint8_t *slots;
	uint16_t *len;

	if (f->slots)
		return true;
	slots = malloc((size_t)o->max * SLOT);
	len = calloc(o->max, sizeof(*len));
	if (!slots || !len) {
		free(slots);
		free(len);
		return false;
	}
	f->slots = slots;
	f->payloads = (struct payloads){
		.data = slots + uplink_header(o->uplink), .stride = SLOT,
		.len = len, .size = uplink_payload(o->uplink), .max = o->max,
	};
	return true;
}

struct outbox *outbox_create(struct loop *l, struct uplink *u,
			     unsigned int max)
{
	struct outbox *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->loop = l;
	o->uplink = u;
	o->max = max;
	o->timer.due = LOOP_NEVER;
	o->timer.expired = on_time;
	o->timer.arg = o;
	loop_add_timer(l, &o->timer);
	o->filling = &o->frame[0];
	/* one leaves while the other one is encoded, always */
	if (make(o, &o->frame[0]) && make(o, &o->frame[1]))
		return o;
	outbox_destroy(o);
	return NULL;
}

void outbox_destroy(struct outbox *o)
{
	if (!o)
		return;
	loop_remove_timer(o->loop, &o->timer);
	for (unsigned int i = 0; i < FRAMES; i++) {
		free(o->frame[i].slots);
		free(o->frame[i].payloads.len);
	}
	free(o);
}

struct payloads *outbox_payloads(struct outbox *o)
{
	o->filling->payloads.count = 0;
	return &o->filling->payloads;
}

static bool leaves(const struct leaving *f)
{
	return f->next < f->total;
}

/* The oldest of those that leave; @count: gets how many there are */
static struct leaving *oldest(struct outbox *o, unsigned int *count)
{
	struct leaving *first = NULL;

	*count = 0;
	for (unsigned int i = 0; i < FRAMES; i++) {
		struct leaving *f = &o->frame[i];

		if (!leaves(f))
			continue;
		++*count;
		if (!first || f->number < first->number)
			first = f;
	}
	return first;
}

/* What is left of a frame, but for copies: they are not worth a burst */
static void finish(struct outbox *o, struct leaving *f, uint64_t now)
{
	if (f->total > f->payloads.count)
		f->total = f->payloads.count;
	send_until(o, f, f->total, now);
	f->next = f->total;
}

/* For the encoder: one with memory if there is one */
static struct leaving *idle_one(struct outbox *o, uint64_t now)
{
	struct leaving *f;
	unsigned int count;

	for (unsigned int i = 0; i < FRAMES; i++)
		if (!leaves(&o->frame[i]) && o->frame[i].slots)
			return &o->frame[i];
	for (unsigned int i = 0; i < FRAMES; i++)
		if (!leaves(&o->frame[i]) && make(o, &o->frame[i]))
			return &o->frame[i];
	f = oldest(o, &count);
	finish(o, f, now);
	return f;
}

void outbox_send(struct outbox *o, const struct optsample_segment *header,
		 uint64_t span, unsigned int copies, unsigned int frames)
{
	struct leaving *f = o->filling, *before;
	struct optsample_segment s = *header;
	struct payloads *p = &f->payloads;
	unsigned int count = p->count, others;
	uint64_t now = loop_now();

	while ((before = oldest(o, &others)) && others >= frames)
		finish(o, before, now);
	s.header = uplink_header(o->uplink);
	s.count = htole16(count);
	for (unsigned int i = 0; i < count; i++) {
		s.index = htole16(i);
		memcpy(f->slots + (size_t)i * SLOT, &s, sizeof(s));
		/* from now on the length of a segment */
		p->len[i] += s.header;
	}
	f->number = o->number++;
	f->next = 0;
	f->total = count * (copies ? copies : 1);
	f->start = now;
	f->span = span ? span : 1;
	on_time(o, now);
	o->filling = idle_one(o, now);
}
