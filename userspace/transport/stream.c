// SPDX-License-Identifier: GPL-2.0-only
/*
 * stream - all data of one run of a sender
 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include "transport/segment.h"
#include "transport/stream.h"

enum {
	GONE	= 60,		/* s without a frame */
	ENOUGH	= 8,		/* datagrams required to judge the loss */
	RECENT	= 4096,		/* datagrams remembered to detect copies */
	SLOTS	= 2,		/* of the minimum transit */
};

#define SLOT_NS	15000000000ULL
#define LATE	1000000		/* us; a longer delay: held in an outage */
#define SOON	100000		/* us; a larger decrease: new path or damage */
/* us; earlier than the fastest by more than this is a delay over an hour */
#define EARLY	300000000
#define SECOND	1000000000ULL
#define AGAIN	(10 * SECOND)	/* for the second datagram of an epoch */

struct stream {
	uint64_t		id;
	struct loop		*loop;
	struct workers		*workers;
	const struct recv_options *options;
	struct stream_events	events;
	struct budget		*budget;
	struct sockaddr_storage	from;
	struct control_sender	sender;
	bool			timed;		/* it reads reports of version 2 */
	uint64_t		boot, alive;
	unsigned int		announced;	/* number of announcements */
	struct recv_topic	*topic[STREAM_TOPICS];
	unsigned int		topics;
	struct stream_counts	counts;
	struct contact		contact;
	uint64_t		came;		/* last arrival */
	uint64_t		woke;		/* end of last silence of 1 s */
	uint32_t		fastest;	/* base_of() at that time */
	uint32_t		recent[RECENT];	/* sending times */
	/* newest datagram: its sending time and epoch */
	uint16_t		epoch, next_epoch;
	uint64_t		next_at;	/* arrival of @next_epoch */
	uint32_t		echo;
	uint64_t		echo_at;
	/* receiver's clock less the sender's, us */
	uint32_t		transit, doubtful;
	uint32_t		least[2];	/* minima since the report */
	unsigned int		measured;
	uint32_t		base[SLOTS];	/* minimum of each slot */
	uint64_t		slot;
	/* the last report: its number and counts */
	uint32_t		number, reported;
	uint32_t		expected, received;
	uint32_t		paced, growth, runs;
};

struct stream *stream_create(struct loop *l, struct workers *w, uint64_t id,
			     const struct recv_options *options,
			     struct budget *whole,
			     const struct stream_events *events)
{
	struct stream *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->budget = budget_create(whole->memory / 2, whole);
	if (!s->budget) {
		free(s);
		return NULL;
	}
	s->id = id;
	s->loop = l;
	s->workers = w;
	s->options = options;
	s->events = *events;
	return s;
}

void stream_destroy(struct stream *s)
{
	if (!s)
		return;
	for (unsigned int i = 0; i < s->topics; i++)
		recv_topic_destroy(s->topic[i]);
	budget_drop(s->budget);
	free(s);
}

static struct recv_topic *stream_find(const struct stream *s, uint32_t number)
{
	for (unsigned int i = 0; i < s->topics; i++)
		if (recv_topic_announcement(s->topic[i])->topic == number)
			return s->topic[i];
	return NULL;
}

/* Remove the topic that has been silent the longest, at least a minute */
static bool stream_make_room(struct stream *s)
{
	unsigned int oldest = 0;

	assert(s->topics && s->topics <= STREAM_TOPICS);
	for (unsigned int i = 1; i < s->topics; i++)
		if (recv_topic_stats(s->topic[i])->silent >
		    recv_topic_stats(s->topic[oldest])->silent)
			oldest = i;
	if (recv_topic_stats(s->topic[oldest])->silent < GONE)
		return false;
	recv_topic_destroy(s->topic[oldest]);
	s->topic[oldest] = s->topic[--s->topics];
	return true;
}

static void stream_announce(struct stream *s, const struct control_topic *a)
{
	struct recv_topic *t = stream_find(s, a->topic);

	if (a->kind >= MESSAGE_KINDS)
		return;
	if (t) {
		recv_topic_announced(t, a);
		return;
	}
	if (s->topics == STREAM_TOPICS && !stream_make_room(s))
		return;
	assert(s->topics < STREAM_TOPICS);
	t = recv_topic_create(s->loop, s->workers, a, s->options, s->budget,
			      s->events.publish, s->events.arg);
	if (t)
		s->topic[s->topics++] = t;
}

/* @late: it was held during an outage */
static void on_announcement(struct stream *s, uint64_t now,
			    const struct downlink_datagram *g, bool late)
{
	struct control_topic topics[STREAM_TOPICS];
	struct control_sender sender;
	int n = control_announced(g->payload, g->len, &sender, topics,
				  STREAM_TOPICS);
	bool changed;

	if (n < 0)
		return;
	if (!late)
		s->alive = now;
	/* a single one may be of another stream, with a damaged number */
	if (!s->announced++)
		return;
	changed = s->announced == 2 || strcmp(sender.name, s->sender.name);
	s->sender = sender;
	s->boot = le64toh(g->segment.position);
	if (changed)
		s->events.named(s->events.arg);
	for (int i = 0; i < n; i++)
		stream_announce(s, &topics[i]);
}

/*
 * The second smallest transit since the last report: a sending time damaged on
 * the way is likely to give the smallest one.
 */
static uint32_t least(const struct stream *s)
{
	return !s->measured ? s->transit :
	       s->measured == 1 ? s->least[0] : s->least[1];
}

/* Track the minimum of the last half minute, in two slots */
static void stream_remember(struct stream *s, uint64_t now)
{
	uint32_t transit = least(s);

	if (now - s->slot > SLOT_NS) {
		/* after an outage the first data is late: not a minimum */
		s->base[1] = s->slot ? s->base[0] : transit;
		s->base[0] = transit;
		s->slot = now;
	}
	if ((int32_t)(transit - s->base[0]) < 0)
		s->base[0] = transit;
}

static uint32_t base_of(const struct stream *s)
{
	return (int32_t)(s->base[1] - s->base[0]) < 0 ? s->base[1] :
							 s->base[0];
}

/*
 * Delay compared with the fastest datagram, us; 0: unknown, or less. Sending
 * times wrap after 71 minutes.
 */
static uint32_t delay_of(const struct stream *s, uint64_t came, uint32_t sent,
			 uint32_t base)
{
	uint32_t delay = (uint32_t)(came / 1000) - sent - base;

	return s->slot && delay < -(uint32_t)EARLY ? delay : 0;
}

/* Epochs are not enough: the sender learns of an outage's end late or never */
static struct recv_way way_of(const struct stream *s, uint64_t came,
			      uint16_t epoch, uint32_t sent)
{
	uint32_t base = base_of(s);
	/* @base may be that of held datagrams: use the faster one */
	uint32_t then = (int32_t)(s->fastest - base) < 0 ? s->fastest : base;

	return (struct recv_way){
		.woke = s->woke,
		.before = delay_of(s, came, sent, then) >
			  (came - s->woke) / 1000,
		.late = delay_of(s, came, sent, base) > LATE,
		.epoch = s->epoch,
		.old = (int16_t)(epoch - s->epoch) < 0,
	};
}

/* Implausibly early: valid only if the next datagram confirms it */
static bool is_doubtful(struct stream *s, uint32_t transit)
{
	uint32_t before = s->doubtful;

	s->doubtful = transit;
	if (!s->echo_at || (int32_t)(transit - s->base[0]) > -SOON)
		return false;
	return (uint32_t)abs((int32_t)(transit - before)) > SOON;
}

static void stream_measure(struct stream *s, uint64_t now, uint32_t sent)
{
	if (is_doubtful(s, (uint32_t)(now / 1000) - sent))
		return;
	if (!s->echo_at || (int32_t)(sent - s->echo) > 0) {
		s->echo = sent;
		s->echo_at = now;
	}
	s->transit = (uint32_t)(now / 1000) - sent;
	if (!s->measured || (int32_t)(s->transit - s->least[0]) < 0) {
		s->least[1] = s->least[0];
		s->least[0] = s->transit;
	} else if (s->measured == 1 ||
		   (int32_t)(s->transit - s->least[1]) < 0) {
		s->least[1] = s->transit;
	}
	s->measured++;
	if (!s->slot) {
		stream_remember(s, now);
		s->fastest = base_of(s);
	}
}

/* Is it a copy made by the network? */
static bool is_copy(struct stream *s, uint32_t sent)
{
	uint32_t *at = &s->recent[(sent * 2654435761U) % RECENT];
	bool same = *at == sent && s->counts.datagrams;

	*at = sent;
	return same;
}

/* Two datagrams are needed to begin an epoch: one may be damaged */
static void learn_epoch(struct stream *s, uint64_t came, uint16_t epoch)
{
	bool again = epoch == s->next_epoch && came - s->next_at < AGAIN;

	if ((int16_t)(epoch - s->epoch) <= 0)
		return;
	s->next_epoch = epoch;
	s->next_at = came;
	if (!again && s->counts.datagrams)
		return;
	s->epoch = epoch;
	s->echo_at = 0;
	s->measured = 0;
}

/* In the socket's clock, so that a pause in reading is no silence */
static void hear(struct stream *s, uint64_t came)
{
	if (came > s->came + SECOND) {
		s->woke = came;
		s->fastest = base_of(s);
	}
	if (came > s->came)
		s->came = came;
}

void stream_add(struct stream *s, uint64_t now,
		const struct downlink_datagram *g)
{
	uint32_t number = segment_topic(&g->segment);
	uint32_t sent = le32toh(g->segment.sent);
	uint16_t epoch = segment_epoch(&g->segment);
	size_t bytes = g->segment.header + g->len;
	struct recv_topic *t;
	struct recv_way way;

	if (is_copy(s, sent)) {
		s->counts.copies++;
		return;
	}
	learn_epoch(s, g->came, epoch);
	hear(s, g->came);
	s->from = *g->from;
	contact_hear(&s->contact, now);
	s->timed |= g->left >= 0;
	s->counts.datagrams++;
	s->counts.bytes += bytes;
	if ((int16_t)(epoch - s->epoch) < 0)
		s->counts.kept += bytes;
	else if (epoch == s->epoch)
		stream_measure(s, g->came, sent);
	way = way_of(s, g->came, epoch, sent);
	if (number == SEGMENT_CONTROL) {
		on_announcement(s, now, g, way.late);
		return;
	}
	t = stream_find(s, number);
	if (t)
		recv_topic_add(t, now, g, &way);
	else
		s->counts.unannounced++;
}

void stream_tick(struct stream *s, uint64_t now)
{
	for (unsigned int i = 0; i < s->topics; i++)
		recv_topic_tick(s->topic[i], now);
}

/* Loss of the worst topic; the return path may be as bad */
static double worst_loss(const struct stream *s)
{
	double loss = 0;

	for (unsigned int i = 0; i < s->topics; i++)
		if (recv_topic_stats(s->topic[i])->loss > loss)
			loss = recv_topic_stats(s->topic[i])->loss;
	return loss;
}

/*
 * Loss since the last report. When a link becomes bad, reports get lost before
 * the means over seconds rise. 0: too few datagrams.
 */
static double recent_loss(struct stream *s, const struct control_report *r)
{
	uint32_t expected = 0, received = 0;
	int32_t should, did;

	for (unsigned int i = 0; i < r->topics; i++) {
		expected += r->topic[i].expected;
		received += r->topic[i].datagrams;
	}
	should = expected - s->expected;
	did = received - s->received;
	s->expected = expected;
	s->received = received;
	return should < ENOUGH || did < 0 ? 0 : 1 - (double)did / should;
}

static void begin_report(const struct stream *s, uint64_t now,
			 struct control_report *r)
{
	r->number = s->number;
	r->echo = s->echo;
	r->held = (now - s->echo_at) / 1000;
	r->transit = s->reported;
	r->epoch = s->epoch;
	r->datagrams = s->counts.datagrams;
	r->bytes = s->counts.bytes;
	r->kept = s->counts.kept;
	r->paced = s->paced;
	r->growth = s->growth;
	r->runs = s->runs;
	r->version = s->timed ? CONTROL_REPORTS : 1;
	r->topics = 0;
}

/* Queueing of frames and runs of lost datagrams, since the last report */
static void learn_frames(struct stream *s)
{
	uint64_t growth = 0;

	s->paced = s->runs = 0;
	for (unsigned int i = 0; i < s->topics; i++) {
		uint64_t sum;

		s->paced += recv_topic_growth(s->topic[i], &sum);
		growth += sum;
		s->runs += recv_topic_datagrams(s->topic[i]).runs;
	}
	s->growth = s->paced ? growth / s->paced : 0;
}

size_t stream_report(struct stream *s, uint64_t now, uint8_t *payload,
		     unsigned int *copies)
{
	struct control_report r;

	s->number++;
	s->reported = least(s);
	learn_frames(s);
	begin_report(s, now, &r);
	for (r.topics = 0; r.topics < s->topics; r.topics++)
		recv_topic_report(s->topic[r.topics], &r.topic[r.topics]);
	stream_remember(s, now);
	s->measured = 0;
	*copies = control_report_copies(fmax(worst_loss(s),
					     recent_loss(s, &r)));
	return control_report(&r, payload);
}

size_t stream_report_again(struct stream *s, uint64_t now, uint8_t *payload)
{
	struct control_report r;

	begin_report(s, now, &r);
	return control_report(&r, payload);
}

uint64_t stream_id(const struct stream *s)
{
	return s->id;
}

const char *stream_name(const struct stream *s)
{
	return s->sender.name;
}

uint64_t stream_boot(const struct stream *s)
{
	return s->boot;
}

uint64_t stream_alive(const struct stream *s)
{
	return s->alive;
}

const struct sockaddr_storage *stream_address(const struct stream *s)
{
	return &s->from;
}

bool stream_shown(const struct stream *s)
{
	for (unsigned int i = 0; i < s->topics; i++)
		if (recv_topic_counts(s->topic[i])->decoded)
			return true;
	return false;
}

bool stream_announced(const struct stream *s)
{
	return s->announced > 1;
}

uint64_t stream_heard(const struct stream *s)
{
	return s->contact.heard;
}

const struct contact *stream_contact(const struct stream *s)
{
	return &s->contact;
}

double stream_delay(const struct stream *s)
{
	if (!s->sender.round_trip)
		return 0;
	return (s->sender.round_trip / 2. + (s->transit - base_of(s))) * 1e-6;
}

struct budget *stream_budget(struct stream *s)
{
	return s->budget;
}

const struct budget *stream_spent(const struct stream *s)
{
	return s->budget;
}

const struct stream_counts *stream_counts(const struct stream *s)
{
	return &s->counts;
}

void stream_show_again(struct stream *s)
{
	for (unsigned int i = 0; i < s->topics; i++)
		recv_topic_again(s->topic[i]);
}

const struct recv_topic *stream_topic(const struct stream *s, unsigned int i)
{
	return i < s->topics ? s->topic[i] : NULL;
}
