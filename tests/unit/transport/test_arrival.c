// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_arrival - what a receiver knows of a stream: who sends it, what it
 * reports, and what counts as kept
 */
#include "robot_stream.h"
#include "tap.h"
#include "transport/encode.h"

static unsigned int named;
/* us, what datagrams say of the rest of their message; -1: nothing */
static int64_t left = -1;

static void count_names(void *arg)
{
	(void)arg;
	named++;
}

/* A datagram of topic @topic that was sent at @sent us and arrives at t->now */
static void come_at(struct test *t, uint32_t topic, uint32_t frame,
		    uint16_t epoch, uint32_t sent, const void *payload,
		    size_t len)
{
	struct downlink_datagram g = {
		.left = left, .payload = payload, .len = len, .came = t->now,
		.from = &robot,
	};

	segment_init(&g.segment);
	g.segment.topic = htole32(topic | (uint32_t)epoch << 16);
	g.segment.flags = CODEC_MD << OPTSAMPLE_SEGMENT_CODEC;
	g.segment.frame = htole32(frame);
	g.segment.sent = htole32(sent);
	g.segment.position = htole64(77);
	stream_add(t->stream, t->now, &g);
}

static void announce_as(struct test *t, const char *name, uint32_t sent)
{
	struct control_sender sender = { 40000, "" };
	const struct control_topic topic = { .topic = 1, .kind = MESSAGE_TWIST,
					     .name = "/cmd_vel" };
	struct payloads p;

	snprintf(sender.name, sizeof(sender.name), "%s", name);
	payloads_create(&p, 1);
	control_announce(&sender, &topic, 1, &p);
	come_at(t, SEGMENT_CONTROL, 0, 0, sent, payload_at(&p, 0), p.len[0]);
	payloads_destroy(&p);
}

static void open_stream(struct test *t)
{
	const struct stream_events events = { count_names, on_publish, t };

	memset(t, 0, sizeof(*t));
	named = 0;
	t->loop = loop_create();
	t->now = loop_now();
	t->budget = budget_create(64 << 20, NULL);
	t->stream = stream_create(t->loop, NULL, 4711, &options, t->budget,
				  &events);
}

static void close_stream(struct test *t)
{
	stream_destroy(t->stream);
	budget_drop(t->budget);
	loop_destroy(t->loop);
}

static struct control_report report(struct test *t, unsigned int *copies)
{
	struct control_report r;
	uint8_t payload[PAYLOAD_MAX];
	size_t len = stream_report(t->stream, t->now, payload, copies);

	if (control_reported(payload, len, &r))
		abort();
	return r;
}

/* One announcement may be damaged, and of another stream */
static void test_announced(void)
{
	struct test t;
	uint64_t first;

	open_stream(&t);
	ok_eq(stream_id(t.stream), 4711, "its number");
	come_at(&t, 1, 0, 0, 10, "x", 1);
	ok_eq(stream_counts(t.stream)->unannounced, 1,
	      "a datagram of an unknown topic");
	announce_as(&t, "rover", 20);
	ok(!stream_announced(t.stream), "one announcement is none");
	ok_str(stream_name(t.stream), "", "nor has it a name");
	ok(!stream_topic(t.stream, 0), "nor topics");
	first = t.now;
	t.now += 100 * MS;
	announce_as(&t, "rover", 100020);
	ok(stream_announced(t.stream), "two are");
	ok_str(stream_name(t.stream), "rover", "with a name");
	ok_eq(named, 1, "that is reported");
	ok_eq(stream_boot(t.stream), 77, "the boot of its machine");
	ok_eq(stream_alive(t.stream), t.now, "when it was heard");
	ok(stream_address(t.stream)->ss_family == AF_INET, "and from where");
	ok_eq(stream_contact(t.stream)->since, first, "since when");
	ok_str(recv_topic_announcement(stream_topic(t.stream, 0))->name,
	       "/cmd_vel", "and a topic");
	ok(!stream_topic(t.stream, 1), "not more");
	announce_as(&t, "rover", 100030);
	ok_eq(named, 1, "the same name again is no news");
	announce_as(&t, "other", 100040);
	ok_eq(named, 2, "another one is");
	ok_eq(stream_counts(t.stream)->datagrams, 5, "five datagrams");
	announce_as(&t, "other", 100040);
	ok_eq(stream_counts(t.stream)->datagrams, 5, "a copy is none");
	ok_eq(stream_counts(t.stream)->copies, 1, "but counted");
	ok(!stream_shown(t.stream), "nothing was shown");
	close_stream(&t);
}

/* Half of the round trip, and what a queue adds to the fastest datagram */
static void test_delay(void)
{
	struct test t;

	open_stream(&t);
	announce_as(&t, "rover", t.now / 1000 - 5000);
	ok_near(stream_delay(t.stream), 0, 0, "no round trip is known");
	t.now += 100 * MS;
	announce_as(&t, "rover", t.now / 1000 - 5001);
	ok_near(stream_delay(t.stream), .02, 2e-6, "half of 40 ms");
	t.now += 100 * MS;
	announce_as(&t, "rover", t.now / 1000 - 35000);
	ok_near(stream_delay(t.stream), .05, 2e-6, "and a queue of 30 ms");
	close_stream(&t);
}

/* What the sender learns from a report */
static void test_report(void)
{
	struct control_report r;
	unsigned int copies;
	struct test t;
	uint32_t sent;
	uint8_t again[PAYLOAD_MAX];

	open_stream(&t);
	t.now = 5000 * 1000 * MS;
	for (unsigned int i = 0; i < 4; i++) {
		/* 7 ms on the way, but 9, 6 and 8 ms for the last */
		static const unsigned int way[] = { 7000, 9000, 6000, 8000 };

		t.now += 10 * MS;
		sent = t.now / 1000 - way[i];
		announce_as(&t, "rover", sent);
	}
	t.now += 3 * MS;
	r = report(&t, &copies);
	ok_eq(r.number, 1, "the first report");
	ok_eq(r.echo, sent, "names the newest datagram");
	ok_eq(r.held, 3000, "and how long ago it came, us");
	ok_eq(r.transit, 7000, "the second smallest transit");
	ok_eq(r.datagrams, 4, "four datagrams");
	ok_eq(r.bytes, stream_counts(t.stream)->bytes, "and their bytes");
	ok_eq(r.kept, 0, "none was kept");
	ok_eq(r.topics, 1, "of a topic");
	ok_eq(r.topic[0].topic, 1, "with its number");
	ok_eq(copies, 1, "one copy, as nothing is lost");
	t.now += 10 * MS;
	if (control_reported(again, stream_report_again(t.stream, t.now, again),
			     &r))
		abort();
	ok_eq(r.number, 1, "the same again");
	ok_eq(r.held, 13000, "with the time since then");
	ok_eq(r.topics, 0, "and no topics");
	/* datagrams of an older epoch were kept; two make a new one */
	announce_as(&t, "rover", sent += 10);
	come_at(&t, 1, 0, 3, sent += 10, "x", 1);
	r = report(&t, &copies);
	ok_eq(r.number, 2, "the second report");
	ok_eq(r.epoch, 0, "one datagram makes no epoch");
	come_at(&t, 1, 1, 3, sent += 10, "x", 1);
	r = report(&t, &copies);
	ok_eq(r.epoch, 3, "two do");
	come_at(&t, 1, 0, 2, sent += 10, "xyz", 3);
	r = report(&t, &copies);
	ok_eq(r.epoch, 3, "an older one stays away");
	ok_eq(r.kept, sizeof(struct optsample_segment) + 3, "and is kept");
	ok_eq(r.version, 1, "an old sender gets old reports");
	left = 0;
	come_at(&t, 1, 0, 3, sent += 10, "x", 1);
	left = -1;
	r = report(&t, &copies);
	ok_eq(r.version, 2, "another one new ones");
	close_stream(&t);
}

/* Half of what is sent is lost: reports are sent several times */
static void test_copies(void)
{
	struct control_report r;
	unsigned int copies;
	struct test t;

	begin(&t);
	for (unsigned int i = 0; i < 20; i++)
		come(&t, i, 0, (t.image.count + 1) / 2, 0, 0);
	wait_for(&t, 600);
	come(&t, 20, 0, t.image.count, 0, 0);
	r = report(&t, &copies);
	ok_eq(r.topic[0].frames, 21, "21 frames");
	ok_eq(r.topic[0].newest, 20, "up to the newest");
	ok_eq(r.topic[0].expected, 21 * t.image.count, "of so many datagrams");
	ok_eq(r.topic[0].datagrams, 20 * ((t.image.count + 1) / 2) +
	      t.image.count, "of which so many came");
	ok_eq(recv_topic_datagrams(stream_topic(t.stream, 0)).runs, 20,
	      "each was cut once");
	ok_range(copies, 3, 8, "half of the reports may be lost, too");
	ok(stream_shown(t.stream), "something was shown");
	ok_eq(t.live[5], 1, "a frame is live");
	ok_eq(t.kept[5], 0, "and not kept");
	stream_tick(t.stream, t.now);
	ok_near(recv_topic_stats(stream_topic(t.stream, 0))->loss,
		1 - (double)r.topic[0].datagrams / r.topic[0].expected, 1e-9,
		"the loss is known");
	end(&t);
}

/* A damaged sending time says nothing of the path */
static void test_doubtful(void)
{
	struct control_report r;
	unsigned int copies;
	struct test t;

	open_stream(&t);
	for (unsigned int i = 0; i < 5; i++) {
		t.now += 10 * MS;
		announce_as(&t, "rover", t.now / 1000 - 7000 + i);
	}
	report(&t, &copies);
	t.now += 10 * MS;
	announce_as(&t, "rover", t.now / 1000 + 900000);
	t.now += 10 * MS;
	announce_as(&t, "rover", t.now / 1000 - 7001);
	t.now += 10 * MS;
	announce_as(&t, "rover", t.now / 1000 - 7002);
	r = report(&t, &copies);
	ok_near(r.transit, 7001, 1, "one that came before it was sent");
	/* but a faster path is learnt from two */
	for (unsigned int i = 0; i < 3; i++) {
		t.now += 10 * MS;
		announce_as(&t, "rover", t.now / 1000 + 200000 + i);
	}
	r = report(&t, &copies);
	ok_near((int32_t)r.transit, -200001, 1, "two that agree are a new path");
	close_stream(&t);
}

/* A stream that has used its time gets no more frames decoded */
static void test_time(void)
{
	const struct recv_counts *c;
	struct budget *b;
	struct test t;

	begin(&t);
	c = recv_topic_counts(stream_topic(t.stream, 0));
	b = stream_budget(t.stream);
	b->time = 1;
	b->spent = 2;
	come(&t, 0, 0, t.image.count, 0, 0);
	ok_eq(c->failed, 1, "a frame without time is dropped");
	ok_eq(c->decoded, 0, "and not shown");
	ok_eq(b->skipped, 1, "which is counted");
	b->time = 0;
	come(&t, 1, 0, t.image.count, 0, 0);
	ok_eq(c->decoded, 1, "with time it is");
	ok_eq(c->exact, 1, "as a whole");
	come(&t, 2, 0, t.image.count - 1, 0, 0);
	wait_for(&t, 600);
	come(&t, 3, 0, t.image.count, 0, 0);
	ok_eq(c->decoded, 3, "a part of one, too");
	ok_eq(c->exact, 2, "but not as a whole");
	ok_eq(c->kept, 0, "none was kept");
	ok_eq(c->failed, 1, "nothing else fails");
	end(&t);
}

static unsigned int published;

static void count_messages(void *arg, const struct recv_message *m)
{
	(void)arg;
	(void)m;
	published++;
}

/* The same joints as a frame of one datagram */
static void come_joints(struct test *t, uint32_t number, const uint8_t *payload,
			size_t len)
{
	struct optsample_segment s;

	segment_init(&s);
	s.topic = htole32(1);
	s.flags = CODEC_BLOB << OPTSAMPLE_SEGMENT_CODEC;
	s.frame = htole32(number);
	s.count = htole16(1);
	come_one(t, &s, payload, len, 0);
}

static void announce_joints(struct test *t, struct payloads *p)
{
	const struct control_sender sender = { 0, "robot" };
	const struct control_topic topic = {
		.topic = 1, .kind = MESSAGE_JOINT_STATE, .codec = CODEC_BLOB,
		.name = "/joints",
	};
	struct optsample_segment s;

	segment_init(&s);
	s.count = htole16(1);
	control_announce(&sender, &topic, 1, p);
	for (unsigned int i = 0; i < 2; i++)
		come_one(t, &s, payload_at(p, 0), p->len[0], 0);
}

static void encode_joints(struct payloads *p)
{
	static const struct encode_options defaults = ENCODE_DEFAULTS;
	const struct encode_order order = { .codec = CODEC_BLOB, .bytes = 4000,
					    .copies = 1 };
	struct encoder *e = encoder_create(MESSAGE_JOINT_STATE, &defaults);
	const union message joints = { 0 };
	struct encode_result result;
	uint8_t cdr[512];
	long len = message_write(MESSAGE_JOINT_STATE, MESSAGE_CDR, &joints, cdr,
				 sizeof(cdr));

	if (len < 0 || encoder_encode(e, MESSAGE_CDR, cdr, len, 0, &order, p,
				      &result))
		abort();
	encoder_destroy(e);
}

/* A state that does not change is shown once, and once more when asked for */
static void test_state_again(void)
{
	const struct stream_events events = { on_named, count_messages, NULL };
	struct payloads p;
	struct test t = { .loop = loop_create(), .now = loop_now() };

	published = 0;
	t.budget = budget_create(64 << 20, NULL);
	t.stream = stream_create(t.loop, NULL, 1, &options, t.budget, &events);
	payloads_create(&p, 4);
	announce_joints(&t, &p);
	encode_joints(&p);
	for (uint32_t i = 0; i < 3; i++)
		come_joints(&t, i, payload_at(&p, 0), p.len[0]);
	ok_eq(published, 1, "a state that does not change is shown once");
	ok_eq(recv_topic_counts(stream_topic(t.stream, 0))->repeated, 2,
	      "... the others are repeats");
	stream_show_again(t.stream);
	come_joints(&t, 3, payload_at(&p, 0), p.len[0]);
	ok_eq(published, 2, "again when it is asked for");
	come_joints(&t, 4, payload_at(&p, 0), p.len[0]);
	ok_eq(published, 2, "... but only once");
	payloads_destroy(&p);
	close_stream(&t);
}

int main(void)
{
	test_state_again();
	test_time();
	test_announced();
	test_delay();
	test_report();
	test_copies();
	test_doubtful();
	return tap_done();
}
