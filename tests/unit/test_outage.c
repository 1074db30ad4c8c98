// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_outage - what an outage held is not shown as live
 */
#include <endian.h>
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
	bool			live[FRAMES], kept[FRAMES];
};

static struct budget budget = { .memory = 64 << 20, .users = 1 };

static void on_publish(void *arg, const struct recv_message *m)
{
	struct test *t = arg;

	if (m->stamp < FRAMES)
		(m->kept ? t->kept : t->live)[m->stamp] = true;
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
	t->now = loop_now();
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

/*
 * Frames of 10 Hz, an outage of three seconds that begins when @cut datagrams of
 * frame 20 had come, frames up to 49 that it held, and 10 more before the sender
 * knows that it is over
 */
static void run(unsigned int cut)
{
	unsigned int live = 0, kept = 0, wrong = 0;
	struct test t;

	begin(&t);
	for (uint32_t f = 0; f < 20; f++, t.now += INTERVAL * MS)
		come(&t, f, 0, t.image.count, 0, false);
	come(&t, 20, 0, cut, 0, false);
	t.now += 3000 * MS;
	come(&t, 20, cut, t.image.count, 0, true);
	for (uint32_t f = 21; f < 50; f++)
		come(&t, f, 0, t.image.count, 0, true);
	for (uint32_t f = 50; f < 60; f++, t.now += INTERVAL * MS)
		come(&t, f, 0, t.image.count, 0, false);
	for (uint32_t f = 60; f < 70; f++, t.now += INTERVAL * MS)
		come(&t, f, 0, t.image.count, 1, false);
	for (uint32_t f = 0; f < 70; f++) {
		bool held = f > 20 && f < 50;

		/* the one that was cut may be either, or was shown in part */
		if (f == 20)
			continue;
		live += t.live[f];
		kept += t.kept[f];
		wrong += held ? t.live[f] : t.kept[f];
	}
	ok(live == 40 && kept == 29 && !wrong,
	   "an outage after %u of %u datagrams: %u frames live, %u kept, %u wrong",
	   cut, t.image.count, live, kept, wrong);
	end(&t);
}

int main(void)
{
	run(0);
	run(1);
	run(2);
	return tap_done();
}
