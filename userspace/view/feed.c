// SPDX-License-Identifier: GPL-2.0-only
/*
 * feed - what a client gets next
 */
#include <assert.h>
#include "view/feed.h"

/* A topic that was idle must not make up for it */
static const double lag_max = 65536;
/* Small messages that arrived so long ago take turns with large ones, ns */
static const int64_t late_after = 1000000000;
/* Of small topics, if only the newest is wanted, ns */
static const int64_t small_every = 100000000;

static bool feed_is_large(const struct board_topic *t)
{
	return message_is_picture(t->kind) || message_is_map(t->kind) ||
	       (t->history.newest && board_is_large(t->history.newest));
}

void feed_subscribe(struct feed *f, struct board *b, unsigned int topic,
		    bool kept)
{
	struct feed_topic *ft = &f->topic[topic];
	const struct board_topic *t = board_topic(b, topic);
	const struct view_message *last = t->history.newest;

	if (kept) {
		ft->on_kept = true;
		ft->kept_next = ft->noted = t->seq + 1;
		ft->sampled = 0;
		return;
	}
	ft->on = true;
	ft->next = t->seq + 1;
	if (t->history.latched && t->history.count)
		ft->next = t->history.m[0]->seq;
	else if (last && (feed_is_large(t) || message_is_state(t->kind) ||
		     message_is_latched(t->kind, t->name)))
		ft->next = last->seq;
}

void feed_unsubscribe(struct feed *f, unsigned int topic, bool kept)
{
	if (kept)
		f->topic[topic].on_kept = false;
	else
		f->topic[topic].on = false;
}

/*
 * The sample of a stall
 */

static void feed_sample(struct feed_topic *ft, uint64_t seq)
{
	if (!ft->sampled)
		ft->step = 1;
	if (ft->sampled && ++ft->skipped < ft->step)
		return;
	ft->skipped = 0;
	if (ft->sampled == FEED_KEPT) {
		for (unsigned int i = 0; i < FEED_KEPT / 2; i++)
			ft->sample[i] = ft->sample[2 * i];
		ft->sampled = FEED_KEPT / 2;
		ft->step *= 2;
	}
	assert(ft->sampled < FEED_KEPT && ft->step);
	ft->sample[ft->sampled++] = seq;
}

void feed_note(struct feed *f, struct board *b, bool stalled)
{
	for (unsigned int i = 0; i < board_topics(b); i++) {
		struct feed_topic *ft = &f->topic[i];
		const struct board_topic *t = board_topic(b, i);

		if (!ft->on_kept || !ft->on || ft->noted > t->seq)
			continue;
		/* the newest one may still be sent in time */
		for (; ft->noted < t->seq; ft->noted++)
			if (stalled && ft->noted >= ft->next &&
			    feed_is_large(t))
				feed_sample(ft, ft->noted);
	}
}

/*
 * Candidates
 */

/* Too much of a small topic waits: it starts again with the newest part */
static void feed_limit(struct feed *f, struct feed_topic *ft,
		       const struct board_topic *t)
{
	size_t bytes = 0;

	for (uint32_t i = t->history.count; i-- > 0;) {
		const struct view_message *m = t->history.m[i];

		if (m->seq < ft->next)
			return;
		bytes += m->len;
		if (bytes <= FEED_BACKLOG)
			continue;
		f->counts.left_out += m->seq + 1 - ft->next;
		ft->next = m->seq + 1;
		return;
	}
}

/* The next message of a small topic that the client wants, or NULL */
static struct view_message *feed_small(struct feed *f, struct feed_topic *ft,
				       const struct board_topic *t, bool kept)
{
	uint64_t *next = kept ? &ft->kept_next : &ft->next;
	struct view_message *m;

	if (!(kept ? ft->on_kept : ft->on) || *next > t->seq)
		return NULL;
	if (!kept)
		feed_limit(f, ft, t);
	while ((m = topic_history_from(&t->history, *next))) {
		if (m->seq > *next && !kept)
			f->counts.left_out += m->seq - *next;
		*next = m->seq;
		if (m->kept == kept)
			return m;
		++*next;
	}
	*next = t->seq + 1;
	return NULL;
}

/* The next of the sample that is still in the history, or NULL */
static struct view_message *feed_sampled(struct feed *f, struct feed_topic *ft,
					 const struct board_topic *t)
{
	while (ft->sampled) {
		struct view_message *m = topic_history_from(&t->history,
						      ft->sample[0]);
		const bool there = m && m->seq == ft->sample[0];

		/* sent as the newest after all */
		if (there && m->seq >= ft->next)
			return NULL;
		if (there)
			return m;
		f->counts.left_out++;
		assert(ft->sampled <= FEED_KEPT);
		ft->sampled--;
		for (unsigned int i = 0; i < ft->sampled; i++)
			ft->sample[i] = ft->sample[i + 1];
	}
	return NULL;
}

static struct view_message *feed_newest_small(const struct feed *f,
					      const struct feed_topic *ft,
					      const struct board_topic *t)
{
	struct view_message *m = t->history.newest;

	return m && m->seq >= ft->next && f->now - ft->sent >= small_every ?
	       m : NULL;
}

static struct view_message *feed_newest(struct feed *f, struct board_topic *t,
					unsigned int i)
{
	struct view_message *m = f->newest ? f->newest(f->arg, t, i) :
				 t->history.newest;

	return m && m->seq >= f->topic[i].next ? m : NULL;
}

/**
 * struct feed_choice - the best so far
 * @rank:	0: small, 1: large or kept
 * @order:	arrival of small ones, bytes served of large ones
 * @sampled:	of the sample of a stall
 * @small:	a live one of a small topic
 */
struct feed_choice {
	struct view_message	*m;
	unsigned int		topic, rank;
	double			order;
	bool			kept, sampled, small;
};

static void feed_offer(struct feed_choice *best, struct feed_choice c)
{
	if (c.m && (!best->m || c.rank < best->rank ||
		    (c.rank == best->rank && c.order < best->order)))
		*best = c;
}

/*
 * Small ones come before all others, oldest first. After some bytes late ones
 * take turns with large ones; among them the oldest is first.
 */
static void feed_offer_small(struct feed *f, struct board *b, unsigned int i,
			     struct view_message *m, struct feed_choice *best)
{
	const bool late = m && board_now(b) - m->arrival > late_after;

	if (f->small_served < f->turn - lag_max)
		f->small_served = f->turn - lag_max;
	feed_offer(best, (struct feed_choice){
		.m = m, .topic = i, .rank = late, .small = true,
		.order = !m ? 0 : late ? f->small_served - lag_max +
			 (m->arrival % 1000000000000000) * 1e-15 : m->arrival });
}

static void feed_consider(struct feed *f, struct board *b, unsigned int i,
			  struct feed_choice *best)
{
	struct feed_topic *ft = &f->topic[i];
	struct board_topic *t = board_topic(b, i);
	struct view_message *m;
	double kept_order;

	if (ft->on && !feed_is_large(t)) {
		m = f->newest_only ? feed_newest_small(f, ft, t) :
				     feed_small(f, ft, t, false);
		feed_offer_small(f, b, i, m, best);
	} else if (ft->on) {
		if (ft->served < f->turn - lag_max)
			ft->served = f->turn - lag_max;
		feed_offer(best, (struct feed_choice){ feed_newest(f, t, i), i,
				 1, ft->served, false, false });
	}
	if (!ft->on_kept)
		return;
	/* at equal bytes what is live goes first */
	if (f->kept_served < f->turn + 1)
		f->kept_served = f->turn + 1;
	/* topics take turns: far less than the bytes of any message */
	kept_order = f->kept_served + ft->kept_sent * 1e-3;
	m = feed_small(f, ft, t, true);
	feed_offer(best, (struct feed_choice){ m, i,
			 m && !board_is_large(m) ? 0 : 1,
			 m && !board_is_large(m) ? m->arrival : kept_order,
			 true, false });
	feed_offer(best, (struct feed_choice){ feed_sampled(f, ft, t), i, 1,
			 kept_order, true, true });
}

static void feed_take(struct feed *f, const struct feed_choice *c)
{
	struct feed_topic *ft = &f->topic[c->topic];
	double *served = c->kept ? &f->kept_served :
			 c->small ? &f->small_served : &ft->served;

	if (c->rank) {
		f->turn = *served;
		/* what an outage left counts half: it is wanted soon */
		*served += c->small ? (c->m->len + 64) / 3. :
			   (c->m->len + 1024) / (c->kept ? 2. : 1.);
		ft->kept_sent += c->kept;
	}
	if (c->sampled) {
		assert(ft->sampled && ft->sampled <= FEED_KEPT);
		ft->sampled--;
		for (unsigned int i = 0; i < ft->sampled; i++)
			ft->sample[i] = ft->sample[i + 1];
	} else if (c->kept) {
		ft->kept_next = c->m->seq + 1;
	} else {
		if (c->rank && !c->small)
			f->counts.replaced += c->m->seq - ft->next;
		assert(c->m->seq >= ft->next);
		ft->next = c->m->seq + 1;
		ft->sent = f->now;
	}
	if (c->kept)
		f->counts.kept++;
	else
		f->counts.sent++;
}

/* Nothing waits: all have the same right to the next bytes */
static void feed_restart(struct feed *f, unsigned int topics)
{
	for (unsigned int i = 0; i < topics; i++)
		f->topic[i].served = f->topic[i].kept_sent = 0;
	f->kept_served = f->small_served = f->turn = 0;
}

bool feed_next(struct feed *f, struct board *b, struct feed_item *item)
{
	struct feed_choice best = { 0 };

	for (unsigned int i = 0; i < board_topics(b); i++)
		feed_consider(f, b, i, &best);
	if (!best.m) {
		feed_restart(f, board_topics(b));
		return false;
	}
	feed_take(f, &best);
	*item = (struct feed_item){ view_message_get(best.m), best.topic,
				    best.kept };
	return true;
}
