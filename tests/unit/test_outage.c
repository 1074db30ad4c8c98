// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_outage - what an outage held is not shown as live
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bridge/segment.h"
#include "bridge/stream.h"
#include "images.h"
#include "lib/md.h"
#include "tap.h"

#define MS 1000000ULL

enum { W = 64, H = 48, FRAMES = 1200, INTERVAL = 100 };

/**
 * struct test - a stream of one topic, and what that published
 * @up:		when the link came back from its last silence
 * @sent:	datagrams so far
 * @live, @kept: how often each frame was shown as such
 */
struct test {
	struct loop		*loop;
	struct budget		*budget;
	struct stream		*stream;
	struct payloads		image;
	uint64_t		now, up;
	unsigned int		sent;
	unsigned int		live[FRAMES], kept[FRAMES];
};

static const struct recv_options options = RECV_DEFAULTS;
static const struct sockaddr_storage robot = { .ss_family = AF_INET };

static void on_named(void *arg)
{
	(void)arg;
}

static void on_publish(void *arg, const struct recv_message *m)
{
	struct test *t = arg;

	if (m->stamp < FRAMES)
		(m->kept ? t->kept : t->live)[m->stamp]++;
}

/* A datagram that was sent @age ms ago, and 5 more of a way without a queue */
static void come_one(struct test *t, struct optsample_segment *s,
		     const void *payload, size_t len, unsigned int age)
{
	struct downlink_datagram g = {
		.segment = *s, .left = -1, .payload = payload, .len = len,
		.came = t->now, .from = &robot,
	};

	/* no two are sent at the same time: that would be a copy */
	g.segment.sent = htole32(t->now / 1000 - 1000 * (age + 5) +
				 t->sent++ % 1000);
	stream_add(t->stream, t->now, &g);
	t->now += MS;
}

/* Datagrams @from to @to of a frame */
static void come(struct test *t, uint32_t frame, unsigned int from,
		 unsigned int to, uint16_t epoch, unsigned int age)
{
	struct optsample_segment s;

	segment_init(&s);
	s.topic = htole32(1 | (uint32_t)epoch << 16);
	s.flags = CODEC_MD << OPTSAMPLE_SEGMENT_CODEC;
	s.frame = htole32(frame);
	s.count = htole16(t->image.count);
	s.stamp = htole64(frame);
	for (unsigned int i = from; i < to; i++) {
		s.index = htole16(i);
		come_one(t, &s, payload_at(&t->image, i), t->image.len[i], age);
	}
}

/* Twice, or it is not believed */
static void announce(struct test *t)
{
	const struct control_sender sender = { 0, "robot" };
	const struct control_topic topic = {
		.topic = 1, .kind = MESSAGE_IMAGE, .codec = CODEC_MD,
		.name = "/image", .encoding = "mono8",
	};
	struct optsample_segment s;
	struct payloads p;

	segment_init(&s);
	s.count = htole16(1);
	payloads_create(&p, 1);
	control_announce(&sender, &topic, 1, &p);
	for (unsigned int i = 0; i < 2; i++)
		come_one(t, &s, payload_at(&p, 0), p.len[0], 0);
	payloads_destroy(&p);
}

static void begin(struct test *t)
{
	const struct md_budget b = { .bytes = 8 * 600, .loss = .5 };
	const struct stream_events events = { on_named, on_publish, t };
	struct md_encoder *e = md_encoder_create(W, H, 1);
	uint64_t rng = 1;
	struct image i = make_image(W, H, 1, 8, 0, &rng);

	memset(t, 0, sizeof(*t));
	t->loop = loop_create();
	/* long ago: the timers of all that comes are due, see wait_for() */
	t->now = loop_now() - 3600 * 1000 * MS;
	payloads_create(&t->image, 64);
	if (md_encode(e, &i, &b, &t->image) || t->image.count < 3)
		abort();
	md_encoder_destroy(e);
	free(i.data);
	t->budget = budget_create(64 << 20, NULL);
	t->stream = stream_create(t->loop, NULL, 1, &options, t->budget,
				  &events);
	announce(t);
}

static void end(struct test *t)
{
	stream_destroy(t->stream);
	budget_drop(t->budget);
	payloads_destroy(&t->image);
	loop_destroy(t->loop);
}

static void on_time(void *arg, uint64_t now)
{
	struct test *t = arg;

	(void)now;
	loop_stop(t->loop, 0);
}

/* Nothing comes for @ms, so that the frame that was cut is given out */
static void wait_for(struct test *t, unsigned int ms)
{
	struct loop_timer timer = { loop_now() + MS, on_time, t, NULL };

	loop_add_timer(t->loop, &timer);
	loop_run(t->loop);
	loop_remove_timer(t->loop, &timer);
	t->now += ms * MS;
	if (ms > 1000)
		t->up = t->now;
}

/* Nothing but announcements comes for @ms */
static void idle(struct test *t, unsigned int ms)
{
	for (unsigned int i = 0; i < ms; i += 500) {
		wait_for(t, 500);
		announce(t);
	}
}

/* Frames of 10 Hz, @from to @to, as they are sent */
static void come_live(struct test *t, uint32_t from, uint32_t to,
		      uint16_t epoch)
{
	for (uint32_t f = from; f < to; f++, t->now += INTERVAL * MS)
		come(t, f, 0, t->image.count, epoch, 0);
}

/* How long ago something was sent @before ms before the link came back */
static unsigned int age(const struct test *t, unsigned int before)
{
	return (t->now - t->up) / MS + before;
}

/* Frames @from to @to that an outage held for more than a second, at once */
static void come_held(struct test *t, uint32_t from, uint32_t to,
		      uint16_t epoch)
{
	for (uint32_t f = from; f < to; f++)
		come(t, f, 0, t->image.count, epoch, age(t, 1500));
}

/*
 * Frames from @from to @to are to be shown once each, as what was held or as
 * what was not; a frame that was cut is shown at most once
 */
static void judge(struct test *t, uint32_t from, uint32_t to, bool held,
		  const char *what)
{
	unsigned int right = 0, wrong = 0, twice = 0;

	for (uint32_t f = 0; f < FRAMES; f++)
		twice += t->live[f] + t->kept[f] > 1;
	for (uint32_t f = from; f < to; f++) {
		right += held ? t->kept[f] == 1 : t->live[f] == 1;
		wrong += held ? t->live[f] > 0 : t->kept[f] > 0;
	}
	ok(right == to - from && !wrong && !twice,
	   "%s: of frames %u to %u %u %s, %u wrong, %u twice", what, from,
	   to - 1, right, held ? "kept" : "live", wrong, twice);
}

/*
 * An outage of three seconds that begins when @cut datagrams of frame 20 had
 * come, frames up to 49 that it held, and 10 more before the sender knows that
 * it is over
 */
static void test_cut(unsigned int cut)
{
	struct test t;
	char what[64];

	snprintf(what, sizeof(what), "cut after %u datagrams", cut);
	begin(&t);
	come_live(&t, 0, 20, 0);
	come(&t, 20, 0, cut, 0, 0);
	wait_for(&t, 3000);
	come(&t, 20, cut, t.image.count, 0, age(&t, 1500));
	come_held(&t, 21, 50, 0);
	come_live(&t, 50, 60, 0);
	come_live(&t, 60, 70, 1);
	judge(&t, 0, 20, false, what);
	judge(&t, 21, 50, true, what);
	judge(&t, 50, 70, false, what);
	end(&t);
}

/* The sender knows that it is over when one datagram of what was held came */
static void test_overtaken(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	come(&t, 20, 0, 1, 0, 0);
	wait_for(&t, 3000);
	come(&t, 20, 1, 2, 0, age(&t, 1500));
	come_live(&t, 50, 52, 1);
	come(&t, 20, 2, t.image.count, 0, age(&t, 1500));
	come_held(&t, 21, 50, 0);
	come_live(&t, 52, 70, 1);
	wait_for(&t, 3000);
	come_live(&t, 70, 71, 1);
	judge(&t, 0, 20, false, "overtaken at once");
	judge(&t, 21, 50, true, "overtaken at once");
	judge(&t, 50, 70, false, "overtaken at once");
	end(&t);
}

/* Two live frames between two that were held, some before the sender knows */
static void test_turns(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	for (uint32_t f = 0; f < 10; f++) {
		come_held(&t, 20 + 3 * f, 23 + 3 * f, 0);
		come_live(&t, 50 + 2 * f, 52 + 2 * f, f > 4);
	}
	wait_for(&t, 3000);
	come_live(&t, 70, 71, 1);
	judge(&t, 20, 50, true, "in turns");
	judge(&t, 50, 70, false, "in turns");
	end(&t);
}

/* A frame that is on its way when the sender learns that it is over */
static void test_between(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come_held(&t, 20, 50, 0);
	come(&t, 50, 0, 1, 0, 0);
	come(&t, 51, 0, 1, 1, 0);
	come(&t, 50, 1, t.image.count, 0, 0);
	come(&t, 51, 1, t.image.count, 1, 0);
	come_live(&t, 52, 60, 1);
	judge(&t, 20, 50, true, "a frame before the end is known");
	judge(&t, 50, 59, false, "a frame before the end is known");
	end(&t);
}

/* What the first outage held comes while the second one begins, and behind it */
static void test_again(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come_held(&t, 20, 30, 0);
	come_live(&t, 40, 42, 0);
	come_live(&t, 42, 45, 1);
	come_held(&t, 30, 35, 0);
	wait_for(&t, 3000);
	come_held(&t, 35, 40, 0);
	come_held(&t, 45, 60, 1);
	come_live(&t, 60, 62, 1);
	come_live(&t, 62, 70, 2);
	wait_for(&t, 3000);
	come_live(&t, 70, 71, 2);
	judge(&t, 20, 40, true, "two outages");
	judge(&t, 40, 45, false, "two outages");
	judge(&t, 45, 60, true, "two outages");
	judge(&t, 60, 70, false, "two outages");
	end(&t);
}

/* Soon another one, of which the sender knows before anything that it held comes */
static void test_soon(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come_live(&t, 30, 32, 1);
	come_held(&t, 20, 30, 0);
	wait_for(&t, 2000);
	come_live(&t, 50, 52, 2);
	come_held(&t, 32, 50, 1);
	come_live(&t, 52, 60, 2);
	judge(&t, 20, 30, true, "two, known at once");
	judge(&t, 30, 32, false, "two, known at once");
	judge(&t, 32, 50, true, "two, known at once");
	judge(&t, 50, 60, false, "two, known at once");
	end(&t);
}

/* What is live queues behind what was held, and is late as well */
static void test_behind(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	for (uint32_t f = 20; f < 50; f++, t.now += 60 * MS)
		come_held(&t, f, f + 1, 0);
	for (uint32_t f = 50; f < 60; f++, t.now += 60 * MS)
		come(&t, f, 0, t.image.count, 1, 1200);
	come_live(&t, 60, 65, 1);
	judge(&t, 20, 50, true, "live behind it");
	judge(&t, 50, 65, false, "live behind it");
	end(&t);
}

/* The first frame that is live again has a number that was damaged on its way */
static void test_damaged(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come(&t, 1000000, 0, 1, 1, 0);
	come_live(&t, 30, 60, 1);
	come_held(&t, 20, 30, 0);
	come_live(&t, 60, 61, 1);
	judge(&t, 20, 30, true, "a damaged number");
	/* half a second of what is late by that number is lost */
	judge(&t, 40, 60, false, "a damaged number");
	end(&t);
}

/* Within a frame what was held becomes less late than a second */
static void test_crossing(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come_held(&t, 20, 40, 0);
	come(&t, 40, 0, t.image.count / 2, 0, age(&t, 1500));
	come(&t, 40, t.image.count / 2, t.image.count, 0, age(&t, 500));
	come_live(&t, 41, 50, 0);
	come_live(&t, 50, 60, 1);
	wait_for(&t, 3000);
	come_live(&t, 60, 61, 1);
	ok(t.kept[40] + t.live[40] == 1, "less late from a datagram on: frame 40: %u live %u kept",
	   t.live[40], t.kept[40]);
	judge(&t, 20, 40, true, "less late from a datagram on");
	judge(&t, 41, 60, false, "less late from a datagram on");
	end(&t);
}

/* An outage of little more than a second */
static void test_short(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 1050);
	come(&t, 20, 0, 2, 0, age(&t, 1040));
	come(&t, 20, 2, t.image.count, 0, age(&t, 900));
	come_live(&t, 21, 40, 0);
	judge(&t, 21, 40, false, "just over a second");
	ok(t.kept[20] + t.live[20] == 1, "just over a second: frame 20: %u live %u kept",
	   t.live[20], t.kept[20]);
	end(&t);
}

/* Epoch 1 began, and nothing of it came before the link was out again */
static void test_flap(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come_held(&t, 20, 30, 0);
	wait_for(&t, 3000);
	come_held(&t, 50, 60, 1);
	come_live(&t, 60, 62, 1);
	come_live(&t, 62, 70, 2);
	wait_for(&t, 3000);
	come_live(&t, 70, 71, 2);
	judge(&t, 20, 30, true, "an epoch of which nothing was live");
	judge(&t, 50, 60, true, "an epoch of which nothing was live");
	judge(&t, 60, 70, false, "an epoch of which nothing was live");
	end(&t);
}

/* A slow topic: all that it sent in epoch 1 was held */
static void test_flap_slow(void)
{
	struct test t;

	begin(&t);
	for (uint32_t f = 0; f < 5; f++, idle(&t, 3000))
		come_live(&t, f, f + 1, 0);
	wait_for(&t, 6000);
	come_held(&t, 5, 8, 1);
	come_live(&t, 8, 9, 2);
	judge(&t, 5, 8, true, "a slow topic's epoch");
	judge(&t, 8, 9, false, "a slow topic's epoch");
	end(&t);
}

/* A topic that is first heard of when an outage is over */
static void test_first(void)
{
	struct test t;

	begin(&t);
	come_held(&t, 20, 30, 3);
	come_live(&t, 40, 50, 4);
	judge(&t, 20, 30, true, "first heard of among what was held");
	judge(&t, 40, 50, false, "first heard of among what was held");
	end(&t);
}

/* What two outages held comes in turns */
static void test_flows(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come_held(&t, 20, 25, 0);
	come_live(&t, 40, 42, 0);
	come_live(&t, 42, 45, 1);
	wait_for(&t, 3000);
	for (uint32_t f = 0; f < 15; f++) {
		come_held(&t, 45 + f, 46 + f, 1);
		come_held(&t, 25 + f, 26 + f, 0);
	}
	come_live(&t, 60, 62, 1);
	come_live(&t, 62, 70, 2);
	judge(&t, 20, 40, true, "two outages' flows in turns");
	judge(&t, 40, 45, false, "two outages' flows in turns");
	judge(&t, 45, 60, true, "two outages' flows in turns");
	judge(&t, 60, 70, false, "two outages' flows in turns");
	end(&t);
}

/* An outage that only the receiver saw; one that both saw soon after */
static void test_unseen(unsigned int live)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 10, 0);
	wait_for(&t, 1200);
	come_held(&t, 10, 12, 0);
	come_live(&t, 12, 12 + live, 0);
	wait_for(&t, 3000);
	come_live(&t, 50, 52, 1);
	come_held(&t, 12 + live, 50, 0);
	come_live(&t, 52, 60, 1);
	judge(&t, 10, 12, true, "one that the sender did not see");
	judge(&t, 12, 12 + live, false, "one that the sender did not see");
	judge(&t, 12 + live, 50, true, "one that the sender did not see");
	judge(&t, 50, 60, false, "one that the sender did not see");
	end(&t);
}

/* Between what was held a live frame has a small number that was damaged */
static void test_damaged_low(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come_held(&t, 20, 25, 0);
	come_live(&t, 50, 52, 1);
	come(&t, 3, 0, 1, 1, 0);
	for (uint32_t f = 0; f < 5; f++) {
		come_held(&t, 25 + 5 * f, 30 + 5 * f, 0);
		come_live(&t, 52 + f, 53 + f, 1);
	}
	judge(&t, 25, 50, true, "a damaged number that is small");
	judge(&t, 50, 57, false, "a damaged number that is small");
	end(&t);
}

/* Only the way back failed; a frame lacks a datagram when the epoch begins */
static void test_deaf(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	come(&t, 20, 0, t.image.count - 1, 0, 0);
	come_live(&t, 21, 30, 1);
	judge(&t, 0, 30, false, "only the way back");
	end(&t);
}

/* The sender learns late that it is over, while what was held still comes */
static void test_long(void)
{
	struct test t;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come_held(&t, 20, 25, 0);
	for (uint32_t f = 50; f < 65; f++) {
		come_live(&t, f, f + 1, 0);
		wait_for(&t, 900);
	}
	come_live(&t, 65, 67, 1);
	come_held(&t, 25, 50, 0);
	come_live(&t, 67, 70, 1);
	judge(&t, 20, 50, true, "known late");
	judge(&t, 50, 70, false, "known late");
	end(&t);
}

/* What is not late of the old epoch is overtaken by the new one */
static void test_tail(void)
{
	struct test t;
	unsigned int lost = 0;

	begin(&t);
	come_live(&t, 0, 20, 0);
	wait_for(&t, 3000);
	come_held(&t, 20, 45, 0);
	come_live(&t, 45, 48, 0);
	come_live(&t, 55, 56, 1);
	for (uint32_t f = 48; f < 55; f++) {
		come_live(&t, f, f + 1, 0);
		come_live(&t, f + 8, f + 9, 1);
	}
	for (uint32_t f = 0; f < 62; f++)
		lost += !t.live[f] && !t.kept[f];
	ok(!lost, "the last second of an outage: %u lost", lost);
	judge(&t, 55, 62, false, "the last second of an outage");
	end(&t);
}

/* Datagrams that come behind the next frame; then an outage cuts a frame */
static void test_stragglers(void)
{
	struct test t;

	begin(&t);
	for (uint32_t f = 0; f < 20; f++) {
		/* a datagram that is behind those of the next frame */
		come(&t, f, 0, t.image.count - 1, 0, 0);
		t.now += 80 * MS;
		if (f)
			come(&t, f - 1, t.image.count - 1, t.image.count, 0, 80);
		t.now += 20 * MS;
	}
	come(&t, 20, 0, 2, 0, 0);
	wait_for(&t, 3000);
	come(&t, 20, 2, t.image.count, 0, age(&t, 1500));
	come_held(&t, 21, 50, 0);
	come_live(&t, 50, 60, 1);
	ok(t.live[20] + t.kept[20] == 1, "after stragglers: frame 20: %u live %u kept",
	   t.live[20], t.kept[20]);
	judge(&t, 21, 50, true, "after stragglers");
	judge(&t, 50, 60, false, "after stragglers");
	end(&t);
}

/* A slow topic in a queue of more than a second, on a link that works */
static void test_slow_behind(void)
{
	struct test t;

	begin(&t);
	for (uint32_t f = 0; f < 5; f++, idle(&t, 3000))
		come_live(&t, f, f + 1, 0);
	for (uint32_t f = 5; f < 10; f++, idle(&t, 3000))
		come(&t, f, 0, t.image.count, 0, 1500);
	judge(&t, 0, 10, false, "a slow topic in a long queue");
	end(&t);
}

/*
 * A link that fails every few seconds: the sender, its queue and its knowledge
 */

enum {
	FLOWS	= 32,
	QUEUE	= 16384,	/* datagrams of a flow */
	LENGTH	= 110000,	/* ms */
	SPACING	= 80,		/* ms, of the datagrams of a frame */
	SERVICE	= 6,		/* ms, of a datagram on the link */
	DEAF	= 2000,		/* ms without a report: the sender sees an outage */
};

struct packet {
	uint32_t	frame, sent;	/* ms */
	uint16_t	epoch;
	unsigned int	index;
};

/**
 * struct link - what is between sender and receiver
 * @fifo:	one queue, else one for each epoch, served in turns
 * @reorder:	one datagram of ten is behind the next one
 * @up, @change: whether it works, and when that ends, ms
 * @came, @reported: when the last datagram and the last report came, ms
 */
struct link {
	bool		fifo, reorder, up, was_out, has_spare;
	unsigned int	change, came, reported;
	uint16_t	epoch;
	unsigned int	turn, head[FLOWS], tail[FLOWS];
	struct packet	queue[FLOWS][QUEUE], spare;
	uint64_t	rng;
};

static unsigned int roll(struct link *l, unsigned int n)
{
	l->rng = l->rng * 6364136223846793005ULL + 1442695040888963407ULL;
	return (l->rng >> 33) % n;
}

static void arrive(struct test *t, uint64_t start, unsigned int now,
		   const struct packet *p)
{
	t->now = start + now * MS;
	come(t, p->frame, p->index, p->index + 1, p->epoch, now - p->sent);
}

static void put(struct link *l, const struct packet *p)
{
	unsigned int q = l->fifo ? 0 : p->epoch % FLOWS;

	l->queue[q][l->tail[q]++ % QUEUE] = *p;
}

/* The next datagram of the queue, if there is one */
static bool serve(struct link *l, struct packet *p)
{
	for (unsigned int i = 0; i < FLOWS; i++) {
		l->turn = (l->turn + 1) % FLOWS;
		if (l->head[l->turn] == l->tail[l->turn])
			continue;
		*p = l->queue[l->turn][l->head[l->turn]++ % QUEUE];
		return true;
	}
	return false;
}

static void transmit(struct test *t, struct link *l, uint64_t start,
		     unsigned int now)
{
	struct packet p;

	if (!l->up || now % SERVICE || !serve(l, &p))
		return;
	if (now - l->came > 600)
		wait_for(t, 0);
	l->came = now;
	if (l->reorder && !l->has_spare && !roll(l, 10)) {
		l->spare = p;
		l->has_spare = true;
		return;
	}
	arrive(t, start, now, &p);
	if (l->has_spare)
		arrive(t, start, now, &l->spare);
	l->has_spare = false;
}

/* A report twice a second; the sender counts an outage once the next one comes */
static void report(struct link *l, unsigned int now)
{
	if (now - l->reported > DEAF)
		l->was_out = true;
	if (now % 500 || !l->up || now - l->came > 500)
		return;
	l->epoch += l->was_out;
	l->was_out = false;
	l->reported = now;
}

static void flap(struct link *l, unsigned int now)
{
	if (now < l->change)
		return;
	l->up = !l->up;
	l->change = now + 1000 + roll(l, l->up ? 6000 : 2500);
}

static void test_flapping(uint64_t seed, bool fifo, bool reorder)
{
	unsigned int frame = 0, index = 0, twice = 0, lost = 0, kept = 0;
	struct link *l = calloc(1, sizeof(*l));
	uint16_t epoch = 0;
	uint64_t start;
	struct test t;

	*l = (struct link){ .fifo = fifo, .reorder = reorder, .up = true,
			    .change = 3000, .rng = seed };
	begin(&t);
	start = t.now;
	for (unsigned int now = 10; now < LENGTH; now++) {
		bool sends = frame * INTERVAL < LENGTH - 10000;

		if (sends && now >= frame * INTERVAL +
				    index * SPACING / t.image.count) {
			epoch = index ? epoch : l->epoch;
			put(l, &(struct packet){ frame, now, epoch, index });
			index = (index + 1) % t.image.count;
			frame += !index;
		}
		if (sends)
			flap(l, now);
		else
			l->up = true;
		transmit(&t, l, start, now);
		report(l, now);
	}
	wait_for(&t, 0);
	for (uint32_t f = 0; f < frame; f++) {
		twice += t.live[f] + t.kept[f] > 1;
		lost += t.live[f] + t.kept[f] < 1;
		kept += t.kept[f];
	}
	ok(frame == 1000 && kept > 200 && l->epoch > 5 && !twice && !lost,
	   "a link that flaps, %s%s: of %u frames %u kept, %u twice, %u lost in %u outages",
	   fifo ? "one queue" : "a queue for each epoch",
	   reorder ? ", not in order" : "", frame, kept, twice, lost, l->epoch);
	end(&t);
	free(l);
}

int main(void)
{
	test_cut(0);
	test_cut(1);
	test_cut(2);
	test_overtaken();
	test_turns();
	test_between();
	test_again();
	test_soon();
	test_behind();
	test_damaged();
	test_damaged_low();
	test_crossing();
	test_short();
	test_flap();
	test_flap_slow();
	test_first();
	test_flows();
	test_unseen(8);
	test_unseen(1);
	test_deaf();
	test_long();
	test_slow_behind();
	test_tail();
	test_stragglers();
	for (unsigned int i = 0; i < 8; i++)
		test_flapping(i + 1, i & 1, i & 2);
	return tap_done();
}
