// SPDX-License-Identifier: GPL-2.0-only
/*
 * recv_topic - a topic of a stream: from its datagrams to what is published
 */
#include <errno.h>
#include <stdlib.h>
#include <syslog.h>
#include "bridge/recv_topic.h"
#include "bridge/segment.h"
#include "daemon/service.h"

#define SECOND	1000000000ULL
#define BLEND	.5		/* of a second in the statistics */

enum which { LIVE, KEPT, BOTH };
enum { SEVERAL = 4 };		/* datagrams that show whether a frame queues */

struct recv_topic {
	struct loop		*loop;
	struct control_topic	announced;
	const struct recv_options *options;
	struct budget		*budget;
	void			(*publish)(void *arg,
					   const struct recv_message *m);
	void			*arg;
	struct loop_timer	timer;
	struct decoder		*decoder;
	struct assembly		*assembly[BOTH];
	uint16_t		epoch;		/* of what is live */
	/* frames of this epoch that were held: behind @held_from, to */
	bool			holding;
	uint32_t		held_from, held_to;
	uint64_t		heard;
	struct assembly_counts	before;		/* of assemblies that are gone */
	uint32_t		newest;
	struct recv_counts	counts;
	int			error;		/* of the last frame */
	/* of the frame that is being decoded */
	uint64_t		now;
	enum which		which;
	const struct assembly_frame *frame;
	/* how the frame that is coming queues on its way, us */
	struct {
		uint32_t	frame, first, last;
		unsigned int	datagrams;
		uint64_t	sum, most;
		unsigned int	frames;
	}			growth;
	/* statistics */
	struct recv_stats	stats;
	struct assembly_counts	ticked;
	uint64_t		ticked_frames, tick, shown;
	double			delays, shares;
	unsigned int		measured;
};

static struct assembly *assemble(const struct recv_topic *t)
{
	return assembly_create(ASSEMBLY_COUNT, t->options->grace,
			       t->options->patience);
}

static void on_time(void *arg, uint64_t now);

struct recv_topic *recv_topic_create(struct loop *l,
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
	t->announced = *announced;
	t->options = options;
	t->budget = budget;
	t->publish = publish;
	t->arg = arg;
	t->timer = (struct loop_timer){ LOOP_NEVER, on_time, t, NULL };
	loop_add_timer(l, &t->timer);
	t->tick = t->shown = loop_now();
	t->decoder = decoder_create(&options->limits, budget);
	t->assembly[LIVE] = assemble(t);
	if (t->decoder && t->assembly[LIVE])
		return t;
	recv_topic_destroy(t);
	return NULL;
}

void recv_topic_destroy(struct recv_topic *t)
{
	if (!t)
		return;
	loop_remove_timer(t->loop, &t->timer);
	decoder_destroy(t->decoder);
	assembly_destroy(t->assembly[LIVE]);
	assembly_destroy(t->assembly[KEPT]);
	free(t);
}

void recv_topic_announced(struct recv_topic *t,
			  const struct control_topic *announced)
{
	if (announced->kind != t->announced.kind) {
		struct decoder *d = decoder_create(&t->options->limits,
						   t->budget);

		if (!d)
			return;
		decoder_destroy(t->decoder);
		t->decoder = d;
	}
	t->announced = *announced;
}

static void shown(void *arg, const struct decode_result *r)
{
	struct recv_topic *t = arg;
	struct recv_message m = {
		.topic = &t->announced, .result = r, .stamp = t->frame->stamp,
		.kept = t->which == KEPT,
		.delay = (t->now - t->frame->first) / 1e9,
	};

	if (t->which == LIVE) {
		t->delays += m.delay;
		t->shares += r->share;
		t->measured++;
	}
	t->publish(t->arg, &m);
}

static void decode(struct recv_topic *t, const struct assembly_frame *f)
{
	const struct decode_call call = {
		.topic = &t->announced,
		.frame = f,
		.codec = f->flags >> OPTSAMPLE_SEGMENT_CODEC,
		.still = f->flags & OPTSAMPLE_SEGMENT_STILL,
		.nearest = t->options->nearest,
		.quality = t->options->quality,
		.out = shown,
		.arg = t,
	};
	uint64_t exact = f->received.count == f->count, begun;
	int ret;

	t->frame = f;
	if (!budget_has_time(t->budget)) {
		t->counts.failed++;
		return;
	}
	begun = loop_cpu();
	ret = decoder_frame(t->decoder, &call);
	t->budget->spent += loop_cpu() - begun;
	if (ret) {
		if (ret == -EFBIG && t->error != ret)
			service_logf(LOG_WARNING, "%s: larger than the limits allow, see optsample-recv(1)",
				     t->announced.name);
		if (ret == -EOPNOTSUPP && t->error != ret)
			service_logf(LOG_WARNING, "%s: codec %d of its sender is not known here: update optsample-recv",
				     t->announced.name, call.codec);
		t->error = ret;
		t->counts.failed++;
		return;
	}
	t->counts.decoded++;
	t->counts.exact += exact;
	t->counts.kept += t->which == KEPT;
	if (t->which == LIVE)
		t->shown = t->now;
}

/* All that is ripe, and when something will be */
static void give(struct recv_topic *t, uint64_t now)
{
	t->timer.due = LOOP_NEVER;
	t->now = now;
	for (unsigned int w = LIVE; w < BOTH; w++) {
		const struct assembly_frame *f;
		struct assembly *a = t->assembly[w];
		uint64_t due;

		if (!a)
			continue;
		t->which = w;
		while ((f = assembly_next(a, now)))
			decode(t, f);
		due = assembly_due(a);
		if (due < t->timer.due)
			t->timer.due = due;
	}
}

static void on_time(void *arg, uint64_t now)
{
	give(arg, now);
}

static void add_counts(struct assembly_counts *sum,
		       const struct assembly_counts *c)
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

static void drop(struct recv_topic *t, enum which w)
{
	if (t->assembly[w])
		add_counts(&t->before, assembly_counts(t->assembly[w]));
	assembly_destroy(t->assembly[w]);
	t->assembly[w] = NULL;
}

/* An outage is over: what was live is, from now on, what was kept */
static void begin_epoch(struct recv_topic *t, uint16_t epoch)
{
	struct assembly *a = assemble(t);

	if (!a)
		return;
	if (t->holding) {
		drop(t, LIVE);
	} else {
		drop(t, KEPT);
		t->assembly[KEPT] = t->assembly[LIVE];
	}
	t->assembly[LIVE] = a;
	t->epoch = epoch;
	t->holding = false;
}

static bool is_newer(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) > 0;
}

/*
 * Until the sender hears that an outage is over, what comes is of its epoch,
 * and begins with what was held. That begins after silence: a queue that
 * grows is none. A frame that began live stays so.
 */
static bool was_held(struct recv_topic *t, uint32_t frame, bool late,
		     bool silence)
{
	if (t->holding && is_newer(frame, t->held_from) &&
	    !is_newer(frame, t->held_to))
		return true;
	if (!late) {
		t->holding = false;
		return false;
	}
	if (!t->holding) {
		if (!silence || !is_newer(frame, t->newest))
			return false;
		t->held_from = frame - 1;
	}
	t->holding = true;
	t->held_to = frame;
	return true;
}

/* A few datagrams show it; the clocks do not matter */
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

void recv_topic_add(struct recv_topic *t, uint64_t now,
		    const struct downlink_datagram *g, bool late)
{
	int16_t ahead = segment_epoch(&g->segment) - t->epoch;
	uint32_t frame = le32toh(g->segment.frame);
	bool silence = now - t->heard > SECOND;
	enum which w;

	t->heard = now;
	if (ahead > 0)
		begin_epoch(t, segment_epoch(&g->segment));
	w = ahead < 0 || (!ahead && was_held(t, frame, late, silence)) ?
	    KEPT : LIVE;
	if (!t->assembly[w])
		t->assembly[w] = assemble(t);
	if (!t->assembly[w])
		return;
	if (!assembly_add(t->assembly[w], &g->segment, g->left, g->payload,
			  g->len, now) && w == LIVE) {
		t->newest = frame;
		learn_growth(t, frame, (uint32_t)(g->came / 1000) -
				       le32toh(g->segment.sent));
	}
	give(t, now);
}

struct assembly_counts recv_topic_datagrams(const struct recv_topic *t)
{
	struct assembly_counts sum = t->before;

	for (unsigned int w = LIVE; w < BOTH; w++)
		if (t->assembly[w])
			add_counts(&sum, assembly_counts(t->assembly[w]));
	return sum;
}

/* A mean over some seconds; the first one is as it is */
static void blend(double *value, double now, bool first)
{
	*value = first ? now : *value + BLEND * (now - *value);
}

void recv_topic_tick(struct recv_topic *t, uint64_t now)
{
	struct assembly_counts c = recv_topic_datagrams(t);
	struct recv_stats *s = &t->stats;
	uint64_t expected = c.expected - t->ticked.expected;
	uint64_t came = c.datagrams - t->ticked.datagrams;
	uint64_t frames = c.frames - t->ticked.frames;
	double span = (now - t->tick) / 1e9;
	bool first = !t->ticked.frames;

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
	struct assembly_counts c = recv_topic_datagrams(t);

	*report = (struct control_report_topic){
		.topic = t->announced.topic, .newest = t->newest,
		.frames = c.frames, .missing = c.missing,
		.expected = c.expected, .datagrams = c.datagrams,
		.bytes = c.bytes,
	};
}
