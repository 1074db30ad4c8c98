// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_outage - what an outage held is not shown as live
 */
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bridge/recv_topic.h"
#include "bridge/segment.h"
#include "images.h"
#include "lib/md.h"
#include "tap.h"

#define MS 1000000ULL

enum { W = 64, H = 48, FRAMES = 100, INTERVAL = 100 };

/**
 * struct test - a topic, and what it published
 * @live, @kept: frames, by their stamps
 */
struct test {
	struct loop		*loop;
	struct recv_topic	*topic;
	struct payloads		image;
	uint64_t		now;
	unsigned int		live[FRAMES], kept[FRAMES];
};

static struct budget budget = { .memory = 64 << 20, .users = 1 };

static void on_publish(void *arg, const struct recv_message *m)
{
	struct test *t = arg;

	if (m->stamp < FRAMES)
		(m->kept ? t->kept : t->live)[m->stamp]++;
}

static void begin(struct test *t)
{
	static const struct recv_options options = RECV_DEFAULTS;
	const struct control_topic announced = {
		.topic = 1, .kind = MESSAGE_IMAGE, .codec = CODEC_MD,
		.name = "/image", .encoding = "mono8",
	};
	const struct md_budget b = { .bytes = 8 * 600, .loss = .5 };
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
	t->topic = recv_topic_create(t->loop, NULL, &announced, &options,
				     &budget, on_publish, t);
}

static void end(struct test *t)
{
	recv_topic_destroy(t->topic);
	payloads_destroy(&t->image);
	loop_destroy(t->loop);
}

/* Datagrams @from to @to of a frame; @late: an outage held them */
static void come(struct test *t, uint32_t frame, unsigned int from,
		 unsigned int to, uint16_t epoch, bool late)
{
	for (unsigned int i = from; i < to; i++) {
		struct downlink_datagram g = {
			.left = (to - 1 - i) * 1000, .came = t->now,
			.payload = payload_at(&t->image, i),
			.len = t->image.len[i],
		};

		segment_init(&g.segment);
		g.segment.topic = htole32(1 | (uint32_t)epoch << 16);
		g.segment.flags = CODEC_MD << OPTSAMPLE_SEGMENT_CODEC;
		g.segment.frame = htole32(frame);
		g.segment.index = htole16(i);
		g.segment.count = htole16(t->image.count);
		g.segment.stamp = htole64(frame);
		recv_topic_add(t->topic, t->now, &g, late);
		t->now += MS;
	}
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
}

/* Frames of 10 Hz, @from to @to, as they are sent */
static void come_live(struct test *t, uint32_t from, uint32_t to,
		      uint16_t epoch)
{
	for (uint32_t f = from; f < to; f++, t->now += INTERVAL * MS)
		come(t, f, 0, t->image.count, epoch, false);
}

/* Frames @from to @to that an outage held, at once */
static void come_held(struct test *t, uint32_t from, uint32_t to,
		      uint16_t epoch)
{
	for (uint32_t f = from; f < to; f++)
		come(t, f, 0, t->image.count, epoch, true);
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
	come(&t, 20, 0, cut, 0, false);
	wait_for(&t, 3000);
	come(&t, 20, cut, t.image.count, 0, true);
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
	come(&t, 20, 0, 1, 0, false);
	wait_for(&t, 3000);
	come(&t, 20, 1, 2, 0, true);
	come_live(&t, 50, 52, 1);
	come(&t, 20, 2, t.image.count, 0, true);
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
	come(&t, 50, 0, 1, 0, false);
	come(&t, 51, 0, 1, 1, false);
	come(&t, 50, 1, t.image.count, 0, false);
	come(&t, 51, 1, t.image.count, 1, false);
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
	come_held(&t, 20, 50, 0);
	come_held(&t, 50, 60, 1);
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
	come(&t, 1000000, 0, 1, 1, false);
	come_live(&t, 30, 60, 1);
	come_held(&t, 20, 30, 0);
	come_live(&t, 60, 61, 1);
	judge(&t, 20, 30, true, "a damaged number");
	/* half a second of what is late by that number is lost */
	judge(&t, 36, 60, false, "a damaged number");
	end(&t);
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
	return tap_done();
}
