/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fake_robot.h - robots that send what a test wants to a receiver, in the time
 * of fast_clock.h
 *
 * Each has a socket of its own. Every 200 ms those that are on announce
 * themselves.
 */
#ifndef UNIT_FAKE_ROBOT_H
#define UNIT_FAKE_ROBOT_H

#define FAST_CLOCK_STEP	500000000LL

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "base/cli.h"
#include "base/error.h"
#include "fast_clock.h"
#include "free_address.h"
#include "tap.h"
#include "transport/encode.h"
#include "transport/receiver.h"
#include "transport/seal.h"
#include "transport/segment.h"
#include "waits.h"

#define MS	1000000ULL

enum { ROBOTS = 40, HEARD = 64 };

/**
 * struct robot - one run of a sender
 * @stream:	its number
 * @boot:	of its machine
 * @run:	of the receiver, as it gave it
 * @seal:	NULL: without a key
 * @serial, @frame, @sent: of its last datagram
 * @reports:	of the receiver
 * @asked:	datagrams of the receiver without a payload
 * @copies:	so often it sends each datagram
 * @silent:	it does not announce itself
 */
struct robot {
	int		fd;
	char		name[32];
	struct control_topic topic;
	uint64_t	stream, boot, run, serial;
	const struct seal *seal;
	uint32_t	frame, sent;
	unsigned int	reports, asked, copies;
	uint16_t	epoch;
	bool		on, silent;
};

static struct loop *loop;
static struct receiver *receiver;
static struct publish *publish;
static struct address there;
static struct robot robots[ROBOTS];
static struct payloads payloads;

/* Names of what the receiver published, and how many in all */
static char heard[HEARD][512];
static unsigned int messages;

/* Messages of its own about robots and topics, and what is in the last one */
static unsigned int diagnoses, statuses;
static char diagnosed[2][64];

static inline void on_diagnosis(const struct message_diagnostics *d)
{
	diagnoses++;
	statuses = d->statuses;
	for (unsigned int i = 0; i < 2 && i < statuses; i++)
		snprintf(diagnosed[i], sizeof(diagnosed[i]), "%.*s: %.*s",
			 (int)d->status[i].name.len, d->status[i].name.text,
			 (int)d->status[i].message.len,
			 d->status[i].message.text);
}

static inline bool was_heard(const char *name)
{
	for (unsigned int i = 0; i < messages && i < HEARD; i++)
		if (!strcmp(heard[i], name))
			return true;
	return false;
}

static inline void on_heard(void *arg, const char *name, enum message_kind kind,
			    int64_t received, const union message *msg)
{
	(void)arg;
	(void)received;
	if (kind == MESSAGE_DIAGNOSTICS)
		on_diagnosis(&msg->diagnostics);
	else
		strcpy(heard[messages++ % HEARD], name);
}

static inline void robot_send(struct robot *r, struct optsample_segment *s,
			      const void *payload, size_t len)
{
	uint8_t bytes[OPTSAMPLE_SEGMENT_MAX] = { 0 };

	if (r->seal)
		s->header = sizeof(struct optsample_segment_sealed);
	s->stream = r->stream;
	/* no two are sent at the same time: that would be a copy */
	r->sent = loop_now() / 1000 > r->sent ? loop_now() / 1000 : r->sent + 1;
	s->sent = htole32(r->sent);
	memcpy(bytes, s, sizeof(*s));
	memcpy(bytes + s->header, payload, len);
	if (r->seal)
		seal_put(r->seal, SEAL_UP, bytes, s->header + len, ++r->serial);
	for (unsigned int i = 0; i < (r->copies ? r->copies : 1); i++)
		if (sendto(r->fd, bytes, s->header + len, 0,
			   (const void *)&there.storage, there.len) < 0)
			abort();
}

static inline void robot_announce(struct robot *r)
{
	struct control_sender me = { 0, "" };
	struct optsample_segment s;

	snprintf(me.name, sizeof(me.name), "%s", r->name);
	control_announce(&me, &r->topic, 1, &payloads);
	segment_init(&s);
	s.topic = htole32((uint32_t)r->epoch << 16);
	s.position = htole64(r->boot);
	s.stamp = r->run;
	robot_send(r, &s, payload_at(&payloads, 0), payloads.len[0]);
}

/* A message of its topic, of @kind, as the golden ones have it */
static inline void robot_message(struct robot *r, const void *data, size_t len)
{
	static const struct encode_options options = ENCODE_DEFAULTS;
	const struct encode_order order = { .codec = CODEC_BLOB };
	struct encoder *e = encoder_create(r->topic.kind, &options);
	struct encode_result result;
	struct optsample_segment s;

	if (encoder_encode(e, MESSAGE_CDR, data, len, 5, &order, &payloads,
			   &result))
		abort();
	encoder_destroy(e);
	segment_init(&s);
	s.topic = htole32(r->topic.topic | (uint32_t)r->epoch << 16);
	s.frame = htole32(r->frame++);
	s.flags = CODEC_BLOB << OPTSAMPLE_SEGMENT_CODEC;
	s.count = htole16(payloads.count);
	for (unsigned int i = 0; i < payloads.count; i++) {
		s.index = htole16(i);
		robot_send(r, &s, payload_at(&payloads, i), payloads.len[i]);
	}
}

static inline void robot_hears(struct robot *r)
{
	uint8_t bytes[OPTSAMPLE_SEGMENT_MAX];
	struct control_report report;
	struct optsample_segment s;
	ssize_t n;

	while ((n = recv(r->fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0) {
		if (segment_read(&s, bytes, n))
			abort();
		r->run = s.stamp;
		r->asked += n == s.header;
		r->reports += !control_reported(bytes + s.header, n - s.header,
						&report);
	}
}

/* A run of a sender, from 127.0.0.@host; 0: from ::1 */
static inline struct robot *robot_begin(unsigned int i, const char *name,
					unsigned int host)
{
	struct sockaddr_in v4 = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1 + host),
	};
	struct robot *r = &robots[i];

	if (i >= ROBOTS)
		abort();
	*r = (struct robot){
		.fd = socket(host ? AF_INET : AF_INET6, SOCK_DGRAM, 0),
		.stream = i + 1, .on = true,
		.topic = { .topic = 1, .kind = MESSAGE_IMU, .name = "/imu",
			   .codec = CODEC_BLOB },
	};
	snprintf(r->name, sizeof(r->name), "%s", name);
	if (r->fd < 0 || (host && bind(r->fd, (void *)&v4, sizeof(v4))))
		abort();
	return r;
}

static inline void robot_end(struct robot *r)
{
	if (r->on)
		close(r->fd);
	r->on = false;
}

static inline void robots_live(uint64_t now)
{
	(void)now;
	for (unsigned int i = 0; i < ROBOTS; i++) {
		if (!robots[i].on)
			continue;
		robot_hears(&robots[i]);
		if (!robots[i].silent)
			robot_announce(&robots[i]);
	}
}

/* The stream of a robot; NULL: the receiver has none. @old: was replaced */
static inline const struct stream *stream_of(unsigned int i, bool *old)
{
	const struct stream *s;

	for (unsigned int k = 0; (s = receiver_stream(receiver, k, old)); k++)
		if (stream_id(s) == i + 1)
			return s;
	return NULL;
}

static inline bool is_known(unsigned int i)
{
	bool old;

	return stream_of(i, &old) && stream_announced(stream_of(i, &old));
}

static inline void receiver_begin(const struct receiver_options *o)
{
	struct error error;

	cli_program = "test";
	loop = loop_create();
	publish = publish_create();
	publish_listen(publish, on_heard, NULL);
	messages = diagnoses = 0;
	if (!there.len)
		there = free_address();
	if (payloads_create(&payloads, 64) ||
	    receiver_open(&receiver, loop, &there, o, publish, &error))
		abort();
	waits_begin(loop, 200, robots_live);
}

static inline void receiver_end(void)
{
	for (unsigned int i = 0; i < ROBOTS; i++)
		robot_end(&robots[i]);
	receiver_close(receiver);
	publish_destroy(publish);
	payloads_destroy(&payloads);
	loop_destroy(loop);
	there.len = 0;
}

#endif
