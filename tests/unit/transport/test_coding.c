// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_coding - a codec that takes for ever: what else a sender and a receiver
 * have to do goes on meanwhile
 *
 * The linker puts a gate before encoder_encode() and decoder_frame(). No test
 * waits for a time: each step waits for what it is about, or fails at last.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/error.h"
#include "free_address.h"
#include "steps.h"
#include "tap.h"
#include "transport/receiver.h"
#include "transport/segment.h"
#include "transport/sender.h"
#include "transport/stream.h"
#include "transport/workers.h"

enum { SIDE = 64, ROOM = 1 << 16, FRAMES = 64 };

enum side { NONE, ENCODER, DECODER };

/**
 * struct gate - before a codec
 * @shut:	before which: who comes waits, until sem_post(@go)
 * @inside:	that wait or have waited
 * @looped:	the loop itself came: it would have waited for ever
 */
static struct gate {
	_Atomic enum side shut;
	atomic_bool	looped;
	atomic_uint	inside;
	sem_t		go;
} gate;

static pthread_t loop_thread;

static void pass_gate(enum side side)
{
	if (atomic_load(&gate.shut) != side)
		return;
	if (pthread_equal(pthread_self(), loop_thread)) {
		atomic_store(&gate.looped, true);
		return;
	}
	atomic_fetch_add(&gate.inside, 1);
	while (sem_wait(&gate.go))
		;
}

static void shut_gate(enum side side)
{
	atomic_store(&gate.looped, false);
	atomic_store(&gate.inside, 0);
	atomic_store(&gate.shut, side);
}

static void open_gate(void)
{
	atomic_store(&gate.shut, NONE);
	for (unsigned int n = atomic_load(&gate.inside); n; n--)
		sem_post(&gate.go);
}

int __real_encoder_encode(struct encoder *e, enum message_format format,
			  const void *data, size_t len, int64_t stamp,
			  const struct encode_order *order,
			  struct payloads *out, struct encode_result *result);
int __wrap_encoder_encode(struct encoder *e, enum message_format format,
			  const void *data, size_t len, int64_t stamp,
			  const struct encode_order *order,
			  struct payloads *out, struct encode_result *result);
int __real_decoder_frame(struct decoder *d, const struct decode_call *c);
int __wrap_decoder_frame(struct decoder *d, const struct decode_call *c);

/* Of messages only images are as large */
int __wrap_encoder_encode(struct encoder *e, enum message_format format,
			  const void *data, size_t len, int64_t stamp,
			  const struct encode_order *order,
			  struct payloads *out, struct encode_result *result)
{
	if (len > SIDE * SIDE)
		pass_gate(ENCODER);
	return __real_encoder_encode(e, format, data, len, stamp, order, out,
				     result);
}

int __wrap_decoder_frame(struct decoder *d, const struct decode_call *c)
{
	if (!strcmp(c->topic->name, "/held"))
		pass_gate(DECODER);
	return __real_decoder_frame(d, c);
}

/* ---- what all tests have ---- */

/**
 * struct test
 * @reached:	of the step; @acts every 5 ms until it is
 * @datagrams:	that the sender sent, of each topic; 0: announcements
 * @stamp:	of the frames of topic 1 from @since on, in the order in which
 *		they came: one before may still be on its way
 * @taken:	stamp of the newest image that was not thinned out
 * @heard:	messages that the receiver published, [1]: of /held
 * @last:	stamp of the last one; @order: none was older than one before
 */
struct test {
	struct loop		*loop;
	struct steps		steps;
	struct sender		*sender, *other;
	struct workers		*workers;
	struct budget		whole;
	struct receiver		*receiver;
	struct loop_fd		watch;
	unsigned int		datagrams[4], frames, number, jobs;
	int64_t			stamp[FRAMES], since, last[2], taken;
	unsigned int		heard[2];
	bool			order;
};

static bool soon(struct test *t, bool (*reached)(struct test *t),
		 void (*acts)(struct test *t))
{
	return steps_until(&t->steps, reached, acts);
}

static void begin(struct test *t)
{
	*t = (struct test){ .loop = loop_create(), .order = true };
	steps_begin(&t->steps, t->loop, t);
}

static void end(struct test *t)
{
	steps_end(&t->steps);
	loop_destroy(t->loop);
}

/* An image that is not flat, or a speed */
static void say(struct sender *s, const char *topic, enum message_kind kind,
		int64_t stamp)
{
	static uint8_t pixels[SIDE * SIDE], bytes[ROOM];
	static uint64_t rng = 1;
	union message msg = { 0 };
	struct source_message m = {
		.topic = topic, .kind = kind, .format = MESSAGE_CDR,
		.stamp = stamp, .data = bytes,
	};

	if (kind == MESSAGE_IMAGE) {
		for (unsigned int i = 0; i < sizeof(pixels); i++)
			pixels[i] = i % SIDE + rnd(&rng, 32);
		msg.image = (struct message_image){
			.header = { .stamp = stamp },
			.width = SIDE, .height = SIDE, .step = SIDE,
			.encoding = message_string("mono8"),
			.data = { pixels, sizeof(pixels) },
		};
	}
	m.len = message_write(kind, MESSAGE_CDR, &msg, bytes, sizeof(bytes));
	sender_message(s, &m);
}

static void open_sender(struct test *t, struct sender **s, const char *name,
			const struct address *to)
{
	struct sender_options options = { .cpu = 1, .threads = 2 };
	struct error error;

	strcpy(options.name, name);
	if (sender_open(s, t->loop, to, &options, &error))
		abort();
}

/* ---- a sender ---- */

static void on_datagram(void *arg, uint32_t events)
{
	uint8_t bytes[OPTSAMPLE_SEGMENT_MAX];
	struct optsample_segment s;
	struct test *t = arg;
	ssize_t n;

	(void)events;
	while ((n = recv(t->watch.fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {
		unsigned int topic;
		int64_t stamp;

		if (segment_read(&s, bytes, n))
			continue;
		topic = segment_topic(&s);
		stamp = le64toh(s.stamp);
		t->datagrams[topic < 3 ? topic : 3]++;
		if (topic == 1 && t->frames < FRAMES && stamp >= t->since &&
		    (!t->frames || t->stamp[t->frames - 1] != stamp))
			t->stamp[t->frames++] = stamp;
	}
}

static void open_far_end(struct test *t, const struct address *at)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	t->watch.ready = on_datagram;
	t->watch.arg = t;
	if (fd < 0 || bind(fd, (const void *)&at->storage, at->len) ||
	    loop_watch(t->loop, &t->watch, fd, EPOLLIN))
		abort();
}

static bool image_went(struct test *t)
{
	return t->datagrams[1] > 0;
}

static bool codec_waits(struct test *t)
{
	(void)t;
	return atomic_load(&gate.inside) || atomic_load(&gate.looped);
}

static bool others_went(struct test *t)
{
	return atomic_load(&gate.looped) ||
	       (t->datagrams[0] > 3 && t->datagrams[2] > 3);
}

static void say_speed(struct test *t)
{
	say(t->sender, "/speed", MESSAGE_TWIST, ++t->number);
}

static void say_image(struct test *t)
{
	const struct send_topic *topic = sender_find(t->sender, "/image");
	uint64_t thinned = topic ? send_topic_counts(topic)->thinned : 0;

	say(t->sender, "/image", MESSAGE_IMAGE, ++t->number);
	topic = sender_find(t->sender, "/image");
	if (send_topic_counts(topic)->thinned == thinned)
		t->taken = t->number;
}

static uint64_t behind(struct test *t)
{
	return send_topic_counts(sender_find(t->sender, "/image"))->behind;
}

static bool images_gave_way(struct test *t)
{
	return atomic_load(&gate.looped) || behind(t) > 3;
}

static bool newest_went(struct test *t)
{
	return t->frames && t->stamp[t->frames - 1] == t->taken;
}

static bool much_went(struct test *t)
{
	return t->datagrams[2] > 30;
}

/* An image is left out, not late; none is sent twice or out of turn */
static void test_newest(struct test *t)
{
	int64_t held = t->taken;

	ok(soon(t, images_gave_way, say_image),
	   "images that come meanwhile give way to newer ones, and are counted");
	ok(!t->frames,
	   "images that come meanwhile give way to newer ones, and are counted");
	open_gate();
	ok(soon(t, newest_went, NULL),
	   "then the one that took so long is sent, and the newest");
	ok_eq(t->frames, 2,
	      "then the one that took so long is sent, and the newest");
	ok_eq(t->stamp[0], held,
	      "then the one that took so long is sent, and the newest");
}

/* The settings select other ones, then none, while one is encoded */
static void test_removed(struct test *t)
{
	struct send_options o =
		*send_topic_options(sender_find(t->sender, "/image"));

	shut_gate(ENCODER);
	ok(soon(t, codec_waits, say_image), "another one takes for ever");
	strcpy(o.name, "/image");
	o.codec = CODEC_SPLIT;
	o.encode.bits = 5;
	ok(!sender_change(t->sender, &o), "its topic is changed, and removed");
	ok(!sender_remove(t->sender, "/image"),
	   "its topic is changed, and removed");
	ok(!sender_find(t->sender, "/image"),
	   "its topic is changed, and removed");
	t->since = t->taken;
	t->frames = 0;
	memset(t->datagrams, 0, sizeof(t->datagrams));
	open_gate();
	ok(soon(t, much_went, say_speed),
	   "what was encoded is not sent, other topics are");
	ok(!t->frames, "what was encoded is not sent, other topics are");
}

/* With as many settings as there may be, a topic without one stays as it is */
static void test_full(struct test *t)
{
	struct send_options o = SEND_OPTIONS;
	const struct send_topic *topic;
	int i, err = 0;

	say(t->sender, "/speed", MESSAGE_TWIST, 1);
	topic = sender_find(t->sender, "/speed");
	for (i = 0; !err; i++) {
		snprintf(o.name, sizeof(o.name), "/setting_%d", i);
		err = sender_add(t->sender, &o);
	}
	strcpy(o.name, "/speed");
	o.priority = 5;
	ok_eq(err, -E2BIG,
	      "no room for another setting: nothing is changed or removed");
	ok(topic, "no room for another setting: nothing is changed or removed");
	ok_eq(sender_change(t->sender, &o), -E2BIG,
	      "no room for another setting: nothing is changed or removed");
	ok(send_topic_options(topic)->priority != 5,
	   "no room for another setting: nothing is changed or removed");
	ok_eq(sender_remove(t->sender, "/speed"), -E2BIG,
	      "no room for another setting: nothing is changed or removed");
	ok(sender_find(t->sender, "/speed") == topic,
	   "no room for another setting: nothing is changed or removed");
}

static void test_sender(void)
{
	const struct address to = free_address();
	struct test t;

	begin(&t);
	open_far_end(&t, &to);
	open_sender(&t, &t.sender, "robot", &to);
	ok(soon(&t, image_went, say_image), "an image is sent");
	shut_gate(ENCODER);
	ok(soon(&t, codec_waits, say_image), "the next one takes for ever");
	memset(t.datagrams, 0, sizeof(t.datagrams));
	t.since = t.taken;
	t.frames = 0;
	ok(soon(&t, others_went, say_speed),
	   "meanwhile another topic is sent, and announcements");
	ok(!atomic_load(&gate.looped),
	   "meanwhile another topic is sent, and announcements");
	ok(!t.frames, "meanwhile another topic is sent, and announcements");
	test_newest(&t);
	test_removed(&t);
	test_full(&t);
	sender_close(t.sender);
	loop_unwatch(t.loop, &t.watch);
	close(t.watch.fd);
	end(&t);
}

/* ---- a receiver ---- */

static void on_heard(void *arg, const char *name, enum message_kind kind,
		     int64_t received, const union message *msg)
{
	struct test *t = arg;
	bool held = strstr(name, "/held");

	(void)received;
	if (kind != MESSAGE_IMAGE)
		return;
	t->order &= msg->image.header.stamp > t->last[held];
	t->last[held] = msg->image.header.stamp;
	t->heard[held]++;
}

static void say_images(struct test *t)
{
	if (++t->number % 4)
		return;
	say(t->sender, "/held", MESSAGE_IMAGE, t->number);
	say(t->other, "/free", MESSAGE_IMAGE, t->number);
}

static bool both_heard(struct test *t)
{
	return t->heard[0] > 2 && t->heard[1] > 2;
}

static bool free_heard(struct test *t)
{
	return atomic_load(&gate.looped) || t->heard[0] > 10;
}

static const struct recv_topic *held_topic(struct test *t)
{
	const struct recv_topic *topic;
	const struct stream *s;
	bool old;

	for (unsigned int i = 0; (s = receiver_stream(t->receiver, i, &old));
	     i++) {
		topic = stream_topic(s, 0);
		if (topic && !strcmp(recv_topic_announcement(topic)->name,
				     "/held"))
			return topic;
	}
	abort();
}

static bool frames_gave_way(struct test *t)
{
	return atomic_load(&gate.looped) ||
	       recv_topic_counts(held_topic(t))->behind > 3;
}

static bool three_heard(struct test *t)
{
	return t->heard[1] >= 3;
}

static void test_receiver(void)
{
	const struct receiver_options options = {
		.topics = RECV_DEFAULTS, .threads = 2,
	};
	struct publish *publish = publish_create();
	const struct address at = free_address();
	struct error error;
	struct test t;

	begin(&t);
	publish_listen(publish, on_heard, &t);
	if (receiver_open(&t.receiver, t.loop, &at, &options, publish, &error))
		abort();
	open_sender(&t, &t.sender, "one", &at);
	open_sender(&t, &t.other, "two", &at);
	ok(soon(&t, both_heard, say_images), "two robots are heard");
	shut_gate(DECODER);
	ok(soon(&t, codec_waits, say_images),
	   "to decode an image of one takes for ever");
	t.heard[0] = t.heard[1] = 0;
	ok(soon(&t, free_heard, say_images),
	   "meanwhile the other one is heard");
	ok(!atomic_load(&gate.looped), "meanwhile the other one is heard");
	ok(!t.heard[1], "meanwhile the other one is heard");
	ok(soon(&t, frames_gave_way, say_images),
	   "what comes meanwhile gives way to newer ones, and is counted");
	ok(!t.heard[1],
	   "what comes meanwhile gives way to newer ones, and is counted");
	open_gate();
	ok(soon(&t, three_heard, NULL), "then it is shown, and the two newest");
	ok(t.order, "then it is shown, and the two newest");
	ok(soon(&t, both_heard, say_images),
	   "and what follows, each in its order");
	ok(t.order, "and what follows, each in its order");
	shut_gate(DECODER);
	ok(soon(&t, codec_waits, say_images), "another one takes for ever");
	open_gate();
	receiver_close(t.receiver);
	sender_close(t.sender);
	sender_close(t.other);
	publish_destroy(publish);
	end(&t);
}

/* ---- a stream that loses its place ---- */

static void on_named(void *arg)
{
	(void)arg;
}

static void on_published(void *arg, const struct recv_message *m)
{
	struct test *t = arg;

	(void)m;
	t->heard[1]++;
}

static void pass_datagram(struct stream *s, uint32_t topic, uint32_t frame,
			  const uint8_t *payload, size_t len)
{
	static const struct sockaddr_storage from;
	static uint32_t sent;
	struct downlink_datagram g = {
		.left = -1, .payload = payload, .len = len, .from = &from,
	};

	segment_init(&g.segment);
	g.segment.stream = 1;
	g.segment.topic = htole32(topic);
	g.segment.frame = htole32(frame);
	g.segment.count = htole16(1);
	g.segment.sent = htole32(++sent);
	g.segment.flags = CODEC_MD << OPTSAMPLE_SEGMENT_CODEC;
	g.came = loop_now();
	stream_add(s, g.came, &g);
}

static bool nothing_reserved(struct test *t)
{
	return !t->whole.reserved;
}

static void test_evicted(void)
{
	static const struct control_topic topic = {
		.topic = 1, .kind = MESSAGE_IMAGE, .name = "/held",
	};
	static const struct recv_options options = RECV_DEFAULTS;
	static const struct control_sender me = { 0, "robot" };
	struct stream_events events = { on_named, on_published, NULL };
	static const uint8_t payload[400];
	struct payloads announcement;
	struct stream *s;
	struct test t;

	begin(&t);
	events.arg = &t;
	t.whole.memory = options.memory;
	if (payloads_create(&announcement, 4) ||
	    workers_create(&t.workers, t.loop, 1))
		abort();
	s = stream_create(t.loop, t.workers, 1, &options, &t.whole, &events);
	control_announce(&me, &topic, 1, &announcement);
	for (unsigned int i = 0; i < 2; i++)
		pass_datagram(s, SEGMENT_CONTROL, 0,
			      payload_at(&announcement, 0),
			      announcement.len[0]);
	shut_gate(DECODER);
	for (uint32_t i = 0; i < 9; i++)
		pass_datagram(s, 1, i, payload, sizeof(payload));
	ok(soon(&t, codec_waits, NULL),
	   "three frames of a stream have memory: %zu bytes",
	   (size_t)t.whole.reserved);
	ok(t.whole.reserved > 3 * 400,
	   "three frames of a stream have memory: %zu bytes",
	   (size_t)t.whole.reserved);
	ok(t.whole.reserved < 3 * 2000 + 16 * PAYLOAD_MAX,
	   "three frames of a stream have memory: %zu bytes",
	   (size_t)t.whole.reserved);
	stream_destroy(s);
	ok(t.whole.reserved > 400,
	   "evicted, the one that is being decoded has: %zu bytes",
	   (size_t)t.whole.reserved);
	ok(t.whole.reserved < 2000,
	   "evicted, the one that is being decoded has: %zu bytes",
	   (size_t)t.whole.reserved);
	open_gate();
	ok(soon(&t, nothing_reserved, NULL),
	   "then nothing has, and nothing is shown");
	ok(!t.heard[1], "then nothing has, and nothing is shown");
	workers_destroy(t.workers);
	payloads_destroy(&announcement);
	end(&t);
}

/* ---- the threads ---- */

static void on_long(void *arg)
{
	(void)arg;
	pass_gate(ENCODER);
}

static void on_short(void *arg)
{
	(void)arg;
}

static void on_job(void *arg, uint64_t cpu)
{
	struct test *t = arg;

	(void)cpu;
	t->jobs++;
}

static bool one_job(struct test *t)
{
	return t->jobs == 1;
}

static bool two_jobs(struct test *t)
{
	return t->jobs == 2;
}

static void test_workers(void)
{
	struct job longs[3], quick = {
		.run = on_short, .done = on_job, .expected = 1000,
	};
	uint64_t before;
	struct test t;

	begin(&t);
	quick.arg = &t;
	if (workers_create(&t.workers, t.loop, 1))
		abort();
	shut_gate(ENCODER);
	for (unsigned int i = 0; i < 3; i++) {
		longs[i] = (struct job){
			.run = on_long, .done = on_job, .arg = &t,
		};
		workers_begin(t.workers, &longs[i]);
	}
	ok(soon(&t, codec_waits, NULL), "a long job runs");
	workers_begin(t.workers, &quick);
	ok(soon(&t, one_job, NULL),
	   "a short one does not wait for it, other long ones do");
	ok_eq(atomic_load(&gate.inside), 1,
	      "a short one does not wait for it, other long ones do");
	ok(workers_cancel(t.workers, &longs[1]),
	   "one that waits can be cancelled, one that runs cannot");
	ok(!workers_cancel(t.workers, &longs[0]),
	   "one that waits can be cancelled, one that runs cannot");
	t.jobs = 0;
	open_gate();
	ok(soon(&t, two_jobs, NULL), "it ends, and so does the last one");
	before = workers_cpu(t.workers);
	workers_begin(t.workers, &quick);
	/* its end waits for the loop, which does not run */
	while (workers_cpu(t.workers) == before)
		;
	ok(workers_cancel(t.workers, &quick),
	   "an end that was not announced can be cancelled");
	ok_eq(t.jobs, 2, "an end that was not announced can be cancelled");
	workers_destroy(t.workers);
	ok_eq(workers_expect(0, 7), 7, "what the next one may take");
	ok_eq(workers_expect(800, 7), 700, "what the next one may take");
	ok_eq(workers_expect(1, 0), 1, "what the next one may take");
	end(&t);
}

int main(void)
{
	loop_thread = pthread_self();
	sem_init(&gate.go, 0, 0);
	test_workers();
	test_sender();
	test_receiver();
	test_evicted();
	sem_destroy(&gate.go);
	return tap_done();
}
