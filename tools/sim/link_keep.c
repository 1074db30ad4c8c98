// SPDX-License-Identifier: GPL-2.0-only
/*
 * link_keep - what a robot's queue keeps of an outage, without a kernel
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <optsample/sampler.h>
#include <optsample/segment.h>
#include "link_keep.h"

struct datagram {
	STAILQ_ENTRY(datagram)	next;
	size_t			len;
	uint8_t			data[];
};

STAILQ_HEAD(datagrams, datagram);

/* @node: the first member */
struct message {
	struct optsample_node	node;
	struct datagrams	datagrams;
};

/* What becomes of the segments of the newest message that still come */
enum fate { PASS, KEEP, DROP };

/**
 * struct flow
 * @frame:	of its newest message, whose segments are subject to @fate
 * @filling:	the newest message, if it waits
 * @leaving:	what is left of the message that leaves
 * @used:	when it was last used, in arrivals
 */
struct flow {
	bool			known;
	uint64_t		stream, used;
	uint32_t		topic, frame;
	enum fate		fate;
	struct optsample_sampler sampler;
	struct message		*filling;
	struct datagrams	leaving;
};

/**
 * struct link_keep
 * @others:	datagrams that are not sampled
 * @turn:	of the flow that sends next; KEEP_FLOWS: the others
 */
struct link_keep {
	unsigned int		messages, other_count, turn;
	uint64_t		arrivals;
	struct datagrams	others;
	struct flow		flow[KEEP_FLOWS];
};

struct link_keep *link_keep_create(unsigned int messages)
{
	struct link_keep *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->messages = messages;
	STAILQ_INIT(&k->others);
	return k;
}

static bool append(struct datagrams *to, const void *data, size_t len)
{
	struct datagram *d = malloc(sizeof(*d) + len);

	if (!d)
		return false;
	d->len = len;
	memcpy(d->data, data, len);
	STAILQ_INSERT_TAIL(to, d, next);
	return true;
}

static bool is_empty(const struct flow *f)
{
	return !f->sampler.len && STAILQ_EMPTY(&f->leaving);
}

/* The flow of a segment, or one to use for it; NULL: all are in use */
static struct flow *find_flow(struct link_keep *k,
			      const struct optsample_segment *s)
{
	struct flow *oldest = NULL;

	for (struct flow *f = k->flow; f < k->flow + KEEP_FLOWS; f++) {
		if (f->known && f->stream == s->stream && f->topic == s->topic)
			return f;
		if ((!f->known || is_empty(f)) &&
		    (!oldest || f->used < oldest->used))
			oldest = f;
	}
	if (!oldest)
		return NULL;
	*oldest = (struct flow){
		.known = true, .stream = s->stream, .topic = s->topic,
		.frame = le32toh(s->frame) - 1,
	};
	STAILQ_INIT(&oldest->leaving);
	optsample_init(&oldest->sampler, OPTSAMPLE_POLICY_GAP, k->messages,
		       OPTSAMPLE_REFILL_DEFAULT);
	return oldest;
}

static void free_message(struct flow *f, struct message *m)
{
	struct datagram *d;

	if (f->filling == m) {
		f->filling = NULL;
		f->fate = DROP;
	}
	while ((d = STAILQ_FIRST(&m->datagrams))) {
		STAILQ_REMOVE_HEAD(&m->datagrams, next);
		free(d);
	}
	free(m);
}

/* A message begins to arrive at a flow that waits */
static void begin_message(struct flow *f, uint64_t position)
{
	struct optsample_node *evicted;
	struct message *m;
	bool keep = optsample_arrive(&f->sampler, position, &evicted);

	while (evicted) {
		m = (struct message *)evicted;
		evicted = evicted->next;
		free_message(f, m);
	}
	f->filling = NULL;
	f->fate = DROP;
	m = keep ? calloc(1, sizeof(*m)) : NULL;
	if (!m)
		return;
	STAILQ_INIT(&m->datagrams);
	optsample_append(&f->sampler, &m->node, position);
	f->filling = m;
	f->fate = KEEP;
}

/* A message that was cut by the outage is lost, and so are older ones */
static bool flow_arrive(struct flow *f, const struct optsample_segment *s,
			const void *data, size_t len, bool outage)
{
	int32_t newer = le32toh(s->frame) - f->frame;

	if (!outage && is_empty(f)) {
		if (newer > 0) {
			f->frame += newer;
			f->fate = PASS;
			f->filling = NULL;
		}
		return newer == 0 && f->fate == DROP;
	}
	if (newer > 0) {
		f->frame += newer;
		begin_message(f, le64toh(s->position));
	}
	if (newer >= 0 && f->fate == PASS)
		return outage;
	if (newer >= 0 && f->fate == KEEP)
		append(&f->filling->datagrams, data, len);
	return true;
}

bool link_keep_arrive(struct link_keep *k, const void *data, size_t len,
		      bool outage)
{
	struct optsample_segment s = { 0 };
	struct flow *f;

	if (len >= sizeof(s))
		memcpy(&s, data, sizeof(s));
	if (le32toh(s.magic) == OPTSAMPLE_SEGMENT_MAGIC &&
	    s.flags & OPTSAMPLE_SEGMENT_SAMPLE) {
		f = find_flow(k, &s);
		if (!f)
			return outage;
		f->used = ++k->arrivals;
		return flow_arrive(f, &s, data, len, outage);
	}
	if (!outage && !k->other_count)
		return false;
	if (k->other_count < KEEP_OTHERS && append(&k->others, data, len))
		k->other_count++;
	return true;
}

/* The next datagram of a turn, or NULL */
static const struct datagram *of_turn(const struct link_keep *k,
				      unsigned int turn)
{
	const struct flow *f = &k->flow[turn];
	const struct message *m;

	if (turn == KEEP_FLOWS)
		return STAILQ_FIRST(&k->others);
	if (!f->known)
		return NULL;
	if (!STAILQ_EMPTY(&f->leaving))
		return STAILQ_FIRST(&f->leaving);
	m = (const struct message *)f->sampler.head;
	return m ? STAILQ_FIRST(&m->datagrams) : NULL;
}

static unsigned int next_turn(const struct link_keep *k)
{
	for (unsigned int i = 0; i <= KEEP_FLOWS; i++) {
		unsigned int turn = (k->turn + i) % (KEEP_FLOWS + 1);

		if (of_turn(k, turn))
			return turn;
	}
	return KEEP_FLOWS;
}

size_t link_keep_next(const struct link_keep *k)
{
	const struct datagram *d = of_turn(k, next_turn(k));

	return d ? d->len : 0;
}

/* The oldest message of a flow leaves; what is still to come of it passes */
static void leave(struct flow *f)
{
	struct message *m = (struct message *)optsample_depart(&f->sampler);

	if (f->filling == m) {
		f->filling = NULL;
		f->fate = PASS;
	}
	STAILQ_CONCAT(&f->leaving, &m->datagrams);
	free(m);
}

void link_keep_depart(struct link_keep *k, void *data)
{
	struct datagrams *from = &k->others;
	struct datagram *d;

	k->turn = next_turn(k);
	if (k->turn < KEEP_FLOWS) {
		struct flow *f = &k->flow[k->turn];

		from = &f->leaving;
		if (STAILQ_EMPTY(from))
			leave(f);
	} else {
		k->other_count--;
	}
	k->turn = (k->turn + 1) % (KEEP_FLOWS + 1);
	d = STAILQ_FIRST(from);
	memcpy(data, d->data, d->len);
	STAILQ_REMOVE_HEAD(from, next);
	free(d);
}
