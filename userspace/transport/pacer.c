// SPDX-License-Identifier: GPL-2.0-only
/*
 * pacer - send the datagrams of a frame evenly over the available time
 */
#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include "base/wire.h"
#include "transport/pacer.h"

enum {
	LEFT	= offsetof(struct optsample_segment_timed, left),
	SLOT	= OPTSAMPLE_SEGMENT_MAX,
	STEP	= 1000000,		/* ns */
};

struct pacer {
	struct loop		*loop;
	struct uplink		*uplink;
	struct loop_timer	timer;
	struct {
		uint8_t		*slots;
		struct payloads	payloads;
	}			frame[2];
	unsigned int		out;	/* index of the frame being sent */
	unsigned int		next;	/* next datagram to send, of */
	unsigned int		total;	/* all datagrams, with copies */
	uint64_t		start, span;
};

/* Sending time of datagram @n */
static uint64_t pacer_due_of(const struct pacer *o, unsigned int n)
{
	return o->start + ((uint64_t)n * o->span + o->total - 1) / o->total;
}

/* @end: first one to wait. Those sent now carry the end time of the last */
static void send_until(struct pacer *o, unsigned int end, uint64_t now)
{
	uint64_t last = end < o->total ? pacer_due_of(o, o->total - 1) : now;
	uint32_t left = last > now ? (last - now) / 1000 : 0;
	const struct payloads *p = &o->frame[o->out].payloads;
	uint8_t *slots = o->frame[o->out].slots;

	while (o->next < end) {
		unsigned int count = p->count;
		unsigned int i = o->next % count, n = end - o->next;

		if (n > count - i)
			n = count - i;
		for (unsigned int k = i; k < i + n; k++)
			put_le32(slots + (size_t)k * SLOT + LEFT, left);
		uplink_send(o->uplink, slots + (size_t)i * SLOT, SLOT,
			    p->len + i, n);
		o->next += n;
	}
}

static void pacer_on_time(void *arg, uint64_t now)
{
	struct pacer *o = arg;
	uint64_t gone = now - o->start, due;

	send_until(o, gone >= o->span ? o->total :
		   (unsigned int)(gone * o->total / o->span) + 1, now);
	if (o->next == o->total)
		return;
	due = pacer_due_of(o, o->next);
	o->timer.due = due > now + STEP ? due : now + STEP;
}

struct pacer *pacer_create(struct loop *l, struct uplink *u,
			   unsigned int max)
{
	struct pacer *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->loop = l;
	o->uplink = u;
	o->timer.due = LOOP_NEVER;
	o->timer.expired = pacer_on_time;
	o->timer.arg = o;
	loop_add_timer(l, &o->timer);
	for (unsigned int i = 0; i < 2; i++) {
		uint8_t *slots = malloc((size_t)max * SLOT);
		struct payloads *p = &o->frame[i].payloads;

		o->frame[i].slots = slots;
		*p = (struct payloads){
			.data = slots ? slots + uplink_header(u) : NULL,
			.stride = SLOT,
			.len = calloc(max, sizeof(*p->len)),
			.size = uplink_payload(u),
			.max = max,
		};
		if (!slots || !p->len) {
			pacer_destroy(o);
			return NULL;
		}
	}
	return o;
}

void pacer_destroy(struct pacer *o)
{
	if (!o)
		return;
	loop_remove_timer(o->loop, &o->timer);
	for (unsigned int i = 0; i < 2; i++) {
		free(o->frame[i].slots);
		free(o->frame[i].payloads.len);
	}
	free(o);
}

struct payloads *pacer_payloads(struct pacer *o)
{
	struct payloads *p = &o->frame[!o->out].payloads;

	p->count = 0;
	return p;
}

/* Send the rest of a frame without its copies: they do not justify a burst */
static void pacer_finish(struct pacer *o, uint64_t now)
{
	o->total = o->frame[o->out].payloads.count;
	send_until(o, o->total, now);
	o->timer.due = LOOP_NEVER;
}

void pacer_send(struct pacer *o, const struct optsample_segment *header,
		uint64_t span, unsigned int copies)
{
	struct optsample_segment s = *header;
	uint64_t now = loop_now();
	struct payloads *p;
	unsigned int count;

	pacer_finish(o, now);
	assert(o->next >= o->total);
	o->out = !o->out;
	p = &o->frame[o->out].payloads;
	assert(p->count <= p->max);
	count = p->count;

	s.header = uplink_header(o->uplink);
	s.count = htole16(count);
	for (unsigned int i = 0; i < count; i++) {
		s.index = htole16(i);
		memcpy(o->frame[o->out].slots + (size_t)i * SLOT, &s,
		       sizeof(s));
		/* becomes the length of the segment */
		p->len[i] += s.header;
	}
	o->next = 0;
	o->total = count * (copies ? copies : 1);
	o->start = now;
	o->span = span ? span : 1;
	if (count)
		pacer_on_time(o, now);
}
