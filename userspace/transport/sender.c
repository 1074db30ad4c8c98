// SPDX-License-Identifier: GPL-2.0-only
/*
 * sender - all topics sent to one receiver, their rates, and the announcements
 */
#include <assert.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <syslog.h>
#include <time.h>
#include "base/error.h"
#include "base/log.h"
#include "base/service.h"
#include "transport/pacer.h"
#include "transport/segment.h"
#include "transport/sender.h"
#include "transport/sender_status.h"

#define SECOND		1000000000ULL
#define PLAN_EVERY	(SECOND / 10)
#define ANNOUNCE_EVERY	(SECOND / 2)
#define SLOW_FOR	(5 * SECOND)
#define TELL_AGAIN	(600 * SECOND)
#define SLOW		.9		/* of the demand without a limit */
#define STATUS_SHARE	.05		/* of the rate */
#define STATUS_BLIND	(5 * SECOND)	/* between statuses in an outage */
#define STILL_SPEED	.01		/* m/s, rad/s: noise of odometry */

enum {
	EAGER	= 5,			/* initial announcements, */
	EAGER_EVERY = SECOND / 10,	/* ns between them */
	START	= 64 << 10,		/* initial rate, bytes/s */
	FLOOR	= 2 << 10,
};

struct sender {
	struct loop		*loop;
	struct sender_options	options;
	struct seal		*seal;
	struct workers		*workers;
	struct uplink		*uplink;
	struct pacer		*announcer;
	struct estimator	*estimator;
	struct link		*link;
	struct link_stats	device;
	struct load		load;
	struct pace		pace;
	struct control_report	report;		/* the last one */
	struct send_counts	paced;		/* counts at that time */
	struct loop_timer	plan, announce, status;
	struct send_topic	*own;		/* that of the status */
	unsigned int		part;		/* of the status, the next */
	uint64_t		linked;		/* when the link was in one, ns */
	unsigned int		eager;
	struct send_topic	*topic[SENDER_TOPICS];
	unsigned int		topics;
	uint32_t		number;		/* of the newest topic */
	bool			full, still;
	uint64_t		boot;
	bool			slow;		/* the processor limits images */
	uint64_t		slow_since, slow_logged;
	enum estimate_state	state;		/* last one logged */
	double			rate_logged;	/* bytes/s */
	uint32_t		reported;	/* number of the last report */
	struct command_input	commands;
};

static void on_met(void *arg);

static void on_sent(void *arg, uint64_t now, unsigned int datagrams,
		    uint64_t bytes)
{
	struct sender *s = arg;

	estimate_sent(s->estimator, now, datagrams, bytes);
}

static void sender_log_state(struct sender *s)
{
	static const char *const words[] = {
		[ESTIMATE_START] = "waiting for the receiver",
		[ESTIMATE_LIVE] = "receiver connected",
		[ESTIMATE_BLIND] = "no receiver reports: link down",
		[ESTIMATE_DRAIN] = "receiver is back: sending kept messages",
	};
	const struct estimate *e = estimate_of(s->estimator);

	if (e->state == s->state)
		return;
	s->state = e->state;
	service_logf(e->state == ESTIMATE_BLIND ? LOG_WARNING : LOG_INFO,
		     "%s", words[e->state]);
	service_status("%s", words[e->state]);
}

/* Why the rate is as it is, each time it has changed by a quarter */
static void sender_log_rate(struct sender *s)
{
	const struct estimate *e = estimate_of(s->estimator);

	if (!log_shows(LOG_DEBUG) ||
	    fabs(e->rate - s->rate_logged) <= s->rate_logged / 4)
		return;
	log_debug("rate %.0f kB/s, was %.0f: %s; loss %.1f %%, round trip %.0f ms, queue %.0f ms",
		  e->rate / 1e3, s->rate_logged / 1e3,
		  estimate_why(s->estimator), e->loss * 100,
		  e->round_trip * 1e3, e->queue * 1e3);
	s->rate_logged = e->rate;
}

static void learn_load(struct sender *s, uint64_t now)
{
	load_update(&s->load, now, workers_cpu(s->workers),
		    uplink_counts(s->uplink)->bytes);
}

/* Log that the processor, not the link, makes images worse */
static void sender_log_slow(struct sender *s, uint64_t now, double wanted)
{
	double link = fmin(estimate_of(s->estimator)->rate, wanted);

	s->slow = s->load.rate < SLOW * link;
	if (!s->slow)
		s->slow_since = now;
	/* not while the limit is still changing */
	if (now - s->slow_since < SLOW_FOR ||
	    (s->slow_logged && now - s->slow_logged < TELL_AGAIN))
		return;
	s->slow_logged = now;
	service_logf(LOG_WARNING,
		     "coding has reached its limit of %.0f %% of a core "
		     "(cpu=): images get %.0f kB/s, %.0f %% of what the link "
		     "allows",
		     s->load.limit * 100, s->load.rate / 1e3,
		     100 * s->load.rate / link);
}

/* Part of the rate for datagrams as plans count them, without the MACs */
static double plan_share(const struct sender *s)
{
	return 1 - (double)(uplink_header(s->uplink) -
			    sizeof(struct optsample_segment_timed)) /
		   PLAN_DATAGRAM;
}

/* Ten times a second: update the allocation and plan of each topic */
static void on_plan(void *arg, uint64_t now)
{
	struct policy_topic policy[SENDER_TOPICS];
	unsigned int count = 0, of[SENDER_TOPICS];
	struct sender *s = arg;
	const struct estimate *e = estimate_of(s->estimator);
	double demand;

	s->plan.due = now + PLAN_EVERY;
	if (s->link && !link_poll(s->link, now, &s->device))
		estimate_link(s->estimator, now, &s->device);
	estimate_tick(s->estimator, now);
	sender_log_state(s);
	sender_log_rate(s);
	for (unsigned int i = 0; i < s->topics; i++) {
		if (send_topic_request(s->topic[i], &policy[count]))
			of[count++] = i;
		else
			send_topic_allocate(s->topic[i], NULL);
	}
	assert(count <= s->topics);
	learn_load(s, now);
	sender_log_slow(s, now, policy_demand(policy, count, e->loss_high));
	demand = policy_apply(policy, count, e->rate * plan_share(s),
			      s->load.rate, e->loss_high);
	estimate_demand(s->estimator, demand);
	for (unsigned int k = 0; k < count; k++)
		send_topic_allocate(s->topic[of[k]], &policy[k]);
}

static void on_announce(void *arg, uint64_t now)
{
	struct control_topic topics[SENDER_TOPICS];
	struct sender *s = arg;
	const struct estimate *e = estimate_of(s->estimator);
	struct control_sender me = { .round_trip = e->round_trip * 1e6 };
	struct optsample_segment header;

	s->announce.due = now + (s->eager ? EAGER_EVERY : ANNOUNCE_EVERY);
	if (s->eager)
		s->eager--;
	strcpy(me.name, s->options.name);
	assert(s->topics <= SENDER_TOPICS);
	for (unsigned int i = 0; i < s->topics; i++)
		topics[i] = *send_topic_announcement(s->topic[i]);
	control_announce(&me, topics, s->topics,
			 pacer_payloads(s->announcer));
	segment_init(&header);
	header.topic = htole32((uint32_t)e->epoch << 16);
	header.position = htole64(s->boot);
	header.stamp = htole64(uplink_peer(s->uplink));
	pacer_send(s->announcer, &header, ANNOUNCE_EVERY / 4,
		   control_copies(e->loss_high));
}

static struct send_counts paced_of(const struct sender *s)
{
	struct send_counts sum = { 0 };

	for (unsigned int i = 0; i < s->topics; i++) {
		const struct send_counts *c = send_topic_counts(s->topic[i]);

		sum.paced += c->paced;
		sum.paced_bytes += c->paced_bytes;
		sum.paced_span += c->paced_span;
	}
	return sum;
}

/* Update the pace from the frames since the last report */
static void learn_pace(struct sender *s, uint64_t now,
		       const struct control_report *r)
{
	const struct control_report *o = &s->report;
	struct send_counts paced = paced_of(s);
	double frames = paced.paced - s->paced.paced, came = 0, sent = 0;
	const struct estimate *e = estimate_of(s->estimator);
	struct pace_sample x = {
		/* not known as long as all demand passes */
		.capacity = e->capacity > 0 ? e->capacity : e->rate,
		.frames = fmin(r->paced, frames),
		.growth = r->growth / 1e6,
		.runs = (int32_t)(r->runs - o->runs),
	};

	/* later copies have no topics */
	if (r->version < 2 || !r->topics)
		return;
	for (unsigned int i = 0; i < r->topics; i++) {
		sent += r->topic[i].expected;
		came += r->topic[i].datagrams;
	}
	for (unsigned int i = 0; i < o->topics; i++) {
		sent -= o->topic[i].expected;
		came -= o->topic[i].datagrams;
	}
	if (frames > 0) {
		x.bytes = (paced.paced_bytes - s->paced.paced_bytes) / frames;
		x.span = (paced.paced_span - s->paced.paced_span) / frames /
			 SECOND;
	}
	/* a topic came or went, or it is another receiver */
	if (sent > 0 && came >= 0 && came <= sent && x.runs >= 0 &&
	    r->topics == o->topics) {
		x.expected = sent;
		x.lost = sent - came;
	} else {
		x.runs = 0;
	}
	pace_report(&s->pace, now, &x);
	s->report = *r;
	s->paced = paced;
}

/* Use a report from the next frame on, not at the next on_plan() */
static void on_received(void *arg, uint64_t came, const void *payload,
			size_t len, const struct sockaddr_storage *from)
{
	struct sender *s = arg;
	enum estimate_state before = estimate_of(s->estimator)->state;
	struct control_report r;
	bool fresh;

	if (!command_received(&s->commands, s->options.commands, payload, len,
			      from))
		return;
	if (control_reported(payload, len, &r) ||
	    estimate_report(s->estimator, came, &r))
		return;
	/* the receiver is new or was unreachable */
	fresh = before == ESTIMATE_START || before == ESTIMATE_BLIND ||
		(int32_t)(r.number - s->reported) < 0;
	s->reported = r.number;
	learn_pace(s, came, &r);
	on_plan(s, loop_now());
	if (fresh)
		on_met(s);
}

/* Announce soon, together with further changes */
static void sender_on_changed(void *arg)
{
	struct sender *s = arg;

	s->eager = EAGER;
	s->announce.due = loop_now();
}

/* A receiver that may have missed everything */
static void on_met(void *arg)
{
	struct sender *s = arg;

	sender_on_changed(s);
	for (unsigned int i = 0; i < s->topics; i++)
		send_topic_again(s->topic[i]);
}

/* Number of this boot of the machine; 0: unknown */
static uint64_t boot_number(void)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	uint64_t number = 0;
	int c;

	if (!f)
		return 0;
	/* 16 of its 32 digits are enough */
	for (unsigned int digits = 0; digits < 16 && (c = getc(f)) != EOF;) {
		const char hex[] = "0123456789abcdef";
		const char *at = c ? strchr(hex, c) : NULL;

		if (!at)
			continue;
		number = number << 4 | (uint64_t)(at - hex);
		digits++;
	}
	fclose(f);
	return number;
}

/* @rate: bytes/s, at most; 0: set by the link */
static struct rate_control_limits limits_of(double rate)
{
	const double most = rate > 0 ? rate : 1e9;

	return (struct rate_control_limits){
		.start = fmin(START, most), .floor = fmin(FLOOR, most),
		.most = most,
	};
}

static void sender_on_status(void *arg, uint64_t now);

/* Return: as command_input.obey() */
static int sender_obey(void *arg, const struct control_command_entry *e)
{
	struct sender *s = arg;

	switch (e->what) {
	case CONTROL_FOCUS:
		return sender_focus(s, e->value ? e->name : NULL);
	case CONTROL_PRIORITY:
		return sender_priority(s, e->name, e->value);
	default:
		return -EOPNOTSUPP;
	}
}

int sender_open(struct sender **out, struct loop *l, const struct address *to,
		const struct sender_options *options, struct error *error)
{
	struct sender *s = calloc(1, sizeof(*s));
	const struct rate_control_limits limits = limits_of(options->rate);
	struct uplink_events events = {
		.sent = on_sent, .met = on_met, .received = on_received,
		.arg = s,
	};
	uint64_t stream, now = loop_now();
	int ret = -ENOMEM;

	if (!s)
		goto failed;
	s->loop = l;
	s->options = *options;
	s->options.all = !options->topics;
	s->commands = (struct command_input){ .obey = sender_obey, .arg = s };
	s->plan = (struct loop_timer){ now, on_plan, s, NULL };
	s->announce = (struct loop_timer){ now, on_announce, s, NULL };
	s->status = (struct loop_timer){
		options->status ? now + options->status : LOOP_NEVER,
		sender_on_status, s, NULL };
	s->eager = EAGER;
	s->slow_since = now;
	s->boot = boot_number();
	/* start at the lower limit: later limits must not raise the rate */
	s->estimator = estimator_create(&limits);
	load_init(&s->load, options->cpu);
	if (!s->estimator)
		goto failed;
	if (*options->key) {
		ret = seal_open(&s->seal, options->key, error);
		if (ret) {
			sender_close(s);
			return ret;
		}
	}
	ret = getrandom(&stream, sizeof(stream), 0) == sizeof(stream) ?
	      uplink_open(&s->uplink, l, to, stream, s->seal, &events) : -errno;
	if (ret)
		goto failed;
	s->announcer = pacer_create(l, s->uplink, SENDER_TOPICS);
	ret = s->announcer ? workers_create(&s->workers, l, options->threads) :
			     -ENOMEM;
	if (ret)
		goto failed;
	if (options->device)
		ret = link_open((const void *)&to->storage, &s->link);
	if (options->device && ret)
		service_logf(LOG_NOTICE,
			     "cannot watch the queue of the device: %s",
			     strerror(-ret));
	loop_add_timer(l, &s->plan);
	loop_add_timer(l, &s->announce);
	loop_add_timer(l, &s->status);
	*out = s;
	return 0;
failed:
	error_set(error, 0, "cannot send: %s", strerror(-ret));
	sender_close(s);
	return ret;
}

void sender_close(struct sender *s)
{
	if (!s)
		return;
	loop_remove_timer(s->loop, &s->plan);
	loop_remove_timer(s->loop, &s->announce);
	loop_remove_timer(s->loop, &s->status);
	for (unsigned int i = 0; i < s->topics; i++)
		send_topic_destroy(s->topic[i]);
	/* topics whose messages are being encoded end here */
	workers_destroy(s->workers);
	pacer_destroy(s->announcer);
	uplink_close(s->uplink);
	seal_close(s->seal);
	if (s->link)
		link_close(s->link);
	estimator_destroy(s->estimator);
	free(s);
}

const struct send_options *sender_wants(const struct sender *s,
					const char *topic)
{
	static const struct send_options all = SEND_OPTIONS;

	if (s->options.status && !strcmp(topic, SENDER_STATUS_TOPIC))
		return NULL;
	for (unsigned int i = 0; i < s->options.topics; i++)
		if (!fnmatch(s->options.topic[i].name, topic, 0))
			return &s->options.topic[i];
	return s->options.all ? &all : NULL;
}

struct send_topic *sender_find(const struct sender *s, const char *name)
{
	for (unsigned int i = 0; i < s->topics; i++)
		if (!strcmp(send_topic_announcement(s->topic[i])->name, name))
			return s->topic[i];
	return NULL;
}

static struct send_topic *sender_begin_topic(struct sender *s,
					     const struct source_message *m,
					     const struct send_options *o)
{
	struct send_topic *t;

	if (!o || !o->on)
		return NULL;
	if (s->topics == SENDER_TOPICS) {
		if (!s->full)
			service_logf(LOG_ERR,
				     "at most %d topics; %s and others are not "
				     "sent",
				     SENDER_TOPICS, m->topic);
		s->full = true;
		return NULL;
	}
	t = send_topic_create(s->loop, s->workers, s->uplink, s->number + 1,
			      m->topic, m->kind, o, sender_on_changed, s);
	if (!t)
		return NULL;
	assert(s->topics < SENDER_TOPICS);
	s->number++;
	s->topic[s->topics++] = t;
	service_logf(LOG_INFO, "%s: %s as %s", m->topic,
		     message_type(m->kind, MESSAGE_CDR),
		     codec_name(send_topic_codec(t)));
	sender_on_changed(s);
	return t;
}

static bool stands(const struct message_twist *t)
{
	for (unsigned int i = 0; i < 3; i++)
		if (fabs(t->linear[i]) > STILL_SPEED ||
		    fabs(t->angular[i]) > STILL_SPEED)
			return false;
	return true;
}

/* Does the robot move, by its odometry or velocity? */
static void learn_speed(struct sender *s, const struct source_message *m)
{
	union message msg;

	if (strcmp(m->topic, s->options.still) ||
	    message_read(m->kind, m->format, m->data, m->len, &msg))
		return;
	if (m->kind == MESSAGE_ODOMETRY)
		s->still = stands(&msg.odometry.twist);
	else if (m->kind == MESSAGE_TWIST)
		s->still = stands(&msg.twist);
	else if (m->kind == MESSAGE_TWIST_STAMPED)
		s->still = stands(&msg.twist_stamped.twist);
}

static void sender_give(struct sender *s, struct send_topic *t,
			const struct source_message *m)
{
	/* a rare message must not wait for the next plan */
	if (send_topic_arrived(t))
		on_plan(s, loop_now());
	send_topic_message(t, m, estimate_of(s->estimator), &s->pace, s->still);
}

void sender_message(struct sender *s, const struct source_message *m)
{
	struct send_topic *t = sender_find(s, m->topic);

	if (*s->options.still)
		learn_speed(s, m);
	if (!t)
		t = sender_begin_topic(s, m, sender_wants(s, m->topic));
	if (!t || t == s->own || send_topic_announcement(t)->kind != m->kind)
		return;
	sender_give(s, t, m);
}

/* Topics of sources */
static unsigned int sender_topics(const struct sender *s)
{
	return s->topics - (s->own ? 1 : 0);
}

/* Time until the next message of the status, ns: a small part of the rate */
static uint64_t status_interval(const struct sender *s)
{
	const struct estimate *e = estimate_of(s->estimator);
	const struct send_counts *c = s->own ? send_topic_counts(s->own) : NULL;
	double every = s->options.status, bytes;

	if (e->state == ESTIMATE_BLIND)
		every = fmax(every, STATUS_BLIND);
	every /= sender_status_parts(sender_topics(s));
	if (!c || !c->frames || e->rate <= 0)
		return every;
	bytes = (c->bytes + c->datagrams * (double)PLAN_HEADERS) / c->frames;
	return fmax(every, SECOND * bytes / (STATUS_SHARE * e->rate));
}

/* Never sampled, and before the data */
static struct send_topic *
sender_begin_status(struct sender *s, const struct source_message *m)
{
	struct send_options o = SEND_OPTIONS;

	o.priority = ALLOCATION_PRIORITY;
	o.sample = false;
	return sender_begin_topic(s, m, &o);
}

/* @link: begin with the link; @stamp: ns since the epoch */
static const union message *sender_next_status(struct sender *s, bool link,
					       int64_t stamp)
{
	struct send_topic *topic[SENDER_TOPICS];
	const struct sender_state state = {
		.name = s->options.name, .link = estimate_of(s->estimator),
		.counts = uplink_counts(s->uplink),
		.commands = &s->commands.counts, .device = &s->device,
		.limit = s->options.rate, .pace = s->pace.rate,
		.cpu = s->load.used, .cpu_limits = s->slow,
		.obeys = s->options.commands, .topic = topic,
		.topics = sender_topics(s),
	};

	for (unsigned int i = 0; i < state.topics; i++)
		topic[i] = sender_topic(s, i);
	if (s->part >= sender_status_parts(state.topics))
		s->part = 0;
	return sender_status(&state, s->part++, link, stamp);
}

static void sender_on_status(void *arg, uint64_t now)
{
	struct sender *s = arg;
	struct source_message m = {
		.topic = SENDER_STATUS_TOPIC, .kind = MESSAGE_DIAGNOSTICS,
		.format = MESSAGE_CDR,
	};
	const union message *msg;
	struct timespec t;
	uint8_t data[8192];
	bool link;
	long len;

	s->status.due = now + status_interval(s);
	/* without a receiver it would only wait */
	if (estimate_of(s->estimator)->state == ESTIMATE_START)
		return;
	clock_gettime(CLOCK_REALTIME, &t);
	m.stamp = t.tv_sec * (int64_t)SECOND + t.tv_nsec;
	/* with little rate the link must not wait for all topics */
	link = !s->linked || now - s->linked > s->options.status * 9 / 10;
	if (link)
		s->linked = now;
	msg = sender_next_status(s, link, m.stamp);
	len = message_write(m.kind, m.format, msg, data, sizeof(data));
	if (len < 0)
		return;
	m.data = data;
	m.len = len;
	if (!s->own)
		s->own = sender_begin_status(s, &m);
	if (s->own)
		sender_give(s, s->own, &m);
}

void sender_end(struct sender *s)
{
	for (unsigned int i = 0; i < s->topics; i++)
		send_topic_end(s->topic[i]);
}

bool sender_busy(const struct sender *s)
{
	for (unsigned int i = 0; i < s->topics; i++)
		if (s->topic[i] != s->own && send_topic_busy(s->topic[i]))
			return true;
	return false;
}

int sender_add(struct sender *s, const struct send_options *options)
{
	struct sender_options *o = &s->options;
	unsigned int at = 0;

	while (at < o->topics && strcmp(o->topic[at].name, options->name))
		at++;
	if (at == SENDER_PATTERNS)
		return -E2BIG;
	if (at == o->topics)
		o->topics++;
	assert(at < o->topics && o->topics <= SENDER_PATTERNS);
	memmove(o->topic + 1, o->topic, at * sizeof(*o->topic));
	o->topic[0] = *options;
	return 0;
}

static void sender_end_topic(struct sender *s, unsigned int i)
{
	assert(i < s->topics);
	if (s->topic[i] == s->own) {
		s->own = NULL;
		s->status.due = LOOP_NEVER;
	}
	send_topic_destroy(s->topic[i]);
	s->topics--;
	memmove(s->topic + i, s->topic + i + 1,
		(s->topics - i) * sizeof(*s->topic));
	s->full = false;
	sender_on_changed(s);
}

int sender_remove(struct sender *s, const char *topic)
{
	struct send_options off = SEND_OPTIONS;
	int err;

	for (unsigned int i = 0; i < s->topics; i++) {
		if (strcmp(send_topic_announcement(s->topic[i])->name, topic))
			continue;
		off.on = false;
		snprintf(off.name, sizeof(off.name), "%s", topic);
		err = sender_add(s, &off);
		if (!err)
			sender_end_topic(s, i);
		return err;
	}
	return -ENOENT;
}

int sender_change(struct sender *s, const struct send_options *options)
{
	struct send_topic *t = sender_find(s, options->name);
	int err;

	if (!t)
		return -ENOENT;
	/* also if the topic appears again later */
	err = sender_add(s, options);
	if (err)
		return err;
	send_topic_change(t, options);
	on_plan(s, loop_now());
	return 0;
}

/* Change one option; the others stay. Return: 1, or an error */
static int sender_change_to(struct sender *s, const struct send_topic *t,
			    unsigned int priority, bool focus)
{
	struct send_options o = *send_topic_options(t);

	/* that may be the pattern which matched */
	snprintf(o.name, sizeof(o.name), "%s",
		 send_topic_announcement(t)->name);
	o.priority = priority;
	o.focus = focus;
	return sender_change(s, &o) ? : 1;
}

int sender_focus(struct sender *s, const char *topic)
{
	const struct send_topic *wanted = topic ? sender_find(s, topic) : NULL;
	int changed = 0;

	if (topic && !wanted)
		return -ENOENT;
	for (unsigned int i = 0; i < s->topics; i++) {
		const struct send_topic *t = s->topic[i];
		const struct send_options *o = send_topic_options(t);
		int ret;

		if (o->focus == (t == wanted))
			continue;
		ret = sender_change_to(s, t, o->priority, t == wanted);
		if (ret < 0)
			return ret;
		changed = 1;
	}
	return changed;
}

int sender_priority(struct sender *s, const char *topic, unsigned int priority)
{
	const struct send_topic *t = sender_find(s, topic);
	const struct send_options *o = t ? send_topic_options(t) : NULL;

	if (!t)
		return -ENOENT;
	if (priority > ALLOCATION_PRIORITY)
		return -ERANGE;
	return o->priority == priority ? 0 :
	       sender_change_to(s, t, priority, o->focus);
}

void sender_limit(struct sender *s, double rate, double cpu)
{
	const struct rate_control_limits limits = limits_of(rate);

	if (cpu != s->options.cpu)
		load_init(&s->load, cpu);
	s->options.rate = rate;
	s->options.cpu = cpu;
	estimate_limits(s->estimator, &limits);
}

struct send_topic *sender_topic(const struct sender *s, unsigned int i)
{
	for (unsigned int k = 0; k < s->topics; k++)
		if (s->topic[k] != s->own && !i--)
			return s->topic[k];
	return NULL;
}

const struct sender_options *sender_options(const struct sender *s)
{
	return &s->options;
}

const struct estimate *sender_link(const struct sender *s)
{
	return estimate_of(s->estimator);
}

const struct load *sender_load(const struct sender *s)
{
	return &s->load;
}

const struct pace *sender_pace(const struct sender *s)
{
	return &s->pace;
}

bool sender_is_slow(const struct sender *s)
{
	return s->slow;
}

const struct link_stats *sender_device(const struct sender *s)
{
	return &s->device;
}

const struct uplink_counts *sender_counts(const struct sender *s)
{
	return uplink_counts(s->uplink);
}

const struct command_counts *sender_commands(const struct sender *s)
{
	return &s->commands.counts;
}

int sender_error(const struct sender *s)
{
	return uplink_error(s->uplink);
}
