// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_recv_topic - the topics of a stream: which there are, what is counted of
 * them, how good they are, and what happens to frames that cannot be shown
 */
#include "hex.h"
#include "log_lines.h"
#include "ros/msg/message.h"
#include "message_golden.h"
#include "tap.h"
#include "transport/encode.h"
#include "transport/segment.h"
#include "transport/stream.h"

#define MS	1000000ULL
#define SECOND	1000000000ULL

static const struct sockaddr_storage from = { .ss_family = AF_INET };
static struct recv_options options = RECV_DEFAULTS;

static struct loop *loop;
static struct budget *budget;
static struct stream *stream;
static struct payloads payloads;
static uint64_t now;
/* us that datagrams are on their way */
static unsigned int transit = 5000;
/* of their message, see segment_left(): those who say it get more in reports */
static int left = -1;

/* What was published last */
static struct {
	unsigned int	count;
	double		delay;
	uint64_t	stamp;
	bool		kept;
} shown;

static void on_named(void *arg)
{
	(void)arg;
}

static void on_publish(void *arg, const struct recv_message *m)
{
	(void)arg;
	shown.count++;
	shown.delay = m->delay;
	shown.stamp = m->stamp;
	shown.kept = m->kept;
}

static void begin(void)
{
	const struct stream_events events = { on_named, on_publish, NULL };

	loop = loop_create();
	budget = budget_create(64 << 20, NULL);
	stream = stream_create(loop, NULL, 1, &options, budget, &events);
	/* ahead of all that this machine does meanwhile */
	now = loop_now() + 2 * SECOND;
	shown.count = 0;
}

static void end(void)
{
	stream_destroy(stream);
	budget_drop(budget);
	loop_destroy(loop);
}

static void come(struct optsample_segment *s, const void *payload, size_t len)
{
	struct downlink_datagram g = {
		.segment = *s, .left = left, .payload = payload, .len = len,
		.came = now, .from = &from,
	};

	g.segment.sent = htole32(now / 1000 - transit);
	stream_add(stream, now, &g);
	now += MS;
}

static void announce(const struct control_topic *topics, unsigned int count,
		     uint32_t round_trip)
{
	const struct control_sender me = { round_trip, "robot" };
	struct optsample_segment s;

	segment_init(&s);
	control_announce(&me, topics, count, &payloads);
	for (unsigned int i = 0; i < payloads.count; i++)
		come(&s, payload_at(&payloads, i), payloads.len[i]);
}

static struct control_topic topic_of(unsigned int number,
				     enum message_kind kind)
{
	struct control_topic t = { .topic = number, .kind = kind,
				   .codec = CODEC_BLOB };

	snprintf(t.name, sizeof(t.name), "/topic%u", number);
	return t;
}

/* One topic, announced twice, or it is not believed */
static const struct recv_topic *one(enum message_kind kind)
{
	const struct control_topic t = topic_of(1, kind);

	announce(&t, 1, 0);
	announce(&t, 1, 0);
	return stream_topic(stream, 0);
}

/* Frame @number of topic @topic, without its first @lost datagrams */
static unsigned int frame(unsigned int topic, enum message_kind kind,
			  enum codec_id codec, uint32_t number,
			  unsigned int lost)
{
	static const struct encode_options encode = ENCODE_DEFAULTS;
	const struct encode_order order = { .codec = CODEC_BLOB,
					    .parity = 5 };
	struct encoder *e = encoder_create(kind, &encode);
	struct encode_result result;
	struct optsample_segment s;
	static uint8_t bytes[8192];
	size_t len = from_hex(golden[kind][MESSAGE_CDR], bytes);

	if (encoder_encode(e, MESSAGE_CDR, bytes, len, 5, &order, &payloads,
			   &result))
		abort();
	encoder_destroy(e);
	segment_init(&s);
	s.topic = htole32(topic);
	s.flags = codec << OPTSAMPLE_SEGMENT_CODEC;
	s.frame = htole32(number);
	s.stamp = htole64(1000 + number);
	s.count = htole16(payloads.count);
	for (unsigned int i = lost; i < payloads.count; i++) {
		s.index = htole16(i);
		come(&s, payload_at(&payloads, i), payloads.len[i]);
	}
	return payloads.count;
}

/* ---- which topics there are ---- */

static void test_topics(void)
{
	struct control_topic t[2] = { topic_of(1, MESSAGE_IMU),
				      topic_of(2, MESSAGE_KINDS) };

	begin();
	frame(1, MESSAGE_IMU, CODEC_BLOB, 0, 0);
	ok(stream_counts(stream)->unannounced > 0,
	   "data of a topic that was not announced is counted");
	announce(t, 2, 0);
	ok(!stream_topic(stream, 0), "one announcement may be noise");
	ok_str(stream_name(stream), "", "without a name");
	ok(!stream_announced(stream), "of a stream that is none");
	announce(t, 2, 8000);
	ok(stream_topic(stream, 0), "two are not");
	ok_str(stream_name(stream), "robot", "it has a name");
	ok_str(recv_topic_announcement(stream_topic(stream, 0))->name,
	       "/topic1", "the topic, too");
	ok(!stream_topic(stream, 1), "one of an unknown kind is left out");
	ok_near(stream_delay(stream), .004, .0005,
		"its way takes half of a round trip");
	ok(!stream_shown(stream), "nothing was shown");
	frame(1, MESSAGE_IMU, CODEC_BLOB, 1, 0);
	ok(stream_shown(stream), "then something is");
	strcpy(t[0].name, "/other");
	announce(t, 1, 0);
	ok_str(recv_topic_announcement(stream_topic(stream, 0))->name,
	       "/other", "it may get another name");
	ok(!stream_topic(stream, 1), "and is the same");
	ok_near(stream_delay(stream), 0, 0, "of a way that is not known");
	end();
}

/* As many as there is room for; those that are silent make room */
static void test_room(void)
{
	static struct control_topic t[STREAM_TOPICS];
	const struct control_topic more = topic_of(1000, MESSAGE_IMU);
	unsigned int there = 0;

	begin();
	for (unsigned int i = 0; i < STREAM_TOPICS; i++)
		t[i] = topic_of(i + 1, MESSAGE_IMU);
	announce(t, STREAM_TOPICS, 0);
	announce(t, STREAM_TOPICS, 0);
	ok(stream_topic(stream, STREAM_TOPICS - 1), "so many topics");
	announce(&more, 1, 0);
	ok(!stream_topic(stream, STREAM_TOPICS), "and no more");
	for (unsigned int k = 0; k < 2; k++) {
		for (unsigned int i = 0; i < STREAM_TOPICS; i++)
			if (i != 7 || !k)
				frame(i + 1, MESSAGE_IMU, CODEC_BLOB, k, 0);
		now += SECOND;
		stream_tick(stream, now);
		announce(&more, 1, 0);
		now += k ? 0 : 53 * SECOND;
	}
	for (unsigned int i = 0; i < STREAM_TOPICS; i++)
		there += recv_topic_announcement(stream_topic(stream, i))->topic
			 == more.topic;
	ok_eq(there, 0, "none has been silent for a minute");
	now += 10 * SECOND;
	stream_tick(stream, now);
	announce(&more, 1, 0);
	ok_eq(recv_topic_announcement(stream_topic(stream, STREAM_TOPICS - 1))
	      ->topic, more.topic, "the one that was makes room");
	for (unsigned int i = 0; i < STREAM_TOPICS; i++)
		there += recv_topic_announcement(stream_topic(stream, i))->topic
			 == 8;
	ok_eq(there, 0, "and is gone");
	ok(!stream_topic(stream, STREAM_TOPICS), "it is as many as before");
	end();
}

/* ---- statistics ---- */

static void test_stats(void)
{
	const struct recv_topic *t;
	const struct recv_stats *s;
	struct control_report_topic r;
	unsigned int each = 0;
	uint64_t bytes;

	begin();
	t = one(MESSAGE_IMU);
	s = recv_topic_stats(t);
	stream_tick(stream, now + SECOND);
	ok_near(s->rate, 0, 0, "nothing is known at first");
	ok_near(s->silent, 3, .2, "but that nothing came");
	for (unsigned int i = 0; i < 10; i++) {
		each = frame(1, MESSAGE_IMU, CODEC_BLOB, i, 0);
		now += 100 * MS - each * MS;
	}
	bytes = recv_topic_datagrams(t).bytes;
	ok(each > 2, "a frame of several datagrams");
	stream_tick(stream, now);
	ok_near(s->rate, 10 / 3., .1, "ten frames in three seconds");
	ok_near(s->bits, bytes * 8 / 3., bytes * .1, "of so many bits");
	ok_near(s->loss, 0, 0, "nothing is lost");
	ok_near(s->datagrams, each, 0, "all datagrams of each came");
	ok_near(s->share, 1, 0, "all is shown");
	ok_near(s->silent, .1, .05, "a moment ago");
	ok_near(s->delay, 0, .3, "at once");
	/* half of the datagrams are lost */
	for (unsigned int i = 10; i < 20; i++) {
		frame(1, MESSAGE_IMU, CODEC_BLOB, i, each / 2);
		now += 100 * MS - (each - each / 2) * MS;
	}
	now += SECOND;
	frame(1, MESSAGE_IMU, CODEC_BLOB, 20, 0);
	stream_tick(stream, now);
	ok_range(s->loss, .15, .35, "then some are lost: a mean");
	ok_range(s->rate, 4.1, 4.7, "of the last seconds");
	ok_range(s->datagrams, each * .6, each * .99, "fewer for each frame");
	recv_topic_report(t, &r);
	ok_eq(r.topic, 1, "the report has its number");
	ok_eq(r.newest, 20, "its newest frame");
	ok_eq(r.frames, 21, "how many there were");
	ok_eq(r.expected, 21 * each, "of so many datagrams");
	ok_eq(r.datagrams, 21 * each - 10 * (each / 2), "that came");
	ok_eq(r.bytes, recv_topic_datagrams(t).bytes, "and their bytes");
	ok_eq(recv_topic_counts(t)->decoded, shown.count, "all are shown");
	ok_eq(recv_topic_counts(t)->exact, 11, "some of them complete");
	ok_eq(shown.stamp, 1020, "the last one is");
	ok(!shown.kept, "a live one");
	ok_near(shown.delay, 0, .3, "just now");
	ok_eq(recv_topic_datagrams(t).late, 0, "none is late");
	for (unsigned int i = 21; i < 700; i++)
		frame(1, MESSAGE_IMU, CODEC_BLOB, i, 0);
	frame(1, MESSAGE_IMU, CODEC_BLOB, 30, 0);
	ok_eq(recv_topic_datagrams(t).late, each, "a frame of long ago is");
	frame(1, MESSAGE_IMU, CODEC_BLOB, 698, 0);
	ok_eq(recv_topic_datagrams(t).late, 2 * each, "and a recent one");
	end();
}

/* ---- what cannot be shown ---- */

static void test_failed(void)
{
	const struct recv_topic *t;
	const struct recv_counts *c;
	struct control_topic other = topic_of(1, MESSAGE_CAMERA_INFO);

	begin();
	t = one(MESSAGE_IMU);
	c = recv_topic_counts(t);
	log_lines_begin(LOG_INFO);
	for (unsigned int i = 0; i < 3; i++)
		frame(1, MESSAGE_IMU, 31, i, 0);
	log_lines_end();
	ok_eq(c->failed, 3, "frames of an unknown codec");
	ok_eq(log_lines_with("unknown codec 31: update"), 1,
	      "are logged once");
	ok_eq(c->decoded, 0, "and not shown");
	frame(1, MESSAGE_IMU, CODEC_BLOB, 3, 0);
	ok_eq(c->decoded, 1, "a known one is");
	frame(1, MESSAGE_IMU, CODEC_TILES, 4, 0);
	ok_eq(c->failed, 4, "nor is one of another kind shown");
	/* the sender says it is another kind */
	announce(&other, 1, 0);
	frame(1, MESSAGE_CAMERA_INFO, CODEC_BLOB, 5, 0);
	ok_eq(c->decoded, 2, "another kind of message is, once announced");
	frame(1, MESSAGE_CAMERA_INFO, CODEC_BLOB, 6, 0);
	ok_eq(c->repeated, 1, "a state that is known is counted as such");
	ok_eq(shown.count, 2, "and not shown");
	stream_show_again(stream);
	frame(1, MESSAGE_CAMERA_INFO, CODEC_BLOB, 7, 0);
	ok_eq(shown.count, 3, "unless it is wanted");
	frame(1, MESSAGE_CAMERA_INFO, CODEC_BLOB, 8, 0);
	ok_eq(shown.count, 3, "once");
	end();
}

/* A receiver that has no memory for what comes */
static void test_memory(void)
{
	const struct recv_topic *t;
	const struct recv_counts *c;

	options.limits.bytes = 50;
	begin();
	t = one(MESSAGE_CAMERA_INFO);
	frame(1, MESSAGE_CAMERA_INFO, CODEC_BLOB, 0, 0);
	ok_eq(recv_topic_counts(t)->failed, 1, "a message that is too large");
	end();
	options.limits = (struct decode_limits)DECODE_LIMITS;
	begin();
	/* less than a tree of transforms takes */
	budget->memory = 512 << 10;
	t = one(MESSAGE_TRANSFORMS);
	c = recv_topic_counts(t);
	log_lines_begin(LOG_INFO);
	for (unsigned int i = 0; i < 3; i++)
		frame(1, MESSAGE_TRANSFORMS, CODEC_BLOB, i, 0);
	log_lines_end();
	ok_eq(c->failed, 3, "messages that take too much memory");
	ok_eq(log_lines_with("/topic1: frame exceeds the limits"), 1,
	      "are logged once");
	end();
	begin();
	t = one(MESSAGE_IMU);
	c = recv_topic_counts(t);
	frame(1, MESSAGE_IMU, CODEC_BLOB, 0, 0);
	ok_eq(c->decoded, 1, "with memory a frame is shown");
	budget->memory = budget->reserved;
	frame(1, MESSAGE_IMU, CODEC_BLOB, 1, 0);
	ok_eq(c->decoded, 1, "without it it is not");
	ok(c->failed + recv_topic_datagrams(t).bad > 0, "which is counted");
	budget->memory = 64 << 20;
	frame(1, MESSAGE_IMU, CODEC_BLOB, 2, 0);
	now += SECOND;
	frame(1, MESSAGE_IMU, CODEC_BLOB, 3, 0);
	ok(c->decoded > 1, "with it again it is");
	end();
}

/* Datagrams of a frame that queue, one behind the other */
static void test_growth(void)
{
	uint8_t payload[PAYLOAD_MAX] = { 0 };
	struct control_report r = { 0 };
	struct optsample_segment s;
	unsigned int copies;

	begin();
	one(MESSAGE_IMU);
	left = 0;
	segment_init(&s);
	s.topic = htole32(1);
	s.count = htole16(4);
	for (unsigned int n = 0; n < 4; n++)
		for (unsigned int i = 0; i < 4; i++) {
			s.frame = htole32(n);
			s.index = htole16(i);
			transit = 5000 + 100 * i * (n + 1);
			come(&s, payload, 100);
		}
	transit = 5000;
	left = -1;
	control_reported(payload, stream_report(stream, now, payload, &copies),
			 &r);
	ok_eq(r.paced, 2, "the one that grew most is left out");
	ok_eq(r.growth, 450, "the others grew so much, us");
	end();
}

int main(void)
{
	payloads_create(&payloads, 64);
	test_topics();
	test_room();
	test_stats();
	test_failed();
	test_memory();
	test_growth();
	payloads_destroy(&payloads);
	return tap_done();
}
