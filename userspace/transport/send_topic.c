// SPDX-License-Identifier: GPL-2.0-only
/*
 * send_topic - a topic of the sender: from messages to datagrams
 */
#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include "base/log.h"
#include "base/service.h"
#include "transport/pacer.h"
#include "transport/segment.h"
#include "transport/send_topic.h"
#include "transport/topic_log.h"
#include "transport/transforms.h"

#define SECOND		1000000000ULL
#define SPREAD		.9		/* of the interval, for datagrams */
#define SPREAD_MOST	.25		/* s, as it also delays the frame */
#define SPAN_LEAST	.002		/* s */
#define VARIES		.1		/* of the latency, for what varies */
#define CODING		.2		/* weight of a frame in mean time */
#define IDLE		5		/* s without a message */

#define TRANSFORMS_HZ	50		/* at most, as they are merged */

#define AGAIN	10000000	/* ns, until a busy encoder is tried again */
#define SOON	20000000	/* ns, after an announcement */
#define SOON_EVERY 200000000

enum {
	SLOTS	= 4096,
	GAPS	= 8,
	SEVERAL	= 4,
	TEACHES	= 4,		/* one of so many frames */
	WAIT	= 64,		/* most small messages that may wait */
	SOON_TIMES = 3,		/* times that a new receiver gets a state, */
	SOON_LARGE = 4,		/* but once if it has more datagrams */
};

/* A message that waits or is being encoded */
struct kept {
	uint8_t			*data;
	size_t			len, room;
	enum message_format	format;
	int64_t			stamp;
	bool			still;		/* the robot did not move */
};

struct send_topic {
	struct loop		*loop;
	struct workers		*workers;
	struct send_options	options;
	struct control_topic	announced;
	void			(*changed)(void *arg);
	void			*arg;
	struct pacer		*pacer;
	struct loop_timer	refresh;
	const struct estimate	*link;
	const struct pace	*pace;
	/* messages that wait for the encoder, oldest first */
	struct kept		waiting[WAIT];
	unsigned int		first, waits;
	/* the encoder and its message: owned by the job while it is busy */
	struct encoder		*encoder;
	struct job		job;
	struct kept		kept;		/* maps are sent again */
	struct encode_order	order;
	struct payloads		*out;
	struct encode_result	result;
	int			ret;
	bool			busy, gone;
	struct encoder		*successor;	/* replaces @encoder */
	/* when the job began */
	enum plan_mode		mode;
	bool			changed_since;
	/* received messages */
	uint64_t		came;		/* arrival of the last, ns */
	double			interval;	/* s; 0: not known */
	int64_t			stamp;		/* last stamp of a state */
	bool			still;		/* @still of that message */
	double			credit;		/* fraction of a frame */
	double			coding;		/* mean time per frame, s */
	/* costs and allocation */
	struct policy_topic	policy;
	/* for states, see message_is_state() */
	struct transforms	*tree;		/* merged transforms */
	uint8_t			*merged;	/* message made of them */
	size_t			merged_room;
	bool			turn, whole;	/* send now; send all of it */
	bool			all;		/* the encoded one is whole */
	unsigned int		soon;		/* repeats for a new receiver */
	uint64_t		sent_all;	/* when all was last sent, ns */
	unsigned int		frame_datagrams;
	/* sent frames */
	uint32_t		frame;
	uint64_t		position, sent;
	int			error;		/* last one logged */
	struct topic_log	logged;
	struct send_counts	counts;
};

static bool send_topic_is_map(const struct send_topic *t)
{
	return message_is_map(t->announced.kind);
}

static bool is_state(const struct send_topic *t)
{
	return message_is_state(t->announced.kind);
}

/* Highest rate by the user or by us, Hz; 0: any */
static double most_hz(const struct send_topic *t)
{
	if (t->options.rate > 0 || !t->tree)
		return t->options.rate;
	return TRANSFORMS_HZ;
}

static enum codec_id wanted(const struct send_topic *t)
{
	return t->options.codec == SEND_CODEC_ANY ?
	       codec_default(t->announced.kind) :
	       (enum codec_id)t->options.codec;
}

/* A codec that does not take such messages was not meant for this topic */
static void check_codec(struct send_topic *t)
{
	if (codec_takes(wanted(t), t->announced.kind))
		return;
	service_logf(LOG_WARNING, "%s: codec %s does not support %s",
		     t->announced.name, codec_name(wanted(t)),
		     message_type(t->announced.kind, MESSAGE_CDR));
	t->options.codec = SEND_CODEC_ANY;
}

/* Fill in the plan's source; a codec set by the user fixes all but the rate */
static void send_topic_set_source(struct send_topic *t)
{
	const struct codec *c = codec_get(wanted(t));

	memset(&t->policy, 0, sizeof(t->policy));
	t->policy.source.kind = c->plan;
	t->policy.source.organised = t->options.codec == SEND_CODEC_ANY;
	t->policy.source.vscan = t->policy.source.organised &&
				 t->options.vscan;
	t->policy.source.points = t->options.points;
	if (c->sized)
		t->policy.source.bytes = t->options.bytes;
}

static void on_refresh(void *arg, uint64_t now);
static void send_topic_on_run(void *arg);
static void send_topic_on_done(void *arg, uint64_t cpu);

struct send_topic *send_topic_create(struct loop *l, struct workers *w,
				     struct uplink *u, uint32_t number,
				     const char *name, enum message_kind kind,
				     const struct send_options *options,
				     void (*changed)(void *arg), void *arg)
{
	struct send_topic *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->loop = l;
	t->workers = w;
	t->job = (struct job){ .run = send_topic_on_run,
			       .done = send_topic_on_done,
			       .arg = t };
	t->options = *options;
	t->changed = changed;
	t->arg = arg;
	t->announced.topic = number;
	t->announced.kind = kind;
	snprintf(t->announced.name, sizeof(t->announced.name), "%s", name);
	check_codec(t);
	t->announced.codec = wanted(t);
	send_topic_set_source(t);
	t->refresh = (struct loop_timer){ LOOP_NEVER, on_refresh, t, NULL };
	loop_add_timer(l, &t->refresh);
	t->options.encode.depths = strcasestr(name, "depth");
	t->encoder = encoder_create(kind, &t->options.encode);
	t->pacer = pacer_create(l, u, SLOTS);
	if (kind == MESSAGE_TRANSFORMS)
		t->tree = transforms_create(!message_is_static(name));
	if (t->encoder && t->pacer && (t->tree || kind != MESSAGE_TRANSFORMS))
		return t;
	send_topic_destroy(t);
	return NULL;
}

static void send_topic_release(struct send_topic *t)
{
	encoder_destroy(t->encoder);
	encoder_destroy(t->successor);
	pacer_destroy(t->pacer);
	for (unsigned int i = 0; i < WAIT; i++)
		free(t->waiting[i].data);
	free(t->kept.data);
	transforms_destroy(t->tree);
	free(t->merged);
	free(t);
}

void send_topic_destroy(struct send_topic *t)
{
	if (!t)
		return;
	loop_remove_timer(t->loop, &t->refresh);
	t->gone = true;
	if (!t->busy || workers_cancel(t->workers, &t->job))
		send_topic_release(t);
}

/* A topic without messages needs no rate */
static bool is_idle(const struct send_topic *t, uint64_t now)
{
	double gap = (now - t->came) / 1e9;

	if (!t->options.on)
		return true;
	return t->came && !send_topic_is_map(t) && !is_state(t) && gap > IDLE &&
	       gap > 3 * t->interval;
}

bool send_topic_arrived(struct send_topic *t)
{
	uint64_t now = loop_now();
	double gap = (now - t->came) / 1e9;
	bool idle = is_idle(t, now) || !t->came;

	/* mean interval; reset after a pause or a change of rate */
	if (t->came) {
		if (!t->interval || gap > 8 * t->interval)
			t->interval = gap;
		else if (gap < t->interval / 8)
			t->interval /= 2;
		else
			t->interval += (gap - t->interval) / GAPS;
	}
	t->came = now;
	return idle;
}

/* No messages for a while, or only one so far */
static bool has_paused(const struct send_topic *t)
{
	double gap = (loop_now() - t->came) / 1e9;

	return gap > IDLE || (gap > t->options.refresh && gap > 3 * t->interval);
}

/* Thin out evenly by count, independent of arrival times */
static bool is_turn(struct send_topic *t)
{
	double hz = send_topic_hz(t), want = t->policy.plan.hz;
	double most = most_hz(t);

	if (most > 0 && (want <= 0 || want > most))
		want = most;
	if (!t->policy.plan.on)
		return false;
	if (want <= 0 || hz <= 0 || want >= hz * .97)
		return true;
	t->credit += want / hz;
	if (t->credit < 1)
		return false;
	t->credit = fmin(t->credit - 1, 1);
	return true;
}

static void set_order(const struct send_topic *t, struct encode_order *o)
{
	const struct send_options *s = &t->options;
	const struct plan *p = &t->policy.plan;
	double loss = t->link->fresh ? p->loss : -1;
	const struct codec *codec = codec_get(wanted(t));
	const struct codec_allocation grant = {
		p, &t->policy.source, t->link->loss_high,
		s->codec == SEND_CODEC_ANY,
	};

	*o = (struct encode_order){
		.codec = wanted(t),
		.any = grant.any,
		.bytes = p->bytes,
		.datagrams = p->datagrams,
		.loss = loss,
		.burst = t->pace && t->pace->spread ? t->pace->burst : 0,
		.points = s->points,
		.leaf = s->leaf,
		.parts = p->parts,
		.copies = 1,
	};
	/*
	 * Frames of fewer would not teach the pace that their size depends on;
	 * but small datagrams cost more than a decibel.
	 */
	if (s->latency > 0 && o->datagrams < SEVERAL && !(t->frame % TEACHES))
		o->datagrams = SEVERAL;
	if (send_topic_is_map(t))
		o->bytes = (size_t)p->datagrams * t->out->size;
	else if (o->bytes > s->bytes)
		o->bytes = s->bytes;
	if (codec->order)
		codec->order(o, &grant);
}

/* Note the cost of a frame for the next plan */
static void send_topic_learn(struct send_topic *t,
			     const struct encode_result *r, size_t bytes,
			     unsigned int datagrams)
{
	const struct codec *codec = codec_get(wanted(t));
	const struct codec_frame f = { t->mode, r, bytes, datagrams };

	/* the options changed while it was encoded */
	if (t->changed_since)
		return;
	/* partial frames of changed transforms do not count */
	if (t->tree && t->all && t->policy.source.bytes &&
	    !message_is_static(t->announced.name))
		return;
	if (codec->learn)
		codec->learn(&t->policy.source, &f);
}

static bool send_topic_differs(const struct control_topic *a,
			       const struct encode_result *r)
{
	return a->codec != r->codec || strcmp(a->frame_id, r->frame_id) ||
	       strcmp(a->encoding, r->encoding);
}

static void send_topic_announce(struct send_topic *t,
				const struct encode_result *r)
{
	double hz = t->policy.plan.hz;

	t->announced.interval = hz > 0 ? 1e6 / hz : 0;
	if (!send_topic_differs(&t->announced, r))
		return;
	t->announced.codec = r->codec;
	strcpy(t->announced.frame_id, r->frame_id);
	strcpy(t->announced.encoding, r->encoding);
	t->changed(t->arg);
}

/* Rest of the allowed latency for sending the datagrams, s */
static double latency_left(const struct send_topic *t)
{
	/* the receiver decodes about as long as it takes to encode */
	double left = t->options.latency * (1 - VARIES) - 2 * t->coding;

	if (t->link)
		left -= t->link->round_trip / 2 + t->link->queue;
	return fmax(left, SPAN_LEAST);
}

/* Of a frame with a limit of latency, s */
static double urgent_span(const struct send_topic *t, size_t bytes, double span)
{
	if (!t->pace || t->pace->rate <= 0)
		return span;
	return fmin(span, bytes / pace_urgent(t->pace->rate));
}

/* @bytes: on the wire. Return: time to spread them over, ns */
static uint64_t send_topic_span_of(const struct send_topic *t, size_t bytes)
{
	double hz = t->policy.plan.hz > 0 ? t->policy.plan.hz : 10;
	double most = fmin(SPREAD / hz, SPREAD_MOST), span;

	/* with its coding time a frame should not be older than the next one */
	most = fmin(most, fmax(1 / hz - t->coding, most / 2));
	span = t->link->state == ESTIMATE_LIVE ?
	       pace_span(t->pace, bytes, most) : most;
	if (t->options.latency > 0)
		span = fmin(urgent_span(t, bytes, span), latency_left(t));
	return span * SECOND;
}

static void send_frame(struct send_topic *t, const struct encode_result *r,
		       size_t bytes, unsigned int datagrams)
{
	unsigned int copies = t->policy.plan.copies ? : 1;
	struct optsample_segment s;
	uint64_t span;

	/* positions never step back, even if stamps do */
	if (r->stamp > 0 && (uint64_t)r->stamp > t->position)
		t->position = r->stamp;
	else
		t->position++;
	segment_init(&s);
	s.flags = r->codec << OPTSAMPLE_SEGMENT_CODEC |
		  (t->options.sample ? OPTSAMPLE_SEGMENT_SAMPLE : 0) |
		  (t->kept.still ? OPTSAMPLE_SEGMENT_STILL : 0);
	s.profile = t->options.profile;
	s.topic = htole32(t->announced.topic |
			  (uint32_t)t->link->epoch << 16);
	s.frame = htole32(t->frame++);
	s.stamp = htole64(r->stamp);
	s.position = htole64(t->position);
	bytes = (bytes + datagrams * PLAN_HEADERS) * copies;
	span = send_topic_span_of(t, bytes);
	if (datagrams >= SEVERAL) {
		t->counts.paced++;
		t->counts.paced_bytes += bytes;
		t->counts.paced_span += span;
	}
	pacer_send(t->pacer, &s, span, copies);
}

/* Log only when the error changes */
static void send_topic_log_broken(const struct send_topic *t, int error)
{
	const unsigned int bytes = t->out ? t->out->size : PAYLOAD_MAX;

	if (error == -ENOSPC)
		service_logf(LOG_WARNING,
			     "%s: cannot send: frame exceeds %d datagrams of "
			     "%u bytes. For clouds set points= or a larger "
			     "leaf=",
			     t->announced.name, SLOTS, bytes);
	else if (error == -EMSGSIZE)
		service_logf(LOG_WARNING,
			     "%s: cannot send: frame exceeds the limits of "
			     "codec %s",
			     t->announced.name, codec_name(t->order.codec));
	else if ((error == -EBADMSG || error == -EOPNOTSUPP) &&
		 *t->result.fault)
		service_logf(LOG_WARNING, "%s: cannot send: %s",
			     t->announced.name, t->result.fault);
	else
		service_logf(LOG_WARNING, "%s: cannot send: %s",
			     t->announced.name, strerror(-error));
}

static void send_topic_fail(struct send_topic *t, int error)
{
	t->counts.broken++;
	if (error != t->error)
		send_topic_log_broken(t, error);
	t->error = error;
}

/* Send the encoded message */
static void send_topic_finish(struct send_topic *t)
{
	const struct encode_result *r = &t->result;
	unsigned int datagrams = t->out->count;
	size_t bytes;

	if (t->ret) {
		send_topic_fail(t, t->ret);
		return;
	}
	t->error = 0;
	assert(datagrams <= t->out->max);
	bytes = payloads_bytes(t->out);
	send_topic_learn(t, r, bytes, datagrams);
	send_topic_announce(t, r);
	t->counts.frames++;
	t->counts.datagrams += datagrams;
	t->counts.bytes += bytes;
	t->sent = loop_now();
	t->frame_datagrams = datagrams;
	if (t->all)
		t->sent_all = t->sent;
	send_frame(t, r, bytes, datagrams);
}

/* On a worker thread */
static void send_topic_on_run(void *arg)
{
	struct send_topic *t = arg;
	const struct kept *k = &t->kept;

	t->ret = encoder_encode(t->encoder, k->format, k->data, k->len,
				k->stamp, &t->order, t->out, &t->result);
}

static void send_topic_keep(struct send_topic *t,
			    const struct source_message *m, bool still);

/* Make a message of the tree. Return: whether there is something to send */
static bool keep_tree(struct send_topic *t)
{
	struct source_message m = {
		.topic = t->announced.name, .kind = MESSAGE_TRANSFORMS,
		.format = MESSAGE_CDR, .stamp = t->stamp,
	};
	union message msg;
	long len;

	t->all = t->whole || message_is_static(t->announced.name);
	transforms_take(t->tree, t->all, &msg.tf);
	if (!msg.tf.transforms.count)
		return false;
	len = message_size(m.kind, m.format, &msg);
	if (len > 0 && (size_t)len > t->merged_room) {
		uint8_t *merged = realloc(t->merged, len);

		if (merged)
			t->merged_room = len;
		t->merged = merged ? merged : t->merged;
	}
	len = message_write(m.kind, m.format, &msg, t->merged, t->merged_room);
	if (len < 0) {
		send_topic_fail(t, len);
		return false;
	}
	m.data = t->merged;
	m.len = len;
	send_topic_keep(t, &m, t->still);
	return true;
}

/* Is an unchanged state due to be sent again? */
static bool is_again(const struct send_topic *t)
{
	return send_topic_is_map(t) || (is_state(t) && !t->tree && t->whole);
}

/* Encode the next message: the oldest that waits, or a map again */
static void send_topic_begin(struct send_topic *t)
{
	if (t->busy)
		return;
	assert(t->waits <= WAIT && t->first < WAIT);
	if (is_state(t) && !t->turn)
		return;
	if (t->tree && !keep_tree(t)) {
		t->turn = t->whole = false;
		return;
	}
	if (!t->tree)
		t->all = true;
	if (t->waits) {
		struct kept k = t->kept;

		t->kept = t->waiting[t->first];
		t->waiting[t->first] = k;
		t->first = (t->first + 1) % WAIT;
		t->waits--;
	} else if (!is_again(t) || !t->kept.len) {
		return;
	}
	t->turn = t->whole = false;
	if (t->successor) {
		encoder_destroy(t->encoder);
		t->encoder = t->successor;
		t->successor = NULL;
	}
	t->out = pacer_payloads(t->pacer);
	set_order(t, &t->order);
	t->mode = t->policy.plan.mode;
	t->changed_since = false;
	t->busy = true;
	workers_begin(t->workers, &t->job);
}

static void send_topic_on_done(void *arg, uint64_t cpu)
{
	struct send_topic *t = arg;

	assert(t->busy);
	t->busy = false;
	if (t->gone) {
		send_topic_release(t);
		return;
	}
	t->job.expected = workers_expect(t->job.expected, cpu);
	t->counts.coding += cpu;
	t->coding += CODING * (cpu / 1e9 - t->coding);
	send_topic_finish(t);
	if (!send_topic_is_map(t))
		send_topic_begin(t);
}

/* Only the newest large message is of interest; small ones come in bursts */
static unsigned int send_topic_most_waiting(const struct send_topic *t)
{
	return message_is_picture(t->announced.kind) || send_topic_is_map(t) ||
	       is_state(t) ? 1 : WAIT;
}

/* Drop the oldest message if the queue is full */
static void send_topic_make_room(struct send_topic *t)
{
	if (t->waits < send_topic_most_waiting(t))
		return;
	assert(t->waits && t->waits <= WAIT);
	t->first = (t->first + 1) % WAIT;
	t->waits--;
	/* only the newest map is sent, so no message is lost */
	if (send_topic_is_map(t))
		return;
	/* likewise a state */
	if (is_state(t)) {
		if (!t->counts.thinned++)
			log_debug("%s: a state is left out, as a newer one waits",
				  t->announced.name);
		return;
	}
	if (!t->counts.behind++)
		service_logf(LOG_WARNING,
			     "%s: messages arrive faster than they are "
			     "encoded; oldest waiting messages dropped",
			     t->announced.name);
}

static void send_topic_keep(struct send_topic *t,
			    const struct source_message *m, bool still)
{
	struct kept *k;

	send_topic_make_room(t);
	k = &t->waiting[(t->first + t->waits) % WAIT];
	if (m->len > k->room) {
		uint8_t *data = realloc(k->data, m->len);

		if (!data) {
			send_topic_fail(t, -ENOMEM);
			return;
		}
		k->data = data;
		k->room = m->len;
	}
	if (m->len)
		memcpy(k->data, m->data, m->len);
	k->len = m->len;
	k->format = m->format;
	k->stamp = m->stamp;
	k->still = still;
	t->waits++;
}

/* Send a whole state periodically, and for a new receiver */
static void refresh_state(struct send_topic *t, uint64_t now)
{
	double hz = t->policy.plan.hz, every = t->options.refresh;
	uint64_t due;

	/* less often if the rate is too low */
	if (hz > 0 && every < 1 / hz)
		every = 1 / hz;
	due = t->sent_all + (uint64_t)(SECOND * every);
	if (!t->soon && t->sent_all && now < due) {
		t->refresh.due = due;
		return;
	}
	t->soon -= t->soon > 0;
	t->turn = t->whole = true;
	t->refresh.due = now + (t->soon ? SOON_EVERY :
				(uint64_t)(SECOND * every));
	send_topic_begin(t);
}

/* Maps are sent again and again: changed tiles first, then others in turn */
static void on_refresh(void *arg, uint64_t now)
{
	struct send_topic *t = arg;
	double hz = t->policy.plan.hz > 0 ? t->policy.plan.hz :
					    1 / t->options.refresh;

	if (!t->policy.plan.on) {
		t->refresh.due = now + SECOND / 10;
	} else if (t->busy) {
		t->refresh.due = now + AGAIN;
	} else if (is_state(t)) {
		refresh_state(t, now);
	} else {
		t->refresh.due = now + (uint64_t)(SECOND / hz);
		send_topic_begin(t);
	}
}

void send_topic_again(struct send_topic *t)
{
	if (!is_state(t) || !t->came)
		return;
	t->soon = t->frame_datagrams > SOON_LARGE ? 1 : SOON_TIMES;
	t->refresh.due = loop_now() + SOON;
}

static void send_topic_merge(struct send_topic *t,
			     const struct source_message *m)
{
	union message msg;
	unsigned int out;
	int ret = message_read(m->kind, m->format, m->data, m->len, &msg);

	if (ret) {
		send_topic_fail(t, ret);
		return;
	}
	out = transforms_merge(t->tree, &msg.tf, loop_now());
	if (out && !t->counts.left_out)
		service_logf(LOG_WARNING,
			     "%s: %u transforms dropped, logged once: a tree "
			     "has at most %d frames, with names of 1 to %d "
			     "bytes",
			     t->announced.name, out, TRANSFORMS_FRAMES,
			     TRANSFORMS_NAME);
	t->counts.left_out += out;
	t->counts.forgotten = transforms_forgotten(t->tree);
}

/* Keep the newest state; it is sent at its turn or at the next refresh */
static void take_state(struct send_topic *t, const struct source_message *m,
		       bool still)
{
	bool now = is_turn(t);

	t->stamp = m->stamp;
	t->still = still;
	if (t->tree)
		send_topic_merge(t, m);
	else
		send_topic_keep(t, m, still);
	/* static states are rare: send at once */
	t->turn |= t->tree ? transforms_changed(t->tree) && t->policy.plan.on &&
			     (now || message_is_static(t->announced.name)) :
			     now;
	if (t->refresh.due == LOOP_NEVER)
		t->refresh.due = loop_now() +
				 (uint64_t)(SECOND * t->options.refresh);
	send_topic_begin(t);
}

void send_topic_message(struct send_topic *t, const struct source_message *m,
			const struct estimate *link, const struct pace *pace,
			bool still)
{
	uint64_t due;

	t->counts.messages++;
	t->link = link;
	t->pace = pace;
	if (send_topic_is_map(t)) {
		send_topic_keep(t, m, still);
		due = t->sent + (uint64_t)(SECOND * t->options.refresh);
		/* not while one is being encoded */
		if (t->refresh.due == LOOP_NEVER ||
		    (!t->busy && due < t->refresh.due))
			t->refresh.due = due;
		return;
	}
	if (is_state(t)) {
		take_state(t, m, still);
		return;
	}
	if (!is_turn(t)) {
		if (!t->counts.thinned++)
			log_debug("%s: messages are left out, as it may have %.2g Hz",
				  t->announced.name, t->policy.plan.hz);
		return;
	}
	send_topic_keep(t, m, still);
	send_topic_begin(t);
}

/* Does a state have something unsent? */
static bool has_news(const struct send_topic *t)
{
	return t->waits || (t->tree && transforms_changed(t->tree));
}

void send_topic_end(struct send_topic *t)
{
	if (!is_state(t) || !t->policy.plan.on)
		return;
	t->turn = has_news(t);
	send_topic_begin(t);
}

bool send_topic_busy(const struct send_topic *t)
{
	if (is_state(t))
		return t->busy || (t->policy.plan.on && has_news(t));
	return t->busy || (t->waits && !send_topic_is_map(t));
}

double send_topic_hz(const struct send_topic *t)
{
	return t->interval > 0 ? 1 / t->interval : 0;
}

/* Bytes beyond which an image of a moving camera would rather come earlier */
static uint32_t bytes_while_new(const struct send_topic *t)
{
	if (!t->pace || t->pace->sure <= 0)
		return t->options.bytes;
	return fmax(look_bytes(&t->policy.source.look, t->pace->sure,
			       t->options.bytes), PLAN_PAYLOAD);
}

/* Bytes of an image that arrive within the latency */
static uint32_t bytes_in_time(const struct send_topic *t)
{
	uint32_t bytes = bytes_while_new(t);
	double fit;

	if (!t->options.latency || !t->pace || t->pace->sure <= 0)
		return bytes;
	fit = latency_left(t) * pace_urgent(t->pace->sure);
	return fit < bytes ? fmax(fit, PLAN_PAYLOAD) : bytes;
}

bool send_topic_request(const struct send_topic *t, struct policy_topic *p)
{
	double hz = send_topic_hz(t), most = most_hz(t);

	*p = t->policy;
	p->share.priority = t->options.priority;
	p->share.focus = t->options.focus;
	p->source.hz = most > 0 && (hz <= 0 || hz > most) ? most : hz;
	if (p->source.kind == PLAN_IMAGE)
		p->source.bytes = bytes_in_time(t);
	/* an unchanged state is only refreshed */
	if (send_topic_is_map(t) || (is_state(t) && has_paused(t)))
		p->source.hz = 1 / t->options.refresh;
	return !is_idle(t, loop_now());
}

void send_topic_allocate(struct send_topic *t, const struct policy_topic *p)
{
	if (p)
		t->policy = *p;
	else
		t->policy.plan.on = false;
	topic_log_plan(&t->logged, t->announced.name, &t->options,
		       t->policy.plan.on ? t->policy.plan.hz : 0, p);
}

void send_topic_change(struct send_topic *t,
		       const struct send_options *options)
{
	struct send_options before = t->options;
	struct encoder *e;

	t->options = *options;
	strcpy(t->options.name, before.name);
	check_codec(t);
	/* costs were learnt with the old options */
	if (t->options.codec != before.codec ||
	    t->options.bytes != before.bytes ||
	    t->options.points != before.points ||
	    t->options.vscan != before.vscan) {
		send_topic_set_source(t);
		t->changed_since = true;
	}
	if (!memcmp(&t->options.encode, &before.encode, sizeof(before.encode)))
		return;
	e = encoder_create(t->announced.kind, &t->options.encode);
	if (!e)
		return;
	/* the current encoder may be busy */
	encoder_destroy(t->successor);
	t->successor = e;
}

const struct send_options *send_topic_options(const struct send_topic *t)
{
	return &t->options;
}

const struct send_counts *send_topic_counts(const struct send_topic *t)
{
	return &t->counts;
}

const struct plan *send_topic_plan(const struct send_topic *t)
{
	return &t->policy.plan;
}

const struct control_topic *send_topic_announcement(const struct send_topic *t)
{
	return &t->announced;
}

double send_topic_rate(const struct send_topic *t)
{
	return t->policy.share.rate;
}

enum codec_id send_topic_codec(const struct send_topic *t)
{
	return t->announced.codec;
}
