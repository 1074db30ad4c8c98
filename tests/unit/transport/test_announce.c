// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_announce - the way there and the way back: what a stream says of itself
 * and how often, when a datagram came, what may be sent to begin with
 */
#include <arpa/inet.h>
#include <string.h>
#include <unistd.h>
#include "base/error.h"
#include "free_address.h"
#include "tap.h"
#include "transport/receiver.h"
#include "transport/rx_latency.h"
#include "transport/segment.h"
#include "transport/sender.h"
#include "transport/stream.h"

#define MS	1000000ULL

static uint64_t rng = 1, now;
static struct payloads sent;

/* ---- a stream ---- */

static void on_named(void *arg)
{
	(void)arg;
}

static void on_message(void *arg, const struct recv_message *m)
{
	(void)arg;
	(void)m;
}

/* A datagram of a stream; number 0 of a frame has all it takes to begin one */
static void stream_pass(struct stream *s, uint32_t topic, uint32_t number,
			unsigned int index, unsigned int count,
			const uint8_t *payload, size_t len)
{
	static const struct sockaddr_storage from;
	struct downlink_datagram g = {
		.payload = payload, .len = len, .came = now, .from = &from,
	};

	segment_init(&g.segment);
	g.segment.stream = 1;
	g.segment.topic = htole32(topic);
	g.segment.frame = htole32(number);
	g.segment.index = htole16(index);
	g.segment.count = htole16(count);
	g.segment.sent = htole32(now / 1000);
	g.segment.flags = CODEC_MD << OPTSAMPLE_SEGMENT_CODEC;
	stream_add(s, now, &g);
	now += MS;
}

/* Half a second with @loss percent of loss. Return: copies of the report */
static unsigned int report_of(struct stream *s, unsigned int loss,
			      struct control_report *r)
{
	static uint32_t number;
	uint8_t payload[PAYLOAD_MAX] = { 0 };
	unsigned int copies;

	for (unsigned int f = 0; f < 5; f++, number++)
		for (unsigned int i = 0; i < 33; i++, now += 2 * MS)
			if (rnd(&rng, 100) >= loss)
				stream_pass(s, 1, number, i, 33, payload, 40);
	ok(!control_reported(payload, stream_report(s, now, payload, &copies),
			     r), "a report");
	return copies;
}

static void test_reports(void)
{
	static const struct control_topic topic = {
		.topic = 1, .kind = MESSAGE_IMAGE, .name = "/camera",
	};
	const struct control_sender me = { 0, "robot" };
	const struct recv_options options = RECV_DEFAULTS;
	struct budget whole = { .memory = options.memory };
	const struct stream_events events = {
		.named = on_named, .publish = on_message,
	};
	struct loop *l = loop_create();
	struct control_report r, again;
	uint8_t payload[PAYLOAD_MAX];
	struct stream *s;
	size_t len;

	now = loop_now();
	s = stream_create(l, NULL, 1, &options, &whole, &events);
	control_announce(&me, &topic, 1, &sent);
	for (unsigned int i = 0; i < 2; i++)
		stream_pass(s, SEGMENT_CONTROL, 0, 0, 1, payload_at(&sent, 0),
			    sent.len[0]);
	report_of(s, 0, &r);
	ok_eq(report_of(s, 0, &r), 1, "nothing is lost: once");
	ok_eq(r.topics, 1, "nothing is lost: once");
	ok(report_of(s, 90, &r) > 15, "a bad link: at once many copies");
	now += 40 * MS;
	len = stream_report_again(s, now, payload);
	ok(!control_reported(payload, len, &again),
	   "a later copy has the number, and its own time");
	ok(!again.topics, "a later copy has the number, and its own time");
	ok_eq(again.number, r.number,
	      "a later copy has the number, and its own time");
	ok_eq(again.transit, r.transit,
	      "a later copy has the number, and its own time");
	ok_eq(again.held, r.held + 40000,
	      "a later copy has the number, and its own time");
	stream_destroy(s);
	loop_destroy(l);
}

/* ---- a receiver ---- */

static const struct control_topic camera = {
	.topic = 1, .kind = MESSAGE_IMAGE, .name = "/camera",
};

/* Of the last report: its copies, and those of them that had topics */
struct ear {
	struct loop		*loop;
	struct uplink		*up;
	struct loop_timer	next, late;
	uint8_t			segment[OPTSAMPLE_SEGMENT_MAX];
	unsigned int		index, frame;
	uint32_t		number;
	unsigned int		copies, full, most, most_full;
};

static void on_copy(void *arg, uint64_t came, const void *payload, size_t len,
		    const struct sockaddr_storage *from)
{
	struct control_report r;
	struct ear *e = arg;

	(void)came;
	(void)from;
	if (control_reported(payload, len, &r))
		return;
	if (r.number != e->number) {
		e->number = r.number;
		e->copies = e->full = 0;
	}
	e->copies++;
	e->full += r.topics > 0;
	if (e->copies > e->most) {
		e->most = e->copies;
		e->most_full = e->full;
	}
	if (e->most > 16)
		loop_stop(e->loop, 0);
}

static void on_gone(void *arg, uint64_t at, unsigned int datagrams,
		    uint64_t bytes)
{
	(void)arg;
	(void)at;
	(void)datagrams;
	(void)bytes;
}

static void pass(struct ear *e, uint32_t topic, unsigned int index,
		 unsigned int count, const uint8_t *payload, uint16_t len)
{
	struct optsample_segment s;

	segment_init(&s);
	s.topic = htole32(topic);
	s.frame = htole32(e->frame);
	s.index = htole16(index);
	s.count = htole16(count);
	s.flags = CODEC_MD << OPTSAMPLE_SEGMENT_CODEC;
	memcpy(e->segment, &s, sizeof(s));
	memcpy(e->segment + sizeof(s), payload, len);
	len += sizeof(s);
	uplink_send(e->up, e->segment, sizeof(e->segment), &len, 1);
}

/* Nine of ten datagrams are left out */
static void on_next(void *arg, uint64_t at)
{
	static const uint8_t payload[40];
	struct ear *e = arg;

	e->next.due = at + MS;
	if (e->index % 10 == 0)
		pass(e, 1, e->index, 40, payload, sizeof(payload));
	if (e->index % 40 == 20)
		pass(e, SEGMENT_CONTROL, 0, 1, payload_at(&sent, 0),
		     sent.len[0]);
	if (++e->index == 40) {
		e->index = 0;
		e->frame++;
	}
}

static void on_late(void *arg, uint64_t at)
{
	(void)at;
	loop_stop(((struct ear *)arg)->loop, 1);
}

/* What nine of ten are lost of is reported many times, as time goes by */
static void test_rounds(void)
{
	const struct receiver_options options = { .topics = RECV_DEFAULTS };
	const struct control_sender me = { 0, "robot" };
	struct ear e = { .loop = loop_create() };
	const struct uplink_events events = { on_gone, NULL, on_copy, &e };
	struct publish *publish = publish_create();
	struct receiver *r = NULL;
	const struct address at = free_address();
	struct error error;
	bool good;

	control_announce(&me, &camera, 1, &sent);
	good = !receiver_open(&r, e.loop, &at, &options, publish, &error) &&
	       !uplink_open(&e.up, e.loop, &at, 77, NULL, &events);
	ok(good, "a receiver");
	e.next = (struct loop_timer){ loop_now(), on_next, &e, NULL };
	e.late = (struct loop_timer){ loop_now() + 60000 * MS, on_late, &e,
				      NULL };
	loop_add_timer(e.loop, &e.next);
	loop_add_timer(e.loop, &e.late);
	if (good)
		loop_run(e.loop);
	ok(e.most > 16,
	   "nine of ten are lost: %u copies of a report, %u with topics",
	   e.most, e.most_full);
	ok(e.most_full <= 8,
	   "nine of ten are lost: %u copies of a report, %u with topics",
	   e.most, e.most_full);
	loop_remove_timer(e.loop, &e.next);
	loop_remove_timer(e.loop, &e.late);
	uplink_close(e.up);
	receiver_close(r);
	publish_destroy(publish);
	loop_destroy(e.loop);
}

/* ---- times ---- */

/* A message that came @ns ago, says the kernel */
static void stamp(struct msghdr *m, int64_t ns)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	ns = t.tv_sec * 1000000000LL + t.tv_nsec - ns;
	t.tv_sec = ns / 1000000000;
	t.tv_nsec = ns % 1000000000;
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SO_TIMESTAMPNS;
	c->cmsg_len = CMSG_LEN(sizeof(t));
	memcpy(CMSG_DATA(c), &t, sizeof(t));
}

static void test_waited(void)
{
	_Alignas(struct cmsghdr) uint8_t control[RX_LATENCY_ROOM] = { 0 };
	struct msghdr m = {
		.msg_control = control, .msg_controllen = sizeof(control),
	};
	bool good = false;

	/* unless it takes most of a second to ask */
	for (unsigned int i = 0; !good && i < 100; i++) {
		stamp(&m, 60 * MS);
		good = rx_latency_ns(&m) >= 60 * MS;
	}
	ok(good, "a datagram waited");
	stamp(&m, 5000 * MS);
	ok(!rx_latency_ns(&m), "not for seconds: a clock was set");
	stamp(&m, -1000000 * (int64_t)MS);
	ok(!rx_latency_ns(&m), "nor does it come in future");
	m.msg_controllen = 0;
	ok(!rx_latency_ns(&m), "or it is not known for how long");
}

/* The kernel says when, if asked */
static void test_asked(void)
{
	_Alignas(struct cmsghdr) uint8_t control[RX_LATENCY_ROOM];
	struct sockaddr_in at = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	char byte = 1;
	struct iovec v = { &byte, 1 };
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = sizeof(control),
	};
	bool good = !bind(fd, (void *)&at, sizeof(at)) &&
		    !getsockname(fd, (void *)&at, &len);

	rx_latency_enable(fd);
	good &= sendto(fd, &byte, 1, 0, (void *)&at, sizeof(at)) == 1;
	good &= recvmsg(fd, &m, 0) == 1;
	ok(good, "the kernel says when it came");
	ok(CMSG_FIRSTHDR(&m), "the kernel says when it came");
	ok_eq(CMSG_FIRSTHDR(&m)->cmsg_type, SO_TIMESTAMPNS,
	      "the kernel says when it came");
	close(fd);
}

/* What may be sent to begin with, as the sender says */
static void test_begin(void)
{
	struct sender_options options = { .name = "robot" };
	struct sender *s = NULL;
	struct loop *l = loop_create();
	struct address to;
	struct error error;

	memset(&to, 0, sizeof(to));
	((struct sockaddr_in *)&to.storage)->sin_family = AF_INET;
	((struct sockaddr_in *)&to.storage)->sin_addr.s_addr =
		htonl(INADDR_LOOPBACK);
	((struct sockaddr_in *)&to.storage)->sin_port = htons(9);
	to.len = sizeof(struct sockaddr_in);
	ok(!sender_open(&s, l, &to, &options, &error), "64 kB/s to begin with");
	ok(sender_link(s)->rate == 65536, "64 kB/s to begin with");
	sender_close(s);
	options.rate = 10000;
	ok(!sender_open(&s, l, &to, &options, &error),
	   "or what the user allows");
	ok(sender_link(s)->rate == 10000, "or what the user allows");
	sender_close(s);
	loop_destroy(l);
}

int main(void)
{
	if (payloads_create(&sent, 64))
		return 1;
	test_reports();
	test_rounds();
	test_waited();
	test_asked();
	test_begin();
	payloads_destroy(&sent);
	return tap_done();
}
