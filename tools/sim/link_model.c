// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sender, bottleneck and receiver, millisecond by millisecond.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "link_model.h"

enum { QUEUES = 2, PENDING = 1024, COPIES = 48 };

#define MS	1000000ULL
#define HALF	500			/* ms between reports */

/**
 * struct packet - a datagram
 * @sent:	ns
 * @at:	when it comes, ns
 */
struct packet {
	uint64_t	sent, at;
	uint32_t	size, frame;
	uint16_t	epoch;
	uint8_t		topic;
};

struct fifo {
	struct packet	*p;
	size_t		head, count, room, bytes;
};

struct link_sim_frame {
	double		left, size;	/* datagrams, wire bytes of one */
	double		next, gap, due;	/* s */
	uint32_t	number;
};

struct link_sim_report {
	uint64_t		at;
	struct control_report	r;
};

struct sim {
	const struct link_sim_config	*c;
	struct link_sim_change	link;
	uint64_t		rng, now, begin;
	bool			broken;

	struct estimator	*e;
	struct policy_topic	topic[LINK_SIM_TOPICS];
	struct link_sim_frame	frame[LINK_SIM_TOPICS];

	struct fifo		queue[QUEUES], held, air;
	double			credit, served[QUEUES], last_rate;
	uint64_t		passed;
	uint32_t		drops;

	struct control_report	rx;
	bool			rx_heard, rx_fresh;
	uint64_t		rx_newest, rx_phase, rx_came;
	uint32_t		rx_transit;
	struct link_sim_report	pending[PENDING];
	unsigned int		npending;

	struct link_sim_row		*row;
	double			delays, delayed;
	struct link_sim_result	*result;
};

const struct link_sim_topic link_sim_robot[LINK_SIM_ROBOT] = {
	{ "camera", { .kind = PLAN_IMAGE, .hz = 10, .pixels = 640 * 480 },
	  4, false },
	{ "lidar", { .kind = PLAN_CLOUD, .hz = 10, .organised = true,
		     .vscan = true, .points = 5100 }, 3, false },
	{ "odometry", { .kind = PLAN_PLAIN, .hz = 20, .bytes = 200 },
	  6, false },
	{ "map", { .kind = PLAN_MAP, .hz = 1, .bytes = 30000 }, 1, false },
	{ "scan", { .kind = PLAN_SCAN, .hz = 10, .bytes = 600 }, 5, false },
};

const struct link_sim_config link_sim_usual = {
	.duration = 30, .seed = 1, .queue = 0.2, .jitter = 0.002,
	.report_loss = -1, .limits = { 32e3, 1e3, 1e9 },
	.topics = link_sim_robot, .ntopics = LINK_SIM_ROBOT,
};

static double link_sim_random(struct sim *s)
{
	uint64_t z = s->rng += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

/* As the configuration counts it, from 0 */
static double link_sim_time(const struct sim *s)
{
	return (s->now - s->begin) * 1e-9;
}

/* ---- queues ---- */

static struct packet *fifo_at(const struct fifo *f, size_t i)
{
	return &f->p[(f->head + i) % f->room];
}

static void fifo_put(struct sim *s, struct fifo *f, const struct packet *p)
{
	if (f->count == f->room) {
		size_t room = f->room ? 2 * f->room : 1024;
		struct packet *more = malloc(room * sizeof(*more));

		if (!more) {
			s->broken = true;
			return;
		}
		for (size_t i = 0; i < f->count; i++)
			more[i] = *fifo_at(f, i);
		free(f->p);
		f->p = more;
		f->head = 0;
		f->room = room;
	}
	*fifo_at(f, f->count++) = *p;
	f->bytes += p->size;
}

static struct packet fifo_get(struct fifo *f)
{
	struct packet p = *fifo_at(f, 0);

	f->head = (f->head + 1) % f->room;
	f->count--;
	f->bytes -= p.size;
	return p;
}

/* ---- the bottleneck ---- */

/* Frames of a topic that are held; @victim: number @pick of them */
static unsigned int held_frames(const struct sim *s, unsigned int topic,
				unsigned int pick, uint32_t *victim)
{
	unsigned int n = 0;
	uint32_t last = 0;

	for (size_t i = 0; i < s->held.count; i++) {
		const struct packet *p = fifo_at(&s->held, i);

		if (p->topic != topic || (n && p->frame == last))
			continue;
		if (n++ == pick)
			*victim = p->frame;
		last = p->frame;
	}
	return n;
}

static void held_evict(struct sim *s, unsigned int topic, uint32_t frame)
{
	struct fifo rest = { 0 };

	while (s->held.count) {
		struct packet p = fifo_get(&s->held);

		if (p.topic != topic || p.frame != frame)
			fifo_put(s, &rest, &p);
	}
	free(s->held.p);
	s->held = rest;
}

static void link_hold(struct sim *s, const struct packet *p)
{
	uint32_t victim = p->frame;
	unsigned int n;

	fifo_put(s, &s->held, p);
	n = held_frames(s, p->topic, -1, &victim);
	if (n <= s->c->keep)
		return;
	held_frames(s, p->topic, link_sim_random(s) * n, &victim);
	held_evict(s, p->topic, victim);
}

static void link_put(struct sim *s, const struct packet *p)
{
	double limit = fmax(s->c->queue * s->last_rate, 3000);
	struct fifo *f = &s->queue[p->epoch % QUEUES];

	if (!s->link.rate && s->c->keep) {
		link_hold(s, p);
		return;
	}
	if (f->bytes + p->size > limit) {
		s->drops++;
		s->row->dropped += p->size;
		return;
	}
	fifo_put(s, f, p);
}

/* The link is back: what was held goes before what comes */
static void link_release(struct sim *s)
{
	while (s->held.count) {
		struct packet p = fifo_get(&s->held);

		fifo_put(s, &s->queue[p.epoch % QUEUES], &p);
	}
}

static struct fifo *link_next(struct sim *s)
{
	int q = s->served[0] > s->served[1];

	if (!s->queue[q].count)
		q = !q;
	if (!s->queue[!q].count)
		s->served[!q] = s->served[q];
	return s->queue[q].count ? &s->queue[q] : NULL;
}

static void link_serve(struct sim *s)
{
	double lag = s->link.delay * 1e9;
	struct fifo *f = NULL;

	if (s->link.rate)
		link_release(s);
	s->credit += s->link.rate * 1e-3;
	while ((f = link_next(s)) && fifo_at(f, 0)->size <= s->credit) {
		struct packet p = fifo_get(f);
		uint64_t last = s->air.count ?
			fifo_at(&s->air, s->air.count - 1)->at : 0;

		s->credit -= p.size;
		s->served[f - s->queue] += p.size;
		s->passed += p.size;
		if (link_sim_random(s) < s->link.loss)
			continue;
		p.at = fmax(s->now + lag, last);
		fifo_put(s, &s->air, &p);
	}
	if (!f)
		s->credit = 0;
}

/* ---- the receiver ---- */

static void receive(struct sim *s, const struct packet *p)
{
	struct control_report *r = &s->rx;
	uint32_t sent = p->sent / 1000, bytes = p->size - ESTIMATE_OVERHEAD;
	double clock = p->at / 1000.0 * (1 + s->c->drift);
	uint32_t transit = (uint32_t)(uint64_t)clock + s->c->offset - sent;
	int16_t later = p->epoch - (uint16_t)r->epoch;

	if (!s->rx_heard || p->sent > s->rx_newest) {
		s->rx_newest = p->sent;
		s->rx_came = p->at;
		r->echo = sent;
	}
	if (!s->rx_heard || later > 0) {
		r->epoch = p->epoch;
		later = 0;
	}
	s->rx_heard = true;
	r->datagrams++;
	r->bytes += bytes;
	s->row->received += p->size;
	if (later < 0) {
		r->kept += bytes;
		s->row->kept += p->size;
		s->result->drained = link_sim_time(s);
		s->result->kept_bytes += p->size;
		return;
	}
	if (!s->rx_fresh || (int32_t)(transit - s->rx_transit) < 0)
		s->rx_transit = transit;
	s->rx_fresh = true;
	s->delays += (p->at - p->sent) * 1e-9;
	s->delayed++;
}

static void report_send(struct sim *s)
{
	double loss = s->c->report_loss < 0 ? s->link.loss :
		      s->c->report_loss;
	double back = s->link.delay - s->c->jitter * log(1 - link_sim_random(s));
	unsigned int copies = 1;
	struct link_sim_report *p;

	s->rx.number++;
	s->rx.held = (s->now - s->rx_came) / 1000;
	s->rx.transit = s->rx_transit;
	s->rx_fresh = false;
	if (s->link.loss >= 1)
		copies = COPIES;
	else if (s->link.loss > 0.05)
		copies = fmin(ceil(log(cbrt(1e-4)) / log(s->link.loss)), COPIES);
	for (; copies; copies--) {
		if (!s->link.rate || link_sim_random(s) < loss ||
		    s->npending == PENDING)
			continue;
		p = &s->pending[s->npending++];
		p->r = s->rx;
		p->at = s->now + back * 1e9;
	}
}

static void report_garbage(struct sim *s)
{
	struct link_sim_report *p;

	if (link_sim_random(s) >= s->c->garbage * 1e-3 || s->npending == PENDING)
		return;
	p = &s->pending[s->npending++];
	p->r = s->rx;
	p->at = s->now;
	p->r.number += link_sim_random(s) * 5;
	if (link_sim_random(s) < 0.5)
		p->r.echo = s->now / 1000 - (uint32_t)(link_sim_random(s) * 1e6);
	p->r.held = link_sim_random(s) * 1e5;
	p->r.transit = link_sim_random(s) * UINT32_MAX;
	p->r.bytes = link_sim_random(s) * UINT32_MAX;
	p->r.datagrams = link_sim_random(s) * UINT32_MAX;
	p->r.kept = link_sim_random(s) * UINT32_MAX;
}

static void receiver_run(struct sim *s)
{
	uint64_t ms = s->now / MS;

	if (s->c->restart &&
	    ms - s->begin / MS == (uint64_t)(s->c->restart * 1e3)) {
		memset(&s->rx, 0, sizeof(s->rx));
		s->rx_heard = s->rx_fresh = false;
	}
	while (s->air.count && fifo_at(&s->air, 0)->at <= s->now) {
		struct packet p = fifo_get(&s->air);

		receive(s, &p);
	}
	if (s->rx_heard && ms % HALF == s->rx_phase)
		report_send(s);
	report_garbage(s);
}

/* ---- the sender ---- */

static void sender_plan(struct sim *s)
{
	const struct estimate *e = estimate_of(s->e);

	if (s->c->focus_at)
		for (int i = 0; i < 2; i++)
			s->topic[i].share.focus =
				(link_sim_time(s) >= s->c->focus_at) == i;
	estimate_demand(s->e, policy_apply(s->topic, s->c->ntopics, e->rate, HUGE_VAL,
					   e->loss_high));
}

static void sender_frame(struct sim *s, unsigned int i)
{
	const struct plan *p = &s->topic[i].plan;
	struct link_sim_frame *f = &s->frame[i];
	double n = p->datagrams * (1 + p->parity);
	double interval = 1 / p->hz;

	f->number++;
	f->left += n;
	f->size = p->bytes / n + PLAN_HEADERS;
	f->gap = fmin(interval, 1) / fmax(f->left, 1);
	f->next = link_sim_time(s);
	f->due = f->due + interval > f->next - 0.1 ? f->due + interval :
		 f->next + interval;
}

static void sender_packet(struct sim *s, unsigned int i)
{
	struct link_sim_frame *f = &s->frame[i];
	struct packet p = {
		.sent = s->now, .size = f->size, .frame = f->number,
		.epoch = estimate_of(s->e)->epoch, .topic = i,
	};

	f->left--;
	f->next += f->gap;
	estimate_sent(s->e, s->now, 1, p.size - ESTIMATE_OVERHEAD);
	s->row->sent += p.size;
	s->row->topic_rate[i] += p.size;
	link_put(s, &p);
}

static void sender_run(struct sim *s)
{
	double now = link_sim_time(s);

	for (unsigned int i = 0; i < s->c->ntopics; i++) {
		struct link_sim_frame *f = &s->frame[i];
		const struct plan *p = &s->topic[i].plan;

		if (!p->on || p->hz <= 0)
			continue;
		if (f->due > now + 1 / p->hz)
			f->due = now + 1 / p->hz;
		if (now >= f->due)
			sender_frame(s, i);
		while (f->left >= 1 && f->next <= now)
			sender_packet(s, i);
	}
}

static void sender_hear(struct sim *s)
{
	bool heard = false;

	for (unsigned int i = 0; i < s->npending;) {
		if (s->pending[i].at > s->now) {
			i++;
			continue;
		}
		heard |= !estimate_report(s->e, s->now, &s->pending[i].r);
		s->pending[i] = s->pending[--s->npending];
	}
	if (heard)
		sender_plan(s);
}

static void sender_look(struct sim *s)
{
	struct link_stats l = {
		.known = s->c->local, .carrier = s->link.rate > 0,
		.sampling = s->c->sampling, .ifindex = 1,
		.backlog = s->queue[0].bytes + s->queue[1].bytes +
			   s->held.bytes,
		.bytes = s->passed, .drops = s->drops,
	};

	estimate_link(s->e, s->now, &l);
	estimate_tick(s->e, s->now);
	sender_plan(s);
}

/* ---- a run ---- */

static void link_sim_row_end(struct sim *s)
{
	struct link_sim_row *r = s->row;
	double each = 1000.0 / LINK_SIM_ROW_MS;

	r->time = link_sim_time(s);
	r->capacity = s->link.rate;
	r->real_loss = s->link.loss;
	r->sent *= each;
	r->received *= each;
	r->kept *= each;
	r->dropped *= each;
	r->e = *estimate_of(s->e);
	r->queue = s->queue[r->e.epoch % QUEUES].bytes /
		   fmax(s->last_rate, 1);
	r->delay = s->delayed ? s->delays / s->delayed : 0;
	s->delays = s->delayed = 0;
	for (unsigned int i = 0; i < s->c->ntopics; i++) {
		r->topic_rate[i] *= each;
		r->plan[i] = s->topic[i].plan;
	}
}

static void link_sim_link(struct sim *s)
{
	const struct link_sim_config *c = s->c;

	for (unsigned int i = 0; i < c->nchanges; i++)
		if (link_sim_time(s) >= c->changes[i].time)
			s->link = c->changes[i];
	if (s->link.rate > 0)
		s->last_rate = s->link.rate;
}

static void link_sim_step(struct sim *s)
{
	uint64_t ms = s->now / MS;

	link_sim_link(s);
	sender_hear(s);
	if (ms % 100 == 0)
		sender_look(s);
	sender_run(s);
	link_serve(s);
	receiver_run(s);
}

static void link_sim_end(struct sim *s)
{
	estimator_destroy(s->e);
	for (int i = 0; i < QUEUES; i++)
		free(s->queue[i].p);
	free(s->held.p);
	free(s->air.p);
	free(s);
}

int link_sim_run(const struct link_sim_config *c, struct link_sim_result *r)
{
	unsigned int rows = c->duration * 1000 / LINK_SIM_ROW_MS;
	struct sim *s = calloc(1, sizeof(*s));
	int err = -ENOMEM;

	memset(r, 0, sizeof(*r));
	r->rows = calloc(rows + 1, sizeof(*r->rows));
	if (!s || !r->rows)
		goto out;
	s->c = c;
	s->result = r;
	s->rng = c->seed * 7919;
	s->e = estimator_create(&c->limits);
	if (!s->e)
		goto out;
	for (unsigned int i = 0; i < c->ntopics; i++) {
		s->topic[i].source = c->topics[i].source;
		s->topic[i].share.priority = c->topics[i].priority;
		s->topic[i].share.focus = c->topics[i].focus;
	}
	s->rx.datagrams = s->rx.bytes = s->rx.kept = c->offset;
	s->rx.number = c->offset;
	s->rx_phase = link_sim_random(s) * HALF;
	s->now = 5000000000000ULL + (uint64_t)c->offset * 1000;
	s->now -= s->now % (HALF * MS);
	s->begin = s->now;
	while (r->count < rows && !s->broken) {
		s->row = &r->rows[r->count];
		link_sim_step(s);
		s->now += MS;
		if ((s->now - s->begin) / MS % LINK_SIM_ROW_MS == 0) {
			link_sim_row_end(s);
			r->count++;
		}
	}
	r->epochs = estimate_of(s->e)->epoch;
	err = s->broken ? -ENOMEM : 0;
out:
	if (s)
		link_sim_end(s);
	if (err)
		link_sim_free(r);
	return err;
}

void link_sim_free(struct link_sim_result *r)
{
	free(r->rows);
	memset(r, 0, sizeof(*r));
}
