/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * robot_stream.h - a stream of one topic as a robot sends it, and what the
 * receiver shows of it
 */
#ifndef ROBOT_STREAM_H
#define ROBOT_STREAM_H

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include "codec/image/md.h"
#include "images.h"
#include "transport/segment.h"
#include "transport/stream.h"

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

static inline void on_named(void *arg)
{
	(void)arg;
}

static inline void on_publish(void *arg, const struct recv_message *m)
{
	struct test *t = arg;

	if (m->stamp < FRAMES)
		(m->kept ? t->kept : t->live)[m->stamp]++;
}

/* A datagram that was sent @age ms ago, and 5 more of a way without a queue */
static inline void come_one(struct test *t, struct optsample_segment *s,
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
static inline void come(struct test *t, uint32_t frame, unsigned int from,
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
static inline void announce(struct test *t)
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

static inline void begin(struct test *t)
{
	const struct md_budget b = { .bytes = 13000, .loss = .5 };
	const struct stream_events events = { on_named, on_publish, t };
	struct md_encoder *e = md_encoder_create(W, H, 1);
	uint64_t rng = 1;
	struct image i = make_image(W, H, 1, 8, 0, &rng);

	memset(t, 0, sizeof(*t));
	t->loop = loop_create();
	/* so long ago that the timers of all that comes are due, see wait_for() */
	t->now = t->up = loop_now() - 150 * 1000 * MS;
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

static inline void end(struct test *t)
{
	stream_destroy(t->stream);
	budget_drop(t->budget);
	payloads_destroy(&t->image);
	loop_destroy(t->loop);
}

static inline void on_time(void *arg, uint64_t now)
{
	struct test *t = arg;

	(void)now;
	loop_stop(t->loop, 0);
}

/* As the receiver does twice a second */
static inline void send_report(struct test *t)
{
	uint8_t payload[PAYLOAD_MAX];
	unsigned int copies;

	stream_report(t->stream, t->now, payload, &copies);
}

/* Nothing comes for @ms, so that the frame that was cut is given out */
static inline void wait_for(struct test *t, unsigned int ms)
{
	struct loop_timer timer = { loop_now() + MS, on_time, t, NULL };

	loop_add_timer(t->loop, &timer);
	loop_run(t->loop);
	loop_remove_timer(t->loop, &timer);
	t->now += ms * MS;
	if (ms > 1000)
		t->up = t->now;
}

#endif
