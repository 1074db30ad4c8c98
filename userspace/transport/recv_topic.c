// SPDX-License-Identifier: GPL-2.0-only
/*
 * recv_topic - a topic of a stream: from datagrams to published messages
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <syslog.h>
#include "base/log.h"
#include "base/service.h"
#include "transport/recv_topic.h"
#include "transport/segment.h"

#define SECOND	1000000000ULL
#define IDLE	(30 * SECOND)
#define BLEND	.5		/* weight of a second in the statistics */

enum which { LIVE, KEPT, BOTH };

enum {
	SEVERAL	= 4,		/* datagrams needed to measure queueing */
	RESULTS	= 2,		/* messages of a frame: virtual scans */
	/* most frames that wait for the decoder */
	WAIT_PICTURES = 2,	/* only the newest is of interest */
	WAIT_MAPS = 16,
	WAIT_SMALL = 256,	/* a stalled link delivers many at once */
	WAIT_KEPT = 1024,	/* likewise */
	FIRST	= 10000000,	/* ns: assumed for a topic's first frame */
	CUTS	= 16,		/* outages, each with the frame it cut */
	SEEN	= 512,		/* slots, by frame number */
	WHOLE	= 16,		/* complete frames in a row: the link is good */
};

/**
 * struct waiting - a frame that waits for the decoder, or is being decoded
 * @frame:	in memory after this struct
 * @now:	when it was delivered; @begun: by the clock of the machine
 * @reserved:	bytes of the stream's memory
 */
struct waiting {
	STAILQ_ENTRY(waiting)	next;
	struct reassembly_frame	frame;
	enum which		which;
	uint64_t		now, begun;
	size_t			reserved;
};

/**
 * struct seen - a frame of which a datagram arrived
 * @known:	the slot is in use
 * @given:	it was delivered: later datagrams are late
 */
struct seen {
	uint32_t	frame;
	bool		known, given;
	uint8_t		which;
};

struct queue {
	STAILQ_HEAD(, waiting)	frames;
	unsigned int		count;
};

struct recv_topic {
	struct loop		*loop;
	struct control_topic	announced;
	const struct recv_options *options;
	struct budget		*budget;
	void			(*publish)(void *arg,
					   const struct recv_message *m);
	void			*arg;
	struct loop_timer	timer;
	struct workers		*workers;
	struct reassembly	*reassembly[BOTH];
	struct queue		queue[BOTH];
	struct seen		seen[SEEN];
	uint32_t		cut[CUTS];	/* live frames at outages */
	unsigned int		cuts;
	uint64_t		cut_at;		/* way->woke of the last cut */
	uint64_t		skipped_at;	/* way->woke of the last held frame */
	uint16_t		skipped;	/* way->epoch of last skip */
	uint64_t		kept_at;	/* arrival of last kept one */
	struct reassembly_counts past; /* of reassemblies that were freed */
	bool			live;		/* @newest is valid */
	uint32_t		newest;
	struct recv_counts	counts;
	int			error;		/* of the last frame */
	bool			late;		/* logged: frames are dropped, */
	bool			partial;	/* or are incomplete */
	unsigned int		whole;		/* frames in a row; up to WHOLE */
	/* decoder, its frame and result: owned by the job while it is busy */
	struct decoder		*decoder;
	enum message_kind	kind;		/* of the decoder */
	struct job		job;
	struct waiting		*frame;
	struct control_topic	topic;		/* copy for the job */
	struct decode_call	call;
	struct decode_result	result[RESULTS];
	union message		message[RESULTS];
	unsigned int		results;
	int			ret;
	bool			busy, gone, again;
	uint64_t		expected;	/* for the budget */
	/* how the current frame queues on the path, us */
	struct {
		uint32_t	frame, first, last;
		unsigned int	datagrams;
		uint64_t	sum, most;
		unsigned int	frames;
	}			growth;
	/* statistics */
	struct recv_stats	stats;
	struct reassembly_counts	ticked;
	uint64_t		ticked_frames, tick, shown;
	double			delays, shares;
	unsigned int		measured;
};

static struct reassembly *assemble(const struct recv_topic *t)
{
	return reassembly_create(t->budget, REASSEMBLY_COUNT, t->options->grace,
				 t->options->patience);
}

static void recv_topic_on_time(void *arg, uint64_t now);
static void recv_topic_on_run(void *arg);
static void recv_topic_on_done(void *arg, uint64_t cpu);

struct recv_topic *recv_topic_create(struct loop *l, struct workers *w,
				     const struct control_topic *announced,
				     const struct recv_options *options,
				     struct budget *budget,
				     void (*publish)(void *arg,
						const struct recv_message *m),
				     void *arg)
{
	struct recv_topic *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->loop = l;
	t->workers = w;
	t->job = (struct job){ .run = recv_topic_on_run,
			       .done = recv_topic_on_done,
			       .arg = t };
	t->announced = *announced;
	t->options = options;
	t->budget = budget_hold(budget);
	for (unsigned int i = LIVE; i < BOTH; i++)
		STAILQ_INIT(&t->queue[i].frames);
	t->publish = publish;
	t->arg = arg;
	t->timer =
		(struct loop_timer){ LOOP_NEVER, recv_topic_on_time, t, NULL };
	loop_add_timer(l, &t->timer);
	t->tick = t->shown = loop_now();
	t->decoder = decoder_create(&options->limits, budget);
	t->kind = announced->kind;
	t->reassembly[LIVE] = assemble(t);
	if (t->decoder && t->reassembly[LIVE])
		return t;
	recv_topic_destroy(t);
	return NULL;
}

static void drop_frame(struct recv_topic *t, struct waiting *w)
{
	if (!w)
		return;
	budget_reserve(t->budget, &w->reserved, 0);
	free(w);
}

static struct waiting *recv_topic_take(struct queue *q)
{
	struct waiting *w = STAILQ_FIRST(&q->frames);

	if (!w)
		return NULL;
	STAILQ_REMOVE_HEAD(&q->frames, next);
	assert(q->count);
	q->count--;
	return w;
}

/* Free all memory that a job may use */
static void recv_topic_release(struct recv_topic *t)
{
	/* a job that was cancelled never ends */
	assert(!t->busy || t->gone);
	drop_frame(t, t->frame);
	decoder_destroy(t->decoder);
	budget_drop(t->budget);
	free(t);
}

void recv_topic_destroy(struct recv_topic *t)
{
	struct waiting *w;

	if (!t)
		return;
	loop_remove_timer(t->loop, &t->timer);
	for (unsigned int i = LIVE; i < BOTH; i++) {
		while ((w = recv_topic_take(&t->queue[i])))
			drop_frame(t, w);
		reassembly_destroy(t->reassembly[i]);
	}
	assert(!t->gone);
	t->gone = true;
	if (t->busy && !workers_cancel(t->workers, &t->job))
		return;
	if (t->busy)
		budget_end(t->budget, t->expected, 0);
	recv_topic_release(t);
}

void recv_topic_announced(struct recv_topic *t,
			  const struct control_topic *announced)
{
	t->announced = *announced;
}

void recv_topic_again(struct recv_topic *t)
{
	t->again = true;
}

/* ---- on a worker thread ---- */

static void recv_topic_on_result(void *arg, const struct decode_result *r)
{
	struct recv_topic *t = arg;
	unsigned int n = t->results;

	if (n == RESULTS)
		return;
	t->message[n] = *r->msg;
	t->result[n] = *r;
	t->result[n].msg = &t->message[n];
	t->results++;
}

static void recv_topic_on_run(void *arg)
{
	struct recv_topic *t = arg;

	t->ret = decoder_frame(t->decoder, &t->call);
}

/* ---- in the loop ---- */

/* Make a decoder for the announced kind. Return: true if there is one */
static bool has_decoder(struct recv_topic *t)
{
	struct decoder *d;

	if (t->kind == t->announced.kind)
		return true;
	d = decoder_create(&t->options->limits, t->budget);
	if (!d)
		return false;
	decoder_destroy(t->decoder);
	t->decoder = d;
	t->kind = t->announced.kind;
	return true;
}

static void begin_frame(struct recv_topic *t, struct waiting *w)
{
	const struct reassembly_frame *f = &w->frame;

	assert(!t->busy && !t->frame);
	t->frame = w;
	t->topic = t->announced;
	t->results = 0;
	t->call = (struct decode_call){
		.topic = &t->topic,
		.frame = f,
		.codec = f->flags >> OPTSAMPLE_SEGMENT_CODEC,
		.still = f->flags & OPTSAMPLE_SEGMENT_STILL,
		.kept = w->which == KEPT,
		.again = t->again,
		.nearest = t->options->nearest,
		.quality = t->options->quality,
		.out = recv_topic_on_result,
		.arg = t,
	};
	t->busy = true;
	t->expected = t->job.expected ? t->job.expected : FIRST;
	budget_begin(t->budget, t->expected);
	workers_begin(t->workers, &t->job);
}

/* Begin to decode the next frame, live ones before kept ones */
static void recv_topic_begin(struct recv_topic *t)
{
	while (!t->busy) {
		struct waiting *w = recv_topic_take(&t->queue[LIVE]);

		if (!w)
			w = recv_topic_take(&t->queue[KEPT]);
		if (!w)
			return;
		if (budget_has_time(t->budget) && has_decoder(t)) {
			t->late = false;
			begin_frame(t, w);
			continue;
		}
		if (!t->late)
			log_debug("%s: frames are dropped: their part of the processor is used up, or of memory",
				  t->announced.name);
		t->late = true;
		t->counts.failed++;
		drop_frame(t, w);
	}
}

/* @now: in the clock of all reported times */
static void recv_topic_publish(struct recv_topic *t,
			       const struct decode_result *r, uint64_t now)
{
	const struct waiting *w = t->frame;
	struct recv_message m = {
		.topic = &t->topic, .result = r, .stamp = w->frame.stamp,
		.kept = w->which == KEPT,
		.delay = (now - w->frame.first) / 1e9,
	};

	if (w->which == LIVE) {
		t->delays += m.delay;
		t->shares += r->share;
		t->measured++;
	}
	t->publish(t->arg, &m);
}

static void recv_topic_fail(struct recv_topic *t, int error)
{
	if (error == -EFBIG && t->error != error)
		service_logf(LOG_WARNING,
			     "%s: frame exceeds the limits, see "
			     "optsample-recv(1)",
			     t->announced.name);
	if (error == -EOPNOTSUPP && t->error != error)
		service_logf(LOG_WARNING,
			     "%s: unknown codec %d: update optsample-recv",
			     t->announced.name, t->call.codec);
	t->error = error;
	t->counts.failed++;
}

/* Once frames are incomplete, and once they are complete for a while */
static void recv_topic_log_whole(struct recv_topic *t,
				 const struct reassembly_frame *f)
{
	const unsigned int there = f->received.count;

	if (there < f->count) {
		if (!t->partial)
			log_debug("%s: frame %u is shown with %u of %u datagrams, and so are others",
				  t->announced.name, f->number, there,
				  f->count);
		t->partial = true;
		t->whole = 0;
	} else if (t->whole < WHOLE && ++t->whole == WHOLE) {
		t->partial = false;
		log_debug("%s: frames are complete", t->announced.name);
	}
}

static void recv_topic_finish(struct recv_topic *t)
{
	const struct waiting *w = t->frame;
	uint64_t now = w->now + (loop_now() - w->begun);

	/* on failure some results may be valid */
	for (unsigned int i = 0; i < t->results; i++)
		recv_topic_publish(t, &t->result[i], now);
	if (t->ret) {
		recv_topic_fail(t, t->ret);
		return;
	}
	if (!t->results)
		t->counts.repeated++;
	else
		t->counts.decoded++;
	t->counts.exact += w->frame.received.count == w->frame.count;
	t->counts.kept += w->which == KEPT;
	if (w->which != LIVE)
		return;
	recv_topic_log_whole(t, &w->frame);
	t->shown = now;
	t->again &= !t->results;
}

static void recv_topic_on_done(void *arg, uint64_t cpu)
{
	struct recv_topic *t = arg;

	budget_end(t->budget, t->expected, cpu);
	assert(t->busy);
	t->busy = false;
	if (t->gone) {
		recv_topic_release(t);
		return;
	}
	t->job.expected = workers_expect(t->job.expected, cpu);
	recv_topic_finish(t);
	drop_frame(t, t->frame);
	t->frame = NULL;
	recv_topic_begin(t);
}

/* ---- waiting frames ---- */

static unsigned int recv_topic_most_waiting(const struct recv_topic *t,
					    enum which which)
{
	if (which == KEPT)
		return WAIT_KEPT;
	if (message_is_picture(t->announced.kind))
		return WAIT_PICTURES;
	return message_is_map(t->announced.kind) ? WAIT_MAPS : WAIT_SMALL;
}

/* Copy with slots as large as its largest payload. NULL: no memory */
static struct waiting *recv_topic_copy(struct recv_topic *t,
				       const struct reassembly_frame *f)
{
	const struct payloads *from = &f->received;
	size_t stride = 1, bytes, reserved = 0;
	struct waiting *w;
	struct payloads *p;

	assert(from->count <= from->max);
	for (unsigned int i = 0; i < from->count; i++)
		if (from->len[i] > stride)
			stride = from->len[i];
	bytes = sizeof(*w) + from->count * (sizeof(*from->len) + stride);
	if (budget_reserve(t->budget, &reserved, bytes))
		return NULL;
	w = malloc(bytes);
	if (!w) {
		budget_reserve(t->budget, &reserved, 0);
		return NULL;
	}
	w->frame = *f;
	w->reserved = reserved;
	p = &w->frame.received;
	p->len = (uint16_t *)(w + 1);
	p->data = (uint8_t *)(p->len + p->count);
	p->stride = stride;
	p->size = stride;
	p->max = p->count;
	memcpy(p->len, from->len, from->count * sizeof(*from->len));
	for (unsigned int i = 0; i < from->count; i++)
		memcpy(payload_at(p, i), payload_at(from, i), from->len[i]);
	return w;
}

/* Drop the oldest frame if the queue is full */
static void recv_topic_make_room(struct recv_topic *t, enum which which)
{
	struct queue *q = &t->queue[which];

	if (q->count < recv_topic_most_waiting(t, which))
		return;
	drop_frame(t, recv_topic_take(q));
	if (!t->counts.behind++)
		service_logf(LOG_WARNING,
			     "%s: frames arrive faster than they are decoded; "
			     "oldest waiting frames dropped",
			     t->announced.name);
}

static void recv_topic_decode(struct recv_topic *t,
			      const struct reassembly_frame *f,
			      enum which which, uint64_t now)
{
	struct waiting *w = recv_topic_copy(t, f);
	struct queue *q = &t->queue[which];

	if (!w) {
		t->counts.failed++;
		return;
	}
	w->which = which;
	w->now = now;
	w->begun = loop_now();
	recv_topic_make_room(t, which);
	STAILQ_INSERT_TAIL(&q->frames, w, next);
	q->count++;
	recv_topic_begin(t);
}

static struct seen *seen_at(struct recv_topic *t, uint32_t frame)
{
	return &t->seen[frame % SEEN];
}

static bool recv_topic_is_known(const struct seen *s, uint32_t frame)
{
	return s->known && s->frame == frame;
}

static void give_frame(struct recv_topic *t, const struct reassembly_frame *f,
		       enum which which, uint64_t now)
{
	struct seen *s = seen_at(t, f->number);

	if (recv_topic_is_known(s, f->number))
		s->given = true;
	recv_topic_decode(t, f, which, now);
}

/* Take all deliverable frames, and set the timer for the next */
static void recv_topic_give(struct recv_topic *t, uint64_t now)
{
	t->timer.due = LOOP_NEVER;
	for (unsigned int w = LIVE; w < BOTH; w++) {
		const struct reassembly_frame *f;
		struct reassembly *a = t->reassembly[w];
		uint64_t due;

		if (!a)
			continue;
		while ((f = reassembly_next(a, now)))
			give_frame(t, f, w, now);
		due = reassembly_due(a);
		if (due < t->timer.due)
			t->timer.due = due;
	}
}

static void recv_topic_on_time(void *arg, uint64_t now)
{
	recv_topic_give(arg, now);
}

static void add_counts(struct reassembly_counts *sum,
		       const struct reassembly_counts *c)
{
	sum->frames += c->frames;
	sum->missing += c->missing;
	sum->expected += c->expected;
	sum->runs += c->runs;
	sum->datagrams += c->datagrams;
	sum->bytes += c->bytes;
	sum->duplicates += c->duplicates;
	sum->late += c->late;
	sum->bad += c->bad;
}

/*
 * Is a frame live or kept? Its first datagram decides. A kept one was sent
 * before the link came back, and is late. Being late is not enough: a growing
 * queue also delays what was sent later. A frame overtaken by newer live frames
 * can no longer be shown as live, so any sign of the outage makes it kept.
 */
static enum which which_of(const struct recv_topic *t, uint32_t frame,
			   const struct recv_way *way)
{
	bool held = reassembly_overtaken(t->reassembly[LIVE], frame) ?
		    way->late || way->before || way->old :
		    way->late && way->before;

	return held ? KEPT : LIVE;
}

/* Frames that the queue dropped in an outage are not a loss of the link */
static void skip_outage(struct recv_topic *t, enum which which, uint16_t epoch,
			const struct recv_way *way)
{
	bool held = which == KEPT && t->skipped_at != way->woke;
	bool resumed = which == LIVE && (int16_t)(epoch - t->skipped) > 0;

	if (held || resumed)
		reassembly_skip(t->reassembly[LIVE]);
	if (held)
		t->skipped_at = way->woke;
	if (resumed)
		t->skipped = way->epoch;
}

/* The reassembly of live frames always exists */
static bool has_assembly(struct recv_topic *t, enum which which)
{
	if (t->reassembly[which])
		return true;
	t->reassembly[which] = assemble(t);
	if (!t->reassembly[which])
		return false;
	reassembly_set_unordered(t->reassembly[which]);
	return true;
}

/* Free the reassembly of kept frames when it is idle */
static void free_kept(struct recv_topic *t, uint64_t now)
{
	struct reassembly *a = t->reassembly[KEPT];

	if (!a || reassembly_due(a) != UINT64_MAX || now - t->kept_at < IDLE)
		return;
	add_counts(&t->past, reassembly_counts(a));
	reassembly_destroy(a);
	t->reassembly[KEPT] = NULL;
}

/* Growth of the delay within a frame; independent of the clocks' offset */
static void learn_growth(struct recv_topic *t, uint32_t frame, uint32_t transit)
{
	int32_t last = t->growth.last - t->growth.first;
	uint64_t more = last > 0 ? last : 0;

	if (t->growth.datagrams && t->growth.frame == frame) {
		t->growth.last = transit;
		t->growth.datagrams++;
		return;
	}
	if (t->growth.datagrams >= SEVERAL) {
		t->growth.sum += more;
		t->growth.frames++;
		if (more > t->growth.most)
			t->growth.most = more;
	}
	t->growth.frame = frame;
	t->growth.first = t->growth.last = transit;
	t->growth.datagrams = 1;
}

static void learn_live(struct recv_topic *t, uint32_t frame,
		       const struct downlink_datagram *g)
{
	t->newest = frame;
	t->live = true;
	learn_growth(t, frame, (uint32_t)(g->came / 1000) -
			       le32toh(g->segment.sent));
}

unsigned int recv_topic_growth(struct recv_topic *t, uint64_t *sum)
{
	unsigned int frames = t->growth.frames;

	*sum = t->growth.sum;
	if (frames > 2) {
		*sum -= t->growth.most;
		frames--;
	}
	t->growth.sum = t->growth.most = t->growth.frames = 0;
	return frames;
}

/* Remember the frame cut by the outage: its rest may arrive much later */
static void learn_cut(struct recv_topic *t, const struct recv_way *way)
{
	if (t->cut_at == way->woke)
		return;
	t->cut_at = way->woke;
	if (t->live)
		t->cut[t->cuts++ % CUTS] = t->newest;
}

static bool was_cut(const struct recv_topic *t, uint32_t frame)
{
	for (unsigned int i = 0; i < t->cuts && i < CUTS; i++)
		if (t->cut[i] == frame)
			return true;
	return false;
}

/* A delivered frame had this number by a bit error: now the real one comes */
static bool is_false(const struct recv_topic *t, const struct seen *s,
		     const struct recv_way *way)
{
	return s->given && s->which == KEPT && !way->late && !way->before &&
	       !way->old &&
	       !reassembly_overtaken(t->reassembly[LIVE], s->frame);
}

void recv_topic_add(struct recv_topic *t, uint64_t now,
		    const struct downlink_datagram *g,
		    const struct recv_way *way)
{
	uint32_t frame = le32toh(g->segment.frame);
	struct seen *s = seen_at(t, frame);
	bool known = recv_topic_is_known(s, frame) && !is_false(t, s, way);
	enum which w = known ? s->which : which_of(t, frame, way);

	learn_cut(t, way);
	if (known ? s->given : was_cut(t, frame)) {
		t->past.late++;
		return;
	}
	if (!has_assembly(t, w))
		return;
	if (!known)
		skip_outage(t, w, segment_epoch(&g->segment), way);
	if (!reassembly_add(t->reassembly[w], &g->segment, g->left, g->payload,
			    g->len, now)) {
		*s = (struct seen){ frame, true, false, w };
		if (w == LIVE)
			learn_live(t, frame, g);
		else
			t->kept_at = now;
	}
	recv_topic_give(t, now);
}

struct reassembly_counts recv_topic_datagrams(const struct recv_topic *t)
{
	struct reassembly_counts sum = t->past;

	for (unsigned int w = LIVE; w < BOTH; w++)
		if (t->reassembly[w])
			add_counts(&sum, reassembly_counts(t->reassembly[w]));
	return sum;
}

/* Exponential mean, initialised with the first value */
static void blend(double *value, double now, bool first)
{
	*value = first ? now : *value + BLEND * (now - *value);
}

void recv_topic_tick(struct recv_topic *t, uint64_t now)
{
	struct reassembly_counts c = recv_topic_datagrams(t);
	struct recv_stats *s = &t->stats;
	uint64_t expected = c.expected - t->ticked.expected;
	uint64_t came = c.datagrams - t->ticked.datagrams;
	uint64_t frames = c.frames - t->ticked.frames;
	double span = (now - t->tick) / 1e9;
	bool first = !t->ticked.frames;

	free_kept(t, now);
	s->silent = (now - t->shown) / 1e9;
	if (span <= 0 || (first && !frames))
		return;
	blend(&s->rate, (t->counts.decoded - t->ticked_frames) / span, first);
	blend(&s->bits, (c.bytes - t->ticked.bytes) * 8 / span, first);
	if (expected)
		blend(&s->loss, 1 - (double)came / expected, first);
	if (frames)
		blend(&s->datagrams, (double)came / frames, first);
	if (t->measured) {
		blend(&s->delay, t->delays / t->measured, first);
		blend(&s->share, t->shares / t->measured, first);
	}
	t->delays = t->shares = 0;
	t->measured = 0;
	t->ticked = c;
	t->ticked_frames = t->counts.decoded;
	t->tick = now;
}

const struct control_topic *recv_topic_announcement(const struct recv_topic *t)
{
	return &t->announced;
}

const struct recv_stats *recv_topic_stats(const struct recv_topic *t)
{
	return &t->stats;
}

const struct recv_counts *recv_topic_counts(const struct recv_topic *t)
{
	return &t->counts;
}

void recv_topic_report(const struct recv_topic *t,
		       struct control_report_topic *report)
{
	struct reassembly_counts c = recv_topic_datagrams(t);

	*report = (struct control_report_topic){
		.topic = t->announced.topic, .newest = t->newest,
		.frames = c.frames, .missing = c.missing,
		.expected = c.expected, .datagrams = c.datagrams,
		.bytes = c.bytes,
	};
}
