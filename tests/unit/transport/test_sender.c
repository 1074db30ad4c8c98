// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_sender - a sender as its receiver sees it: what it announces and when,
 * which topics it sends, and what it does when no receiver answers
 *
 * The receiver is a socket, and a stream that reports.
 */
#define FAST_CLOCK_STEP	100000000LL

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/error.h"
#include "fast_clock.h"
#include "folder.h"
#include "free_address.h"
#include "images.h"
#include "log_lines.h"
#include "tap.h"
#include "transport/seal.h"
#include "transport/segment.h"
#include "transport/sender.h"
#include "transport/stream.h"
#include "waits.h"

#define MS	1000000ULL

/**
 * struct far_end - the receiver
 * @reports:	it reports, twice a second
 * @key:	of its reports; NULL: none
 * @run:	of the receiver, in its reports
 * @repeats:	it sends the last datagram again
 * @deaf:	nothing arrives
 * @announcements, @data: datagrams that came since clear()
 * @still:	of @data, those while the robot stood
 * @me, @topic, @topics: of the last announcement
 * @header:	of the last announcement
 */
struct far_end {
	struct loop_fd		watch;
	struct sockaddr_in	from;
	struct stream		*stream;
	uint64_t		reported;
	bool			reports, repeats, deaf;
	const struct seal	*key;
	uint64_t		run, serial;
	uint8_t			last[OPTSAMPLE_SEGMENT_MAX];
	size_t			len;
	unsigned int		announcements, data, still;
	struct control_sender	me;
	struct control_topic	topic[SENDER_TOPICS];
	int			topics;
	struct optsample_segment header;
};

static struct loop *loop;
static struct sender *sender;
static struct far_end far;
static struct address there;
static struct budget *budget;
static const struct recv_options options = RECV_DEFAULTS;

static void on_named(void *arg)
{
	(void)arg;
}

static void on_publish(void *arg, const struct recv_message *m)
{
	(void)arg;
	(void)m;
}

static void far_take(const uint8_t *bytes, size_t n)
{
	const struct stream_events events = { on_named, on_publish, NULL };
	static struct sockaddr_storage from;
	struct downlink_datagram g = { .came = loop_now(), .from = &from };
	uint64_t id;

	if (segment_read(&g.segment, bytes, n))
		abort();
	id = g.segment.stream;
	if (!far.stream || stream_id(far.stream) != id) {
		stream_destroy(far.stream);
		far.stream = stream_create(loop, NULL, id, &options, budget,
					   &events);
	}
	g.left = segment_left(&g.segment, bytes);
	g.payload = bytes + g.segment.header;
	g.len = n - g.segment.header;
	stream_add(far.stream, loop_now(), &g);
	if (segment_topic(&g.segment) != SEGMENT_CONTROL) {
		far.data++;
		far.still += !!(g.segment.flags & OPTSAMPLE_SEGMENT_STILL);
		return;
	}
	far.announcements++;
	far.header = g.segment;
	far.topics = control_announced(g.payload, g.len, &far.me, far.topic,
				       SENDER_TOPICS);
}

static void on_datagram(void *arg, uint32_t events)
{
	uint8_t bytes[OPTSAMPLE_SEGMENT_MAX];
	socklen_t len = sizeof(far.from);
	ssize_t n;

	(void)arg;
	(void)events;
	while ((n = recvfrom(far.watch.fd, bytes, sizeof(bytes), MSG_DONTWAIT,
			     (void *)&far.from, &len)) > 0)
		if (!far.deaf)
			far_take(bytes, n);
}

static void far_send(const void *bytes, size_t n)
{
	if (sendto(far.watch.fd, bytes, n, 0, (void *)&far.from,
		   sizeof(far.from)) < 0)
		abort();
}

/* To the sender, of the stream @id, on a topic */
static void far_answer_on(uint64_t id, uint32_t topic, const void *payload,
			  size_t len)
{
	struct optsample_segment s;

	segment_init(&s);
	s.stream = id;
	s.topic = htole32(topic);
	s.stamp = htole64(far.run);
	if (far.key)
		s.header = sizeof(struct optsample_segment_sealed);
	memset(far.last, 0, sizeof(far.last));
	memcpy(far.last, &s, sizeof(s));
	memcpy(far.last + s.header, payload, len);
	far.len = s.header + len;
	if (far.key)
		seal_put(far.key, SEAL_DOWN, far.last, far.len, ++far.serial);
	far_send(far.last, far.len);
	if (far.repeats)
		far_send(far.last, far.len);
}

static void far_answer(uint64_t id, const void *payload, size_t len)
{
	far_answer_on(id, 0, payload, len);
}

static void far_report(uint64_t now)
{
	uint8_t payload[PAYLOAD_MAX];
	unsigned int copies;

	if (!far.reports || !far.stream || now - far.reported < 500 * MS)
		return;
	far.reported = now;
	far_answer(stream_id(far.stream), payload,
		   stream_report(far.stream, now, payload, &copies));
}

static void far_open(void)
{
	const int fd = socket(AF_INET, SOCK_DGRAM, 0);

	far = (struct far_end){ .watch.ready = on_datagram, .run = 77 };
	if (fd < 0 || bind(fd, (void *)&there.storage, there.len) ||
	    loop_watch(loop, &far.watch, fd, EPOLLIN))
		abort();
}

static void far_close(void)
{
	loop_unwatch(loop, &far.watch);
	close(far.watch.fd);
	stream_destroy(far.stream);
	far.stream = NULL;
}

static void clear(void)
{
	far.announcements = far.data = far.still = 0;
}

#define ROBOT { .name = "robot", .cpu = 1, .threads = 1, .commands = true }

static void begin(const struct sender_options *o)
{
	struct error error;

	loop = loop_create();
	budget = budget_create(64 << 20, NULL);
	there = free_address();
	far_open();
	if (sender_open(&sender, loop, &there, o, &error))
		abort();
	waits_begin(loop, 100, far_report);
}

static void end(void)
{
	sender_close(sender);
	far_close();
	budget_drop(budget);
	loop_destroy(loop);
}

static void say_as(const char *topic, enum message_kind kind,
		   const union message *msg)
{
	uint8_t data[2048];
	struct source_message m = {
		.topic = topic, .kind = kind, .format = MESSAGE_CDR,
		.data = data, .stamp = loop_now(),
	};

	m.len = message_write(kind, MESSAGE_CDR, msg, data, sizeof(data));
	sender_message(sender, &m);
}

static void say(const char *topic)
{
	const union message msg = {
		.twist_stamped.header.stamp = loop_now(),
	};

	say_as(topic, MESSAGE_TWIST_STAMPED, &msg);
}

/* ---- announcements ---- */

static bool met(void)
{
	return sender_link(sender)->state == ESTIMATE_LIVE &&
	       far.me.round_trip;
}

static bool y_announced(void)
{
	return far.topics == 2;
}

/* The first 16 digits of the number of this boot */
static uint64_t boot(void)
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
	char digits[17] = "";
	unsigned int n = 0;
	int c;

	while (f && n < 16 && (c = getc(f)) != EOF)
		if (c != '-')
			digits[n++] = c;
	if (f)
		fclose(f);
	return strtoull(digits, NULL, 16);
}

static void test_announces(void)
{
	const struct sender_options o = ROBOT;

	begin(&o);
	pass(850);
	ok_eq(far.announcements, 6, "it announces itself six times at first");
	ok_eq(far.topics, 0, "without topics");
	ok_str(far.me.name, "robot", "its name");
	ok_eq(far.me.round_trip, 0, "no round trip yet");
	ok_eq(le64toh(far.header.position), boot(), "its machine");
	ok_eq(segment_epoch(&far.header), 0, "no outage");
	ok_eq(sender_link(sender)->state, ESTIMATE_START, "no receiver answers");
	clear();
	pass(4000);
	ok_range(far.announcements, 7, 9, "then twice a second");
	far.reports = true;
	ok(wait_for(met), "until a receiver reports: it knows the round trip");
	pass(1000);
	clear();
	say("/x");
	pass(850);
	ok_eq(far.announcements, 6, "a new topic is announced as often");
	ok_eq(far.topics, 1, "alone");
	ok_eq(far.topic[0].topic, 1, "its number");
	ok_str(far.topic[0].name, "/x", "its name");
	ok_eq(far.topic[0].kind, MESSAGE_TWIST_STAMPED, "its kind");
	say("/y");
	ok(wait_for(y_announced), "and another one");
	ok_eq(far.topic[1].topic, 2, "with the next number");
	ok(sender_topic(sender, 1) == sender_find(sender, "/y"),
	   "it is the second");
	ok(!sender_topic(sender, 2), "and the last");
	ok_eq(sender_error(sender), 0, "no error");
	ok(!sender_is_slow(sender), "nor is it slow");
	ok_near(sender_options(sender)->cpu, 1, 0, "as its options say");
	ok(sender_load(sender)->rate > 0, "so the processor has no limit");
	/* the announcements at once are over */
	pass(1500);
	clear();
	stream_destroy(far.stream);
	far.stream = NULL;
	pass(3000);
	ok_range(far.announcements, 8, 14, "a receiver that begins again");
	end();
}

/* ---- which topics ---- */

static bool one_announced(void)
{
	return far.topics == 1;
}

static void test_wants(void)
{
	struct sender_options o = ROBOT;
	struct send_options more = SEND_OPTIONS;
	const union message imu = { .imu.header.stamp = 1 };

	o.topics = 3;
	for (unsigned int i = 0; i < o.topics; i++)
		o.topic[i] = more;
	strcpy(o.topic[0].name, "/cam*/raw");
	o.topic[0].on = false;
	strcpy(o.topic[1].name, "/cam*");
	o.topic[1].priority = 6;
	strcpy(o.topic[2].name, "/cam1/raw");
	begin(&o);
	ok(!sender_wants(sender, "/x"), "a topic that no pattern has");
	ok_eq(sender_wants(sender, "/camera")->priority, 6, "one that has one");
	ok(!sender_wants(sender, "/cam1/raw")->on, "the first one counts");
	say("/x");
	say("/cam1/raw");
	ok(!sender_topic(sender, 0), "neither is sent");
	say("/camera");
	ok(wait_for(one_announced), "a third is");
	ok_str(far.topic[0].name, "/camera", "announced");
	ok_eq(send_topic_options(sender_find(sender, "/camera"))->priority, 6,
	      "with its options");
	say_as("/camera", MESSAGE_IMU, &imu);
	ok_eq(send_topic_counts(sender_find(sender, "/camera"))->messages, 1,
	      "a message of another kind is ignored");
	/* what comes later precedes */
	strcpy(more.name, "/x");
	ok_eq(sender_add(sender, &more), 0, "another pattern");
	ok(sender_wants(sender, "/x"), "is wanted");
	ok_eq(sender_options(sender)->topics, 4, "it is one more");
	more.priority = 1;
	ok_eq(sender_add(sender, &more), 0, "the same with other options");
	ok_eq(sender_options(sender)->topics, 4, "is none");
	ok_eq(sender_wants(sender, "/x")->priority, 1, "these count");
	ok_str(sender_options(sender)->topic[1].name, "/cam*/raw",
	       "the others are behind");
	ok_str(sender_options(sender)->topic[3].name, "/cam1/raw", "as before");
	/* the announcements at once are over */
	pass(1500);
	ok_eq(sender_remove(sender, "/camera"), 0, "a topic is removed");
	pass(150);
	ok_eq(far.topics, 0, "which is announced at once");
	ok(!sender_topic(sender, 0), "it is gone");
	say("/camera");
	ok(!sender_topic(sender, 0), "and stays so");
	end();
}

static bool full_announced(void)
{
	return far.topics > 0 && far.announcements > 20;
}

static void test_many(void)
{
	const struct sender_options o = ROBOT;
	char name[32];

	begin(&o);
	log_lines_begin(LOG_ERR);
	for (unsigned int i = 0; i < SENDER_TOPICS + 2; i++) {
		snprintf(name, sizeof(name), "/topic%u", i);
		say(name);
	}
	log_lines_end();
	ok(sender_topic(sender, SENDER_TOPICS - 1), "so many topics are sent");
	ok(!sender_topic(sender, SENDER_TOPICS), "and no more");
	ok_eq(log_lines_with("at most 48 topics"), 1, "which is said once");
	ok(wait_for(full_announced), "they are announced");
	ok_eq(sender_remove(sender, "/topic3"), 0, "one is removed");
	ok(!sender_find(sender, "/topic3"), "this one");
	ok(sender_find(sender, "/topic4"), "not its neighbour");
	say("/topic48");
	ok(sender_find(sender, "/topic48"), "then there is room for one");
	log_lines_begin(LOG_ERR);
	say("/topic49");
	log_lines_end();
	ok(!sender_find(sender, "/topic49"), "not for two");
	ok_eq(log_lines_with("at most 48 topics"), 1, "which is said again");
	end();
}

/* ---- does the robot stand? ---- */

static bool data_came(void)
{
	if (far.data)
		return true;
	say("/x");
	return false;
}

static bool idle(void)
{
	return !sender_busy(sender);
}

/* Is what comes then sent as of a robot that stands? */
static bool is_sent_still(void)
{
	wait_for(idle);
	pass(300);
	clear();
	wait_for(data_came);
	return far.still == far.data && far.data;
}

static void move(enum message_kind kind, unsigned int axis, double speed)
{
	union message m = { 0 };
	struct message_twist *t = kind == MESSAGE_ODOMETRY ? &m.odometry.twist :
				  kind == MESSAGE_TWIST ? &m.twist :
				  &m.twist_stamped.twist;

	*(axis < 3 ? &t->linear[axis] : &t->angular[axis - 3]) = speed;
	say_as("/velocity", kind, &m);
}

static void test_still(enum message_kind kind)
{
	struct sender_options o = ROBOT;
	const char *name = message_type(kind, MESSAGE_CDR);

	strcpy(o.still, "/velocity");
	begin(&o);
	far.reports = true;
	ok(!is_sent_still(), "%s: not until it is known", name);
	move(kind, 0, .009);
	ok(is_sent_still(), "%s: it stands", name);
	for (unsigned int axis = 0; axis < 6; axis++) {
		move(kind, axis, axis % 2 ? .02 : -.02);
		ok(!is_sent_still(), "%s: it moves along %u", name, axis);
		move(kind, axis, 0);
	}
	ok(is_sent_still(), "%s: until it stands again", name);
	say_as("/x", MESSAGE_TWIST_STAMPED, &(union message){
		.twist_stamped.twist.linear = { 5 },
	});
	ok(is_sent_still(), "%s: another topic says nothing of it", name);
	end();
}

/* ---- the end of a source ---- */

static void say_static(double x)
{
	const struct message_transform tf = {
		.header = { .stamp = 1, .frame_id = message_string("base") },
		.child_frame_id = message_string("laser"),
		.translation = { x, 0, 0 }, .rotation = { 0, 0, 0, 1 },
	};
	const union message m = { .tf.transforms = message_list(&tf, 1) };

	say_as("/tf", MESSAGE_TRANSFORMS, &m);
}

static void test_end(void)
{
	const struct sender_options o = ROBOT;
	struct send_options slow = SEND_OPTIONS;
	const struct send_counts *c;
	uint64_t frames;

	begin(&o);
	far.reports = true;
	ok(!sender_busy(sender), "without topics it is not busy");
	say("/x");
	ok(sender_busy(sender), "a message is being encoded");
	ok(wait_for(idle), "but not for long");
	strcpy(slow.name, "/tf");
	slow.rate = .01;
	slow.refresh = 1000;
	sender_add(sender, &slow);
	for (unsigned int i = 0; i < 40; i++) {
		say_static(i);
		pass(20);
	}
	ok(sender_busy(sender), "a state waits for its turn");
	c = send_topic_counts(sender_find(sender, "/tf"));
	frames = c->frames;
	sender_end(sender);
	ok(wait_for(idle), "unless the source ends");
	ok_eq(c->frames - frames, 1, "then it is sent");
	sender_end(sender);
	pass(100);
	ok_eq(c->frames - frames, 1, "once");
	end();
}

/* ---- limits ---- */

static bool fast(void)
{
	say("/x");
	return sender_link(sender)->rate > 5000;
}

static void test_limit(void)
{
	struct sender_options o = ROBOT;

	o.rate = 1000;
	begin(&o);
	far.reports = true;
	for (unsigned int i = 0; i < 100; i++) {
		say("/x");
		pass(20);
	}
	ok_range(sender_link(sender)->rate, 100, 1000, "the rate has a limit");
	log_lines_begin(LOG_DEBUG);
	sender_limit(sender, 0, .5);
	ok_near(sender_options(sender)->rate, 0, 0, "that is lifted");
	ok_near(sender_options(sender)->cpu, .5, 0, "another one is set");
	ok_near(sender_load(sender)->limit, .5, 0, "of the processor");
	ok(wait_for(fast), "then it grows");
	pass(3000);
	log_lines_end();
	ok_range(log_lines_with(" kB/s, was "), 1, 20,
		 "which is logged now and then");
	sender_limit(sender, 2000, 1);
	pass(300);
	ok_range(sender_link(sender)->rate, 100, 2000, "until there is one again");
	ok_near(sender_load(sender)->limit, 1, 0, "and no other");
	end();
}

/* ---- the pace within a frame ---- */

static void say_image(unsigned int seed)
{
	static uint8_t data[128 * 96 + 256];
	uint64_t rng = seed + 1;
	struct image i = make_image(128, 96, 1, 8, 0, &rng);
	const union message msg = { .image = {
		.header = { .stamp = loop_now(),
			    .frame_id = message_string("cam") },
		.width = 128, .height = 96, .step = 128,
		.encoding = message_string("mono8"),
		.data = { i.data, 128 * 96 },
	} };
	struct source_message m = {
		.topic = "/image", .kind = MESSAGE_IMAGE, .format = MESSAGE_CDR,
		.data = data, .stamp = loop_now(),
	};

	m.len = message_write(m.kind, m.format, &msg, data, sizeof(data));
	sender_message(sender, &m);
	free(i.data);
}

static bool is_live(void)
{
	say("/x");
	return sender_link(sender)->state == ESTIMATE_LIVE;
}

static unsigned int images;

static bool many_paced(void)
{
	say_image(images++);
	return send_topic_counts(sender_find(sender, "/image"))->paced > 20;
}

static void test_pace(void)
{
	const struct sender_options o = ROBOT;

	begin(&o);
	far.reports = true;
	ok(wait_for(is_live), "a receiver");
	ok_near(sender_pace(sender)->rate, 0, 0, "no pace is known");
	ok(wait_for(many_paced), "some of %u images have several datagrams",
	   images);
	ok(sender_pace(sender)->rate > 0, "these teach it");
	end();
}

/* ---- no receiver answers ---- */

static bool is_blind(void)
{
	say("/x");
	return sender_link(sender)->state == ESTIMATE_BLIND;
}

static unsigned int statuses(void)
{
	const struct send_topic *t = sender_find(sender, SENDER_STATUS_TOPIC);

	return t ? send_topic_counts(t)->messages : 0;
}

/* A receiver that goes away and comes back */
static void test_outage(void)
{
	struct sender_options o = ROBOT;
	unsigned int before;

	o.status = 300 * MS;
	begin(&o);
	log_lines_begin(LOG_INFO);
	say("/x");
	pass(2000);
	ok_eq(statuses(), 0, "no status as long as no receiver answers");
	far.reports = true;
	ok(wait_for(is_live), "one does");
	pass(300);
	before = statuses();
	pass(6000);
	ok_range(statuses() - before, 15, 21, "then a status each 300 ms");
	far.reports = false;
	far.deaf = true;
	ok(wait_for(is_blind), "an outage");
	before = statuses();
	pass(16000);
	ok_range(statuses() - before, 3, 4, "has one in five seconds");
	far.reports = true;
	far.deaf = false;
	ok(wait_for(is_live), "it ends");
	log_lines_end();
	ok_eq(log_lines_with("receiver connected"), 2, "both are logged:");
	ok_eq(log_lines_with("no receiver reports: link down"), 1, "the outage");
	ok_eq(sender_link(sender)->epoch, 1, "is counted");
	pass(1000);
	ok_eq(segment_epoch(&far.header), 1, "as announcements say");
	say("/other");
	ok_eq(sender_remove(sender, "/other"), 0, "another topic is removed");
	before = statuses();
	pass(3000);
	ok(statuses() > before, "which is no end of the status");
	ok_eq(sender_remove(sender, SENDER_STATUS_TOPIC), 0,
	      "the status can be removed, too");
	pass(2000);
	ok_eq(statuses(), 0, "then it is off");
	end();
}

static bool has_error(void)
{
	say("/x");
	return sender_error(sender);
}

static bool has_no_error(void)
{
	return !sender_error(sender);
}

static void test_unreachable(void)
{
	const struct sender_options o = ROBOT;

	begin(&o);
	far_close();
	log_lines_begin(LOG_INFO);
	ok(wait_for(has_error), "a port that no one has");
	ok_eq(sender_error(sender), ECONNREFUSED, "is known");
	pass(2000);
	ok(sender_counts(sender)->unreachable > 2, "and counted");
	far_open();
	far.reports = true;
	ok(wait_for(has_no_error), "until a receiver answers");
	log_lines_end();
	ok_eq(log_lines_with("unreachable: no program listens on this port"), 1,
	      "which is logged once");
	ok_eq(log_lines_with("reachable again"), 1, "as is its end");
	far_close();
	log_lines_begin(LOG_INFO);
	ok(wait_for(has_error), "it goes away again");
	log_lines_end();
	ok_eq(log_lines_with("unreachable"), 0, "and is not logged so soon");
	far_open();
	end();
}

/* What is not of its receiver */
static void test_strangers(void)
{
	const struct sender_options o = ROBOT;
	uint8_t payload[PAYLOAD_MAX] = { 0 };
	struct control_report r = { .version = 1 };
	unsigned int copies;
	size_t len;

	begin(&o);
	pass(1000);
	len = stream_report(far.stream, loop_now(), payload, &copies);
	far_answer(stream_id(far.stream) + 1, payload, len);
	far_answer_on(stream_id(far.stream), 1, payload, len);
	pass(100);
	ok_eq(sender_link(sender)->state, ESTIMATE_START,
	      "reports of another stream or topic do not count");
	far_answer(stream_id(far.stream) + 1, payload,
		   control_report(&r, payload));
	r.echo = 12345;
	far_answer(stream_id(far.stream), payload, control_report(&r, payload));
	payload[7] ^= 1;
	far_answer(stream_id(far.stream), payload, 40);
	far_send("x", 1);
	pass(500);
	ok_eq(sender_link(sender)->state, ESTIMATE_START,
	      "impossible answers do not count");
	far.reports = true;
	ok(wait_for(is_live), "those that can do");
	end();
}

/* ---- a key ---- */

static bool is_unsealed(void)
{
	return sender_counts(sender)->unsealed > 2;
}

static bool is_replayed(void)
{
	return sender_counts(sender)->replayed > 2;
}

static bool knows_run(void)
{
	return le64toh(far.header.stamp) == far.run;
}

static void test_key(void)
{
	struct sender_options o = ROBOT;
	struct seal *key, *other;
	struct error error;

	make_folder();
	put_secret("key", "0123456789abcdef0123456789abcdef");
	put_secret("other", "0123456789abcdef0123456789abcdeX");
	snprintf(o.key, sizeof(o.key), "%s", in_folder("key"));
	if (seal_open(&key, in_folder("key"), &error) ||
	    seal_open(&other, in_folder("other"), &error))
		abort();
	begin(&o);
	log_lines_begin(LOG_INFO);
	far.reports = true;
	ok(wait_for(is_unsealed), "reports without the key");
	far.key = other;
	pass(1000);
	log_lines_end();
	ok_eq(log_lines_with("answers without a key: reports rejected"), 1,
	      "are rejected, which is logged once");
	ok_eq(sender_link(sender)->state, ESTIMATE_START,
	      "as are those with another one");
	ok_eq(far.header.stamp, 0, "it knows no run of the receiver");
	ok_eq(sender_counts(sender)->replayed, 0, "nothing is repeated");
	far.key = key;
	ok(wait_for(is_live), "with the key they are accepted");
	pass(600);
	ok(knows_run(), "then announcements have the run of the receiver");
	far.repeats = true;
	ok(wait_for(is_replayed), "a datagram that is repeated is counted");
	ok_eq(sender_link(sender)->state, ESTIMATE_LIVE, "and that is all");
	far.repeats = false;
	clear();
	far.run = 78;
	far.serial = 0;
	ok(wait_for(knows_run), "another run begins with serial 1");
	pass(850);
	ok_range(far.announcements, 6, 8, "and gets announcements at once");
	far.run = 0;
	pass(1000);
	ok(!knows_run(), "one without a number is none");
	seal_close(key);
	seal_close(other);
	end();
	remove_folder();
}

static void test_errors(void)
{
	struct sender_options o = ROBOT;
	struct address none = { .len = sizeof(none.storage) };
	struct sender *s = NULL;
	struct error error = { "" };

	loop = loop_create();
	there = free_address();
	ok_eq(sender_open(&s, loop, &none, &o, &error), -EAFNOSUPPORT,
	      "an address that is none");
	ok_str(error.text,
	       "cannot send: Address family not supported by protocol",
	       "it says so");
	strcpy(o.key, "/nowhere/key");
	ok_eq(sender_open(&s, loop, &there, &o, &error), -ENOENT,
	      "a key that is not there");
	ok(strstr(error.text, "/nowhere/key"), "is named");
	loop_destroy(loop);
}

int main(void)
{
	cli_program = "test";
	test_announces();
	test_wants();
	test_many();
	test_still(MESSAGE_ODOMETRY);
	test_still(MESSAGE_TWIST);
	test_still(MESSAGE_TWIST_STAMPED);
	test_end();
	test_limit();
	test_pace();
	test_outage();
	test_unreachable();
	test_strangers();
	test_key();
	test_errors();
	return tap_done();
}
